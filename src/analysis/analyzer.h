/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/analyzer.h - the state of a running analysis, and its parts. Private to this
 * room. A bool function with `err` fails only without memory, unless its comment names
 * other errors.
 */
#ifndef FX_ANALYSIS_ANALYZER_H
#define FX_ANALYSIS_ANALYZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "analysis/analysis.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/request.h"
#include "engine/snapshot.h"
#include "value/patch.h"

/* ---- trials ---------------------------------------------------------------------- */

#define TRIAL_NONE UINT32_MAX /* no mutator failed */

/* The mutators to run. Everything is borrowed. */
struct trial {
    const struct fx_snapshot *snapshot;
    const struct fx_request *request;
    const uint32_t *order; /* indices in the snapshot */
    size_t n_order;
    size_t *steps_left;     /* each match of a mutator takes one step */
    struct fx_arena *arena; /* scratch memory, reset by each trial */
};

struct trial_outcome {
    json_t *object; /* after the last pass, counted */
    bool settled;   /* a pass left the object as it was */
    bool exhausted; /* no steps were left: the outcome is unknown */
    /* If mutators undo each other: the object from which n_cycle_passes lead to the same
     * object again (without a known cycle: the object before the last pass). Counted;
     * else NULL. */
    json_t *cycle_start;
    size_t n_cycle_passes;
    bool *done;      /* by position in the order: was applied, and is not reinvoked */
    uint32_t failed; /* the mutator whose failure ended the trial, or TRIAL_NONE */
    struct fx_err failure;
};

void fx_trial_finish(struct trial_outcome *outcome); /* zeroed ones are fine */

/* Runs passes of the engine (engine/passes.h) with the mutators in their order on
 * `object`, which is not changed, until a pass changes nothing or an earlier object
 * repeats. The failure of a mutator is an outcome, not an error. Errors: FX_ENOMEM. */
bool fx_trial_run(const struct trial *trial, json_t *object,
                  struct trial_outcome *ret_outcome, struct fx_err *err) FX_MUST_USE;

/* A change by one mutator: the object before and after it, counted. */
struct trial_step {
    uint32_t mutator;
    json_t *before, *after;
};

struct trial_record {
    struct trial_step *steps;
    size_t n_steps, cap_steps;
};

void fx_trial_record_finish(struct trial_record *record); /* zeroed ones are fine */

/* Runs n_passes on `start` and records each change. `done` is taken from an outcome;
 * NULL: no mutator is done. Errors: FX_ENOMEM. */
bool fx_trial_replay(const struct trial *trial, json_t *start, size_t n_passes,
                     const bool *done, struct trial_record *ret_record,
                     struct fx_err *err) FX_MUST_USE;

/* ---- the analysis ---------------------------------------------------------------- */

struct analyzer {
    const struct fx_analysis_input *input;
    const struct fx_snapshot *snapshot;
    struct fx_analysis *result;
    size_t steps_left;
    struct fx_arena arena;    /* for the last patch */
    struct fx_arena passes;   /* for the last trial */
    bool *noted;              /* by mutator: it has an UPDATE finding */
    size_t n_warnings;        /* findings that are not notes */
    json_t *tried;            /* the keys name mutator sets and the objects they ran on */
    struct fx_inputs *inputs; /* of the last trial or match */
};

/* An object, and the request with which mutators are tried on it. */
struct trial_case {
    json_t *object;     /* counted */
    json_t *namespace_; /* the Namespace, counted, or NULL */
    struct fx_request request;
    size_t origin; /* index of a given object, or FX_ANALYSIS_MADE */
};

/* Fills a case with the object and a CREATE request. The case has its own references. */
bool fx_trial_case_init(struct trial_case *tcase, const struct analyzer *analyzer,
                        json_t *object, size_t origin, struct fx_err *err) FX_MUST_USE;
void fx_trial_case_finish(struct trial_case *tcase); /* zeroed ones are fine */

/* A trial of these mutators in this case. Borrows from all arguments. */
struct trial fx_analyzer_trial(struct analyzer *analyzer, const struct trial_case *tcase,
                               const uint32_t *order, size_t n_order);

/* Does the mutator match the object of the case? *ret_criterion: the criterion that
 * failed, or NULL; `ret_criterion` may be NULL. A match with an error counts as no
 * match. */
bool fx_analyzer_matches(const struct analyzer *analyzer, const struct trial_case *tcase,
                         uint32_t mutator, const char **ret_criterion, bool *ret_matches,
                         struct fx_err *err) FX_MUST_USE;

/* Sets the type of the object to that of the binding. False without memory. */
bool fx_analyzer_set_type(json_t *object, const struct fx_binding *binding) FX_MUST_USE;

/* The patch from `before` to `after`; valid until the next call. */
bool fx_analyzer_diff(struct analyzer *analyzer, json_t *before, json_t *after,
                      struct fx_patch *ret_patch, struct fx_err *err) FX_MUST_USE;

/* ---- findings -------------------------------------------------------------------- */

