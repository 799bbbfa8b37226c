/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/made.c - tries mutators on objects that the analysis makes. Each mutator's
 * object is tried with the mutators that write the same fields, then with all; a pair
 * that does not match one object is tried on an object merged from both.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/analyzer.h"
#include "base/limits.h"
#include "value/equal.h"
#include "value/tree.h"

/* ---- merging two objects --------------------------------------------------------- */

#define ELEMENTS_MAX 256u /* the most elements of a list; samples are small */

/* The values in samples where any value would do. */
#define ANY_NAME      "example"
#define ANY_NAMESPACE "default"

static bool merge_values(json_t *into, json_t *from);

static bool add_copy(json_t *into, struct fx_text key, const json_t *value) {
    return fx_tree_set_take(into, key, fx_tree_deep_copy(value));
}

static bool is_container(const json_t *value) {
    return json_is_object(value) || json_is_array(value);
}

/* Is `present` only a filler (a scalar) for the container `value`? */
static bool is_filler(const json_t *present, const json_t *value) {
    return !is_container(present) && is_container(value);
}

static bool merge_objects(json_t *into, json_t *from) {
    for (void *at = fx_node_first(from); at != NULL; at = fx_node_next(from, at)) {
        const struct fx_text key = fx_node_key(at);
        json_t *value = json_object_iter_value(at);
        json_t *present = fx_tree_view_text(into, key);
        if (present == NULL || is_filler(present, value)
                ? !add_copy(into, key, value)
                : !merge_values(present, value)) {
            return false;
        }
    }
    return true;
}

/* Are they the same element? They are if a key has the same scalar in both (`name:
 * example`). */
static bool are_one(const json_t *a, json_t *b) {
    for (void *at = fx_node_first(b); at != NULL; at = fx_node_next(b, at)) {
        const struct fx_text key = fx_node_key(at);
        const json_t *value = json_object_iter_value(at);
        if (!json_is_object(value) && !json_is_array(value) &&
            fx_equal(value, fx_tree_view_text(a, key))) {
            return true;
        }
    }
    return fx_equal(a, b);
}

static bool merge_lists(json_t *into, const json_t *from) {
    for (size_t i = 0; i < json_array_size(from) && i < ELEMENTS_MAX; i++) {
        json_t *element = json_array_get(from, i);
        json_t *same = NULL;
        for (size_t k = 0; same == NULL && k < json_array_size(into); k++) {
            json_t *candidate = json_array_get(into, k);
            same = are_one(candidate, element) ? candidate : NULL;
        }
        if (same != NULL ? !merge_values(same, element)
                         : !fx_tree_append_take(into, fx_tree_deep_copy(element))) {
            return false;
        }
    }
    return true;
}

/* Merges `from` into `into`, a deep copy of our own. False without memory. */
static bool merge_values(json_t *into, json_t *from) {
    if (json_is_object(into) && json_is_object(from)) {
        return merge_objects(into, from);
    }
    if (json_is_array(into) && json_is_array(from)) {
        return merge_lists(into, from);
    }
    return true;
}

/* Do `a` and `b` agree in all that both have? */
static bool agree(const json_t *a, json_t *b) {
    for (void *at = fx_node_first(b); at != NULL; at = fx_node_next(b, at)) {
        const struct fx_text key = fx_node_key(at);
        const json_t *other = fx_tree_view_text(a, key);
        if (other != NULL && !fx_equal(other, json_object_iter_value(at))) {
            return false;
        }
    }
    return true;
}

static bool same_where_given(const json_t *a, const json_t *b, const char *key) {
    const struct fx_text x = fx_tree_view_string(a, key);
    const struct fx_text y = fx_tree_view_string(b, key);
    return x.data == NULL || y.data == NULL || fx_text_equal(x, y) ||
           fx_text_is(x, ANY_NAME) || fx_text_is(y, ANY_NAME);
}

/* Are they in the same namespace, or may one of them be in any? */
static bool share_namespace(const json_t *a, const json_t *b) {
    const struct fx_text x = fx_tree_view_string(a, "namespace");
    const struct fx_text y = fx_tree_view_string(b, "namespace");
    return fx_text_equal(x, y) || fx_text_is(x, ANY_NAMESPACE) ||
           fx_text_is(y, ANY_NAMESPACE);
}

/* Can the two be one object? Namespaces are ignored. */
static bool may_be_one(const json_t *a, const json_t *b) {
    return same_where_given(a, b, "name") &&
           agree(fx_tree_view_key(a, "labels"), fx_tree_view_key(b, "labels")) &&
           agree(fx_tree_view_key(a, "annotations"), fx_tree_view_key(b, "annotations"));
}

/* Replaces the member of `into` by that of `from` if it is `any`, a placeholder. */
static bool take_choice(json_t *into, const json_t *from, const char *key,
                        const char *any) {
    json_t *chosen = fx_tree_view_key(from, key);
    return chosen == NULL || !fx_text_is(fx_tree_view_string(into, key), any) ||
           fx_tree_set_take(into, fx_text_of(key), json_incref(chosen));
}

