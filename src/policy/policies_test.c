/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/policies_test.c - files to mutators and findings, and again with what was
 * before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <string.h>

#include "base/limits.h"
#include "policy/policies_testing.h"

static const struct {
    const char *about, *text;
    size_t n_mutators;
    const char *findings;
} files[] = {
    {"an empty file", "", 0, ""},
    {"only comments", "# nothing\n---\n---\n", 0, ""},
    {"two policies", ASSIGN("a", "spec.x", "1") NEXT ASSIGN("b", "spec.y", "2"), 2, ""},
    {"a list", "kind: List\napiVersion: v1\nitems:\n- " ASSIGN("a", "spec.x", "1"), 1,
     ""},
    {"a fault within a location",
     "apiVersion: mutations.gatekeeper.sh/v1\n"
     "kind: Assign\n"
     "metadata: {name: always-pull}\n"
     "spec:\n"
     "  location: \"spec.containers[name: *\"\n",
     0,
     "p.yaml:5:37: error: Assign/always-pull: invalid location format "
     "`spec.containers[name: *` for Assign always-pull: unexpected token: expected ']' "
     "following listSpec, got: EOF: \"\"\n"
     "  location: \"spec.containers[name: *\"\n"
     "                                    ^\n"},
    {"a fault in a folded location",
     "apiVersion: mutations.gatekeeper.sh/v1\n"
     "kind: Assign\n"
     "metadata: {name: a}\n"
     "spec:\n"
     "  location: >-\n"
     "    spec.\n"
     "    a!\n",
     0,
     "p.yaml:6:5: error: Assign/a: invalid location format `spec. a!` for Assign a: "
     "unexpected token: expected '.' or eof, got: ERROR: \"!\"\n"
     "  spec. a!\n"
     "         ^\n"},
    {"a fault in the middle leaves the others",
     ASSIGN("a", "spec.x", "1") NEXT ASSIGN("b", "metadata.x", "1")
         NEXT ASSIGN("c", "spec.y", "1"),
     2,
     "p.yaml:3:151: error: Assign/b: assign b can't change metadata\n"
     "  …ions: [v1], kinds: [Pod]}], location: metadata.x, parameters: {assign: {valu…\n"
     "                                         ^~~~~~~~~~\n"},
    {"no name",
     "apiVersion: mutations.gatekeeper.sh/v1\nkind: Assign\nmetadata:\n  labels: {}\n", 0,
     "p.yaml:4:3: error: Assign has no `metadata.name`\n"
     "  labels: {}\n"
     "  ^\n"},
    {"a name that is no string",
     "apiVersion: mutations.gatekeeper.sh/v1\nkind: Assign\nmetadata: {name: 5}\n", 0,
     "p.yaml:3:18: error: `metadata.name` must be a string\n"
     "  metadata: {name: 5}\n"
     "                   ^\n"},
    {"no kind", "apiVersion: v1\nmetadata: {name: a}\n", 0,
     "p.yaml:1:1: error: the object has no `kind`\n"
     "  apiVersion: v1\n"
     "  ^\n"},
    {"no apiVersion", "kind: Assign\n", 0,
     "p.yaml:1:1: error: the object has no `apiVersion`\n"
     "  kind: Assign\n"
     "  ^\n"},
    {"no object", "- a\n", 0,
     "p.yaml:1:1: error: the document is not an object\n"
     "  - a\n"
     "  ^\n"},
    {"a version that is not served",
     "apiVersion: mutations.gatekeeper.sh/v2\nkind: Assign\nmetadata: {name: a}\n", 0,
     "p.yaml:1:13: error: Assign/a: no matches for kind \"Assign\" in version "
     "\"mutations.gatekeeper.sh/v2\"\n"
     "  apiVersion: mutations.gatekeeper.sh/v2\n"
     "              ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {"an unsupported kind",
     "apiVersion: api.kubemod.io/v1beta1\nkind: NoSuchRule\nmetadata: {name: a}\n", 0,
     "p.yaml:2:7: error: NoSuchRule/a: kind NoSuchRule of api.kubemod.io/v1beta1 is not "
     "supported by this version\n"
     "  kind: NoSuchRule\n"
     "        ^~~~~~~~~~\n"},
    {"a group of which only some kinds are policies",
     "apiVersion: admissionregistration.k8s.io/v1\n"
     "kind: ValidatingWebhookConfiguration\nmetadata: {name: a}\n",
     0,
     "p.yaml:2:7: warning: ValidatingWebhookConfiguration/a is not a policy; ignored\n"
     "  kind: ValidatingWebhookConfiguration\n"
     "        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
    {"no policy", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", 0,
     "p.yaml:2:7: warning: ConfigMap/x is not a policy; ignored\n"
     "  kind: ConfigMap\n"
     "        ^~~~~~~~~\n"},
    {"no policy and no name", "apiVersion: v1\nkind: Pod\n", 0,
     "p.yaml:2:7: warning: Pod is not a policy; ignored\n"
     "  kind: Pod\n"
     "        ^~~\n"},
    {"one id twice: the later counts",
     ASSIGN("a", "spec.x", "1") NEXT ASSIGN("a", "spec.y", "1"), 1,
     "p.yaml:1: warning: Assign/a: is defined again in p.yaml, line 3, which counts\n"},
    {"one name in several namespaces and in none",
     ASSIGN("a", "spec.x", "1") NEXT ASSIGN("a, namespace: m", "spec.y", "1") NEXT ASSIGN(
         "a, namespace: o", "spec.y", "1") NEXT ASSIGN("a, namespace: m", "spec.z", "1"),
     3,
     "p.yaml:3: warning: Assign/m/a: is defined again in p.yaml, line 7, which counts\n"},
    {"an error of a mutator with a namespace", ASSIGN("a, namespace: m", "'spec.'", "1"),
     0,
     "p.yaml:1:170: error: Assign/m/a: invalid location format `spec.` for Assign a: "
     "trailing separators are forbidden\n"
     "  \xE2\x80\xA6: [v1], kinds: [Pod]}], location: 'spec.', parameters: {assign: "
     "{value: "
     "1}}}}\n"
     "                                          ^\n"},
    {"a conflict",
     ASSIGN("a", "'spec.c.i'", "1") NEXT ASSIGN("b", "'spec.c[name: x].i'", "1"), 2,
     "p.yaml:1: conflict: Assign/a: the following mutators have conflicting schemas: "
     "[Assign.mutations.gatekeeper.sh /a,Assign.mutations.gatekeeper.sh /b]\n"
     "p.yaml:3: conflict: Assign/b: the following mutators have conflicting schemas: "
     "[Assign.mutations.gatekeeper.sh /a,Assign.mutations.gatekeeper.sh /b]\n"},
};

static void test_files(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(files); i++) {
        print_message("%s\n", files[i].about);
        struct fx_policies *policies = build_one(files[i].text, NULL);
        assert_int_equal(policies->snapshot->n_mutators, files[i].n_mutators);
        expect_findings(policies, files[i].findings);
        fx_policies_unref(policies);
    }
}

