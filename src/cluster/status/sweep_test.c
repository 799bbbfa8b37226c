/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_test.c - replicas that come and go, and what stays of them.
 */
#include "cluster/policies/policies_fixture.h"

#include "cluster/status/status_internal.h"
#include "cluster/status/sweep.h"

static const struct fx_sweep_times fast = {
    .round_ms = 60,
    .again_ms = 30,
    .wait_ms = 10,
    .write_ms = 2,
    .foreign_ms = 3600000,
    .rest_ms = 3600000,
};

#define POD(name) "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\"}}"
#define ENTRY(id) "{\"id\":\"" id "\",\"enforced\":true}"
#define OWNS(id)                                                                  \
    "{\"manager\":\"fixpoint-" id "\",\"operation\":\"Apply\",\"subresource\":"   \
    "\"status\",\"fieldsV1\":{\"f:status\":{\"f:byPod\":{\"k:{\\\"id\\\":\\\"" id \
    "\\\"}\":{}}}}}"
#define MANAGED(entries) ",\"managedFields\":[" entries "]"

#define SIBLING    "fixpoint-5c8f7b6d9-zzzzz"
#define GATEKEEPER "gatekeeper-audit-7d4b9c6f5-x2x4q"

static void put_pod(struct fixture *fixture, const char *name) {
    char path[300];
    char text[300];
    (void)snprintf(path, sizeof path, PODS "/%s", name);
    (void)snprintf(text, sizeof text, POD("%s"), name);
    fake_put(&fixture->api, path, text);
}

/* Three keyed entries and a foreign one. */
static void put_keyed(struct fixture *fixture, const char *name) {
    char path[300];
    char text[3000];
    (void)snprintf(path, sizeof path, ASSIGNS "/%s", name);
    (void)snprintf(text, sizeof text,
                   ASSIGN("%s",
                          MANAGED(OWNS(OWN_POD) "," OWNS(SIBLING) "," OWNS("other")),
                          "spec.x", "1",
                          BY_POD(ENTRY(OWN_POD) "," ENTRY(SIBLING) "," ENTRY(
                              GATEKEEPER) "," ENTRY("other"))),
                   name);
    fake_put(&fixture->api, path, text);
}

static struct fx_cluster_sweep *start_sweep(struct fixture *fixture) {
    struct fx_err err = FX_ERR_INIT;
    fixture_read(fixture);
    struct fx_cluster_sweep *sweep =
        fx_cluster_sweep_create(&fixture->api.server.loop, fixture->client,
                                &fixture->identity, fixture->policies, &err);
    assert_non_null(sweep);
    fx_cluster_sweep_set_times(sweep, &fast);
    return sweep;
}

static size_t n_looks(const struct fixture *fixture) {
    return fake_count(&fixture->api.requests, "GET " PODS "?");
}

/* Until so many more rounds have begun. */
static void pass_rounds(struct fixture *fixture, size_t n) {
    const size_t before = n_looks(fixture);
    FAKE_UNTIL(&fixture->api, n_looks(fixture) >= before + n);
}

/* No Pod is gone; one goes, and its entries are removed in the second pass; then the
 * mutators are not listed any more. */
static void a_replica_goes(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_collect(&fixture.api, PODS);
    put_pod(&fixture, OWN_POD);
    put_pod(&fixture, SIBLING);
    put_pod(&fixture, "other");
    put_keyed(&fixture, "a");
    struct fx_cluster_sweep *sweep = start_sweep(&fixture);
    const size_t n_lists = fake_count(&fixture.api.requests, "GET " ASSIGNS "?limit");
    fake_run_for(&fixture.api, 30);
    assert_int_equal(n_looks(&fixture), 0); /* it is not on */

    fx_cluster_sweep_set_leader(sweep, true);
    fx_cluster_sweep_set_leader(sweep, true);
    pass_rounds(&fixture, 3);
    assert_int_equal(fake_count(&fixture.api.requests, "GET " ASSIGNS "?limit"),
                     n_lists + 1);
    assert_int_equal(fixture.api.writes.len, 0);

    fake_delete(&fixture.api, PODS "/" SIBLING);
    FAKE_UNTIL(&fixture.api, fixture.api.writes.len > 0);
    assert_true(n_looks(&fixture) >= 5);
    assert_string_equal(fixture_ids(&fixture, ASSIGNS "/a"),
                        OWN_POD " " GATEKEEPER " other");
    assert_string_equal(fixture.api.writes.data,
                        "PATCH " ASSIGNS "/a/status fixpoint-" SIBLING
                        " {\"apiVersion\":\"mutations.gatekeeper.sh/v1\",\"kind\":"
                        "\"Assign\",\"metadata\":{\"name\":\"a\",\"uid\":\"uid-4\"}}\n");
    pass_rounds(&fixture, 3);
    const size_t n_then = fake_count(&fixture.api.requests, "GET " ASSIGNS "?limit");
    pass_rounds(&fixture, 2);
    assert_int_equal(fake_count(&fixture.api.requests, "GET " ASSIGNS "?limit"), n_then);
    assert_int_equal(fake_count(&fixture.api.writes, "P"), 1);
    fx_cluster_sweep_set_leader(sweep, false);
    const size_t n_end = n_looks(&fixture);
    fake_run_for(&fixture.api, 200);
    assert_int_equal(n_looks(&fixture), n_end);
    fx_cluster_sweep_close(sweep);
    fixture_finish(&fixture);
}

