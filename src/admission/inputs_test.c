/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/inputs_test.c - which inputs a review asks for, and for whom: a
 * whole Namespace and a Node only where a policy that may act on the object wants them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "admission/fakes.h"
#include "admission/review.h"
#include "admission/review_texts.h"
#include "engine/mutator.h"
#include "value/equal.h"

#define POD_OF(node)                                                                     \
    "'object':{'apiVersion':'v1','kind':'Pod','metadata':{'labels':{'node':'" node "'}}" \
    "}"
#define IN_SHOP(operation, object) \
    REQUEST(POD_KIND ",'namespace':'shop','operation':'" operation "'," object)

/* ---- a mutator that notes what it is shown ---- */

static struct shown {
    const json_t *namespace_object, *node_object; /* as many as it was shown; borrowed */
    unsigned n_times;
} shown;

static bool note(const struct fx_request *request, json_t *root, struct fx_err *err,
                 bool *ret_changed) {
    (void)root;
    (void)err;
    *ret_changed = false;
    shown.namespace_object = request->namespace_object;
    const struct fx_input_key node = fx_input_core_key("Node", FX_TEXT("w"));
    const struct fx_input_entry *entry = fx_inputs_find(request->inputs, &node);
    shown.node_object = entry == NULL ? NULL : entry->value;
    shown.n_times++;
    return true;
}

/* One that is for Pods of one namespace, on UPDATE alone. */
static struct fx_snapshot *make_snapshot(bool wants_namespace, bool wants_node) {
    static const struct fx_object_view view = {fake_put_on, fake_take_off};
    static const struct fx_mutator_ops ops = {
        .match = fake_match, .apply = fake_apply, .view = &view, .destroy = fake_destroy};
    static const struct fx_text own_namespace = {"shop", 4};
    static const struct fx_binding binding = {
        .kind = {"Pod", 3},
        .operations = FX_OPERATION_BIT(FX_OPERATION_UPDATE),
        .any_group = true,
        .any_version = true,
    };
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    struct fx_mutator *mutator = fake_mutator(note, "a");
    mutator->ops = &ops;
    fake_set_inputs(mutator, wants_namespace, wants_node);
    mutator->bindings = &binding;
    mutator->n_bindings = 1;
    mutator->namespaces = &own_namespace;
    mutator->n_namespaces = 1;
    const struct fx_snapshot_parts parts = {.mutators = &mutator, .n_mutators = 1};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    fx_mutator_unref(mutator);
    return snapshot;
}

/* ---- a cluster ---- */

#define QUESTIONS 4

/* What was asked of it; how it answers. */
static struct cluster {
    bool is_node[QUESTIONS], is_whole[QUESTIONS];
    char names[QUESTIONS][300];
    size_t n_questions;
    enum fx_lookup answer;
    enum fx_code failure;
} cluster;

static json_t *make_object(const char *name) {
    json_t *made = json_pack("{s:{s:s}}", "metadata", "name", name);
    assert_non_null(made);
    return made;
}

static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_object, struct fx_err *err) {
    (void)user;
    const size_t at = cluster.n_questions++;
    assert_true(at < QUESTIONS && key->name.len < sizeof cluster.names[at]);
    cluster.is_node[at] = fx_input_key_is(key, "Node");
    cluster.is_whole[at] = !key->labels_only;
    (void)snprintf(cluster.names[at], sizeof cluster.names[at], "%.*s",
                   FX_TEXT_ARG(key->name));
    if (!cluster.is_node[at] || cluster.answer == FX_LOOKUP_FOUND) {
        *ret_object = make_object(cluster.names[at]);
        return FX_LOOKUP_FOUND;
    }
    if (cluster.answer == FX_LOOKUP_FAILED) {
        (void)fx_fail(err, cluster.failure, "nodes \"w\" not found");
    }
    return cluster.answer;
}

static const struct fx_admission admission = {.find_input = find_input};

/* ---- reviews ---- */

static struct fx_review *begin(struct fx_snapshot *snapshot, const char *request) {
    shown = (struct shown){0};
    struct fx_review *review =
        fx_review_create(&admission, snapshot, fx_text_of(request), 0);
    assert_non_null(review);
    return review;
}

static const struct {
    const char *about, *request;
    bool wants_namespace, wants_node;
    bool is_whole; /* the namespace that is asked for */
    bool asks_node;
} cases[] = {
    {"both", IN_SHOP("UPDATE", POD_OF("w")), true, true, true, true},
    {"neither", IN_SHOP("UPDATE", POD_OF("w")), false, false, false, false},
    {"a Node alone", IN_SHOP("UPDATE", POD_OF("w")), false, true, false, true},
    {"no Node is named", IN_SHOP("UPDATE", POD_OF("")), true, true, true, false},
    {"another operation", IN_SHOP("CREATE", POD_OF("w")), true, true, false, false},
    {"another namespace",
     REQUEST(POD_KIND ",'namespace':'zoo','operation':'UPDATE'," POD_OF("w")), true, true,
     false, false},
    {"another kind",
     IN_SHOP("UPDATE", "'object':{'apiVersion':'v1','kind':'Secret','metadata':{'labels':"
                       "{'node':'w'}}}"),
     true, true, false, false},
};

