/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/check_test.c - single objects, as a webhook is asked about them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/request.h"
#include "policy/ca_testing.h"
#include "policy/check.h"
#include "value/documents.h"

#define OBJECT(type, name, spec) "{" type ", metadata: {name: " name "}, spec: " spec "}"
#define ASSIGN                   "apiVersion: mutations.gatekeeper.sh/v1, kind: Assign"
#define PROVIDER                 "apiVersion: externaldata.gatekeeper.sh/v1beta1, kind: Provider"
#define CONFIG                   "apiVersion: config.gatekeeper.sh/v1alpha1, kind: Config"
#define TEMPLATE                 "apiVersion: expansion.gatekeeper.sh/v1alpha1, kind: ExpansionTemplate"
#define APPLY_TO                 "applyTo: [{groups: [\"\"], versions: [v1], kinds: [Pod]}]"

#define MODRULE "apiVersion: api.kubemod.io/v1beta1, kind: ModRule"

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
    {OBJECT(MODRULE, "m", "{type: Reject, match: [{select: $.kind}]}"), true, NULL, 1, 0,
     0},
    {OBJECT(MODRULE, "m", "{type: Reject}"), true,
     "ModRule.api.kubemod.io \"m\" is invalid: spec.match: Required value", 0, 0, 0},
    {OBJECT(MODRULE, "m", "{}"), true,
     "ModRule.api.kubemod.io \"m\" is invalid: [spec.type: Required value, spec.match: "
     "Required value]",
     0, 0, 0},
    {"{apiVersion: api.kubemod.io/v1, kind: ModRule, metadata: {name: m}}", true,
     "no matches for kind \"ModRule\" in version \"api.kubemod.io/v1\"", 0, 0, 0},
};

static void check_row(size_t index, json_t *object) {
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    bool is_policy = !cases[index].is_policy;
    const bool ok = fx_policy_check(object, &made, &is_policy, &err);
    assert_int_equal(ok, cases[index].msg == NULL);
    assert_int_equal(is_policy, cases[index].is_policy);
    if (!ok) {
        assert_true(err.code == FX_EINVALID || err.code == FX_ESYNTAX);
        assert_string_equal(err.msg, cases[index].msg);
    } else {
        assert_int_equal(made.n_mutators, cases[index].n_mutators);
        assert_int_equal(made.n_resources, cases[index].n_resources);
        assert_int_equal(made.n_warnings, cases[index].n_warnings);
    }
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
        struct fx_subject subject;
        fx_subject_read(object, &subject);
        assert_int_equal(fx_policy_is_kind(subject.group, subject.kind),
                         cases[i].is_policy);
        check_row(i, object);
        assert_int_equal(object->refcount, 1); /* nothing of it is left */
        fx_documents_finish(&documents);
    }
}

/* Those of a dialect that does not stop at the first one. */
static void keeps_faults(void **state) {
    (void)state;
    struct fx_documents documents = {0};
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    bool is_policy = false;
    const char *text = OBJECT(MODRULE, "m", "{}");
    assert_true(fx_documents_read(fx_text_of(text), &documents, &err));
    assert_false(fx_policy_check(documents.items[0].root, &made, &is_policy, &err));
    assert_int_equal(made.n_faults, 2);
    assert_string_equal(made.faults[0].text, "spec.type: Required value");
    assert_string_equal(made.faults[1].text, "spec.match: Required value");
    fx_compilation_finish(&made);
    fx_documents_finish(&documents);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks),
        cmocka_unit_test(keeps_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
