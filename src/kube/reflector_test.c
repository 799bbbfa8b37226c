/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_test.c - lists and watches that go well, with what a real API server
 * has said.
 */
#include "kube/reflector_fixture.h"

#include "base/slow_testing.h"

static struct fx_buf assigns, assigns_page, assign_events, namespace_list,
    namespace_events, too_old, error_500;

static int read_recordings(void **state) {
    (void)state;
    read_recording("list-assign", &assigns);
    read_recording("list-assign-limit1", &assigns_page);
    read_recording("watch-assign", &assign_events);
    read_recording("list-namespaces", &namespace_list);
    read_recording("watch-namespaces", &namespace_events);
    read_recording("watch-assign-too-old", &too_old);
    read_recording("watch-error-500-in-stream", &error_500);
    return 0;
}

static int drop_recordings(void **state) {
    (void)state;
    struct fx_buf *const all[] = {&assigns,        &assigns_page,     &assign_events,
                                  &namespace_list, &namespace_events, &too_old,
                                  &error_500};
    for (size_t i = 0; i < FX_COUNT(all); i++) {
        fx_buf_finish(all[i]);
    }
    return 0;
}

#define ASSIGNS_TOLD "+always-pull@4004 +sidecar@4006 synced =watching"
#define EVENTS_TOLD  " +watched@4008 +watched@4009 +watched-alpha@4010 -watched"

static void a_list_and_a_watch(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {{IS_LIST, assigns.data, KEEP_OPEN, 0},
                                    {FROM("4006"), assign_events.data, KEEP_OPEN, 0}};
    fixture_start(&fixture, replies, FX_COUNT(replies));
    struct fx_kube_reflector_status status = status_of(&fixture);
    assert_int_equal(status.state, FX_KUBE_STATE_STARTING);
    assert_false(status.synced);
    assert_null(status.version);
    await_requests(&fixture, 3);
    expect_reported(&fixture, ASSIGNS_TOLD EVENTS_TOLD);
    status = status_of(&fixture);
    assert_int_equal(status.state, FX_KUBE_STATE_WATCHING);
    assert_true(status.synced && status.synced_ns > 0);
    assert_true(status.version == &assign);
    assert_int_equal(status.n_objects, 3);
    assert_int_equal(status.n_lists, 1);
    assert_int_equal(status.n_watches, 1);
    assert_int_equal(status.n_events, 6);
    /* The watch ended without an error after its last bookmark. */
    assert_non_null(strstr(fixture.api.server.received.data, FROM("4011")));
    fixture_finish(&fixture);
}

static void over_tls(void **state) {
    (void)state;
    static const char *const names[] = {"127.0.0.1"};
    struct fx_err err = FX_ERR_INIT;
    struct fixture fixture = {0};
    struct fx_kube_config config = {0};
    const struct reply replies[] = {
        {IS_LIST, assigns.data, KEEP_OPEN, assigns.len / 2},
        {FROM("4006"), assign_events.data, KEEP_OPEN, assign_events.len / 3}};
    struct fx_tls_config *tls = fx_tls_config_self_signed(names, 1, &err);
    assert_non_null(tls);
    api_start(&fixture.api, tls);
    fixture.client = make_client(&fixture.api, &config, NULL, NULL);
    api_set_replies(&fixture.api, replies, FX_COUNT(replies));
    reflect(&fixture, &all_assigns, &fast);
    await_requests(&fixture, 3);
    expect_reported(&fixture, ASSIGNS_TOLD EVENTS_TOLD);
    assert_int_equal(fixture.api.server.n_accepted, 1); /* one connection for all of it */
    fixture_finish(&fixture);
    fx_tls_config_unref(tls);
}

/* Of namespaces only the metadata, though the server gives all of them. */
static void metadata_only(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {
        {"as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
         namespace_list.data, KEEP_OPEN, 0},
        {"as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
         namespace_events.data, KEEP_OPEN, 0},
    };
    const struct fx_kube_reflector_options options = {
        .versions = &namespaces, .n_versions = 1, .metadata_only = true};
    fixture_begin(&fixture);
    fixture.with_api_version = true;
    api_set_replies(&fixture.api, replies, FX_COUNT(replies));
    reflect(&fixture, &options, &fast);
    await_requests(&fixture, 3);
    expect_reported(&fixture,
                    "+default@22:v1 +gatekeeper-system@261:v1 +kube-node-lease@25:v1 "
                    "+kube-public@15:v1 +kube-system@10:v1 +shop@271:v1 +team-a@3785:v1 "
                    "+team-b@4016:v1 synced =watching +team-c@4032:v1 +team-c@4033:v1 "
                    "+team-c@4034:v1");
    json_t *wanted =
        json_pack("{s:s s:s s:{s:s s:s s:s s:s s:s s:{s:s s:s}}}", "kind", "Namespace",
                  "apiVersion", "v1", "metadata", "name", "team-c", "uid",
                  "da567867-3209-4321-82ff-df122d70600d", "resourceVersion", "4034",
                  "creationTimestamp", "2026-11-21T10:03:39Z", "deletionTimestamp",
                  "2026-11-21T10:03:39Z", "labels", "kubernetes.io/metadata.name",
                  "team-c", "mutate", "yes");
    assert_true(json_equal(fixture.object, wanted));
    json_decref(wanted);
    fixture_finish(&fixture);
}

