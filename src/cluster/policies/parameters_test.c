/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/parameters_test.c - objects of kinds that policies name, at a fake API
 * server.
 */
#include "kube/fake_api.h"

#include "cluster/policies/parameters.h"
#include "engine/policy_text.h"

struct fixture {
    struct fake_api api;
    struct fx_kube_client *client;
    struct fx_parameters *parameters;
    unsigned n_kinds, n_objects; /* events */
    char last[100];              /* object: "Kind namespace/name" */
};

static void on_object(const struct fx_named_kind *kind, struct fx_text namespace_,
                      struct fx_text name, void *user) {
    struct fixture *fixture = user;
    fixture->n_objects++;
    (void)snprintf(fixture->last, sizeof fixture->last, "%.*s %.*s/%.*s",
                   FX_TEXT_ARG(kind->kind), FX_TEXT_ARG(namespace_), FX_TEXT_ARG(name));
}

static void on_kind(void *user) {
    struct fixture *fixture = user;
    fixture->n_kinds++;
}

#define MAPS    "/api/v1/namespaces/a/configmaps"
#define WIDGETS "/apis/example.com/v2/widgets"
#define MAP(name, value)                                                               \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"a\"," \
    "\"uid\":\"1\",\"name\":\"" name "\"},\"data\":{\"k\":\"" value "\"}}"

static const struct fx_named_kind map_kind = {.version = {"v1", 2},
                                              .kind = {"ConfigMap", 9}};
static const struct fx_named_kind widget_kind = {
    .group = {"example.com", 11}, .version = {"v2", 2}, .kind = {"Widget", 6}};

static void start(struct fixture *fixture) {
    static const struct fx_parameters_events events = {on_object, on_kind};
    *fixture = (struct fixture){.n_kinds = 0};
    fake_start(&fixture->api);
    fixture->client = fake_client(&fixture->api);
    fake_collect_kind(&fixture->api, "/api/v1/configmaps", "ConfigMap");
    fake_collect_kind(&fixture->api, WIDGETS, "Widget");
    fixture->parameters = fx_parameters_create(&fixture->api.server.loop, fixture->client,
                                               &events, fixture);
    assert_non_null(fixture->parameters);
}

static void finish(struct fixture *fixture) {
    fx_parameters_close(fixture->parameters);
    fx_kube_client_close(fixture->client);
    fake_finish(&fixture->api);
}

static void watch(struct fixture *fixture, const struct fx_named_kind *a,
                  const struct fx_named_kind *b, bool only) {
    struct fx_named_kinds kinds = {0};
    assert_true((a == NULL || fx_named_kinds_add(&kinds, a)) &&
                (b == NULL || fx_named_kinds_add(&kinds, b)));
    assert_true(fx_parameters_watch(fixture->parameters, &kinds, only));
    fx_named_kinds_finish(&kinds);
}

/* "key key …" */
static void expect_keys(const struct fixture *fixture, const char *expected) {
    char keys[500] = "";
    size_t n = 0;
    const struct fx_parameter *items = fx_parameters_list(fixture->parameters, &n);
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s%s",
                       i == 0 ? "" : " ", items[i].key);
        assert_non_null(items[i].object);
    }
    assert_string_equal(keys, expected);
}

/* "Kind: why; Kind" of the settled kinds. */
static void expect_states(const struct fixture *fixture, const char *expected) {
    char text[1000] = "";
    struct fx_parameter_states states = {0};
    assert_true(fx_parameters_copy_states(fixture->parameters, &states));
    for (size_t i = 0; i < states.n_items; i++) {
        const char *why = states.items[i].unavailable;
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s%s%s",
                       i == 0 ? "" : "; ", FX_TEXT_ARG(states.items[i].kind.kind),
                       why == NULL ? "" : ": ", why == NULL ? "" : why);
    }
    fx_parameter_states_finish(&states);
    assert_string_equal(text, expected);
}

