/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/patch_test.c - conditions, patterns and anchors, by the rules of
 * spec/kyverno.md sections 5 and 9.
 */

#include "base/budget.h"
#include "mutators/kyverno/anchor.h"
#include "mutators/kyverno/condition.h"
#include "mutators/kyverno/pattern.h"
#include "mutators/kyverno/strategic.h"
#include "mutators/kyverno/testing.h"
#include "value/equal.h"

#define ARENA_BYTES ((size_t)1 << 20)

/* ---- keys ----------------------------------------------------------------------------
 */

static void test_keys(void **state) {
    (void)state;
    static const struct {
        const char *key, *name;
        enum kyverno_anchor anchor;
    } cases[] = {
        {"a", "a", KYVERNO_ANCHOR_NONE},         {"(a)", "a", KYVERNO_ANCHOR_CONDITION},
        {"+(a)", "a", KYVERNO_ANCHOR_ADD},       {"<(a)", "a", KYVERNO_ANCHOR_GLOBAL},
        {"=(a)", "a", KYVERNO_ANCHOR_EQUALITY},  {"X(a)", "a", KYVERNO_ANCHOR_NEGATION},
        {"^(a)", "a", KYVERNO_ANCHOR_EXISTENCE}, {" (a) ", "a", KYVERNO_ANCHOR_CONDITION},
        {"()", "()", KYVERNO_ANCHOR_NONE},       {"x(a)", "x(a)", KYVERNO_ANCHOR_NONE},
        {"(a", "(a", KYVERNO_ANCHOR_NONE},       {"++(a)", "++(a)", KYVERNO_ANCHOR_NONE},
        {"", "", KYVERNO_ANCHOR_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct kyverno_key key = fx_kyverno_key(fx_text_of(cases[i].key));
        assert_int_equal(key.anchor, cases[i].anchor);
        assert_true(fx_text_is(key.name, cases[i].name));
    }
}

/* ---- conditions ----------------------------------------------------------------------
 */

static const struct {
    const char *key, *operator_, *value;
    bool holds;
} conditions[] = {
    {"true", "Equals", "true", true},
    {"true", "Equals", "\"true\"", false},
    {"5", "equal", "5.0", true},
    {"5", "Equals", "\"5\"", true},
    {"5", "Equals", "\"5.0\"", false},
    {"1.5", "Equals", "\"1.5\"", true},
    {"\"1h\"", "Equals", "\"60m\"", true},
    {"\"1h\"", "Equals", "3600", true},
    {"\"1Gi\"", "Equals", "\"1024Mi\"", true},
    {"\"1Gi\"", "Equals", "\"1*\"", false},
    {"\"abc\"", "Equals", "\"a*\"", true},
    {"\"a*\"", "Equals", "\"abc\"", false},
    {"null", "Equals", "null", false},
    {"null", "NotEquals", "1", false},
    {"\"a\"", "NotEquals", "1", true},
    {"{\"a\":1}", "Equals", "{\"a\":1.0}", true},
    {"[1]", "NotEquals", "[2]", true},
    {"\"a\"", "AnyIn", "[\"b\",\"a\"]", true},
    {"\"a\"", "AnyIn", "[\"?\"]", true},
    {"\"a*\"", "AnyIn", "[\"abc\"]", true},
    {"5", "AnyIn", "\"1-10\"", true},
    {"50", "AnyIn", "\"1!-10\"", true},
    {"\"a\"", "AnyIn", "\"[\\\"a\\\"]\"", true},
    {"[\"a\",\"c\"]", "AnyIn", "[\"a\",\"b\"]", true},
    {"[\"a\",\"c\"]", "AllIn", "[\"a\",\"b\"]", false},
    {"[\"a\",\"c\"]", "AnyNotIn", "[\"a\",\"b\"]", true},
    {"[\"a\",\"c\"]", "AllNotIn", "[\"a\",\"b\"]", false},
    {"[]", "AllIn", "[\"a\"]", true},
    {"[]", "AnyIn", "[\"a\"]", false},
    {"[]", "AllNotIn", "[\"a\"]", true},
    {"{}", "AnyIn", "[\"a\"]", false},
    {"null", "AllNotIn", "[\"a\"]", false},
    {"[1,2]", "AnyIn", "2", true},
    {"[1,2]", "AllIn", "2", false},
    {"\"x\"", "In", "\"y\"", false},
    {"\"x\"", "NotIn", "\"y\"", false},
    {"[\"x\"]", "In", "\"x\"", true},
    {"[\"x\"]", "NotIn", "\"x\"", true},
    {"[\"ab\"]", "In", "[\"a*\"]", false},
    {"\"2h\"", "GreaterThan", "\"90m\"", true},
    {"\"2h\"", "LessThan", "7201", true},
    {"\"2Gi\"", "GreaterThan", "\"1500Mi\"", true},
    {"5", "GreaterThanOrEquals", "\"5\"", true},
    {"\"1.10.0\"", "GreaterThan", "\"1.9.0\"", true},
    {"\"a\"", "GreaterThan", "\"b\"", false},
    {"\"a\"", "LessThanOrEquals", "\"b\"", false},
    {"\"0\"", "DurationLessThan", "\"1s\"", true},
    {"90", "DurationGreaterThanOrEquals", "\"1m30s\"", true},
    {"\"x\"", "DurationLessThanOrEquals", "\"1s\"", false},
};

static void test_conditions(void **state) {
    (void)state;
    struct fx_arena arena;
    fx_arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        enum kyverno_operator operator_;
        json_t *key = kyverno_read(conditions[i].key);
        json_t *value = kyverno_read(conditions[i].value);
        assert_true(fx_kyverno_operator(fx_text_of(conditions[i].operator_), &operator_));
        if (fx_kyverno_condition(key, operator_, value, &arena) != conditions[i].holds) {
            fail_msg("%s %s %s", conditions[i].key, conditions[i].operator_,
                     conditions[i].value);
        }
        json_decref(key);
        json_decref(value);
    }
    enum kyverno_operator none;
    assert_false(fx_kyverno_operator(FX_TEXT("Contains"), &none));
    fx_arena_finish(&arena);
}

