/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_run.h - private: one run of the loop, which converge.c drives and,
 * where there is no fixed point, converge_fight.c drives on.
 */
#ifndef FX_ENGINE_CONVERGE_RUN_H
#define FX_ENGINE_CONVERGE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "engine/changes.h"
#include "engine/converge.h"
#include "engine/fares.h"
#include "engine/index_set.h"

/* What a trace has told of a mutator. */
struct news {
    bool told, matched, applied, changed;
    const char *criterion;
};

/* How a candidate's last turn went, and when it ended. */
struct last_turn {
    uint32_t when; /* engine/changes.h */
    bool was, applied, changed;
};

struct run {
    const struct fx_snapshot *snapshot;
    const struct fx_request *request;
    struct fx_arena *arena;
    struct fx_trace *trace; /* or NULL */
    json_t **root;
    struct fx_outcome *outcome;

    struct fx_subject subject;       /* of *root as it is … */
    bool is_stale;                   /* … but for labels and annotations */
    struct fx_candidates candidates; /* for a subject at this place: */
    bool knows_place;                /* the texts that follow are filled in */
    struct fx_text api_version, kind, namespace_; /* the arena's */

    bool plain;              /* no turn is left out */
    struct last_turn *lasts; /* of each candidate, the arena's; or NULL: plain */
    size_t cap_lasts;
    struct fx_changes changes;

    struct fx_index_set applied_now;  /* in this pass */
    struct fx_index_set applied_ever; /* in passes that changed something */
    struct fx_index_set done;         /* once-rules that had their turn */
    struct news *news;                /* with a trace: what was told of each last */
    struct fx_fares *fares;           /* or NULL: how each fares is noted in it */
    uint32_t pass;
    bool is_last_pass; /* the last there may be: contenders are noted */
    bool has_changed;  /* a mutator of this pass has changed something, */
    bool has_differed; /* which nobody undoes */
    json_t *before;    /* as the object was before the pass, counted; NULL: as it is, or
                        * it is not asked for any more */
    const struct fx_mutator *lasting; /* what it changed stays so to the end; or NULL */
    size_t cap_cycle;
    struct fx_trace *fight; /* or NULL: every change is recorded in it */
    uint64_t deadline_ns;
    unsigned looks;
};

/* Finds who may want the object as it is now. */
bool fx_run_find_candidates(struct run *run, struct fx_err *err) FX_MUST_USE;

/* Every candidate's turn. fx_run_end_pass() drops what is kept for it. */
bool fx_run_pass(struct run *run, struct fx_err *err) FX_MUST_USE;
void fx_run_end_pass(struct run *run);

/* Turns that are left out (converge_rest.c): of the candidates nobody has had one, and
 * the object is as it came. False without memory. */
bool fx_run_make_lasts(struct run *run) FX_MUST_USE;
bool fx_run_make_changes(struct run *run) FX_MUST_USE;

/* Leaves out the turn of the candidate at this place, if it would come out as its last
 * one did. */
bool fx_run_rest(struct run *run, size_t at);

/* Notes how its turn went; what it changed, it has seen itself. */
void fx_run_note_turn(struct run *run, size_t at, const struct fx_effect *effect);

/* There is no fixed point: sees what they fight over, on a copy, and tells the outcome.
 * What fails here is left untold. */
void fx_run_tell_fight(struct run *run);

#endif
