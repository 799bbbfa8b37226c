/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule_test.c - rules that are taken, with what their author hears, and
 * rules that are not: all faults at once, each with its position.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "engine/request.h"
#include "mutators/kubemod/limits.h"
#include "mutators/kubemod/modrule.h"
#include "mutators/kubemod/testing.h"
#include "value/tree.h"

#define RULE_HEAD                                                              \
    "{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: r, " \
    "namespace: ns}, spec: "
#define NO_PATCH "field 'patch' cannot be empty for ModRules of type Patch"
#define PATCH    "patch: [{op: add, path: /x, value: '1'}]"

/* A rule that is refused: each fault begins with one of these. */
static const struct {
    const char *rule;
    const char *faults[6];
} refused[] = {
    {RULE(""), {"spec.type: Required value", "spec.match: Required value"}},
    {"{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: r}}",
     {"spec: Required value"}},
    {"{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: r}, spec: 5}",
     {"spec: Invalid value: \"integer\": spec in body must be of type object: "
      "\"integer\""}},
    {"{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: {name: r, namespace: "
     "n}, spec: {type: Reject, " MATCH "}}", /* YAML's false */
     {"metadata.namespace: Invalid value: \"boolean\": metadata.namespace in body must "
      "be of type string: \"boolean\""}},
    {RULE("type: patch, " MATCH ", " PATCH),
     {"spec.type: Invalid value: \"patch\": unrecognized ModRule type",
      "spec.patch: Invalid value: [{\"op\":\"add\""}},
    {RULE("type: Patch, " MATCH), {"spec.patch: Required value: " NO_PATCH}},
    {RULE("type: Patch, patch: [], " MATCH), {"spec.patch: Required value: " NO_PATCH}},
    {RULE("type: Patch, match: [], " PATCH),
     {"spec.match: Invalid value: []: spec.match in body should have at least 1 items"}},
    {RULE("type: Patch, match: {}, " PATCH),
     {"spec.match: Invalid value: \"object\": spec.match in body must be of type array"}},
    {RULE("type: Patch, match: [5], " PATCH),
     {"spec.match[0]: Invalid value: 5: spec.match[0] in body must be of type object"}},
    {RULE("type: Patch, match: [{}], " PATCH), {"spec.match[0].select: Required value"}},
    {RULE("type: Patch, match: [{select: '', matchFor: No, matchValue: 5, matchValues: "
          "[5], matchRegex: '(', negate: 5}], " PATCH),
     {"spec.match[0].select: Invalid value: \"\"", "spec.match[0].matchFor: Invalid",
      "spec.match[0].matchValue: Invalid value: \"integer\"",
      "spec.match[0].matchValues: Invalid value: 5",
      "spec.match[0].matchRegex: Invalid value: \"(\": error parsing regexp: ",
      "spec.match[0].negate: Invalid value: \"integer\""}},
    {RULE("type: Patch, executionTier: 32767, " MATCH ", " PATCH),
     {"spec.executionTier: Invalid value: 32767: field 'executionTier' should be an "
      "integer value between -32767 and 32766"}},
    {RULE("type: Patch, executionTier: 1.5, " MATCH ", " PATCH),
     {"spec.executionTier: Invalid value: \"number\""}},
    {RULE("type: Patch, admissionOperations: [CONNECT], " MATCH ", " PATCH),
     {"spec.admissionOperations: Invalid value: \"CONNECT\": supported values"}},
    {RULE("type: Patch, admissionOperations: [DELETE], " MATCH ", " PATCH),
     {"spec.admissionOperations: Invalid value: [\"DELETE\"]"}},
    {RULE("type: Patch, " MATCH ", patch: [{op: move, select: '', value: '{{'}]"),
     {"spec.patch[0].op: Invalid value: \"move\"", "spec.patch[0].path: Required value",
      "spec.patch[0].select: Invalid value: \"\"", "spec.patch[0].value: Invalid"}},
    {RULE("type: Patch, " MATCH ", patch: [{op: remove, path: /x, select: '$.a == 1'}]"),
     {"spec.patch[0].select: Invalid value: \"$.a == 1\""}},
    {RULE("type: Patch, " MATCH ", patch: [x]"), {"spec.patch[0]: Invalid value: \"x\""}},
    {RULE("type: Reject, " MATCH ", " PATCH),
     {"spec.patch: Invalid value: [{\"op\":\"add\",\"path\":\"/x\",\"value\":\"1\"}]: "
      "field 'patch' should be present only for ModRules of type Patch"}},
    {RULE("type: Patch, rejectMessage: x, " MATCH ", " PATCH),
     {"spec.rejectMessage: Invalid value: \"x\": field 'rejectMessage' should be present "
      "only for ModRules of type Reject"}},
    {RULE("type: Reject, rejectMessage: '{{ .x', " MATCH),
     {"spec.rejectMessage: Invalid value: \"{{ .x\""}},
    {RULE("type: Reject, targetNamespaceRegex: '(', " MATCH),
     {"spec.targetNamespaceRegex: Invalid value: \"(\": error parsing regexp: "}},
};

