/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/link_test.c - the rules of a policy with its bindings and
 * their parameters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mutators/admission_policy/faults_testing.h"
#include "mutators/admission_policy/policy.h"

#define MOST_UNITS 16u

/* ---- units ------------------------------------------------------------------------ */

struct link_trial {
    struct fx_unit *items[MOST_UNITS];
    size_t n_items;
    struct fx_units units;
    struct fx_linked *linked;
};

static void add_document(struct link_trial *trial, size_t kind, json_t *document) {
    struct fx_compilation made = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_subject subject;
    fx_subject_read(document, &subject);
    if (!fx_dialect_admission_policy.compile(document, &made, &err)) {
        fail_msg("%s", err.msg);
    }
    struct fx_unit *unit =
        fx_unit_create(&fx_dialect_admission_policy, &fx_map_kinds[kind], &subject,
                       document, NULL, &made);
    assert_non_null(unit);
    trial->items[trial->n_items++] = unit;
    fx_compilation_finish(&made);
    json_decref(document);
}

/* Adds the binding b0, b1, …, with this member `paramRef`; NULL: without it. */
static void add_binding(struct link_trial *trial, size_t index, const char *ref) {
    char name[8];
    (void)snprintf(name, sizeof name, "\"b%zu\"", index);
    json_t *document = document_with(BINDING, "metadata/name", name);
    if (ref != NULL) {
        (void)json_object_set_new(fx_tree_view_key(document, "spec"), "paramRef",
                                  must_read(ref));
    }
    add_document(trial, MAP_BINDING, document);
}

/* Adds an object "kind namespace/name" of the kind's API version; "kind name" for no
 * namespace. Its label `n` is its name. */
static void add_object(struct link_trial *trial, const char *api_version,
                       const char *text) {
    struct fx_text rest = fx_text_of(text);
    const struct fx_text kind = fx_text_cut(&rest, ' ');
    struct fx_text namespace_ = {0};
    if (fx_text_contains(rest, FX_TEXT("/"))) {
        namespace_ = fx_text_cut(&rest, '/');
    }
    json_t *object = json_pack(
        "{s:s, s:o, s:{s:o, s:o*, s:{s:o}}}", "apiVersion", api_version, "kind",
        fx_tree_new_string(kind), "metadata", "name", fx_tree_new_string(rest),
        "namespace", namespace_.data == NULL ? NULL : fx_tree_new_string(namespace_),
        "labels", "n", fx_tree_new_string(rest));
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    struct fx_unit *unit = fx_unit_create_object(&subject, "default", object, NULL);
    assert_non_null(unit);
    trial->items[trial->n_items++] = unit;
    json_decref(object);
}

static void trial_finish(struct link_trial *trial) {
    fx_linked_unref(trial->linked);
    fx_units_finish(&trial->units);
    for (size_t i = 0; i < trial->n_items; i++) {
        fx_unit_unref(trial->items[i]);
    }
}

/* ---- rules ------------------------------------------------------------------------ */

static void print_text(struct fx_buf *buf, const char *before, struct fx_text text) {
    if (text.data != NULL) {
        fx_buf_str(buf, before);
        fx_buf_text(buf, text);
    }
}

static void print_rule(struct fx_buf *buf, const struct map_rule *rule) {
    fx_buf_str(buf, rule->binding_unit == NULL ? "policy" : rule->binding_unit->name);
    if (rule->param_unit != NULL) {
        fx_buf_printf(buf, " with %s", rule->param_unit->name);
    }
    print_text(buf, " in ", rule->only_namespace);
    for (size_t i = 0; i < rule->n_but_namespaces; i++) {
        print_text(buf, " but ", rule->but_namespaces[i]);
    }
    fx_buf_str(buf, rule->only_cluster_scoped ? " cluster-scoped" : "");
    fx_buf_str(buf, rule->only_namespaced ? " namespaced" : "");
    if (rule->type == MAP_RULE_FAIL) {
        fx_buf_printf(buf, " fails: %s", rule->message);
    }
    fx_buf_str(buf, rule->type == MAP_RULE_ABSENT ? " never" : "");
    fx_buf_char(buf, '\n');
}

/* One policy: the kind of its parameters, the paramRefs of its bindings, objects of that
 * kind, and the rules. */
struct link_case {
    const char *api_version, *kind; /* NULL: no paramKind */
    const char *refs[3];            /* "": no paramRef; NULL ends */
    const char *objects[4];         /* NULL ends */
    const char *rules;
};

#define CONFIGURE "fails: failed to configure "
#define MISSING                                                   \
    CONFIGURE "binding: no params found for policy binding with " \
              "`Deny` parameterNotFoundAction\n"
#define CLUSTER(name)                                                 \
    name " cluster-scoped " CONFIGURE                                 \
         "binding: cannot use namespaced paramRef in policy binding " \
         "that matches cluster-scoped resources\n"
#define UNKNOWN CONFIGURE "policy: failed to find resource referenced by paramKind: "

