/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/trace.c - the lists of steps and changes.
 */
#include "engine/trace.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "value/patch.h"

void fx_trace_init(struct fx_trace *trace, struct fx_arena *arena) {
    *trace = (struct fx_trace){.arena = arena};
}

void fx_trace_reset(struct fx_trace *trace) {
    for (size_t i = 0; i < trace->n_changes; i++) {
        json_decref(trace->changes[i].from);
        json_decref(trace->changes[i].to);
    }
    trace->n_changes = 0;
    trace->n_steps = 0;
}

void fx_trace_finish(struct fx_trace *trace) {
    if (trace == NULL) {
        return;
    }
    fx_trace_reset(trace);
    free(trace->changes);
    free(trace->steps);
    *trace = (struct fx_trace){0};
}

static bool add_change(struct fx_trace *trace, const struct fx_trace_step *step,
                       const struct fx_patch_op *op) {
    if (!FX_VEC_GROW(trace->changes, trace->n_changes, trace->cap_changes)) {
        return false;
    }
    trace->changes[trace->n_changes++] = (struct fx_trace_change){
        .mutator = step->mutator,
        .pass = step->pass,
        .path = op->path,
        .from = json_incref(op->old),
        .to = json_incref(op->value),
        .undoes = step->undoes,
    };
    return true;
}

static bool add_changes(struct fx_trace *trace, const struct fx_trace_step *step,
                        json_t *before, json_t *after) {
    struct fx_patch patch;
    struct fx_err err = FX_ERR_INIT;
    fx_patch_init(&patch, trace->arena);
    if (!fx_patch_diff(&patch, before, after, &err)) {
        return false; /* there was no memory */
    }
    for (size_t i = 0; i < patch.n_ops; i++) {
        if (!add_change(trace, step, &patch.ops[i])) {
            return false;
        }
    }
    return true;
}

bool fx_trace_record(struct fx_trace *trace, const struct fx_trace_step *step,
                     json_t *before, json_t *after) {
    if (!FX_VEC_GROW(trace->steps, trace->n_steps, trace->cap_steps)) {
        return false;
    }
    trace->steps[trace->n_steps++] = *step;
    return before == after || add_changes(trace, step, before, after);
}

bool fx_trace_record_external(struct fx_trace *trace, uint32_t pass, json_t *before,
                              json_t *after) {
    const struct fx_trace_step step = {.mutator = FX_TRACE_EXTERNAL, .pass = pass};
    return add_changes(trace, &step, before, after);
}
