/* SPDX-License-Identifier: Apache-2.0
 *
 * typed_test.c - merging of configurations: the order of lists, keys and their defaults,
 * sets, atomic parts, and the texts of mistakes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/budget.h"
#include "base/limits.h"
#include "merge/typed_testing.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

/* Merges {"spec": patch} into {"spec": live}; `want` is the spec of the result, or the
 * message if `is_error`. The inputs must not change, and a second merge changes nothing.
 */
static void check_merge(struct fx_schema schema, const char *live_text,
                        const char *patch_text, const char *want, bool is_error) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_buf message;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_buf_init(&message, 0);
    json_t *live = json_pack("{s:o}", "spec", read_json(live_text));
    json_t *patch = json_pack("{s:o}", "spec", read_json(patch_text));
    json_t *live_before = json_deep_copy(live);
    json_t *patch_before = json_deep_copy(patch);
    json_t *merged = fx_typed_merge(schema, live, patch, &arena, &message, &err);
    (void)check_plain(schema, live, patch, merged);
    if (is_error) {
        assert_null(merged);
        assert_int_equal(err.code, FX_EMUTATE);
        assert_string_equal(message.data, want);
    } else {
        if (merged == NULL) {
            print_error("%s + %s: %s\n", live_text, patch_text, err.msg);
        }
        assert_non_null(merged);
        json_t *wanted = read_json(want);
        if (!fx_equal(json_object_get(merged, "spec"), wanted)) {
            char *got = json_dumps(merged, JSON_COMPACT);
            print_error("%s + %s: got %s\n", live_text, patch_text, got);
            free(got);
        }
        assert_true(fx_equal(json_object_get(merged, "spec"), wanted));
        json_decref(wanted);
    }
    assert_true(fx_equal(live, live_before) && fx_equal(patch, patch_before));
    json_decref(live);
    json_decref(patch);
    json_decref(live_before);
    json_decref(patch_before);
    json_decref(merged);
    fx_buf_finish(&message);
    fx_arena_finish(&arena);
}

struct merge_case {
    const char *live, *patch, *want;
};

static void check_merges(const struct merge_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        check_merge(widget, cases[i].live, cases[i].patch, cases[i].want, false);
    }
}

static void check_errors(const struct merge_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        check_merge(widget, cases[i].live, cases[i].patch, cases[i].want, true);
    }
}

/* Each letter is an item of a list with keys; `want` is the order of the result. */
static void check_order(const char *live, const char *patch, const char *want) {
    const char *const orders[] = {live, patch, want};
    char texts[3][512];
    for (size_t i = 0; i < 3; i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_buf_str(&buf, "{\"tags\":[");
        for (const char *at = orders[i]; *at != '\0'; at++) {
            fx_buf_printf(&buf, "%s\"%c\"", at == orders[i] ? "" : ",", *at);
        }
        fx_buf_str(&buf, "],\"parts\":[");
        for (const char *at = orders[i]; *at != '\0'; at++) {
            fx_buf_printf(&buf, "%s{\"id\":\"%c\"}", at == orders[i] ? "" : ",", *at);
        }
        fx_buf_str(&buf, "]}");
        assert_true(buf.len < sizeof texts[i]);
        (void)snprintf(texts[i], sizeof texts[i], "%s", buf.data);
        fx_buf_finish(&buf);
    }
    check_merge(widget, texts[0], texts[1], texts[2], false);
}

static void test_order(void **state) {
    check_order("acd", "ncm", "ancdm");  /* new ones are around the shared one */
    check_order("abc", "ca", "bca");     /* the order of the patch, among shared ones */
    check_order("x", "y", "xy");         /* live ones first */
    check_order("ab", "nab", "nab");     /* before the next shared one */
    check_order("ab", "anb", "anb");     /* between */
    check_order("ab", "b", "ab");        /* nothing moves */
    check_order("abcd", "dcba", "dcba"); /* all of them */
    check_order("abcd", "db", "acdb");   /* others stay before the next shared one */
    check_order("", "ba", "ba");         /* no live ones */
    check_order("ab", "", "ab");         /* no new ones */
    check_order("abcdef", "fnb", "acdefnb");
    /* more than sixteen items are found by their hash */
    check_order("abcdefghijklmnopqrs", "sra", "bcdefghijklmnopqsra");
    (void)state;
}

