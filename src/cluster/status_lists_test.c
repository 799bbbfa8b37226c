/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status_lists_test.c - how definitions keep `status.byPod`.
 */
#include "cluster/fake_api.h"

#include "cluster/status_lists.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

/* A version whose byPod has this more. */
#define VERSION(name, more)                                                            \
    "{\"name\":\"" name "\",\"schema\":{\"openAPIV3Schema\":{\"properties\":{"         \
    "\"spec\":{},\"status\":{\"properties\":{\"byPod\":{\"type\":\"array\"" more "}}}" \
    "}}}}"
#define KEYED \
    ",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"id\"]"
#define ATOMIC ",\"x-kubernetes-list-type\":\"atomic\""
#define CRD(versions) \
    "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"versions\":[" versions "]}}"

static const struct {
    const char *crd, *version;
    bool is_keyed;
} cases[] = {
    {CRD(VERSION("v1", KEYED)), "v1", true},
    {CRD(VERSION("v1", ATOMIC)), "v1", false},
    {CRD(VERSION("v1", "")), "v1", false}, /* Gatekeeper's own say nothing */
    {CRD(VERSION("v1", KEYED) "," VERSION("v1beta1", "")), "v1", true},
    {CRD(VERSION("v1", KEYED) "," VERSION("v1beta1", "")), "v1beta1", false},
    {CRD(VERSION("v1", "") "," VERSION("v1beta1", KEYED)), "v1beta1", true},
    {CRD(VERSION("v1", KEYED)), "v1alpha1", false},
    {CRD(VERSION("v1", KEYED)), "v", false},
    /* keyed by something else, an apply could not tell our entry by its id */
    {CRD(VERSION("v1", ",\"x-kubernetes-list-type\":\"map\","
                       "\"x-kubernetes-list-map-keys\":[\"mutatorUID\"]")),
     "v1", false},
    {CRD(VERSION("v1", ",\"x-kubernetes-list-type\":\"map\","
                       "\"x-kubernetes-list-map-keys\":[\"id\",\"mutatorUID\"]")),
     "v1", false},
    {CRD(VERSION("v1", ",\"x-kubernetes-list-type\":\"map\"")), "v1", false},
    {CRD(VERSION("v1", ",\"x-kubernetes-list-type\":[\"map\"]")), "v1", false},
    {CRD("{\"name\":\"v1\",\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","
         "\"x-kubernetes-preserve-unknown-fields\":true}}}"),
     "v1", false},
    {CRD("{\"name\":\"v1\"}"), "v1", false},
    {CRD("7,null"), "v1", false},
    {"{\"spec\":{\"versions\":{\"name\":\"v1\"}}}", "v1", false},
    {"{\"spec\":7}", "v1", false},
    {"{}", "v1", false},
    {"[]", "v1", false},
};

static void is_it_keyed(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *crd = fx_json_read(fx_text_of(cases[i].crd), NULL, &err);
        assert_non_null(crd);
        if (fx_status_list_is_keyed(crd, cases[i].version) != cases[i].is_keyed) {
            fail_msg("case %zu", i);
        }
        json_decref(crd);
    }
}

static bool is_one(const unsigned *number) {
    return *number == 1;
}

static void on_known(void *user) {
    (*(unsigned *)user)++;
}

/* As below: an Assign in v1, and a Remove. */
static void expect_keyed(const struct fx_status_lists *lists,
                         const struct fx_kube_resource *version) {
    const bool keyed = version == &fx_cluster_kinds[0].versions[0] ||
                       strcmp(version->kind, "Remove") == 0;
    if (fx_status_lists_is_keyed(lists, version) != keyed) {
        fail_msg("%s.%s", version->plural, version->group);
    }
}

/* What may not be read, or is not there, is not keyed; all of them are asked for. */
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
    struct fx_status_lists *lists =
        fx_status_lists_create(&api.loop, client, on_known, &n_known, &err);
    assert_non_null(lists);
    assert_false(fx_status_lists_known(lists));
    FAKE_UNTIL(&api, is_one(&n_known));
    assert_true(fx_status_lists_known(lists));
    assert_int_equal(fake_count(&api.asked, "GET " CRDS "/"), 9);
    for (size_t i = 0; i < FX_CLUSTER_KINDS; i++) {
        for (size_t j = 0; j < fx_cluster_kinds[i].n_versions; j++) {
            expect_keyed(lists, &fx_cluster_kinds[i].versions[j]);
        }
    }
    const struct fx_kube_resource other = fx_cluster_kinds[0].versions[0];
    assert_false(fx_status_lists_is_keyed(lists, &other)); /* none of ours */
    fx_status_lists_close(lists);
    fx_status_lists_close(NULL);
    fx_kube_client_close(client);
    fake_finish(&api);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_it_keyed),
        cmocka_unit_test(they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
