/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/rule_results_test.c - reading of documents of kind Test, messages on faults, and
 * the values of variables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "suite/rule_results.h"

static void report(void *user, const struct fx_finding *finding) {
    struct fx_buf *reported = user;
    fx_buf_printf(reported, "%u:%u %s: %s\n", (unsigned)finding->line,
                  (unsigned)finding->column, fx_severity_name(finding->severity),
                  finding->text);
}

struct reading {
    struct fx_buf reported;
    struct fx_suite_host host;
    struct fx_suites suites;
    bool found;
};

static void read_text(struct reading *reading, const char *file, const char *text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf bytes;
    fx_buf_init(&bytes, 0);
    fx_buf_str(&bytes, text);
    fx_buf_init(&reading->reported, 0);
    fx_buf_str(&reading->reported, "");
    reading->host = (struct fx_suite_host){.report = report, .user = &reading->reported};
    fx_suites_init(&reading->suites, &reading->host);
    assert_true(
        fx_suites_read(&reading->suites, file, &bytes, false, &reading->found, &err));
}

static void finish(struct reading *reading) {
    fx_suites_finish(&reading->suites);
    fx_buf_finish(&reading->reported);
}

#define HEAD "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\n"

static void test_everything_is_read(void **state) {
    (void)state;
    struct reading reading;
    read_text(&reading, "a/any.yaml",
              HEAD "metadata: {name: s}\n"
                   "policies: [p.yaml, ../q.yaml]\n"
                   "exceptions: [e.yaml]\n"
                   "resources: [r.yaml]\n"
                   "targetResources: [t.yaml]\n"
                   "clusterResources: [c.yaml]\n"
                   "variables: v.yaml\n"
                   "userinfo: u.yaml\n"
                   "results:\n"
                   "- policy: x\n"
                   "  rule: why\n"
                   "  kind: Pod\n"
                   "  resources: [web, shop/web]\n"
                   "  patchedResources: m.yaml\n"
                   "  result: pass\n"
                   "- {policy: x, namespace: ns, resource: web, status: skip}\n"
                   "- policy: x\n"
                   "  resourceSpecs: [{kind: Job, namespace: ns, name: z}]\n"
                   "  patchedResource: o.yaml\n"
                   "  result: fail\n"
                   "- {policy: x, rule: why, result: error}\n");
    assert_string_equal(reading.reported.data, "");
    assert_int_equal(reading.suites.n_items, 1);
    const struct fx_suite *suite = &reading.suites.items[0];
    assert_string_equal(suite->name, "s");
    assert_int_equal(suite->n_tests, 4);
    const struct fx_suite_test *test = &suite->tests[0];
    assert_string_equal(test->name, "x/why");
    assert_int_equal(test->line, 12);
    assert_int_equal(test->mutators.n_items, 3);
    assert_string_equal(test->mutators.items[1].path, "a/../q.yaml");
    assert_string_equal(test->mutators.items[2].path, "a/e.yaml");
    assert_string_equal(test->rule_inputs->objects.items[0].path, "a/r.yaml");
    assert_string_equal(test->rule_inputs->targets.items[0].path, "a/t.yaml");
    assert_string_equal(test->rule_inputs->others.items[0].path, "a/c.yaml");
    assert_string_equal(test->rule_inputs->values.path, "a/v.yaml");
    assert_string_equal(test->rule_inputs->user.path, "a/u.yaml");
    assert_int_equal(test->n_cases, 2);
    assert_string_equal(test->cases[1].name, "Pod shop/web");
    const struct fx_rule_result *result = test->cases[1].rule_result;
    assert_string_equal(result->object, "shop/web");
    assert_string_equal(result->patched.path, "a/m.yaml");
    assert_int_equal(result->status, FX_RULE_PASS);
    result = suite->tests[1].cases[0].rule_result;
    assert_string_equal(result->policy, "ns/x");
    assert_int_equal(result->status, FX_RULE_SKIP);
    result = suite->tests[2].cases[0].rule_result;
    assert_string_equal(result->object, "ns/z");
    assert_string_equal(result->kind, "Job");
    assert_string_equal(result->patched.path, "a/o.yaml");
    assert_int_equal(result->status, FX_RULE_FAIL);
    assert_string_equal(suite->tests[3].cases[0].name, "all");
    assert_null(suite->tests[3].cases[0].rule_result->object);
    finish(&reading);
}

static void test_old_form(void **state) {
    (void)state;
    static const char text[] = "name: old\npolicies: [p.yaml]\nresources: [r.yaml]\n"
                               "results: [{policy: x, resource: web, result: pass}]\n";
    struct reading reading;
    read_text(&reading, "a/kyverno-test.yaml", text);
    assert_string_equal(reading.reported.data, "");
    assert_int_equal(reading.suites.n_items, 1);
    assert_string_equal(reading.suites.items[0].name, "old");
    finish(&reading);
    read_text(&reading, "a/other.yaml", text);
    assert_false(reading.found);
    finish(&reading);
    read_text(&reading, "a/chainsaw-test.yaml",
              "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\n"
              "spec: {steps: []} # cli.kyverno.io/\n");
    assert_false(reading.found);
    finish(&reading);
}

