/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/analysis_test.c - policies in, what is found out: for each rule where it holds
 * and where it does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "base/buf.h"
#include "policy/policies.h"
#include "value/documents.h"
#include "value/json.h"

/* One policy on a line, in YAML's flow form. */
#define KIND(group, kind, name, spec)                                     \
    "---\n{apiVersion: " group ", kind: " kind ", metadata: {name: " name \
    "}, spec: {" spec "}}\n"
#define GATE(kind, name, spec) KIND("mutations.gatekeeper.sh/v1", kind, name, spec)
#define OWN(kind, name, spec)  KIND("mutations.fixpoint.dev/v1alpha1", kind, name, spec)
#define ON(group, kinds) \
    "applyTo: [{groups: ['" group "'], versions: [v1], kinds: [" kinds "], "
#define CREATED "operations: [CREATE]}], "
#define ANYHOW  "}], "
#define CONFIG  ON("", "ConfigMap") ANYHOW
#define SET(location, value) \
    "location: \"" location "\", parameters: {assign: {value: " value "}}"

#define ASSIGN(name, match, value) GATE("Assign", name, CONFIG match SET("data.x", value))
#define LABEL(name, match, value) \
    GATE("AssignMetadata", name, match SET("metadata.labels.x", value))
#define ARGS(name, operation)                                          \
    GATE("ModifySet", name,                                            \
         CONFIG "location: data.l, parameters: {operation: " operation \
                ", values: {fromList: [a]}}")

#define TURN(name, from, to)                                                  \
    OWN("Assign", name,                                                       \
        CONFIG "conditions: [{location: data.x, operator: In, values: [" from \
               "]}], " SET("data.x", to))

/* Findings are "rule ids path values", one on a line; an object is one of our making
 * where there is none. */
