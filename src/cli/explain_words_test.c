/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_words_test.c - values, placeholders and criteria in words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/explain_words.h"
#include "engine/policy_text.h"
#include "value/json.h"
#include "value/tree.h"

static json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(fx_text_of(text), NULL, &err);
    if (node == NULL) {
        fail_msg("`%s`: %s", text, err.msg);
    }
    return node;
}

static void expect(struct fx_buf *buf, const char *expected) {
    char *got = fx_buf_steal(buf);
    assert_non_null(got);
    assert_string_equal(got, expected);
    free(got);
}

static void test_values(void **state) {
    (void)state;
    static const struct {
        const char *json, *expected;
    } cases[] = {
        {"\"Always\"", "Always"},
        {"\"8080\"", "\"8080\""},
        {"8080", "8080"},
        {"5.50", "5.5"},
        {"true", "true"},
        {"\"true\"", "\"true\""},
        {"null", "null"},
        {"\"\"", "\"\""},
        {"\"a\\nb\"", "\"a\\nb\""},
        {"[]", "[]"},
        {"{\"a\":[1,\"1\"]}", "{\"a\":[1,\"1\"]}"},
    };
    struct fx_buf buf;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *value = read_json(cases[i].json);
        fx_buf_init(&buf, 0);
        fx_words_value(&buf, value);
        expect(&buf, cases[i].expected);
        json_decref(value);
    }
    fx_buf_init(&buf, 0);
    fx_words_value(&buf, NULL);
    expect(&buf, "(absent)");
}

/* Only the very node of a placeholder is one, however deep. */
static void test_placeholders(void **state) {
    (void)state;
    static const struct fx_external external = {.provider = {"p", 1}};
    struct fx_placeholders *placeholders = fx_placeholders_create();
    assert_non_null(placeholders);
    json_t *plain = read_json("{\"a\":1}");
    json_t *same = fx_words_reveal(placeholders, plain);
    assert_ptr_equal(same, plain);
    assert_null(fx_words_reveal(placeholders, NULL));
    json_decref(same);

    json_t *node = fx_placeholders_make(placeholders, &external, FX_TEXT("ng\"inx"));
    json_t *fake = json_integer(json_integer_value(node));
    json_t *value = json_pack("{s:[o, {s:O}]}", "l", fake, "x", node);
    assert_non_null(value);
    json_t *revealed = fx_words_reveal(placeholders, value);
    json_t *list = fx_tree_view_key(revealed, "l");
    assert_true(json_is_integer(json_array_get(list, 0)));
    assert_true(fx_text_is(fx_tree_view_string(json_array_get(list, 1), "x"),
                           "<value of provider \"p\" for \"ng\\\"inx\">"));
    json_decref(revealed);
    json_decref(value);
    json_decref(node);
    json_decref(plain);
    fx_placeholders_destroy(placeholders);
}

static void test_criteria(void **state) {
    (void)state;
    static const struct {
        const char *spec, *criterion, *place, *words;
    } cases[] = {
        {"{\"applyTo\":[{\"groups\":[\"\"],\"versions\":[\"v1\"],\"kinds\":[\"Pod\"]},"
         "{\"groups\":[\"apps\",\"batch\"],\"versions\":[\"v1\"],\"kinds\":[\"A\",\"B\"],"
         "\"operations\":[\"CREATE\",\"UPDATE\"]}]}",
         "applyTo", "applyTo", "v1 Pod; apps,batch/v1 A, B under CREATE, UPDATE"},
        {"{\"match\":{\"kinds\":[{\"apiGroups\":[\"\"],\"kinds\":[\"Pod\"]},"
         "{\"apiGroups\":[\"apps\"],\"kinds\":[\"X\",\"Y\"]},{\"apiGroups\":[\"*\"]}]}}",
         "kinds", "match.kinds", "Pod; X, Y of apps; any of *"},
        {"{\"match\":{\"scope\":\"Cluster\"}}", "scope", "match.scope", "Cluster"},
        {"{\"match\":{\"namespaces\":[\"prod\",\"s-*\"]}}", "namespaces",
         "match.namespaces", "prod, s-*"},
        {"{\"match\":{\"excludedNamespaces\":[\"kube-*\"]}}", "excludedNamespaces",
         "match.excludedNamespaces", "kube-*"},
        {"{\"match\":{\"labelSelector\":{\"matchLabels\":{\"a\":\"b\",\"c\":\"1\"},"
         "\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\",\"values\":[\"x\","
         "\"y\"]},{\"key\":\"n\",\"operator\":\"NotIn\",\"values\":[\"z\"]},"
         "{\"key\":\"e\",\"operator\":\"Exists\"},{\"key\":\"d\",\"operator\":"
         "\"DoesNotExist\"},{\"key\":\"o\",\"operator\":\"Odd\",\"values\":[\"q\"]}]}}}",
         "labelSelector", "match.labelSelector",
         "a=b, c=1, k in (x, y), n notin (z), e, !d, o Odd (q)"},
        {"{\"match\":{\"namespaceSelector\":{\"matchLabels\":{\"a\":\"b\"}}}}",
         "namespaceSelector", "match.namespaceSelector", "a=b"},
        {"{\"match\":{\"name\":\"web-*\"}}", "name", "match.name", "web-*"},
        {"{\"match\":{\"source\":\"Generated\"}}", "source", "match.source", "Generated"},
        {"{\"parameters\":{\"pathTests\":[{\"subPath\":\"a.b\",\"condition\":"
         "\"MustExist\"},{\"subPath\":\"a\",\"condition\":\"MustNotExist\"}]}}",
         "pathTests", "parameters.pathTests", "a.b MustExist; a MustNotExist"},
        {"{\"conditions\":[{\"location\":\"a.b\",\"operator\":\"In\",\"values\":[1,\"1\"]"
         "},{\"location\":\"c\",\"operator\":\"Exists\"}]}",
         "conditions", "conditions", "a.b In (1, \"1\"); c Exists"},
        {"{\"location\":\"a[name: x]\"}", "location", "location", "a[name: x]"},
        {"{}", "namespaces", "namespaces", ""},
        {"null", "what", "what", ""},
        {"{\"what\":{\"deep\":1}}", "what", "what", "{\"deep\":1}"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *spec = read_json(cases[i].spec);
        json_t *source = json_pack("{s:o}", "spec", spec);
        const struct fx_mutator mutator = {.policy = fx_policy_text_create(source)};
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_words_place(&buf, &mutator, cases[i].criterion);
        expect(&buf, cases[i].place);
        fx_buf_init(&buf, 0);
        fx_words_criterion(&buf, &mutator, cases[i].criterion);
        expect(&buf, cases[i].words);
        fx_policy_text_unref(mutator.policy);
        json_decref(source);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_placeholders),
        cmocka_unit_test(test_criteria),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
