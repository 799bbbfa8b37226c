/* SPDX-License-Identifier: Apache-2.0
 *
 * admission_policy/access_test.c - what rules declare: the paths that their mutations
 * write, and the parts of an object that are decoded for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/access.h"
#include "mutators/admission_policy/rule_testing.h"
#include "value/json_part_testing.h"

#define BOUND  BINDING("b", "policyName: p")
#define SIMPLE "Object{spec: Object.spec{a: 1}}"
#define WHOLE  "*"

/* Prints a path: "spec.l.?" for an element that is not known, "+" for a new one. */
static void print_path(struct fx_buf *buf, const struct fx_access *access,
                       const struct fx_access_path *path) {
    fx_buf_str(buf, buf->len == 0 ? "" : " ");
    fx_buf_str(buf, path->n_steps == 0 ? "(anywhere)" : "");
    for (size_t i = 0; i < path->n_steps; i++) {
        const struct fx_path_step *step = &fx_access_steps(access, path)[i];
        fx_buf_str(buf, i == 0 ? "" : ".");
        switch (step->type) {
        case FX_PATH_MEMBER: fx_buf_text(buf, step->name); break;
        case FX_PATH_TOKEN: fx_buf_printf(buf, "#%.*s", FX_TEXT_ARG(step->name)); break;
        case FX_PATH_ANY: fx_buf_str(buf, "?"); break;
        case FX_PATH_APPEND: fx_buf_str(buf, "+"); break;
        case FX_PATH_ELEMENT: fail_msg("no path has such a step"); break;
        }
    }
}

/* Prints the written paths, or the others. */
static void print_paths(struct fx_buf *buf, const struct fx_mutator *rule, bool writes) {
    struct fx_access access = {.parts = NULL};
    assert_true(fx_access_declare(&access, rule));
    for (size_t i = 0; i < access.n_paths; i++) {
        assert_int_equal(access.paths[i].type, FX_ACCESS_UNTYPED);
        if (access.paths[i].writes == writes) {
            print_path(buf, &access, &access.paths[i]);
        }
    }
    fx_access_finish(&access);
}

static void print_parts(struct fx_buf *buf, const struct fx_mutator *rule) {
    struct fx_json_part parts = {.omits_rest = true};
    assert_true(fx_access_add_parts_of(rule, &parts));
    if (parts.omits_rest) {
        part_testing_print(buf, &parts);
    } else {
        fx_buf_str(buf, WHOLE);
    }
    fx_json_part_finish(&parts);
}

static void expect(const char *policy, const char *what, struct fx_buf *got,
                   const char *wanted) {
    fx_buf_str(got, "");
    if (!fx_text_is(fx_buf_view(got), wanted)) {
        fail_msg("%s: %s: expected %s, got %s", policy, what, wanted, got->data);
    }
    fx_buf_finish(got);
    fx_buf_init(got, 0);
}

/* The rule `number` of a policy. NULL for `written` or `parts`: not compared. */
static void check_rule(const char *policy, size_t number, const char *written,
                       const char *parts) {
    struct rule_bench bench;
    struct fx_buf got;
    fx_buf_init(&got, 0);
    build_bench(&bench, policy);
    assert_true(number < bench.snapshot->n_mutators);
    const struct fx_mutator *rule = bench.snapshot->mutators[number];
    if (written != NULL) {
        print_paths(&got, rule, true);
        expect(policy, "written", &got, written);
    }
    if (parts != NULL) {
        print_parts(&got, rule);
        expect(policy, "parts", &got, parts);
    }
    fx_buf_finish(&got);
    drop_bench(&bench);
}

static void check_mutation(const char *mutation, const char *written, const char *parts) {
    struct fx_buf policy;
    fx_buf_init(&policy, 0);
    fx_buf_printf(&policy, POLICY_HEAD("p") "reinvocationPolicy: Never, %s}}\n" BOUND,
                  mutation);
    check_rule(policy.data, 0, written, parts);
    fx_buf_finish(&policy);
}

/* ---- configurations ---------------------------------------------------------------- */

