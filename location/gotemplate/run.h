/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/run.h - the memory and the limits of one execution.
 *
 * A function here that returns false or NULL has set run->err: FX_ELIMIT over a limit,
 * FX_EDEADLINE, or FX_ENOMEM.
 */
#ifndef FX_LOCATION_GOTEMPLATE_RUN_H
#define FX_LOCATION_GOTEMPLATE_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/value.h"

struct template_run {
    struct fx_arena arena;
    struct fx_bound outer; /* the bound of the thread's budget before this execution */
    struct fx_buf scratch;
    /* Data that functions keep for later calls within this execution, or NULL, and the
     * function that frees it at the end. */
    void *kept;
    void (*free_kept)(void *kept);
    struct fx_err *err;
};

/* Starts an execution whose first memory is `block`. Until run_finish() it may spend
 * FX_LIMIT_TEMPLATE_STEPS units of the thread's budget (base/budget.h). */
void run_init(struct template_run *run, void *block, size_t bytes, struct fx_err *err);
void run_finish(struct template_run *run);

/* Returns zeroed memory that lives as long as the execution. */
void *run_alloc(struct template_run *run, size_t bytes) FX_MUST_USE;

/* Makes room for one more item in a full array of the arena: see fx_arena_grown(). */
bool run_grow(struct template_run *run, void *items, size_t *cap,
              size_t size) FX_MUST_USE;

/* Copies the text into the arena. */
bool run_copy(struct template_run *run, struct fx_text text,
              struct fx_text *ret_copy) FX_MUST_USE;

/* Spends budget units for work beyond what a call pays by the size of its arguments:
 * loops over other data, recursion into values. */
bool run_fail_exceeded(struct template_run *run);

FX_MUST_USE static inline bool run_spend(struct template_run *run, size_t units) {
    return fx_spend(units) || run_fail_exceeded(run);
}

/* Spends one unit for every RUN_BYTES_COPIED bytes that are copied or compared. */
#define RUN_BYTES_COPIED 512u

FX_MUST_USE static inline bool run_spend_copy(struct template_run *run, size_t bytes) {
    return run_spend(run, bytes / RUN_BYTES_COPIED);
}

/* Spends units for sorting n items, each of which is compared log2(n) times; `bytes` is
 * the total size of the keys. */
bool run_spend_sort(struct template_run *run, size_t n, size_t bytes) FX_MUST_USE;

/* Checks the depth of a recursion into a value. Maps can contain themselves and lists
 * can be nested without limit, so every recursion calls this at each level. */
bool run_check_depth(struct template_run *run, size_t depth) FX_MUST_USE;

/* Returns an empty buffer, with a limit, in which a function builds its result. There
 * is only one: the next call empties it. */
struct fx_buf *run_scratch(struct template_run *run);

/* Copies the content of the scratch buffer to the arena, as a string. */
bool run_take_scratch(struct template_run *run, struct value *ret_value) FX_MUST_USE;

/* Sets the error for a buffer with a limit that failed. Always false. */
bool run_fail_buf(struct template_run *run, const struct fx_buf *buf);

#endif
