/* SPDX-License-Identifier: Apache-2.0
 *
 * json_patches.c - jsonpatch.escapeKey().
 */
#include "location/cel_library/library.h"

const struct fx_cel_overload fx_cel_json_patches[] = {
    {.function = "jsonpatch.escapeKey",
     .n_args = 1,
     .args = {&fx_cel_string},
     .result = &fx_cel_string},
    {.function = NULL},
};