static void test_objects(void **state) {
    static const struct merge_case cases[] = {
        {"{\"size\":1,\"name\":\"a\"}", "{\"size\":2}", "{\"size\":2,\"name\":\"a\"}"},
        {"{\"opts\":{\"x\":\"1\"}}", "{\"opts\":{\"y\":\"2\"}}",
         "{\"opts\":{\"x\":\"1\",\"y\":\"2\"}}"},
        {"{\"opts\":{\"x\":\"1\"}}", "{\"opts\":{}}", "{\"opts\":{\"x\":\"1\"}}"},
        {"{}", "{\"opts\":{}}", "{\"opts\":{}}"},
        {"{\"tags\":[\"a\"]}", "{\"tags\":[]}", "{\"tags\":[\"a\"]}"},
        /* values of unknown type: maps merge, lists are replaced */
        {"{\"free\":{\"d\":{\"k\":1},\"l\":[1,2],\"s\":1}}",
         "{\"free\":{\"d\":{\"j\":2},\"l\":[3],\"s\":{\"t\":1}}}",
         "{\"free\":{\"d\":{\"k\":1,\"j\":2},\"l\":[3],\"s\":{\"t\":1}}}"},
        {"{\"any\":5}", "{\"any\":\"x\"}", "{\"any\":\"x\"}"},
        {"{\"any\":{\"a\":1}}", "{\"any\":7}", "{\"any\":7}"},
        /* atomic lists below the values of a map are not noticed */
        {"{\"by\":{\"q\":{\"l\":[\"p\"]}}}", "{\"by\":{\"q\":{\"l\":[\"r\"]}}}",
         "{\"by\":{\"q\":{\"l\":[\"r\"]}}}"},
        /* a null is as if it were not there, but for scalars and atomic parts */
        {"{\"opts\":{\"x\":\"1\"}}", "{\"opts\":null}", "{\"opts\":{\"x\":\"1\"}}"},
        {"{\"tags\":[\"a\"],\"plain\":[\"a\"],\"fixed\":{\"a\":\"1\"}}",
         "{\"tags\":null,\"plain\":null,\"fixed\":null}",
         "{\"tags\":[\"a\"],\"plain\":null,\"fixed\":null}"},
        {"{\"size\":1}", "{\"size\":null}", "{\"size\":null}"},
        /* fields that the schema does not know may be in the live object */
        {"{\"newer\":{\"a\":[1]},\"size\":1}", "{\"size\":2}",
         "{\"newer\":{\"a\":[1]},\"size\":2}"},
    };
    check_merges(cases, FX_COUNT(cases));
    (void)state;
}

static void test_keys(void **state) {
    static const struct merge_case cases[] = {
        {"{\"parts\":[{\"id\":\"a\",\"n\":1}]}", "{\"parts\":[{\"id\":\"a\",\"n\":2}]}",
         "{\"parts\":[{\"id\":\"a\",\"n\":2}]}"},
        /* a missing key has its default */
        {"{\"ports\":[{\"port\":80,\"n\":1}]}",
         "{\"ports\":[{\"port\":80,\"proto\":\"TCP\",\"n\":2}]}",
         "{\"ports\":[{\"port\":80,\"proto\":\"TCP\",\"n\":2}]}"},
        {"{\"ports\":[{\"port\":80,\"proto\":\"TCP\"}]}",
         "{\"ports\":[{\"port\":80,\"n\":2}]}",
         "{\"ports\":[{\"port\":80,\"proto\":\"TCP\",\"n\":2}]}"},
        {"{\"ports\":[{\"port\":80}]}", "{\"ports\":[{\"port\":80,\"proto\":\"UDP\"}]}",
         "{\"ports\":[{\"port\":80},{\"port\":80,\"proto\":\"UDP\"}]}"},
        /* one of the keys is enough */
        {"{\"ports\":[]}", "{\"ports\":[{\"n\":2}]}", "{\"ports\":[{\"n\":2}]}"},
        /* live duplicates: an item of the patch takes the place of all of its key */
        {"{\"parts\":[{\"id\":\"a\",\"n\":1},{\"id\":\"b\"},{\"id\":\"a\",\"n\":2}]}",
         "{\"parts\":[{\"id\":\"a\"}]}", "{\"parts\":[{\"id\":\"a\"},{\"id\":\"b\"}]}"},
        {"{\"parts\":[{\"id\":\"a\",\"n\":1},{\"id\":\"a\",\"n\":2}]}",
         "{\"parts\":[{\"id\":\"b\"}]}",
         "{\"parts\":[{\"id\":\"a\",\"n\":1},{\"id\":\"a\",\"n\":2},{\"id\":\"b\"}]}"},
        /* numbers of a set are equal by value */
        {"{\"nums\":[1,2]}", "{\"nums\":[2.0,3]}", "{\"nums\":[1,2.0,3]}"},
    };
    check_merges(cases, FX_COUNT(cases));
    (void)state;
}

#define CONVERT "failed to convert patch object to typed object: "
#define ATOMIC \
    "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: "

