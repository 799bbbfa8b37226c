/* SPDX-License-Identifier: Apache-2.0
 *
 * operators.c - the table of operators (spec/cel.md section 7), in cel-go's order: with
 * arguments of free types the first overload that fits decides.
 *
 * operators.h says where they are implemented. `call` is NULL where the
 * evaluator has the operator itself, because it does not evaluate all operands, or
 * because the operand may be an error: `_&&_`, `_||_`, `_?_:_`, `@not_strictly_false`,
 * `_==_`, `_!=_`, `_[_]`, `_[?_]`, `_?._`. The last two hidden functions appear only in
 * the expansion of macros: `@not_strictly_false` in that of all and exists,
 * `cel.@mapInsert` in that of transformMap and transformMapEntry. That of sortBy
 * (`@sortByAssociatedKeys`) is in cel_library/lists.c.
 */
#include "location/cel/operators.h"

/* An overload of a global function with one, two or three arguments. */
#define UNARY(function_, a, result_, call_, cost_) \
    {                                              \
        .function = (function_),                   \
        .n_args = 1,                               \
        .args = {&(a)},                            \
        .result = &(result_),                      \
        .call = (call_),                           \
        .cost = (cost_),                           \
        .takes_all = true,                         \
    }
#define BINARY(function_, a, b, result_, call_, cost_) \
    {                                                  \
        .function = (function_),                       \
        .n_args = 2,                                   \
        .args = {&(a), &(b)},                          \
        .result = &(result_),                          \
        .call = (call_),                               \
        .cost = (cost_),                               \
        .takes_all = true,                             \
    }
#define TERNARY(function_, a, b, c, result_, call_, cost_) \
    {                                                      \
        .function = (function_),                           \
        .n_args = 3,                                       \
        .args = {&(a), &(b), &(c)},                        \
        .result = &(result_),                              \
        .call = (call_),                                   \
        .cost = (cost_),                                   \
    }

