/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_schemas_test.c - how definitions keep a status.
 */
#include "kube/fake_api.h"

#include "cluster/status/status_internal.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

#define SUBRESOURCE "\"subresources\":{\"status\":{}},"
#define STATUS_OF(name, more, properties)                              \
    "{\"name\":\"" name "\"," more "\"schema\":{\"openAPIV3Schema\":{" \
    "\"properties\":{\"spec\":{},\"status\":{\"properties\":{" properties "}}}}}}"
/* A version whose byPod has this more. */
#define VERSION(name, more) \
    STATUS_OF(name, SUBRESOURCE, "\"byPod\":{\"type\":\"array\"" more "}")
#define MAP(keys) \
    ",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[" keys "]"
#define KEYED  MAP("\"id\"")
#define ATOMIC ",\"x-kubernetes-list-type\":\"atomic\""
#define CONDITIONS \
    "\"byPod\":{\"x\":1" KEYED "},\"conditions\":{\"x\":1" MAP("\"type\"") "}"
#define KEEPS "\"x-kubernetes-preserve-unknown-fields\":true"
#define CRD(versions) \
    "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"versions\":[" versions "]}}"
#define BARE(more) \
    "{\"name\":\"v1\"," SUBRESOURCE "\"schema\":{\"openAPIV3Schema\":{" more "}}}"

static const struct {
    const char *crd, *version;
    struct fx_status_schema room;
} cases[] = {
    {CRD(VERSION("v1", KEYED)), "v1", {FX_STATUS_KEYED, false, false}},
    {CRD(VERSION("v1", ATOMIC)), "v1", {FX_STATUS_ATOMIC, false, false}},
    {CRD(VERSION("v1", "")),
     "v1",
     {FX_STATUS_ATOMIC, false, false}}, /* as Gatekeeper's own */
    {CRD(VERSION("v1", KEYED) "," VERSION("v1beta1", "")),
     "v1",
     {FX_STATUS_KEYED, false, false}},
    {CRD(VERSION("v1", KEYED) "," VERSION("v1beta1", "")),
     "v1beta1",
     {FX_STATUS_ATOMIC, false, false}},
    {CRD(VERSION("v1", "") "," VERSION("v1beta1", KEYED)),
     "v1beta1",
     {FX_STATUS_KEYED, false, false}},
    {CRD(VERSION("v1", KEYED)), "v1alpha1", {FX_STATUS_ATOMIC, false, false}},
    {CRD(VERSION("v1", KEYED)), "v", {FX_STATUS_ATOMIC, false, false}},
    /* keyed by something else: an apply could not find our entry by its id */
    {CRD(VERSION("v1", MAP("\"mutatorUID\""))), "v1", {FX_STATUS_ATOMIC, false, false}},
    {CRD(VERSION("v1", MAP("\"id\",\"mutatorUID\""))),
     "v1",
     {FX_STATUS_ATOMIC, false, false}},
    {CRD(VERSION("v1", ",\"x-kubernetes-list-type\":\"map\"")),
     "v1",
     {FX_STATUS_ATOMIC, false, false}},
    {CRD(VERSION("v1", ",\"x-kubernetes-list-type\":[\"map\"]")),
     "v1",
     {FX_STATUS_ATOMIC, false, false}},
    /* conditions, which are applied or not at all */
    {CRD(STATUS_OF("v1", SUBRESOURCE, CONDITIONS)), "v1", {FX_STATUS_KEYED, true, false}},
    {CRD(STATUS_OF("v1", SUBRESOURCE, "\"conditions\":{\"type\":\"array\"}")),
     "v1",
     {FX_STATUS_NONE, false, false}},
    {CRD(STATUS_OF("v1", "", CONDITIONS)), "v1", {FX_STATUS_NONE, false, false}},
    {CRD(STATUS_OF("v1", SUBRESOURCE,
                   "\"byPod\":{\"x\":1" KEYED
                   "},\"typeChecking\":{\"type\":\"object\"}")),
     "v1",
     {FX_STATUS_KEYED, false, true}},
    /* byPod is pruned, or not */
    {CRD(STATUS_OF("v1", SUBRESOURCE, "")), "v1", {FX_STATUS_NONE, false, false}},
    {CRD(BARE("\"type\":\"object\"")), "v1", {FX_STATUS_NONE, false, false}},
    {CRD(BARE(KEEPS)), "v1", {FX_STATUS_ATOMIC, false, false}},
    {CRD(BARE("\"properties\":{\"status\":{" KEEPS "}}")),
     "v1",
     {FX_STATUS_ATOMIC, false, false}},
    {"{\"spec\":{\"preserveUnknownFields\":true,\"versions\":[" BARE("") "]}}",
     "v1",
     {FX_STATUS_ATOMIC, false, false}},
    /* KubeMod's own: a status without fields, and without a subresource */
    {CRD("{\"name\":\"v1\",\"schema\":{\"openAPIV3Schema\":{\"properties\":{"
         "\"status\":{\"type\":\"object\"}}}}}"),
     "v1",
     {FX_STATUS_NONE, false, false}},
    {CRD("{\"name\":\"v1\"}"), "v1", {FX_STATUS_NONE, false, false}},
    {CRD("7,null"), "v1", {FX_STATUS_ATOMIC, false, false}},
    {"{\"spec\":{\"versions\":{\"name\":\"v1\"}}}",
     "v1",
     {FX_STATUS_ATOMIC, false, false}},
    {"{\"spec\":7}", "v1", {FX_STATUS_ATOMIC, false, false}},
    {"{}", "v1", {FX_STATUS_ATOMIC, false, false}},
    {"[]", "v1", {FX_STATUS_ATOMIC, false, false}},
};