static const struct {
    const char *policies, *objects, *findings;
} cases[] = {
    /* UNDO */
    {ASSIGN("a", "", "'1'") ASSIGN("b", "", "'2'"), NULL,
     "undo Assign/a Assign/b /data/x \"2\" \"1\" \"2\"\n"},
    {ASSIGN("a", "", "'1'") ASSIGN("b", "", "'1'"), NULL, ""},
    {ASSIGN("a", "", "'1'") GATE("Assign", "b", CONFIG SET("data.y", "'2'")), NULL, ""},
    {ARGS("a", "merge") ARGS("b", "prune"), NULL,
     "undo ModifySet/a ModifySet/b /data/l [] [\"a\"] []\n"},
    {ARGS("a", "merge") ARGS("b", "merge"), NULL, ""},
    {ASSIGN("a", "", "'1'") OWN("Remove", "b", CONFIG "location: data.x"), NULL,
     "undo Remove/b Assign/a /data/x \"1\" - \"1\"\n"},
    /* Of a part and the whole, and below one element. */
    {ASSIGN("a", "", "{p: 1}") GATE("Assign", "b", CONFIG SET("data.x.p", "2")), NULL,
     "undo Assign/a Assign/b /data/x/p 2 1 2\n"},
    /* They meet only where both selectors hold, in one namespace, on a kind of both. */
    {ASSIGN("a", "match: {labelSelector: {matchLabels: {p: q}}}, ", "'1'")
         ASSIGN("b", "match: {labelSelector: {matchLabels: {r: s}}}, ", "'2'"),
     NULL, "undo Assign/a Assign/b /data/x \"2\" \"1\" \"2\"\n"},
    {ASSIGN("a", "match: {labelSelector: {matchLabels: {p: q}}}, ", "'1'")
         ASSIGN("b", "match: {labelSelector: {matchLabels: {p: r}}}, ", "'2'"),
     NULL, ""},
    {ASSIGN("a", "match: {namespaces: [a]}, ", "'1'")
         ASSIGN("b", "match: {namespaces: [b]}, ", "'2'"),
     NULL, ""},
    {ASSIGN("a", "match: {namespaces: [a, b]}, ", "'1'")
         ASSIGN("b", "match: {namespaces: [b, c]}, ", "'2'"),
     NULL, "undo Assign/a Assign/b /data/x \"2\" \"1\" \"2\"\n"},
    {ASSIGN("a", "match: {namespaces: [a, b]}, ", "'1'")
         ASSIGN("b", "match: {namespaces: [c, b]}, ", "'2'"),
     NULL, "undo Assign/a Assign/b /data/x \"2\" \"1\" \"2\"\n"},
    {ASSIGN("a", "match: {namespaces: [a, b]}, ", "'1'")
         ASSIGN("b", "match: {namespaces: [c, d]}, ", "'2'"),
     NULL, ""},
    {GATE("Assign", "a", ON("apps", "DaemonSet, Deployment") ANYHOW SET("spec.x", "1"))
         GATE("Assign", "b",
              ON("apps", "StatefulSet, Deployment") CREATED
              "match: {labelSelector: {matchLabels: {p: q}}}, " SET("spec.x", "2")),
     NULL, "undo Assign/a Assign/b /spec/x 2 1 2\n"},
    {GATE("Assign", "a", ON("", "Node") CREATED SET("spec.x", "1")) GATE(
         "Assign", "b", ON("", "Node") "operations: [UPDATE]}], " SET("spec.x", "2")),
     NULL, ""},
    /* A conflict is another thing, and its members do nothing. */
    {GATE("Assign", "a", CONFIG SET("data.x.y", "1"))
         GATE("Assign", "b", CONFIG SET("data.x[n: m].y", "2")),
     NULL, ""},
    /* No fixed point: against their order, 1 becomes 2, 2 becomes 3, 3 becomes 1. */
    {TURN("a", "'3'", "'1'") TURN("b", "'2'", "'3'") TURN("c", "'1'", "'2'"), NULL,
     "undo Assign/b Assign/a Assign/c /data/x \"2\" \"3\" \"1\" \"2\"\n"},
    /* ORDER */
    {LABEL("a", "", "p") LABEL("b", "", "q"), NULL,
     "order AssignMetadata/a AssignMetadata/b /metadata/labels/x \"p\" \"q\"\n"},
    {LABEL("a", "", "p") LABEL("b", "", "p"), NULL, ""},
    {LABEL("a", "", "p") LABEL("b", "", "q") LABEL("c", "", "r"), NULL,
     "order AssignMetadata/a AssignMetadata/b /metadata/labels/x \"p\" \"q\"\n"
     "order AssignMetadata/a AssignMetadata/c /metadata/labels/x \"p\" \"r\"\n"},
    /* Each adds an element: the list's order is no matter. */
    {GATE("Assign", "a", ON("", "Node") ANYHOW SET("spec.l[name: p].v", "1"))
         GATE("Assign", "b", ON("", "Node") ANYHOW SET("spec.l[name: q].v", "1")),
     NULL, ""},
    /* SELECTOR */
    {GATE("Assign", "a", ON("", "Service") ANYHOW SET("spec.selector.app", "x")), NULL,
     "selector Assign/a /spec/selector/app - \"x\"\n"},
    {GATE("Assign", "a", ON("", "Service") ANYHOW SET("spec.type", "x")), NULL, ""},
    {GATE("Assign", "a",
          ON("apps", "Deployment") ANYHOW SET("spec.template.metadata.labels.app", "x")),
     NULL, "selector Assign/a /spec/template/metadata/labels/app \"example\" \"x\"\n"},
    {GATE(
         "Assign", "a",
         ON("apps", "Deployment") ANYHOW
         "location: spec.template.metadata.labels.app, parameters: {pathTests: [{subPath:"
         " spec.template.metadata.labels.app, condition: MustNotExist}], assign: {value:"
         " x}}"),
     NULL, ""},
    {GATE("Assign", "a",
          ON("apps", "Deployment") ANYHOW SET("spec.template.metadata.labels.app", "x")),
     "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: "
     "{matchLabels: {tier: y}}, template: {metadata: {labels: {tier: y, app: z}}}}}",
     ""},
    {GATE("Assign", "a",
          ON("apps", "Deployment") ANYHOW SET("spec.template.metadata.labels.app", "x")),
     "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: "
     "{matchLabels: {app: z}}, template: {metadata: {labels: {app: z}}}}}",
     "selector Assign/a /spec/template/metadata/labels/app \"z\" \"x\"\n"},
    /* UPDATE */
    {GATE("Assign", "a", ON("", "Pod") ANYHOW SET("spec.nodeSelector.x", "z")), NULL,
     "update Assign/a /spec/nodeSelector/x - \"z\"\n"},
    {GATE("Assign", "a", ON("", "Pod") CREATED SET("spec.nodeSelector.x", "z")), NULL,
     ""},
    {GATE("Assign", "a", ON("", "Pod") ANYHOW SET("spec.containers[name: *].image", "z")),
     NULL, ""},
    {GATE("Assign", "a", ON("", "Service, Pod") ANYHOW SET("spec.x", "z")), NULL,
     "update Assign/a /spec/x - \"z\"\n"},
    {LABEL("a", "", "p"), NULL, ""},
    {GATE("Assign", "a", ON("apps", "StatefulSet") ANYHOW SET("spec.serviceName", "z")),
     NULL, "update Assign/a /spec/serviceName - \"z\"\n"},
    {GATE("Assign", "a", ON("apps", "StatefulSet") ANYHOW SET("spec.replicas", "1")),
     NULL, ""},
    /* FAILURE */
    {GATE("Assign", "a", CONFIG SET("data.x.y", "'1'")),
     "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {x: z}}",
     "failure Assign/a \n"},
    {GATE("Assign", "a", CONFIG SET("data.x.y", "'1'")),
     "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {x: {}}}", ""},
    /* An object that no mutator matches, and one on which all have acted already. */
    {ASSIGN("a", "", "'1'") ASSIGN("b", "", "'2'"),
     "{apiVersion: v1, kind: Node, metadata: {name: c}}", ""},
    {ASSIGN("a", "", "'1'") ASSIGN("b", "", "'2'"),
     "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {x: '2'}}",
     "undo Assign/a Assign/b /data/x \"2\" \"1\" \"2\"\n"},
};

