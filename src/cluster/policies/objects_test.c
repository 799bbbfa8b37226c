/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/objects_test.c - which changes of an object are changes of a policy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/policies/objects.h"
#include "kube/test_json.h"
#include "value/tree.h"

static enum fx_object_change put_of(const struct fx_cluster_kind *kind,
                                    struct fx_cluster_objects *objects, const char *text,
                                    struct fx_cluster_object **ret_item) {
    const struct fx_object_source source = {
        .kind = kind,
        .resource = &kind->versions[1],
        .pod = "me",
    };
    enum fx_object_change change = FX_OBJECT_SAME;
    json_t *object = read_json(text);
    assert_true(fx_cluster_objects_put(objects, &source, object, ret_item, &change));
    json_decref(object);
    return change;
}

#define ASSIGN(name, metadata, rest)                                               \
    "{\"apiVersion\":\"mutations.gatekeeper.sh/v1beta1\",\"kind\":\"Assign\","     \
    "\"metadata\":{\"name\":\"" name "\",\"uid\":\"u1\",\"generation\":3" metadata \
    "}" rest "}"
#define SPEC            ",\"spec\":{\"location\":\"spec.x\"}"
#define MINE            "{\"id\":\"me\",\"enforced\":true}"
#define THEIRS          "{\"id\":\"you\",\"enforced\":true}"
#define BY_POD(entries) ",\"status\":{\"byPod\":[" entries "]}"

static enum fx_object_change put(struct fx_cluster_objects *objects, const char *text,
                                 struct fx_cluster_object **ret_item) {
    return put_of(fx_cluster_kind_at(0), objects, text, ret_item);
}

static void only_what_is_kept_counts(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum fx_object_change change;
    } steps[] = {
        {ASSIGN("a", "", SPEC), FX_OBJECT_POLICY},
        {ASSIGN("a", "", SPEC), FX_OBJECT_SAME},
        {ASSIGN("a", ",\"resourceVersion\":\"9\"", SPEC), FX_OBJECT_SAME},
        {ASSIGN("a", ",\"annotations\":{\"x\":\"y\"}", SPEC), FX_OBJECT_SAME},
        {ASSIGN("a", "", SPEC BY_POD(THEIRS)), FX_OBJECT_SAME},
        {ASSIGN("a", "", SPEC BY_POD(THEIRS "," MINE)), FX_OBJECT_STATUS},
        {ASSIGN("a", "", SPEC BY_POD(MINE)), FX_OBJECT_SAME},
        {ASSIGN("a", "", SPEC BY_POD("{\"enforced\":true,\"id\":\"me\"}")),
         FX_OBJECT_SAME},
        {ASSIGN("a", "", SPEC BY_POD("{\"id\":\"me\"}")), FX_OBJECT_STATUS},
        {ASSIGN("a", "", SPEC), FX_OBJECT_STATUS},
        {ASSIGN("a", "", ",\"spec\":{\"location\":\"spec.y\"}"), FX_OBJECT_POLICY},
        {ASSIGN("a", "", ""), FX_OBJECT_POLICY},
    };
    struct fx_cluster_objects objects = {0};
    for (size_t i = 0; i < FX_COUNT(steps); i++) {
        struct fx_cluster_object *item = NULL;
        assert_int_equal(put(&objects, steps[i].text, &item), steps[i].change);
        assert_string_equal(item->key, "assign.mutations.gatekeeper.sh/a");
        assert_true(fx_text_is(item->uid, "u1"));
        assert_int_equal(item->generation, 3);
        assert_string_equal(item->resource->version, "v1beta1");
    }
    assert_int_equal(objects.n_items, 1);
    fx_cluster_objects_finish(&objects);
}

