/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/function.h - how functions are added to the language: one row in
 * a table, one table in a library (location/sprig).
 */
#ifndef FX_LOCATION_GOTEMPLATE_FUNCTION_H
#define FX_LOCATION_GOTEMPLATE_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "location/gotemplate/gotemplate.h"
#include "location/gotemplate/run.h"
#include "location/gotemplate/value.h"

/* A call of a function. */
struct template_call {
    const struct function *function;
    struct template_run *run; /* the execution's memory and limits (run.h) */
    struct fx_arena *arena;   /* &run->arena; run_alloc() also sets the error */
    const struct value *arguments;
    size_t n_arguments;
    struct value *ret;  /* the result */
    struct fx_err *err; /* run->err */
};

/* The type of a parameter in Go's function. The interpreter checks and converts arguments
 * before the call, so that an argument has the kind of its parameter. A number literal
 * gets the type of the parameter. Other numbers are not converted: a float64 of the
 * document for an int, or an int for an int64, is an execution error. MISSING becomes NIL
 * for ANY, and a nil (empty) map or list for MAP and LIST; for others it is an error. */
enum parameter {
    PARAMETER_ANY,   /* interface{} */
    PARAMETER_VALUE, /* reflect.Value: as ANY, but MISSING does not become NIL */
    PARAMETER_STRING,
    PARAMETER_INT,
    PARAMETER_INT64,
    PARAMETER_FLOAT64,
    PARAMETER_BOOL,
    PARAMETER_MAP,  /* map[string]interface{} */
    PARAMETER_LIST, /* []interface{} */
    PARAMETER_TIME, /* time.Time */
    PARAMETER_NONE, /* ends the list */
};

#define MOST_PARAMETERS 5

/* The bytes of text, list elements or map entries that one `price` pays for. */
#define FUNCTION_SIZE_OF_PRICE 16

struct function {
    const char *name;
    /* Computes *call->ret. Errors: FX_EMUTATE with Go's message (without text/template's
     * "error calling x:"), FX_ELIMIT, FX_ENOMEM. NULL for a refused function, and for
     * `and` and `or`, which the interpreter evaluates. `price` has already paid for work
     * that is linear in the size of the arguments. */
    bool (*call)(struct template_call *call);
    /* The parameters. If `variadic` is set, the last one repeats, zero or more times. */
    enum parameter parameters[MOST_PARAMETERS + 1];
    bool variadic;
    unsigned price; /* budget units for each FUNCTION_SIZE_OF_PRICE bytes and elements of
                       the arguments; 0 means one */
    const char *refused; /* the reason why templates must not use it, or NULL */
    int variant;         /* selects one of several functions with the same `call` */
};

/* text/template's own functions. Every table of functions ends with a NULL name. */
extern const struct function functions_builtin[];

/* Tables of functions; a NULL ends the list. A function of a library hides
 * text/template's function of the same name (`slice`). */
struct fx_gotemplate_library {
    const struct function *const *families;
};

/* Returns the function of that name in `library` (may be NULL) or of text/template's
 * own, or NULL. */
const struct function *function_find(const struct fx_gotemplate_library *library,
                                     struct fx_text name);

/* Returns the function at `index` among those of `library` and text/template's own; NULL
 * after the last one. */
const struct function *function_at(const struct fx_gotemplate_library *library,
                                   size_t index);

/* Charges the call to the budget by the size of its arguments, then calls the function.
 * The arguments must have the types of the parameters. The function must not be a refused
 * one, `and` or `or`. */
bool function_call(struct template_run *run, const struct function *function,
                   const struct value *arguments, size_t n,
                   struct value *ret_value) FX_MUST_USE;

#endif