/* The message for broken syntax is the reader's; the position is ours. */
static void test_broken_syntax(void **state) {
    (void)state;
    struct fx_policies *policies =
        build_one(ASSIGN("a", "spec.x", "1") NEXT "a: b: c\n", NULL);
    assert_int_equal(policies->findings.n_items, 1);
    assert_int_equal(policies->findings.items[0].line, 3);
    assert_int_equal(policies->findings.items[0].severity, FX_SEVERITY_ERROR);
    assert_string_equal(policies->findings.items[0].excerpt, "a: b: c");
    assert_int_equal(policies->snapshot->n_mutators, 1); /* what comes before it counts */
    fx_policies_unref(policies);
}

static void test_unknown_field_is_a_warning(void **state) {
    (void)state;
    struct fx_policies *policies = build_one(
        "apiVersion: mutations.gatekeeper.sh/v1\nkind: AssignMetadata\n"
        "metadata: {name: a}\nspec:\n  locations: x\n  location: metadata.labels.a\n"
        "  parameters: {assign: {value: b}}\n",
        NULL);
    assert_int_equal(policies->snapshot->n_mutators, 1);
    assert_int_equal(policies->findings.n_items, 1);
    assert_int_equal(policies->findings.items[0].severity, FX_SEVERITY_WARNING);
    assert_int_equal(policies->findings.items[0].line, 5);
    fx_policies_unref(policies);
}