static struct fx_policies *build(const char *text) {
    const struct fx_policy_input input = {.file = "p.yaml", .text = fx_text_of(text)};
    struct fx_policies *policies = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_policies_build(&input, 1, NULL, 1, &policies, &err));
    if (fx_findings_count(&policies->findings, FX_SEVERITY_ERROR) > 0) {
        fail_msg("%s\n%s", text, policies->findings.items[0].text);
    }
    return policies;
}

static void print(struct fx_buf *buf, const struct fx_analysis *analysis,
                  const struct fx_snapshot *snapshot) {
    fx_buf_str(buf, "");
    for (size_t i = 0; i < analysis->n_findings; i++) {
        const struct fx_analysis_finding *finding = &analysis->findings[i];
        fx_buf_str(buf, fx_analysis_rule_name(finding->rule));
        for (size_t k = 0; k < finding->n_mutators; k++) {
            const struct fx_mutator *mutator = snapshot->mutators[finding->mutators[k]];
            fx_buf_printf(buf, " %s/%s", mutator->kind, mutator->name);
        }
        fx_buf_printf(buf, " %s", finding->path);
        for (size_t k = 0; k < finding->n_values; k++) {
            fx_buf_char(buf, ' ');
            if (finding->values[k] == NULL) {
                fx_buf_char(buf, '-');
            } else {
                fx_json_write(buf, finding->values[k], FX_JSON_COMPACT);
            }
        }
        fx_buf_char(buf, '\n');
        assert_non_null(finding->witness);
        assert_true(finding->text[0] != '\0');
    }
    assert_false(buf->failed);
}

