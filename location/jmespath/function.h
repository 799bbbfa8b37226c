/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/function.h - how functions are added to the language: one row in a
 * table. There is one table of the functions of the JMESPath specification, and one of
 * each theme of Kyverno's functions (Kyverno spec section 8; functions.h).
 */
#ifndef FX_LOCATION_JMESPATH_FUNCTION_H
#define FX_LOCATION_JMESPATH_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Types of arguments. A parameter accepts the values of any of its bits. */
enum fx_jmespath_type {
    FX_JMESPATH_NULL = 1 << 0,
    FX_JMESPATH_BOOLEAN = 1 << 1,
    FX_JMESPATH_NUMBER = 1 << 2,
    FX_JMESPATH_STRING = 1 << 3,
    FX_JMESPATH_ARRAY = 1 << 4,
    FX_JMESPATH_OBJECT = 1 << 5,
    FX_JMESPATH_ANY = (1 << 6) - 1, /* any value, but no expression */
    /* Lists whose elements are all of one type. An empty list is both. */
    FX_JMESPATH_ARRAY_OF_STRING = 1 << 6,
    FX_JMESPATH_ARRAY_OF_NUMBER = 1 << 7,
    /* An expression `&name`, which the function evaluates itself. */
    FX_JMESPATH_EXPRESSION = 1 << 8,
};

#define FX_JMESPATH_MOST_PARAMETERS 5

struct fx_jmespath_run;
struct fx_jmespath_node;

/* One call. The number of the arguments and their types are those of the parameters. The
 * caller has spent (base/budget.h) for the call and for the bytes of each argument that
 * is a string; the function spends for everything else, such as elements of lists. */
struct fx_jmespath_call {
    json_t *const *args; /* borrowed; NULL in the place of an expression */
    size_t n_args;
    struct fx_arena *arena; /* scratch memory until the end of the evaluation */
    struct fx_jmespath_run *run;
    const struct fx_jmespath_node *expression; /* the argument `&name`, or NULL */
};

/* Evaluates the expression among the arguments on `subject`. Gives a new reference, which
 * is null for a missing key. Errors: those of the evaluation. */
bool fx_jmespath_call_expression(const struct fx_jmespath_call *call, json_t *subject,
                                 json_t **ret_value, struct fx_err *err) FX_MUST_USE;

struct fx_jmespath_parameter {
    unsigned types; /* sum of enum fx_jmespath_type; 0 ends the list */
    bool is_optional;
    bool is_variadic; /* the last parameter: one or more arguments */
};

struct fx_jmespath_function {
    const char *name;
    struct fx_jmespath_parameter parameters[FX_JMESPATH_MOST_PARAMETERS];
    bool is_random; /* the result differs from call to call: time and chance */
    /* Gives a new reference. Errors: FX_EINVALID with a message, to which the caller adds
     * the name of the function and its position; FX_ELIMIT; FX_EDEADLINE; FX_ENOMEM. */
    bool (*call)(const struct fx_jmespath_call *call, json_t **ret_value,
                 struct fx_err *err);
};

/* The table ends with a NULL name. */
extern const struct fx_jmespath_function fx_jmespath_standard_functions[];

/* Returns the function of that name, or NULL. */
const struct fx_jmespath_function *fx_jmespath_function_find(struct fx_text name);

/* Returns the function at `index` among those of all tables; NULL after the last one. */
const struct fx_jmespath_function *fx_jmespath_function_at(size_t index);

/* ---- results of functions ------------------------------------------------------------
 *
 * Each gives a new reference, and fails with FX_ENOMEM. */

/* The string of these bytes, which must be UTF-8. */
bool fx_jmespath_give_string(struct fx_text text, json_t **ret_value,
                             struct fx_err *err) FX_MUST_USE;

/* The string of a buffer, which is finished. Fails with FX_ELIMIT if the buffer failed at
 * its limit, which is FX_LIMIT_JMESPATH_TEXT_BYTES for all results. */
struct fx_buf;
bool fx_jmespath_give_buf(struct fx_buf *buf, json_t **ret_value,
                          struct fx_err *err) FX_MUST_USE;

/* The number: an integer if it is integral and exact, otherwise a real. Fails with
 * FX_EINVALID if it is not finite. */
bool fx_jmespath_give_number(double number, json_t **ret_value,
                             struct fx_err *err) FX_MUST_USE;

bool fx_jmespath_give_boolean(bool truth, json_t **ret_value, struct fx_err *err);

/* This value, which is consumed. Fails if it is NULL. */
bool fx_jmespath_give_take(json_t *value, json_t **ret_value,
                           struct fx_err *err) FX_MUST_USE;

#endif