static void test_findings_are_bounded(void **state) {
    (void)state;
    struct fx_policies *policies = build_many("{}", FX_LIMIT_FINDINGS, "");
    assert_int_equal(policies->findings.n_items, FX_LIMIT_FINDINGS);
    fx_policies_unref(policies);
    policies =
        build_many(NEXT "{}\n", FX_LIMIT_FINDINGS + 7, NEXT ASSIGN("a", "spec.x", "1"));
    assert_int_equal(policies->snapshot->n_mutators, 1); /* it compiles all the same */
    expect_last(policies, FX_SEVERITY_ERROR, "and 7 more");
}

static void test_the_rest_is_as_bad_as_its_worst(void **state) {
    (void)state;
    const char *other = NEXT "{apiVersion: v1, kind: Secret}\n";
    expect_last(build_many(other, FX_LIMIT_FINDINGS + 1, ""), FX_SEVERITY_WARNING,
                "and 1 more");
    expect_last(build_many(other, FX_LIMIT_FINDINGS + 1, NEXT "{}\n"), FX_SEVERITY_ERROR,
                "and 2 more");
    const char *again = NEXT ASSIGN("a", "spec.x", "1");
    expect_last(build_many(again, FX_LIMIT_FINDINGS + 4, ""), FX_SEVERITY_WARNING,
                "and 3 more");
}

static void test_namespaces_and_origins(void **state) {
    (void)state;
    const struct fx_policy_input inputs[] = {
        {.file = "a", .text = FX_TEXT(SHOP("1"))},
        {.file = "b", .text = fx_text_of(ASSIGN("x", "spec.x", "1"))},
        {.file = "c", .text = FX_TEXT(SHOP("2"))},
    };
    struct fx_policies *policies = build(inputs, FX_COUNT(inputs), NULL);
    expect_findings(policies, "");
    assert_int_equal(policies->namespaces.n_objects, 1);
    json_t *found = fx_namespaces_find(&policies->namespaces, FX_TEXT("shop"));
    const char *label = NULL;
    assert_int_equal(
        json_unpack(found, "{s:{s:{s:s}}}", "metadata", "labels", "tier", &label), 0);
    assert_string_equal(label, "2"); /* the last file's */
    json_decref(found);
    assert_string_equal(policies->snapshot->mutators[0]->origin.file, "b");
    assert_int_equal(policies->snapshot->mutators[0]->origin.line, 1);
    fx_policies_unref(policies);
}

/* What the snapshot has at `index` after a reload: shared with before, or new. */
/* As kubectl's --namespace has it: only what names none, of kinds that live in one. */
static void test_namespace_of_what_names_none(void **state) {
    (void)state;
    static const char text[] =
        "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: a}, spec: "
        "{type: Reject, match: [{select: $.kind}]}}\n---\n"
        "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: b, "
        "namespace: other}, spec: {type: Reject, match: [{select: $.kind}]}}\n---\n"
        "{apiVersion: mutations.gatekeeper.sh/v1, kind: AssignMetadata, metadata: {name: "
        "c}, spec: {location: metadata.labels.x, parameters: {assign: {value: v}}}}\n";
    static const struct {
        const char *namespace_, *first;
    } cases[] = {{NULL, "default/a"}, {"shop", "shop/a"}};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct fx_policy_input input = {.file = "p.yaml",
                                              .text = fx_text_of(text),
                                              .namespace_ = cases[i].namespace_};
        struct fx_policies *policies = build(&input, 1, NULL);
        struct fx_mutator *const *mutators = policies->snapshot->mutators;
        assert_int_equal(policies->findings.n_items, 0);
        assert_int_equal(policies->snapshot->n_mutators, 3);
        assert_string_equal(mutators[0]->full_name, "c");
        assert_string_equal(mutators[1]->full_name, i == 0 ? cases[i].first : "other/b");
        assert_string_equal(mutators[2]->full_name, i == 0 ? "other/b" : cases[i].first);
        fx_policies_unref(policies);
    }
}

