/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_body_test.c - bodies of writes to `status.byPod`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/status/status_internal.h"
#include "kube/test_json.h"
#include "value/json.h"

static void expect_json(const json_t *value, const char *wanted) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    assert_non_null(value);
    fx_json_write(&text, value, FX_JSON_COMPACT);
    assert_string_equal(text.data, wanted);
    fx_buf_finish(&text);
}

/* ---- managers -------------------------------------------------------------------- */

static void managers(void **state) {
    (void)state;
    char manager[FX_STATUS_MANAGER_BYTES];
    fx_status_manager("fixpoint-5c8f7b6d9-abcde", manager);
    assert_string_equal(manager, "fixpoint-fixpoint-5c8f7b6d9-abcde");
    char pod[254];
    for (size_t len = 0; len < sizeof pod; len++) {
        memset(pod, 'p', len);
        pod[len] = '\0';
        if (len > 0) {
            pod[len - 1] = 'e';
        }
        fx_status_manager(pod, manager);
        assert_int_equal(strlen(manager), len < 119 ? len + 9 : 128);
        assert_true(len == 0 || manager[strlen(manager) - 1] == 'e');
    }
}

/* ---- applying -------------------------------------------------------------------- */

static void what_is_applied(void **state) {
    (void)state;
    static const struct fx_kube_resource resource = {"g", "v1", "assign", "Assign"};
    json_t *entry = read_json("{\"id\":\"me\",\"enforced\":true}");
    struct fx_cluster_object object = {
        .name = FX_TEXT("a"), .uid = FX_TEXT("u"), .resource = &resource};
    json_t *body = fx_status_apply(&object, "byPod", entry);
    expect_json(body, "{\"apiVersion\":\"g/v1\",\"kind\":\"Assign\",\"metadata\":{"
                      "\"name\":\"a\",\"uid\":\"u\"},\"status\":{\"byPod\":[{\"id\":"
                      "\"me\",\"enforced\":true}]}}");
    json_decref(body);
    object.namespace_ = FX_TEXT("ns");
    body = fx_status_apply(&object, "conditions", entry);
    expect_json(body, "{\"apiVersion\":\"g/v1\",\"kind\":\"Assign\",\"metadata\":{"
                      "\"namespace\":\"ns\",\"name\":\"a\",\"uid\":\"u\"},\"status\":{"
                      "\"conditions\":[{\"id\":\"me\",\"enforced\":true}]}}");
    json_decref(body);
    object.generation = 7;
    json_t *types = read_json("{\"expressionWarnings\":[]}");
    json_t *status = fx_types_make(&object, types);
    body = fx_status_apply(&object, NULL, status);
    expect_json(body, "{\"apiVersion\":\"g/v1\",\"kind\":\"Assign\",\"metadata\":{"
                      "\"namespace\":\"ns\",\"name\":\"a\",\"uid\":\"u\"},\"status\":{"
                      "\"observedGeneration\":7,\"typeChecking\":{"
                      "\"expressionWarnings\":[]}}}");
    json_decref(types);
    json_decref(status);
    json_decref(body);
    json_decref(entry);
}

/* ---- merging --------------------------------------------------------------------- */

#define E(id)        "{\"id\":\"" id "\"}"
#define MINE         "{\"id\":\"m\",\"new\":1}"
#define LIST(items)  "{\"status\":{\"byPod\":[" items "]}}"
#define AFTER(items) LIST(items)

static const struct {
    const char *before, *after;
} merges[] = {
    {"{}", AFTER(MINE)},
    {"{\"spec\":{\"x\":1}}", "{\"spec\":{\"x\":1},\"status\":{\"byPod\":[" MINE "]}}"},
    {"{\"status\":{}}", AFTER(MINE)},
    {"{\"status\":null}", AFTER(MINE)},
    {"{\"status\":\"x\"}", AFTER(MINE)},
    {"{\"status\":[1]}", AFTER(MINE)},
    {"{\"status\":{\"byPod\":null}}", AFTER(MINE)},
    {"{\"status\":{\"byPod\":{\"id\":\"m\"}}}", AFTER(MINE)},
    {"{\"status\":{\"other\":1,\"byPod\":[]}}",
     "{\"status\":{\"other\":1,\"byPod\":[" MINE "]}}"},
    {LIST(E("m")), AFTER(MINE)},
    {LIST(E("a")), AFTER(E("a") "," MINE)},
    {LIST(E("z")), AFTER(MINE "," E("z"))},
    {LIST(E("a") "," E("z")), AFTER(E("a") "," MINE "," E("z"))},
    {LIST(E("a") "," E("m") "," E("z")), AFTER(E("a") "," MINE "," E("z"))},
    /* not sorted: the others stay as they are */
    {LIST(E("z") "," E("a")), AFTER(MINE "," E("z") "," E("a"))},
    {LIST(E("z") "," E("m") "," E("a")), AFTER(MINE "," E("z") "," E("a"))},
    /* twice: one is left */
    {LIST(E("m") "," E("a") "," E("m")), AFTER(E("a") "," MINE)},
    {LIST(E("m") "," E("m") "," E("z")), AFTER(MINE "," E("z"))},
    /* duplicates of others, and invalid entries, are left as they are */
    {LIST(E("a") "," E("a")), AFTER(E("a") "," E("a") "," MINE)},
    {LIST("7,{},{\"id\":9}"), AFTER("7,{},{\"id\":9}," MINE)},
    {LIST(E("ma") "," E("l")), AFTER(MINE "," E("ma") "," E("l"))},
};

static void merging(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(merges); i++) {
        json_t *object = read_json(merges[i].before);
        json_t *entry = read_json(MINE);
        json_t *body = fx_status_merge(object, entry);
        expect_json(body, merges[i].after);
        expect_json(object, merges[i].before); /* which is left alone */
        json_t *again = fx_status_merge(body, entry);
        expect_json(again, merges[i].after);
        json_decref(again);
        json_decref(body);
        json_decref(entry);
        json_decref(object);
    }
}

/* ---- dropping -------------------------------------------------------------------- */

static const struct {
    const char *before, *after;
} drops[] = {
    {"{}", LIST("")},
    {LIST(""), LIST("")},
    {LIST(E("x")), LIST("")},
    {LIST(E("a") "," E("x") "," E("b") "," E("y") "," E("x")), LIST(E("a") "," E("b"))},
    {LIST(E("xx") "," E("")), LIST(E("xx") "," E(""))},
    {LIST("7,{}," E("y")), LIST("7,{}")},
    {"{\"spec\":1,\"status\":{\"a\":1,\"byPod\":[" E("x") "]}}",
     "{\"spec\":1,\"status\":{\"a\":1,\"byPod\":[]}}"},
};

static void dropping(void **state) {
    (void)state;
    static const char *const ids[] = {"x", "y", NULL};
    static const char *const none[] = {NULL};
    for (size_t i = 0; i < FX_COUNT(drops); i++) {
        json_t *object = read_json(drops[i].before);
        json_t *body = fx_status_drop(object, ids);
        expect_json(body, drops[i].after);
        expect_json(object, drops[i].before);
        json_t *same = fx_status_drop(body, none);
        expect_json(same, drops[i].after);
        json_decref(same);
        json_decref(body);
        json_decref(object);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(managers),
        cmocka_unit_test(what_is_applied),
        cmocka_unit_test(merging),
        cmocka_unit_test(dropping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
