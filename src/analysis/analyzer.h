/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/analyzer.h - private: the analysis under way, and its parts. Functions that
 * return bool are false only without memory.
 */
#ifndef FX_ANALYSIS_ANALYZER_H
#define FX_ANALYSIS_ANALYZER_H

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

struct analyzer {
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
struct trial_case {
    json_t *object;     /* counted */
    json_t *namespace_; /* its namespace, counted, or NULL */
    struct fx_request request;
    size_t origin; /* as in the finding */
};

/* Fills a tcase with references of its own. */
bool fx_trial_case_init(struct trial_case *tcase, const struct analyzer *analyzer,
                        json_t *object, size_t origin, struct fx_err *err) FX_MUST_USE;
void fx_trial_case_finish(struct trial_case *tcase); /* zeroed ones are fine */

/* The trial of these mutators in the tcase. */
struct trial fx_analyzer_trial(struct analyzer *analyzer, const struct trial_case *tcase,
                               const uint32_t *order, size_t n_order);

/* Does the mutator match? A match that fails does not. */
bool fx_analyzer_matches(const struct analyzer *analyzer, const struct trial_case *tcase,
                         uint32_t mutator, const char **ret_criterion, bool *ret_matches,
                         struct fx_err *err) FX_MUST_USE;

/* What turns `before` into `after`; valid until the next one is asked for. */
bool fx_analyzer_diff(struct analyzer *analyzer, json_t *before, json_t *after,
                      struct fx_patch *ret_patch, struct fx_err *err) FX_MUST_USE;

/* ---- findings -------------------------------------------------------------------- */

/* Adds the finding, unless it is there already: rule, mutators and path but for indices
 * of lists are its identity; of UNDO the path is none of it. What is in it is copied, or
 * counted; `tcase` is its witness. */
bool fx_analyzer_report(struct analyzer *analyzer, const struct trial_case *tcase,
                        const struct fx_analysis_finding *finding,
                        struct fx_err *err) FX_MUST_USE;

/* Is one of these two mutators told to undo the other? */
bool fx_analyzer_has_undo(const struct analyzer *analyzer, uint32_t a, uint32_t b);

/* Appends "Assign/a". */
void fx_analyzer_print_id(struct fx_buf *buf, const struct analyzer *analyzer,
                          uint32_t mutator);

/* Are the two JSON Pointers one but for indices of lists? Is the first one, so taken, the
 * beginning of the second (at a `/`) or all of it? */
bool fx_analyzer_same_path(const char *a, const char *b);
bool fx_analyzer_path_begins(const char *prefix, const char *path);

/* Appends the pointer as people write it: "spec.containers[*].image". */
void fx_analyzer_print_path(struct fx_buf *buf, const char *pointer);

/* ---- parts ----------------------------------------------------------------------- */

/* Tries the mutators together on the object: failures, fights, idempotence, order. The
 * same mutators on an equal object are tried once. */
bool fx_analyzer_try_set(struct analyzer *analyzer, const struct trial_case *tcase,
                         const uint32_t *order, size_t n_order,
                         struct fx_err *err) FX_MUST_USE;

/* Tells who changes what on a way that comes back to where it began. */
bool fx_analyzer_check_undo(struct analyzer *analyzer, const struct trial_case *tcase,
                            const struct trial *trial,
                            const struct trial_outcome *outcome,
                            struct fx_err *err) FX_MUST_USE;

/* Are mutators swapped without a change of the result? `outcome` is that of the trial. */
bool fx_analyzer_check_order(struct analyzer *analyzer, const struct trial_case *tcase,
                             const struct trial *trial,
                             const struct trial_outcome *outcome,
                             struct fx_err *err) FX_MUST_USE;

/* Looks at what one mutator alone changes, under its operation and on UPDATE. */
bool fx_analyzer_check_alone(struct analyzer *analyzer, const struct trial_case *tcase,
                             uint32_t mutator, struct fx_err *err) FX_MUST_USE;

/* The mutators that may want the object; as fx_snapshot_candidates(). */
bool fx_analyzer_candidates(const struct analyzer *analyzer,
                            const struct trial_case *tcase,
                            struct fx_candidates *ret_candidates,
                            struct fx_err *err) FX_MUST_USE;

/* Makes objects and tries them. */
bool fx_analyzer_try_made(struct analyzer *analyzer, struct fx_err *err) FX_MUST_USE;

#endif
