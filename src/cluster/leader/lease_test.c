/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease_test.c - real candidates, in a hurry, at an API server that is
 * there, or not.
 */
#include "kube/fake_api.h"

#include "cluster/leader/lease.h"

#define LEASES "/apis/coordination.k8s.io/v1/namespaces/ns/leases"
#define LEASE  LEASES "/fixpoint"
#define MS     UINT64_C(1000000)

static const struct fx_lease_times fast = {
    .duration_s = 1,
    .held_ns = 900 * MS,
    .renew_ns = 100 * MS,
    .retry_ns = 50 * MS,
    .call_timeout_ms = 300,
};

struct candidate {
    struct fx_kube_client *client;
    struct fx_cluster_lease *lease;
    unsigned n_won, n_lost;
};

static void on_change(bool held, void *user) {
    struct candidate *candidate = user;
    assert_int_equal(fx_cluster_lease_held(candidate->lease), held);
    candidate->n_won += held ? 1 : 0;
    candidate->n_lost += held ? 0 : 1;
    assert_in_range(candidate->n_won - candidate->n_lost, 0, 1);
}

static void candidate_start(struct candidate *candidate, struct fake_api *api,
                            const char *pod) {
    struct fx_err err = FX_ERR_INIT;
    const struct fx_cluster_lease_options options = {
        .pod = pod, .namespace_ = "ns", .name = "fixpoint"};
    *candidate = (struct candidate){.client = fake_client(api)};
    candidate->lease = fx_cluster_lease_create(&api->server.loop, candidate->client,
                                               &options, on_change, candidate, &err);
    assert_non_null(candidate->lease);
    fx_cluster_lease_set_times(candidate->lease, &fast);
    assert_false(fx_cluster_lease_held(candidate->lease));
}

static void candidate_end(struct candidate *candidate) {
    fx_cluster_lease_close(candidate->lease);
    fx_kube_client_close(candidate->client);
    *candidate = (struct candidate){0};
}

static const char *spec_text(const struct fake_api *api, const char *key) {
    return json_string_value(
        fx_tree_view_key(fx_tree_view_key(fake_view(api, LEASE), "spec"), key));
}

static bool is_holder(const struct fake_api *api, const char *pod) {
    return fx_text_starts(fx_text_of(spec_text(api, "holderIdentity")), fx_text_of(pod));
}

static json_int_t transitions(const struct fake_api *api) {
    return json_integer_value(fx_tree_view_key(
        fx_tree_view_key(fake_view(api, LEASE), "spec"), "leaseTransitions"));
}

/* The first candidate creates the Lease and keeps it; when it releases it, the second has
 * it at once; when the second ends without a release, the third waits. */
static void from_one_to_the_next(void **state) {
    (void)state;
    struct fake_api api;
    struct candidate a;
    struct candidate b;
    struct candidate c;
    fake_start(&api);
    candidate_start(&a, &api, "a");
    FAKE_UNTIL(&api, a.n_won == 1);
    assert_true(is_holder(&api, "a_"));
    assert_int_equal(strlen(spec_text(&api, "renewTime")),
                     strlen("2026-11-21T10:02:33.123456Z"));
    assert_int_equal(fake_count(&api.writes, "POST " LEASES " fixpoint "), 1);
    candidate_start(&b, &api, "b");
    fake_run_for(&api, 1300);
    assert_int_equal(a.n_lost + b.n_won, 0);
    assert_in_range(fake_count(&api.writes, "PATCH " LEASE " fixpoint "), 2, 14);
    assert_int_equal(transitions(&api), 0);

    fx_cluster_lease_release(a.lease);
    fx_cluster_lease_release(a.lease);
    assert_false(fx_cluster_lease_held(a.lease));
    FAKE_UNTIL(&api, b.n_won == 1);
    assert_true(is_holder(&api, "b_"));
    assert_int_equal(transitions(&api), 1);
    assert_int_equal(a.n_lost, 0); /* the candidate that releases it knows */

    candidate_start(&c, &api, "c");
    fake_run_for(&api, 150);
    candidate_end(&b);
    const uint64_t gone_ms = fake_now_ms();
    FAKE_UNTIL(&api, c.n_won == 1);
    assert_true(fake_now_ms() - gone_ms > 700);
    assert_int_equal(transitions(&api), 2);
    candidate_end(&a);
    candidate_end(&c);
    fake_finish(&api);
}