static void test_mistakes(void **state) {
    static const struct merge_case cases[] = {
        {"{}", "{\"nope\":1}", CONVERT ".spec.nope: field not declared in schema"},
        {"{}", "{\"size\":\"a\"}",
         CONVERT ".spec.size: expected numeric (int or float), got string"},
        {"{}", "{\"size\":{}}",
         CONVERT ".spec.size: expected numeric (int or float), got map[string]interface "
                 "{}"},
        {"{}", "{\"name\":1}",
         CONVERT ".spec.name: expected string, got &value.valueUnstructured{…}"},
        {"{}", "{\"on\":1}", CONVERT ".spec.on: expected boolean, got &{…}"},
        {"{}", "{\"tags\":{}}", CONVERT ".spec.tags: expected list, got &{…}"},
        {"{}", "{\"opts\":[]}", CONVERT ".spec.opts: expected map, got &{…}"},
        {"{}", "{\"size\":true,\"on\":\"x\"}",
         CONVERT "errors:\n  .spec.size: expected numeric (int or float), got bool\n  "
                 ".spec.on: expected boolean, got &{…}"},
        {"{}", "{\"parts\":[{\"id\":\"a\",\"n\":\"x\"}]}",
         CONVERT ".spec.parts[id=\"a\"].n: expected numeric (int or float), got string"},
        {"{}", "{\"parts\":[{\"n\":1}]}",
         CONVERT ".spec.parts: element 0: associative list with keys has an element that "
                 "omits all key fields [\"id\"] (and doesn't have default values for any "
                 "key fields)"},
        {"{}", "{\"parts\":[null]}",
         CONVERT ".spec.parts: element 0: associative list with keys may not have a null "
                 "element"},
        {"{}", "{\"parts\":[1]}",
         CONVERT ".spec.parts: element 0: associative list with keys may not have "
                 "non-map elements"},
        {"{}", "{\"tags\":[{}]}",
         CONVERT ".spec.tags: element 0: associative list without keys has an element "
                 "that's a map type"},
        {"{}", "{\"ports\":[{\"port\":80},{\"port\":80,\"proto\":\"TCP\"}]}",
         CONVERT ".spec.ports: duplicate entries for key [port=80,proto=\"TCP\"]"},
        {"{}", "{\"tags\":[\"d\",\"d\",\"d\"]}",
         CONVERT "errors:\n  .spec.tags: duplicate entries for key [=\"d\"]\n  "
                 ".spec.tags: duplicate entries for key [=\"d\"]"},
        {"{}", "{\"plain\":[],\"fixed\":{\"a\":\"1\"},\"free\":{\"l\":[1]}}",
         ATOMIC ".spec.plain, .spec.fixed"},
        {"{}", "{\"any\":[[1]]}", ATOMIC ".spec.any, .spec.any[0]"},
        {"{\"size\":\"a\"}", "{\"size\":1}",
         "failed to convert original object to typed object: .spec.size: expected "
         "numeric (int or float), got string"},
    };
    check_errors(cases, FX_COUNT(cases));
    (void)state;
}

/* Values that JSON does not have, by the schema of their field. */
static void test_foreign(void **state) {
    static const struct foreign_case {
        const char *field, *type, *want;
        bool in_list;
    } cases[] = {
        {"size", "uint64",
         CONVERT ".spec.size: expected numeric (int or float), got uint64", false},
        {"name", "[]uint8",
         CONVERT ".spec.name: expected string, got &value.valueUnstructured{…}", false},
        {"on", "time.Time", CONVERT ".spec.on: expected boolean, got &{…}", false},
        {"any", "uint64", CONVERT ".spec.any: expected map, got &{…}", false},
        {"tags", "[]string", CONVERT ".spec.tags: expected list, got &{…}", false},
        {"nums", "uint64",
         CONVERT
         ".spec.nums[={{undefined}}]: expected numeric (int or float), got uint64",
         true},
        {"parts", "uint64",
         CONVERT ".spec.parts: element 0: associative list with keys may not have "
                 "non-map elements",
         true},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_arena arena;
        struct fx_buf message;
        fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
        fx_buf_init(&message, 0);
        json_t *value = fx_typed_new_foreign(cases[i].type);
        json_t *live = json_pack("{s:{}}", "spec");
        json_t *patch = cases[i].in_list
                            ? json_pack("{s:{s:[o]}}", "spec", cases[i].field, value)
                            : json_pack("{s:{s:o}}", "spec", cases[i].field, value);
        assert_null(fx_typed_merge(widget, live, patch, &arena, &message, &err));
        assert_string_equal(message.data, cases[i].want);
        json_decref(live);
        json_decref(patch);
        fx_buf_finish(&message);
        fx_arena_finish(&arena);
    }
    (void)state;
}