/* A row of the table may name more fields than `spec`; then a change of these counts. */
static void further_fields_are_kept(void **state) {
    (void)state;
    static const char *const versions[] = {"v1", NULL};
    static const struct fx_kind row = {
        .group = "mutations.gatekeeper.sh",
        .kind = "Assign",
        .resource = "assign",
        .versions = versions,
        .keeps = FX_KIND_KEEP_LABELS | FX_KIND_KEEP_ANNOTATIONS | FX_KIND_KEEP_DATA,
    };
    static const struct {
        const char *text;
        enum fx_object_change change;
    } steps[] = {
        {ASSIGN("a", "", SPEC), FX_OBJECT_POLICY},
        {ASSIGN("a", ",\"annotations\":{\"x\":\"y\"}", SPEC), FX_OBJECT_POLICY},
        {ASSIGN("a", ",\"annotations\":{\"x\":\"y\"}", SPEC), FX_OBJECT_SAME},
        {ASSIGN("a", ",\"labels\":{\"x\":\"y\"}", SPEC), FX_OBJECT_POLICY},
        {ASSIGN("a", ",\"labels\":{\"x\":\"y\"}", SPEC ",\"data\":{\"k\":\"v\"}"),
         FX_OBJECT_POLICY},
        {ASSIGN("a", ",\"labels\":{\"x\":\"y\"},\"finalizers\":[\"f\"]",
                SPEC ",\"data\":{\"k\":\"v\"}"),
         FX_OBJECT_SAME},
    };
    struct fx_cluster_kind kind = *fx_cluster_kind_at(0);
    kind.kind = &row;
    struct fx_cluster_objects objects = {0};
    for (size_t i = 0; i < FX_COUNT(steps); i++) {
        struct fx_cluster_object *item = NULL;
        assert_int_equal(put_of(&kind, &objects, steps[i].text, &item), steps[i].change);
    }
    fx_cluster_objects_finish(&objects);
}

/* The same text is what makes a build cheap. */
static void an_equal_object_keeps_its_text(void **state) {
    (void)state;
    struct fx_cluster_objects objects = {0};
    struct fx_cluster_object *item = NULL;
    (void)put(&objects, ASSIGN("a", "", SPEC), &item);
    const struct fx_policy_text *before = item->object;
    (void)put(&objects, ASSIGN("a", ",\"resourceVersion\":\"9\"", SPEC BY_POD(MINE)),
              &item);
    assert_ptr_equal(item->object, before);
    json_t *kept = fx_policy_text_read(before);
    assert_null(json_object_get(kept, "status"));
    json_decref(kept);
    fx_cluster_objects_finish(&objects);
}

static bool remove_named(struct fx_cluster_objects *objects,
                         const struct fx_cluster_kind *kind, const char *namespace_,
                         const char *name) {
    return fx_cluster_objects_remove(objects, kind, fx_text_of(namespace_),
                                     fx_text_of(name));
}

static void keys_are_sorted_and_found(void **state) {
    (void)state;
    static const char *const names[] = {"m", "a", "z", "b", "aa"};
    static const char *const sorted[] = {"a", "aa", "b", "m", "z"};
    struct fx_cluster_objects objects = {0};
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        char text[400];
        struct fx_cluster_object *item = NULL;
        (void)snprintf(text, sizeof text, ASSIGN("%s", "", SPEC), names[i]);
        assert_int_equal(put(&objects, text, &item), FX_OBJECT_POLICY);
        assert_true(fx_text_is(item->name, names[i]));
    }
    for (size_t i = 0; i < FX_COUNT(sorted); i++) {
        char key[100];
        (void)snprintf(key, sizeof key, "assign.mutations.gatekeeper.sh/%s", sorted[i]);
        assert_string_equal(objects.items[i]->key, key);
        assert_ptr_equal(fx_cluster_objects_find(&objects, key), objects.items[i]);
    }
    assert_null(fx_cluster_objects_find(&objects, "assign.mutations.gatekeeper.sh/ab"));
    assert_false(remove_named(&objects, fx_cluster_kind_at(0), "", "ab"));
    assert_true(remove_named(&objects, fx_cluster_kind_at(0), "", "aa"));
    assert_false(remove_named(&objects, fx_cluster_kind_at(0), "", "aa"));
    assert_int_equal(objects.n_items, FX_COUNT(sorted) - 1);
    fx_cluster_objects_finish(&objects);
}

#define MODRULE(namespace_, name, rest)                                             \
    "{\"apiVersion\":\"api.kubemod.io/v1beta1\",\"kind\":\"ModRule\",\"metadata\":" \
    "{\"namespace\":\"" namespace_ "\",\"name\":\"" name "\",\"uid\":\"u1\"}" rest "}"
#define READY(status, message)                                              \
    ",\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"" status \
    "\",\"reason\":\"r\",\"message\":\"" message                            \
    "\",\"lastTransitionTime\":\"2026-11-21T10:02:33Z\"}]}"

