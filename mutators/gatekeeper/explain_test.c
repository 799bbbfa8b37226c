/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/explain_test.c - criteria of policies as text, and where a
 * mutator may write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/access.h"
#include "engine/policy_text.h"
#include "mutators/gatekeeper/target.h"
#include "value/json.h"

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

static void test_criteria(void **state) {
    (void)state;
    static const struct {
        const char *spec, *criterion, *field, *wanted;
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
        static const struct fx_mutator_ops ops = {.explain = fx_target_explain};
        const struct target target = {
            .mutator = {.ops = &ops, .policy = fx_policy_text_create(source)}};
        struct fx_criterion criterion;
        fx_mutator_explain(&target.mutator, cases[i].criterion, &criterion);
        expect(&criterion.field, cases[i].field);
        expect(&criterion.wanted, cases[i].wanted);
        fx_criterion_finish(&criterion);
        fx_policy_text_unref(target.mutator.policy);
        json_decref(source);
    }
}

static const struct fx_mutator_ops access_ops = {.access = fx_target_access};

static void test_may_write(void **state) {
    (void)state;
    static const struct {
        struct fx_path_step path[3];
        size_t n_steps;
        const char *location;
        bool may;
    } cases[] = {
        {{{FX_PATH_MEMBER, {"c", 1}, NULL}}, 1, "c[name: b].i", true},
        {{{FX_PATH_MEMBER, {"x", 1}, NULL}}, 1, "c[name: b].i", false},
        {{{FX_PATH_MEMBER, {"c", 1}, NULL}}, 1, "", false},
        {{{FX_PATH_TOKEN, {"c", 1}, NULL}, {FX_PATH_TOKEN, {"0", 1}, NULL}},
         2,
         "c[name: b].i",
         true},
        {{{FX_PATH_TOKEN, {"c", 1}, NULL}, {FX_PATH_TOKEN, {"x", 1}, NULL}},
         2,
         "c[name: b].i",
         false},
        {{{FX_PATH_MEMBER, {"c", 1}, NULL}, {FX_PATH_MEMBER, {"i", 1}, NULL}},
         2,
         "c[name: b].i",
         false},
        {{{FX_PATH_MEMBER, {"c", 1}, NULL}, {FX_PATH_ELEMENT, {"name", 4}, NULL}},
         2,
         "c[name: b].i",
         true},
        {{{FX_PATH_MEMBER, {"c", 1}, NULL}, {FX_PATH_ELEMENT, {"name", 4}, NULL}},
         2,
         "c.i",
         false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct target target = {.mutator = {.ops = &access_ops}};
        assert_true(fx_match_compile(NULL, FX_MATCH_GATEKEEPER, &target.match, &err));
        assert_true(fx_location_parse(fx_text_of(cases[i].location),
                                      FX_LOCATION_GATEKEEPER, &target.location, &err));
        bool may = false;
        assert_true(fx_access_may_write(&target.mutator, cases[i].path, cases[i].n_steps,
                                        &may, &err));
        if (may != cases[i].may) {
            fail_msg("case %zu, `%s`", i, cases[i].location);
        }
        fx_location_destroy(target.location);
        fx_match_destroy(target.match);
    }
}

/* Elements differ only if their values of one key differ. */
static void test_may_write_elements(void **state) {
    (void)state;
    static const struct {
        const char *key, *value, *location;
        bool may;
    } cases[] = {
        {"name", "a", "[name: a]", true},
        {"name", "a", "[name: *]", true},
        {"name", "a", "[name: b]", false},
        {"key", "a", "[name: b]", true},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char text[64];
        struct fx_err err = FX_ERR_INIT;
        struct target target = {.mutator = {.ops = &access_ops}};
        assert_true(fx_match_compile(NULL, FX_MATCH_GATEKEEPER, &target.match, &err));
        json_t *value = json_string(cases[i].value);
        const struct fx_path_step path[] = {
            {FX_PATH_MEMBER, FX_TEXT("c"), NULL},
            {FX_PATH_ELEMENT, fx_text_of(cases[i].key), value},
        };
        (void)snprintf(text, sizeof text, "c%s.i", cases[i].location);
        assert_true(fx_location_parse(fx_text_of(text), FX_LOCATION_GATEKEEPER,
                                      &target.location, &err));
        bool may = false;
        assert_true(fx_access_may_write(&target.mutator, path, 2, &may, &err));
        if (may != cases[i].may) {
            fail_msg("[%s: %s], `%s`", cases[i].key, cases[i].value, text);
        }
        fx_location_destroy(target.location);
        fx_match_destroy(target.match);
        json_decref(value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_criteria),
        cmocka_unit_test(test_may_write),
        cmocka_unit_test(test_may_write_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
