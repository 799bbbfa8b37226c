/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/request_test.c - each verb as it is sent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "kube/request.h"

#define SERVER "https://10.96.0.1:443"
#define ASSIGN "/apis/mutations.gatekeeper.sh/v1/assign"

static const struct fx_kube_resource assign = {"mutations.gatekeeper.sh", "v1", "assign",
                                               "Assign"};
static const struct fx_kube_resource secrets = {"", "v1", "secrets", "Secret"};

enum { FORCE = 1, METADATA = 2, BODY = 4 };

static const struct {
    const char *server;
    enum fx_kube_verb verb;
    unsigned flags;
    const struct fx_kube_resource *resource;
    const char *namespace_, *name, *subresource, *query, *manager;
    const char *method, *url, *content_type, *accept;
} cases[] = {
    {SERVER, FX_KUBE_VERB_GET, 0, &assign, NULL, "a", NULL, NULL, "fixpoint", "GET",
     SERVER ASSIGN "/a", NULL, "application/json"},
    {SERVER "/", FX_KUBE_VERB_GET, METADATA, &secrets, "ns", "a", NULL, NULL, NULL, "GET",
     SERVER "/api/v1/namespaces/ns/secrets/a", NULL,
     "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"},
    {SERVER "/k8s/clusters/c", FX_KUBE_VERB_LIST, METADATA, &assign, NULL, NULL, NULL,
     "limit=500", NULL, "GET", SERVER "/k8s/clusters/c" ASSIGN "?limit=500", NULL,
     "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"},
    {SERVER, FX_KUBE_VERB_WATCH, METADATA, &assign, NULL, NULL, NULL, "watch=true", NULL,
     "GET", SERVER ASSIGN "?watch=true", NULL,
     "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"},
    {SERVER, FX_KUBE_VERB_CREATE, BODY, &secrets, "ns", "a", NULL, NULL, "fixpoint/x",
     "POST", SERVER "/api/v1/namespaces/ns/secrets?fieldManager=fixpoint%2Fx",
     "application/json", "application/json"},
    {SERVER, FX_KUBE_VERB_UPDATE, FORCE | BODY, &assign, NULL, "a", "status", NULL,
     "fixpoint", "PUT", SERVER ASSIGN "/a/status?fieldManager=fixpoint",
     "application/json", "application/json"},
    {SERVER, FX_KUBE_VERB_APPLY, FORCE | BODY, &assign, NULL, "a", "status", "dryRun=All",
     "fixpoint-x", "PATCH",
     SERVER ASSIGN "/a/status?dryRun=All&fieldManager=fixpoint-x&force=true",
     "application/apply-patch+yaml", "application/json"},
    {SERVER, FX_KUBE_VERB_APPLY, BODY, &assign, NULL, "a", NULL, NULL, "m", "PATCH",
     SERVER ASSIGN "/a?fieldManager=m", "application/apply-patch+yaml",
     "application/json"},
    {SERVER, FX_KUBE_VERB_MERGE_PATCH, BODY, &assign, NULL, "a", NULL, NULL, "m", "PATCH",
     SERVER ASSIGN "/a?fieldManager=m", "application/merge-patch+json",
     "application/json"},
};

static void check(size_t i, const struct fx_kube_wire *wire) {
    assert_string_equal(wire->method, cases[i].method);
    assert_string_equal(wire->url_text.data, cases[i].url);
    assert_string_equal(wire->accept, cases[i].accept);
    assert_int_equal(wire->url.port, 443);
    assert_true((wire->content_type == NULL) == (cases[i].content_type == NULL));
    if (cases[i].content_type != NULL) {
        assert_string_equal(wire->content_type, cases[i].content_type);
        assert_string_equal(wire->body.data, "{\"a\":1}");
    }
    /* A write may be there already when it seems to have failed; an apply is the same
     * the second time. */
    assert_true(wire->repeatable == (strcmp(wire->method, "GET") == 0 ||
                                     cases[i].verb == FX_KUBE_VERB_APPLY));
    assert_string_equal(wire->resource.plural, cases[i].resource->plural);
    assert_true(wire->resource.plural != cases[i].resource->plural);
}

static void every_verb(void **state) {
    (void)state;
    json_t *body = json_pack("{s:i}", "a", 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_kube_wire wire;
        const struct fx_kube_request request = {
            .verb = cases[i].verb,
            .resource = cases[i].resource,
            .name = {.namespace_ = fx_text_of(cases[i].namespace_),
                     .name = fx_text_of(cases[i].name),
                     .subresource = cases[i].subresource},
            .body = (cases[i].flags & BODY) != 0 ? body : NULL,
            .query = cases[i].query,
            .metadata_only = (cases[i].flags & METADATA) != 0,
            .manager = cases[i].manager,
            .force = (cases[i].flags & FORCE) != 0,
        };
        if (!fx_kube_wire_init(&wire, cases[i].server, &request, &err)) {
            fail_msg("case %zu: %s", i, err.msg);
        }
        check(i, &wire);
        fx_kube_wire_finish(&wire);
        fx_kube_wire_finish(&wire);
    }
    json_decref(body);
}

/* Instead of the path of a resource; below the prefix of the server. */
static void other_paths(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_kube_wire wire;
    const struct fx_kube_request request = {.verb = FX_KUBE_VERB_GET,
                                            .resource = &assign,
                                            .name = {.name = FX_TEXT("a")},
                                            .path = "/openapi/v3/api/v1",
                                            .query = "a=b"};
    assert_true(fx_kube_wire_init(&wire, SERVER "/k8s/", &request, &err));
    assert_string_equal(wire.url_text.data, SERVER "/k8s/openapi/v3/api/v1?a=b");
    assert_string_equal(wire.accept, "application/json");
    fx_kube_wire_finish(&wire);
}

/* What is too long or cannot be a URL is refused, and leaves nothing behind. */
static void requests_that_cannot_be(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_kube_wire wire;
    struct fx_buf query = {0};
    fx_buf_fill(&query, 'x', 9000);
    struct fx_kube_request request = {
        .verb = FX_KUBE_VERB_LIST, .resource = &assign, .query = query.data};
    assert_false(fx_kube_wire_init(&wire, SERVER, &request, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    assert_null(wire.url_text.data);
    request.query = "a b";
    assert_false(fx_kube_wire_init(&wire, SERVER, &request, &err));
    assert_int_equal(err.code, FX_ESYNTAX);
    fx_buf_finish(&query);
}

static void verbs_have_the_names_of_rbac(void **state) {
    (void)state;
    assert_string_equal(fx_kube_verb_name(FX_KUBE_VERB_LIST), "list");
    assert_string_equal(fx_kube_verb_name(FX_KUBE_VERB_APPLY), "patch");
    assert_string_equal(fx_kube_verb_name(FX_KUBE_VERB_MERGE_PATCH), "patch");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verb),
        cmocka_unit_test(other_paths),
        cmocka_unit_test(requests_that_cannot_be),
        cmocka_unit_test(verbs_have_the_names_of_rbac),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