static const struct link_case cases[] = {
    /* Without a paramKind, a paramRef does not count; without a paramRef there is a rule
     * without a parameter. */
    {NULL, NULL, {"", "{\"name\":\"x\"}"}, {NULL}, "b0\nb1\n"},
    {"v1", "ConfigMap", {""}, {"ConfigMap a/x"}, "b0\n"},
    {"v1", "ConfigMap", {NULL}, {NULL}, ""},
    /* In a namespace. */
    {"v1",
     "ConfigMap",
     {"{\"name\":\"x\",\"namespace\":\"a\"}"},
     {"ConfigMap a/x", "ConfigMap b/x", "ConfigMap a/y"},
     "b0 with x\n"},
    {"v1",
     "ConfigMap",
     {"{\"name\":\"z\",\"namespace\":\"a\"}",
      "{\"name\":\"z\",\"namespace\":\"a\",\"parameterNotFoundAction\":\"Allow\"}"},
     {"ConfigMap a/x"},
     "b0 " MISSING "b1 never\n"},
    /* In the namespace of the request. */
    {"v1",
     "ConfigMap",
     {"{\"name\":\"x\"}"},
     {"ConfigMap b/x", "ConfigMap a/x", "ConfigMap a/y"},
     "b0 with x in a\nb0 with x in b\nb0 but a but b namespaced " MISSING CLUSTER("b0")},
    {"v1",
     "ConfigMap",
     {"{\"selector\":{\"matchExpressions\":[{\"key\":\"n\",\"operator\":\"NotIn\","
      "\"values\":[\"y\"]}]},\"parameterNotFoundAction\":\"Allow\"}"},
     {"ConfigMap a/z", "ConfigMap a/x", "ConfigMap a/y"},
     "b0 with x in a\nb0 with z in a\nb0 but a namespaced never\n" CLUSTER("b0")},
    {"v1",
     "ConfigMap",
     {"{\"selector\":{}}"},
     {NULL},
     "b0 namespaced " MISSING CLUSTER("b0")},
    /* A document without a namespace is in that of kubectl. */
    {"v1",
     "ConfigMap",
     {"{\"name\":\"x\"}"},
     {"ConfigMap x"},
     "b0 with x in default\nb0 but default namespaced " MISSING CLUSTER("b0")},
    /* Cluster-scoped kinds. */
    {"v1", "Node", {"{\"name\":\"x\"}"}, {"Node x"}, "b0 with x\n"},
    {"v1", "Node", {"{\"name\":\"z\"}"}, {"Node x"}, "b0 " MISSING},
    {"v1",
     "Node",
     {"{\"name\":\"x\",\"namespace\":\"a\"}"},
     {"Node x"},
     "b0 " CONFIGURE
     "binding: paramRef.namespace must not be provided for a cluster-scoped "
     "`paramKind`\n"},
    {"example.com/v1", "Widget", {"{\"name\":\"x\"}"}, {"Widget x"}, "b0 with x\n"},
    {"example.com/v1",
     "Widget",
     {"{\"name\":\"x\",\"namespace\":\"a\"}"},
     {"Widget a/x"},
     "b0 with x\n"},
    /* Kinds that are not known. */
    {"v1",
     "Nope",
     {"{\"name\":\"x\",\"parameterNotFoundAction\":\"Allow\"}"},
     {NULL},
     "policy " UNKNOWN "'/v1, Kind=Nope'\n"},
    {"example.com/v1",
     "Widget",
     {"", ""},
     {NULL},
     "policy " UNKNOWN "'example.com/v1, Kind=Widget'\n"},
    {"v1",
     "Secret",
     {"{\"name\":\"x\"}"},
     {"Secret a/x"},
     "policy " UNKNOWN "'/v1, Kind=Secret'\n"},
};

static void trial_begin(struct link_trial *trial, const struct link_case *given) {
    json_t *policy = must_read(POLICY);
    *trial = (struct link_trial){.n_items = 0};
    if (given->kind != NULL) {
        (void)json_object_set_new(fx_tree_view_key(policy, "spec"), "paramKind",
                                  json_pack("{s:s, s:s}", "apiVersion",
                                            given->api_version, "kind", given->kind));
    }
    add_document(trial, MAP_POLICY, policy);
    for (size_t i = 0; i < FX_COUNT(given->refs) && given->refs[i] != NULL; i++) {
        add_binding(trial, i, given->refs[i][0] == '\0' ? NULL : given->refs[i]);
    }
    for (size_t i = 0; i < FX_COUNT(given->objects) && given->objects[i] != NULL; i++) {
        add_object(trial, given->api_version, given->objects[i]);
    }
    assert_true(fx_units_fill(&trial->units, trial->items, trial->n_items));
}

