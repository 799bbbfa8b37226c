/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/schemas_test.c - when the list and the documents are read, and what
 * is left if they cannot be.
 */
#include "kube/fake_api.h"

#include "base/limits.h"
#include "cluster/references/schemas.h"

#define LIST   "/openapi/v3"
#define WIDGET "/openapi/v3/apis/example.com/v1"

struct fixture {
    struct fake_api api;
    struct fx_kube_client *client;
    struct fx_cluster_schemas schemas;
    unsigned n_reports;
    struct fx_schema_catalog *catalog; /* of the last report; counted, or NULL */
    struct fx_err failure;
};

static void on_done(struct fx_schema_catalog *catalog_take, const struct fx_err *failure,
                    void *user) {
    struct fixture *fixture = user;
    fixture->n_reports++;
    fx_schema_catalog_unref(fixture->catalog);
    fixture->catalog = catalog_take;
    fx_err_reset(&fixture->failure);
    if (failure != NULL) {
        fixture->failure = *failure;
    }
}

static void put_list(struct fixture *fixture, const char *hash) {
    char text[300];
    (void)snprintf(text, sizeof text,
                   "{\"metadata\":{},\"paths\":{\"apis/example.com/v1\":"
                   "{\"serverRelativeURL\":\"" WIDGET "?hash=%s\"},"
                   "\"api/v1\":{\"serverRelativeURL\":\"/openapi/v3/api/v1?hash=c\"}}}",
                   hash);
    fake_put(&fixture->api, LIST, text);
}

static void put_document(struct fixture *fixture, const char *kind) {
    char text[400];
    (void)snprintf(text, sizeof text,
                   "{\"metadata\":{},\"openapi\":\"3.0.0\",\"components\":{\"schemas\":"
                   "{\"x\":{\"type\":\"object\",\"x-kubernetes-group-version-kind\":"
                   "[{\"group\":\"example.com\",\"version\":\"v1\",\"kind\":\"%s\"}]}}}}",
                   kind);
    fake_put(&fixture->api, WIDGET, text);
}

static void start(struct fixture *fixture) {
    *fixture = (struct fixture){.n_reports = 0};
    fake_start(&fixture->api);
    fixture->client = fake_client(&fixture->api);
    assert_true(fx_cluster_schemas_init(&fixture->schemas, fixture->client));
    put_list(fixture, "a");
    put_document(fixture, "Widget");
}

static void finish(struct fixture *fixture) {
    fx_schema_catalog_unref(fixture->catalog);
    fx_cluster_schemas_finish(&fixture->schemas);
    fx_kube_client_close(fixture->client);
    fake_finish(&fixture->api);
}

static void begin_fetch(struct fixture *fixture, const char *group) {
    assert_true(fx_cluster_schemas_fetch(&fixture->schemas, fx_text_of(group),
                                         FX_TEXT("v1"), 0, on_done, fixture));
}

static void fetch(struct fixture *fixture, const char *group) {
    const unsigned before = fixture->n_reports;
    begin_fetch(fixture, group);
    FAKE_UNTIL(&fixture->api, fixture->n_reports > before);
}

static bool has_kind(const struct fixture *fixture, const char *kind) {
    assert_non_null(fixture->catalog);
    return fx_schema_find(fx_schema_catalog_set(fixture->catalog), FX_TEXT("example.com"),
                          FX_TEXT("v1"), fx_text_of(kind))
               .set != NULL;
}

static unsigned count_requests(const struct fixture *fixture, const char *path) {
    char line[200];
    unsigned n = 0;
    (void)snprintf(line, sizeof line, "GET %s\n", path);
    const char *at = fixture->api.requests.data;
    for (at = at == NULL ? NULL : strstr(at, line); at != NULL; n++) {
        at = strstr(at + 1, line);
    }
    return n;
}

static enum fx_lookup find(struct fixture *fixture, const char *group) {
    struct fx_schema_catalog *catalog = NULL;
    struct fx_err err = FX_ERR_INIT;
    const enum fx_lookup result = fx_cluster_schemas_find(
        &fixture->schemas, fx_text_of(group), FX_TEXT("v1"), &catalog, &err);
    assert_true((result == FX_LOOKUP_FOUND) == (catalog != NULL));
    assert_true((result == FX_LOOKUP_FAILED) == (err.code != FX_OK));
    fx_schema_catalog_unref(catalog);
    return result;
}

static void ends_list(struct fixture *fixture) {
    fixture->schemas.store.list_until_ns = 0;
}

static void documents_are_fetched_once(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    assert_int_equal(find(&fixture, "example.com"), FX_LOOKUP_WAIT);
    begin_fetch(&fixture, "example.com"); /* two reviews share the requests */
    fetch(&fixture, "example.com");
    FAKE_UNTIL(&fixture.api, fixture.n_reports == 2);
    assert_true(has_kind(&fixture, "Widget"));
    assert_int_equal(find(&fixture, "example.com"), FX_LOOKUP_FOUND);
    fetch(&fixture, "example.com"); /* at once */
    assert_int_equal(count_requests(&fixture, LIST), 1);
    assert_int_equal(count_requests(&fixture, WIDGET), 1);
    finish(&fixture);
}

