/* SPDX-License-Identifier: Apache-2.0
 *
 * regexes.c - what a regular expression finds in a string (spec/cel.md section 7).
 */
#include "location/cel_library/library.h"

const struct fx_cel_overload fx_cel_regexes[] = {
    {.function = "find",
     FX_CEL_METHOD(&fx_cel_string, &fx_cel_string),
     .result = &fx_cel_string},
    {.function = "findAll",
     FX_CEL_METHOD(&fx_cel_string, &fx_cel_string),
     .result = &fx_cel_list_string},
    {.function = "findAll",
     FX_CEL_METHOD(&fx_cel_string, &fx_cel_string, &fx_cel_int),
     .result = &fx_cel_list_string},
    {.function = NULL},
};
