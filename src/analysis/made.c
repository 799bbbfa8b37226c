/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/made.c - trials on objects made by the analysis: each mutator's own object,
 * with the mutators that write the same fields, then with all; and for pairs that do not
 * match one object, an object merged from both.
 */
#include <stdlib.h>

#include "analysis/analyzer.h"
#include "analysis/pairs.h"
#include "analysis/sketches.h"
#include "base/limits.h"
#include "value/tree.h"

/* Steps charged for checking whether a pair matches one object, and for merging two. */
#define MEETING_COST 2u
#define MERGING_COST 8u

struct making {
    struct analyzer *analyzer;
    struct sketch *sketches;
    struct pairs pairs;
    uint32_t *order; /* room for all mutators */
};

/* ---- each with its pairs --------------------------------------------------------- */

/* Fills `order` with the mutator and those it is paired with: the pairs from *at on.
 * Gives how many there are, and moves *at behind them. */
static size_t list_company(struct making *making, uint32_t mutator, size_t *at) {
    const struct pairs *pairs = &making->pairs;
    size_t n = 0;
    bool has_self = false;
    for (; *at < pairs->n_items && pairs->items[*at].a == mutator; ++*at) {
        if (!has_self && pairs->items[*at].b > mutator) {
            has_self = true;
            making->order[n++] = mutator;
        }
        making->order[n++] = pairs->items[*at].b;
    }
    if (!has_self) {
        making->order[n++] = mutator;
    }
    return n;
}

static bool try_companies(struct making *making, struct fx_err *err) {
    const size_t n_mutators = making->analyzer->snapshot->n_mutators;
    size_t at = 0;
    for (uint32_t i = 0; i < n_mutators; i++) {
        const struct trial_case *tcase = &making->sketches[i].tcase;
        if (tcase->object == NULL) {
            continue;
        }
        const size_t n = list_company(making, i, &at);
        if (!fx_analyzer_check_alone(making->analyzer, tcase, i, err) ||
            !fx_analyzer_try_set(making->analyzer, tcase, making->order, n, err)) {
            return false;
        }
    }
    return true;
}

/* ---- objects of both ------------------------------------------------------------- */

static bool set_type(json_t *object, const struct fx_binding *binding) {
    json_t *version =
        json_sprintf("%.*s%s%.*s", FX_TEXT_ARG(binding->group),
                     binding->group.len > 0 ? "/" : "", FX_TEXT_ARG(binding->version));
    return fx_tree_set_take(object, FX_TEXT("apiVersion"), version) &&
           fx_tree_set_take(object, FX_TEXT("kind"), fx_tree_new_string(binding->kind));
}

/* Do both match, under one operation? */
static bool find_operation(const struct making *making, struct trial_case *tcase,
                           const struct pair *pair, bool *ret_found, struct fx_err *err) {
    static const enum fx_operation operations[] = {FX_OPERATION_CREATE,
                                                   FX_OPERATION_UPDATE};
    *ret_found = false;
    for (size_t i = 0; !*ret_found && i < FX_COUNT(operations); i++) {
        const char *criterion = NULL;
        bool other = false;
        tcase->request.operation = operations[i];
        if (!fx_analyzer_matches(making->analyzer, tcase, pair->a, &criterion, ret_found,
                                 err) ||
            !fx_analyzer_matches(making->analyzer, tcase, pair->b, &criterion, &other,
                                 err)) {
            return false;
        }
        *ret_found = *ret_found && other;
    }
    return true;
}

/* Runs the two on an object merged from both of theirs. */
static bool try_merged(struct making *making, const struct pair *pair, json_t *object,
                       struct fx_err *err) {
    struct trial_case tcase;
    if (!fx_trial_case_init(&tcase, making->analyzer, object, FX_ANALYSIS_MADE, err)) {
        return false;
    }
    tcase.request.source = making->sketches[pair->a].tcase.request.source;
    bool found = false;
    bool ok = find_operation(making, &tcase, pair, &found, err);
    if (ok && found) {
        const uint32_t order[] = {pair->a, pair->b};
        making->analyzer->result->n_objects++;
        ok = fx_analyzer_try_set(making->analyzer, &tcase, order, 2, err);
    }
    fx_trial_case_finish(&tcase);
    return ok;
}