static void expect_shared(const struct fx_policies *before,
                          const struct fx_policies *after, size_t index, bool shared) {
    const bool same =
        before->snapshot->mutators[index] == after->snapshot->mutators[index];
    assert_int_equal(same, shared);
}

static void test_reload_shares_what_did_not_change(void **state) {
    (void)state;
    struct fx_policies *before =
        build_one(ASSIGN("a", "spec.x", "1") NEXT ASSIGN("b", "spec.y", "1"), NULL);
    struct fx_policies *after =
        build_one(ASSIGN("a", "spec.x", "1") NEXT ASSIGN("b", "spec.y", "2"), before);
    expect_shared(before, after, 0, true);
    expect_shared(before, after, 1, false);
    fx_policies_unref(before);
    expect_findings(after, "");
    fx_policies_unref(after);
}

/* A shared mutator would name a line where it no longer stands. */
static void test_reload_keeps_lines_true(void **state) {
    (void)state;
    struct fx_policies *before = build_one(ASSIGN("a", "spec.x", "1"), NULL);
    struct fx_policies *after = build_one("# a\n" ASSIGN("a", "spec.x", "1"), before);
    expect_shared(before, after, 0, false);
    assert_int_equal(after->snapshot->mutators[0]->origin.line, 2);
    fx_policies_unref(before);
    fx_policies_unref(after);
}

static void test_reload_of_a_broken_policy(void **state) {
    (void)state;
    struct fx_policies *before =
        build_one(ASSIGN("a", "spec.x", "1") NEXT ASSIGN("b", "spec.y", "1"), NULL);
    struct fx_policies *after = build_one(
        "apiVersion: mutations.gatekeeper.sh/v9\nkind: Assign\nmetadata: {name: a}\n",
        before);
    assert_int_equal(after->snapshot->n_mutators, 1); /* b is gone from the file */
    expect_shared(before, after, 0, true);
    fx_policies_unref(before);
    expect_findings(
        after,
        "p.yaml:1:13: error: Assign/a: no matches for kind \"Assign\" "
        "in version \"mutations.gatekeeper.sh/v9\"; the previous version stays active\n"
        "  apiVersion: mutations.gatekeeper.sh/v9\n"
        "              ^~~~~~~~~~~~~~~~~~~~~~~~~~\n");
    /* And once more: what stays, stays until there is a good version. */
    struct fx_policies *last =
        build_one(NEXT ASSIGN("c", "spec.z", "1") NEXT ASSIGN("a", "spec.", "1"), after);
    assert_int_equal(last->snapshot->n_mutators, 2);
    expect_shared(after, last, 0, true);
    fx_policies_unref(after);
    fx_policies_unref(last);
}

/* The previous version may be elsewhere in the file, and more than once: it is not a
 * further definition, and each finding has the position of its own document. */
static void test_reload_of_a_broken_one_among_several(void **state) {
    (void)state;
    const char *text = ASSIGN("a", "spec.x", "1") NEXT ASSIGN("a", "spec.", "1")
        NEXT ASSIGN("a", "spec.x", "2") NEXT ASSIGN("a", "spec.x", "3");
    const char *warnings[] = {
        "is defined again in p.yaml, line 5, which counts",
        "is defined again in p.yaml, line 7, which counts",
    };
    struct fx_policies *before = build_one(text, NULL);
    struct fx_policies *after = build_one(text, before);
    expect_shared(before, after, 0, true);
    fx_policies_unref(before);
    assert_int_equal(after->findings.n_items, 3);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(after->findings.items[i + 1].text, warnings[i]);
    }
    fx_policies_unref(after);
}

