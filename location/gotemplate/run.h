/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/run.h - private: one execution: its memory, its bounds.
 *
 * Whatever says false or NULL here has filled run->err: FX_ELIMIT over a bound,
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
    struct fx_bound outer; /* of the thread's budget, before this execution */
    struct fx_buf scratch;
    /* What functions keep for later calls of this execution (NULL: nothing), and how it
     * is freed at the end. */
    void *kept;
    void (*free_kept)(void *kept);
    struct fx_err *err;
};

/* Until it is finished, the run may spend FX_LIMIT_TEMPLATE_STEPS units of the thread's
 * budget (base/budget.h). */
void run_init(struct template_run *run, void *block, size_t bytes, struct fx_err *err);
void run_finish(struct template_run *run);

/* Zeroed bytes of the arena. */
void *run_alloc(struct template_run *run, size_t bytes) FX_MUST_USE;

/* Room for one more in an array of the arena that is full: see fx_arena_grown(). */
bool run_grow(struct template_run *run, void *items, size_t *cap,
              size_t size) FX_MUST_USE;

/* A copy in the arena. */
bool run_copy(struct template_run *run, struct fx_text text,
              struct fx_text *ret_copy) FX_MUST_USE;

/* Pays, in units of the budget, for work beyond what a call costs by the size of its
 * arguments: loops over what is not an argument, recursion into values. */
bool run_fail_exceeded(struct template_run *run);

FX_MUST_USE static inline bool run_spend(struct template_run *run, size_t units) {
    return fx_spend(units) || run_fail_exceeded(run);
}

/* The same for bytes that are copied or compared: RUN_BYTES_COPIED for a unit. */
#define RUN_BYTES_COPIED 512u

FX_MUST_USE static inline bool run_spend_copy(struct template_run *run, size_t bytes) {
    return run_spend(run, bytes / RUN_BYTES_COPIED);
}

/* And for sorting n things: each is compared as often as n can be halved. `bytes`: of all
 * that is compared, together. */
bool run_spend_sort(struct template_run *run, size_t n, size_t bytes) FX_MUST_USE;

/* A depth of recursion into a value: maps can hold themselves, lists can be nested at
 * will. Every walk into values asks at each level. */
bool run_check_depth(struct template_run *run, size_t depth) FX_MUST_USE;

/* An empty, bounded buffer for a function to build its text in. There is one: whoever
 * calls again begins anew. */
struct fx_buf *run_scratch(struct template_run *run);

/* What is in it, as a string in the arena. */
bool run_take_scratch(struct template_run *run, struct value *ret_value) FX_MUST_USE;

/* Tells why the buffer, one with a bound, failed. Always false. */
bool run_fail_buf(struct template_run *run, const struct fx_buf *buf);

#endif