static void rules(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct link_trial trial;
        struct fx_buf got;
        trial_begin(&trial, &cases[i]);
        trial.linked = fx_link_policy(&trial.units, trial.items[0]);
        assert_non_null(trial.linked);
        fx_buf_init(&got, 0);
        fx_buf_str(&got, "");
        for (size_t k = 0; k < trial.linked->n_rules; k++) {
            print_rule(&got, (const struct map_rule *)trial.linked->rules[k]);
        }
        print_message("case %zu\n", i);
        assert_string_equal(got.data == NULL ? "" : got.data, cases[i].rules);
        fx_buf_finish(&got);
        trial_finish(&trial);
    }
}

/* What the status of each binding says: the number of parameters, and what is wrong. */
static void bindings(void **state) {
    (void)state;
    static const struct {
        struct link_case given;
        const char *outcome; /* of each binding: "PARAMETERS FAULT;" */
    } trials[] = {
        {{NULL, NULL, {"", ""}, {NULL}, NULL}, "- ;- ;"},
        {{"v1", "ConfigMap", {"{\"name\":\"x\"}", ""}, {"ConfigMap a/x"}, NULL},
         "1 ;- ;"},
        {{"v1",
          "ConfigMap",
          {"{\"name\":\"y\"}", "{\"name\":\"y\",\"parameterNotFoundAction\":\"Allow\"}",
           "{\"selector\":{}}"},
          {"ConfigMap a/x", "ConfigMap b/x"},
          NULL},
         "0 failed to configure binding: no params found ;0 ;2 ;"},
        {{"v1", "Node", {"{\"name\":\"x\",\"namespace\":\"a\"}"}, {"Node x"}, NULL},
         "0 failed to configure binding: paramRef.namespa;"},
        {{"example.com/v1", "Widget", {"{\"name\":\"x\"}"}, {NULL}, NULL},
         "- objects of example.com/v1 Widget cannot be re;"},
    };
    for (size_t i = 0; i < FX_COUNT(trials); i++) {
        struct link_trial trial;
        struct fx_buf got;
        trial_begin(&trial, &trials[i].given);
        trial.linked = fx_link_policy(&trial.units, trial.items[0]);
        assert_non_null(trial.linked);
        fx_buf_init(&got, 0);
        for (size_t k = 1; k < trial.n_items; k++) {
            const struct fx_link_binding *found =
                fx_linked_find_binding(trial.linked, trial.items[k]);
            if (found == NULL) { /* a parameter */
                continue;
            }
            assert_ptr_equal(found->unit, trial.items[k]);
            if (found->has_parameters) {
                fx_buf_printf(&got, "%zu", found->parameters.n_items);
            }
            fx_buf_printf(&got, "%s %.45s;", found->has_parameters ? "" : "-",
                          found->fault == NULL ? "" : found->fault);
        }
        assert_string_equal(got.data, trials[i].outcome);
        fx_buf_finish(&got);
        trial_finish(&trial);
    }
}

/* In a cluster, the state of the kind says whether it exists; without one it has not been
 * read yet. */
static void rules_in_a_cluster(void **state) {
    (void)state;
    static const struct link_case one = {
        "example.com/v1", "Widget", {"{\"name\":\"x\"}"}, {"Widget a/x"}, NULL};
    struct fx_kind_state states[] = {
        {{FX_TEXT("example.com"), FX_TEXT("v1"), FX_TEXT("Widget")}, NULL}};
    static const char *const reasons[] = {NULL, "the API server does not have this kind"};
    for (size_t i = 0; i < FX_COUNT(reasons); i++) {
        struct link_trial trial;
        states[0].unavailable = reasons[i];
        trial_begin(&trial, &one);
        trial.units.states = states;
        trial.units.n_states = 1;
        trial.linked = fx_link_policy(&trial.units, trial.items[0]);
        assert_non_null(trial.linked);
        assert_int_equal(trial.linked->n_rules, reasons[i] == NULL ? 3 : 1);
        assert_int_equal(trial.linked->n_reports, reasons[i] == NULL ? 0 : 1);
        trial_finish(&trial);
    }
}

/* A ConfigMap that the policy does not name does not link it again. */
static void what_is_looked_up(void **state) {
    (void)state;
    struct link_trial trial;
    trial_begin(&trial, &cases[3]);
    trial.linked = fx_link_policy(&trial.units, trial.items[0]);
    assert_non_null(trial.linked);
    const struct fx_named_kind kind = {FX_TEXT(""), FX_TEXT("v1"), FX_TEXT("ConfigMap")};
    assert_true(fx_linked_concerns(trial.linked, &kind, FX_TEXT("a"), FX_TEXT("x")));
    assert_false(fx_linked_concerns(trial.linked, &kind, FX_TEXT("b"), FX_TEXT("x")));
    assert_false(fx_linked_concerns(trial.linked, &kind, FX_TEXT("a"), FX_TEXT("y")));
    trial_finish(&trial);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules),
        cmocka_unit_test(bindings),
        cmocka_unit_test(rules_in_a_cluster),
        cmocka_unit_test(what_is_looked_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