static const struct {
    const char *expression, *written;
} configurations[] = {
    {SIMPLE, "spec.a"},
    {"Object{metadata: Object.metadata{labels: {\"a\": \"1\", \"b\": \"2\"}}}",
     "metadata.labels.a metadata.labels.b"},
    {"Object{metadata: Object.metadata{labels: {\"a\": object.kind}}}",
     "metadata.labels.a"},
    {"Object{metadata: Object.metadata{labels: {object.kind: \"1\"}}}",
     "metadata.labels.?"},
    {"Object{spec: Object.spec{a: object.spec.b}}", "spec.a"},
    {"Object{spec: Object.spec{}}", "spec"},
    {"Object{}", ""},
    {"Object{spec: Object.spec{?a: optional.none()}}", "spec.a"},
    {"Object{spec: Object.spec{a: true ? Object.spec.a{b: 1} : Object.spec.a{c: 1}}}",
     "spec.a.b spec.a.c"},
    {"Object{spec: Object.spec{l: [Object.spec.l{name: \"a\"}]}}", "spec.l.?.name"},
    {"Object{spec: Object.spec{l: [Object.spec.l{a: 1}] + [Object.spec.l{b: 1}]}}",
     "spec.l.?.a spec.l.?.b"},
    {"Object{spec: Object.spec{l: object.spec.l.map(x, Object.spec.l{a: x.b})}}",
     "spec.l.?.a"},
    {"Object{spec: Object.spec{l: object.spec.l.map(x, x.c > 1, Object.spec.l{a: 1})}}",
     "spec.l.?.a"},
    {"Object{spec: Object.spec{l: object.spec.l.filter(x, x.c > 1)}}", "spec.l"},
    {"Object{spec: Object.spec{?a: object.?b.optMap(x, Object.spec.a{c: x})}}",
     "spec.a.c spec.a"},
    {"true ? Object{kind: \"a\"} : Object{spec: Object.spec{b: 1}}", "kind spec.b"},
};

static void configurations_write_their_literals(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(configurations); i++) {
        struct fx_buf mutation;
        fx_buf_init(&mutation, 0);
        fx_buf_printf(&mutation, "mutations: [" APPLY("%s") "]",
                      configurations[i].expression);
        check_mutation(mutation.data, configurations[i].written, NULL);
        fx_buf_finish(&mutation);
    }
}

static void several_mutations_and_variables(void **state) {
    (void)state;
    check_mutation("variables: [{name: v, expression: '{\"a\": object.kind}'}], "
                   "mutations: [" APPLY("Object{spec: variables.v}") ", " APPLY(
                       "Object{spec: Object.spec{b: 1}}") "]",
                   "spec.a spec.b", NULL);
}

/* Each variable has the one before twice: an expression of 2^39 literals. */
static void too_many_nodes_may_write_anywhere(void **state) {
    (void)state;
    struct fx_buf policy;
    fx_buf_init(&policy, 0);
    fx_buf_str(&policy,
               POLICY_HEAD("p") "reinvocationPolicy: Never, variables: "
                                "[{name: v0, expression: '{\"b\": object.kind}'}");
    for (int i = 1; i < 40; i++) {
        fx_buf_printf(&policy,
                      ", {name: v%d, expression: \"true ? variables.v%d : "
                      "variables.v%d\"}",
                      i, i - 1, i - 1);
    }
    fx_buf_str(&policy,
               "], mutations: [" APPLY("Object{a: variables.v39}") "]}}\n" BOUND);
    check_rule(policy.data, 0, "a.b (anywhere)", WHOLE);
    fx_buf_finish(&policy);
}

/* ---- JSON patches --------------------------------------------------------------------
 */

#define VALUE ", value: 1}"