/* What the built-in set says about a Pod. */
static void test_pod(void **state) {
    const struct fx_schema pod =
        fx_schema_find(&fx_schema_builtin, FX_TEXT(""), FX_TEXT("v1"), FX_TEXT("Pod"));
    const char *live = "{\"containers\":[{\"name\":\"a\",\"image\":\"a:1\",\"ports\":"
                       "[{\"containerPort\":80,\"protocol\":\"TCP\"}]}]}";
    assert_non_null(pod.set);
    check_merge(pod, live,
                "{\"containers\":[{\"name\":\"a\",\"ports\":[{\"containerPort\":80,"
                "\"name\":\"http\"}]},{\"name\":\"z\",\"image\":\"z\"}]}",
                "{\"containers\":[{\"name\":\"a\",\"image\":\"a:1\",\"ports\":"
                "[{\"containerPort\":80,\"protocol\":\"TCP\",\"name\":\"http\"}]},"
                "{\"name\":\"z\",\"image\":\"z\"}]}",
                false);
    check_merge(pod, live, "{\"containers\":[{\"name\":\"a\",\"args\":[\"x\"]}]}",
                ATOMIC ".spec.containers[0].args", true);
    check_merge(pod, live, "{\"imagePullSecrets\":[{\"name\":\"s\"},{\"name\":\"t\"}]}",
                ATOMIC ".spec.imagePullSecrets[0], .spec.imagePullSecrets[1]", true);
    (void)state;
}

/* Nothing changes: the result is the live object itself, and shares the rest. */
static void test_sharing(void **state) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_buf message;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_buf_init(&message, 0);
    json_t *live = read_json("{\"spec\":{\"size\":1,\"opts\":{\"x\":\"1\"},"
                             "\"parts\":[{\"id\":\"a\"},{\"id\":\"b\",\"n\":1}]}}");
    json_t *same = read_json("{\"spec\":{\"size\":1,\"parts\":[{\"id\":\"b\"}]}}");
    json_t *other = read_json("{\"spec\":{\"parts\":[{\"id\":\"a\",\"n\":3}]}}");
    json_t *merged = fx_typed_merge(widget, live, same, &arena, &message, &err);
    assert_ptr_equal(merged, live);
    json_decref(merged);
    merged = fx_typed_merge(widget, live, other, &arena, &message, &err);
    const json_t *before = json_object_get(live, "spec");
    const json_t *after = json_object_get(merged, "spec");
    assert_ptr_not_equal(merged, live);
    assert_ptr_equal(json_object_get(after, "opts"), json_object_get(before, "opts"));
    assert_ptr_equal(json_array_get(json_object_get(after, "parts"), 1),
                     json_array_get(json_object_get(before, "parts"), 1));
    json_decref(merged);
    json_decref(live);
    json_decref(same);
    json_decref(other);
    fx_arena_finish(&arena);
    (void)state;
}

/* Very many mistakes make a message of limited length. */
static void test_many_mistakes(void **state) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_buf message;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_buf_init(&message, 0);
    json_t *live = json_pack("{s:{}}", "spec");
    json_t *tags = json_array();
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(json_array_append_new(tags, json_string("same")), 0);
    }
    json_t *patch = json_pack("{s:{s:o}}", "spec", "tags", tags);
    assert_null(fx_typed_merge(widget, live, patch, &arena, &message, &err));
    assert_non_null(strstr(message.data, "\n  and 949 more"));
    assert_true(message.len < 8192);
    json_decref(live);
    json_decref(patch);
    fx_buf_finish(&message);
    fx_arena_finish(&arena);
    (void)state;
}

static void test_budget(void **state) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    struct fx_buf message;
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    fx_buf_init(&message, 0);
    json_t *live =
        read_json("{\"spec\":{\"tags\":[\"a\",\"b\"],\"opts\":{\"a\":\"b\"}}}");
    json_t *patch =
        read_json("{\"spec\":{\"tags\":[\"c\",\"a\"],\"opts\":{\"c\":\"\"}}}");
    bool merged = false;
    for (uint64_t units = 1; !merged; units++) {
        assert_true(units < 10000);
        const struct fx_bound before = fx_budget_narrow(units, 0);
        json_t *result = fx_typed_merge(widget, live, patch, &arena, &message, &err);
        assert_true(result != NULL || err.code == FX_ELIMIT);
        merged = result != NULL;
        json_decref(result);
        (void)fx_budget_widen(before);
    }
    json_decref(live);
    json_decref(patch);
    fx_buf_finish(&message);
    fx_arena_finish(&arena);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),   cmocka_unit_test(test_objects),
        cmocka_unit_test(test_keys),    cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_foreign), cmocka_unit_test(test_pod),
        cmocka_unit_test(test_sharing), cmocka_unit_test(test_many_mistakes),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, make_widget, free_widget);
}
