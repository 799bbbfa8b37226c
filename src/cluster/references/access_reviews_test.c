/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/access_reviews_test.c - access reviews, and how long their answers
 * are kept.
 */
#include "kube/fake_api.h"

#include "base/limits.h"
#include "cluster/references/access_reviews.h"

#define PATH    "/apis/authorization.k8s.io/v1/subjectaccessreviews"
#define NS_IN_S UINT64_C(1000000000)

/* ---- the cache ------------------------------------------------------------------- */

static json_t *status_of(bool allowed) {
    json_t *status = json_pack("{s:b}", "allowed", allowed);
    assert_non_null(status);
    return status;
}

static void put(struct fx_access_cache *cache, const char *spec, bool allowed,
                uint64_t now_ns) {
    json_t *status = status_of(allowed);
    fx_access_cache_put(cache, fx_text_of(spec), status, now_ns);
    json_decref(status);
}

static bool has(const struct fx_access_cache *cache, const char *spec, uint64_t now_ns) {
    return fx_access_cache_find(cache, fx_text_of(spec), now_ns) != NULL;
}

static void answers_end(void **state) {
    (void)state;
    struct fx_access_cache cache = {0};
    put(&cache, "a", true, 1);
    put(&cache, "d", false, 1);
    assert_true(has(&cache, "a", 1) && has(&cache, "d", 1) && !has(&cache, "x", 1));
    assert_true(has(&cache, "d", 30 * NS_IN_S) && !has(&cache, "d", 30 * NS_IN_S + 1));
    assert_true(has(&cache, "a", 300 * NS_IN_S) && !has(&cache, "a", 300 * NS_IN_S + 1));
    put(&cache, "d", true, 40 * NS_IN_S); /* it was requested again */
    assert_int_equal(cache.n_items, 2);
    assert_true(has(&cache, "d", 330 * NS_IN_S));
    fx_access_cache_finish(&cache);
}

static void answers_are_bounded(void **state) {
    (void)state;
    struct fx_access_cache cache = {0};
    char spec[16];
    put(&cache, "first", false, 0);
    for (unsigned i = 0; i < FX_LIMIT_ACCESS_ANSWERS; i++) {
        (void)snprintf(spec, sizeof spec, "%u", i);
        put(&cache, spec, true, i);
    }
    assert_int_equal(cache.n_items, FX_LIMIT_ACCESS_ANSWERS);
    assert_false(has(&cache, "first", 0));
    assert_true(has(&cache, "0", 0) && has(&cache, spec, 0));
    fx_access_cache_finish(&cache);
}

/* ---- reviews --------------------------------------------------------------------- */

struct fixture {
    struct fake_api api;
    struct fx_kube_client *client;
    struct fx_access_reviews reviews;
    unsigned n_reports;
    json_t *status; /* of the last report; counted, or NULL */
    struct fx_err failure;
};

static void on_done(json_t *status_take, const struct fx_err *failure, void *user) {
    struct fixture *fixture = user;
    fixture->n_reports++;
    json_decref(fixture->status);
    fixture->status = status_take;
    fixture->failure = FX_ERR_INIT;
    if (failure != NULL) {
        fixture->failure = *failure;
    }
}

static void start(struct fixture *fixture) {
    *fixture = (struct fixture){.n_reports = 0};
    fake_start(&fixture->api);
    fixture->client = fake_client(&fixture->api);
    fx_access_reviews_init(&fixture->reviews, fixture->client);
}

static void finish(struct fixture *fixture) {
    json_decref(fixture->status);
    fx_access_reviews_finish(&fixture->reviews);
    fx_kube_client_close(fixture->client);
    fake_finish(&fixture->api);
}

static void request_review(struct fixture *fixture, const char *user, const char *verb) {
    json_t *spec =
        json_pack("{s:s,s:{s:s}}", "user", user, "resourceAttributes", "verb", verb);
    const unsigned before = fixture->n_reports;
    assert_non_null(spec);
    assert_true(fx_access_reviews_start(&fixture->reviews, spec, 0, on_done, fixture));
    json_decref(spec);
    FAKE_UNTIL(&fixture->api, fixture->n_reports > before);
    assert_int_equal(fixture->n_reports, before + 1);
}

static bool is_allowed(const struct fixture *fixture) {
    return json_is_true(fx_tree_view_key(fixture->status, "allowed"));
}

static void each_spec_is_asked_once(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    request_review(&fixture, "bob", "get");
    assert_true(is_allowed(&fixture));
    assert_non_null(strstr(fixture.api.writes.data,
                           "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":"
                           "\"SubjectAccessReview\",\"spec\":{\"user\":\"bob\","
                           "\"resourceAttributes\":{\"verb\":\"get\"}}}"));
    request_review(&fixture, "eve", "get");
    assert_false(is_allowed(&fixture));
    assert_non_null(fixture.status);
    request_review(&fixture, "bob", "get");
    assert_true(is_allowed(&fixture));
    request_review(&fixture, "bob", "delete");
    assert_int_equal(fake_count(&fixture.api.requests, "POST " PATH), 3);
    finish(&fixture);
}

static void failures_are_not_kept(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fixture.api.faults[0] =
        (struct fake_fault){.about = "POST " PATH, .status = 403, .times = 1};
    request_review(&fixture, "bob", "get");
    assert_null(fixture.status);
    assert_int_equal(fixture.failure.code, FX_EIO);
    assert_non_null(strstr(fixture.failure.msg,
                           "apiGroups [\"authorization.k8s.io\"], resources "
                           "[\"subjectaccessreviews\"], verbs [\"create\"]"));
    request_review(&fixture, "bob", "get");
    assert_true(is_allowed(&fixture));
    finish(&fixture);
}

static void reviews_can_be_cancelled(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fixture.api.faults[0] =
        (struct fake_fault){.about = "POST " PATH, .times = 1, .silent = true};
    json_t *spec = json_object();
    assert_true(fx_access_reviews_start(&fixture.reviews, spec, 0, on_done, &fixture));
    json_decref(spec);
    FAKE_UNTIL(&fixture.api, fixture.api.server.n_requests == 1);
    finish(&fixture);
    assert_int_equal(fixture.n_reports, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_end),
        cmocka_unit_test(answers_are_bounded),
        cmocka_unit_test(each_spec_is_asked_once),
        cmocka_unit_test(failures_are_not_kept),
        cmocka_unit_test(reviews_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
