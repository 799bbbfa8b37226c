/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/function.h - the functions of a library: for each overload its types, for
 * the checker, and what it does and costs (spec/cel.md sections 7 and 11).
 */
#ifndef FX_LOCATION_CEL_FUNCTION_H
#define FX_LOCATION_CEL_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "location/cel/run.h"
#include "location/cel/type.h"
#include "location/cel/value.h"

struct fx_cel_faults;
struct fx_cel_node;

#define FX_CEL_MOST_ARGUMENTS 5u /* of a function, with the receiver */

/* Calls the function with the arguments, of which none is an error; the receiver is the
 * first. Their kinds fit the overload. Returns the result or an error value. */
typedef struct fx_cel_value fx_cel_call(struct fx_cel_run *run,
                                        const struct fx_cel_value *args);

/* The cost of a call that has been made; arguments, and the result, may be error values.
 * (cost.h has what formulas share.) */
typedef uint64_t fx_cel_call_cost(const struct fx_cel_value *args,
                                  struct fx_cel_value result);

/* Checks a call, whose types are right, for literal arguments that are invalid (the
 * verbs of format()): adds faults. The checker calls it if nothing else is wrong. */
typedef void fx_cel_call_check(const struct fx_cel_node *call,
                               struct fx_cel_faults *faults);

struct fx_cel_overload {
    const char *function; /* "contains", "lists.range"; operators: "_+_", "@in", "!_" */
    const struct fx_cel_type *args[FX_CEL_MOST_ARGUMENTS];
    const struct fx_cel_type *result;
    /* NULL: the evaluator has the operator itself (&&, ||, ?:, index, …). */
    fx_cel_call *call;
    fx_cel_call_cost *cost; /* NULL: 1 */
    /* A call that the checker left several overloads costs 1, but what `open_cost` says
     * if it is not NULL, and what `cost` says if `always_costs`. */
    fx_cel_call_cost *open_cost;
    fx_cel_call_check *check; /* NULL: nothing more is checked */
    bool is_member;           /* called as receiver.function(…) */
    uint8_t n_args;           /* with the receiver */
    /* The number of the argument, from 1 and with the receiver, that is a regular
     * expression; 0: none is. A constant one is compiled with the program; the function
     * then finds it in `run->regex`. */
    uint8_t regex_argument;
    bool always_costs; /* the formula of `cost` is that of the function */
    /* Constant arguments are folded into the result when a program is compiled (section
     * 11: the conversions). */
    bool folds;
    /* One implementation for all overloads of the function: it is called with arguments
     * of any kinds, and reports those that do not fit itself ("no such overload" without
     * types: size, matches, contains, the operators). Else arguments that fit no overload
     * are the error "no such overload: name(types)". */
    bool takes_all;
    /* The original crashes if the first argument is an error, and the evaluation ends. */
    bool ends_on_error;
};

/* The arguments of an overload, in the initializer of its row: of a method, whose first
 * argument is the receiver, and of a global function. */
#define FX_CEL_METHOD(...) \
    .is_member = true, .n_args = FX_CEL_COUNT_TYPES(__VA_ARGS__), .args = {__VA_ARGS__}
#define FX_CEL_FUNCTION(...) \
    .n_args = FX_CEL_COUNT_TYPES(__VA_ARGS__), .args = {__VA_ARGS__}
#define FX_CEL_COUNT_TYPES(...) \
    (sizeof((const struct fx_cel_type *[]){__VA_ARGS__}) / sizeof(struct fx_cel_type *))

/* A library: its overloads; `function` NULL ends. Overloads of one function may be in
 * several libraries. */
extern const struct fx_cel_overload fx_cel_operators[]; /* operators.c */
extern const struct fx_cel_overload fx_cel_standard[];  /* standard.c */

#endif