/* A Pod that is younger than the list of Pods is none that is gone. */
static void a_replica_comes(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_collect(&fixture.api, PODS);
    put_pod(&fixture, OWN_POD);
    put_pod(&fixture, "other");
    put_keyed(&fixture, "a");
    struct fx_cluster_sweep *sweep = start_sweep(&fixture);
    fx_cluster_sweep_set_leader(sweep, true);
    pass_rounds(&fixture, 1);
    FAKE_UNTIL(&fixture.api,
               fake_count(&fixture.api.requests, "GET " ASSIGNS "?limit") == 2);
    put_pod(&fixture, SIBLING);
    pass_rounds(&fixture, 4);
    assert_int_equal(fixture.api.writes.len, 0);
    fx_cluster_sweep_close(sweep);
    fixture_finish(&fixture);
}

/* Without managed fields of a list with keys the list is written as a whole: only what is
 * surely of our Deployment goes. */
static void an_atomic_list(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_collect(&fixture.api, PODS);
    put_pod(&fixture, OWN_POD);
    fake_put(&fixture.api, ASSIGNS "/a",
             ASSIGN("a", "", "spec.x", "1",
                    BY_POD(ENTRY("fixpoint-1-a") "," ENTRY(OWN_POD) "," ENTRY(
                        SIBLING) "," ENTRY(GATEKEEPER) "," ENTRY("other"))));
    struct fx_cluster_sweep *sweep = start_sweep(&fixture);
    fx_cluster_sweep_set_leader(sweep, true);
    fixture.api.faults[0] = (struct fake_fault){"PUT", 409, 1, false};
    FAKE_UNTIL(&fixture.api, strcmp(fixture_ids(&fixture, ASSIGNS "/a"),
                                    OWN_POD " " GATEKEEPER " other") == 0);
    assert_int_equal(
        fake_count(&fixture.api.writes, "PUT " ASSIGNS "/a/status fixpoint-" OWN_POD " "),
        1);
    pass_rounds(&fixture, 3);
    assert_int_equal(fake_count(&fixture.api.writes, "P"), 1);
    fx_cluster_sweep_close(sweep);
    fixture_finish(&fixture);
}

/* As with a manager that gives up the last entry of a list that another manager
 * owns. */
static void what_cannot_be_given_up_is_dropped(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_collect(&fixture.api, PODS);
    put_pod(&fixture, OWN_POD);
    put_pod(&fixture, "other");
    put_keyed(&fixture, "a");
    struct fx_cluster_sweep *sweep = start_sweep(&fixture);
    fx_cluster_sweep_set_leader(sweep, true);
    fixture.api.faults[0] = (struct fake_fault){"PATCH", 422, 1, false};
    FAKE_UNTIL(&fixture.api, strcmp(fixture_ids(&fixture, ASSIGNS "/a"),
                                    OWN_POD " " GATEKEEPER " other") == 0);
    assert_int_equal(
        fake_count(&fixture.api.writes, "PUT " ASSIGNS "/a/status fixpoint-" OWN_POD " "),
        1);
    pass_rounds(&fixture, 3);
    assert_int_equal(fake_count(&fixture.api.writes, "P"), 1);
    fx_cluster_sweep_close(sweep);
    fixture_finish(&fixture);
}

