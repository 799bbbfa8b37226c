/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge.c - passes over the mutators until one leaves the object as it was.
 */
#include "engine/converge.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "engine/converge_words.h"
#include "value/equal.h"
#include "value/patch.h"

/* The clock is read before every so many mutators. */
#define MUTATORS_A_LOOK 16u

/* A set of mutators, by index. */
struct bits {
    uint64_t *words;
    size_t n_words;
};

struct run {
    const struct fx_snapshot *snapshot;
    const struct fx_request *request;
    struct fx_arena *arena;
    struct fx_trace *trace; /* or NULL */
    json_t **root;
    struct fx_outcome *outcome;

    struct fx_subject subject;                    /* of *root as it is */
    struct fx_candidates candidates;              /* for a subject at this place: */
    struct fx_text api_version, kind, namespace_; /* the arena's */

    struct bits applied_now;  /* in this pass */
    struct bits applied_ever; /* in passes that changed something */
    struct bits done;         /* once-rules that had their turn */
    const char **reasons;     /* with a trace: why each was last seen not to match */
    uint32_t pass;
    bool is_last_pass; /* the last there may be: contenders are noted */
    bool has_changed;  /* a mutator of this pass has changed something */
    size_t cap_cycle;
    unsigned looks;
};

static bool has_bit(const struct bits *bits, uint32_t index) {
    return (bits->words[index / 64] >> (index % 64) & 1u) != 0;
}

static void set_bit(struct bits *bits, uint32_t index) {
    bits->words[index / 64] |= UINT64_C(1) << (index % 64);
}

static void clear_bits(struct bits *bits) {
    memset(bits->words, 0, bits->n_words * sizeof *bits->words);
}

static void add_bits(struct bits *bits, const struct bits *more) {
    for (size_t i = 0; i < bits->n_words; i++) {
        bits->words[i] |= more->words[i];
    }
}

static bool make_notes(struct run *run) {
    const size_t n = run->snapshot->n_mutators / 64 + 1;
    if (run->trace != NULL) {
        run->reasons = fx_arena_alloc(run->arena, (run->snapshot->n_mutators + 1) *
                                                      sizeof *run->reasons);
        if (run->reasons == NULL) {
            return false;
        }
    }
    uint64_t *words = fx_arena_alloc(run->arena, 3 * n * sizeof *words);
    if (words == NULL) {
        return false;
    }
    run->applied_now = (struct bits){words, n};
    run->applied_ever = (struct bits){words + n, n};
    run->done = (struct bits){words + 2 * n, n};
    return true;
}

static bool keep_text(struct fx_arena *arena, struct fx_text text, struct fx_text *ret) {
    char *copy = fx_arena_copy(arena, text);
    if (copy == NULL) {
        return false;
    }
    *ret = (struct fx_text){copy, text.len};
    return true;
}

/* Asks the index for the mutators of the subject's place. Who wants to see why a mutator
 * did not act is shown all of them: those left out would not match. */
static bool find_candidates(struct run *run, struct fx_err *err) {
    const struct fx_subject *subject = &run->subject;
    if (!keep_text(run->arena, subject->api_version, &run->api_version) ||
        !keep_text(run->arena, subject->kind, &run->kind) ||
        !keep_text(run->arena, fx_subject_namespace(subject, run->request),
                   &run->namespace_)) {
        return fx_fail_nomem(err);
    }
    if (run->trace != NULL) {
        return fx_snapshot_all(run->snapshot, &run->candidates, err);
    }
    return fx_snapshot_candidates(run->snapshot, run->request, subject, &run->candidates,
                                  err);
}

static bool has_moved(const struct run *run) {
    const struct fx_subject *subject = &run->subject;
    return !fx_text_equal(run->api_version, subject->api_version) ||
           !fx_text_equal(run->kind, subject->kind) ||
           !fx_text_equal(run->namespace_, fx_subject_namespace(subject, run->request));
}

static bool look_at_clock(struct run *run, struct fx_err *err) {
    const uint64_t deadline = run->request->deadline_ns;
    if (deadline == 0 || run->looks++ % MUTATORS_A_LOOK != 0 ||
        fx_clock_ns() < deadline) {
        return true;
    }
    return fx_fail(err, FX_EDEADLINE, "out of time in pass %u of the mutators",
                   run->pass);
}

