/* SPDX-License-Identifier: Apache-2.0
 *
 * typed_plain_test.c - merging in place: for which configurations, and that no other tree
 * sees the change.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "merge/typed_testing.h"

/* Which configurations are merged in place. */
static void test_plain(void **state) {
    static const struct plain_case {
        const char *live, *patch;
        enum fx_typed_plain want;
    } cases[] = {
        {"{}", "{\"name\":\"a\"}", FX_TYPED_CHANGED},
        {"{\"name\":\"a\",\"size\":1}", "{\"name\":\"a\"}", FX_TYPED_SAME},
        {"{\"name\":\"a\"}", "{\"name\":\"b\",\"on\":true}", FX_TYPED_CHANGED},
        {"{}", "{\"opts\":{\"a\":\"1\"}}", FX_TYPED_CHANGED},
        {"{\"opts\":{\"a\":\"1\"}}", "{\"opts\":{}}", FX_TYPED_SAME},
        {"{\"opts\":{\"a\":\"1\"}}", "{\"opts\":{\"b\":\"1\",\"a\":\"2\"}}",
         FX_TYPED_CHANGED},
        {"{\"free\":{\"a\":{\"b\":1}}}", "{\"free\":{\"a\":{\"c\":\"x\"}}}",
         FX_TYPED_CHANGED},
        {"{\"parts\":[{\"id\":\"a\"},{\"id\":\"b\"}]}",
         "{\"parts\":[{\"id\":\"b\",\"n\":2}]}", FX_TYPED_CHANGED},
        {"{\"parts\":[{\"id\":\"a\"},{\"id\":\"b\",\"n\":2}]}",
         "{\"parts\":[{\"id\":\"a\"},{\"id\":\"b\",\"n\":2}]}", FX_TYPED_SAME},
        {"{\"ports\":[{\"port\":1},{\"port\":1,\"proto\":\"UDP\"}]}",
         "{\"ports\":[{\"port\":1,\"proto\":\"TCP\",\"n\":5}]}", FX_TYPED_CHANGED},
        /* another order, a new item, and live items that are not unique */
        {"{\"parts\":[{\"id\":\"a\"},{\"id\":\"b\"}]}",
         "{\"parts\":[{\"id\":\"b\"},{\"id\":\"a\"}]}", FX_TYPED_NOT_PLAIN},
        {"{\"parts\":[{\"id\":\"a\"}]}", "{\"parts\":[{\"id\":\"b\"}]}",
         FX_TYPED_NOT_PLAIN},
        {"{\"parts\":[{\"id\":\"a\"},{\"id\":\"a\"}]}",
         "{\"parts\":[{\"id\":\"a\",\"n\":1}]}", FX_TYPED_NOT_PLAIN},
        {"{\"parts\":[{\"id\":\"a\"}]}", "{\"parts\":[{\"id\":\"a\"},{\"id\":\"a\"}]}",
         FX_TYPED_NOT_PLAIN},
        /* what is merged in other ways */
        {"{}", "{\"parts\":[{\"id\":\"a\"}]}", FX_TYPED_NOT_PLAIN},
        {"{\"tags\":[\"a\"]}", "{\"tags\":[\"a\"]}", FX_TYPED_NOT_PLAIN},
        {"{\"fixed\":{\"a\":\"b\"}}", "{\"fixed\":{\"a\":\"b\"}}", FX_TYPED_NOT_PLAIN},
        {"{\"plain\":[\"a\"]}", "{\"plain\":[\"a\"]}", FX_TYPED_NOT_PLAIN},
        {"{\"name\":\"a\"}", "{\"name\":null}", FX_TYPED_NOT_PLAIN},
        {"{\"opts\":null}", "{\"opts\":{\"a\":\"1\"}}", FX_TYPED_NOT_PLAIN},
        /* mistakes, the last one of which comes after what would be written */
        {"{}", "{\"name\":1}", FX_TYPED_NOT_PLAIN},
        {"{\"name\":1}", "{\"name\":\"a\"}", FX_TYPED_NOT_PLAIN},
        {"{\"name\":\"a\"}", "{\"name\":\"b\",\"other\":1}", FX_TYPED_NOT_PLAIN},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_arena arena;
        struct fx_buf message;
        fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
        fx_buf_init(&message, 0);
        json_t *live = json_pack("{s:o}", "spec", read_json(cases[i].live));
        json_t *patch = json_pack("{s:o}", "spec", read_json(cases[i].patch));
        json_t *merged = fx_typed_merge(widget, live, patch, &arena, &message, &err);
        if (check_plain(widget, live, patch, merged) != cases[i].want) {
            fail_msg("%s + %s", cases[i].live, cases[i].patch);
        }
        json_decref(merged);
        json_decref(live);
        json_decref(patch);
        fx_buf_finish(&message);
        fx_arena_finish(&arena);
    }
    (void)state;
}