/* The type of a fault agrees with its text. */
static void expect_parts(const struct fx_fault *fault) {
    static const char *const begins[] = {
        [FX_FAULT_INVALID] = "Invalid value: ",
        [FX_FAULT_REQUIRED] = "Required value",
        [FX_FAULT_TYPE] = "Invalid value: \"",
    };
    const struct fx_text field = fx_fault_field(fault);
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_fault_print(&text, fault);
    assert_true(fx_text_starts(field, FX_TEXT("spec")) ||
                fx_text_starts(field, FX_TEXT("metadata.")));
    assert_int_equal(fault->text[field.len], ':');
    assert_int_equal(strncmp(text.data, begins[fault->type], strlen(begins[fault->type])),
                     0);
    fx_buf_finish(&text);
}

static void expect_faults(const struct fx_compilation *compilation, size_t at) {
    size_t n = 0;
    while (n < FX_COUNT(refused[at].faults) && refused[at].faults[n] != NULL) {
        n++;
    }
    if (compilation->n_faults != n) {
        fail_msg("%s: wanted %zu faults, got %zu", refused[at].rule, n,
                 compilation->n_faults);
    }
    for (size_t i = 0; i < n; i++) {
        const char *got = compilation->faults[i].text;
        if (strncmp(got, refused[at].faults[i], strlen(refused[at].faults[i])) != 0) {
            fail_msg("wanted %s, got %s", refused[at].faults[i], got);
        }
        assert_non_null(compilation->faults[i].node);
        expect_parts(&compilation->faults[i]);
    }
}

static void tells_all_faults(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(refused); i++) {
        struct fx_compilation compilation = {0};
        struct fx_err err = FX_ERR_INIT;
        json_t *policy = must_read(refused[i].rule);
        if (fx_dialect_kubemod.compile(policy, &compilation, &err)) {
            fail_msg("%s is taken", refused[i].rule);
        }
        assert_int_equal(err.code, FX_EINVALID);
        assert_int_equal(compilation.n_mutators, 0);
        expect_faults(&compilation, i);
        const bool many = compilation.n_faults > 1;
        assert_non_null(
            strstr(err.msg, many ? "ModRule.api.kubemod.io \"r\" is invalid: ["
                                 : "ModRule.api.kubemod.io \"r\" is invalid: "));
        fx_compilation_finish(&compilation);
        json_decref(policy);
    }
}

/* A rule with so many entries; what is wrong with it, to be freed. */
static char *validator(const char *begin, const char *entry, size_t n, const char *end) {
    struct fx_compilation compilation = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, begin);
    for (size_t i = 0; i < n; i++) {
        fx_buf_printf(&text, "%s%s", i == 0 ? "" : ", ", entry);
    }
    fx_buf_str(&text, end);
    json_t *policy = must_read(text.data);
    const bool ok = fx_dialect_kubemod.compile(policy, &compilation, &err);
    char *fault = fx_text_dup(fx_text_of(ok ? "" : compilation.faults[0].text));
    assert_non_null(fault);
    fx_compilation_finish(&compilation);
    json_decref(policy);
    fx_buf_finish(&text);
    return fault;
}

