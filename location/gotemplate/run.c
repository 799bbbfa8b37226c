/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/run.c - the memory and the limits of one execution.
 */
#include "location/gotemplate/run.h"

#include <string.h>

#include "base/limits.h"
#include "base/vec.h"

void run_init(struct template_run *run, void *block, size_t bytes, struct fx_err *err) {
    *run = (struct template_run){.outer = fx_budget_narrow(FX_LIMIT_TEMPLATE_STEPS, 0),
                                 .err = err};
    fx_arena_init_within(&run->arena, FX_LIMIT_TEMPLATE_BYTES, block, bytes);
    fx_buf_init(&run->scratch, FX_LIMIT_TEMPLATE_OUTPUT_BYTES);
}

void run_finish(struct template_run *run) {
    if (run->kept != NULL) {
        run->free_kept(run->kept);
    }
    fx_arena_finish(&run->arena);
    fx_buf_finish(&run->scratch);
    (void)fx_budget_widen(run->outer);
}

static bool fail_alloc(struct template_run *run, size_t bytes) {
    if (bytes <= run->arena.max - run->arena.total) {
        return fx_fail_nomem(run->err);
    }
    return fx_fail(run->err, FX_ELIMIT, "template needs more than %u bytes of memory",
                   FX_LIMIT_TEMPLATE_BYTES);
}

void *run_alloc(struct template_run *run, size_t bytes) {
    void *piece = fx_arena_alloc(&run->arena, bytes);
    if (piece == NULL) {
        (void)fail_alloc(run, bytes);
    }
    return piece;
}

bool run_grow(struct template_run *run, void *items, size_t *cap, size_t size) {
    return fx_arena_grown(&run->arena, items, cap, size) ||
           fail_alloc(run, fx_vec_bigger(*cap) * size);
}

bool run_copy(struct template_run *run, struct fx_text text, struct fx_text *ret_copy) {
    char *copy = run_alloc(run, text.len + 1);
    if (copy == NULL) {
        return false;
    }
    if (text.len > 0) {
        memcpy(copy, text.data, text.len);
    }
    *ret_copy = (struct fx_text){copy, text.len};
    return true;
}

bool run_fail_exceeded(struct template_run *run) {
    if (fx_budget_exceeded() == FX_EXCEEDED_TIME ||
        fx_thread_budget.bound.units == run->outer.units) {
        return fx_fail_exceeded(run->err);
    }
    return fx_fail(run->err, FX_ELIMIT, "template takes more than %u steps",
                   FX_LIMIT_TEMPLATE_STEPS);
}

bool run_spend_sort(struct template_run *run, size_t n, size_t bytes) {
    size_t halves = 1;
    for (size_t left = n; left > 1; left /= 2) {
        halves++;
    }
    return run_spend(run, (n + bytes / RUN_BYTES_COPIED) * halves / 4);
}

bool run_check_depth(struct template_run *run, size_t depth) {
    return depth <= FX_LIMIT_TEMPLATE_VALUE_DEPTH ||
           fx_fail(run->err, FX_ELIMIT,
                   "value is nested deeper than %u levels, or holds itself",
                   FX_LIMIT_TEMPLATE_VALUE_DEPTH);
}

struct fx_buf *run_scratch(struct template_run *run) {
    fx_buf_reset(&run->scratch);
    return &run->scratch;
}

bool run_take_scratch(struct template_run *run, struct value *ret_value) {
    const struct fx_buf *buf = &run->scratch;
    struct fx_text copy = {0};
    if (buf->failed) {
        return run_fail_buf(run, buf);
    }
    if (!run_copy(run, (struct fx_text){buf->data, buf->len}, &copy)) {
        return false;
    }
    *ret_value = value_string(copy);
    return true;
}

bool run_fail_buf(struct template_run *run, const struct fx_buf *buf) {
    if (!buf->full) {
        return fx_fail_nomem(run->err);
    }
    return fx_fail(run->err, FX_ELIMIT, "template makes a text of more than %zu bytes",
                   buf->max);
}
