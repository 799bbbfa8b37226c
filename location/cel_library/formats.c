/* SPDX-License-Identifier: Apache-2.0
 *
 * formats.c - named formats and their validate().
 */
#include "location/cel_library/library.h"
#include "location/cel_library/types.h"

FX_CEL_OPAQUE_TYPE(fx_cel_format, "kubernetes.NamedFormat");

static const struct fx_cel_type optional_format = {
    .kind = FX_CEL_TYPE_OPTIONAL,
    .name = "optional_type",
    .params = {&fx_cel_format},
};

const struct fx_cel_overload fx_cel_formats[] = {
    {.function = "format.named",
     .n_args = 1,
     .args = {&fx_cel_string},
     .result = &optional_format},
    {.function = "validate",
     .is_member = true,
     .n_args = 2,
     .args = {&fx_cel_format, &fx_cel_string},
     .result = &fx_cel_optional_list_string},
    {.function = "format.dns1123Label",
     .n_args = 0,
     .args = {NULL},
     .result = &fx_cel_format},
    {.function = "format.dns1123Subdomain",
     .n_args = 0,
     .args = {NULL},
     .result = &fx_cel_format},
    {.function = "format.dns1035Label",
     .n_args = 0,
     .args = {NULL},
     .result = &fx_cel_format},
    {.function = "format.qualifiedName",
     .n_args = 0,
     .args = {NULL},
     .result = &fx_cel_format},
    {.function = "format.dns1123LabelPrefix",
     .n_args = 0,
     .args = {NULL},
     .result = &fx_cel_format},
    {.function = "format.dns1123SubdomainPrefix",
     .n_args = 0,
     .args = {NULL},
     .result = &fx_cel_format},
    {.function = "format.dns1035LabelPrefix",
     .n_args = 0,
     .args = {NULL},
     .result = &fx_cel_format},
    {.function = "format.labelValue", .n_args = 0, .args = {NULL}, .result = &fx_cel_format},
    {.function = "format.uri", .n_args = 0, .args = {NULL}, .result = &fx_cel_format},
    {.function = "format.uuid", .n_args = 0, .args = {NULL}, .result = &fx_cel_format},
    {.function = "format.byte", .n_args = 0, .args = {NULL}, .result = &fx_cel_format},
    {.function = "format.date", .n_args = 0, .args = {NULL}, .result = &fx_cel_format},
    {.function = "format.datetime", .n_args = 0, .args = {NULL}, .result = &fx_cel_format},
    {.function = NULL},
};
