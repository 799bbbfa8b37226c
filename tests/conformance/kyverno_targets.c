/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_targets.c - the cases of kyverno/mutate.jsonl whose rules have targets: objects
 * trigger the rules, which mutate the others.
 */
#include "base/limits.h"
#include "engine/converge.h"
#include "engine/existing.h"
#include "kinds.h"
#include "kyverno_case.h"
#include "kyverno_compare.h"
#include "merge/schema.h"
#include "value/tree.h"

/* A case under way. */
struct play {
    json_t *row;
    const struct fx_snapshot *snapshot;
    json_t *states;    /* an array: the objects as they are now */
    bool is_of_policy; /* the policies come last: they trigger their rules themselves */
    size_t n_triggered;
    struct fx_err err;
};

bool fx_case_kyverno_has_targets(const json_t *row) {
    const json_t *policies = fx_tree_view_key(row, "policies");
    bool has = false;
    for (size_t i = 0; !has && i < json_array_size(policies); i++) {
        const json_t *rules = fx_tree_view_key(
            fx_tree_view_key(json_array_get(policies, i), "spec"), "rules");
        for (size_t j = 0; !has && j < json_array_size(rules); j++) {
            const json_t *mutate = fx_tree_view_key(json_array_get(rules, j), "mutate");
            has = json_array_size(fx_tree_view_key(mutate, "targets")) > 0;
        }
    }
    return has;
}

/* ---- objects ----------------------------------------------------------------------- */

static bool are_same(const json_t *a, const json_t *b) {
    struct fx_subject one, other;
    fx_subject_read(a, &one);
    fx_subject_read(b, &other);
    return fx_text_equal(one.kind, other.kind) && fx_text_equal(one.name, other.name) &&
           fx_text_equal(one.namespace_, other.namespace_);
}

static json_t *find_same(json_t *objects, const json_t *like) {
    for (size_t i = 0; i < json_array_size(objects); i++) {
        if (are_same(json_array_get(objects, i), like)) {
            return json_array_get(objects, i);
        }
    }
    return NULL;
}

/* Adds the object as the API server stores it, with a namespace; the first of each name
 * counts. */
static void add_object(json_t *objects, json_t *object) {
    json_t *copy = fx_tree_deep_copy(object);
    struct fx_subject subject;
    fx_subject_read(copy, &subject);
    if (subject.namespace_.len == 0 &&
        !fx_kind_is_cluster_scoped(subject.group, subject.kind)) {
        (void)json_object_set_new(json_object_get(copy, "metadata"), "namespace",
                                  json_string("default"));
    }
    if (find_same(objects, copy) == NULL) {
        (void)json_array_append(objects, copy);
    }
    json_decref(copy);
}

static void add_objects(json_t *objects, const json_t *given) {
    for (size_t i = 0; i < json_array_size(given); i++) {
        add_object(objects, json_array_get(given, i));
    }
}

/* ---- a trigger --------------------------------------------------------------------- */

/* Applies the rule to each object that it selects. */
static bool apply_rule(struct play *play, const struct fx_mutator *rule,
                       const struct fx_request *request, json_t *trigger) {
    struct fx_existing_queries queries = {0};
    struct fx_err *err = &play->err;
    bool ok = rule->ops->existing->select(rule, request, trigger, &queries, err);
    for (size_t i = 0; ok && i < json_array_size(play->states); i++) {
        json_t *state = json_incref(json_array_get(play->states, i));
        enum fx_existing_result result = FX_EXISTING_SAME;
        bool is = false;
        for (size_t q = 0; ok && !is && q < queries.n_items; q++) {
            ok = fx_existing_query_fits(&queries.items[q], state, &is, err);
        }
        ok = ok &&
             (!is || fx_existing_apply(rule, request, trigger, &state, &result, err));
        (void)json_array_set_new(play->states, i, state);
    }
    fx_existing_queries_finish(&queries);
    return ok;
}

static bool apply_triggered(struct play *play, const struct fx_outcome *outcome,
                            const struct fx_request *request, json_t *trigger) {
    bool ok = true;
    for (size_t i = 0; ok && i < outcome->n_triggered; i++) {
        const struct fx_mutator *rule = play->snapshot->mutators[outcome->triggered[i]];
        if (!play->is_of_policy || rule->run.on_policy_change) {
            play->n_triggered++;
            ok = apply_rule(play, rule, request, trigger);
        }
    }
    return ok;
}

