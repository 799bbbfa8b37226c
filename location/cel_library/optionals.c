/* SPDX-License-Identifier: Apache-2.0
 *
 * optionals.c - optional values (spec/cel.md sections 4 and 7). The evaluator has `or`
 * and `orValue` itself, because they evaluate their argument only if they need it.
 */
#include "location/cel_library/library.h"

const struct fx_cel_overload fx_cel_optionals[] = {
    {.function = "optional.of", FX_CEL_FUNCTION(&fx_cel_v), .result = &fx_cel_optional_v},
    {.function = "optional.ofNonZeroValue",
     FX_CEL_FUNCTION(&fx_cel_v),
     .result = &fx_cel_optional_v},
    {.function = "optional.none", .result = &fx_cel_optional_v},
    {.function = "value", FX_CEL_METHOD(&fx_cel_optional_v), .result = &fx_cel_v},
    {.function = "hasValue", FX_CEL_METHOD(&fx_cel_optional_v), .result = &fx_cel_bool},
    {.function = "or",
     FX_CEL_METHOD(&fx_cel_optional_v, &fx_cel_optional_v),
     .result = &fx_cel_optional_v},
    {.function = "orValue",
     FX_CEL_METHOD(&fx_cel_optional_v, &fx_cel_v),
     .result = &fx_cel_v},
    {.function = "optional.unwrap",
     FX_CEL_FUNCTION(&fx_cel_list_optional_t),
     .result = &fx_cel_list_t},
    {.function = "unwrapOpt",
     FX_CEL_METHOD(&fx_cel_list_optional_t),
     .result = &fx_cel_list_t},
    {.function = NULL},
};
