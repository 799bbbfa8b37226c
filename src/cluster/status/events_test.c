/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/events_test.c - Events about invalid mutators.
 */
#include "cluster/policies/policies_fixture.h"

#include "cluster/status/events.h"

#define EVENTS "/api/v1/namespaces/default/events"
#define BAD(name, uid) \
    ASSIGN(name, ",\"uid\":\"" uid "\"", "metadata.name", "1", "") /* not allowed */

static void on_built(struct fixture *fixture, struct fx_policies *built) {
    fx_cluster_events_compare_all(fixture->user, built);
}

/* The fixture has its policies; Events are not on yet. */
static struct fx_cluster_events *start_events(struct fixture *fixture) {
    struct fx_err err = FX_ERR_INIT;
    fixture_read(fixture);
    struct fx_cluster_events *events =
        fx_cluster_events_create(&fixture->api.server.loop, fixture->client,
                                 &fixture->identity, fixture->policies, &err);
    assert_non_null(events);
    fx_cluster_events_set_delay(events, 5);
    fixture->user = events;
    fixture->on_built = on_built;
    struct fx_policies *built = fx_policies_ref(fixture->built);
    fx_cluster_events_compare_all(events, built);
    fx_policies_unref(built);
    return events;
}

static void end(struct fixture *fixture, struct fx_cluster_events *events) {
    fx_cluster_events_close(events);
    fixture->on_built = NULL;
    fixture_finish(fixture);
}

static struct fx_cluster_event_counts counts_of(const struct fx_cluster_events *events) {
    struct fx_cluster_event_counts counts;
    fx_cluster_events_get_counts(events, &counts);
    return counts;
}

static size_t n_created(const struct fixture *fixture) {
    return fake_count(&fixture->api.writes, "POST " EVENTS " fixpoint ");
}

static void await_builds(struct fixture *fixture, unsigned n) {
    const unsigned before = fixture->n_builds;
    FAKE_UNTIL(&fixture->api, fixture->n_builds >= before + n);
    fake_run_for(&fixture->api, 30);
}

static void what_is_wrong_is_told_once(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_put(&fixture.api, ASSIGNS "/good", ASSIGN("good", "", "spec.x", "1", ""));
    fake_put(&fixture.api, ASSIGNS "/bad", BAD("bad", "u-1"));
    fake_put(&fixture.api, ASSIGNS "/list",
             ASSIGN("list", "", "spec.c[name: x].y", "1", ""));
    fake_put(&fixture.api, ASSIGNS "/object", ASSIGN("object", "", "spec.c.y", "1", ""));
    struct fx_cluster_events *events = start_events(&fixture);
    fake_run_for(&fixture.api, 30);
    assert_int_equal(fixture.api.writes.len, 0); /* they are not on */
    fx_cluster_events_set_leader(events, true);
    FAKE_UNTIL(&fixture.api, counts_of(events).written == 3);
    assert_int_equal(n_created(&fixture), 3);
    assert_int_equal(fake_count(&fixture.api.writes, "P"), 3);
    assert_non_null(strstr(fixture.api.writes.data, "\"name\":\"bad\",\"uid\":\"u-1\"},"
                                                    "\"type\":\"Warning\",\"reason\":"
                                                    "\"Invalid\",\"message\":\""));
    assert_non_null(strstr(fixture.api.writes.data,
                           "\"reason\":\"Conflicting\",\"message\":\"the following "
                           "mutators have conflicting schemas: ["));

    /* Another build in which the same is wrong. */
    fake_put(&fixture.api, ASSIGNS "/good", ASSIGN("good", "", "spec.y", "1", ""));
    await_builds(&fixture, 1);
    assert_int_equal(n_created(&fixture), 3);

    /* It is mended, and then wrong in another way, and then in the first way again. */
    fake_delete(&fixture.api, ASSIGNS "/bad");
    await_builds(&fixture, 1);
    fake_put(&fixture.api, ASSIGNS "/bad",
             ASSIGN("bad", ",\"uid\":\"u-1\"", "spec.[", "1", ""));
    FAKE_UNTIL(&fixture.api, counts_of(events).written == 4);
    fake_put(&fixture.api, ASSIGNS "/bad", BAD("bad", "u-1"));
    FAKE_UNTIL(&fixture.api,
               fake_count(&fixture.api.requests, "GET " EVENTS "/bad.") == 1);
    fake_run_for(&fixture.api, 30);
    assert_int_equal(n_created(&fixture), 5); /* it is there, and not old */
    assert_int_equal(fake_count(&fixture.api.writes, "PATCH"), 0);
    assert_int_equal(counts_of(events).written, 4);
    assert_int_equal(counts_of(events).failed + counts_of(events).dropped, 0);
    end(&fixture, events);
}

