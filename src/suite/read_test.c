/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/read_test.c - reading of Suites, and messages on faults.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "suite/read.h"

static void report(void *user, const struct fx_finding *finding) {
    struct fx_buf *reported = user;
    fx_buf_printf(reported, "%s:%u:%u %s: %s\n", finding->file, (unsigned)finding->line,
                  (unsigned)finding->column, fx_severity_name(finding->severity),
                  finding->text);
}

struct reading {
    struct fx_buf reported;
    struct fx_suite_host host;
    struct fx_suites suites;
    bool found;
};

static void read_text(struct reading *reading, const char *text, bool named) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf bytes;
    fx_buf_init(&bytes, 0);
    fx_buf_str(&bytes, text);
    fx_buf_init(&reading->reported, 0);
    fx_buf_str(&reading->reported, "");
    reading->host = (struct fx_suite_host){.report = report, .user = &reading->reported};
    fx_suites_init(&reading->suites, &reading->host);
    assert_true(fx_suites_read(&reading->suites, "a/b/suite.yaml", &bytes, named,
                               &reading->found, &err));
}

static void finish(struct reading *reading) {
    fx_suites_finish(&reading->suites);
    fx_buf_finish(&reading->reported);
}

#define HEAD "apiVersion: test.fixpoint.dev/v1alpha1\nkind: Suite\n"

static void test_everything_is_read(void **state) {
    (void)state;
    struct reading reading;
    read_text(&reading,
              HEAD "metadata: {name: s}\n"
                   "tests:\n"
                   "- name: t\n"
                   "  mutators: [./p.yaml, ../policies]\n"
                   "  namespaces: [n.yaml]\n"
                   "  cases:\n"
                   "  - name: c\n"
                   "    object: o.yaml\n"
                   "    old: old.yaml\n"
                   "    operation: UPDATE\n"
                   "    user: jane\n"
                   "    groups: [x, z]\n"
                   "    inventory: [i.yaml]\n"
                   "    mutated: m.yaml\n"
                   "    contains: {kind: Pod}\n"
                   "    patch: []\n"
                   "  - {object: o.yaml, mutated: false}\n"
                   "  - {object: o.yaml, mutated: {kind: Pod}}\n"
                   "  - {object: o.yaml, error: words}\n",
              true);
    assert_string_equal(reading.reported.data, "");
    assert_int_equal(reading.suites.n_items, 1);
    const struct fx_suite *suite = &reading.suites.items[0];
    assert_string_equal(suite->name, "s");
    assert_string_equal(suite->path, "a/b/suite.yaml");
    assert_null(suite->fault.reason);
    const struct fx_suite_test *test = &suite->tests[0];
    assert_string_equal(test->name, "t");
    assert_int_equal(test->line, 5);
    assert_int_equal(test->mutators.n_items, 2);
    assert_string_equal(test->mutators.items[0].path, "a/b/p.yaml");
    assert_string_equal(test->mutators.items[1].path, "a/b/../policies");
    assert_string_equal(test->namespaces.items[0].path, "a/b/n.yaml");
    assert_int_equal(test->n_cases, 4);
    const struct fx_suite_case *first = &test->cases[0];
    assert_string_equal(first->name, "c");
    assert_int_equal(first->line, 9);
    assert_string_equal(first->object.path, "a/b/o.yaml");
    assert_string_equal(first->old.path, "a/b/old.yaml");
    assert_string_equal(first->operation, "UPDATE");
    assert_string_equal(first->user, "jane");
    assert_int_equal(first->n_groups, 2);
    assert_string_equal(first->groups[1], "z");
    assert_string_equal(first->inventory.items[0].path, "a/b/i.yaml");
    assert_int_equal(first->mutated, FX_MUTATED_FILE);
    assert_string_equal(first->mutated_file.path, "a/b/m.yaml");
    assert_non_null(first->contains);
    assert_non_null(first->patch);
    assert_null(first->error);
    assert_string_equal(test->cases[1].name, "case-2");
    assert_int_equal(test->cases[1].mutated, FX_MUTATED_UNCHANGED);
    assert_int_equal(test->cases[2].mutated, FX_MUTATED_INLINE);
    assert_string_equal(test->cases[3].error, "words");
    finish(&reading);
}

static void test_whole_tests_are_skipped(void **state) {
    (void)state;
    struct reading reading;
    read_text(&reading,
              "apiVersion: test.gatekeeper.sh/v1alpha1\nkind: Suite\n"
              "tests:\n"
              "- {template: t.yaml, constraint: c.yaml, cases: [{object: o.yaml}]}\n"
              "- {template: t.yaml, invalid: true}\n"
              "- {skip: true, cases: [{object: o.yaml, mutated: false}]}\n"
              "- {mutators: [p.yaml]}\n",
              true);
    assert_string_equal(reading.reported.data, "");
    const struct fx_suite_test *tests = reading.suites.items[0].tests;
    assert_ptr_equal(tests[0].cases[0].skip, fx_suite_unchecked);
    assert_ptr_equal(tests[1].skip, fx_suite_unchecked);
    assert_string_equal(tests[2].cases[0].skip, "`skip` in the test");
    assert_string_equal(tests[3].skip, "it has no cases");
    finish(&reading);
}

/* Each document is a suite of its own, and a fault of one is none of the others. */
static void test_several_documents(void **state) {
    (void)state;
    struct reading reading;
    read_text(&reading,
              HEAD "tests: 5\n---\nkind: Pod\napiVersion: v1\n---\n" HEAD "tests: []\n",
              false);
    assert_true(reading.found);
    assert_int_equal(reading.suites.n_items, 2);
    assert_string_equal(reading.suites.items[0].fault.reason,
                        "tests: must be a list, not a number");
    assert_int_equal(reading.suites.items[0].fault.line, 3);
    assert_null(reading.suites.items[1].fault.reason);
    assert_string_equal(
        reading.reported.data,
        "a/b/suite.yaml:3:8 error: tests: must be a list, not a number\n");
    finish(&reading);
}

static void test_what_is_no_suite(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "kind: Suite\napiVersion: example.com/v1\n",
        "kind: Other\napiVersion: test.gatekeeper.sh/v1alpha1\n",
        "{{ nothing that parses }}: [\n",
    };
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        struct reading reading;
        read_text(&reading, texts[i], false);
        assert_false(reading.found);
        assert_int_equal(reading.suites.n_items, 0);
        assert_string_equal(reading.reported.data, "");
        finish(&reading);
    }
}

/* Of a file full of faults a part is reported. */
static void test_faults_have_a_bound(void **state) {
    (void)state;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, HEAD "tests:\n");
    for (size_t i = 0; i < 150; i++) {
        fx_buf_str(&text, "- 1\n");
    }
    struct reading reading;
    read_text(&reading, text.data, true);
    size_t n_lines = 0;
    for (size_t i = 0; i < reading.reported.len; i++) {
        n_lines += reading.reported.data[i] == '\n';
    }
    assert_int_equal(n_lines, 101);
    assert_non_null(strstr(reading.reported.data, ":0:0 warning: and 50 more\n"));
    finish(&reading);
    fx_buf_finish(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_is_read),
        cmocka_unit_test(test_whole_tests_are_skipped),
        cmocka_unit_test(test_several_documents),
        cmocka_unit_test(test_what_is_no_suite),
        cmocka_unit_test(test_faults_have_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
