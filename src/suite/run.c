/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/run.c - runs all cases of all suites, one after the other.
 */
#include "suite/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/regex.h"
#include "base/vec.h"
#include "suite/check_case.h"

/* ---- the filter ------------------------------------------------------------------ */

struct fx_suite_filter {
    struct fx_regex *full;         /* NULL if there are two expressions */
    struct fx_regex *test, *case_; /* or NULL */
};

void fx_suite_filter_destroy(struct fx_suite_filter *filter) {
    if (filter == NULL) {
        return;
    }
    fx_regex_destroy(filter->full);
    fx_regex_destroy(filter->test);
    fx_regex_destroy(filter->case_);
    free(filter);
}

/* The position of "//" in the text; text.len if there is none. */
static size_t find_slashes(struct fx_text text) {
    for (size_t at = 0; at + 1 < text.len; at++) {
        if (text.data[at] == '/' && text.data[at + 1] == '/') {
            return at;
        }
    }
    return text.len;
}

bool fx_suite_filter_create(struct fx_text text, struct fx_suite_filter **ret_filter,
                            struct fx_err *err) {
    struct fx_suite_filter *filter = calloc(1, sizeof *filter);
    if (filter == NULL) {
        return fx_fail_nomem(err);
    }
    const size_t at = find_slashes(text);
    bool ok = false;
    if (at == text.len) {
        ok = fx_regex_compile(text, &filter->full, err);
    } else {
        const struct fx_text test = {text.data, at};
        const struct fx_text case_ = {text.data + at + 2, text.len - at - 2};
        ok = fx_regex_compile(test, &filter->test, err) &&
             fx_regex_compile(case_, &filter->case_, err);
    }
    if (!ok) {
        fx_suite_filter_destroy(filter);
        return false;
    }
    *ret_filter = filter;
    return true;
}

/* Does the name match? True if there is no memory, the only error with so short a
 * text. */
static bool fits(const struct fx_regex *regex, const char *name) {
    struct fx_err err = FX_ERR_INIT;
    bool matches = false;
    return !fx_regex_match(regex, fx_text_of(name), &matches, &err) || matches;
}

/* Does the filter select the case? `test` is "" for a case in a folder. */
static bool filter_fits(const struct fx_suite_filter *filter, const char *full_name,
                        const char *test, const char *case_) {
    if (filter == NULL || filter->full != NULL) {
        return filter == NULL || fits(filter->full, full_name);
    }
    return fits(filter->test, test) && fits(filter->case_, case_);
}

static const char *const status_names[] = {
#define X(name, text) [FX_SUITE_##name] = text,
    FX_SUITE_STATUSES(X)
#undef X
};

const char *fx_suite_status_name(enum fx_suite_status status) {
    return status_names[status];
}

static void result_finish(struct fx_suite_result *result) {
    free(result->name);
    free(result->reason);
    free(result->diff);
    free(result->file);
    fx_objects_finish(&result->got);
}

void fx_suite_results_finish(struct fx_suite_results *results) {
    if (results == NULL) {
        return;
    }
    for (size_t i = 0; i < results->n_items; i++) {
        result_finish(&results->items[i]);
    }
    free(results->items);
    *results = (struct fx_suite_results){0};
}

/* ---- results --------------------------------------------------------------------- */

/* The name of a result: "suite/test/case". A folder has no test, and the result of a
 * whole test or suite no case. */
static char *name_of(const struct fx_suite *suite, const struct fx_suite_test *test,
                     const struct fx_suite_case *case_) {
    struct fx_buf name = {0};
    fx_buf_str(&name, suite->name);
    if (test != NULL && test->name != NULL) {
        fx_buf_printf(&name, "/%s", test->name);
    }
    if (case_ != NULL) {
        fx_buf_printf(&name, "/%s", case_->name);
    }
    char *made = fx_buf_steal(&name);
    fx_buf_finish(&name);
    return made;
}

/* Appends a result with the status PASS. */
static struct fx_suite_result *new_result(struct fx_suite_results *results,
                                          const struct fx_suite *suite,
                                          char **name_take) {
    if (!FX_VEC_GROW(results->items, results->n_items, results->cap_items)) {
        return NULL;
    }
    struct fx_suite_result *result = &results->items[results->n_items++];
    *result = (struct fx_suite_result){.path = suite->path, .name = *name_take};
    *name_take = NULL;
    return result;
}

static bool set_text(char **field, const char *text) {
    *field = strdup(text);
    return *field != NULL;
}

