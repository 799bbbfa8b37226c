/* SPDX-License-Identifier: Apache-2.0
 *
 * lists.c - the functions of lists (spec/cel.md section 7).
 */
#include "location/cel_library/library.h"

/* A row for each type of elements that can be ordered. */
#define FOR_ORDERED(X) \
    X(int), X(uint), X(double), X(bool), X(duration), X(timestamp), X(string), X(bytes)

#define IS_SORTED(type) \
    {.function = "isSorted", FX_CEL_METHOD(&fx_cel_list_##type), .result = &fx_cel_bool}
#define SUM(type) \
    {.function = "sum", FX_CEL_METHOD(&fx_cel_list_##type), .result = &fx_cel_##type}
#define LEAST(type) \
    {.function = "min", FX_CEL_METHOD(&fx_cel_list_##type), .result = &fx_cel_##type}
#define GREATEST(type) \
    {.function = "max", FX_CEL_METHOD(&fx_cel_list_##type), .result = &fx_cel_##type}
#define SORT(type)                       \
    {.function = "sort",                 \
     FX_CEL_METHOD(&fx_cel_list_##type), \
     .result = &fx_cel_list_##type}
#define SORT_BY_KEYS(type)                               \
    {.function = "@sortByAssociatedKeys",                \
     FX_CEL_METHOD(&fx_cel_list_t, &fx_cel_list_##type), \
     .result = &fx_cel_list_t}

const struct fx_cel_overload fx_cel_lists[] = {
    FOR_ORDERED(IS_SORTED),
    SUM(int),
    SUM(uint),
    SUM(double),
    SUM(duration),
    FOR_ORDERED(LEAST),
    FOR_ORDERED(GREATEST),
    {.function = "indexOf",
     FX_CEL_METHOD(&fx_cel_list_t, &fx_cel_t),
     .result = &fx_cel_int},
    {.function = "lastIndexOf",
     FX_CEL_METHOD(&fx_cel_list_t, &fx_cel_t),
     .result = &fx_cel_int},
    {.function = "slice",
     FX_CEL_METHOD(&fx_cel_list_t, &fx_cel_int, &fx_cel_int),
     .result = &fx_cel_list_t},
    {.function = "flatten", FX_CEL_METHOD(&fx_cel_list_list_t), .result = &fx_cel_list_t},
    {.function = "flatten",
     FX_CEL_METHOD(&fx_cel_list_dyn, &fx_cel_int),
     .result = &fx_cel_list_dyn},
    FOR_ORDERED(SORT),
    FOR_ORDERED(SORT_BY_KEYS),
    {.function = "lists.range", FX_CEL_FUNCTION(&fx_cel_int), .result = &fx_cel_list_int},
    {.function = "reverse", FX_CEL_METHOD(&fx_cel_list_t), .result = &fx_cel_list_t},
    {.function = "distinct", FX_CEL_METHOD(&fx_cel_list_t), .result = &fx_cel_list_t},
    {.function = "first", FX_CEL_METHOD(&fx_cel_list_t), .result = &fx_cel_optional_t},
    {.function = "last", FX_CEL_METHOD(&fx_cel_list_t), .result = &fx_cel_optional_t},
    {.function = NULL},
};
