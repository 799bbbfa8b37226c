/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/function.h - private: how a function joins the language: one row in
 * the table of its family (functions_strings.c, functions_lists.c, …), one family in
 * functions.c.
 */
#ifndef FX_LOCATION_GOTEMPLATE_FUNCTION_H
#define FX_LOCATION_GOTEMPLATE_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "location/gotemplate/run.h"
#include "location/gotemplate/value.h"

/* One call under way. */
struct call {
    const struct function *function;
    struct run *run; /* of the execution: its memory, steps and bounds (run.h) */
    struct fx_arena
        *arena; /* &run->arena; rather take run_alloc(), which tells why not */
    const struct value *arguments;
    size_t n_arguments;
    struct value *ret;  /* where the result goes */
    struct fx_err *err; /* of the run */
};

/* The type of a parameter, as Go's function has it. The interpreter checks and converts
 * before it calls, so that an argument has the kind VALUE_INT, _INT64, _FLOAT64, … that
 * belongs to its parameter: a number literal fits as needed; a float64 of the document
 * fits no int (an execution error, templates spec). Nor does an int an int64. MISSING
 * fits ANY (as NIL), MAP and LIST (as nil ones: empty), else it is an error. */
enum parameter {
    PARAMETER_ANY,   /* interface{} */
    PARAMETER_VALUE, /* reflect.Value: as ANY, but MISSING stays what it is */
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

/* What a call pays for by the function's price: bytes of texts, elements, entries. */
#define FUNCTION_SIZE_OF_PRICE 16

struct function {
    const char *name;
    /* Computes *call->ret; false with FX_EMUTATE and the words of Go's error (without
     * text/template's "error calling x:" in front), or FX_ELIMIT, FX_ENOMEM. NULL where
     * `refused`, and of `and` and `or`, which the interpreter decides itself. The call
     * has paid, by `price`, for work linear in the size of its arguments. */
    bool (*call)(struct call *call);
    /* The fixed parameters; the last one repeats any number of times (also none) where
     * `variadic`. */
    enum parameter parameters[MOST_PARAMETERS + 1];
    bool variadic;
    unsigned price;      /* units of the budget for each FUNCTION_SIZE_OF_PRICE bytes and
                          * elements of the arguments; 0: one */
    const char *refused; /* why it may not be used, or NULL */
};

/* One family: ends with a NULL name. */
extern const struct function functions_builtin[];  /* text/template's own */
extern const struct function functions_strings[];  /* Sprig's, by their sections … */
extern const struct function functions_numbers[];  /* integers, floats */
extern const struct function functions_defaults[]; /* defaults, reflection, flow, JSON */
extern const struct function functions_lists[];
extern const struct function functions_dicts[];
extern const struct function functions_dates[];
extern const struct function functions_regex[];
extern const struct function
    functions_encoding[]; /* base32, base64, hashes, urls, paths */
extern const struct function functions_semver[];
extern const struct function functions_refused[]; /* crypto, random, network, clock */

/* The function of that name; NULL: there is none. */
const struct function *function_find(struct fx_text name);

/* All of them, one after the other; NULL behind the last. */
const struct function *function_at(size_t index);

/* Pays for the call by the size of its arguments, which have the types of the parameters,
 * and calls the function, which is neither refused nor `and` nor `or`. */
bool function_call(struct run *run, const struct function *function,
                   const struct value *arguments, size_t n,
                   struct value *ret_value) FX_MUST_USE;

#endif