static void asks_for_who_may_act(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        print_message("%s\n", cases[i].about);
        cluster = (struct cluster){.answer = FX_LOOKUP_FOUND};
        char *request = with_quotes(cases[i].request);
        struct fx_snapshot *snapshot =
            make_snapshot(cases[i].wants_namespace, cases[i].wants_node);
        struct fx_review *review = begin(snapshot, request);
        assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
        assert_int_equal(fx_review_result(review)->decision, FX_DECISION_UNCHANGED);
        assert_int_equal(cluster.n_questions, cases[i].asks_node ? 2 : 1);
        assert_false(cluster.is_node[0]);
        assert_int_equal(cluster.is_whole[0], cases[i].is_whole);
        if (cases[i].asks_node) {
            assert_true(cluster.is_node[1]);
            assert_string_equal(cluster.names[1], "w");
            assert_non_null(shown.node_object);
        }
        assert_true(cases[i].asks_node || shown.node_object == NULL);
        fx_review_destroy(review);
        fx_snapshot_unref(snapshot);
        free(request);
    }
}

/* What is in no namespace has no question about one. */
static void a_namespace_is_its_own(void **state) {
    (void)state;
    cluster = (struct cluster){.answer = FX_LOOKUP_FOUND};
    char *request =
        with_quotes(REQUEST("'kind':{'group':'','version':'v1','kind':'Namespace'},"
                            "'namespace':'shop','operation':'UPDATE','object':{"
                            "'apiVersion':'v1','kind':'Namespace','metadata':{'name':"
                            "'shop'}}"));
    struct fx_snapshot *snapshot = make_snapshot(true, true);
    struct fx_review *review = begin(snapshot, request);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    assert_int_equal(cluster.n_questions, 0);
    fx_review_destroy(review);
    fx_snapshot_unref(snapshot);
    free(request);
}

#define NONE                                                                         \
    RESPONSE("'allowed':true,'status':{'message':'Resource was not mutated','code':" \
             "200},'warnings':['policies see no Node: nodes \\'w\\' not found']")

static void expect_body(const struct fx_review *review, const char *expected) {
    char *body = with_quotes(expected);
    assert_string_equal(fx_review_result(review)->body->data, body);
    free(body);
}

/* Rules do without a Node that is not there; that it cannot be asked for is no verdict.
 */
static void tells_of_a_node_that_is_not_there(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = make_snapshot(true, true);
    char *request = with_quotes(IN_SHOP("UPDATE", POD_OF("w")));
    cluster = (struct cluster){.answer = FX_LOOKUP_FAILED, .failure = FX_EMUTATE};
    struct fx_review *review = begin(snapshot, request);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    expect_body(review, NONE);
    assert_int_equal(shown.n_times, 1);
    assert_null(shown.node_object);
    assert_non_null(shown.namespace_object);
    fx_review_destroy(review);

    cluster = (struct cluster){.answer = FX_LOOKUP_FAILED, .failure = FX_EIO};
    review = begin(snapshot, request);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    assert_int_equal(fx_review_result(review)->status, 503);
    assert_int_equal(shown.n_times, 0);
    fx_review_destroy(review);
    free(request);
    fx_snapshot_unref(snapshot);
}

static void waits_for_a_node(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = make_snapshot(true, true);
    char *request = with_quotes(IN_SHOP("UPDATE", POD_OF("w")));
    cluster = (struct cluster){.answer = FX_LOOKUP_WAIT};
    for (int there = 0; there < 2; there++) {
        struct fx_err failure = FX_ERR_INIT;
        (void)fx_fail(&failure, FX_EMUTATE, "nodes \"w\" not found");
        cluster.n_questions = 0;
        struct fx_review *review = begin(snapshot, request);
        assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
        assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
        struct fx_input_entry *entry = fake_awaited(review);
        assert_true(fx_input_key_is(&entry->key, "Node"));
        assert_true(fx_text_is(entry->key.name, "w"));
        fx_inputs_give(entry, there ? make_object("w") : NULL, there ? NULL : &failure);
        assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
        assert_int_equal(cluster.n_questions, 2); /* it is not asked for again */
        expect_body(review, there ? UNCHANGED : NONE);
        assert_int_equal(shown.node_object != NULL, there);
        fx_review_destroy(review);
    }
    free(request);
    fx_snapshot_unref(snapshot);
}