const struct fx_cel_overload fx_cel_operators[] = {
    /* logic */
    TERNARY("_?_:_", fx_cel_bool, fx_cel_t, fx_cel_t, fx_cel_t, NULL, NULL),
    BINARY("_&&_", fx_cel_bool, fx_cel_bool, fx_cel_bool, NULL, NULL),
    BINARY("_||_", fx_cel_bool, fx_cel_bool, fx_cel_bool, NULL, NULL),
    UNARY("!_", fx_cel_bool, fx_cel_bool, fx_cel_not, NULL),
    UNARY("@not_strictly_false", fx_cel_bool, fx_cel_bool, NULL, NULL),

    /* equality */
    BINARY("_==_", fx_cel_t, fx_cel_t, fx_cel_bool, NULL, NULL),
    BINARY("_!=_", fx_cel_t, fx_cel_t, fx_cel_bool, NULL, NULL),

    /* arithmetic */
    BINARY("_+_", fx_cel_bytes, fx_cel_bytes, fx_cel_bytes, fx_cel_add,
           fx_cel_cost_of_joining),
    BINARY("_+_", fx_cel_double, fx_cel_double, fx_cel_double, fx_cel_add, NULL),
    BINARY("_+_", fx_cel_duration, fx_cel_duration, fx_cel_duration, fx_cel_add, NULL),
    BINARY("_+_", fx_cel_duration, fx_cel_timestamp, fx_cel_timestamp, fx_cel_add, NULL),
    BINARY("_+_", fx_cel_timestamp, fx_cel_duration, fx_cel_timestamp, fx_cel_add, NULL),
    BINARY("_+_", fx_cel_int, fx_cel_int, fx_cel_int, fx_cel_add, NULL),
    BINARY("_+_", fx_cel_list_t, fx_cel_list_t, fx_cel_list_t, fx_cel_add, NULL),
    BINARY("_+_", fx_cel_string, fx_cel_string, fx_cel_string, fx_cel_add,
           fx_cel_cost_of_joining),
    BINARY("_+_", fx_cel_uint, fx_cel_uint, fx_cel_uint, fx_cel_add, NULL),
    BINARY("_/_", fx_cel_double, fx_cel_double, fx_cel_double, fx_cel_divide, NULL),
    BINARY("_/_", fx_cel_int, fx_cel_int, fx_cel_int, fx_cel_divide, NULL),
    BINARY("_/_", fx_cel_uint, fx_cel_uint, fx_cel_uint, fx_cel_divide, NULL),
    BINARY("_*_", fx_cel_double, fx_cel_double, fx_cel_double, fx_cel_multiply, NULL),
    BINARY("_*_", fx_cel_int, fx_cel_int, fx_cel_int, fx_cel_multiply, NULL),
    BINARY("_*_", fx_cel_uint, fx_cel_uint, fx_cel_uint, fx_cel_multiply, NULL),
    BINARY("_%_", fx_cel_int, fx_cel_int, fx_cel_int, fx_cel_modulo, NULL),
    BINARY("_%_", fx_cel_uint, fx_cel_uint, fx_cel_uint, fx_cel_modulo, NULL),
    UNARY("-_", fx_cel_double, fx_cel_double, fx_cel_negate, NULL),
    UNARY("-_", fx_cel_int, fx_cel_int, fx_cel_negate, NULL),
    BINARY("_-_", fx_cel_double, fx_cel_double, fx_cel_double, fx_cel_subtract, NULL),
    BINARY("_-_", fx_cel_duration, fx_cel_duration, fx_cel_duration, fx_cel_subtract,
           NULL),
    BINARY("_-_", fx_cel_int, fx_cel_int, fx_cel_int, fx_cel_subtract, NULL),
    BINARY("_-_", fx_cel_timestamp, fx_cel_duration, fx_cel_timestamp, fx_cel_subtract,
           NULL),
    BINARY("_-_", fx_cel_timestamp, fx_cel_timestamp, fx_cel_duration, fx_cel_subtract,
           NULL),
    BINARY("_-_", fx_cel_uint, fx_cel_uint, fx_cel_uint, fx_cel_subtract, NULL),

    /* order */
    BINARY("_<_", fx_cel_bool, fx_cel_bool, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<_", fx_cel_int, fx_cel_int, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<_", fx_cel_int, fx_cel_double, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<_", fx_cel_int, fx_cel_uint, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<_", fx_cel_uint, fx_cel_uint, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<_", fx_cel_uint, fx_cel_double, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<_", fx_cel_uint, fx_cel_int, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<_", fx_cel_double, fx_cel_double, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<_", fx_cel_double, fx_cel_int, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<_", fx_cel_double, fx_cel_uint, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<_", fx_cel_string, fx_cel_string, fx_cel_bool, fx_cel_less,
           fx_cel_cost_of_equality),
    BINARY("_<_", fx_cel_bytes, fx_cel_bytes, fx_cel_bool, fx_cel_less,
           fx_cel_cost_of_equality),
    BINARY("_<_", fx_cel_timestamp, fx_cel_timestamp, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<_", fx_cel_duration, fx_cel_duration, fx_cel_bool, fx_cel_less, NULL),
    BINARY("_<=_", fx_cel_bool, fx_cel_bool, fx_cel_bool, fx_cel_less_equal, NULL),
    BINARY("_<=_", fx_cel_int, fx_cel_int, fx_cel_bool, fx_cel_less_equal, NULL),
    BINARY("_<=_", fx_cel_int, fx_cel_double, fx_cel_bool, fx_cel_less_equal, NULL),
    BINARY("_<=_", fx_cel_int, fx_cel_uint, fx_cel_bool, fx_cel_less_equal, NULL),
    BINARY("_<=_", fx_cel_uint, fx_cel_uint, fx_cel_bool, fx_cel_less_equal, NULL),
    BINARY("_<=_", fx_cel_uint, fx_cel_double, fx_cel_bool, fx_cel_less_equal, NULL),
    BINARY("_<=_", fx_cel_uint, fx_cel_int, fx_cel_bool, fx_cel_less_equal, NULL),
    BINARY("_<=_", fx_cel_double, fx_cel_double, fx_cel_bool, fx_cel_less_equal, NULL),
    BINARY("_<=_", fx_cel_double, fx_cel_int, fx_cel_bool, fx_cel_less_equal, NULL),
    BINARY("_<=_", fx_cel_double, fx_cel_uint, fx_cel_bool, fx_cel_less_equal, NULL),
    BINARY("_<=_", fx_cel_string, fx_cel_string, fx_cel_bool, fx_cel_less_equal,
           fx_cel_cost_of_equality),
    BINARY("_<=_", fx_cel_bytes, fx_cel_bytes, fx_cel_bool, fx_cel_less_equal,
           fx_cel_cost_of_equality),
    BINARY("_<=_", fx_cel_timestamp, fx_cel_timestamp, fx_cel_bool, fx_cel_less_equal,
           NULL),
    BINARY("_<=_", fx_cel_duration, fx_cel_duration, fx_cel_bool, fx_cel_less_equal,
           NULL),
    BINARY("_>_", fx_cel_bool, fx_cel_bool, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>_", fx_cel_int, fx_cel_int, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>_", fx_cel_int, fx_cel_double, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>_", fx_cel_int, fx_cel_uint, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>_", fx_cel_uint, fx_cel_uint, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>_", fx_cel_uint, fx_cel_double, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>_", fx_cel_uint, fx_cel_int, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>_", fx_cel_double, fx_cel_double, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>_", fx_cel_double, fx_cel_int, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>_", fx_cel_double, fx_cel_uint, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>_", fx_cel_string, fx_cel_string, fx_cel_bool, fx_cel_greater,
           fx_cel_cost_of_equality),
    BINARY("_>_", fx_cel_bytes, fx_cel_bytes, fx_cel_bool, fx_cel_greater,
           fx_cel_cost_of_equality),
    BINARY("_>_", fx_cel_timestamp, fx_cel_timestamp, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>_", fx_cel_duration, fx_cel_duration, fx_cel_bool, fx_cel_greater, NULL),
    BINARY("_>=_", fx_cel_bool, fx_cel_bool, fx_cel_bool, fx_cel_greater_equal, NULL),
    BINARY("_>=_", fx_cel_int, fx_cel_int, fx_cel_bool, fx_cel_greater_equal, NULL),
    BINARY("_>=_", fx_cel_int, fx_cel_double, fx_cel_bool, fx_cel_greater_equal, NULL),
    BINARY("_>=_", fx_cel_int, fx_cel_uint, fx_cel_bool, fx_cel_greater_equal, NULL),
    BINARY("_>=_", fx_cel_uint, fx_cel_uint, fx_cel_bool, fx_cel_greater_equal, NULL),
    BINARY("_>=_", fx_cel_uint, fx_cel_double, fx_cel_bool, fx_cel_greater_equal, NULL),
    BINARY("_>=_", fx_cel_uint, fx_cel_int, fx_cel_bool, fx_cel_greater_equal, NULL),
    BINARY("_>=_", fx_cel_double, fx_cel_double, fx_cel_bool, fx_cel_greater_equal, NULL),
    BINARY("_>=_", fx_cel_double, fx_cel_int, fx_cel_bool, fx_cel_greater_equal, NULL),
    BINARY("_>=_", fx_cel_double, fx_cel_uint, fx_cel_bool, fx_cel_greater_equal, NULL),
    BINARY("_>=_", fx_cel_string, fx_cel_string, fx_cel_bool, fx_cel_greater_equal,
           fx_cel_cost_of_equality),
    BINARY("_>=_", fx_cel_bytes, fx_cel_bytes, fx_cel_bool, fx_cel_greater_equal,
           fx_cel_cost_of_equality),
    BINARY("_>=_", fx_cel_timestamp, fx_cel_timestamp, fx_cel_bool, fx_cel_greater_equal,
           NULL),
    BINARY("_>=_", fx_cel_duration, fx_cel_duration, fx_cel_bool, fx_cel_greater_equal,
           NULL),

    /* lists and maps */
    BINARY("@in", fx_cel_t, fx_cel_list_t, fx_cel_bool, fx_cel_in,
           fx_cel_cost_of_in_list),
    BINARY("@in", fx_cel_k, fx_cel_map_kv, fx_cel_bool, fx_cel_in, NULL),
    BINARY("_[_]", fx_cel_list_t, fx_cel_int, fx_cel_t, NULL, NULL),
    BINARY("_[_]", fx_cel_map_kv, fx_cel_k, fx_cel_v, NULL, NULL),
    BINARY("_[_]", fx_cel_optional_list_t, fx_cel_int, fx_cel_optional_t, NULL, NULL),
    BINARY("_[_]", fx_cel_optional_map_kv, fx_cel_k, fx_cel_optional_v, NULL, NULL),
    BINARY("_[?_]", fx_cel_list_t, fx_cel_int, fx_cel_optional_t, NULL, NULL),
    BINARY("_[?_]", fx_cel_optional_list_t, fx_cel_int, fx_cel_optional_t, NULL, NULL),
    BINARY("_[?_]", fx_cel_map_kv, fx_cel_k, fx_cel_optional_v, NULL, NULL),
    BINARY("_[?_]", fx_cel_optional_map_kv, fx_cel_k, fx_cel_optional_v, NULL, NULL),
    BINARY("_?._", fx_cel_dyn, fx_cel_string, fx_cel_optional_v, NULL, NULL),

    /* of macros */
    BINARY("cel.@mapInsert", fx_cel_map_kv, fx_cel_map_kv, fx_cel_map_kv,
           fx_cel_insert_entries, NULL),
    TERNARY("cel.@mapInsert", fx_cel_map_kv, fx_cel_k, fx_cel_v, fx_cel_map_kv,
            fx_cel_insert_entry, NULL),

    {.function = NULL},
};