static const struct {
    const char *expression, *written, *parts;
} patches[] = {
    {"[JSONPatch{op: \"add\", path: \"/spec/a\"" VALUE "]", "spec.a", "{spec{a*}}"},
    {"[JSONPatch{op: \"add\", path: \"/spec/l/0/x\"" VALUE "]", "spec.l.#0.x", NULL},
    {"[JSONPatch{op: \"add\", path: \"/spec/l/0\"" VALUE "]", "spec.l.#0", "{spec{l*}}"},
    {"[JSONPatch{op: \"add\", path: \"/spec/l/-1\"" VALUE "]", "spec.l.?", "{spec{l*}}"},
    {"[JSONPatch{op: \"add\", path: \"/spec/l/-\"" VALUE "]", "spec.l.+",
     "{spec{l[]{mountPath* devicePath* uid* name* key* containerPort* port* ip* "
     "topologyKey* id* type*}}}"},
    {"[JSONPatch{op: \"replace\", path: \"/spec/l/-\"" VALUE "]", "spec.l.?",
     "{spec{l*}}"},
    {"[JSONPatch{op: \"remove\", path: \"/metadata/labels/a~1b\"}]", "metadata.labels.?",
     "{metadata{labels*}}"},
    {"[JSONPatch{op: \"test\", path: \"/spec/a\"" VALUE "]", "", "{spec{a*}}"},
    {"[JSONPatch{op: \"copy\", from: \"/spec/a\", path: \"/spec/b\"}]", "spec.b",
     "{spec{b* a*}}"},
    {"[JSONPatch{op: \"move\", from: \"/spec/a\", path: \"/spec/b\"}]", "spec.b spec.a",
     "{spec{b* a*}}"},
    {"true ? [JSONPatch{op: \"add\", path: \"/a\"" VALUE "] : []", "a", "{a*}"},
    {"[JSONPatch{op: \"add\", path: \"/a\"" VALUE "] + [JSONPatch{op: \"add\", path: "
     "\"/b\"" VALUE "]",
     "a b", "{a* b*}"},
    {"[JSONPatch{op: \"add\", path: \"/metadata/labels/\" + object.kind" VALUE "]",
     "metadata.labels.?", "{kind* metadata{labels*}}"},
    {"[1, 2].map(i, JSONPatch{op: \"add\", path: \"/spec/l/\" + string(i) + \"/x\"" VALUE
     ")",
     "spec.l.?", "{spec{l*}}"},
    {"[JSONPatch{op: \"add\", path: object.kind" VALUE "]", "(anywhere)", WHOLE},
    {"[JSONPatch{op: \"add\", path: \"\"" VALUE "]", "(anywhere)", WHOLE},
    {"[JSONPatch{op: object.kind, path: \"/spec/a\"" VALUE "]", "(anywhere)", WHOLE},
};

static void patches_write_their_paths(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(patches); i++) {
        struct fx_buf mutation;
        fx_buf_init(&mutation, 0);
        fx_buf_printf(&mutation, "mutations: [" PATCH("%s") "]", patches[i].expression);
        check_mutation(mutation.data, patches[i].written, patches[i].parts);
        fx_buf_finish(&mutation);
    }
}

/* ---- what is read ------------------------------------------------------------------ */

static const struct {
    const char *condition, *parts;
} conditions[] = {
    {"object.spec.a == 1", "{spec{a*}}"},
    {"has(object.spec.a)", "{spec{a}}"},
    {"object.spec.a.b.startsWith(\"x\")", "{spec{a{b*}}}"},
    {"object.spec[\"a\"] == 1", "{spec{a*}}"},
    {"object.spec.l[0].a == 1", "{spec{l[]{a*}}}"},
    {"object.spec[object.kind] == 1", "{spec* kind*}"},
    {"object.?spec.?a.orValue(1) == 1", "{spec{a*}}"},
    {"object[?\"spec\"].hasValue()", "{spec}"},
    {"\"a\" in object.metadata.labels", "{metadata{labels{a}}}"},
    {"object.kind in object.metadata.labels", "{kind* metadata{labels*}}"},
    {"object.spec.l.size() == 1 && size(object.spec.m) == 1", "{spec{l[] m[]}}"},
    {"object.spec.l.exists(x, x.a == 1)", "{spec{l[]{a*}}}"},
    {"object.spec.l.all(i, x, x.a == i)", "{spec{l[]{a*}}}"},
    {"object.spec.l.map(x, x.a).exists(y, y == 1)", "{spec{l[]{a*}}}"},
    {"object.spec.l.filter(x, x.a == 1)[0].b == 1", "{spec{l[]{a* b*}}}"},
    {"(object.spec.l + object.spec.m).exists(x, x.a == 1)", "{spec{l[]{a*} m[]{a*}}}"},
    {"(object.kind == \"a\" ? object.spec : object.data).a == 1",
     "{kind* spec{a*} data{a*}}"},
    {"object.?spec.optMap(x, x.a).orValue(1) == 1", "{spec{a*}}"},
    {"object.spec == oldObject.spec", "{spec*}"},
    {"object == oldObject", WHOLE},
    {"oldObject.spec.a == 1 && request.name == \"a\"", ""},
    {"[object.spec.a].exists(x, x.b == 1)", "{spec{a*}}"},
    {"{\"k\": object.spec.a}.k.b == 1", "{spec{a*}}"},
};