/* ---- patterns ------------------------------------------------------------------------
 */

static const struct {
    const char *value, *pattern;
    bool matches;
} patterns[] = {
    {"\"nginx:latest\"", "\"*:latest\"", true},
    {"\"nginx:1\"", "\"!*:latest\"", true},
    {"5", "\">= 3 & < 6\"", true},
    {"7", "\"<3 | >6\"", true},
    {"\"256Mi\"", "\"128Mi-512Mi\"", true},
    {"{\"a\":1}", "{\"a\":\"*\"}", true},
    {"{\"a\":null}", "{\"a\":\"*\"}", false},
    {"{}", "{\"(a)\":1}", false},
    {"{}", "{\"=(a)\":1}", true},
    {"{\"a\":2}", "{\"=(a)\":1}", false},
    {"{\"a\":2}", "{\"X(a)\":1}", false},
    {"{}", "{\"<(a)\":1}", true},
    {"{\"a\":[{\"x\":1},{\"x\":2}]}", "{\"^(a)\":[{\"x\":2}]}", true},
    {"{\"a\":[{\"x\":1}]}", "{\"^(a)\":[{\"x\":2}]}", false},
    {"[{\"a\":1,\"b\":1},{\"a\":2,\"b\":9}]", "[{\"(a)\":1,\"b\":1}]", true},
    {"[{\"a\":1,\"b\":1},{\"a\":1,\"b\":9}]", "[{\"(a)\":1,\"b\":1}]", false},
    {"[{\"a\":2}]", "[{\"(a)\":1,\"b\":1}]", false},
    {"[1,2]", "[\">0\"]", true},
    {"[1,-2]", "\">0\"", false},
    {"[[1],[2]]", "[[1],[2]]", true},
    {"[1]", "[]", false},
    {"{\"labels\":{\"app.io/x\":\"v\"}}", "{\"labels\":{\"app.io/*\":\"v\"}}", true},
};

