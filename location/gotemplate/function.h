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
#include "location/gotemplate/gotemplate.h"
#include "location/gotemplate/run.h"
#include "location/gotemplate/value.h"

/* One call under way. */
struct call {
    const struct function *function;
    struct template_run *run; /* of the execution: its memory, steps and bounds (run.h) */
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

/* text/template's own functions; a table of functions ends with a NULL name. */
extern const struct function functions_builtin[];

/* Tables of functions, one for each family; NULL ends. A function of the library hides
 * one of text/template's of the same name (`slice`). */
struct fx_gotemplate_library {
    const struct function *const *families;
};

/* The function of that name, in the library (NULL: none) or text/template's own. Returns
 * NULL where there is none. */
const struct function *function_find(const struct fx_gotemplate_library *library,
                                     struct fx_text name);

/* The function at that index, of the library's and text/template's own; NULL behind the
 * last. */
const struct function *function_at(const struct fx_gotemplate_library *library,
                                   size_t index);

/* Pays for the call by the size of its arguments, which have the types of the parameters,
 * and calls the function, which is neither refused nor `and` nor `or`. */
bool function_call(struct template_run *run, const struct function *function,
                   const struct value *arguments, size_t n,
                   struct value *ret_value) FX_MUST_USE;

#endif
