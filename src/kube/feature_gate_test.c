/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/feature_gate_test.c - versions, pages of metrics in pieces, and failures.
 */
#include "kube/fake_api.h"

#include "base/limits.h"
#include "kube/feature_gate.h"

#define NAME(gate) "kubernetes_feature_enabled{name=\"" gate "\",stage=\"BETA\"}"

/* ---- pages ------------------------------------------------------------------------ */

/* Reads the page in pieces of this size; a page that ends without a line end loses its
 * last line. */
static enum fx_kube_gate read_page(const char *page, size_t size) {
    struct fx_kube_gate_reader reader = {.name = "X"};
    bool is_known = false;
    for (size_t at = 0; at < strlen(page) && !is_known; at += size) {
        const size_t rest = strlen(page + at);
        is_known = fx_kube_gate_feed(
            &reader, (struct fx_text){page + at, rest < size ? rest : size});
    }
    assert_int_equal(is_known, reader.gate >= FX_KUBE_GATE_OFF);
    return reader.gate;
}

static void pages(void **state) {
    (void)state;
    static const struct {
        const char *page;
        enum fx_kube_gate gate;
    } cases[] = {
        {"", FX_KUBE_GATE_UNREAD},
        {"# TYPE kubernetes_feature_enabled gauge\n", FX_KUBE_GATE_UNREAD},
        {"up 1\n" NAME("X") " 1\nup 1\n", FX_KUBE_GATE_ON},
        {NAME("X") " 0\n", FX_KUBE_GATE_OFF},
        {NAME("X") "  1 1730000000\r\n", FX_KUBE_GATE_ON},
        {"kubernetes_feature_enabled{stage=\"\", name=\"X\"} 1\n", FX_KUBE_GATE_ON},
        {NAME("XY") " 1\n" NAME("AX") " 1\n", FX_KUBE_GATE_NONE},
        {NAME("XY") " 1\n" NAME("X") " 0\n" NAME("Z") " 1\n", FX_KUBE_GATE_OFF},
        {"kubernetes_feature_enabled{stage=\"X\"} 1\n", FX_KUBE_GATE_NONE},
        {"kubernetes_feature_enabled_x{name=\"X\"} 1\n", FX_KUBE_GATE_UNREAD},
        {"a_kubernetes_feature_enabled{name=\"X\"} 1\n", FX_KUBE_GATE_UNREAD},
        {NAME("X") " +Inf\n", FX_KUBE_GATE_UNREAD},
        {NAME("X") "\n", FX_KUBE_GATE_UNREAD},
        {"kubernetes_feature_enabled{name=\"X\"", FX_KUBE_GATE_UNREAD},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const size_t len = strlen(cases[i].page);
        for (size_t size = 1; size <= len; size++) {
            assert_int_equal(read_page(cases[i].page, size), cases[i].gate);
        }
    }
}

/* A long line is skipped, whatever it has, and the next one is read. */
static void long_lines(void **state) {
    (void)state;
    struct fx_buf page = {0};
    fx_buf_str(&page, NAME("X") " 1");
    while (page.len <= FX_KUBE_GATE_LINE_BYTES) {
        fx_buf_char(&page, ' ');
    }
    const size_t end = page.len;
    fx_buf_str(&page, "\n" NAME("X") " 0\n");
    assert_false(page.failed);
    for (size_t size = 1; size <= page.len; size += 37) {
        assert_int_equal(read_page(page.data, size), FX_KUBE_GATE_OFF);
    }
    page.data[end - 1] = '\n'; /* one byte shorter: it fits */
    assert_int_equal(read_page(page.data, 64), FX_KUBE_GATE_ON);
    fx_buf_finish(&page);
}

/* ---- versions --------------------------------------------------------------------- */

static void versions(void **state) {
    (void)state;
    static const struct {
        const char *answer, *text; /* NULL: refused */
        unsigned minor;
    } cases[] = {
        {"{\"major\":\"1\",\"minor\":\"34\",\"gitVersion\":\"v1.34.2\"}", "v1.34.2", 34},
        {"{\"major\":\"1\",\"minor\":\"32+\",\"gitVersion\":\"v1.32.0-eks x\\n\"}",
         "v1.32.0-eks?x?", 32},
        {"{\"major\":\"1\",\"minor\":\"9\"}", "1.9", 9},
        {"{\"major\":\"1\",\"minor\":\"\"}", NULL, 0},
        {"{\"major\":\"x\",\"minor\":\"3\"}", NULL, 0},
        {"{\"major\":\"1\",\"minor\":\"99999999999\"}", NULL, 0},
        {"{\"major\":1,\"minor\":36}", NULL, 0},
        {"{}", NULL, 0},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_kube_version version;
        json_t *answer = fx_json_read(fx_text_of(cases[i].answer), NULL, &err);
        assert_non_null(answer);
        assert_int_equal(fx_kube_version_read(answer, &version), cases[i].text != NULL);
        if (cases[i].text != NULL) {
            assert_string_equal(version.text, cases[i].text);
            assert_int_equal(version.major, 1);
            assert_int_equal(version.minor, cases[i].minor);
        }
        json_decref(answer);
    }
}

