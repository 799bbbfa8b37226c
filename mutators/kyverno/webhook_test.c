/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/webhook_test.c - which rules run on which of Kyverno's paths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mutators/kyverno/rule.h"
#include "mutators/kyverno/webhook.h"
#include "value/json.h"

static const struct fx_webhook_path *find(const char *path) {
    const struct fx_webhook_path *at = fx_kyverno_webhook.paths;
    while (at->path != NULL && strcmp(at->path, path) != 0) {
        at++;
    }
    assert_non_null(at->path);
    return at;
}

static bool selects(const char *path, const char *argument,
                    const struct kyverno_policy *policy) {
    char group[] = KYVERNO_GROUP;
    struct kyverno_rule rule = {.policy = policy};
    rule.head.group = group;
    return find(path)->selects(&rule.head, fx_text_of(argument));
}

static json_t *document(const char *spec) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = json_object();
    assert_int_equal(
        json_object_set_new(root, "spec", fx_json_read(fx_text_of(spec), NULL, &err)), 0);
    return root;
}

/* A policy with conditions for its webhook has a path of its own, and no other. */
static void paths(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        bool ignores, in_fail, in_ignore;
    } cases[] = {
        {"{}", false, true, false},
        {"{}", true, false, true},
        {"{\"webhookConfiguration\":{\"matchConditions\":[]}}", false, true, false},
        {"{\"webhookConfiguration\":{\"matchConditions\":[{}]}}", false, false, false},
        {"{\"webhookConfiguration\":{\"matchConditions\":[{}]}}", true, false, false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct kyverno_policy policy = {
            .document = document(cases[i].spec),
            .name = FX_TEXT("a"),
            .ignores_failure = cases[i].ignores,
        };
        assert_int_equal(selects("/mutate/fail", "", &policy), cases[i].in_fail);
        assert_int_equal(selects("/mutate/ignore", "", &policy), cases[i].in_ignore);
        assert_true(selects("/mutate", "", &policy));
        assert_true(selects("/mutate/fail/finegrained/", "a", &policy));
        assert_true(selects("/mutate/ignore/finegrained/", "a", &policy));
        assert_false(selects("/mutate/fail/finegrained/", "b", &policy));
        assert_false(selects("/verifymutate", "", &policy));
        json_decref(policy.document);
    }
}

static void names(void **state) {
    (void)state;
    const struct kyverno_policy local = {.name = FX_TEXT("a"),
                                         .namespace_ = FX_TEXT("n")};
    assert_true(selects("/mutate/fail/finegrained/", "n/a", &local));
    assert_false(selects("/mutate/fail/finegrained/", "m/a", &local));
    assert_false(selects("/mutate/fail/finegrained/", "a", &local));
    assert_false(selects("/mutate/fail/finegrained/", "n/a/b", &local));
}

/* Rules of other dialects have webhooks of their own. */
static void others(void **state) {
    (void)state;
    char group[] = "mutations.gatekeeper.sh";
    const struct fx_mutator mutator = {.group = group};
    const struct fx_webhook_path *at = fx_kyverno_webhook.paths;
    for (; at->path != NULL; at++) {
        assert_int_equal(at->selects != NULL, at->endpoint == FX_ENDPOINT_MUTATE);
        assert_false(at->selects != NULL && at->selects(&mutator, FX_TEXT("a")));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(paths), cmocka_unit_test(names),
                                       cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