static void what_there_is_room_for(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *crd = fx_json_read(fx_text_of(cases[i].crd), NULL, &err);
        assert_non_null(crd);
        const struct fx_status_schema room = fx_status_schema_read(crd, cases[i].version);
        if (room.by_pod != cases[i].room.by_pod ||
            room.conditions != cases[i].room.conditions ||
            room.types != cases[i].room.types) {
            fail_msg("case %zu", i);
        }
        json_decref(crd);
    }
}

static bool is(const unsigned *count, unsigned wanted) {
    return *count == wanted;
}

static void on_known(void *user) {
    (*(unsigned *)user)++;
}

/* As below: an Assign in v1, and a Remove. */
static void expect_keyed(const struct fx_status_schemas *lists,
                         const struct fx_kube_resource *version) {
    const bool keyed = version == &fx_cluster_kind_at(0)->versions[0] ||
                       strcmp(version->kind, "Remove") == 0;
    if ((fx_status_schemas_get(lists, version).by_pod == FX_STATUS_KEYED) != keyed) {
        fail_msg("%s.%s", version->plural, version->group);
    }
}

static void expect_room(const struct fx_status_schemas *lists,
                        const struct fx_cluster_kind *kind, int by_pod) {
    assert_int_equal(fx_status_schemas_get(lists, &kind->versions[0]).by_pod, by_pod);
}

/* The number of kinds whose status Fixpoint writes, without API servers' own. */
static unsigned n_kinds(void) {
    unsigned n = 0;
    for (size_t i = 0; i < fx_cluster_kinds_count(); i++) {
        const struct fx_cluster_kind *kind = fx_cluster_kind_at(i);
        n += fx_cluster_kind_has(kind, FX_KIND_STATUS_BY_POD) &&
             kind->kind->native == NULL;
    }
    return n;
}

/* A CRD that cannot be read, or does not exist, is not keyed; all of them are
 * requested. */
