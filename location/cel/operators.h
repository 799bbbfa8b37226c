/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/operators.h - private to the room: what the operators do and cost. Each
 * takes values of any kinds that are no errors; spec/cel.md section 8, "Run texts", says
 * which error has which form.
 */
#ifndef FX_LOCATION_CEL_OPERATORS_H
#define FX_LOCATION_CEL_OPERATORS_H

#include "location/cel/function.h"

/* "no such overload" with the name of the operator if the left value has no such
 * operation at all (`has_it` false), and without it else, or if the left value is a
 * string, timestamp or duration. */
struct fx_cel_value fx_cel_operator_unfit(struct fx_cel_run *run,
                                          struct fx_cel_value left, bool has_it,
                                          const char *name);

/* arithmetic.c, concatenate.c, moments.c */
fx_cel_call fx_cel_add, fx_cel_subtract, fx_cel_multiply, fx_cel_divide, fx_cel_modulo,
    fx_cel_negate, fx_cel_not;
fx_cel_call fx_cel_concatenate; /* two strings, bytes or lists, of one kind */
fx_cel_call fx_cel_add_times, fx_cel_subtract_times; /* the left one is a time */
struct fx_cel_value fx_cel_int_overflow(void);

/* relations.c */
fx_cel_call fx_cel_less, fx_cel_less_equal, fx_cel_greater, fx_cel_greater_equal,
    fx_cel_in;

/* `a == b`: a bool, or an error where one of the values is opaque. */
struct fx_cel_value fx_cel_equals(struct fx_cel_value a, struct fx_cel_value b);

/* inserts.c: of a map with a map, or with a key and a value. The first one is the
 * accumulator of a macro, which nothing else refers to: it is changed in place. */
fx_cel_call fx_cel_insert_entries, fx_cel_insert_entry;

/* operator_costs.c */
fx_cel_call_cost fx_cel_cost_of_equality, fx_cel_cost_of_joining, fx_cel_cost_of_in_list;

#endif