static void conditions_read_what_they_select(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(conditions); i++) {
        struct fx_buf mutation;
        fx_buf_init(&mutation, 0);
        fx_buf_printf(&mutation,
                      "matchConditions: [{name: c, expression: '%s'}], mutations: "
                      "[" APPLY("Object{}") "]",
                      conditions[i].condition);
        check_mutation(mutation.data, NULL, conditions[i].parts);
        fx_buf_finish(&mutation);
    }
}

/* What is selected from a variable is read where the variable comes from. */
static void variables_are_followed(void **state) {
    (void)state;
    check_mutation(
        "variables: [{name: l, expression: \"object.spec.l\"}, {name: first, expression: "
        "\"variables.l[0]\"}, {name: w, expression: \"[object.data]\"}], "
        "mutations: [" APPLY("Object{kind: variables.first.a + variables.l[1].b}") "]",
        "kind", "{spec{l[]{a* b*}} data* kind*}");
}

/* ---- match, and types of rules ----------------------------------------------------- */

static void selectors_read_labels(void **state) {
    (void)state;
    static const struct {
        const char *binding;
        bool matches_metadata;
    } cases[] = {
        {BOUND, false},
        {BINDING("b", "policyName: p, matchResources: {objectSelector: {matchLabels: "
                      "{a: b}}}"),
         true},
        {BINDING("b", "policyName: p, matchResources: {namespaceSelector: {matchLabels: "
                      "{a: b}}}"),
         true},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct rule_bench bench;
        struct fx_buf text;
        fx_buf_init(&text, 0);
        fx_buf_printf(&text, "%s%s", POLICY("p", "mutations: [" APPLY(SIMPLE) "]"),
                      cases[i].binding);
        build_bench(&bench, text.data);
        const struct fx_mutator *rule = bench.snapshot->mutators[0];
        assert_non_null(rule->hashes);
        assert_true(rule->hashes->settles && rule->keeps_names);
        assert_int_equal(rule->hashes->matches_metadata, cases[i].matches_metadata);
        drop_bench(&bench);
        fx_buf_finish(&text);
    }
}

/* A validator reads what the mutations write, and writes nothing. */
static void validators_write_nothing(void **state) {
    (void)state;
    static const char *const policy =
        "---\n{apiVersion: admissionregistration.k8s.io/v1, kind: "
        "MutatingAdmissionPolicy, metadata: {name: p, annotations: "
        "{policies.fixpoint.dev/mutation-validation-policy: Fail}}, spec: "
        "{matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], "
        "operations: ['*'], resources: ['*']}]}, reinvocationPolicy: Never, mutations: "
        "[" APPLY(SIMPLE) "]}}\n" BOUND;
    check_rule(policy, 0, "spec.a", "{spec{a*}}");
    check_rule(policy, 1, "", "{spec{a*}}");
}

/* A rule that only fails. */
static void failures_read_nothing(void **state) {
    (void)state;
    check_rule(POLICY("p", "paramKind: {apiVersion: v1, kind: ConfigMap}, mutations: "
                           "[" APPLY(SIMPLE) "]")
                   BINDING("b", "policyName: p, paramRef: {name: c, namespace: ns, "
                                "parameterNotFoundAction: Deny}"),
               0, "", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations_write_their_literals),
        cmocka_unit_test(several_mutations_and_variables),
        cmocka_unit_test(too_many_nodes_may_write_anywhere),
        cmocka_unit_test(patches_write_their_paths),
        cmocka_unit_test(conditions_read_what_they_select),
        cmocka_unit_test(variables_are_followed),
        cmocka_unit_test(selectors_read_labels),
        cmocka_unit_test(validators_write_nothing),
        cmocka_unit_test(failures_read_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