/* Notes who changed what in the last pass there may be. */
static bool add_contender(struct run *run, uint32_t index, json_t *before,
                          struct fx_err *err) {
    struct fx_outcome *outcome = run->outcome;
    if (outcome->n_cycle == run->cap_cycle) {
        const size_t bigger = run->cap_cycle == 0 ? 8 : run->cap_cycle * 2;
        struct fx_contender *moved = fx_arena_alloc(run->arena, bigger * sizeof *moved);
        if (moved == NULL) {
            return fx_fail_nomem(err);
        }
        if (outcome->n_cycle > 0) {
            memcpy(moved, outcome->cycle, outcome->n_cycle * sizeof *moved);
        }
        outcome->cycle = moved;
        run->cap_cycle = bigger;
    }
    struct fx_patch patch;
    fx_patch_init(&patch, run->arena);
    if (!fx_patch_diff(&patch, before, *run->root, err)) {
        return false;
    }
    outcome->cycle[outcome->n_cycle++] = (struct fx_contender){
        .mutator = index,
        .path = patch.n_ops > 0 ? patch.ops[0].path : FX_TEXT(""),
    };
    return true;
}

static bool record(struct run *run, const struct fx_trace_step *step, json_t *before,
                   struct fx_err *err) {
    if (run->trace != NULL && !fx_trace_record(run->trace, step, before, *run->root)) {
        return fx_fail_nomem(err);
    }
    return !run->is_last_pass || !step->effect.changed ||
           add_contender(run, step->mutator, before, err);
}

/* Applies a mutator that matched. */
static bool apply(struct run *run, struct fx_trace_step *step, struct fx_err *err) {
    const struct fx_mutator *mutator = run->snapshot->mutators[step->mutator];
    const bool is_recorded = run->trace != NULL || run->is_last_pass;
    json_t *before = is_recorded ? json_incref(*run->root) : NULL;
    bool ok = mutator->ops->apply(mutator, run->request, run->root, &step->effect, err);
    if (!ok) {
        run->outcome->failed = mutator;
        (void)fx_converge_fail_apply(run->request, mutator, *run->root, err);
    } else if (is_recorded) {
        ok = record(run, step, before, err);
    }
    json_decref(before);
    if (mutator->once) {
        set_bit(&run->done, step->mutator);
    }
    if (step->effect.applied) {
        set_bit(&run->applied_now, step->mutator);
    }
    return ok;
}

/* Told once: a mutator may go on not matching for very many passes. */
static bool record_no_match(struct run *run, const struct fx_trace_step *step,
                            struct fx_err *err) {
    const char *reason = step->verdict.criterion == NULL ? "" : step->verdict.criterion;
    if (run->trace == NULL || run->reasons[step->mutator] == reason) {
        return true;
    }
    run->reasons[step->mutator] = reason;
    return record(run, step, *run->root, err);
}

/* One mutator's turn. */
static bool run_mutator(struct run *run, uint32_t index, struct fx_effect *ret_effect,
                        struct fx_err *err) {
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    struct fx_trace_step step = {.mutator = index, .pass = run->pass};
    if (mutator->once && has_bit(&run->done, index)) {
        return true;
    }
    if (!mutator->ops->match(mutator, run->request, &run->subject, &step.verdict, err)) {
        run->outcome->failed = mutator;
        return fx_converge_fail_match(mutator, *run->root, err);
    }
    if (!step.verdict.matched) {
        return record_no_match(run, &step, err);
    }
    const bool ok = apply(run, &step, err);
    *ret_effect = step.effect;
    return ok;
}

/* After a write: the texts of the subject are gone, and the object may be another kind of
 * object now, which other mutators want. *at becomes the place to go on from. */
static bool follow(struct run *run, uint32_t index, size_t *at, struct fx_err *err) {
    run->has_changed = true;
    fx_subject_read(*run->root, &run->subject);
    if (!has_moved(run)) {
        return true;
    }
    if (!find_candidates(run, err)) {
        return false;
    }
    *at = 0;
    while (*at < run->candidates.n_indices && run->candidates.indices[*at] <= index) {
        ++*at;
    }
    return true;
}

