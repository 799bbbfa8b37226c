/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/discovery_test.c - kinds and their resources.
 */
#include "kube/fake_api.h"

#include "kube/discovery.h"

struct fixture {
    struct fake_api api;
    struct fx_kube_client *client;
    unsigned n_reports;
    struct fx_kube_failure failure; /* of the last report */
    char resource[200];             /* "plural.group/version Kind namespaced" */
};

static void on_discovered(const struct fx_kube_discovered *discovered, void *user) {
    struct fixture *fixture = user;
    const struct fx_kube_resource *resource = &discovered->resource;
    fixture->n_reports++;
    fixture->failure = (struct fx_kube_failure){.reason = FX_KUBE_REASON_NONE};
    if (discovered->failure != NULL) {
        fixture->failure = *discovered->failure;
        return;
    }
    (void)snprintf(fixture->resource, sizeof fixture->resource, "%s.%s/%s %s%s",
                   resource->plural, resource->group, resource->version, resource->kind,
                   discovered->is_namespaced ? " namespaced" : "");
}

static void start(struct fixture *fixture) {
    *fixture = (struct fixture){.n_reports = 0};
    fake_start(&fixture->api);
    fixture->client = fake_client(&fixture->api);
    fake_collect_kind(&fixture->api, "/api/v1/nodes", "Node");
    fake_collect_kind(&fixture->api, "/api/v1/namespaces/a/configmaps", "ConfigMap");
    fake_collect_kind(&fixture->api, "/apis/example.com/v2/widgets", "Widget");
}

static void finish(struct fixture *fixture) {
    fx_kube_client_close(fixture->client);
    fake_finish(&fixture->api);
}

static void discover(struct fixture *fixture, const char *group, const char *version,
                     const char *kind) {
    const unsigned before = fixture->n_reports;
    const struct fx_kube_resource wanted = {
        .group = group, .version = version, .kind = kind};
    assert_non_null(
        fx_kube_discovery_start(fixture->client, &wanted, 0, on_discovered, fixture));
    assert_int_equal(fixture->n_reports, before); /* later */
    FAKE_UNTIL(&fixture->api, fixture->n_reports > before);
    assert_int_equal(fixture->n_reports, before + 1);
}

static void kinds_have_resources(void **state) {
    (void)state;
    static const struct {
        const char *group, *version, *kind, *resource;
    } cases[] = {
        {"", "v1", "Node", "nodes./v1 Node"},
        {"", "v1", "ConfigMap", "configmaps./v1 ConfigMap namespaced"},
        {"example.com", "v2", "Widget", "widgets.example.com/v2 Widget"},
    };
    struct fixture fixture;
    start(&fixture);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        discover(&fixture, cases[i].group, cases[i].version, cases[i].kind);
        assert_int_equal(fixture.failure.reason, FX_KUBE_REASON_NONE);
        assert_string_equal(fixture.resource, cases[i].resource);
    }
    finish(&fixture);
}

static void unknown_kinds_are_reported(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    discover(&fixture, "example.com", "v2", "Gadget");
    assert_int_equal(fixture.failure.reason, FX_KUBE_REASON_UNKNOWN);
    assert_string_equal(fixture.failure.message,
                        "example.com/v2: the server has no kind `Gadget` in this "
                        "version");
    discover(&fixture, "example.com", "v3", "Widget");
    assert_int_equal(fixture.failure.reason, FX_KUBE_REASON_UNKNOWN);
    assert_string_equal(fixture.failure.message,
                        "get example.com/v3: 404 NotFound: so it is");
    finish(&fixture);
}

static void failures_are_reported(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET /api/v1", .status = 503, .times = 1};
    discover(&fixture, "", "v1", "Node");
    assert_int_equal(fixture.failure.reason, FX_KUBE_REASON_SERVER);
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET /api/v1", .status = 403, .times = 1};
    discover(&fixture, "", "v1", "Node");
    assert_int_equal(fixture.failure.reason, FX_KUBE_REASON_FORBIDDEN);
    assert_null(strstr(fixture.failure.message, "ClusterRole")); /* no rule helps */
    finish(&fixture);
}

static void requests_can_be_cancelled(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET /api/v1", .times = 1, .silent = true};
    const struct fx_kube_resource wanted = {.group = "", .version = "v1", .kind = "Node"};
    struct fx_kube_discovery *discovery =
        fx_kube_discovery_start(fixture.client, &wanted, 0, on_discovered, &fixture);
    assert_non_null(discovery);
    FAKE_UNTIL(&fixture.api, fixture.api.server.n_requests == 1);
    fx_kube_discovery_cancel(discovery);
    fx_kube_discovery_cancel(NULL);
    assert_int_equal(fixture.n_reports, 0);
    finish(&fixture);
}

static void lists_are_read(void **state) {
    (void)state;
    static const struct {
        const char *list, *plural; /* NULL: the list does not have the kind */
        bool is_namespaced;
    } cases[] = {
        {"{\"resources\":[{\"name\":\"pods/status\",\"kind\":\"Pod\"},{\"name\":\"pods\","
         "\"kind\":\"Pod\",\"namespaced\":true}]}",
         "pods", true},
        {"{\"resources\":[{\"name\":\"pods\",\"kind\":\"Pod\",\"namespaced\":\"yes\"}]}",
         "pods", false},
        {"{\"resources\":[{\"name\":\"\",\"kind\":\"Pod\"}]}", NULL, false},
        {"{\"resources\":[{\"kind\":\"Pod\"}, 5, null]}", NULL, false},
        {"{\"resources\":{}}", NULL, false},
        {"{}", NULL, false},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_text plural = {0};
        bool is_namespaced = false;
        json_t *list = fx_json_read(fx_text_of(cases[i].list), NULL, &err);
        assert_non_null(list);
        assert_true(fx_kube_discovery_read(list, FX_TEXT("Pod"), &plural,
                                           &is_namespaced) == (cases[i].plural != NULL));
        if (cases[i].plural != NULL) {
            assert_true(fx_text_is(plural, cases[i].plural));
        }
        assert_true(is_namespaced == cases[i].is_namespaced);
        json_decref(list);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_have_resources),
        cmocka_unit_test(unknown_kinds_are_reported),
        cmocka_unit_test(failures_are_reported),
        cmocka_unit_test(requests_can_be_cancelled),
        cmocka_unit_test(lists_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