static const struct fx_sweep_times soon = {
    .round_ms = 40,
    .again_ms = 20,
    .wait_ms = 10,
    .write_ms = 2,
    .foreign_ms = 300,
    .rest_ms = 3600000,
};

/* What Gatekeeper has left: whose list it is makes no difference. */
static void a_stranger_is_waited_for(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_collect(&fixture.api, PODS);
    put_pod(&fixture, OWN_POD);
    put_pod(&fixture, SIBLING);
    put_pod(&fixture, "other");
    put_keyed(&fixture, "a");
    fake_put(&fixture.api, ASSIGNS "/b",
             ASSIGN("b", "", "spec.x", "1", BY_POD(ENTRY(GATEKEEPER))));
    struct fx_cluster_sweep *sweep = start_sweep(&fixture);
    fx_cluster_sweep_set_times(sweep, &soon);
    const uint64_t before_ns = fx_clock_ns();
    fx_cluster_sweep_set_leader(sweep, true);
    FAKE_UNTIL(&fixture.api, fake_count(&fixture.api.writes, "PUT") == 2);
    assert_true(fx_clock_ns() - before_ns >= soon.foreign_ms * 1000000);
    assert_string_equal(fixture_ids(&fixture, ASSIGNS "/a"),
                        OWN_POD " " SIBLING " other");
    assert_string_equal(fixture_ids(&fixture, ASSIGNS "/b"), "");
    pass_rounds(&fixture, 3);
    assert_int_equal(fx_cluster_sweep_count_foreign(sweep), 0);
    const size_t n_lists = fake_count(&fixture.api.requests, "GET " ASSIGNS "?limit");
    pass_rounds(&fixture, 2);
    assert_int_equal(fake_count(&fixture.api.requests, "GET " ASSIGNS "?limit"), n_lists);
    assert_int_equal(fake_count(&fixture.api.writes, "P"), 2);
    fx_cluster_sweep_close(sweep);
    fixture_finish(&fixture);
}

/* Another client writes it anew each time: after some tries it is left alone. */
static void a_stranger_comes_back(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_collect(&fixture.api, PODS);
    put_pod(&fixture, OWN_POD);
    struct fx_cluster_sweep *sweep = start_sweep(&fixture);
    fx_cluster_sweep_set_times(sweep, &soon);
    fake_put(&fixture.api, ASSIGNS "/a",
             ASSIGN("a", "", "spec.x", "1", BY_POD(ENTRY(GATEKEEPER))));
    fx_cluster_sweep_set_leader(sweep, true);
    for (size_t i = 1; i <= FX_SWEEP_TRIES - 1; i++) {
        FAKE_UNTIL(&fixture.api, fake_count(&fixture.api.writes, "PUT") == i);
        fake_put(&fixture.api, ASSIGNS "/a",
                 ASSIGN("a", "", "spec.x", "1", BY_POD(ENTRY(GATEKEEPER))));
    }
    pass_rounds(&fixture, 6);
    assert_int_equal(fake_count(&fixture.api.writes, "PUT"), FX_SWEEP_TRIES - 1);
    assert_string_equal(fixture_ids(&fixture, ASSIGNS "/a"), GATEKEEPER);
    assert_int_equal(fx_cluster_sweep_count_foreign(sweep), 1);
    fx_cluster_sweep_close(sweep);
    fixture_finish(&fixture);
}

/* More than a page of them, and more than one round can write. */
static void many_mutators(void **state) {
    (void)state;
    struct fixture fixture;
    char name[20];
    fixture_start(&fixture);
    fake_collect(&fixture.api, PODS);
    put_pod(&fixture, OWN_POD);
    put_pod(&fixture, "other");
    for (unsigned i = 0; i < 600; i++) {
        (void)snprintf(name, sizeof name, "m%03u", i);
        put_keyed(&fixture, name);
    }
    struct fx_cluster_sweep *sweep = start_sweep(&fixture);
    fx_cluster_sweep_set_leader(sweep, true);
    FAKE_UNTIL(&fixture.api, fake_count(&fixture.api.writes, "PATCH") == 600);
    pass_rounds(&fixture, 3);
    assert_int_equal(fake_count(&fixture.api.writes, "PATCH"), 600);
    assert_string_equal(fixture_ids(&fixture, ASSIGNS "/m599"),
                        OWN_POD " " GATEKEEPER " other");
    fx_cluster_sweep_close(sweep);
    fixture_finish(&fixture);
}

