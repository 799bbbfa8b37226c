/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/explain_oom_test.c - a report on an object under an allocator that refuses
 * each allocation in turn: it is built and printed, or memory is reported to be short;
 * nothing leaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/limits.h"
#include "engine/converge.h"
#include "explain/report.h"
#include "policy/policies.h"
#include "refuse.h"
#include "value/json.h"

#define POLICIES FX_SOURCE_DIR "/tests/oom/explain.yaml"
#define RUNS_MAX 20000 /* no report needs that many allocations */

/* One review, traced once. */
struct review {
    struct fx_policies *policies;
    json_t *object;
    struct fx_arena arena;
    struct fx_trace trace;
    struct fx_outcome outcome;
    struct fx_err failure;
    bool ok;
};

static struct review review;

static void converge(void) {
    const struct fx_request request = {.operation = FX_OPERATION_CREATE,
                                       .source = FX_SOURCE_ORIGINAL,
                                       .mutation_id = ""};
    json_t *root = json_incref(review.object);
    fx_arena_init(&review.arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&review.trace, &review.arena);
    review.ok = fx_converge(review.policies->snapshot, &request, &review.arena,
                            &review.trace, &root, &review.outcome, &review.failure);
    json_decref(root);
}

static int read_input(void **state) {
    (void)state;
    static const char text[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","
        "\"namespace\":"
        "\"shop\",\"labels\":{\"owner\":\"x\"}},\"spec\":{\"turn\":\"a\",\"containers\":"
        "[{\"name\":\"c\"},{\"name\":\"d\"}]}}";
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf bytes;
    fx_buf_init(&bytes, 0);
    assert_true(fx_file_read(POLICIES, FX_LIMIT_POLICY_FILE_BYTES, &bytes, &err));
    const struct fx_policy_input input = {.file = "a.yaml",
                                          .text = {bytes.data, bytes.len}};
    assert_true(fx_policies_build(&input, 1, NULL, 1, &review.policies, &err));
    assert_int_equal(fx_findings_count(&review.policies->findings, FX_SEVERITY_ERROR), 0);
    fx_buf_finish(&bytes);
    review.object = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(review.object);
    converge();
    return 0;
}

static int forget_input(void **state) {
    (void)state;
    fx_outcome_finish(&review.outcome);
    fx_trace_finish(&review.trace);
    fx_arena_finish(&review.arena);
    fx_policies_unref(review.policies);
    json_decref(review.object);
    return 0;
}

/* True: the report was built and printed. */
static bool report(const char *field, bool as_json, struct fx_err *err) {
    struct fx_explain_input input = {
        .object = review.object,
        .file = "pod.yaml",
        .line = 1,
        .snapshot = review.policies->snapshot,
        .trace = &review.trace,
        .outcome = &review.outcome,
        .failure = review.ok ? NULL : &review.failure,
        .is_changed = true,
        .query_text = field,
    };
    struct fx_query *query = NULL;
    struct fx_explanation explanation = {.input = {.object = NULL}};
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    bool ok = field == NULL || fx_query_parse(fx_text_of(field), &query, err);
    input.query = query;
    ok = ok && fx_explanation_make(&input, &explanation, err);
    if (ok && as_json) {
        fx_explanation_print_json(&buf, &explanation);
    } else if (ok) {
        fx_explanation_print_text(&buf, &explanation, true, true);
    }
    ok = ok && (!buf.failed || fx_fail_nomem(err));
    fx_buf_finish(&buf);
    fx_explanation_finish(&explanation);
    fx_query_destroy(query);
    return ok;
}

static void refuse_reports(const char *field, bool as_json, bool ever_after) {
    const long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        struct fx_err err = FX_ERR_INIT;
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const bool ok = report(field, as_json, &err);
        refused = refuse_stop();
        if (ok == refused) {
            fail_msg("allocation %ld, field %s, json %d", n, field == NULL ? "-" : field,
                     as_json);
        }
        assert_true(ok || err.code == FX_ENOMEM);
        assert_int_equal(refuse_live(), live);
    }
    assert_true(n > 20); /* it was tried at all */
}

static void test_reports(void **state) {
    (void)state;
    static const char *const fields[] = {NULL, "spec.containers[name: c].p",
                                         "/spec/turn"};
    assert_int_equal(review.failure.code, FX_ENOCONVERGE);
    assert_true(review.outcome.n_cycle_fields > 0);
    for (size_t i = 0; i < FX_COUNT(fields); i++) {
        refuse_reports(fields[i], false, false);
        refuse_reports(fields[i], false, true);
        refuse_reports(fields[i], true, false);
        refuse_reports(fields[i], true, true);
    }
}

int main(void) {
    refuse_install();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reports)};
    return cmocka_run_group_tests(tests, read_input, forget_input);
}