static bool merge_pair(struct making *making, const struct pair *pair,
                       struct fx_err *err) {
    struct fx_mutator *const *mutators = making->analyzer->snapshot->mutators;
    const struct fx_binding *binding =
        fx_pairs_binding(mutators[pair->a], mutators[pair->b]);
    err->code = FX_OK;
    json_t *object = fx_sketch_merge(
        making->sketches[pair->a].tcase.object, making->sketches[pair->b].tcase.object,
        fx_pairs_namespace(mutators[pair->a], mutators[pair->b]), err);
    if (object == NULL) {
        return err->code == FX_OK;
    }
    const bool is_known = binding != NULL && !binding->any_group && !binding->any_version;
    const bool ok = !is_known || set_type(object, binding) || fx_fail_nomem(err);
    const bool done = ok && try_merged(making, pair, object, err);
    json_decref(object);
    return done;
}

/* Does either match the other's object? Then they have run together there. */
static bool have_met(struct making *making, const struct pair *pair, bool *ret_met,
                     struct fx_err *err) {
    const char *criterion = NULL;
    return fx_analyzer_matches(making->analyzer, &making->sketches[pair->a].tcase,
                               pair->b, &criterion, ret_met, err) &&
           (*ret_met ||
            fx_analyzer_matches(making->analyzer, &making->sketches[pair->b].tcase,
                                pair->a, &criterion, ret_met, err));
}

/* Takes steps for other work than a match. False if there are too few, or if no further
 * finding would be reported. */
static bool spend(struct analyzer *analyzer, size_t n_steps) {
    if (analyzer->steps_left < n_steps ||
        analyzer->n_warnings == FX_LIMIT_CHECK_FINDINGS) {
        return false;
    }
    analyzer->steps_left -= n_steps;
    return true;
}

static bool try_pairs(struct making *making, struct fx_err *err) {
    for (size_t i = 0; i < making->pairs.n_items; i++) {
        const struct pair *pair = &making->pairs.items[i];
        bool met = false;
        if (pair->a > pair->b) {
            continue; /* the pair exists in both orders */
        }
        if (!spend(making->analyzer, MEETING_COST)) {
            making->analyzer->result->n_skipped++;
            continue;
        }
        if (!have_met(making, pair, &met, err)) {
            return false;
        }
        if (!met && spend(making->analyzer, MERGING_COST) &&
            !merge_pair(making, pair, err)) {
            return false;
        }
    }
    return true;
}

/* ---- everybody ------------------------------------------------------------------- */

/* Two orders, two passes each, and once more: about what one object costs. */
static size_t cost_of(size_t n_mutators) {
    return 5 * n_mutators;
}

/* Runs all mutators that may match the object: those that write different fields may
 * depend on each other, too. */
static bool try_everybody(struct making *making, struct fx_err *err) {
    struct analyzer *analyzer = making->analyzer;
    struct fx_candidates candidates = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < analyzer->snapshot->n_mutators; i++) {
        const struct trial_case *tcase = &making->sketches[i].tcase;
        if (tcase->object == NULL) {
            continue;
        }
        ok = fx_analyzer_candidates(analyzer, tcase, &candidates, err);
        if (ok && cost_of(candidates.n_indices) > analyzer->steps_left) {
            analyzer->result->n_skipped++;
        } else if (ok && candidates.n_indices > 1) {
            ok = fx_analyzer_try_set(analyzer, tcase, candidates.indices,
                                     candidates.n_indices, err);
        }
    }
    fx_candidates_finish(&candidates);
    return ok;
}

/* Each part has a share of the steps, plus those left by the parts before it, except the
 * last one: many mutators make a large object, where each step takes longer. */
static bool try_all(struct making *making, struct fx_err *err) {
    struct analyzer *analyzer = making->analyzer;
    const size_t quarter = analyzer->steps_left / 4;
    analyzer->steps_left -= 2 * quarter;
    if (!try_companies(making, err)) {
        return false;
    }
    analyzer->steps_left += quarter;
    if (!try_pairs(making, err)) {
        return false;
    }
    analyzer->steps_left = quarter;
    return try_everybody(making, err);
}

bool fx_analyzer_try_made(struct analyzer *analyzer, struct fx_err *err) {
    struct making making = {
        .analyzer = analyzer,
        .order = calloc(analyzer->snapshot->n_mutators + 1, sizeof *making.order),
    };
    bool ok = making.order != NULL || fx_fail_nomem(err);
    making.sketches = ok ? fx_sketches_make(analyzer, err) : NULL;
    ok = making.sketches != NULL &&
         fx_pairs_find(analyzer, making.sketches, &making.pairs, err) &&
         try_all(&making, err);
    analyzer->result->n_skipped += making.pairs.n_skipped;
    fx_pairs_finish(&making.pairs);
    fx_sketches_destroy(making.sketches, analyzer->snapshot->n_mutators);
    free(making.order);
    return ok;
}