static bool take_names(json_t *metadata, const json_t *theirs,
                       struct fx_text namespace_) {
    if (!take_choice(metadata, theirs, "name", ANY_NAME)) {
        return false;
    }
    return namespace_.data != NULL
               ? fx_tree_set_take(metadata, FX_TEXT("namespace"),
                                  fx_tree_new_string(namespace_))
               : take_choice(metadata, theirs, "namespace", ANY_NAMESPACE);
}

/* Merges two objects: the fields of both, each list element once; in `namespace_`, unless
 * its data is NULL. If fields contradict each other, the value of `a` is taken. Returns a
 * new reference; NULL (no error) if type or name contradict each other. */
static json_t *merge_samples(const json_t *a, const json_t *b, struct fx_text namespace_,
                             struct fx_err *err) {
    const json_t *ours = fx_tree_view_key(a, "metadata");
    const json_t *theirs = fx_tree_view_key(b, "metadata");
    if (!may_be_one(ours, theirs) ||
        (namespace_.data == NULL && !share_namespace(ours, theirs))) {
        return NULL;
    }
    json_t *merged = fx_tree_deep_copy(a);
    json_t *other = fx_tree_deep_copy(b);
    json_t *metadata = fx_tree_view_key(merged, "metadata");
    if (merged == NULL || other == NULL || !merge_values(merged, other) ||
        (metadata != NULL && !take_names(metadata, theirs, namespace_))) {
        (void)fx_fail_nomem(err);
        json_decref(merged);
        merged = NULL;
    }
    json_decref(other);
    return merged;
}

/* The cost in steps of checking whether a pair matches one object, and of merging two
 * objects. */
#define MATCHING_COST 2u
#define MERGING_COST  8u

struct object_maker {
    struct analyzer *analyzer;
    struct sample *samples;
    struct pairs pairs;
    uint32_t *order; /* room for all mutators */
};

/* ---- each mutator with its pairs ------------------------------------------------- */

/* Fills `order` with the mutator and the mutators it is paired with, from the pair at *at
 * on. Returns how many there are, and moves *at past these pairs. */
static size_t list_set(struct object_maker *maker, uint32_t mutator, size_t *at) {
    const struct pairs *pairs = &maker->pairs;
    size_t n = 0;
    bool has_self = false;
    for (; *at < pairs->n_items && pairs->items[*at].a == mutator; ++*at) {
        if (!has_self && pairs->items[*at].b > mutator) {
            has_self = true;
            maker->order[n++] = mutator;
        }
        maker->order[n++] = pairs->items[*at].b;
    }
    if (!has_self) {
        maker->order[n++] = mutator;
    }
    return n;
}

static bool try_sets(struct object_maker *maker, struct fx_err *err) {
    const size_t n_mutators = maker->analyzer->snapshot->n_mutators;
    size_t at = 0;
    for (uint32_t i = 0; i < n_mutators; i++) {
        const struct trial_case *tcase = &maker->samples[i].tcase;
        if (tcase->object == NULL) {
            continue;
        }
        const size_t n = list_set(maker, i, &at);
        if (!fx_analyzer_check_alone(maker->analyzer, tcase, i, err) ||
            !fx_analyzer_try_set(maker->analyzer, tcase, maker->order, n, err)) {
            return false;
        }
    }
    return true;
}

/* ---- merged objects -------------------------------------------------------------- */

/* Do both match with the same operation? */
static bool find_operation(const struct object_maker *maker, struct trial_case *tcase,
                           const struct pair *pair, bool *ret_found, struct fx_err *err) {
    static const enum fx_operation operations[] = {FX_OPERATION_CREATE,
                                                   FX_OPERATION_UPDATE};
    *ret_found = false;
    for (size_t i = 0; !*ret_found && i < FX_COUNT(operations); i++) {
        bool other = false;
        tcase->request.operation = operations[i];
        if (!fx_analyzer_matches(maker->analyzer, tcase, pair->a, NULL, ret_found, err) ||
            !fx_analyzer_matches(maker->analyzer, tcase, pair->b, NULL, &other, err)) {
            return false;
        }
        *ret_found = *ret_found && other;
    }
    return true;
}

/* Runs both on an object merged from their objects. */
static bool try_merged(struct object_maker *maker, const struct pair *pair,
                       json_t *object, struct fx_err *err) {
    struct trial_case tcase;
    if (!fx_trial_case_init(&tcase, maker->analyzer, object, FX_ANALYSIS_MADE, err)) {
        return false;
    }
    tcase.request.source = maker->samples[pair->a].tcase.request.source;
    bool found = false;
    bool ok = find_operation(maker, &tcase, pair, &found, err);
    if (ok && found) {
        const uint32_t order[] = {pair->a, pair->b};
        maker->analyzer->result->n_objects++;
        ok = fx_analyzer_try_set(maker->analyzer, &tcase, order, 2, err);
    }
    fx_trial_case_finish(&tcase);
    return ok;
}