static void bounds_lists(void **state) {
    (void)state;
    static const struct {
        const char *begin, *entry, *end, *fault;
    } cases[] = {
        {RULE_HEAD "{type: Reject, match: [", "{select: $.a}", "]}}", "spec.match: "},
        {RULE_HEAD "{type: Patch, " MATCH ", patch: [", "{op: add, path: /x}", "]}}",
         "spec.patch: "},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const size_t most = FX_LIMIT_MODRULE_ENTRIES;
        char *fault = validator(cases[i].begin, cases[i].entry, most, cases[i].end);
        assert_string_equal(fault, "");
        free(fault);
        fault = validator(cases[i].begin, cases[i].entry, most + 1, cases[i].end);
        assert_int_equal(strncmp(fault, cases[i].fault, strlen(cases[i].fault)), 0);
        assert_non_null(strstr(fault, "…: must have at most 1000 items"));
        free(fault);
    }
}

/* The fault points at the character. */
static void points_at_the_fault(void **state) {
    (void)state;
    struct fx_compilation compilation = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *policy =
        must_read(RULE("type: Patch, match: [{select: '$.a ]'}, {select: $.b}, {select: "
                       "'$.c['}], " PATCH));
    assert_false(fx_dialect_kubemod.compile(policy, &compilation, &err));
    assert_int_equal(compilation.n_faults, 2);
    assert_true(fx_text_is(fx_tree_text(compilation.faults[0].node), "$.a ]"));
    assert_int_equal(compilation.faults[0].off, 4);
    assert_int_equal(compilation.faults[0].len, 1);
    assert_true(fx_text_is(fx_tree_text(compilation.faults[1].node), "$.c["));
    fx_compilation_finish(&compilation);
    json_decref(policy);
}

static struct fx_compilation must_compile(const char *text) {
    struct fx_compilation compilation = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *policy = must_read(text);
    if (!fx_dialect_kubemod.compile(policy, &compilation, &err)) {
        fail_msg("%s", err.msg);
    }
    assert_int_equal(compilation.n_mutators, 1);
    json_decref(policy);
    return compilation;
}