static void the_copy_of_kubectl_is_dropped(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {{IS_LIST, assigns.data, KEEP_OPEN, 0}};
    fixture_start(&fixture, replies, FX_COUNT(replies));
    await_requests(&fixture, 2);
    const json_t *metadata = json_object_get(fixture.object, "metadata");
    assert_null(json_object_get(metadata, "annotations"));
    assert_non_null(json_object_get(fixture.object, "spec"));
    fixture_finish(&fixture);
}

static void page_by_page(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_kube_delays pauses = fast;
    const struct reply replies[] = {
        {"/v1/assign?limit=1 ", assigns_page.data, KEEP_OPEN, 0},
        PAGE("/v1/assign?limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NDAwNiwic3"
             "RhcnQiOiJhbHdheXMtcHVsbFx1MDAwMCJ9 ",
             "4007", "a b+c", OBJECT("sidecar", "u", "4006")),
        LIST("/v1/assign?limit=1&continue=a%20b%2Bc ", "4008", ""),
    };
    pauses.page = 1;
    fixture_begin(&fixture);
    api_set_replies(&fixture.api, replies, FX_COUNT(replies));
    reflect(&fixture, &all_assigns, &pauses);
    await_requests(&fixture, 4);
    expect_reported(&fixture, "+always-pull@4004 +sidecar@4006 synced");
    /* From the moment of the first page. */
    assert_non_null(strstr(fixture.api.server.received.data, FROM("4006")));
    assert_int_equal(status_of(&fixture).n_lists, 1);
    fixture_finish(&fixture);
}

static void a_namespace_and_a_name(void **state) {
    (void)state;
    struct fixture fixture;
    const struct fx_kube_reflector_options options = {
        .versions = &assign,
        .n_versions = 1,
        .namespace_ = "team-a",
        .name = "config",
    };
    const struct reply replies[] = {
        LIST("/namespaces/team-a/assign?limit=500&fieldSelector=metadata.name%3Dconfig ",
             "7", ""),
    };
    fixture_begin(&fixture);
    api_set_replies(&fixture.api, replies, FX_COUNT(replies));
    reflect(&fixture, &options, &fast);
    await_requests(&fixture, 2);
    assert_non_null(strstr(fixture.api.server.received.data,
                           "&resourceVersion=7&fieldSelector=metadata.name%3Dconfig "));
    fixture_finish(&fixture);
}

/* The same is reported wherever the bytes are cut. */
static void cut_anywhere(void **state) {
    (void)state;
    const struct fx_buf *const lists[] = {&assigns, &assign_events};
    const size_t step = 7 * (size_t)slow();
    for (size_t which = 0; which < FX_COUNT(lists); which++) {
        for (size_t split = 1; split < lists[which]->len; split += step) {
            struct fixture fixture;
            const struct reply replies[] = {
                {IS_LIST, assigns.data, KEEP_OPEN, which == 0 ? split : 0},
                {FROM("4006"), assign_events.data, KEEP_OPEN, which == 1 ? split : 0}};
            fixture_start(&fixture, replies, FX_COUNT(replies));
            await_reported(&fixture, EVENTS_TOLD);
            expect_reported(&fixture, ASSIGNS_TOLD EVENTS_TOLD);
            fixture_finish(&fixture);
        }
    }
}

static void too_old_is_listed_again(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {
        {IS_LIST, assigns.data, KEEP_OPEN, 0},
        {FROM("4006"), too_old.data, KEEP_OPEN, 0},
        {IS_LIST, assigns_page.data, KEEP_OPEN, 0},
        LIST("&continue=", "4007", ""),
    };
    fixture_start(&fixture, replies, FX_COUNT(replies));
    await_requests(&fixture, 5);
    expect_reported(&fixture, ASSIGNS_TOLD " -sidecar synced");
    fixture_finish(&fixture);
}

static void an_error_in_the_stream(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {
        {IS_LIST, assigns.data, KEEP_OPEN, 0},
        {FROM("4006"), error_500.data, KEEP_OPEN, 0},
        {FROM("4006"), error_500.data, KEEP_OPEN, 0},
    };
    fixture_start(&fixture, replies, FX_COUNT(replies));
    await_requests(&fixture, 4);
    expect_reported(&fixture, ASSIGNS_TOLD " =failing:server");
    assert_non_null(strstr(fixture.failure.message,
                           "watch assign.mutations.gatekeeper.sh: 500 InternalError: a "
                           "watch stream was requested"));
    assert_non_null(strstr(fixture.api.server.received.data, FROM("4006")));
    fixture_finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_and_a_watch),
        cmocka_unit_test(over_tls),
        cmocka_unit_test(metadata_only),
        cmocka_unit_test(the_copy_of_kubectl_is_dropped),
        cmocka_unit_test(page_by_page),
        cmocka_unit_test(a_namespace_and_a_name),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(too_old_is_listed_again),
        cmocka_unit_test(an_error_in_the_stream),
    };
    return cmocka_run_group_tests(tests, read_recordings, drop_recordings);
}