static void test_patterns(void **state) {
    (void)state;
    struct fx_arena arena;
    fx_arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        json_t *value = kyverno_read(patterns[i].value);
        json_t *pattern = kyverno_read(patterns[i].pattern);
        if (fx_kyverno_match_pattern(FX_TEXT("metadata"), value, pattern, &arena) !=
            patterns[i].matches) {
            fail_msg("%s as %s", patterns[i].value, patterns[i].pattern);
        }
        json_decref(value);
        json_decref(pattern);
    }
    fx_arena_finish(&arena);
}

/* ---- anchors -------------------------------------------------------------------------
 */

static const struct {
    const char *object, *patch;
    const char *plain; /* NULL: it is refused */
} anchors[] = {
    {"{}", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}"},
    {"{\"a\":null}", "{\"+(a)\":1,\"+(b)\":2}", "{\"b\":2}"},
    {"{\"a\":\"x\"}", "{\"(a)\":\"x\",\"b\":1}", "{\"b\":1}"},
    {"{\"a\":\"y\"}", "{\"(a)\":\"x\",\"b\":1}", "{}"},
    {"{\"a\":true}", "{\"(a)\":\"true\",\"b\":1}", "{\"b\":1}"},
    {"{}", "{\"c\":{\"(a)\":1},\"b\":1}", "{}"},
    {"{\"a\":{}}", "{\"(a)\":{\"+(b)\":1}}", "{\"a\":{\"b\":1}}"},
    {"{\"l\":[{\"name\":\"a\",\"k\":1},{\"name\":\"b\"}]}",
     "{\"l\":[{\"(k)\":1,\"v\":2}]}", "{\"l\":[{\"v\":2,\"name\":\"a\"}]}"},
    {"{\"l\":[{\"name\":\"a\"},{\"name\":\"b\"}]}",
     "{\"l\":[{\"(name)\":\"*\",\"v\":2},{\"name\":\"c\"}]}",
     "{\"l\":[{\"name\":\"c\"},{\"v\":2,\"name\":\"a\"},{\"v\":2,\"name\":\"b\"}]}"},
    {"{\"l\":[{\"x\":1}]}", "{\"l\":[{\"<(y)\":1}],\"b\":1}", "{}"},
    {"{\"l\":[{\"y\":1}]}", "{\"l\":[{\"<(y)\":1}],\"b\":1}", "{\"b\":1}"},
    {"{}", "{\"v\":[{\"name\":\"x\",\"e\":{}}]}", "{\"v\":[{\"name\":\"x\"}]}"},
    {"{\"l\":5}", "{\"l\":[{\"(a)\":1}]}", NULL},
};

static void expect_text(const char *expected, const json_t *got, size_t index) {
    json_t *node = kyverno_read(expected);
    if (!fx_equal(node, got)) {
        fail_msg("case %zu: not %s", index, expected);
    }
    json_decref(node);
}

static void check_anchors(size_t index) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, ARENA_BYTES);
    json_t *object = kyverno_read(anchors[index].object);
    json_t *given = kyverno_read(anchors[index].patch);
    json_t *patch = json_incref(given);
    const bool ok = fx_kyverno_resolve_anchors(&patch, object, &arena, &err);
    assert_int_equal(ok, anchors[index].plain != NULL);
    if (ok) {
        expect_text(anchors[index].plain, patch, index);
    }
    expect_text(anchors[index].patch, given, index); /* it is not written */
    json_decref(given);
    json_decref(patch);
    json_decref(object);
    fx_arena_finish(&arena);
}

static void test_anchors(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof anchors / sizeof *anchors; i++) {
        check_anchors(i);
    }
}

/* A pattern over long lists spends from the budget. */
static void test_ends(void **state) {
    (void)state;
    struct fx_arena arena;
    fx_arena_init(&arena, ARENA_BYTES);
    json_t *list = json_array();
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(json_array_append_new(list, json_integer(i)), 0);
    }
    const struct fx_bound before = fx_budget_narrow(10000, 0);
    assert_false(fx_kyverno_condition(list, KYVERNO_ALL_IN, list, &arena) &&
                 fx_budget_exceeded() == FX_EXCEEDED_NOTHING);
    assert_int_equal(fx_budget_widen(before), FX_EXCEEDED_UNITS);
    json_decref(list);
    fx_arena_finish(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),     cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_patterns), cmocka_unit_test(test_anchors),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