static void warns(void **state) {
    (void)state;
    static const struct {
        const char *rule, *warning;
    } cases[] = {
        {RULE("type: Reject, matches: [], " MATCH), "unknown field \"spec.matches\""},
        {RULE("type: Reject, match: [{select: $.a, matchvalue: x}]"),
         "unknown field \"spec.match[0].matchvalue\""},
        {RULE("type: Patch, " MATCH ", patch: [{op: remove, path: /x, from: /y}]"),
         "unknown field \"spec.patch[0].from\""},
        {RULE("type: Patch, admissionOperations: [CREATE, DELETE], " MATCH ", " PATCH),
         "there is nothing to patch on DELETE: the rule is not applied then"},
        {RULE("type: Reject, targetNamespaceRegex: x, " MATCH),
         "spec.targetNamespaceRegex counts only in the cluster namespace"},
        {RULE("type: Patch, " MATCH ", patch: [{op: add, path: /x, value: 'a: b: c'}]"),
         "spec.patch[0].value is not valid YAML, so the rule is skipped each time: "},
        {RULE("type: Patch, " MATCH ", patch: [{op: remove, path: '/l/#0/x'}]"),
         "spec.patch[0].path: `#0` is taken literally, because there is no `select`"},
        {RULE("type: Patch, " MATCH ", patch: [{op: remove, path: '/l/#1/#0', select: "
              "'$.l[*].x'}]"),
         "spec.patch[0].path: there is no `#1`, so the rule is skipped each time: "
         "`select` has 1 key parts, counted from 0"},
        {RULE("type: Patch, " MATCH ", patch: [{op: add, path: '/x/#20', value: z, "
              "select: '$.l'}]"),
         "spec.patch[0].path: there is no `#20`, so the rule is skipped each time: "
         "`select` has 0 key parts, counted from 0"},
        {RULE("type: Patch, " MATCH ", patch: [{op: add, path: /x, value: "
              "'{{ .Target.kind }}{{ .Item }}', select: '$.l'}]"),
         "spec.patch[0].value: there is no `.Item`, so the rule is skipped when its "
         "template reaches it: the fields are .Namespace, .Target, .SelectKeyParts and "
         ".SelectedItem"},
        {RULE("type: Reject, " MATCH ", rejectMessage: 'no {{ .SelectedItem }}'"),
         "spec.rejectMessage: there is no `.SelectedItem`, so the message is the rule's "
         "name when its template reaches it: the fields are .Namespace and .Target"},
        {RULE("type: Reject, match: [{select: $.a, matchValue: '', matchValues: [a]}]"),
         "spec.match[0].matchValues is ignored because of `matchValue`"},
        {RULE("type: Reject, match: [{select: $.a, matchValues: [a], matchRegex: a}]"),
         "spec.match[0].matchRegex is ignored because of `matchValues`"},
        {RULE("type: Reject, match: [{select: 'isdefined($.a)', negate: true}]"),
         "spec.match[0].select fails when it reaches a call: unknown function "
         "`isdefined`: the functions are length"},
        {RULE("type: Reject, match: [{select: 'length() > 0'}]"),
         "spec.match[0].select fails when it reaches a call: `length` takes exactly "
         "one argument"},
        {RULE("type: Patch, " MATCH ", patch: [{op: remove, path: '/x/#0', select: "
              "'$.x[? nosuch(@)]'}]"),
         "spec.patch[0].select fails when it reaches a call: unknown function "
         "`nosuch`: the functions are length"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_compilation compilation = must_compile(cases[i].rule);
        assert_int_equal(compilation.n_warnings, 1);
        if (strncmp(compilation.warnings[0].text, cases[i].warning,
                    strlen(cases[i].warning)) != 0) {
            fail_msg("got %s", compilation.warnings[0].text);
        }
        fx_compilation_finish(&compilation);
    }
}

static void says_nothing_of_what_can_be(void **state) {
    (void)state;
    static const char *const rules[] = {
        RULE("type: Patch, " MATCH ", patch: [{op: remove, path: '/l/#0', select: "
             "'$.l[? isDefined(@.x)]'}]"),
        RULE("type: Patch, " MATCH ", patch: [{op: remove, path: '/#0/#5', select: "
             "'$..x'}]"),
        RULE("type: Patch, " MATCH ", patch: [{op: remove, path: '/l/#x'}]"),
        RULE("type: Patch, " MATCH ", patch: [{op: add, path: '/l/#0', select: '$.l[*]', "
             "value: '{{ .#0 }}{{ .SelectedItem.a }}{{ .Namespace }}'}]"),
        RULE("type: Reject, " MATCH
             ", rejectMessage: '{{ .Target.a }} {{ .Namespace }}'"),
    };
    for (size_t i = 0; i < FX_COUNT(rules); i++) {
        struct fx_compilation compilation = must_compile(rules[i]);
        assert_int_equal(compilation.n_warnings, 0);
        fx_compilation_finish(&compilation);
    }
}

static void fills_the_head(void **state) {
    (void)state;
    struct fx_compilation made =
        must_compile(RULE("type: Patch, executionTier: -7, " MATCH ", " PATCH));
    const struct fx_mutator *head = made.mutators[0];
    assert_string_equal(head->full_name, "ns/r");
    assert_int_equal(head->tier, -7);
    assert_true(head->run.once && head->run.match_first && head->run.ignores_failure);
    assert_int_equal(head->n_namespaces, 1);
    assert_true(fx_text_is(head->namespaces[0], "ns"));
    assert_int_equal(head->n_bindings, 1);
    assert_true(fx_text_is(head->bindings[0].kind, "Pod") && !head->bindings[0].any_kind);
    assert_int_equal(head->bindings[0].operations,
                     FX_OPERATION_BIT(FX_OPERATION_CREATE) |
                         FX_OPERATION_BIT(FX_OPERATION_UPDATE));
    assert_false(fx_mutator_is_validator(head));
    fx_compilation_finish(&made);

    made = must_compile("{apiVersion: api.kubemod.io/v1beta1, kind: ModRule, metadata: "
                        "{name: r, namespace: kubemod-system}, spec: {type: Reject, "
                        "admissionOperations: [DELETE], match: [{select: $.kind, "
                        "matchValue: Pod, negate: true}]}}");
    head = made.mutators[0];
    assert_int_equal(head->n_namespaces, 0);
    assert_true(head->bindings[0].any_kind);
    assert_true(fx_mutator_is_validator(head));
    fx_compilation_finish(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_all_faults),
        cmocka_unit_test(bounds_lists),
        cmocka_unit_test(points_at_the_fault),
        cmocka_unit_test(warns),
        cmocka_unit_test(says_nothing_of_what_can_be),
        cmocka_unit_test(fills_the_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
