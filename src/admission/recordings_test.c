/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/recordings_test.c - what a real API server sent, reviewed under policies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "admission/review.h"
#include "base/base64.h"
#include "base/file.h"
#include "base/limits.h"
#include "policy/policies.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/patch.h"
#include "value/tree.h"

#define RECORDINGS FX_SOURCE_DIR "/tests/recordings/admission"
#define POLICIES   FX_SOURCE_DIR "/examples/policies"
#define WIDGET     RECORDINGS "/026-create-widget.json"

/* Changes every widget, so that its numbers are in a patched object. */
static const char widget_policy[] =
    "apiVersion: mutations.gatekeeper.sh/v1\n"
    "kind: Assign\n"
    "metadata: {name: widget}\n"
    "spec:\n"
    "  applyTo: [{groups: [example.com], versions: [v1], kinds: [Widget]}]\n"
    "  location: 'spec.arr[name: a].w'\n"
    "  parameters: {assign: {value: 2.50}}\n";

/* The example policies and one for the widget, active. */
static struct fx_snapshot *snapshot;

static struct fx_buf read_file(const char *path) {
    struct fx_buf bytes;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&bytes, 0);
    assert_true(fx_file_read(path, FX_LIMIT_BODY_BYTES, &bytes, &err));
    return bytes;
}

static struct fx_text text_of(const struct fx_buf *buf) {
    return fx_buf_view(buf);
}

static int set_up(void **state) {
    (void)state;
    struct fx_file_list files = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_file_list_add(&files, POLICIES, &err));
    assert_true(files.n_paths > 0 && files.n_paths < 31);
    struct fx_buf texts[32];
    struct fx_policy_input inputs[32] = {
        {.file = "widget.yaml", .text = fx_text_of(widget_policy)}};
    for (size_t i = 0; i < files.n_paths; i++) {
        texts[i] = read_file(files.paths[i]);
        inputs[i + 1].file = files.paths[i];
        inputs[i + 1].text = text_of(&texts[i]);
    }
    struct fx_policies *policies = NULL;
    assert_true(fx_policies_build(inputs, files.n_paths + 1, NULL, 1, &policies, &err));
    assert_int_equal(policies->findings.n_items, 0);
    snapshot = fx_snapshot_ref(policies->snapshot);
    fx_policies_unref(policies);
    for (size_t i = 0; i < files.n_paths; i++) {
        fx_buf_finish(&texts[i]);
    }
    fx_file_list_finish(&files);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    fx_snapshot_unref(snapshot);
    return 0;
}

static enum fx_lookup find_input(void *user, const struct fx_input_key *key,
                                 json_t **ret_object, struct fx_err *err) {
    (void)user;
    (void)err;
    *ret_object = fx_namespaces_find(NULL, key->name);
    return FX_LOOKUP_FOUND;
}

static const struct fx_admission admission = {
    .on_error = FX_ON_ERROR_DENY,
    .own_namespace = "fixpoint",
    .find_input = find_input,
};

/* The recorded request and what it was answered, both as trees. */
struct exchange {
    json_t *request, *response;   /* the inner objects, borrowed */
    json_t *asked, *answered;     /* counted */
    struct fx_buf patch, patched; /* as JSON text; empty where there is none */
};

/* Applies the answer's patch as an API server would: from the bytes alone. */
static void apply_patch(struct exchange *exchange) {
    const struct fx_text base64 = fx_tree_view_string(exchange->response, "patch");
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_base64_decode(&exchange->patch, base64));
    json_t *document = fx_json_read(text_of(&exchange->patch), NULL, &err);
    assert_non_null(document);
    struct fx_arena arena;
    struct fx_patch patch;
    fx_arena_init(&arena, 1u << 24);
    fx_patch_init(&patch, &arena);
    assert_true(fx_patch_parse(&patch, document, &err));
    json_t *object = json_incref(fx_tree_view_key(exchange->request, "object"));
    assert_true(fx_patch_apply(&patch, &object, &err));
    fx_json_write(&exchange->patched, object, FX_JSON_COMPACT);
    json_decref(object);
    json_decref(document);
    fx_arena_finish(&arena);
}

static struct exchange hold(const char *path) {
    struct exchange exchange = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf body = read_file(path);
    struct fx_review *review = fx_review_create(&admission, snapshot, text_of(&body), 0);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    const struct fx_review_result *result = fx_review_result(review);
    assert_int_equal(result->status, 200);
    exchange.asked = fx_json_read(text_of(&body), NULL, &err);
    exchange.answered = fx_json_read(text_of(result->body), NULL, &err);
    exchange.request = fx_tree_view_key(exchange.asked, "request");
    exchange.response = fx_tree_view_key(exchange.answered, "response");
    assert_true(json_is_object(exchange.response));
    if (fx_tree_view_key(exchange.response, "patch") != NULL) {
        apply_patch(&exchange);
    }
    fx_review_destroy(review);
    fx_buf_finish(&body);
    return exchange;
}

static void finish(struct exchange *exchange) {
    json_decref(exchange->asked);
    json_decref(exchange->answered);
    fx_buf_finish(&exchange->patch);
    fx_buf_finish(&exchange->patched);
}

static void check_one(const char *path, size_t *n_patched) {
    struct exchange exchange = hold(path);
    const bool patched = fx_tree_view_key(exchange.response, "patch") != NULL;
    const struct fx_text type = fx_tree_view_string(exchange.response, "patchType");
    assert_true(json_is_true(fx_tree_view_key(exchange.response, "allowed")));
    assert_true(fx_text_equal(fx_tree_view_string(exchange.response, "uid"),
                              fx_tree_view_string(exchange.request, "uid")));
    assert_true(fx_text_is(type, patched ? "JSONPatch" : ""));
    assert_int_equal(fx_tree_view_key(exchange.response, "auditAnnotations") != NULL,
                     patched);
    assert_int_equal(fx_tree_view_key(exchange.response, "status") != NULL, !patched);
    *n_patched += patched;
    finish(&exchange);
}

static void test_every_recording_is_answered(void **state) {
    (void)state;
    struct fx_file_list files = {0};
    struct fx_err err = FX_ERR_INIT;
    size_t n_patched = 0;
    assert_true(fx_file_list_add(&files, RECORDINGS, &err));
    assert_int_equal(files.n_paths, 30);
    for (size_t i = 0; i < files.n_paths; i++) {
        print_message("%s\n", strrchr(files.paths[i], '/') + 1);
        check_one(files.paths[i], &n_patched);
    }
    /* Four Pods are created, two updated, and the status of one; and there is a widget.
     */
    assert_in_range(n_patched, 5, 8);
    fx_file_list_finish(&files);
}

static bool holds(const struct fx_buf *buf, const char *part) {
    return fx_text_contains(text_of(buf), fx_text_of(part));
}

static void test_numbers_are_not_rewritten(void **state) {
    (void)state;
    struct exchange exchange = hold(WIDGET);
    assert_string_equal(exchange.patch.data,
                        "[{\"op\":\"add\",\"path\":\"/spec/arr/0/w\",\"value\":2.5}]");
    static const char *const kept[] = {
        "\"big\":12345678901234567000", "\"e\":1000",         "\"f\":1",
        "\"i\":9007199254740993",       "\"v\":1,\"w\":2.5}", "{\"v\":2}",
    };
    for (size_t i = 0; i < FX_COUNT(kept); i++) {
        assert_true(holds(&exchange.patched, kept[i]));
    }
    finish(&exchange);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_recording_is_answered),
        cmocka_unit_test(test_numbers_are_not_rewritten),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
