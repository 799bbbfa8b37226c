/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/failure_test.c - reviews that go wrong: whose failure it is, and what it is
 * answered with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "admission/fakes.h"
#include "admission/review.h"
#include "admission/review_texts.h"
#include "admission/steps.h"
#include "base/clock.h"

static const struct fx_admission deny = {.on_error = FX_ON_ERROR_DENY};
static const struct fx_admission defer = {.on_error = FX_ON_ERROR_DEFER};
static const struct fx_admission allow = {.on_error = FX_ON_ERROR_ALLOW};

static bool count_up(const struct fx_request *request, json_t *root, struct fx_err *err,
                     bool *ret_changed) {
    (void)request;
    (void)err;
    json_t *spec = fx_tree_view_key(root, "spec");
    const json_int_t n = json_integer_value(fx_tree_view_key(spec, "n"));
    *ret_changed = true;
    return fx_tree_set_take(spec, FX_TEXT("n"), json_integer(n + 1));
}

/* Fails with the code that stands in the object. */
static bool break_down(const struct fx_request *request, json_t *root, struct fx_err *err,
                       bool *ret_changed) {
    (void)request;
    (void)ret_changed;
    const json_t *spec = fx_tree_view_key(root, "spec");
    const json_int_t code = json_integer_value(fx_tree_view_key(spec, "code"));
    return fx_fail(err, (enum fx_code)code, "words");
}

/* Sets metadata.labels.a to b. */
static bool set_label(const struct fx_request *request, json_t *root, struct fx_err *err,
                      bool *ret_changed) {
    (void)request;
    (void)err;
    json_t *metadata = fx_tree_view_key(root, "metadata");
    *ret_changed = fx_tree_view_key(metadata, "labels") == NULL;
    return !*ret_changed ||
           fx_tree_set_take(metadata, FX_TEXT("labels"), json_pack("{s:s}", "a", "b"));
}

static struct fx_snapshot *one(fake_edit *edit) {
    return fake_snapshot(&edit, 1);
}

/* The words of a failure, without the random name of the review in it. */
static void test_no_convergence(void **state) {
    (void)state;
    static const struct {
        const struct fx_admission *admission;
        unsigned status;
        const char *start, *end;
    } cases[] = {
        {&deny, 200, "'allowed':false,'status':{'message':'", "','code':500}}}"},
        {&allow, 200, "'allowed':true,'warnings':['", "']}}"},
        {&defer, 500, "", ""},
    };
    struct fx_snapshot *snapshot = one(count_up);
    char *request = with_quotes(REQUEST("'operation':'CREATE'," POD));
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_review *review =
            fx_review_create(cases[i].admission, snapshot, fx_text_of(request), 0);
        (void)fx_review_run(review);
        const struct fx_review_result *result = fx_review_result(review);
        assert_int_equal(result->status, cases[i].status);
        assert_int_equal(result->decision, FX_DECISION_FAILED);
        assert_int_equal(result->failure->code, FX_ENOCONVERGE);
        assert_int_equal(result->outcome->n_cycle, 1);
        assert_true(fx_text_is(result->outcome->cycle[0].path, "/spec/n"));
        char *start = with_quotes(cases[i].start);
        char *end = with_quotes(cases[i].end);
        const struct fx_text body = {result->body->data, result->body->len};
        assert_true(fx_text_contains(body, fx_text_of(start)));
        assert_true(fx_text_ends(body, fx_text_of(end)));
        assert_true(
            fx_text_contains(body, FX_TEXT("mutation not converging: mutation ")));
        assert_true(fx_text_contains(body, FX_TEXT(" not converging for  Pod  p")));
        free(start);
        free(end);
        fx_review_destroy(review);
    }
    free(request);
    fx_snapshot_unref(snapshot);
}

/* A policy's failure is a verdict; our own never is. */
static void test_whose_failure(void **state) {
    (void)state;
    static const struct {
        enum fx_code code;
        unsigned status;
        enum fx_decision decision;
    } cases[] = {
        {FX_EMUTATE, 200, FX_DECISION_FAILED},   {FX_EINVALID, 200, FX_DECISION_FAILED},
        {FX_ENOMEM, 503, FX_DECISION_BROKEN},    {FX_EDEADLINE, 503, FX_DECISION_BROKEN},
        {FX_EINTERNAL, 500, FX_DECISION_BROKEN},
    };
    struct fx_snapshot *snapshot = one(break_down);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        char *request =
            with_quotes(REQUEST("'operation':'CREATE','object':{'spec':{'code':_}}"));
        *strchr(request, '_') = (char)('0' + (int)cases[i].code);
        struct fx_review *review =
            fx_review_create(&deny, snapshot, fx_text_of(request), 0);
        (void)fx_review_run(review);
        const struct fx_review_result *result = fx_review_result(review);
        assert_int_equal(result->status, cases[i].status);
        assert_int_equal(result->decision, cases[i].decision);
        assert_int_equal(result->retry_after, cases[i].status == 503);
        fx_review_destroy(review);
        free(request);
    }
    fx_snapshot_unref(snapshot);
}