static const struct fx_cluster_kind *modrules(void) {
    size_t index = 0;
    while (strcmp(fx_cluster_kind_at(index)->versions[0].kind, "ModRule") != 0) {
        index++;
    }
    return fx_cluster_kind_at(index);
}

static enum fx_object_change put_modrule(struct fx_cluster_objects *objects,
                                         const char *text,
                                         struct fx_cluster_object **ret_item) {
    const struct fx_object_source source = {
        .kind = modrules(),
        .resource = &modrules()->versions[0],
        .pod = "me",
    };
    enum fx_object_change change = FX_OBJECT_SAME;
    json_t *object = read_json(text);
    assert_true(fx_cluster_objects_put(objects, &source, object, ret_item, &change));
    json_decref(object);
    return change;
}

static void one_name_in_two_namespaces_is_two(void **state) {
    (void)state;
    struct fx_cluster_objects objects = {0};
    struct fx_cluster_object *item = NULL;
    assert_int_equal(put_modrule(&objects, MODRULE("b", "r", ""), &item),
                     FX_OBJECT_POLICY);
    assert_int_equal(put_modrule(&objects, MODRULE("a", "r", ""), &item),
                     FX_OBJECT_POLICY);
    assert_int_equal(put_modrule(&objects, MODRULE("a", "r", ""), &item), FX_OBJECT_SAME);
    assert_int_equal(objects.n_items, 2);
    assert_string_equal(item->key, "modrules.api.kubemod.io/a/r");
    assert_true(fx_text_is(item->namespace_, "a"));
    assert_true(fx_text_is(item->name, "r"));
    assert_ptr_equal(fx_cluster_objects_find(&objects, "modrules.api.kubemod.io/a/r"),
                     item);
    assert_false(remove_named(&objects, modrules(), "c", "r"));
    assert_false(remove_named(&objects, modrules(), "", "r"));
    assert_true(remove_named(&objects, modrules(), "a", "r"));
    assert_int_equal(objects.n_items, 1);
    assert_string_equal(objects.items[0]->key, "modrules.api.kubemod.io/b/r");
    fx_cluster_objects_finish(&objects);
}

/* Of all that makes up the condition but the time. */
static void a_condition_that_changes_is_seen(void **state) {
    (void)state;
    struct fx_cluster_objects objects = {0};
    struct fx_cluster_object *item = NULL;
    (void)put_modrule(&objects, MODRULE("a", "r", ""), &item);
    assert_true(item->ready.digest == 0);
    assert_int_equal(put_modrule(&objects, MODRULE("a", "r", READY("True", "m")), &item),
                     FX_OBJECT_STATUS);
    assert_int_equal(item->ready.status, FX_READY_TRUE);
    assert_int_equal(put_modrule(&objects, MODRULE("a", "r", READY("True", "m")), &item),
                     FX_OBJECT_SAME);
    assert_int_equal(put_modrule(&objects, MODRULE("a", "r", READY("True", "n")), &item),
                     FX_OBJECT_STATUS);
    assert_int_equal(put_modrule(&objects, MODRULE("a", "r", ""), &item),
                     FX_OBJECT_STATUS);
    assert_true(item->ready.digest == 0);
    fx_cluster_objects_finish(&objects);
}

static void a_name_that_no_server_has_is_refused(void **state) {
    (void)state;
    char name[600];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct fx_cluster_objects objects = {0};
    struct fx_cluster_object *item = NULL;
    enum fx_object_change change = FX_OBJECT_SAME;
    const struct fx_object_source source = {
        .kind = fx_cluster_kind_at(0),
        .resource = &fx_cluster_kind_at(0)->versions[0],
        .pod = "me",
    };
    json_t *object =
        json_pack("{s:{s:s}}", "metadata", "name", name); /* 599 characters */
    assert_false(fx_cluster_objects_put(&objects, &source, object, &item, &change));
    assert_int_equal(objects.n_items, 0);
    json_decref(object);
    fx_cluster_objects_finish(&objects);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_kept_counts),
        cmocka_unit_test(further_fields_are_kept),
        cmocka_unit_test(an_equal_object_keeps_its_text),
        cmocka_unit_test(keys_are_sorted_and_found),
        cmocka_unit_test(one_name_in_two_namespaces_is_two),
        cmocka_unit_test(a_condition_that_changes_is_seen),
        cmocka_unit_test(a_name_that_no_server_has_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