/* Reviews the object; then the rules that it triggers run. */
static bool ask_object(struct play *play, json_t *object) {
    struct fx_arena arena;
    struct fx_outcome outcome = {0};
    struct fx_kyverno_case case_;
    json_t *row = fx_tree_copy(play->row);
    (void)json_object_set(row, "resource", object);
    json_t *root = json_incref(object);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_kyverno_case_begin(row, &case_);
    const bool ok = fx_converge(play->snapshot, &case_.request, &arena, NULL, &root,
                                &outcome, &play->err) &&
                    apply_triggered(play, &outcome, &case_.request, root);
    fx_outcome_finish(&outcome);
    fx_kyverno_case_end(&case_);
    fx_arena_finish(&arena);
    json_decref(root);
    json_decref(row);
    return ok;
}

static bool ask_all(struct play *play) {
    json_t *triggers = json_array();
    const json_t *given = fx_tree_view_key(play->row, "triggers");
    if (play->is_of_policy) {
        (void)json_array_extend(triggers, play->states);
    } else if (given != NULL) {
        add_objects(triggers, given);
    } else {
        add_object(triggers, fx_tree_view_key(play->row, "resource"));
    }
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(triggers); i++) {
        ok = ask_object(play, json_array_get(triggers, i));
    }
    json_decref(triggers);
    return ok;
}

/* ---- the expectation --------------------------------------------------------------- */

/* Finds the first object that differs from the wanted one; *ret_wanted is a new
 * reference, NULL if there is none. *ret_got is borrowed. */
static void find_difference(const struct play *play, json_t **ret_wanted,
                            const json_t **ret_got) {
    const json_t *expect = fx_tree_view_key(play->row, "expect");
    json_t *resource = fx_tree_view_key(expect, "resource");
    json_t *wanted = json_array();
    add_objects(wanted, fx_tree_view_key(expect, "objects"));
    if (resource != NULL) {
        add_object(wanted, resource);
    }
    *ret_wanted = NULL;
    for (size_t i = 0; *ret_wanted == NULL && i < json_array_size(wanted); i++) {
        json_t *one = json_array_get(wanted, i);
        *ret_got = find_same(play->states, one);
        if (!fx_kyverno_is_expected(expect, one, *ret_got)) {
            *ret_wanted = json_incref(one);
        }
    }
    json_decref(wanted);
}

/* Is there a target of a kind that Kubernetes does not have in that version? Tests of
 * Kyverno with a cluster of their own have some. */
static bool has_strange_target(const json_t *row) {
    const json_t *policy = json_array_get(fx_tree_view_key(row, "policies"), 0);
    const json_t *rule =
        json_array_get(fx_tree_view_key(fx_tree_view_key(policy, "spec"), "rules"), 0);
    const json_t *targets = fx_tree_view_key(fx_tree_view_key(rule, "mutate"), "targets");
    struct fx_subject type;
    fx_subject_read_type(json_array_get(targets, 0), &type);
    return type.group.len == 0 && fx_text_is(type.version, "v1") &&
           fx_schema_find(&fx_schema_builtin, type.group, type.version, type.kind).set ==
               NULL;
}

static void compare(const struct play *play, struct fx_case_result *result) {
    json_t *wanted = NULL;
    const json_t *got = NULL;
    find_difference(play, &wanted, &got);
    if (wanted != NULL && play->n_triggered == 0) {
        result->skipped = "a later step of a script triggers the rule";
    } else if (wanted != NULL && has_strange_target(play->row)) {
        result->skipped = "a target of a kind that Kubernetes does not have";
    } else if (wanted != NULL) {
        fx_case_expect_json(result, "object", wanted, got);
    }
    json_decref(wanted);
}

void fx_case_kyverno_targets(json_t *row, struct fx_case_result *result) {
    struct fx_buf fault;
    fx_buf_init(&fault, 0);
    struct fx_policies *policies = fx_kyverno_case_build(row, &fault);
    struct play play = {
        .row = row,
        .states = json_array(),
        .is_of_policy =
            json_is_true(fx_tree_view_key(row, "policiesAppliedAfterResource")),
        .err = FX_ERR_INIT,
    };
    add_object(play.states, fx_tree_view_key(row, "resource"));
    add_objects(play.states, fx_tree_view_key(row, "clusterObjects"));
    add_objects(play.states, fx_tree_view_key(row, "triggers"));
    if (fault.len > 0 || policies == NULL) {
        fx_case_fail(result, "policies", "no error", fault.len > 0 ? fault.data : "NULL");
    } else {
        play.snapshot = policies->snapshot;
        if (ask_all(&play)) {
            compare(&play, result);
        } else {
            fx_case_fail(result, "rule", "no error", play.err.msg);
        }
    }
    json_decref(play.states);
    fx_policies_unref(policies);
    fx_buf_finish(&fault);
}