/* Over a bound of a review is said to be so, with any bound. */
static void test_bounds(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = one(set_label);
    char *request = with_quotes(REQUEST("'operation':'CREATE'," POD));
    unsigned statuses[600] = {0};
    for (size_t max = 1; max < 8000; max++) {
        struct fx_review *review =
            fx_review_create(&deny, snapshot, fx_text_of(request), 0);
        if (max % 2 == 0) {
            review->arena.max = max;
        } else {
            review->body.max = max / 8;
        }
        (void)fx_review_run(review);
        const struct fx_review_result *result = fx_review_result(review);
        assert_int_equal(result->patch != NULL, result->status == 200);
        assert_int_equal(result->failure == NULL, result->status == 200);
        statuses[result->status]++;
        fx_review_destroy(review);
    }
    assert_true(statuses[200] > 0 && statuses[413] > 0 && statuses[500] > 0);
    assert_int_equal(statuses[200] + statuses[413] + statuses[500] + statuses[503], 7999);
    free(request);
    fx_snapshot_unref(snapshot);
}

static const struct fx_external owner = {.provider = {"p", 1},
                                         .on_failure = FX_EXTERNAL_FAIL};

/* Asks who the owner is, always for the same. */
static bool ask(const struct fx_request *request, json_t *root, struct fx_err *err,
                bool *ret_changed) {
    json_t *spec = fx_tree_view_key(root, "spec");
    json_t *made = fx_placeholders_make(request->placeholders, &owner, FX_TEXT("k"));
    *ret_changed = made != NULL && fx_tree_view_key(spec, "owner") != made;
    if (made == NULL) {
        return fx_fail_nomem(err);
    }
    return fx_tree_set_take(spec, FX_TEXT("owner"), made) || fx_fail_nomem(err);
}

static struct fx_review *start_asking(const char *request, uint64_t deadline_ns) {
    static fake_edit *const edits[] = {ask};
    struct fx_resource *const provider = fake_provider("p");
    const struct fake_parts parts = {edits, 1, &provider, 1};
    struct fx_snapshot *snapshot = fake_snapshot_of(&parts);
    struct fx_review *review =
        fx_review_create(&deny, snapshot, fx_text_of(request), deadline_ns);
    assert_non_null(review);
    fx_snapshot_unref(snapshot);
    return review;
}

#define ANSWER                                                                        \
    FX_TEXT("{\"response\":{\"idempotent\":true,\"items\":[{\"key\":\"k\",\"value\":" \
            "\"v\"}]}}")

static void test_asking(void **state) {
    (void)state;
    uint64_t until = 1;
    char *request = with_quotes(REQUEST("'operation':'CREATE'," POD));
    struct fx_review *review = start_asking(request, 0);
    assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
    assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
    const struct fx_inputs *inputs = fx_review_inputs(review, &until);
    assert_int_equal(until, 0);
    assert_int_equal(inputs->n_entries, 1);
    fx_external_give(inputs->first, ANSWER);
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    assert_int_equal(fx_review_result(review)->decision, FX_DECISION_MUTATED);
    assert_int_equal(strlen(fx_review_result(review)->mutation_id), FX_UUID_SIZE - 1);
    fx_review_destroy(review);

    review = start_asking(request, 0);
    assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
    fx_external_fail(fake_awaited(review), "no route");
    assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    const struct fx_review_result *result = fx_review_result(review);
    assert_int_equal(result->decision, FX_DECISION_FAILED);
    assert_string_equal(result->failure->msg,
                        "failed to resolve external data placeholders: failed to send "
                        "external data request to provider p: no route");
    fx_review_destroy(review);

    review = start_asking(request, 0); /* and one that is given up */
    assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
    fx_review_destroy(review);
    free(request);
}

/* A tenth of the time is left for the answer; after it there is none. */
static void test_asking_in_time(void **state) {
    (void)state;
    uint64_t until = 0;
    char *request = with_quotes(REQUEST("'operation':'CREATE'," POD));
    const uint64_t before = fx_clock_ns();
    const uint64_t deadline = before + UINT64_C(100000000000);
    struct fx_review *review = start_asking(request, deadline);
    assert_int_equal(fx_review_run(review), FX_REVIEW_WANTS_INPUTS);
    (void)fx_review_inputs(review, &until);
    assert_true(until >= deadline - UINT64_C(10000000000));
    assert_true(until <= deadline - UINT64_C(9000000000));
    fx_review_destroy(review);

    review = start_asking(request, fx_clock_ns() + UINT64_C(50000000));
    if (fx_review_run(review) == FX_REVIEW_WANTS_INPUTS) { /* else the machine was slow */
        fx_external_fail(fake_awaited(review), "late");
        review->budget.bound.deadline_ns = 1;
        assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
    }
    assert_int_equal(fx_review_result(review)->status, 503);
    assert_int_equal(fx_review_result(review)->failure->code, FX_EDEADLINE);
    fx_review_destroy(review);
    free(request);
}

/* With any bound of the scratch memory, while providers are asked. */
static void test_asking_without_memory(void **state) {
    (void)state;
    unsigned statuses[600] = {0};
    char *request = with_quotes(REQUEST("'operation':'CREATE'," POD));
    for (size_t max = 1; max < 4000; max++) {
        struct fx_review *review = start_asking(request, 0);
        review->arena.max = max;
        if (fx_review_run(review) == FX_REVIEW_WANTS_INPUTS) {
            fx_external_fail(fake_awaited(review), "no route");
            assert_int_equal(fx_review_run(review), FX_REVIEW_DONE);
        }
        statuses[fx_review_result(review)->status]++;
        fx_review_destroy(review);
    }
    assert_true(statuses[200] > 0 && statuses[413] > 0);
    assert_int_equal(statuses[200] + statuses[413] + statuses[503], 3999);
    free(request);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_convergence),
        cmocka_unit_test(test_whose_failure),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_asking),
        cmocka_unit_test(test_asking_in_time),
        cmocka_unit_test(test_asking_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
