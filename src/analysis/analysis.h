/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/analysis.h - finds problems between policies that are valid on their own, by
 * running them on given objects or on objects that it makes. Pure: no I/O. A value from a
 * provider is a placeholder.
 *
 * The work is limited by a number of steps, not by time, so that the same input always
 * gives the same findings. Skipped work is counted.
 */
#ifndef FX_ANALYSIS_ANALYSIS_H
#define FX_ANALYSIS_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/external.h"
#include "engine/request.h"
#include "engine/snapshot.h"
#include "policy/namespaces.h"

/*
 * UNDO         mutators change each other's fields: in every pass, or so that the
 *              object does not converge
 * ORDER        the result depends on which of two mutators comes first
 * IDEMPOTENCE  a second run changes the result of the first
 * REINVOCATION the same, of a mutator that runs once a review: the API server calls the
 *              webhook again if other webhooks have changed the object
 * SELECTOR     a mutator changes the labels by which an object selects its Pods
 * UPDATE       a mutator changes an immutable field on UPDATE
 * FAILURE      a mutation fails: on a given object, on the result of other mutators, or
 *              when it runs again on its own result
 */
#define FX_ANALYSIS_RULES(X)        \
    X(UNDO, "undo")                 \
    X(ORDER, "order")               \
    X(IDEMPOTENCE, "idempotence")   \
    X(REINVOCATION, "reinvocation") \
    X(SELECTOR, "selector")         \
    X(FAILURE, "failure")           \
    X(UPDATE, "update")

enum fx_analysis_rule {
#define X(name, text) FX_ANALYSIS_##name,
    FX_ANALYSIS_RULES(X)
#undef X
        FX_ANALYSIS_N_RULES,
};

const char *fx_analysis_rule_name(enum fx_analysis_rule rule);

/* UPDATE findings are notes: most policies that do not name their operations have one,
 * and they are harmless if all objects are younger than the policy. All others are
 * warnings. */
bool fx_analysis_rule_is_note(enum fx_analysis_rule rule);

#define FX_ANALYSIS_MADE     SIZE_MAX /* the analysis made the object */
#define FX_ANALYSIS_MUTATORS 8u       /* of one finding */
#define FX_ANALYSIS_VALUES   9u

/* Owns all its members. */
struct fx_analysis_finding {
    enum fx_analysis_rule rule;
    /* Indices in the snapshot; the first is the subject of the sentence. */
    uint32_t mutators[FX_ANALYSIS_MUTATORS];
    size_t n_mutators;
    char *text; /* a sentence, which may begin with the id of the first mutator */
    char *path; /* the field, as a JSON Pointer; "" if there is no single field */
    /* The values of the field, counted; NULL: absent. UNDO: in the order of the cycle;
     * ORDER: in the present order, and with the two swapped; IDEMPOTENCE and
     * REINVOCATION: after the first run and the second; SELECTOR and UPDATE: before and
     * after. */
    json_t *values[FX_ANALYSIS_VALUES];
    size_t n_values;
    json_t *witness; /* the object that shows it, counted */
    size_t origin;   /* its index among the given objects, or FX_ANALYSIS_MADE */
    enum fx_operation operation;
};

struct fx_analysis {
    /* Sorted by rule, then by mutators. */
    struct fx_analysis_finding *findings;
    size_t n_findings, cap_findings;
    size_t n_more; /* findings over the limit, only counted */

    size_t n_objects; /* objects that were tried, given or made */
    /* Mutators that acted on no object that the analysis could make. */
    uint32_t *untried;
    size_t n_untried, cap_untried;
    size_t n_skipped; /* objects and pairs for which no steps were left */

    /* The placeholders for values from providers among the values. */
    struct fx_placeholders *placeholders;
};

struct fx_analysis_input {
    const struct fx_snapshot *snapshot; /* outlives the analysis */
    struct fx_namespaces *namespaces;   /* only read */
    const struct fx_schemas *schemas;   /* fx_request.schemas; may be NULL */
    /* The objects to try. If `made`, the analysis makes objects instead. */
    json_t *const *objects;
    size_t n_objects;
    bool made;
    size_t max_steps; /* 0: FX_LIMIT_CHECK_STEPS */
};

/* Tries the enabled mutators. Errors: FX_ENOMEM. */
bool fx_analysis_run(const struct fx_analysis_input *input,
                     struct fx_analysis *ret_analysis, struct fx_err *err) FX_MUST_USE;

void fx_analysis_finish(struct fx_analysis *analysis); /* NULL and zeroed are fine */

#endif