/* What cannot be known is not swept: the Pods may not be listed, or we are none of them;
 * and what fails is tried again. */
static void when_the_server_fails(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_collect(&fixture.api, PODS);
    put_pod(&fixture, "other");
    put_keyed(&fixture, "a");
    struct fx_cluster_sweep *sweep = start_sweep(&fixture);
    fx_cluster_sweep_set_leader(sweep, true);
    pass_rounds(&fixture, 4);
    assert_int_equal(fake_count(&fixture.api.requests, "GET " ASSIGNS "?limit"), 1);
    put_pod(&fixture, OWN_POD);
    fixture.api.faults[0] = (struct fake_fault){"GET " PODS, 403, 3, false};
    fixture.api.faults[1] = (struct fake_fault){"GET " ASSIGNS "?limit", 500, 2, false};
    fixture.api.faults[2] = (struct fake_fault){"PATCH", 500, 2, false};
    FAKE_UNTIL(&fixture.api, fake_count(&fixture.api.writes, "PATCH") == 1);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fixture.api.faults[i].times, 0);
    }
    assert_string_equal(fixture_ids(&fixture, ASSIGNS "/a"),
                        OWN_POD " " GATEKEEPER " other");
    fx_cluster_sweep_close(sweep);
    fixture_finish(&fixture);
}

/* Endless pages are not requested for ever: the round ends, and the next one starts
 * later. */
static void expect_an_end(struct fixture *fixture, const char *about, size_t before) {
    fixture->api.endless = true;
    FAKE_UNTIL(&fixture->api, fake_count(&fixture->api.requests, about) >= before + 65);
    fake_run_for(&fixture->api, 100);
    assert_int_equal(fake_count(&fixture->api.requests, about), before + 65);
}

static struct fx_cluster_sweep *start_slow_sweep(struct fixture *fixture) {
    fixture_start(fixture);
    fake_collect(&fixture->api, PODS);
    put_pod(fixture, OWN_POD);
    put_keyed(fixture, "a");
    struct fx_cluster_sweep *sweep = start_sweep(fixture);
    fx_cluster_sweep_set_times(
        sweep, &(struct fx_sweep_times){60000, 60000, 10, 2, 60000, 60000});
    fx_cluster_sweep_set_leader(sweep, true);
    return sweep;
}

static void pods_without_end(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_cluster_sweep *sweep = start_slow_sweep(&fixture);
    expect_an_end(&fixture, "GET " PODS "?", 0);
    fx_cluster_sweep_close(sweep);
    fixture_finish(&fixture);
}

static void mutators_without_end(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_cluster_sweep *sweep = start_slow_sweep(&fixture);
    const size_t before = fake_count(&fixture.api.requests, "GET " ASSIGNS "?limit");
    FAKE_UNTIL(&fixture.api, n_looks(&fixture) == 1);
    expect_an_end(&fixture, "GET " ASSIGNS "?limit", before);
    fx_cluster_sweep_close(sweep);
    fixture_finish(&fixture);
}

static void closed_at_any_time(void **state) {
    (void)state;
    for (uint64_t ms = 0; ms < 24; ms += 2) {
        struct fixture fixture;
        fixture_start(&fixture);
        fake_collect(&fixture.api, PODS);
        put_pod(&fixture, OWN_POD);
        put_keyed(&fixture, "a");
        struct fx_cluster_sweep *sweep = start_sweep(&fixture);
        fx_cluster_sweep_set_times(sweep, &(struct fx_sweep_times){2, 1, 1, 1, 2, 2});
        fx_cluster_sweep_set_leader(sweep, true);
        fake_run_for(&fixture.api, ms);
        fx_cluster_sweep_close(sweep);
        fixture_finish(&fixture);
    }
    fx_cluster_sweep_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replica_goes),
        cmocka_unit_test(a_replica_comes),
        cmocka_unit_test(an_atomic_list),
        cmocka_unit_test(many_mutators),
        cmocka_unit_test(when_the_server_fails),
        cmocka_unit_test(closed_at_any_time),
        cmocka_unit_test(pods_without_end),
        cmocka_unit_test(mutators_without_end),
        cmocka_unit_test(what_cannot_be_given_up_is_dropped),
        cmocka_unit_test(a_stranger_is_waited_for),
        cmocka_unit_test(a_stranger_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
