/* SPDX-License-Identifier: Apache-2.0
 *
 * urls.c - url(), isURL() and the parts of URLs.
 */
#include "location/cel_library/library.h"
#include "location/cel_library/types.h"

FX_CEL_OPAQUE_TYPE(fx_cel_url, "kubernetes.URL");

const struct fx_cel_overload fx_cel_urls[] = {
    {.function = "url", .n_args = 1, .args = {&fx_cel_string}, .result = &fx_cel_url},
    {.function = "isURL", .n_args = 1, .args = {&fx_cel_string}, .result = &fx_cel_bool},
    {.function = "getScheme",
     .is_member = true,
     .n_args = 1,
     .args = {&fx_cel_url},
     .result = &fx_cel_string},
    {.function = "getHost",
     .is_member = true,
     .n_args = 1,
     .args = {&fx_cel_url},
     .result = &fx_cel_string},
    {.function = "getHostname",
     .is_member = true,
     .n_args = 1,
     .args = {&fx_cel_url},
     .result = &fx_cel_string},
    {.function = "getPort",
     .is_member = true,
     .n_args = 1,
     .args = {&fx_cel_url},
     .result = &fx_cel_string},
    {.function = "getEscapedPath",
     .is_member = true,
     .n_args = 1,
     .args = {&fx_cel_url},
     .result = &fx_cel_string},
    {.function = "getQuery",
     .is_member = true,
     .n_args = 1,
     .args = {&fx_cel_url},
     .result = &fx_cel_map_string_list_string},
    {.function = NULL},
};