/* The name is the user's: what is none goes into no URL. */
static void a_name_that_is_none_is_not_asked_for(void **state) {
    (void)state;
    static const char *const requests[] = {
        IN_SHOP("UPDATE", POD_OF("../namespaces/kube-system/secrets/a")),
        IN_SHOP("UPDATE", POD_OF("..")),
        IN_SHOP("UPDATE", POD_OF("w?x=y")),
        IN_SHOP("UPDATE", POD_OF("W")),
    };
    struct fx_snapshot *snapshot = make_snapshot(false, true);
    for (size_t i = 0; i < FX_COUNT(requests); i++) {
        char *request = with_quotes(requests[i]);
        cluster = (struct cluster){.answer = FX_LOOKUP_FOUND};
        struct fx_review *review = begin(snapshot, request);
        assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
        assert_int_equal(cluster.n_questions, 1);
        expect_body(
            review,
            RESPONSE("'allowed':true,'status':{'message':'Resource was not "
                     "mutated','code':200},'warnings':['policies see no Node: "
                     "the name in the object is not a lowercase RFC 1123 subdomain']"));
        assert_int_equal(shown.n_times, 1);
        fx_review_destroy(review);
        free(request);
    }
    fx_snapshot_unref(snapshot);
}

/* ---- rules that ask for inputs ---------------------------------------------------- */

static struct fx_snapshot *asking_snapshot(void) {
    struct fx_snapshot *snapshot = NULL;
    struct fx_err err = FX_ERR_INIT;
    struct fx_mutator *mutator = fake_mutator(fake_follow, "a");
    mutator->inputs = fake_asked;
    mutator->n_inputs = FX_COUNT(fake_asked);
    const struct fx_snapshot_parts parts = {.mutators = &mutator, .n_mutators = 1};
    assert_true(fx_snapshot_build(&parts, 1, &snapshot, &err));
    fx_mutator_unref(mutator);
    return snapshot;
}

/* Namespaces are at hand. */
static enum fx_lookup find_spaces(void *user, const struct fx_input_key *key,
                                  json_t **ret_value, struct fx_err *err) {
    (void)user;
    (void)err;
    if (!fx_input_key_is(key, "Namespace")) {
        return FX_LOOKUP_WAIT;
    }
    *ret_value = make_object("shop");
    return FX_LOOKUP_FOUND;
}

static void expect_asked(struct fx_review *review, const char *name) {
    const struct fx_input_entry *entry = fake_awaited(review);
    assert_true(fx_input_key_is(&entry->key, "ConfigMap"));
    assert_true(fx_text_is(entry->key.namespace_, "shop"));
    assert_true(fx_text_is(entry->key.name, name));
}

/* In two rounds; each begins with the object as it came. */
static void rules_ask_in_rounds(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = asking_snapshot();
    char *request = with_quotes(IN_SHOP("CREATE", POD_OF("")));
    for (int partial_decode = 0; partial_decode < 2; partial_decode++) {
        const struct fx_admission asking = {.find_input = find_spaces,
                                            .partial_decode = partial_decode != 0};
        struct fx_review *review =
            fx_review_create(&asking, snapshot, fx_text_of(request), 0);
        assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
        expect_asked(review, "a");
        fx_inputs_give(fake_awaited(review), json_pack("{s:s}", "next", "b"), NULL);
        assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
        assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
        expect_asked(review, "b");
        fx_inputs_give(fake_awaited(review), json_object(), NULL);
        assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
        const struct fx_review_result *result = fx_review_result(review);
        assert_int_equal(result->decision, FX_DECISION_MUTATED);
        assert_int_equal(result->patch->n_ops, 1);
        assert_string_equal(json_string_value(result->patch->ops[0].value), "b");
        fx_review_destroy(review);
    }
    free(request);
    fx_snapshot_unref(snapshot);
}

static void failed_inputs_fail_their_rule(void **state) {
    (void)state;
    static const struct {
        enum fx_code code;
        enum fx_decision decision;
    } ends[] = {{FX_EMUTATE, FX_DECISION_MUTATED}, /* there is none */
                {FX_EIO, FX_DECISION_FAILED},
                {FX_ENOMEM, FX_DECISION_BROKEN}};
    struct fx_snapshot *snapshot = asking_snapshot();
    char *request = with_quotes(IN_SHOP("CREATE", POD_OF("")));
    for (size_t i = 0; i < FX_COUNT(ends); i++) {
        const struct fx_admission asking = {.find_input = find_spaces};
        struct fx_err failure = FX_ERR_INIT;
        (void)fx_fail(&failure, ends[i].code, "reason");
        struct fx_review *review =
            fx_review_create(&asking, snapshot, fx_text_of(request), 0);
        assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
        fx_inputs_give(fake_awaited(review), NULL, &failure);
        assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
        assert_int_equal(fx_review_result(review)->decision, ends[i].decision);
        fx_review_destroy(review);
    }
    free(request);
    fx_snapshot_unref(snapshot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_for_who_may_act),
        cmocka_unit_test(a_namespace_is_its_own),
        cmocka_unit_test(tells_of_a_node_that_is_not_there),
        cmocka_unit_test(waits_for_a_node),
        cmocka_unit_test(a_name_that_is_none_is_not_asked_for),
        cmocka_unit_test(rules_ask_in_rounds),
        cmocka_unit_test(failed_inputs_fail_their_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