static void they_are_asked_for(void **state) {
    (void)state;
    struct fake_api api;
    struct fx_err err = FX_ERR_INIT;
    unsigned n_known = 0;
    fake_start(&api);
    fake_put(&api, CRDS "/assign.mutations.gatekeeper.sh",
             CRD(VERSION("v1", KEYED) "," VERSION("v1beta1", ATOMIC)));
    fake_put(&api, CRDS "/modifyset.mutations.gatekeeper.sh", CRD(VERSION("v1", KEYED)));
    fake_put(&api, CRDS "/fixpointremoves.mutations.fixpoint.dev",
             CRD(VERSION("v1alpha1", KEYED)));
    api.faults[0] = (struct fake_fault){"GET " CRDS "/modifyset.mutations.gatekeeper.sh",
                                        403, 1, false};
    struct fx_kube_client *client = fake_client(&api);
    struct fx_status_schemas *lists = fx_status_schemas_create(
        &api.server.loop, client, FX_CLUSTER_API_ALL, on_known, &n_known, &err);
    assert_non_null(lists);
    assert_false(fx_status_schemas_known(lists));
    FAKE_UNTIL(&api, is(&n_known, 1));
    assert_true(fx_status_schemas_known(lists));
    assert_int_equal(fake_count(&api.requests, "GET " CRDS "/"), n_kinds());
    for (size_t i = 0; i < fx_cluster_kinds_count(); i++) {
        for (size_t j = 0; j < fx_cluster_kind_at(i)->n_versions; j++) {
            expect_keyed(lists, &fx_cluster_kind_at(i)->versions[j]);
        }
    }
    const struct fx_kube_resource other = fx_cluster_kind_at(0)->versions[0];
    assert_int_equal(fx_status_schemas_get(lists, &other).by_pod, FX_STATUS_ATOMIC);
    fx_status_schemas_close(lists);
    fx_status_schemas_close(NULL);
    fx_kube_client_close(client);
    fake_finish(&api);
}

static unsigned n_asked(const struct fake_api *api) {
    return (unsigned)fake_count(&api->requests, "GET " CRDS "/");
}

/* If objects appear whose CRD did not exist, it is requested once more; if it still
 * does not exist, not again. */
static void one_that_comes_late(void **state) {
    (void)state;
    struct fake_api api;
    struct fx_err err = FX_ERR_INIT;
    unsigned n_known = 0;
    fake_start(&api);
    fake_put(&api, CRDS "/modifyset.mutations.gatekeeper.sh", CRD(VERSION("v1", KEYED)));
    struct fx_kube_client *client = fake_client(&api);
    struct fx_status_schemas *lists = fx_status_schemas_create(
        &api.server.loop, client, FX_CLUSTER_API_ALL, on_known, &n_known, &err);
    assert_non_null(lists);
    FAKE_UNTIL(&api, is(&n_known, 1));
    fx_status_schemas_request(lists,
                              fx_cluster_kind_at(3)); /* ModifySet, which was there */
    assert_true(fx_status_schemas_known(lists));
    fake_put(&api, CRDS "/assign.mutations.gatekeeper.sh", CRD(VERSION("v1", KEYED)));
    fx_status_schemas_request(lists, fx_cluster_kind_at(0));
    assert_false(fx_status_schemas_known(lists));
    FAKE_UNTIL(&api, is(&n_known, 2));
    expect_room(lists, fx_cluster_kind_at(0), FX_STATUS_KEYED);
    assert_int_equal(n_asked(&api), 2 * n_kinds());
    fx_status_schemas_request(lists, fx_cluster_kind_at(1)); /* which there is not */
    FAKE_UNTIL(&api, is(&n_known, 3));
    fx_status_schemas_request(lists, fx_cluster_kind_at(1));
    assert_true(fx_status_schemas_known(lists));
    assert_int_equal(n_asked(&api), 3 * n_kinds());
    fx_status_schemas_close(lists);
    fx_kube_client_close(client);
    fake_finish(&api);
}

static const struct fx_cluster_kind *modrules(void) {
    size_t index = 0;
    while (strcmp(fx_cluster_kind_at(index)->versions[0].kind, "ModRule") != 0) {
        index++;
    }
    return fx_cluster_kind_at(index);
}

static void only_those_of_an_api(void **state) {
    (void)state;
    struct fake_api api;
    struct fx_err err = FX_ERR_INIT;
    unsigned n_known = 0;
    fake_start(&api);
    struct fx_kube_client *client = fake_client(&api);
    struct fx_status_schemas *lists = fx_status_schemas_create(
        &api.server.loop, client, modrules()->api, on_known, &n_known, &err);
    assert_non_null(lists);
    FAKE_UNTIL(&api, is(&n_known, 1));
    assert_int_equal(n_asked(&api), 1);
    assert_int_equal(fake_count(&api.requests, "GET " CRDS "/modrules.api.kubemod.io"),
                     1);
    fx_status_schemas_close(lists);
    fx_kube_client_close(client);
    fake_finish(&api);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_there_is_room_for),
        cmocka_unit_test(they_are_asked_for),
        cmocka_unit_test(one_that_comes_late),
        cmocka_unit_test(only_those_of_an_api),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
