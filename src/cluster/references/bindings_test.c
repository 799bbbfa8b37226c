/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/bindings_test.c - Pods that are told their Node, by an API server
 * that fails.
 */
#include "kube/fake_api.h"

#include "cluster/references/bindings.h"

#define POD_PATH "/api/v1/namespaces/shop/pods/web"
#define ASKS     "\"ref.kubemod.io/inject-node-ref\":\"true\""
#define NAMES    "\"ref.kubemod.io/nodename\":\"w\""
#define POD(notes)                                                                     \
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\",\"uid\":" \
    "\"u\",\"annotations\":{" notes "}}}"

struct world {
    struct fake_api api;
    struct fx_kube_client *client;
    struct fx_cluster_bindings *bindings;
    unsigned n_told; /* how often it was answered; and how, last */
    bool told;
    struct fx_err failure;
};

static void on_bound(bool told, const struct fx_err *failure, void *user) {
    struct world *world = user;
    world->n_told++;
    world->told = told;
    world->failure = FX_ERR_INIT;
    if (failure != NULL) {
        world->failure = *failure;
    }
}

static void start(struct world *world, const char *pod) {
    *world = (struct world){.n_told = 0};
    fake_start(&world->api);
    world->client = fake_client(&world->api);
    world->bindings = fx_cluster_bindings_create(&world->api.loop, world->client);
    assert_non_null(world->bindings);
    if (pod != NULL) {
        fake_put(&world->api, POD_PATH, pod);
    }
}

static void begin(struct world *world, uint64_t within_ms) {
    const struct fx_cluster_binding binding = {
        .namespace_ = FX_TEXT("shop"),
        .pod = FX_TEXT("web"),
        .node = FX_TEXT("w"),
        .deadline_ns = fx_clock_ns() + within_ms * 1000000,
    };
    assert_true(fx_cluster_bindings_start(world->bindings, &binding, on_bound, world));
}

static void bind_pod(struct world *world) {
    begin(world, FAKE_PATIENCE_MS);
    FAKE_UNTIL(&world->api, world->n_told > 0);
    assert_int_equal(world->n_told, 1);
}

static void finish(struct world *world) {
    fx_cluster_bindings_close(world->bindings);
    fx_kube_client_close(world->client);
    fake_finish(&world->api);
}

static void expect_annotations(const struct world *world, const char *expected) {
    const json_t *metadata =
        fx_tree_view_key(fake_view(&world->api, POD_PATH), "metadata");
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_json_write(&text, fx_tree_view_key(metadata, "annotations"), FX_JSON_COMPACT);
    assert_string_equal(text.data, expected);
    fx_buf_finish(&text);
}

static void writes_the_annotation(void **state) {
    (void)state;
    struct world world;
    start(&world, POD(ASKS));
    bind_pod(&world);
    assert_true(world.told);
    assert_int_equal(world.failure.code, FX_OK);
    expect_annotations(&world, "{" ASKS "," NAMES "}");
    assert_string_equal(world.api.told.data,
                        "PATCH " POD_PATH " fixpoint {\"metadata\":{\"uid\":\"u\","
                        "\"annotations\":{" NAMES "}}}\n");
    finish(&world);
}

static void leaves_others_alone(void **state) {
    (void)state;
    static const char *const pods[] = {POD(""), POD(ASKS "," NAMES), POD(NAMES)};
    for (size_t i = 0; i < FX_COUNT(pods); i++) {
        struct world world;
        start(&world, pods[i]);
        bind_pod(&world);
        assert_false(world.told);
        assert_int_equal(world.failure.code, FX_OK);
        assert_string_equal(world.api.told.data, "");
        finish(&world);
    }
}

static void tries_again_what_passes(void **state) {
    (void)state;
    struct world world;
    start(&world, POD(ASKS));
    world.api.faults[0] =
        (struct fake_fault){.about = "GET " POD_PATH, .status = 503, .times = 3};
    world.api.faults[1] =
        (struct fake_fault){.about = "PATCH " POD_PATH, .status = 409, .times = 2};
    world.api.faults[2] =
        (struct fake_fault){.about = "PATCH " POD_PATH, .status = 500, .times = 1};
    bind_pod(&world);
    assert_true(world.told);
    expect_annotations(&world, "{" ASKS "," NAMES "}");
    assert_int_equal(fake_count(&world.api.asked, "GET"), 4);
    assert_int_equal(fake_count(&world.api.asked, "PATCH"), 4);
    finish(&world);
}

static void gives_up_what_does_not_pass(void **state) {
    (void)state;
    struct world world;
    start(&world, POD(ASKS));
    world.api.faults[0] =
        (struct fake_fault){.about = "PATCH " POD_PATH, .status = 403, .times = 1};
    bind_pod(&world);
    assert_false(world.told);
    assert_int_equal(world.failure.code, FX_EIO);
    assert_non_null(strstr(world.failure.msg, "patch pods"));
    assert_int_equal(fake_count(&world.api.asked, "PATCH"), 1);
    finish(&world);
}

static void a_pod_that_is_not_there_is_a_failure(void **state) {
    (void)state;
    struct world world;
    start(&world, NULL);
    bind_pod(&world);
    assert_false(world.told);
    assert_int_equal(world.failure.code, FX_EIO);
    assert_non_null(strstr(world.failure.msg, "get pods web"));
    finish(&world);
}

/* The server never answers, or always that it cannot: the deadline ends it. */
static void ends_in_time(void **state) {
    (void)state;
    for (int silent = 0; silent < 2; silent++) {
        struct world world;
        start(&world, POD(ASKS));
        world.api.faults[0] = (struct fake_fault){.about = "GET " POD_PATH,
                                                  .status = 503,
                                                  .times = 1000000,
                                                  .silent = silent == 1};
        begin(&world, 100);
        FAKE_UNTIL(&world.api, world.n_told > 0);
        assert_false(world.told);
        assert_int_equal(world.failure.code, FX_EIO);
        finish(&world);
    }
}

/* While it asks, and while it pauses. */
static void what_is_closed_is_not_told(void **state) {
    (void)state;
    for (int pausing = 0; pausing < 2; pausing++) {
        struct world world;
        start(&world, POD(ASKS));
        world.api.faults[0] = (struct fake_fault){.about = "GET " POD_PATH,
                                                  .status = 503,
                                                  .times = 1000000,
                                                  .silent = pausing == 0};
        begin(&world, FAKE_PATIENCE_MS);
        begin(&world, FAKE_PATIENCE_MS);
        FAKE_UNTIL(&world.api, fake_count(&world.api.asked, "GET") > 2 - !pausing);
        finish(&world);
        assert_int_equal(world.n_told, 0);
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
