/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/check_test.c - single objects, as a webhook is asked about them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/ca_testing.h"
#include "policy/check.h"
#include "value/documents.h"

#define OBJECT(type, name, spec) "{" type ", metadata: {name: " name "}, spec: " spec "}"
#define ASSIGN                   "apiVersion: mutations.gatekeeper.sh/v1, kind: Assign"
#define PROVIDER                 "apiVersion: externaldata.gatekeeper.sh/v1beta1, kind: Provider"
#define CONFIG                   "apiVersion: config.gatekeeper.sh/v1alpha1, kind: Config"
#define TEMPLATE                 "apiVersion: expansion.gatekeeper.sh/v1alpha1, kind: ExpansionTemplate"
#define APPLY_TO                 "applyTo: [{groups: [\"\"], versions: [v1], kinds: [Pod]}]"

/* An object, whether it is a policy, what is wrong with it (NULL: nothing), how many
 * mutators, resources and warnings it yields. */
static const struct {
    const char *object;
    bool is_policy;
    const char *msg;
    size_t n_mutators, n_resources, n_warnings;
} cases[] = {
    {"{apiVersion: v1, kind: Pod, metadata: {name: a}}", false, NULL, 0, 0, 0},
    {"{kind: Assign}", false, NULL, 0, 0, 0},
    {"{apiVersion: v1, kind: Assign}", false, NULL, 0, 0, 0},
    {"{apiVersion: mutations.gatekeeper.sh/v1, kind: Other}", false, NULL, 0, 0, 0},
    {"{apiVersion: kyverno.io/v1, kind: NoSuchKind}", false, NULL, 0, 0, 0},
    {"{}", false, NULL, 0, 0, 0},
    {"[]", false, NULL, 0, 0, 0},
    {OBJECT(ASSIGN, "a",
            "{" APPLY_TO ", location: spec.x, parameters: {assign: {value: 1}}}"),
     true, NULL, 1, 0, 0},
    {OBJECT(ASSIGN, "a",
            "{" APPLY_TO
            ", location: spec.x, more: 1, parameters: {assign: {value: 1}}}"),
     true, NULL, 1, 0, 1},
    {OBJECT(ASSIGN, "a", "{location: spec.}"), true,
     "invalid location format `spec.` for Assign a: trailing separators are forbidden", 0,
     0, 0},
    {"{apiVersion: mutations.gatekeeper.sh/v9, kind: Assign, metadata: {name: a}}", true,
     "no matches for kind \"Assign\" in version \"mutations.gatekeeper.sh/v9\"", 0, 0, 0},
    {OBJECT(PROVIDER, "p", "{url: 'https://p', caBundle: " CA_BUNDLE "}"), true, NULL, 0,
     1, 0},
    {OBJECT(PROVIDER, "p", "{url: 'https://p', caBundle: LS0tCg==}"), true,
     "bad caBundle", 0, 0, 0},
    {OBJECT(PROVIDER, "p", "{url: 'http://p', caBundle: LS0tCg==}"), true,
     "only HTTPS scheme is supported for Providers", 0, 0, 0},
    {OBJECT(CONFIG, "config", "{match: []}"), true, NULL, 0, 1, 0},
    {OBJECT(CONFIG, "other", "{match: []}"), true,
     "config resource must have name 'config'", 0, 0, 0},
    {OBJECT(CONFIG, "other", "{match: {}}"), true,
     "config resource must have name 'config'", 0, 0, 0},
    {"{" CONFIG "}", true, "config resource must have name 'config'", 0, 0, 0},
    {OBJECT(TEMPLATE, "t", "{templateSource: s, generatedGVK: {kind: X}, " APPLY_TO "}"),
     true, NULL, 0, 1, 0},
    {OBJECT(TEMPLATE, "t", "{templateSource: s, generatedGVK: {kind: X}}"), true,
     "ExpansionTemplate t must specify ApplyTo", 0, 0, 0},
};

static void check_row(size_t index, json_t *object, bool wants_compilation) {
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    bool is_policy = !cases[index].is_policy;
    const bool ok =
        fx_policy_check(object, wants_compilation ? &made : NULL, &is_policy, &err);
    assert_int_equal(ok, cases[index].msg == NULL);
    assert_int_equal(is_policy, cases[index].is_policy);
    if (!ok) {
        assert_true(err.code == FX_EINVALID || err.code == FX_ESYNTAX);
        assert_string_equal(err.msg, cases[index].msg);
    }
    assert_int_equal(made.n_mutators, wants_compilation ? cases[index].n_mutators : 0);
    assert_int_equal(made.n_resources, wants_compilation ? cases[index].n_resources : 0);
    assert_int_equal(made.n_warnings, wants_compilation ? cases[index].n_warnings : 0);
    fx_compilation_finish(&made);
}

static void checks(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        print_message("%s\n", cases[i].object);
        struct fx_documents documents = {0};
        struct fx_err err = FX_ERR_INIT;
        assert_true(fx_documents_read(fx_text_of(cases[i].object), &documents, &err));
        assert_int_equal(documents.n_items, 1);
        json_t *object = documents.items[0].root;
        check_row(i, object, true);
        check_row(i, object, false);
        assert_int_equal(object->refcount, 1); /* nothing of it is left */
        fx_documents_finish(&documents);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