/* ---- requests --------------------------------------------------------------------- */

struct fixture {
    struct fake_api api;
    struct fx_kube_client *client;
    unsigned n_reports;
    enum fx_kube_gate gate;
    bool has_version;
    char failure[FX_ERR_TEXT]; /* of the last report; empty: none */
};

static void on_facts(const struct fx_kube_server_facts *facts, void *user) {
    struct fixture *fixture = user;
    fixture->n_reports++;
    fixture->gate = facts->gate;
    fixture->has_version = facts->version != NULL;
    (void)snprintf(fixture->failure, sizeof fixture->failure, "%s",
                   facts->failure == NULL ? "" : facts->failure->message);
}

static void start(struct fixture *fixture) {
    *fixture = (struct fixture){.n_reports = 0};
    fake_start(&fixture->api);
    fixture->client = fake_client(&fixture->api);
    fake_put(&fixture->api, "/version",
             "{\"metadata\":{},\"major\":\"1\",\"minor\":\"34\"}");
    fixture->api.metrics = NAME("A") " 1\n" NAME("X") " 1\n";
}

static void finish(struct fixture *fixture) {
    fx_kube_client_close(fixture->client);
    fake_finish(&fixture->api);
}

static void ask(struct fixture *fixture, const char *gate) {
    const unsigned before = fixture->n_reports;
    assert_non_null(fx_kube_gate_query_start(fixture->client, gate, on_facts, fixture));
    assert_int_equal(fixture->n_reports, before); /* later */
    FAKE_UNTIL(&fixture->api, fixture->n_reports > before);
    assert_int_equal(fixture->n_reports, before + 1);
}

static void set_fault(struct fixture *fixture, const char *about, unsigned status) {
    fixture->api.faults[0] =
        (struct fake_fault){.about = about, .status = status, .times = 1};
}

static void facts_of_a_server(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    ask(&fixture, "X");
    assert_true(fixture.has_version);
    assert_int_equal(fixture.gate, FX_KUBE_GATE_ON);
    assert_string_equal(fixture.failure, "");
    ask(&fixture, "Y");
    assert_int_equal(fixture.gate, FX_KUBE_GATE_NONE);
    const size_t before = fixture.api.server.n_requests;
    ask(&fixture, NULL); /* the version alone */
    assert_true(fixture.has_version);
    assert_int_equal(fixture.gate, FX_KUBE_GATE_UNREAD);
    assert_int_equal(fixture.api.server.n_requests, before + 1);
    finish(&fixture);
}

static void failures_of_a_server(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    set_fault(&fixture, "GET /version", 503);
    ask(&fixture, "X");
    assert_false(fixture.has_version);
    assert_int_equal(fixture.gate, FX_KUBE_GATE_UNREAD);
    assert_non_null(strstr(fixture.failure, "get version: 503"));
    set_fault(&fixture, "GET /version", 403); /* the gate is read all the same */
    ask(&fixture, "X");
    assert_false(fixture.has_version);
    assert_int_equal(fixture.gate, FX_KUBE_GATE_ON);
    set_fault(&fixture, "GET /metrics", 403);
    ask(&fixture, "X");
    assert_true(fixture.has_version);
    assert_int_equal(fixture.gate, FX_KUBE_GATE_UNREAD);
    assert_non_null(strstr(fixture.failure, "get metrics: 403"));
    fixture.api.metrics = "up 1\n";
    ask(&fixture, "X");
    assert_string_equal(fixture.failure, "get metrics: the page has no feature gates");
    fixture.api.metrics = "up 1\n" NAME("X") " 0"; /* the last line has no end */
    ask(&fixture, "X");
    assert_int_equal(fixture.gate, FX_KUBE_GATE_OFF);
    finish(&fixture);
}

static void requests_are_cancelled(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fixture.api.faults[0] =
        (struct fake_fault){.about = "GET /metrics", .times = 1, .silent = true};
    struct fx_kube_gate_query *query =
        fx_kube_gate_query_start(fixture.client, "X", on_facts, &fixture);
    assert_non_null(query);
    FAKE_UNTIL(&fixture.api, fixture.api.server.n_requests == 2);
    fx_kube_gate_query_cancel(query);
    fx_kube_gate_query_cancel(NULL);
    assert_int_equal(fixture.n_reports, 0);
    finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(versions),
        cmocka_unit_test(facts_of_a_server),
        cmocka_unit_test(failures_of_a_server),
        cmocka_unit_test(requests_are_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