static void test_reload_of_a_broken_file(void **state) {
    (void)state;
    struct fx_policy_input inputs[] = {
        {.file = "a",
         .text = fx_text_of(ASSIGN("a", "spec.x", "1") NEXT
                            "{apiVersion: v1, kind: Namespace, metadata: {name: ns}}\n")},
        {.file = "b", .text = fx_text_of(ASSIGN("b", "spec.y", "1"))},
    };
    struct fx_policies *before = build(inputs, 2, NULL);
    inputs[0].text = fx_text_of(ASSIGN("z", "spec.x", "1") NEXT "{");
    inputs[1].failure = "b: permission denied";
    struct fx_policies *after = build(inputs, 2, before);
    assert_int_equal(after->snapshot->n_mutators, 2);
    expect_shared(before, after, 0, true);
    expect_shared(before, after, 1, true);
    assert_int_equal(after->namespaces.n_objects, 1);
    fx_policies_unref(before);
    assert_int_equal(after->findings.n_items, 2);
    const struct fx_text stays = FX_TEXT("; the previous version stays active");
    assert_true(fx_text_ends(fx_text_of(after->findings.items[0].text), stays));
    assert_string_equal(after->findings.items[1].text,
                        "b: permission denied; the previous version stays active");
    /* Nothing of a file that is not among the inputs stays. */
    struct fx_policies *last = build(inputs + 1, 1, after);
    assert_int_equal(last->snapshot->n_mutators, 1);
    assert_int_equal(last->namespaces.n_objects, 0);
    fx_policies_unref(after);
    fx_policies_unref(last);
}

static void test_unreadable_from_the_start(void **state) {
    (void)state;
    const struct fx_policy_input input = {.file = "p.yaml", .failure = "no such file"};
    struct fx_policies *policies = build(&input, 1, NULL);
    expect_findings(policies, "p.yaml: error: no such file\n");
    fx_policies_unref(fx_policies_ref(policies));
    const struct fx_policy_input nothing = {.file = "p.yaml"};
    struct fx_policies *none = build(&nothing, 1, policies);
    expect_findings(none, "");
    fx_policies_unref(none);
    none = build(NULL, 0, policies);
    assert_int_equal(none->snapshot->n_mutators, 0);
    fx_policies_unref(none);
    fx_policies_unref(policies);
    fx_policies_unref(NULL);
}

/* Of whose rules is the one in this namespace: of the cluster, or of its own? */
static bool is_of_cluster(const char *namespace_,
                          const struct fx_dialect_settings *settings) {
    char text[400];
    (void)snprintf(text, sizeof text,
                   "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: "
                   "r, namespace: %s}, spec: {type: Reject, match: [{select: $.kind}]}}",
                   namespace_);
    const struct fx_policy_input input = {.file = "p.yaml", .text = fx_text_of(text)};
    const struct fx_policy_sources sources = {
        .inputs = &input, .n_inputs = 1, .generation = 1, .settings = settings};
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_policies_build_from(&sources, &policies, &err));
    expect_findings(policies, "");
    assert_int_equal(policies->snapshot->n_mutators, 1);
    const bool found = policies->snapshot->mutators[0]->n_namespaces == 0;
    fx_policies_unref(policies);
    return found;
}

static void settings_are_the_dialects(void **state) {
    (void)state;
    const struct fx_dialect_settings none = {.n_items = 0};
    const struct fx_dialect_settings rules = {
        .items = {{"cluster-modrules-namespace", "rules"}}, .n_items = 1};
    assert_true(is_of_cluster("kubemod-system", NULL));
    assert_true(is_of_cluster("kubemod-system", &none));
    assert_false(is_of_cluster("rules", &none));
    assert_true(is_of_cluster("rules", &rules));
    assert_false(is_of_cluster("kubemod-system", &rules));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_the_dialects),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_broken_syntax),
        cmocka_unit_test(test_unknown_field_is_a_warning),
        cmocka_unit_test(test_findings_are_bounded),
        cmocka_unit_test(test_the_rest_is_as_bad_as_its_worst),
        cmocka_unit_test(test_namespaces_and_origins),
        cmocka_unit_test(test_namespace_of_what_names_none),
        cmocka_unit_test(test_reload_shares_what_did_not_change),
        cmocka_unit_test(test_reload_keeps_lines_true),
        cmocka_unit_test(test_reload_of_a_broken_policy),
        cmocka_unit_test(test_reload_of_a_broken_one_among_several),
        cmocka_unit_test(test_reload_of_a_broken_file),
        cmocka_unit_test(test_unreadable_from_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