/* As after a restart an hour later. */
static void an_old_one_counts_up(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_put(&fixture.api, ASSIGNS "/bad", BAD("bad", "u-1"));
    struct fx_cluster_events *events = start_events(&fixture);
    fx_cluster_events_set_leader(events, true);
    FAKE_UNTIL(&fixture.api, counts_of(events).written == 1);
    const char *path = NULL;
    json_t *object = NULL;
    json_object_foreach (fixture.api.objects, path, object) {
        if (strncmp(path, EVENTS, strlen(EVENTS)) == 0) {
            assert_int_equal(json_object_set_new(object, "lastTimestamp",
                                                 json_string("2020-01-01T00:00:00Z")),
                             0);
            break;
        }
    }
    assert_non_null(object);
    fx_cluster_events_set_leader(events, false);
    fx_cluster_events_set_leader(events, true);
    FAKE_UNTIL(&fixture.api, counts_of(events).written == 2);
    assert_int_equal(
        json_integer_value(json_object_get(fake_view(&fixture.api, path), "count")), 2);
    assert_string_not_equal(json_string_value(json_object_get(
                                fake_view(&fixture.api, path), "lastTimestamp")),
                            "2020-01-01T00:00:00Z");
    fx_cluster_events_set_leader(events, false);
    fx_cluster_events_set_leader(events, true);
    FAKE_UNTIL(&fixture.api, fake_count(&fixture.api.requests, "GET " EVENTS) == 2);
    fake_run_for(&fixture.api, 30);
    assert_int_equal(counts_of(events).written, 2);
    end(&fixture, events);
}

static void too_many(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    for (unsigned i = 0; i < 200; i++) {
        char path[100];
        char text[1000];
        (void)snprintf(path, sizeof path, ASSIGNS "/bad-%03u", i);
        (void)snprintf(text, sizeof text, BAD("bad-%03u", "u-%u"), i, i);
        fake_put(&fixture.api, path, text);
    }
    struct fx_cluster_events *events = start_events(&fixture);
    fx_cluster_events_set_leader(events, true);
    FAKE_UNTIL(&fixture.api,
               counts_of(events).written >= 25 &&
                   counts_of(events).written + counts_of(events).dropped == 200);
    assert_in_range(counts_of(events).written, 25, 29);
    assert_int_equal(counts_of(events).failed, 0);
    end(&fixture, events);
}

/* What passes is tried again, what does not is not. */
static void when_the_server_fails(void **state) {
    (void)state;
    static const struct {
        unsigned status, times, requests;
        uint64_t written, failed;
    } cases[] = {
        {500, 3, 4, 1, 0}, {500, 9, 4, 0, 1}, {503, 1, 2, 1, 0},
        {403, 1, 1, 0, 1}, {422, 1, 1, 0, 1}, {409, 1, 1, 0, 0},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fixture fixture;
        fixture_start(&fixture);
        fake_put(&fixture.api, ASSIGNS "/bad", BAD("bad", "u-1"));
        struct fx_cluster_events *events = start_events(&fixture);
        fixture.api.faults[0] =
            (struct fake_fault){"POST", cases[i].status, cases[i].times, false};
        fx_cluster_events_set_leader(events, true);
        FAKE_UNTIL(&fixture.api,
                   fake_count(&fixture.api.requests, "POST") == cases[i].requests);
        fake_run_for(&fixture.api, 60);
        assert_int_equal(fake_count(&fixture.api.requests, "POST"), cases[i].requests);
        assert_int_equal(counts_of(events).written, cases[i].written);
        assert_int_equal(counts_of(events).failed, cases[i].failed);
        end(&fixture, events);
    }
}

static void closed_at_any_time(void **state) {
    (void)state;
    for (uint64_t ms = 0; ms < 12; ms++) {
        struct fixture fixture;
        fixture_start(&fixture);
        fake_put(&fixture.api, ASSIGNS "/bad", BAD("bad", "u-1"));
        struct fx_cluster_events *events = start_events(&fixture);
        fixture.api.faults[0] = (struct fake_fault){"POST", 500, 2, false};
        fx_cluster_events_set_delay(events, 2);
        fx_cluster_events_set_leader(events, true);
        fake_run_for(&fixture.api, ms);
        if (ms % 2 == 1) {
            fx_cluster_events_set_leader(events, false);
        }
        end(&fixture, events);
    }
    fx_cluster_events_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_told_once),
        cmocka_unit_test(an_old_one_counts_up),
        cmocka_unit_test(too_many),
        cmocka_unit_test(when_the_server_fails),
        cmocka_unit_test(closed_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
