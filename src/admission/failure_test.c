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

static const struct fx_admission deny = {FX_ON_ERROR_DENY, false, NULL, NULL, NULL};
static const struct fx_admission defer = {FX_ON_ERROR_DEFER, false, NULL, NULL, NULL};
static const struct fx_admission allow = {FX_ON_ERROR_ALLOW, false, NULL, NULL, NULL};

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_convergence),
        cmocka_unit_test(test_whose_failure),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
