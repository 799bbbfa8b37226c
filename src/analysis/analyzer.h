/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/analyzer.h - private: an analysis while it runs, and its parts. A bool
 * function with `err` fails only without memory, unless its contract says more.
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
    struct fx_arena arena;  /* of the last difference */
    struct fx_arena passes; /* of the last trial */
    bool *noted;            /* by mutator: it has an UPDATE finding */
    size_t n_warnings;      /* findings that are no notes */
    json_t *tried;          /* the keys name mutator sets and the objects they ran on */
};

/* An object, and the request in which mutators are tried on it. */
struct trial_case {
    json_t *object;     /* counted */
    json_t *namespace_; /* its namespace, counted, or NULL */
    struct fx_request request;
    size_t origin; /* index of a given object, or FX_ANALYSIS_MADE */
};

/* Makes the case of the object, with a CREATE request; it counts its references. */
bool fx_trial_case_init(struct trial_case *tcase, const struct analyzer *analyzer,
                        json_t *object, size_t origin, struct fx_err *err) FX_MUST_USE;
void fx_trial_case_finish(struct trial_case *tcase); /* zeroed ones are fine */

/* The trial of these mutators in this case. Borrows from all arguments. */
struct trial fx_analyzer_trial(struct analyzer *analyzer, const struct trial_case *tcase,
                               const uint32_t *order, size_t n_order);

/* Does the mutator match the object of the case? *ret_criterion: the criterion that
 * failed, or NULL; the pointer may be NULL. A match that fails counts as no match. */
bool fx_analyzer_matches(const struct analyzer *analyzer, const struct trial_case *tcase,
                         uint32_t mutator, const char **ret_criterion, bool *ret_matches,
                         struct fx_err *err) FX_MUST_USE;

/* Gives the object the type of the binding. False without memory. */
bool fx_analyzer_set_type(json_t *object, const struct fx_binding *binding) FX_MUST_USE;

/* The patch from `before` to `after`; valid until the next call. */
bool fx_analyzer_diff(struct analyzer *analyzer, json_t *before, json_t *after,
                      struct fx_patch *ret_patch, struct fx_err *err) FX_MUST_USE;

/* ---- findings -------------------------------------------------------------------- */

/* Adds the finding with this text and path unless an equal one exists: with the same
 * rule, the same mutators and, except for UNDO, the same path, whatever its list indices.
 * The finding (rule, mutators, values) is copied; the object of `tcase` becomes its
 * witness.
 */
bool fx_analyzer_report(struct analyzer *analyzer, const struct trial_case *tcase,
                        const struct fx_analysis_finding *finding,
                        struct fx_buf *text_take, struct fx_text path,
                        struct fx_err *err) FX_MUST_USE;

/* Is there an UNDO finding with both mutators? */
bool fx_analyzer_has_undo(const struct analyzer *analyzer, uint32_t a, uint32_t b);

/* Appends "Assign/a". */
void fx_analyzer_print_id(struct fx_buf *buf, const struct analyzer *analyzer,
                          uint32_t mutator);

/* Is `prefix` equal to `path`, or to its beginning up to a `/`, whatever the list indices
 * in these JSON Pointers? */
bool fx_analyzer_path_begins(const char *prefix, const char *path);

/* Appends the pointer as a path: "spec.containers[*].image". */
void fx_analyzer_print_path(struct fx_buf *buf, const char *pointer);

#define LEAVES_MAX 64u /* of one change; more are ignored */

/* What a mutator changes, as JSON Pointers to values that contain no others. */
struct leaves {
    char *paths[LEAVES_MAX];
    size_t n_paths;
};

void fx_leaves_finish(struct leaves *leaves); /* zeroed ones are fine */

/* Lists the leaves that differ between `before` and `after`: those that were added,
 * replaced or removed. */
bool fx_leaves_find(struct analyzer *analyzer, json_t *before, json_t *after,
                    struct leaves *ret_leaves, struct fx_err *err) FX_MUST_USE;

/* Are both results the same? Lists with the same elements in another order are the same:
 * two mutators that each add a container do not depend on each other. Parts beyond the
 * limits of the comparison count as the same. */
bool fx_same(const json_t *a, const json_t *b);

/* Finds the first difference of two results that are not the same: appends its JSON
 * Pointer (a failure sticks in `pointer`) and gives both values, borrowed; NULL where a
 * result has none. */
void fx_same_find(json_t *a, json_t *b, struct fx_buf *pointer, json_t **ret_a,
                  json_t **ret_b);

/* ---- parts ----------------------------------------------------------------------- */

/* Runs the mutators as a set on the object, and reports failures, mutators that undo each
 * other, a second run that changes the result, and dependence on the order. The same set
 * is run on equal objects once. */
bool fx_analyzer_try_set(struct analyzer *analyzer, const struct trial_case *tcase,
                         const uint32_t *order, size_t n_order,
                         struct fx_err *err) FX_MUST_USE;

/* Reports pairs of mutators whose order changes the outcome of the trial. */
bool fx_analyzer_check_order(struct analyzer *analyzer, const struct trial_case *tcase,
                             const struct trial *trial,
                             const struct trial_outcome *outcome,
                             struct fx_err *err) FX_MUST_USE;

/* Runs one mutator alone, on CREATE and UPDATE, and reports changes of immutable fields
 * and of selectors. */
bool fx_analyzer_check_alone(struct analyzer *analyzer, const struct trial_case *tcase,
                             uint32_t mutator, struct fx_err *err) FX_MUST_USE;

/* The mutators that may match the object; see fx_snapshot_candidates(). */
bool fx_analyzer_candidates(const struct analyzer *analyzer,
                            const struct trial_case *tcase,
                            struct fx_candidates *ret_candidates,
                            struct fx_err *err) FX_MUST_USE;

/* Makes objects for the mutators, and runs the mutators on them. */
bool fx_analyzer_try_made(struct analyzer *analyzer, struct fx_err *err) FX_MUST_USE;

#endif