static void changes_are_fetched(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fetch(&fixture, "example.com");
    ends_list(&fixture);
    assert_int_equal(find(&fixture, "example.com"), FX_LOOKUP_WAIT);
    fetch(&fixture, "example.com"); /* the same hash */
    assert_int_equal(count_requests(&fixture, LIST), 2);
    assert_int_equal(count_requests(&fixture, WIDGET), 1);
    struct fx_schema_catalog *old = fx_schema_catalog_ref(fixture.catalog);
    put_list(&fixture, "b");
    put_document(&fixture, "Gadget");
    ends_list(&fixture);
    fetch(&fixture, "example.com");
    assert_true(has_kind(&fixture, "Gadget") && !has_kind(&fixture, "Widget"));
    fx_schema_catalog_unref(fixture.catalog);
    fixture.catalog = old; /* a review that still has it */
    assert_true(has_kind(&fixture, "Widget"));
    finish(&fixture);
}

static void unknown_groups_fail(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fetch(&fixture, "other.com");
    assert_null(fixture.catalog);
    assert_string_equal(fixture.failure.msg,
                        "the API server has no schemas of apis/other.com/v1");
    assert_int_equal(find(&fixture, "other.com"), FX_LOOKUP_FAILED);
    fetch(&fixture, ""); /* it is in the list, but there is no document */
    assert_null(fixture.catalog);
    assert_int_equal(find(&fixture, ""), FX_LOOKUP_FAILED);
    assert_int_equal(count_requests(&fixture, "/openapi/v3/api/v1"), 1);
    ends_list(&fixture);
    fetch(&fixture, ""); /* the next list: once more */
    assert_int_equal(count_requests(&fixture, "/openapi/v3/api/v1"), 2);
    finish(&fixture);
}

/* A definition that is created after the list was read is found with the next list, which
 * is read earlier for its sake. */
static void new_groups_are_found(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fake_put(&fixture.api, LIST, "{\"metadata\":{},\"paths\":{}}");
    fetch(&fixture, "example.com");
    assert_null(fixture.catalog);
    put_list(&fixture, "a");
    assert_int_equal(find(&fixture, "example.com"), FX_LOOKUP_FAILED);
    fixture.schemas.store.none_until_ns = 0;
    assert_int_equal(find(&fixture, "example.com"), FX_LOOKUP_WAIT);
    fetch(&fixture, "example.com");
    assert_true(has_kind(&fixture, "Widget"));
    fixture.schemas.store.none_until_ns = 0;
    assert_int_equal(find(&fixture, "example.com"), FX_LOOKUP_FOUND);
    assert_int_equal(count_requests(&fixture, LIST), 2);
    finish(&fixture);
}

static void failures_leave_what_was_read(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fetch(&fixture, "example.com");
    fake_delete(&fixture.api, LIST);
    ends_list(&fixture);
    fetch(&fixture, "example.com");
    assert_true(has_kind(&fixture, "Widget"));
    put_list(&fixture, "b");
    fake_delete(&fixture.api, WIDGET);
    ends_list(&fixture);
    fetch(&fixture, "example.com");
    assert_true(has_kind(&fixture, "Widget"));
    fake_put(&fixture.api, WIDGET, "{\"metadata\":{}}"); /* not a document */
    ends_list(&fixture);
    fetch(&fixture, "example.com");
    assert_true(has_kind(&fixture, "Widget"));
    put_document(&fixture, "Gadget");
    ends_list(&fixture);
    fetch(&fixture, "example.com");
    assert_true(has_kind(&fixture, "Gadget"));
    finish(&fixture);
}

static void no_list_at_all(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    fake_delete(&fixture.api, LIST);
    fetch(&fixture, "example.com");
    assert_null(fixture.catalog);
    assert_int_equal(find(&fixture, "example.com"), FX_LOOKUP_FAILED);
    finish(&fixture);
}

static void documents_are_bounded(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_buf list = {0};
    char text[200];
    start(&fixture);
    fx_buf_str(&list, "{\"metadata\":{},\"paths\":{\"a\":{}");
    for (unsigned i = 0; i <= FX_LIMIT_SCHEMA_DOCUMENTS; i++) {
        fx_buf_printf(&list, ",\"apis/g%u/v1\":{\"serverRelativeURL\":\"/x\"}", i);
        (void)snprintf(text, sizeof text, "/openapi/v3/apis/g%u/v1", i);
        fake_put(&fixture.api, text, "{\"metadata\":{},\"components\":{\"schemas\":{}}}");
    }
    fx_buf_str(&list, "}}");
    assert_false(list.failed);
    fake_put(&fixture.api, LIST, list.data);
    for (unsigned i = 0; i <= FX_LIMIT_SCHEMA_DOCUMENTS; i++) {
        (void)snprintf(text, sizeof text, "g%u", i);
        fetch(&fixture, text);
        assert_non_null(fixture.catalog);
    }
    assert_int_equal(fixture.schemas.store.n_items, FX_LIMIT_SCHEMA_DOCUMENTS);
    assert_int_equal(find(&fixture, text), FX_LOOKUP_FOUND);
    assert_int_equal(find(&fixture, "g0"), FX_LOOKUP_WAIT);
    fx_buf_finish(&list);
    finish(&fixture);
}

static void waiters_are_cancelled(void **state) {
    (void)state;
    struct fixture fixture;
    start(&fixture);
    begin_fetch(&fixture, "example.com");
    finish(&fixture);
    assert_int_equal(fixture.n_reports, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_fetched_once),
        cmocka_unit_test(changes_are_fetched),
        cmocka_unit_test(unknown_groups_fail),
        cmocka_unit_test(new_groups_are_found),
        cmocka_unit_test(failures_leave_what_was_read),
        cmocka_unit_test(no_list_at_all),
        cmocka_unit_test(documents_are_bounded),
        cmocka_unit_test(waiters_are_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
