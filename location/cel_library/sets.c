/* SPDX-License-Identifier: Apache-2.0
 *
 * sets.c - lists as sets (spec/cel.md section 7): quadratic, as their cost says.
 */
#include "location/cel_library/library.h"

const struct fx_cel_overload fx_cel_sets[] = {
    {.function = "sets.contains",
     FX_CEL_FUNCTION(&fx_cel_list_t, &fx_cel_list_t),
     .result = &fx_cel_bool},
    {.function = "sets.equivalent",
     FX_CEL_FUNCTION(&fx_cel_list_t, &fx_cel_list_t),
     .result = &fx_cel_bool},
    {.function = "sets.intersects",
     FX_CEL_FUNCTION(&fx_cel_list_t, &fx_cel_list_t),
     .result = &fx_cel_bool},
    {.function = NULL},
};
