/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/read_fuzz.c - any bytes are a suite, no suite, or reported as invalid; and so are
 * the options of a case, and a document of kind Test in a file with its name.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/read.h"
#include "suite/rule_results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every finding can be printed. */
static void report(void *user, const struct fx_finding *finding) {
    size_t *n_errors = user;
    struct fx_buf printed;
    fx_buf_init(&printed, 0);
    fx_finding_print(&printed, finding, false);
    assert(!printed.failed && printed.data[printed.len - 1] == '\n');
    fx_buf_finish(&printed);
    *n_errors += finding->severity == FX_SEVERITY_ERROR;
}

/* So has an expected result of a rule. */
static void check_rule_result(const struct fx_suite_test *test,
                              const struct fx_suite_case *case_) {
    assert(test->rule_inputs != NULL && test->mutators.n_items > 0);
    assert(case_->rule_result->policy != NULL && case_->rule_result->policy[0] != '\0');
    assert(case_->rule_result->status < FX_RULE_N_STATUSES);
    assert(case_->source != NULL && case_->object.path == NULL);
}

/* A case that can be run has everything that running reads. */
static void check_case(const struct fx_suite_case *case_) {
    assert(case_->name != NULL && case_->line > 0);
    assert(case_->skip != NULL || case_->object.path != NULL ||
           case_->rule_result != NULL);
    assert(case_->mutated != FX_MUTATED_FILE || case_->mutated_file.path != NULL);
    assert(case_->mutated != FX_MUTATED_INLINE || case_->mutated_value != NULL);
    for (size_t i = 0; i < case_->n_groups; i++) {
        assert(case_->groups[i] != NULL);
    }
    for (size_t i = 0; i < case_->inventory.n_items; i++) {
        assert(case_->inventory.items[i].path != NULL);
    }
}

static void check_suite(const struct fx_suite *suite) {
    assert(suite->name != NULL && suite->path != NULL);
    for (size_t i = 0; suite->fault.reason == NULL && i < suite->n_tests; i++) {
        const struct fx_suite_test *test = &suite->tests[i];
        assert(test->name != NULL && test->line > 0);
        assert(test->n_cases > 0 || test->skip != NULL);
        for (size_t k = 0; k < test->n_cases; k++) {
            check_case(&test->cases[k]);
            if (test->cases[k].rule_result != NULL) {
                check_rule_result(test, &test->cases[k]);
            }
        }
    }
}

static struct fx_buf copy_of(const uint8_t *data, size_t size) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_add(&text, data, size);
    assert(!text.failed);
    return text;
}

static void read_as_suite(const char *file, const uint8_t *data, size_t size) {
    size_t n_errors = 0;
    const struct fx_suite_host host = {.report = report, .user = &n_errors};
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text = copy_of(data, size);
    struct fx_suites suites;
    fx_suites_init(&suites, &host);
    bool found = false;
    assert(fx_suites_read(&suites, file, &text, true, &found, &err));
    assert(found == (suites.n_items > 0));
    bool faulty = false;
    for (size_t i = 0; i < suites.n_items; i++) {
        check_suite(&suites.items[i]);
        faulty = faulty || suites.items[i].fault.reason != NULL;
    }
    assert(faulty == (n_errors > 0));
    fx_suites_finish(&suites);
}

static void read_as_options(const uint8_t *data, size_t size) {
    size_t n_errors = 0;
    const struct fx_suite_host host = {.report = report, .user = &n_errors};
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf text = copy_of(data, size);
    struct fx_suites suites;
    fx_suites_init(&suites, &host);
    struct fx_suite_case made = {.name = "a", .object = {"a/object.yaml", NULL}};
    struct fx_suite_fault fault = {0};
    assert(fx_suites_read_options(&suites, "a/options.yaml", &text, &made, &fault, &err));
    assert((fault.reason != NULL) == (n_errors > 0));
    made.line = 1;
    check_case(&made);
    fx_suites_finish(&suites);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_as_suite("a/suite.yaml", data, size);
    read_as_suite("a/kyverno-test.yaml", data, size);
    read_as_options(data, size);
    return 0;
}