/* Adds the finding with this text and path unless an equal one exists: with the same
 * rule, the same mutators and, except for UNDO, the same path, ignoring list indices.
 * The finding (rule, mutators, values) is copied; the object of `tcase` becomes its
 * witness. */
bool fx_analyzer_report(struct analyzer *analyzer, const struct trial_case *tcase,
                        const struct fx_analysis_finding *finding,
                        struct fx_buf *text_take, struct fx_text path,
                        struct fx_err *err) FX_MUST_USE;

/* Is there an UNDO finding with both mutators? */
bool fx_analyzer_has_undo(const struct analyzer *analyzer, uint32_t a, uint32_t b);

/* Appends "Assign/a". */
void fx_analyzer_print_id(struct fx_buf *buf, const struct analyzer *analyzer,
                          uint32_t mutator);

/* Is `prefix` equal to `path`, or to its beginning up to a `/`? Both are JSON Pointers;
 * list indices are ignored. */
bool fx_analyzer_path_begins(const char *prefix, const char *path);

/* Appends the pointer as a path: "spec.containers[*].image". */
void fx_analyzer_print_path(struct fx_buf *buf, const char *pointer);

#define LEAVES_MAX 64u /* most leaves of one change; more are ignored */

/* The fields that a mutator changes, as JSON Pointers to values that contain no other
 * values. */
struct leaves {
    char *paths[LEAVES_MAX];
    size_t n_paths;
};

void fx_leaves_finish(struct leaves *leaves); /* zeroed ones are fine */

/* Lists the leaves that differ between `before` and `after`: those that were added,
 * replaced or removed. */
bool fx_leaves_find(struct analyzer *analyzer, json_t *before, json_t *after,
                    struct leaves *ret_leaves, struct fx_err *err) FX_MUST_USE;

/* Are both results the same? Lists with the same elements in another order count as the
 * same: two mutators that each add a container do not depend on each other. Parts beyond
 * the limits of the comparison count as the same. */
bool fx_same(const json_t *a, const json_t *b);

/* Finds the first difference of two results that are not the same: appends its JSON
 * Pointer (failure sticks in `pointer`) and returns both values, borrowed; NULL if a
 * result has no value there. */
void fx_same_find(json_t *a, json_t *b, struct fx_buf *pointer, json_t **ret_a,
                  json_t **ret_b);

/* ---- parts ----------------------------------------------------------------------- */

/* Runs the mutators as a set on the object, and reports failures, mutators that undo each
 * other, a second run that changes the result, and dependence on the order. The same set
 * is run only once on equal objects. */
bool fx_analyzer_try_set(struct analyzer *analyzer, const struct trial_case *tcase,
                         const uint32_t *order, size_t n_order,
                         struct fx_err *err) FX_MUST_USE;

/* Reports pairs of mutators whose order changes the outcome of the trial. */
bool fx_analyzer_check_order(struct analyzer *analyzer, const struct trial_case *tcase,
                             const struct trial *trial,
                             const struct trial_outcome *outcome,
                             struct fx_err *err) FX_MUST_USE;

/* Reports mutators whose change a mutator of another dialect overwrites, so that the
 * result of the trial is the same without it. */
bool fx_analyzer_check_overwrites(struct analyzer *analyzer,
                                  const struct trial_case *tcase,
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

/* ---- samples and pairs ----------------------------------------------------------- */

#define SAMPLE_PATHS 4u

/* The sample of one mutator. The object is NULL if the mutator is disabled, or if no
 * object could be made. */
struct sample {
    struct trial_case tcase;
    bool failed; /* the mutator fails on its example */
    /* The fields that the mutator changes in the object, as JSON Pointers with `#` for
     * each index. */
    char *paths[SAMPLE_PATHS];
    size_t n_paths;
};

/* Makes a sample for each mutator of the snapshot, and lists the mutators without one in
 * the result. */
struct sample *fx_samples_make(struct analyzer *analyzer, struct fx_err *err) FX_MUST_USE;
void fx_samples_destroy(struct sample *samples, size_t n_samples); /* NULL is fine */

struct pair {
    uint32_t a, b;
};

/* All pairs, each in both orders; sorted by `a`, then `b`, without duplicates. */
struct pairs {
    struct pair *items;
    size_t n_items, cap_items;
    size_t n_skipped; /* pairs over the limit, not compared */
};

/* Finds the pairs. Errors: FX_ENOMEM. */
bool fx_pairs_find(const struct analyzer *analyzer, const struct sample *samples,
                   struct pairs *ret_pairs, struct fx_err *err) FX_MUST_USE;
void fx_pairs_finish(struct pairs *pairs); /* zeroed ones are fine */

/* A type that both match: a binding that `a` and `b` share; or if only one of them is
 * bound to kinds, its first binding. NULL if neither is bound, or they share no type. */
const struct fx_binding *fx_pairs_binding(const struct fx_mutator *a,
                                          const struct fx_mutator *b);

/* A namespace to which both are bound; data is NULL if there is none. */
struct fx_text fx_pairs_namespace(const struct fx_mutator *a, const struct fx_mutator *b);

#endif
