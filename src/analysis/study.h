/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/study.h - private: the analysis under way, and its parts. Functions that
 * return bool are false only without memory.
 */
#ifndef FX_ANALYSIS_STUDY_H
#define FX_ANALYSIS_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "analysis/analysis.h"
#include "analysis/trial.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "value/patch.h"

struct study {
    const struct fx_analysis_input *input;
    const struct fx_snapshot *snapshot;
    struct fx_analysis *result;
    size_t steps_left;
    struct fx_arena arena;  /* of one difference; forgotten by the next */
    struct fx_arena passes; /* of one trial, likewise */
    bool *noted;            /* by mutator: it has an UPDATE finding */
    size_t n_warnings;      /* findings that are none */
    json_t *tried;          /* what was: companies on objects, as keys */
};

/* An object and the circumstances it is tried in. */
struct situation {
    json_t *object;     /* counted */
    json_t *namespace_; /* its namespace, counted, or NULL */
    struct fx_request request;
    size_t origin; /* as in the finding */
};

/* Fills a situation with references of its own. */
bool fx_situation_init(struct situation *situation, const struct study *study,
                       json_t *object, size_t origin, struct fx_err *err) FX_MUST_USE;
void fx_situation_finish(struct situation *situation); /* zeroed ones are fine */

/* The trial of these mutators in the situation. */
struct trial fx_study_trial(struct study *study, const struct situation *situation,
                            const uint32_t *order, size_t n_order);

/* Does the mutator match? A match that fails does not. */
bool fx_study_matches(const struct study *study, const struct situation *situation,
                      uint32_t mutator, const char **ret_criterion, bool *ret_matches,
                      struct fx_err *err) FX_MUST_USE;

/* What turns `before` into `after`; valid until the next one is asked for. */
bool fx_study_diff(struct study *study, json_t *before, json_t *after,
                   struct fx_patch *ret_patch, struct fx_err *err) FX_MUST_USE;

/* ---- findings -------------------------------------------------------------------- */

/* Adds the finding, unless it is there already: rule, mutators and path but for indices
 * of lists are its identity; of UNDO the path is none of it. What is in it is copied, or
 * counted; `situation` is its witness. */
bool fx_study_tell(struct study *study, const struct situation *situation,
                   const struct fx_analysis_finding *finding,
                   struct fx_err *err) FX_MUST_USE;

/* Is one of these two mutators told to undo the other? */
bool fx_study_has_undo(const struct study *study, uint32_t a, uint32_t b);

/* Appends "Assign/a". */
void fx_study_print_id(struct fx_buf *buf, const struct study *study, uint32_t mutator);

/* Are the two JSON Pointers one but for indices of lists? Is the first one, so taken, the
 * beginning of the second (at a `/`) or all of it? */
bool fx_study_same_path(const char *a, const char *b);
bool fx_study_path_begins(const char *prefix, const char *path);

/* Appends the pointer as people write it: "spec.containers[*].image". */
void fx_study_print_path(struct fx_buf *buf, const char *pointer);

/* ---- parts ----------------------------------------------------------------------- */

/* Tries the mutators together on the object: failures, fights, idempotence, order. The
 * same mutators on an equal object are tried once. */
bool fx_study_company(struct study *study, const struct situation *situation,
                      const uint32_t *order, size_t n_order,
                      struct fx_err *err) FX_MUST_USE;

/* Tells who changes what on a way that comes back to where it began. */
bool fx_study_undo(struct study *study, const struct situation *situation,
                   const struct trial *trial, const struct trial_outcome *outcome,
                   struct fx_err *err) FX_MUST_USE;

/* Are mutators swapped without a change of the result? `outcome` is that of the trial. */
bool fx_study_order(struct study *study, const struct situation *situation,
                    const struct trial *trial, const struct trial_outcome *outcome,
                    struct fx_err *err) FX_MUST_USE;

/* Looks at what one mutator alone changes, under its operation and on UPDATE. */
bool fx_study_touches(struct study *study, const struct situation *situation,
                      uint32_t mutator, struct fx_err *err) FX_MUST_USE;

/* The mutators that may want the object; as fx_snapshot_candidates(). */
bool fx_study_candidates(const struct study *study, const struct situation *situation,
                         struct fx_candidates *ret_candidates,
                         struct fx_err *err) FX_MUST_USE;

/* Makes objects and tries them. */
bool fx_study_made(struct study *study, struct fx_err *err) FX_MUST_USE;

#endif