static void objects_are_kept_while_their_kind_is_named(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fake_put(&fixture.api, MAPS "/m", MAP("m", "1"));
    fake_put(&fixture.api, WIDGETS "/w",
             "{\"apiVersion\":\"example.com/"
             "v2\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"}}");
    watch(&fixture, &map_kind, NULL, true);
    expect_states(&fixture, "");
    FAKE_UNTIL(&fixture.api, fixture.n_kinds == 1);
    expect_states(&fixture, "ConfigMap");
    expect_keys(&fixture, "configmaps/v1/a/m");
    assert_string_equal(fixture.last, "ConfigMap a/m");

    watch(&fixture, &widget_kind, NULL, false);
    FAKE_UNTIL(&fixture.api, fixture.n_kinds == 2);
    expect_states(&fixture, "ConfigMap; Widget");
    expect_keys(&fixture, "configmaps/v1/a/m widgets.example.com/v2//w");

    fake_put(&fixture.api, MAPS "/m", MAP("m", "2"));
    FAKE_UNTIL(&fixture.api, fixture.n_objects == 3);
    fake_put(&fixture.api, MAPS "/l", MAP("l", "1"));
    FAKE_UNTIL(&fixture.api, fixture.n_objects == 4);
    expect_keys(&fixture,
                "configmaps/v1/a/l configmaps/v1/a/m widgets.example.com/v2//w");
    fake_delete(&fixture.api, MAPS "/m");
    FAKE_UNTIL(&fixture.api, fixture.n_objects == 5);
    assert_string_equal(fixture.last, "ConfigMap a/m");

    watch(&fixture, &widget_kind, NULL, true);
    expect_states(&fixture, "Widget");
    expect_keys(&fixture, "widgets.example.com/v2//w");
    finish(&fixture);
}

/* What differs only in what is not kept is no change. */
static void a_new_version_is_no_change(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fake_put(&fixture.api, MAPS "/m", MAP("m", "1"));
    watch(&fixture, &map_kind, NULL, true);
    FAKE_UNTIL(&fixture.api, fixture.n_kinds == 1);
    size_t n = 0;
    const struct fx_policy_text *text =
        fx_parameters_list(fixture.parameters, &n)[0].object;
    fake_put(&fixture.api, MAPS "/m", MAP("m", "1"));
    fake_put(&fixture.api, MAPS "/n", MAP("n", "1"));
    FAKE_UNTIL(&fixture.api, fixture.n_objects == 2);
    assert_string_equal(fixture.last, "ConfigMap a/n");
    assert_ptr_equal(fx_parameters_list(fixture.parameters, &n)[0].object, text);
    finish(&fixture);
}

static void kinds_that_cannot_be_read(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    const struct fx_named_kind gadget = {FX_TEXT("example.com"), FX_TEXT("v2"),
                                         FX_TEXT("Gadget")};
    const struct fx_named_kind secret = {FX_TEXT(""), FX_TEXT("v1"), FX_TEXT("Secret")};
    const struct fx_named_kind policy = {FX_TEXT("mutations.gatekeeper.sh"),
                                         FX_TEXT("v1"), FX_TEXT("Assign")};
    watch(&fixture, &secret, &policy, true);
    expect_states(&fixture, "Secret: Fixpoint does not read Secrets for policies; Assign:"
                            " they are policies");
    assert_int_equal(fixture.api.server.n_requests, 0);
    watch(&fixture, &gadget, NULL, true);
    FAKE_UNTIL(&fixture.api, fixture.n_kinds == 3);
    expect_states(&fixture, "Gadget: example.com/v2: the server has no kind `Gadget` in "
                            "this version");
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET /api/v1/configmaps", .status = 403, .times = 1};
    watch(&fixture, &map_kind, NULL, true);
    FAKE_UNTIL(&fixture.api, fixture.n_kinds == 4);
    expect_states(&fixture,
                  "ConfigMap: list configmaps: 403 Fault: so it is; the ClusterRole "
                  "needs apiGroups [\"\"], resources [\"configmaps\"], verbs "
                  "[\"list\",\"watch\"]");
    FAKE_UNTIL(&fixture.api, fixture.n_kinds == 5); /* the reflector lists again */
    expect_states(&fixture, "ConfigMap");
    finish(&fixture);
}

/* A failure that may pass soon does not settle a kind. */
static void a_short_failure_is_waited_for(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET", .status = 503, .times = 1};
    watch(&fixture, &map_kind, NULL, true);
    FAKE_UNTIL(&fixture.api, fixture.n_kinds == 1);
    expect_states(&fixture, "ConfigMap");
    finish(&fixture);
}

static void closing_while_asking(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET /api/v1", .times = 9, .silent = true};
    watch(&fixture, &map_kind, &widget_kind, true);
    FAKE_UNTIL(&fixture.api, fixture.n_kinds == 1);
    expect_states(&fixture, "Widget");
    finish(&fixture);
    fx_parameters_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_kept_while_their_kind_is_named),
        cmocka_unit_test(a_new_version_is_no_change),
        cmocka_unit_test(kinds_that_cannot_be_read),
        cmocka_unit_test(a_short_failure_is_waited_for),
        cmocka_unit_test(closing_while_asking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
