/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/fetches_test.c - objects of any kind.
 */
#include "kube/fake_api.h"

#include "cluster/references/fetches.h"

#define WIDGETS "/apis/example.com/v1/namespaces/shop/widgets"

struct fixture {
    struct fake_api api;
    struct fx_kube_client *client;
    struct fx_cluster_fetches fetches;
    unsigned n_reports;
    json_t *object; /* of the last report; counted, or NULL */
    struct fx_err failure;
};

static void on_done(json_t *object_take, const struct fx_err *failure, void *user) {
    struct fixture *fixture = user;
    fixture->n_reports++;
    json_decref(fixture->object);
    fixture->object = object_take;
    fixture->failure = FX_ERR_INIT;
    if (failure != NULL) {
        fixture->failure = *failure;
    }
}

static void start(struct fixture *fixture) {
    *fixture = (struct fixture){.n_reports = 0};
    fake_start(&fixture->api);
    fixture->client = fake_client(&fixture->api);
    fx_cluster_fetches_init(&fixture->fetches, fixture->client);
    fake_collect_kind(&fixture->api, WIDGETS, "Widget");
    fake_collect_kind(&fixture->api, "/apis/example.com/v1/gadgets", "Gadget");
    fake_put(
        &fixture->api, WIDGETS "/blue",
        "{\"metadata\":{\"name\":\"blue\",\"managedFields\":[]},\"spec\":{\"a\":1}}");
    fake_put(&fixture->api, "/apis/example.com/v1/gadgets/g",
             "{\"metadata\":{\"name\":\"g\"}}");
    fake_put(&fixture->api, "/api/v1/nodes/w", "{\"metadata\":{\"name\":\"w\"}}");
}

static void finish(struct fixture *fixture) {
    json_decref(fixture->object);
    fx_cluster_fetches_finish(&fixture->fetches);
    fx_kube_client_close(fixture->client);
    fake_finish(&fixture->api);
}

static struct fx_input_key key_of(const char *kind, const char *namespace_,
                                  const char *name) {
    return (struct fx_input_key){
        .type = FX_INPUT_OBJECT,
        .group = FX_TEXT("example.com"),
        .version = FX_TEXT("v1"),
        .kind = fx_text_of(kind),
        .namespace_ = fx_text_of(namespace_),
        .name = fx_text_of(name),
    };
}

static void begin(struct fixture *fixture, const struct fx_input_key *key) {
    const struct fx_cluster_fetch_request request = {
        .key = key, .on_done = on_done, .user = fixture};
    assert_true(fx_cluster_fetches_start(&fixture->fetches, &request));
}

static void fetch(struct fixture *fixture, struct fx_input_key key) {
    const unsigned before = fixture->n_reports;
    begin(fixture, &key);
    FAKE_UNTIL(&fixture->api, fixture->n_reports > before);
    assert_int_equal(fixture->n_reports, before + 1);
}

static void expect_name(const struct fixture *fixture, const char *name) {
    const json_t *metadata = fx_tree_view_key(fixture->object, "metadata");
    assert_true(fx_text_is(fx_tree_view_string(metadata, "name"), name));
}

static void any_kind_is_fetched(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fetch(&fixture, key_of("Widget", "shop", "blue"));
    expect_name(&fixture, "blue");
    assert_true(fx_text_is(fx_tree_view_string(fixture.object, "kind"), "Widget"));
    assert_true(
        fx_text_is(fx_tree_view_string(fixture.object, "apiVersion"), "example.com/v1"));
    assert_non_null(fx_tree_view_key(fixture.object, "spec"));
    assert_null(
        fx_tree_view_key(fx_tree_view_key(fixture.object, "metadata"), "managedFields"));
    fetch(&fixture, key_of("Widget", "shop", "blue"));
    fetch(&fixture, key_of("Gadget", "shop", "g")); /* it is in no namespace */
    expect_name(&fixture, "g");
    assert_int_equal(fake_count(&fixture.api.requests, "GET /apis/example.com/v1\n"), 2);
    assert_int_equal(fake_count(&fixture.api.requests, "GET " WIDGETS "/blue"), 2);
    finish(&fixture);
}

static void a_node_needs_one_request(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fetch(&fixture, fx_input_core_key("Node", FX_TEXT("w")));
    expect_name(&fixture, "w");
    assert_int_equal(fixture.api.server.n_requests, 1);
    finish(&fixture);
}

static void failures_are_told_apart(void **state) {
    (void)state;
    static const struct {
        const char *kind, *namespace_, *name;
        enum fx_code code;
    } cases[] = {
        {"Widget", "shop", "red", FX_EMUTATE},   /* no such object */
        {"Unknown", "shop", "blue", FX_EMUTATE}, /* no such kind */
        {"Widget", "", "blue", FX_EINVALID},
    };
    struct fixture fixture;
    start(&fixture);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        fetch(&fixture, key_of(cases[i].kind, cases[i].namespace_, cases[i].name));
        assert_null(fixture.object);
        assert_int_equal(fixture.failure.code, cases[i].code);
    }
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET " WIDGETS, .status = 403, .times = 1};
    fetch(&fixture, key_of("Widget", "shop", "blue"));
    assert_int_equal(fixture.failure.code, FX_EIO);
    assert_non_null(strstr(fixture.failure.msg, "the ClusterRole needs apiGroups"));
    fixture.api.faults[0] = (struct fake_fault){
        .about = "GET /apis/example.com/v2", .status = 500, .times = 1};
    struct fx_input_key other = key_of("Widget", "shop", "blue");
    other.version = FX_TEXT("v2");
    fetch(&fixture, other);
    assert_int_equal(fixture.failure.code, FX_EIO);
    finish(&fixture);
}

static void fetches_can_be_cancelled(void **state) {
    (void)state;
    static const char *const silent[] = {"GET /apis/example.com/v1", "GET " WIDGETS};
    for (size_t i = 0; i < FX_COUNT(silent); i++) {
        const struct fx_input_key key = key_of("Widget", "shop", "blue");
        struct fixture fixture;
        start(&fixture);
        fixture.api.faults[0] =
            (struct fake_fault){.about = silent[i], .times = 1, .silent = true};
        if (i == 1) {
            fixture.api.faults[0].times = 0;
            fetch(&fixture, key); /* so that the resource is known */
            fixture.api.faults[0].times = 1;
        }
        const size_t before = fixture.api.server.n_requests;
        begin(&fixture, &key);
        FAKE_UNTIL(&fixture.api, fixture.api.server.n_requests == before + 1);
        finish(&fixture);
        assert_int_equal(fixture.n_reports, i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_kind_is_fetched),
        cmocka_unit_test(a_node_needs_one_request),
        cmocka_unit_test(failures_are_told_apart),
        cmocka_unit_test(fetches_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
