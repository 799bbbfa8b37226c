/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/native_test.c - who runs the policies of a native kind.
 */
#include "kube/fake_api.h"

#include "cluster/policies/native.h"

#define PAGE(gate, value) "kubernetes_feature_enabled{name=\"" gate "\"} " value "\n"

static const struct fx_native_api api = {
    .feature_gate = "X", .first_minor = 32, .default_minor = 36};
static const struct fx_kind kind = {
    .group = "g.dev", .kind = "Policy", .resource = "policies", .native = &api};

static void decisions(void **state) {
    (void)state;
    static const struct {
        unsigned major, minor; /* 0: not known */
        enum fx_kube_gate gate;
        enum fx_native_state state;
    } cases[] = {
        {1, 31, FX_KUBE_GATE_ON, FX_NATIVE_LEFT},
        {1, 34, FX_KUBE_GATE_ON, FX_NATIVE_LEFT},
        {0, 0, FX_KUBE_GATE_ON, FX_NATIVE_LEFT},
        {1, 34, FX_KUBE_GATE_OFF, FX_NATIVE_RUN},
        {1, 36, FX_KUBE_GATE_OFF, FX_NATIVE_RUN},
        {0, 0, FX_KUBE_GATE_OFF, FX_NATIVE_RUN},
        {1, 31, FX_KUBE_GATE_NONE, FX_NATIVE_RUN},
        {1, 35, FX_KUBE_GATE_NONE, FX_NATIVE_RUN},
        {1, 36, FX_KUBE_GATE_NONE, FX_NATIVE_LEFT},
        {2, 0, FX_KUBE_GATE_NONE, FX_NATIVE_LEFT},
        {0, 0, FX_KUBE_GATE_NONE, FX_NATIVE_UNKNOWN},
        {1, 31, FX_KUBE_GATE_UNREAD, FX_NATIVE_RUN},
        {1, 32, FX_KUBE_GATE_UNREAD, FX_NATIVE_UNKNOWN},
        {1, 35, FX_KUBE_GATE_UNREAD, FX_NATIVE_UNKNOWN},
        {1, 36, FX_KUBE_GATE_UNREAD, FX_NATIVE_LEFT},
        {0, 0, FX_KUBE_GATE_UNREAD, FX_NATIVE_UNKNOWN},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct fx_kube_version version = {
            .major = cases[i].major, .minor = cases[i].minor, .text = "v"};
        const struct fx_kube_server_facts facts = {
            .version = version.major == 0 ? NULL : &version, .gate = cases[i].gate};
        assert_int_equal(fx_native_decide(&api, &facts), cases[i].state);
    }
}

/* ---- */

struct fixture {
    struct fake_api api;
    struct fx_kube_client *client;
    struct fx_native *native;
    unsigned n_changes;
};

static void on_change(void *user) {
    struct fixture *fixture = user;
    fixture->n_changes++;
}

static void put_version(struct fixture *fixture, const char *minor) {
    char text[100];
    (void)snprintf(text, sizeof text,
                   "{\"metadata\":{},\"major\":\"1\",\"minor\":\"%s\"}", minor);
    fake_put(&fixture->api, "/version", text);
}

static void start(struct fixture *fixture, enum fx_native_mode mode) {
    *fixture = (struct fixture){.n_changes = 0};
    fake_start(&fixture->api);
    fixture->client = fake_client(&fixture->api);
    put_version(fixture, "34");
    fixture->api.metrics = PAGE("X", "0");
    fixture->native = fx_native_create(&fixture->api.server.loop, fixture->client, &kind,
                                       mode, on_change, fixture);
    assert_non_null(fixture->native);
}

static void finish(struct fixture *fixture) {
    fx_native_close(fixture->native);
    fx_kube_client_close(fixture->client);
    fake_finish(&fixture->api);
}

static void expect(struct fixture *fixture, enum fx_native_state state,
                   const char *reason) {
    FAKE_UNTIL(&fixture->api, fx_native_get(fixture->native) == state);
    assert_non_null(strstr(fx_native_reason(fixture->native), reason));
}

static void changes_are_reported_once(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture, FX_NATIVE_MODE_AUTO);
    assert_int_equal(fx_native_get(fixture.native), FX_NATIVE_CHECKING);
    fx_native_check(fixture.native); /* it is being read */
    expect(&fixture, FX_NATIVE_RUN, "its feature gate X is off");
    assert_int_equal(fixture.n_changes, 1);
    assert_int_equal(fixture.api.server.n_requests, 2);
    fixture.api.metrics = PAGE("X", "1");
    fx_native_check(fixture.native);
    expect(&fixture, FX_NATIVE_LEFT, "its feature gate X is on");
    assert_int_equal(fixture.n_changes, 2);
    put_version(&fixture, "36");
    fixture.api.metrics = PAGE("Y", "1");
    fx_native_check(fixture.native); /* the same state for another reason */
    FAKE_UNTIL(&fixture.api, strcmp(fx_native_reason(fixture.native),
                                    "Kubernetes 1.36 does so by default") == 0);
    assert_int_equal(fixture.n_changes, 2);
    finish(&fixture);
}

/* What was decided stays until there is another answer. */
static void outages_change_nothing(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture, FX_NATIVE_MODE_AUTO);
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET /metrics", .status = 503, .times = 1};
    expect(&fixture, FX_NATIVE_RUN, "off"); /* asked again */
    fixture.api.metrics = PAGE("X", "1");
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET /version", .status = 503, .times = 1};
    const size_t before = fixture.api.server.n_requests;
    fx_native_check(fixture.native);
    FAKE_UNTIL(&fixture.api, fixture.api.server.n_requests > before);
    assert_int_equal(fx_native_get(fixture.native), FX_NATIVE_RUN);
    expect(&fixture, FX_NATIVE_LEFT, "on"); /* asked again */
    finish(&fixture);
}

/* A page that cannot be read for long lets the version decide. */
static void the_version_decides_in_the_end(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture, FX_NATIVE_MODE_AUTO);
    put_version(&fixture, "31");
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET /metrics", .status = 500, .times = 100};
    expect(&fixture, FX_NATIVE_RUN, "Kubernetes 1.31 has no feature gate X");
    finish(&fixture);
}

static void what_may_not_be_read(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture, FX_NATIVE_MODE_AUTO);
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET /metrics", .status = 403, .times = 1};
    expect(&fixture, FX_NATIVE_UNKNOWN, "its feature gate X cannot be read: get metrics");
    fx_native_check(fixture.native);
    expect(&fixture, FX_NATIVE_RUN, "off");
    finish(&fixture);
}

static void the_operator_decides(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture, FX_NATIVE_MODE_RUN);
    assert_int_equal(fx_native_get(fixture.native), FX_NATIVE_RUN);
    assert_string_equal(fx_native_reason(fixture.native), "--native-policies run");
    fx_native_check(fixture.native);
    finish(&fixture);
    assert_int_equal(fixture.api.server.n_requests, 0);
    start(&fixture, FX_NATIVE_MODE_LEAVE);
    assert_int_equal(fx_native_get(fixture.native), FX_NATIVE_LEFT);
    finish(&fixture);
    fx_native_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions),
        cmocka_unit_test(changes_are_reported_once),
        cmocka_unit_test(outages_change_nothing),
        cmocka_unit_test(the_version_decides_in_the_end),
        cmocka_unit_test(what_may_not_be_read),
        cmocka_unit_test(the_operator_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