static void test_results_of_other_rules_are_skipped(void **state) {
    (void)state;
    struct reading reading;
    read_text(&reading, "a/kyverno-test.yaml",
              HEAD "policies: [p.yaml]\n"
                   "results:\n"
                   "- {policy: a, isValidatingPolicy: true, result: pass}\n"
                   "- {policy: a, generatedResource: g.yaml, result: pass}\n"
                   "- {policy: a, isValidatingPolicy: false, result: pass}\n"
                   "- {policy: a, isMutatingPolicy: true, result: pass}\n");
    assert_string_equal(reading.reported.data, "");
    const struct fx_suite *suite = &reading.suites.items[0];
    assert_string_equal(suite->tests[0].cases[0].skip, fx_rule_left);
    assert_string_equal(suite->tests[1].cases[0].skip, fx_rule_left);
    assert_null(suite->tests[2].cases[0].skip);
    assert_null(suite->tests[3].cases[0].skip);
    finish(&reading);
}

/* ---- faults ------------------------------------------------------------------------ */

static const struct {
    const char *text, *reported;
} faults[] = {
    {"policies: [p.yaml]\nresults: [{policy: a}]\n",
     "4:0 error: results[0]: expected `result`: pass, skip, fail, error or warn\n"},
    {"policies: [p.yaml]\nresults: [{policy: a, result: ok}]\n",
     "4:31 error: results[0].result: must be pass, skip, fail, error or warn\n"},
    {"policies: [p.yaml]\nresults:\n- {rule: a, result: pass}\n",
     "5:0 error: results[0]: expected `policy`, the name of a policy\n"},
    {"results: [{policy: a, result: pass}]\n",
     "1:0 error: expected `policies`, the files of the policies\n"},
    {"policies: p.yaml\n", "3:11 error: policies: must be a list, not a string\n"},
    {"policies: [/p.yaml]\n",
     "3:12 error: policies: must be a path relative to the suite's folder\n"},
    {"policies: [p.yaml]\nvalues: [a]\n",
     "4:9 error: values: must be an object, not a list\n"},
    {"policies: [p.yaml]\nresults: [{policy: a, result: pass, isGeneratingPolicy: x}]\n",
     "4:57 error: results[0].isGeneratingPolicy: must be true or false, not a string\n"},
    {"policies: [p.yaml]\nchecks: []\n", "4:9 warning: checks: this field is not read\n"},
};

static void test_faults_have_a_position(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(faults); i++) {
        struct reading reading;
        char text[512];
        (void)snprintf(text, sizeof text, HEAD "%s", faults[i].text);
        read_text(&reading, "a/kyverno-test.yaml", text);
        assert_string_equal(reading.reported.data, faults[i].reported);
        assert_int_equal(reading.suites.items[0].fault.reason != NULL,
                         strstr(faults[i].reported, "error") != NULL);
        finish(&reading);
    }
}

static void test_version(void **state) {
    (void)state;
    struct reading reading;
    read_text(&reading, "a/b.yaml", "apiVersion: cli.kyverno.io/v2\nkind: Test\n");
    assert_string_equal(reading.reported.data,
                        "1:13 error: apiVersion: expected cli.kyverno.io/v1alpha1\n");
    finish(&reading);
}

/* ---- values ------------------------------------------------------------------------ */

static json_t *parse(const char *text) {
    json_t *value = json_loads(text, 0, NULL);
    assert_non_null(value);
    return value;
}

static void test_values(void **state) {
    (void)state;
    json_t *spec = parse(
        "{\"globalValues\": {\"request.operation\": \"UPDATE\", \"a.b\": 1, \"a.c\": 1},"
        " \"policies\": [{\"name\": \"p\","
        "   \"rules\": [{\"name\": \"r\", \"values\": {\"a.b\": 2, \"d\": {\"e\": 1}}},"
        "               {\"name\": \"s\", \"values\": {\"a.b\": 3, \"d.e\": 3}}],"
        "   \"resources\": [{\"name\": \"web\", \"values\": {\"d.f\": 4}},"
        "                   {\"name\": \"db\", \"values\": {\"d.f\": 5}}]},"
        "  {\"name\": \"q\", \"rules\": [{\"name\": \"r\", \"values\": {\"z\": 1}}]}]}");
    json_t *before = json_deep_copy(spec);
    json_t *object = parse("{\"metadata\": {\"name\": \"web\"}}");
    const struct fx_rule_values values = {.specs = {NULL, spec}};
    json_t *got = fx_rule_values_of(&values, FX_TEXT("p"), FX_TEXT("r"), object);
    json_t *expected =
        parse("{\"request\": {\"operation\": \"UPDATE\"},"
              " \"a\": {\"b\": 2, \"c\": 1}, \"d\": {\"e\": 1, \"f\": 4}}");
    assert_true(json_equal(got, expected));
    assert_true(json_equal(spec, before));
    json_decref(got);
    json_decref(expected);
    json_decref(object);
    json_decref(before);
    json_decref(spec);
}

static void test_namespaces_of_values(void **state) {
    (void)state;
    json_t *spec = parse("{\"namespaceSelector\": [{\"name\": \"a\", \"labels\": {\"x\": "
                         "\"y\"}}, {\"name\": \"b\"}]}");
    const struct fx_rule_values values = {.specs = {spec, NULL}};
    struct fx_namespaces namespaces = {0};
    assert_true(fx_rule_values_add_namespaces(&values, &namespaces));
    assert_int_equal(fx_namespaces_count(&namespaces), 2);
    json_t *found = fx_namespaces_find(&namespaces, FX_TEXT("a"));
    const json_t *labels = json_object_get(json_object_get(found, "metadata"), "labels");
    assert_string_equal(json_string_value(json_object_get(labels, "x")), "y");
    json_decref(found);
    fx_namespaces_finish(&namespaces);
    json_decref(spec);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_is_read),
        cmocka_unit_test(test_old_form),
        cmocka_unit_test(test_results_of_other_rules_are_skipped),
        cmocka_unit_test(test_faults_have_a_position),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_namespaces_of_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