static void finds(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_policies *policies = build(cases[i].policies);
        struct fx_documents documents = {0};
        struct fx_err err = FX_ERR_INIT;
        if (cases[i].objects != NULL) {
            assert_true(
                fx_documents_read(fx_text_of(cases[i].objects), &documents, &err));
        }
        const struct fx_analysis_input input = {
            .snapshot = policies->snapshot,
            .objects = documents.n_items > 0 ? &documents.items[0].root : NULL,
            .n_objects = documents.n_items,
            .made = cases[i].objects == NULL,
        };
        struct fx_analysis analysis;
        assert_true(fx_analysis_run(&input, &analysis, &err));
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        print(&buf, &analysis, policies->snapshot);
        if (strcmp(buf.data, cases[i].findings) != 0) {
            fail_msg("%sgives\n%s", cases[i].policies, buf.data);
        }
        assert_int_equal(analysis.n_untried, 0);
        assert_int_equal(analysis.n_skipped, 0);
        fx_buf_finish(&buf);
        fx_analysis_finish(&analysis);
        fx_documents_finish(&documents);
        fx_policies_unref(policies);
    }
}

static struct fx_analysis run(struct fx_policies *policies, size_t max_steps) {
    const struct fx_analysis_input input = {
        .snapshot = policies->snapshot,
        .namespaces = &policies->namespaces,
        .made = true,
        .max_steps = max_steps,
    };
    struct fx_analysis analysis;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_analysis_run(&input, &analysis, &err));
    return analysis;
}

/* A selector of namespaces holds in one that is given, or nothing can be tried. */
static void namespaces(void **state) {
    (void)state;
    static const char policy[] =
        LABEL("a", "match: {namespaceSelector: {matchLabels: {env: prod}}}, ", "x");
    static const char given[] =
        "---\n{apiVersion: v1, kind: Namespace, metadata: {name: "
        "dev}}\n---\n{apiVersion: "
        "v1, kind: Namespace, metadata: {name: shop, labels: {env: prod}}}\n";
    struct fx_policies *policies = build(policy);
    struct fx_analysis analysis = run(policies, 0);
    assert_int_equal(analysis.n_untried, 1);
    assert_int_equal(analysis.n_objects, 0);
    fx_analysis_finish(&analysis);
    fx_policies_unref(policies);

    struct fx_buf both;
    fx_buf_init(&both, 0);
    fx_buf_str(&both, policy);
    fx_buf_str(&both, given);
    policies = build(both.data);
    analysis = run(policies, 0);
    assert_int_equal(analysis.n_untried, 0);
    assert_int_equal(analysis.n_objects, 1);
    fx_analysis_finish(&analysis);
    fx_policies_unref(policies);
    fx_buf_finish(&both);
}

/* A value from a provider is some value, other than any number. */
static void outside(void **state) {
    (void)state;
    struct fx_policies *policies = build(
        GATE("Assign", "a",
             CONFIG "location: data.x, parameters: {assign: {externalData:"
                    " {provider: p}}}") OWN("Remove", "b", CONFIG "location: data.x"));
    struct fx_analysis analysis = run(policies, 0);
    assert_int_equal(analysis.n_findings, 1);
    const struct fx_analysis_finding *finding = &analysis.findings[0];
    struct fx_placeholder placeholder;
    assert_int_equal(finding->rule, FX_ANALYSIS_UNDO);
    assert_int_equal(finding->n_values, 3);
    assert_true(
        fx_placeholders_find(analysis.placeholders, finding->values[0], &placeholder));
    fx_analysis_finish(&analysis);
    fx_policies_unref(policies);
}

/* Many mutators for one field: bounded, and said to be. */
static void bounds(void **state) {
    (void)state;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    for (int i = 0; i < 300; i++) {
        fx_buf_printf(
            &text,
            ASSIGN("a%d", "match: {labelSelector: {matchLabels: {l%d: x}}}, ", "'%d'"), i,
            i, i);
    }
    assert_false(text.failed);
    struct fx_policies *policies = build(text.data);
    fx_buf_finish(&text);
    struct fx_analysis all = run(policies, 0);
    assert_int_equal(all.n_findings, 100);
    assert_true(all.n_skipped > 0);
    fx_analysis_finish(&all);
    struct fx_analysis few = run(policies, 2000);
    assert_true(few.n_findings < 100);
    assert_true(few.n_skipped > 0);
    fx_analysis_finish(&few);
    fx_policies_unref(policies);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds),
        cmocka_unit_test(namespaces),
        cmocka_unit_test(outside),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
