/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/suite_oom_test.c - suites read, run and printed with every allocation refused
 * in turn: each attempt ends in a clean failure, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "refuse.h"
#include "suite/run.h"
#include "value/tree.h"

#define SUITE    FX_SOURCE_DIR "/tests/oom/suite/suite.yaml"
#define RULES    FX_SOURCE_DIR "/tests/oom/suite/rules/kyverno-test.yaml"
#define RUNS_MAX 100000 /* no run needs that many allocations */

static bool compile(void *user, const struct fx_file_list *files, bool with_exceptions,
                    struct fx_policies **ret_policies, struct fx_err *err) {
    (void)user;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    assert_int_equal(files->n_paths, with_exceptions ? 2 : 1);
    bool ok = fx_file_read(files->paths[0], FX_LIMIT_POLICY_FILE_BYTES, &text, err);
    const struct fx_policy_input input = {.file = files->paths[0],
                                          .text = {text.data, text.len}};
    ok = ok && fx_policies_build(&input, 1, NULL, 1, ret_policies, err);
    fx_buf_finish(&text);
    return ok;
}

/* Sets the label of the owner, copying on write. */
static bool set_owner(json_t **object) {
    json_t *metadata = fx_tree_own_root(object) != NULL
                           ? fx_tree_own_key(*object, FX_TEXT("metadata"))
                           : NULL;
    json_t *labels = metadata != NULL ? json_object() : NULL;
    return labels != NULL && fx_tree_set_take(metadata, FX_TEXT("labels"), labels) &&
           fx_tree_set_take(labels, FX_TEXT("owner"), json_string("platform"));
}

/* As the policies would: an owner, also of the target, and a warning. */
static bool mutate(void *user, const struct fx_suite_request *question,
                   struct fx_suite_response *ret_answer, struct fx_err *err) {
    (void)user;
    json_t *object = json_incref(question->object);
    if (!set_owner(&object) ||
        (question->target != NULL && !set_owner(question->target))) {
        json_decref(object);
        return fx_fail_nomem(err);
    }
    const struct fx_trace_step step = {
        .pass = 1, .verdict = {.matched = true}, .effect = {.changed = true}};
    if (question->trace != NULL &&
        !fx_trace_record(question->trace, &step, question->object, object)) {
        json_decref(object);
        return fx_fail_nomem(err);
    }
    ret_answer->object = object;
    fx_buf_str(&ret_answer->warnings, "a rule was left out");
    return true;
}

static void report(void *user, const struct fx_finding *finding) {
    (void)user;
    struct fx_buf words;
    fx_buf_init(&words, 0);
    fx_finding_print(&words, finding, true);
    fx_buf_finish(&words);
}

/* False where something said that there was no memory. */
static bool print_all(const struct fx_suite_results *results) {
    static const struct fx_suite_style style = {.verbose = true, .colour = true};
    bool ok = true;
    for (unsigned format = 0; fx_suite_format_words[format] != NULL; format++) {
        struct fx_buf out;
        fx_buf_init(&out, 0);
        fx_suite_print(&out, (enum fx_suite_format)format, results, &style);
        ok = ok && !out.failed;
        fx_buf_finish(&out);
    }
    return ok;
}

/* A file of suites, and what comes of it. */
struct run_case {
    const char *path;
    size_t n_suites, n_results, counts[FX_SUITE_N_STATUSES];
};

static struct run_case suites_of[] = {
    {SUITE,
     2,
     13,
     {[FX_SUITE_PASS] = 2,
      [FX_SUITE_FAIL] = 6,
      [FX_SUITE_SKIP] = 2,
      [FX_SUITE_ERROR] = 3}},
    {RULES,
     3,
     13,
     {[FX_SUITE_PASS] = 4,
      [FX_SUITE_FAIL] = 1,
      [FX_SUITE_SKIP] = 2,
      [FX_SUITE_ERROR] = 6}},
};

static bool attempt(const struct run_case *tried) {
    static const struct fx_suite_host host = {compile, mutate, report, NULL};
    static const struct fx_suite_plan plan = {.keeps = true, .colour = true};
    struct fx_err err = FX_ERR_INIT;
    struct fx_suites suites;
    struct fx_suite_results results = {0};
    fx_suites_init(&suites, &host);
    bool ok = fx_suites_add(&suites, tried->path, &err) &&
              fx_suites_run(&suites, &plan, &results, &err);
    assert_true(ok || err.code == FX_ENOMEM);
    if (ok) {
        assert_int_equal(suites.n_items, tried->n_suites);
        assert_int_equal(results.n_items, tried->n_results);
        for (size_t i = 0; i < FX_SUITE_N_STATUSES; i++) {
            assert_int_equal(results.counts[i], tried->counts[i]);
        }
        ok = print_all(&results);
    }
    fx_suite_results_finish(&results);
    fx_suites_finish(&suites);
    return ok;
}

static void refuse_each(const struct run_case *tried, bool ever_after) {
    const long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const bool ok = attempt(tried);
        refused = refuse_stop();
        assert_true(ok || refused);
        assert_int_equal(refuse_live(), live);
    }
    assert_true(n > 500); /* it was tried at all */
}

static void test_refused_once(void **state) {
    refuse_each(*state, false);
}

static void test_refused_ever_after(void **state) {
    refuse_each(*state, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        {"a Suite, once", test_refused_once, NULL, NULL, &suites_of[0]},
        {"a Suite, ever after", test_refused_ever_after, NULL, NULL, &suites_of[0]},
        {"a Test, once", test_refused_once, NULL, NULL, &suites_of[1]},
        {"a Test, ever after", test_refused_ever_after, NULL, NULL, &suites_of[1]},
    };
    refuse_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