/* Formats of built-in kinds: only values that the API server writes as they are. */
static void test_plain_formats(void **state) {
    static const struct {
        const char *spec;
        enum fx_typed_plain want;
    } cases[] = {
        {"{\"replicas\":3}", FX_TYPED_CHANGED},
        {"{\"replicas\":3000000000}", FX_TYPED_NOT_PLAIN},
        {"{\"replicas\":3.0}", FX_TYPED_NOT_PLAIN},
        {"{\"paused\":true}", FX_TYPED_CHANGED},
        {"{\"strategy\":{\"rollingUpdate\":{\"maxSurge\":{\"a\":1}}}}",
         FX_TYPED_NOT_PLAIN},
        {"{\"template\":{\"spec\":{\"overhead\":{\"cpu\":\"1\"}}}}", FX_TYPED_NOT_PLAIN},
        {"{\"template\":{\"spec\":{\"nodeName\":\"x\"}}}", FX_TYPED_CHANGED},
    };
    const struct fx_schema schema = fx_schema_find(&fx_schema_builtin, FX_TEXT("apps"),
                                                   FX_TEXT("v1"), FX_TEXT("Deployment"));
    json_t *live = read_json("{\"spec\":{\"replicas\":1}}");
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_arena arena;
        struct fx_buf message;
        fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
        fx_buf_init(&message, 0);
        json_t *patch = json_pack("{s:o}", "spec", read_json(cases[i].spec));
        json_t *merged = fx_typed_merge(schema, live, patch, &arena, &message, &err);
        if (check_plain(schema, live, patch, merged) != cases[i].want) {
            fail_msg("%s", cases[i].spec);
        }
        json_decref(merged);
        json_decref(patch);
        fx_buf_finish(&message);
        fx_arena_finish(&arena);
    }
    json_decref(live);
    (void)state;
}

/* A configuration may have parts of the object itself: these are not written through. */
static void test_plain_parts(void **state) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    json_t *root = read_json("{\"spec\":{\"free\":{\"a\":{\"n\":1}}}}");
    json_t *spec = json_object_get(root, "spec");
    json_t *part = json_object_get(json_object_get(spec, "free"), "a");
    json_t *first = json_pack("{s:{s:{s:O}}}", "spec", "free", "b", part);
    json_t *second = json_pack("{s:{s:{s:{s:i}}}}", "spec", "free", "a", "n", 2);
    assert_int_equal(fx_typed_merge_plain(widget, &root, first, &arena, &err),
                     FX_TYPED_CHANGED);
    json_decref(first);
    assert_int_equal(fx_typed_merge_plain(widget, &root, second, &arena, &err),
                     FX_TYPED_CHANGED);
    json_t *wanted = read_json("{\"spec\":{\"free\":{\"a\":{\"n\":2},\"b\":{\"n\":1}}}}");
    assert_true(fx_equal(root, wanted));
    assert_ptr_equal(json_object_get(root, "spec"), spec); /* in place */
    json_decref(wanted);
    json_decref(second);
    json_decref(root);
    fx_arena_finish(&arena);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_plain_formats),
        cmocka_unit_test(test_plain_parts),
    };
    return cmocka_run_group_tests(tests, make_widget, free_widget);
}
