/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/run.h - one evaluation: what functions get beside their arguments, and
 * how they make values and errors.
 */
#ifndef FX_LOCATION_CEL_RUN_H
#define FX_LOCATION_CEL_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "location/cel/value.h"

struct fx_regex;

/* The cost that one expression may have (spec/cel.md section 11). */
#define FX_CEL_COST_LIMIT UINT64_C(1000000)

/* The caller's storage. The caller sets the first members; fx_cel_eval() the others. */
struct fx_cel_run {
    struct fx_arena *arena; /* what expressions build lives here */
    /* One value for each variable of the environment, in its order. A value of kind
     * FX_CEL_UNSET is asked of `resolve` when the expression first reads it, and is then
     * stored here. */
    struct fx_cel_value *variables;
    /* Computes the value of the variable, or an error value. NULL: no variable is UNSET.
     */
    struct fx_cel_value (*resolve)(struct fx_cel_run *run, size_t variable);
    void *context;       /* of the caller, for `resolve` and for opaque values */
    uint64_t cost_limit; /* FX_CEL_COST_LIMIT, or what is left of a shared budget */

    uint64_t cost;               /* of the evaluation so far */
    struct fx_cel_value *locals; /* the variables of comprehensions, by their number */
    struct fx_err *err;          /* the reason of an error with FX_CEL_FATAL */
    /* Of the function that is being called: its argument that is a regular expression
     * (fx_cel_overload.regex_argument), compiled, if that is a constant; else NULL. */
    const struct fx_regex *regex;
};

/* An error value with this message; a fatal one (no memory) if it cannot be made. */
FX_PRINTF(2, 3)
struct fx_cel_value fx_cel_fail(struct fx_cel_run *run, const char *fmt, ...);

/* "no such overload", and with the name of the function or operator after it. */
struct fx_cel_value fx_cel_no_overload(void);
struct fx_cel_value fx_cel_no_overload_for(struct fx_cel_run *run, const char *function);

/* Fatal errors, which nothing absorbs: no memory; what is in `run->err` already; the
 * exceeded budget of the thread (base/budget.h). */
struct fx_cel_value fx_cel_no_memory(struct fx_cel_run *run);
struct fx_cel_value fx_cel_fatal(struct fx_cel_run *run);
struct fx_cel_value fx_cel_exceeded(struct fx_cel_run *run);

/* Where the original crashes: "internal error: <what>", which nothing absorbs. */
struct fx_cel_value fx_cel_fail_internal(struct fx_cel_run *run, const char *what);

/* Adds to the cost. False if the limit is exceeded: return fx_cel_over_cost(). */
static inline bool fx_cel_charge(struct fx_cel_run *run, uint64_t cost) {
    run->cost += cost;
    return run->cost <= run->cost_limit;
}
struct fx_cel_value fx_cel_over_cost(struct fx_cel_run *run);

/* ---- building values, in the run's arena ------------------------------------------ */

/* A string (bytes) with a copy of this text. */
struct fx_cel_value fx_cel_copy_string(struct fx_cel_run *run, struct fx_text text);
struct fx_cel_value fx_cel_copy_bytes(struct fx_cel_run *run, struct fx_text text);

/* A string of the buffer's bytes, which is finished; fatal if the buffer failed. */
struct fx_cel_value fx_cel_take_buf(struct fx_cel_run *run, struct fx_buf *buf);

/* An empty list with room for `cap` elements. */
struct fx_cel_value fx_cel_new_list(struct fx_cel_run *run, size_t cap);

/* Appends to a list made by the above. False without memory. */
bool fx_cel_list_add(struct fx_cel_run *run, struct fx_cel_value list,
                     struct fx_cel_value element) FX_MUST_USE;

/* An empty map with room for `cap` entries. */
struct fx_cel_value fx_cel_new_map(struct fx_cel_run *run, size_t cap);

/* Sets the entry of the key in a map made by the above; the same key of the same kind is
 * replaced. False without memory. */
bool fx_cel_map_set(struct fx_cel_run *run, struct fx_cel_value map,
                    struct fx_cel_value key, struct fx_cel_value value) FX_MUST_USE;

/* optional.of(value); optional.none(). */
struct fx_cel_value fx_cel_new_optional(struct fx_cel_run *run,
                                        struct fx_cel_value value);
struct fx_cel_value fx_cel_optional_none(void);

#endif