/* Refused, broken or silent: after a while it is not held, and then it is again. */
static void when_the_server_fails(void **state) {
    (void)state;
    static const struct fake_fault faults[] = {{"", 500, 1000, false},
                                               {"", 403, 1000, false},
                                               {"", 0, 1000, true},
                                               {"PATCH", 409, 1000, false}};
    for (size_t i = 0; i < FX_COUNT(faults); i++) {
        struct fake_api api;
        struct candidate a;
        fake_start(&api);
        candidate_start(&a, &api, "a");
        FAKE_UNTIL(&api, a.n_won == 1);
        api.faults[0] = faults[i];
        const uint64_t start_ms = fake_now_ms();
        FAKE_UNTIL(&api, a.n_lost == 1);
        assert_true(fake_now_ms() - start_ms > 700);
        assert_false(fx_cluster_lease_held(a.lease));
        api.faults[0].times = 0;
        FAKE_UNTIL(&api, a.n_won == 2);
        assert_int_equal(transitions(&api), 0); /* no other candidate held it */
        candidate_end(&a);
        fake_finish(&api);
    }
}

/* Somebody changes the Lease behind our back: its annotations, its holder, all of it. */
static void when_somebody_meddles(void **state) {
    (void)state;
    struct fake_api api;
    struct candidate a;
    fake_start(&api);
    candidate_start(&a, &api, "a");
    FAKE_UNTIL(&api, a.n_won == 1);
    json_t *edited = json_deep_copy(fake_view(&api, LEASE));
    assert_int_equal(json_object_set_new(json_object_get(edited, "metadata"),
                                         "annotations", json_pack("{s:s}", "x", "y")),
                     0);
    fake_store(&api, LEASE, edited);
    fake_run_for(&api, 1000);
    assert_int_equal(a.n_lost, 0);
    fake_delete(&api, LEASE);
    fake_run_for(&api, 1000);
    assert_int_equal(a.n_lost, 0);
    assert_true(is_holder(&api, "a_"));
    fake_put(
        &api, LEASE,
        "{\"metadata\":{\"name\":\"fixpoint\"},\"spec\":{\"holderIdentity\":\"x\"}}");
    FAKE_UNTIL(&api, a.n_lost == 1);
    assert_true(is_holder(&api, "x"));
    FAKE_UNTIL(&api, a.n_won == 2);
    candidate_end(&a);
    fake_finish(&api);
}

/* A renewal is under way when it is given back: it must not come after. */
static void given_back_in_the_middle(void **state) {
    (void)state;
    struct fake_api api;
    struct candidate a;
    fake_start(&api);
    candidate_start(&a, &api, "a");
    FAKE_UNTIL(&api, a.n_won == 1);
    const size_t n = api.server.n_requests;
    FAKE_UNTIL(&api, api.server.n_requests > n); /* its answer is not there yet */
    fx_cluster_lease_release(a.lease);
    FAKE_UNTIL(&api, spec_text(&api, "holderIdentity") == NULL);
    const size_t n_then = api.server.n_requests;
    fake_run_for(&api, 400);
    assert_int_equal(api.server.n_requests, n_then);
    candidate_end(&a);
    fake_finish(&api);
}

static void closed_at_any_time(void **state) {
    (void)state;
    for (uint64_t ms = 0; ms < 12; ms++) {
        struct fake_api api;
        struct candidate a;
        fake_start(&api);
        candidate_start(&a, &api, "a");
        fake_run_for(&api, ms);
        if (ms % 2 == 1) {
            fx_cluster_lease_release(a.lease);
        }
        candidate_end(&a);
        fake_finish(&api);
    }
    fx_cluster_lease_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_one_to_the_next),
        cmocka_unit_test(when_the_server_fails),
        cmocka_unit_test(when_somebody_meddles),
        cmocka_unit_test(given_back_in_the_middle),
        cmocka_unit_test(closed_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
