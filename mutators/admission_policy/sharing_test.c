/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/sharing_test.c - rules write an object in place, but nothing
 * that others have: the object before the review, the old object, parameters, and the
 * configurations that are made when a policy is compiled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "engine/converge.h"
#include "mutators/admission_policy/rule_testing.h"
#include "value/equal.h"
#include "value/tree.h"

#define LABELS(labels) APPLY("Object{metadata: Object.metadata{labels: " labels "}}")
#define PARAM                                                                       \
    "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: param, namespace: d, " \
    "labels: {of: param}}, data: {x: '1'}}\n"
#define BOUND(name) BINDING(name, "policyName: " name)
#define WITH_PARAM(spec)                                                 \
    POLICY("p", "paramKind: {apiVersion: v1, kind: ConfigMap}, " spec)   \
    BINDING("b", "policyName: p, paramRef: {name: param, namespace: d, " \
                 "parameterNotFoundAction: Deny}")
#define MANY(first, second) "mutations: [" first ", " second "]"

static const char object_text[] =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop, labels: {a: "
    "'1'}}, data: {a: '1'}}";

/* Policies, and `metadata.labels` of the result. */
static const struct sharing_row {
    const char *documents, *labels;
} rows[] = {
    /* a constant, which gets another member in the object afterwards */
    {POLICY("p", "mutations: [" LABELS("{\"b\": \"2\"}") "]") BOUND("p")
         POLICY("q", "mutations: [" LABELS("{\"a\": \"3\"}") "]") BOUND("q"),
     "{a: '3', b: '2'}"},
    {POLICY("p", "mutations: [" LABELS("{\"b\": \"2\"}") "]") BOUND("p")
         POLICY("q", "mutations: [" PATCH(
                         "[JSONPatch{op: \"add\", path: \"/metadata/labels/b\", "
                         "value: \"3\"}]") "]") BOUND("q"),
     "{a: '1', b: '3'}"},
    /* parts of the object, the old object and a parameter become parts of the object, and
     * are then changed there */
    {POLICY("p", MANY(APPLY("Object{metadata: Object.metadata{annotations: "
                            "object.metadata.labels}}"),
                      APPLY("Object{metadata: Object.metadata{annotations: {\"a\": "
                            "\"9\"}, labels: {\"z\": \"9\"}}}"))) BOUND("p"),
     "{a: '1', z: '9'}"},
    {POLICY("p", MANY(PATCH("[JSONPatch{op: \"add\", path: \"/metadata/labels\", value: "
                            "oldObject.metadata.labels}]"),
                      LABELS("{\"a\": \"9\", \"old\": \"8\"}"))) BOUND("p"),
     "{a: '9', old: '8'}"},
    {WITH_PARAM(MANY(PATCH("[JSONPatch{op: \"add\", path: \"/metadata/labels\", value: "
                           "params.metadata.labels}]"),
                     LABELS("{\"of\": \"9\", \"z\": \"8\"}"))) PARAM,
     "{of: '9', z: '8'}"},
    /* the second mutation undoes the first one */
    {POLICY("p", MANY(LABELS("{\"a\": \"2\"}"), LABELS("{\"a\": \"1\"}"))) BOUND("p"),
     "{a: '1'}"},
    /* the second mutation fails: the first one stays, if failures are ignored */
    {POLICY("p", "failurePolicy: Ignore, " MANY(LABELS("{\"a\": \"2\"}"),
                                                LABELS("{\"x\": object.nope}")))
         BOUND("p"),
     "{a: '2'}"},
};

/* The objects of units, as they were. */
struct kept_objects {
    json_t *objects[32], *copies[32];
    size_t n;
};

static void keep(struct kept_objects *kept, json_t *object) {
    assert_true(kept->n < FX_COUNT(kept->objects));
    kept->objects[kept->n] = json_incref(object);
    kept->copies[kept->n++] = json_deep_copy(object);
}

static void check_kept(struct kept_objects *kept) {
    for (size_t i = 0; i < kept->n; i++) {
        assert_true(fx_equal(kept->objects[i], kept->copies[i]));
        json_decref(kept->objects[i]);
        json_decref(kept->copies[i]);
    }
}

/* Runs the loop on `object`: the labels of the result are the wanted ones. */
static void converge(const struct rule_bench *bench, json_t *object, json_t *old,
                     const json_t *wanted) {
    const struct fx_request request = {.operation = FX_OPERATION_UPDATE,
                                       .namespace_ = FX_TEXT("shop"),
                                       .old_object = old};
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct fx_outcome outcome;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    json_t *root = json_incref(object);
    if (!fx_converge(bench->snapshot, &request, &arena, NULL, &root, &outcome, &err)) {
        fail_msg("%s", err.msg);
    }
    const json_t *labels = fx_tree_view_key(fx_tree_view_key(root, "metadata"), "labels");
    assert_true(fx_equal(labels, wanted));
    json_decref(root);
    fx_outcome_finish(&outcome);
    fx_arena_finish(&arena);
}

/* Each row twice: what the first review wrote must not be seen by the second one. The old
 * object has a node of the object itself. */
static void others_see_no_change(void **state) {
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct rule_bench bench;
        struct kept_objects kept = {.n = 0};
        build_bench(&bench, rows[i].documents);
        json_t *object = must_read(object_text);
        json_t *old = must_read("{apiVersion: v1, kind: ConfigMap}");
        json_t *wanted = must_read(rows[i].labels);
        assert_int_equal(
            json_object_set(old, "metadata", json_object_get(object, "metadata")), 0);
        keep(&kept, object);
        keep(&kept, old);
        for (size_t k = 0; k < bench.n_units; k++) {
            keep(&kept, fx_unit_get_object(bench.units[k]));
        }
        converge(&bench, object, old, wanted);
        converge(&bench, object, old, wanted);
        check_kept(&kept);
        json_decref(wanted);
        json_decref(old);
        json_decref(object);
        drop_bench(&bench);
    }
    (void)state;
}

/* An object that nobody shares is written in place, except for a part that somebody
 * has. */
static void an_own_object_is_written_in_place(void **state) {
    struct rule_bench bench;
    struct fx_effect effect;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_request request = {.operation = FX_OPERATION_UPDATE};
    build_bench(&bench,
                POLICY("p", "mutations: [" LABELS("{\"b\": \"2\"}") "]") BOUND("p"));
    const struct fx_mutator *rule = bench.snapshot->mutators[0];
    json_t *object = must_read(object_text);
    json_t *root = object;
    json_t *metadata = json_object_get(root, "metadata");
    json_t *labels = json_incref(json_object_get(metadata, "labels"));
    assert_true(rule->ops->apply(rule, &request, &root, &effect, &err));
    assert_true(effect.changed && effect.keeps_names && !effect.keeps_metadata);
    assert_ptr_equal(root, object);
    assert_ptr_equal(json_object_get(root, "metadata"), metadata);
    assert_int_equal(json_object_size(labels), 1);
    assert_int_equal(json_object_size(json_object_get(metadata, "labels")), 2);
    assert_true(rule->ops->apply(rule, &request, &root, &effect, &err));
    assert_true(effect.applied && !effect.changed);
    json_decref(labels);
    json_decref(root);
    drop_bench(&bench);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_see_no_change),
        cmocka_unit_test(an_own_object_is_written_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