/* The caller holds the object as it was before the pass. A node that is copied because
 * it is shared lives on in its other holder, so that within a pass only a real write can
 * end the texts of the subject. */
static bool run_pass(struct run *run, struct fx_err *err) {
    clear_bits(&run->applied_now);
    run->has_changed = false;
    fx_subject_read(*run->root, &run->subject);
    for (size_t at = 0; at < run->candidates.n_indices;) {
        const uint32_t index = run->candidates.indices[at++];
        struct fx_effect effect = {.applied = false};
        if (!look_at_clock(run, err) || !run_mutator(run, index, &effect, err) ||
            (effect.changed && !follow(run, index, &at, err))) {
            return false;
        }
    }
    return true;
}

/* Did the pass leave the object as it was? Mutators that undo each other within a pass
 * have settled too: then the object from before is put back. */
static bool has_settled(struct run *run, json_t *before) {
    if (!run->has_changed) {
        return true;
    }
    if (!fx_equal(before, *run->root)) {
        return false;
    }
    json_decref(*run->root);
    *run->root = json_incref(before);
    return true;
}

/*
 * Invariant: the object from before a pass and the one after it share all that the pass
 * did not write, so the test for "as it was" costs what changed. n mutators settle within
 * n + 1 passes or not at all.
 */
static bool run_passes(struct run *run, struct fx_err *err) {
    const size_t n_passes = run->snapshot->n_mutators + 1;
    for (run->pass = 1; run->pass <= n_passes; run->pass++) {
        run->is_last_pass = run->pass == n_passes;
        run->outcome->iterations = run->pass;
        json_t *before = json_incref(*run->root);
        const bool ok = run_pass(run, err);
        const bool settled = ok && has_settled(run, before);
        json_decref(before);
        if (!ok || settled) {
            return ok;
        }
        add_bits(&run->applied_ever, &run->applied_now);
    }
    return fx_converge_fail_cycle(run->request, *run->root, err);
}

/* Writes the members of the set to `to`, unless it is NULL; returns how many there are.
 * Costs what is in the set: most words are 0. */
static size_t list_bits(const struct bits *bits, uint32_t *to) {
    size_t n = 0;
    for (size_t i = 0; i < bits->n_words; i++) {
        uint32_t index = (uint32_t)(i * 64);
        for (uint64_t word = bits->words[i]; word != 0; word >>= 1, index++) {
            if ((word & 1u) == 0) {
                continue;
            }
            if (to != NULL) {
                to[n] = index;
            }
            n++;
        }
    }
    return n;
}

static bool list_applied(struct run *run, struct fx_err *err) {
    struct fx_outcome *outcome = run->outcome;
    const size_t n = list_bits(&run->applied_ever, NULL);
    outcome->applied = fx_arena_alloc(run->arena, n * sizeof *outcome->applied);
    if (outcome->applied == NULL) {
        return fx_fail_nomem(err);
    }
    outcome->n_applied = list_bits(&run->applied_ever, outcome->applied);
    return true;
}

/* NOLINTNEXTLINE(readability-function-size): all seven are needed by every caller. */
bool fx_converge(const struct fx_snapshot *snapshot, const struct fx_request *request,
                 struct fx_arena *arena, struct fx_trace *trace, json_t **root,
                 struct fx_outcome *ret_outcome, struct fx_err *err) {
    assert(snapshot != NULL && *root != NULL);
    *ret_outcome = (struct fx_outcome){0};
    struct run run = {
        .snapshot = snapshot,
        .request = request,
        .arena = arena,
        .trace = trace,
        .root = root,
        .outcome = ret_outcome,
    };
    json_t *original = json_incref(*root);
    fx_subject_read(*root, &run.subject);
    bool ok = make_notes(&run) || fx_fail_nomem(err);
    ok = ok && find_candidates(&run, err) && run_passes(&run, err) &&
         list_applied(&run, err);
    if (ok) {
        ret_outcome->n_cycle = 0; /* what was noted in a last pass that settled */
        ret_outcome->mutated = ret_outcome->iterations > 1 && !fx_equal(original, *root);
    }
    json_decref(original);
    fx_candidates_finish(&run.candidates);
    return ok;
}