static bool merge_pair(struct object_maker *maker, const struct pair *pair,
                       struct fx_err *err) {
    struct fx_mutator *const *mutators = maker->analyzer->snapshot->mutators;
    const struct fx_binding *binding =
        fx_pairs_binding(mutators[pair->a], mutators[pair->b]);
    err->code = FX_OK;
    json_t *object = merge_samples(
        maker->samples[pair->a].tcase.object, maker->samples[pair->b].tcase.object,
        fx_pairs_namespace(mutators[pair->a], mutators[pair->b]), err);
    if (object == NULL) {
        return err->code == FX_OK;
    }
    const bool is_known = binding != NULL && !binding->any_group && !binding->any_version;
    const bool ok =
        !is_known || fx_analyzer_set_type(object, binding) || fx_fail_nomem(err);
    const bool done = ok && try_merged(maker, pair, object, err);
    json_decref(object);
    return done;
}

/* Does either match the other's object? Then both have run on that object. */
static bool ran_on_one_object(struct object_maker *maker, const struct pair *pair,
                              bool *ret_together, struct fx_err *err) {
    return fx_analyzer_matches(maker->analyzer, &maker->samples[pair->a].tcase, pair->b,
                               NULL, ret_together, err) &&
           (*ret_together ||
            fx_analyzer_matches(maker->analyzer, &maker->samples[pair->b].tcase, pair->a,
                                NULL, ret_together, err));
}

/* Takes steps for work other than matching. False if too few are left, or if no further
 * finding would be reported. */
static bool spend(struct analyzer *analyzer, size_t n_steps) {
    if (analyzer->steps_left < n_steps ||
        analyzer->n_warnings == FX_LIMIT_CHECK_FINDINGS) {
        return false;
    }
    analyzer->steps_left -= n_steps;
    return true;
}

static bool try_pairs(struct object_maker *maker, struct fx_err *err) {
    for (size_t i = 0; i < maker->pairs.n_items; i++) {
        const struct pair *pair = &maker->pairs.items[i];
        bool both_ran = false;
        if (pair->a > pair->b) {
            continue; /* the pair exists in both orders */
        }
        if (!spend(maker->analyzer, MATCHING_COST)) {
            maker->analyzer->result->n_skipped++;
            continue;
        }
        if (!ran_on_one_object(maker, pair, &both_ran, err)) {
            return false;
        }
        if (!both_ran && spend(maker->analyzer, MERGING_COST) &&
            !merge_pair(maker, pair, err)) {
            return false;
        }
    }
    return true;
}

/* ---- all mutators that may match ------------------------------------------------- */

/* The approximate cost of one object: two orders with two passes each, and a second
 * run. */
static size_t cost_of(size_t n_mutators) {
    return 5 * n_mutators;
}

/* Runs all mutators that may match the object, as mutators that write different fields
 * may also depend on each other. */
static bool try_candidates(struct object_maker *maker, struct fx_err *err) {
    struct analyzer *analyzer = maker->analyzer;
    struct fx_candidates candidates = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < analyzer->snapshot->n_mutators; i++) {
        const struct trial_case *tcase = &maker->samples[i].tcase;
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

/* Each part has a share of the steps, plus the steps left by the parts before it. The
 * last part gets no such rest: with many mutators the objects are large, and each step
 * takes longer. */
static bool try_all(struct object_maker *maker, struct fx_err *err) {
    struct analyzer *analyzer = maker->analyzer;
    const size_t quarter = analyzer->steps_left / 4;
    analyzer->steps_left -= 2 * quarter;
    if (!try_sets(maker, err)) {
        return false;
    }
    analyzer->steps_left += quarter;
    if (!try_pairs(maker, err)) {
        return false;
    }
    analyzer->steps_left = quarter;
    return try_candidates(maker, err);
}

bool fx_analyzer_try_made(struct analyzer *analyzer, struct fx_err *err) {
    struct object_maker maker = {
        .analyzer = analyzer,
        .order = calloc(analyzer->snapshot->n_mutators + 1, sizeof *maker.order),
    };
    bool ok = maker.order != NULL || fx_fail_nomem(err);
    maker.samples = ok ? fx_samples_make(analyzer, err) : NULL;
    ok = maker.samples != NULL &&
         fx_pairs_find(analyzer, maker.samples, &maker.pairs, err) &&
         try_all(&maker, err);
    analyzer->result->n_skipped += maker.pairs.n_skipped;
    fx_pairs_finish(&maker.pairs);
    fx_samples_destroy(maker.samples, analyzer->snapshot->n_mutators);
    free(maker.order);
    return ok;
}