/* ---- running --------------------------------------------------------------------- */

struct suite_run {
    const struct fx_suite_plan *plan;
    const struct fx_suite_host *host;
    struct fx_suite_results *results;
    struct fx_suite_inputs inputs;
    const struct fx_suite *suite;
    const struct fx_suite_test *test;
};

static bool check_case(struct suite_run *run, const struct fx_suite_case *case_,
                       struct fx_suite_result *result, struct fx_err *err) {
    const struct fx_suite_trial trial = {
        .host = run->host,
        .inputs = &run->inputs,
        .test = run->test,
        .case_ = case_,
        .keeps = run->plan->keeps,
        .colour = run->plan->colour,
    };
    const uint64_t start = fx_clock_ns();
    const bool ok = fx_suite_check_case(&trial, result, err);
    result->ns = fx_clock_ns() - start;
    return ok;
}

/* Adds the result of a case, or of a whole test or suite that is skipped. */
static bool add_result(struct suite_run *run, const struct fx_suite_case *case_,
                       const char *skip, struct fx_err *err) {
    const struct fx_suite_test *test = run->test;
    char *name = name_of(run->suite, test, case_);
    if (name == NULL) {
        return fx_fail_nomem(err);
    }
    const bool fits =
        filter_fits(run->plan->filter, name, test->name != NULL ? test->name : "",
                    case_ != NULL ? case_->name : "");
    struct fx_suite_result *result =
        fits ? new_result(run->results, run->suite, &name) : NULL;
    free(name);
    if (!fits || result == NULL) {
        return !fits || fx_fail_nomem(err);
    }
    result->case_ = case_;
    result->line = case_ != NULL ? case_->line : test->line;
    const bool in_folder = case_ != NULL && test->name == NULL;
    const char *file = in_folder ? case_->object.path : run->suite->path;
    bool ok = set_text(&result->file, file) || fx_fail_nomem(err);
    if (ok && skip != NULL) {
        result->status = FX_SUITE_SKIP;
        ok = set_text(&result->reason, skip) || fx_fail_nomem(err);
    } else if (ok) {
        ok = check_case(run, case_, result, err);
    }
    return ok;
}

static bool run_test(struct suite_run *run, struct fx_err *err) {
    const struct fx_suite_test *test = run->test;
    if (test->n_cases == 0) {
        return test->skip == NULL || add_result(run, NULL, test->skip, err);
    }
    for (size_t i = 0; i < test->n_cases; i++) {
        if (!add_result(run, &test->cases[i], test->cases[i].skip, err)) {
            return false;
        }
    }
    return true;
}

/* Adds the result of an invalid suite: one error, whatever the filter selects. */
static bool add_fault(struct suite_run *run, struct fx_err *err) {
    const struct fx_suite_fault *fault = &run->suite->fault;
    char *name = name_of(run->suite, NULL, NULL);
    struct fx_suite_result *result =
        name != NULL ? new_result(run->results, run->suite, &name) : NULL;
    free(name);
    if (result == NULL || !set_text(&result->reason, fault->reason) ||
        !set_text(&result->file, fault->file)) {
        return fx_fail_nomem(err);
    }
    result->status = FX_SUITE_ERROR;
    result->line = fault->line;
    return true;
}

static bool run_suite(struct suite_run *run, struct fx_err *err) {
    if (run->suite->fault.reason != NULL) {
        return add_fault(run, err);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < run->suite->n_tests; i++) {
        run->test = &run->suite->tests[i];
        ok = run_test(run, err);
    }
    return ok;
}

static void count_results(struct fx_suite_results *results) {
    for (size_t i = 0; i < results->n_items; i++) {
        const struct fx_suite_result *result = &results->items[i];
        results->counts[result->status]++;
        results->n_unchecked += result->status == FX_SUITE_PASS &&
                                result->case_ != NULL && result->case_->asserts;
    }
}

bool fx_suites_run(const struct fx_suites *suites, const struct fx_suite_plan *plan,
                   struct fx_suite_results *ret_results, struct fx_err *err) {
    struct suite_run run = {.plan = plan, .host = suites->host, .results = ret_results};
    bool ok = true;
    for (size_t i = 0; ok && i < suites->n_items; i++) {
        run.suite = &suites->items[i];
        ok = run_suite(&run, err);
    }
    fx_suite_inputs_finish(&run.inputs);
    count_results(ret_results);
    return ok;
}
