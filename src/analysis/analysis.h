/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/analysis.h - problems between policies that are each valid, found by running
 * them on given objects, or on objects made for the purpose. Pure: no I/O; a value from a
 * provider counts as some value.
 *
 * The work is limited by a number of steps, not by time, so that the same input always
 * gives the same findings. What is skipped is counted.
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
 * UNDO         mutators change what the others write: in every pass, or so that the
 *              object does not converge
 * ORDER        the result depends on which of two mutators comes first
 * IDEMPOTENCE  a second run changes the result of the first
 * REINVOCATION the same, of a mutator that runs once a review: the API server calls the
 *              webhook again if other webhooks have changed the object
 * SELECTOR     a mutator changes the labels by which an object selects its Pods
 * UPDATE       a mutator changes an immutable field on UPDATE
 * FAILURE      a mutation fails: on a given object, or on the result of other mutators
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

/* UPDATE findings are notes: true of most policies that do not name their operations, and
 * harmless where all objects are younger than the policy. All others are warnings. */
bool fx_analysis_rule_is_note(enum fx_analysis_rule rule);

#define FX_ANALYSIS_MADE     SIZE_MAX /* an object that was not given but made */
#define FX_ANALYSIS_MUTATORS 8u       /* of one finding */
#define FX_ANALYSIS_VALUES   9u

/* All is the finding's own. */
struct fx_analysis_finding {
    enum fx_analysis_rule rule;
    /* Indices in the snapshot; the first is the one that the sentence is about. */
    uint32_t mutators[FX_ANALYSIS_MUTATORS];
    size_t n_mutators;
    char *text; /* a sentence; behind the first mutator's id where it begins so */
    char *path; /* the field, as a JSON Pointer; "" where it is no single one */
    /* Its values, counted, NULL where it is absent. UNDO: one after the other; ORDER: as
     * it is, and with the two swapped; IDEMPOTENCE and REINVOCATION: after the first run
     * and the second; SELECTOR and UPDATE: before and after. */
    json_t *values[FX_ANALYSIS_VALUES];
    size_t n_values;
    json_t *witness; /* the object that shows it, counted */
    size_t origin;   /* its index among those given, or FX_ANALYSIS_MADE */
    enum fx_operation operation;
};

struct fx_analysis {
    /* By rule, then by the first mutator. */
    struct fx_analysis_finding *findings;
    size_t n_findings, cap_findings;
    size_t n_more; /* findings over the bound, only counted */

    size_t n_objects; /* tried, given or made */
    /* Mutators for which no object could be made on which they act. */
    uint32_t *untried;
    size_t n_untried, cap_untried;
    size_t n_skipped; /* objects and pairs that there were no steps left for */

    /* Recognises values from providers among the values. */
    struct fx_placeholders *placeholders;
};

struct fx_analysis_input {
    const struct fx_snapshot *snapshot; /* outlives the analysis */
    struct fx_namespaces *namespaces;   /* only read */
    /* The objects to try; where `made`, they are made instead. */
    json_t *const *objects;
    size_t n_objects;
    bool made;
    size_t max_steps; /* 0: FX_LIMIT_CHECK_STEPS */
};

/* Tries the enabled mutators. Errors: FX_ENOMEM. */
bool fx_analysis_run(const struct fx_analysis_input *input,
                     struct fx_analysis *ret_analysis, struct fx_err *err) FX_MUST_USE;

void fx_analysis_finish(struct fx_analysis *analysis); /* NULL, zeroed are fine */

#endif
