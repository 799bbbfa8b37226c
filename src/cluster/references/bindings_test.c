/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/bindings_test.c - Pods are annotated with their Node, by way of an
 * API server that fails.
 */
#include "kube/fake_api.h"

#include "cluster/references/bindings.h"

#define POD_PATH "/api/v1/namespaces/shop/pods/web"
#define ASKS     "\"ref.kubemod.io/inject-node-ref\":\"true\""
#define NAMES    "\"ref.kubemod.io/nodename\":\"w\""
#define POD(notes)                                                                     \
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\",\"uid\":" \
    "\"u\",\"annotations\":{" notes "}}}"

struct fixture {
    struct fake_api api;
    struct fx_kube_client *client;
    struct fx_cluster_bindings *bindings;
    unsigned n_told; /* how often it was answered; and how, last */
    bool outcome;
    struct fx_err failure;
};

static void on_bound(bool outcome, const struct fx_err *failure, void *user) {
    struct fixture *fixture = user;
    fixture->n_told++;
    fixture->outcome = outcome;
    fixture->failure = FX_ERR_INIT;
    if (failure != NULL) {
        fixture->failure = *failure;
    }
}

static void start(struct fixture *fixture, const char *pod) {
    *fixture = (struct fixture){.n_told = 0};
    fake_start(&fixture->api);
    fixture->client = fake_client(&fixture->api);
    fixture->bindings =
        fx_cluster_bindings_create(&fixture->api.server.loop, fixture->client);
    assert_non_null(fixture->bindings);
    if (pod != NULL) {
        fake_put(&fixture->api, POD_PATH, pod);
    }
}

static void begin(struct fixture *fixture, uint64_t within_ms) {
    const struct fx_cluster_binding binding = {
        .namespace_ = FX_TEXT("shop"),
        .pod = FX_TEXT("web"),
        .node = FX_TEXT("w"),
        .deadline_ns = fx_clock_ns() + within_ms * 1000000,
    };
    assert_true(
        fx_cluster_bindings_start(fixture->bindings, &binding, on_bound, fixture));
}

static void bind_pod(struct fixture *fixture) {
    begin(fixture, FAKE_TIMEOUT_MS);
    FAKE_UNTIL(&fixture->api, fixture->n_told > 0);
    assert_int_equal(fixture->n_told, 1);
}

static void finish(struct fixture *fixture) {
    fx_cluster_bindings_close(fixture->bindings);
    fx_kube_client_close(fixture->client);
    fake_finish(&fixture->api);
}

static void expect_annotations(const struct fixture *fixture, const char *expected) {
    const json_t *metadata =
        fx_tree_view_key(fake_view(&fixture->api, POD_PATH), "metadata");
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_json_write(&text, fx_tree_view_key(metadata, "annotations"), FX_JSON_COMPACT);
    assert_string_equal(text.data, expected);
    fx_buf_finish(&text);
}

static void writes_the_annotation(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture, POD(ASKS));
    bind_pod(&fixture);
    assert_true(fixture.outcome);
    assert_int_equal(fixture.failure.code, FX_OK);
    expect_annotations(&fixture, "{" ASKS "," NAMES "}");
    assert_string_equal(fixture.api.writes.data,
                        "PATCH " POD_PATH " fixpoint {\"metadata\":{\"uid\":\"u\","
                        "\"annotations\":{" NAMES "}}}\n");
    finish(&fixture);
}

static void leaves_others_alone(void **state) {
    (void)state;
    static const char *const pods[] = {POD(""), POD(ASKS "," NAMES), POD(NAMES)};
    for (size_t i = 0; i < FX_COUNT(pods); i++) {
        struct fixture fixture;
        start(&fixture, pods[i]);
        bind_pod(&fixture);
        assert_false(fixture.outcome);
        assert_int_equal(fixture.failure.code, FX_OK);
        assert_string_equal(fixture.api.writes.data, "");
        finish(&fixture);
    }
}

static void tries_again_what_passes(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture, POD(ASKS));
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET " POD_PATH, .status = 503, .times = 3};
    fixture.api.faults[1] =
        (struct fake_fault){.about = "PATCH " POD_PATH, .status = 409, .times = 2};
    fixture.api.faults[2] =
        (struct fake_fault){.about = "PATCH " POD_PATH, .status = 500, .times = 1};
    bind_pod(&fixture);
    assert_true(fixture.outcome);
    expect_annotations(&fixture, "{" ASKS "," NAMES "}");
    assert_int_equal(fake_count(&fixture.api.requests, "GET"), 4);
    assert_int_equal(fake_count(&fixture.api.requests, "PATCH"), 4);
    finish(&fixture);
}

static void gives_up_what_does_not_pass(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture, POD(ASKS));
    fixture.api.faults[0] =
        (struct fake_fault){.about = "PATCH " POD_PATH, .status = 403, .times = 1};
    bind_pod(&fixture);
    assert_false(fixture.outcome);
    assert_int_equal(fixture.failure.code, FX_EIO);
    assert_non_null(strstr(fixture.failure.msg, "patch pods"));
    assert_int_equal(fake_count(&fixture.api.requests, "PATCH"), 1);
    finish(&fixture);
}

static void a_pod_that_is_not_there_is_a_failure(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture, NULL);
    bind_pod(&fixture);
    assert_false(fixture.outcome);
    assert_int_equal(fixture.failure.code, FX_EIO);
    assert_non_null(strstr(fixture.failure.msg, "get pods web"));
    finish(&fixture);
}

/* The server never answers, or always that it cannot: the deadline ends it. */
static void ends_in_time(void **state) {
    (void)state;
    for (int silent = 0; silent < 2; silent++) {
        struct fixture fixture;
        start(&fixture, POD(ASKS));
        fixture.api.faults[0] = (struct fake_fault){.about = "GET " POD_PATH,
                                                    .status = 503,
                                                    .times = 1000000,
                                                    .silent = silent == 1};
        begin(&fixture, 100);
        FAKE_UNTIL(&fixture.api, fixture.n_told > 0);
        assert_false(fixture.outcome);
        assert_int_equal(fixture.failure.code, FX_EIO);
        finish(&fixture);
    }
}

/* During a request, and during a pause. */
static void what_is_closed_is_not_told(void **state) {
    (void)state;
    for (int pausing = 0; pausing < 2; pausing++) {
        struct fixture fixture;
        start(&fixture, POD(ASKS));
        fixture.api.faults[0] = (struct fake_fault){.about = "GET " POD_PATH,
                                                    .status = 503,
                                                    .times = 1000000,
                                                    .silent = pausing == 0};
        begin(&fixture, FAKE_TIMEOUT_MS);
        begin(&fixture, FAKE_TIMEOUT_MS);
        FAKE_UNTIL(&fixture.api, fake_count(&fixture.api.requests, "GET") > 2 - !pausing);
        finish(&fixture);
        assert_int_equal(fixture.n_told, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_annotation),
        cmocka_unit_test(leaves_others_alone),
        cmocka_unit_test(tries_again_what_passes),
        cmocka_unit_test(gives_up_what_does_not_pass),
        cmocka_unit_test(a_pod_that_is_not_there_is_a_failure),
        cmocka_unit_test(ends_in_time),
        cmocka_unit_test(what_is_closed_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
