/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_test.c - our entries as the cluster shows them.
 */
#include "cluster/policies/policies_fixture.h"

#include "cluster/status/status.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define KEYED                                                                      \
    "{\"metadata\":{\"name\":\"assign.mutations.gatekeeper.sh\"},\"spec\":{"       \
    "\"versions\":[{\"name\":\"v1\",\"subresources\":{\"status\":{}},\"schema\":{" \
    "\"openAPIV3Schema\":{\"properties\":"                                         \
    "{\"status\":{\"properties\":{\"byPod\":{\"x-kubernetes-list-type\":\"map\","  \
    "\"x-kubernetes-list-map-keys\":[\"id\"]}}}}}}}]}}"
/* One that says nothing of its versions. */
#define ANY   "{\"metadata\":{\"name\":\"assign.mutations.gatekeeper.sh\"},\"spec\":{}}"
#define OTHER "{\"id\":\"other\",\"enforced\":true}"
#define MINE(uid)                                                                     \
    "{\"id\":\"" OWN_POD "\",\"mutatorUID\":\"" uid                                   \
    "\",\"operations\":[\"mutation-webhook\"],\"observedGeneration\":1,\"enforced\":" \
    "true}"

static void on_built(struct fixture *fixture, struct fx_policies *built) {
    fx_cluster_status_compare_all(fixture->user, built);
}

static void on_status(struct fixture *fixture, const struct fx_cluster_object *object) {
    struct fx_policies *built = fx_policies_ref(fixture->built);
    fx_cluster_status_compare_one(fixture->user, built, object);
    fx_policies_unref(built);
}

static struct fx_cluster_status *start_status(struct fixture *fixture) {
    struct fx_err err = FX_ERR_INIT;
    fixture_read(fixture);
    struct fx_cluster_status *status = fx_cluster_status_create(
        &fixture->api.server.loop, fixture->client, &fixture->identity, fixture->policies,
        fixture->apis, &err);
    assert_non_null(status);
    fixture->user = status;
    fixture->on_built = on_built;
    fixture->on_status = on_status;
    struct fx_policies *built = fx_policies_ref(fixture->built);
    fx_cluster_status_compare_all(status, built);
    fx_policies_unref(built);
    return status;
}

static void end(struct fixture *fixture, struct fx_cluster_status *status) {
    fx_cluster_status_close(status);
    fixture->on_built = NULL;
    fixture->on_status = NULL;
    fixture_finish(fixture);
}

static struct fx_cluster_status_counts counts_of(const struct fx_cluster_status *status) {
    struct fx_cluster_status_counts counts;
    fx_cluster_status_get_counts(status, &counts);
    return counts;
}

static void expect_ids(struct fixture *fixture, const char *path, const char *ids) {
    FAKE_UNTIL(&fixture->api, strcmp(fixture_ids(fixture, path), ids) == 0);
}

/* Each once; when all show them nothing more is written. */
static void a_keyed_list(void **state) {
    (void)state;
    struct fixture fixture;
    char path[100];
    char text[1000];
    fixture_start(&fixture);
    fake_put(&fixture.api, CRDS "/assign.mutations.gatekeeper.sh", KEYED);
    for (unsigned i = 0; i < 30; i++) {
        (void)snprintf(path, sizeof path, ASSIGNS "/m%02u", i);
        (void)snprintf(text, sizeof text,
                       ASSIGN("m%02u", ",\"uid\":\"u\"", "spec.x", "1", BY_POD(OTHER)),
                       i);
        fake_put(&fixture.api, path, text);
    }
    struct fx_cluster_status *status = start_status(&fixture);
    FAKE_UNTIL(&fixture.api, counts_of(status).written == 30);
    FAKE_UNTIL(&fixture.api, counts_of(status).queued == 0);
    fake_run_for(&fixture.api, 100);
    assert_int_equal(fake_count(&fixture.api.writes, "P"), 30);
    expect_ids(&fixture, ASSIGNS "/m29", "other " OWN_POD);
    assert_non_null(strstr(fixture.api.writes.data,
                           "PATCH " ASSIGNS "/m00/status fixpoint-" OWN_POD
                           " {\"apiVersion\":\"mutations.gatekeeper.sh/v1\",\"kind\":"
                           "\"Assign\",\"metadata\":{\"name\":\"m00\",\"uid\":\"u\"},"
                           "\"status\":{\"byPod\":[" MINE("u") "]}}\n"));
    assert_int_equal(fake_count(&fixture.api.requests, "PATCH"),
                     fake_count(&fixture.api.writes, "PATCH"));

    /* One is added, one edited, one deleted. */
    fake_put(&fixture.api, ASSIGNS "/new", ASSIGN("new", "", "spec.x", "1", ""));
    FAKE_UNTIL(&fixture.api, counts_of(status).written == 31);
    fake_delete(&fixture.api, ASSIGNS "/new");
    fake_run_for(&fixture.api, 100);
    assert_int_equal(counts_of(status).written, 31);
    assert_int_equal(counts_of(status).failed, 0);
    end(&fixture, status);
}

static void an_atomic_list(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_put(
        &fixture.api, ASSIGNS "/a",
        ASSIGN("a", ",\"uid\":\"u\"", "spec.x", "1", BY_POD("{\"id\":\"a\"}," OTHER)));
    fixture.api.faults[0] = (struct fake_fault){"PUT", 409, 1, false};
    struct fx_cluster_status *status = start_status(&fixture);
    expect_ids(&fixture, ASSIGNS "/a", "a " OWN_POD " other");
    assert_int_equal(fake_count(&fixture.api.writes, "PATCH"), 0);
    assert_int_equal(
        fake_count(&fixture.api.writes, "PUT " ASSIGNS "/a/status fixpoint-" OWN_POD " "),
        1);
    FAKE_UNTIL(&fixture.api, counts_of(status).queued == 0);
    assert_int_equal(counts_of(status).failed, 1);
    end(&fixture, status);
}

/* A removed entry is written again; a client that removes it each time wins for a
 * while. */
static void somebody_removes_it(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_put(&fixture.api, CRDS "/assign.mutations.gatekeeper.sh", KEYED);
    fake_put(&fixture.api, ASSIGNS "/a", ASSIGN("a", "", "spec.x", "1", ""));
    struct fx_cluster_status *status = start_status(&fixture);
    const uint64_t start_ms = fake_now_ms();
    while (fake_now_ms() - start_ms < 3000) {
        if (fixture_ids(&fixture, ASSIGNS "/a")[0] != '\0') {
            json_t *bare = json_deep_copy(fake_view(&fixture.api, ASSIGNS "/a"));
            assert_int_equal(json_object_del(bare, "status"), 0);
            fake_store(&fixture.api, ASSIGNS "/a", bare);
        }
        fake_run_for(&fixture.api, 5);
    }
    assert_in_range(counts_of(status).written, 1, 2);
    FAKE_UNTIL(&fixture.api, counts_of(status).written == 3);
    expect_ids(&fixture, ASSIGNS "/a", OWN_POD);
    FAKE_UNTIL(&fixture.api, counts_of(status).queued == 0);
    end(&fixture, status);
}

/* No status is written for an object that is not built yet: readers would believe
 * it. */
static void one_that_is_newer_than_the_build(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_put(&fixture.api, CRDS "/assign.mutations.gatekeeper.sh", KEYED);
    fake_put(&fixture.api, ASSIGNS "/a", ASSIGN("a", "", "spec.x", "1", ""));
    fixture.api.faults[0] = (struct fake_fault){"PATCH", 500, 1, false};
    struct fx_cluster_status *status = start_status(&fixture);
    FAKE_UNTIL(&fixture.api, counts_of(status).failed == 1);
    fixture.on_built = NULL;
    const unsigned n_builds = fixture.n_builds;
    fake_put(&fixture.api, ASSIGNS "/a", ASSIGN("a", "", "metadata.name", "1", ""));
    FAKE_UNTIL(&fixture.api, fixture.n_builds > n_builds);
    FAKE_UNTIL(&fixture.api,
               counts_of(status).queued == 0); /* two seconds after the failure */
    assert_int_equal(fixture.api.writes.len, 0);
    struct fx_policies *built = fx_policies_ref(fixture.built);
    fx_cluster_status_compare_all(status, built);
    fx_policies_unref(built);
    FAKE_UNTIL(&fixture.api, counts_of(status).written == 1);
    assert_non_null(strstr(fixture.api.writes.data, "\"errors\":["));
    end(&fixture, status);
}

/* It was deleted and made anew while its list was read. */
static void another_one_of_the_same_name(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_start(&fixture);
    fake_put(&fixture.api, CRDS "/assign.mutations.gatekeeper.sh", ANY);
    fake_put(&fixture.api, ASSIGNS "/a",
             ASSIGN("a", ",\"uid\":\"u\"", "spec.x", "1", ""));
    struct fx_cluster_status *status = start_status(&fixture);
    FAKE_UNTIL(&fixture.api, fake_count(&fixture.api.requests, "GET " CRDS) == 10);
    /* Behind the watch's back. */
    json_t *other = json_deep_copy(fake_view(&fixture.api, ASSIGNS "/a"));
    assert_int_equal(
        json_object_set_new(json_object_get(other, "metadata"), "uid", json_string("v")),
        0);
    assert_int_equal(json_object_set_new(fixture.api.objects, ASSIGNS "/a", other), 0);
    FAKE_UNTIL(&fixture.api, fake_count(&fixture.api.requests, "GET " ASSIGNS "/a") == 1);
    fake_run_for(&fixture.api, 50);
    assert_int_equal(fixture.api.writes.len, 0);
    end(&fixture, status);
}

/* ---- the condition ---- */

#define MODRULE_CRD CRDS "/modrules.api.kubemod.io"
#define ROOM(subresources)                                                               \
    "{\"metadata\":{\"name\":\"modrules.api.kubemod.io\"},\"spec\":{\"versions\":["      \
    "{\"name\":\"v1beta1\"," subresources "\"schema\":{\"openAPIV3Schema\":{"            \
    "\"properties\":{\"status\":{\"properties\":{\"byPod\":{\"x-kubernetes-list-type\":" \
    "\"map\",\"x-kubernetes-list-map-keys\":[\"id\"]},\"conditions\":{"                  \
    "\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"type\"]}}}}}}" \
    "}"                                                                                  \
    "]}}"
#define SUBRESOURCE "\"subresources\":{\"status\":{}},"

static void start_modrules(struct fixture *fixture, const char *crd) {
    fixture_start(fixture);
    fake_collect(&fixture->api, MODRULES);
    fake_put(&fixture->api, MODRULE_CRD, crd);
    fake_put(&fixture->api, MODRULE_PATH("shop", "r"),
             MODRULE("shop", "r", ",\"uid\":\"u\"", "Patch", ""));
}

/* A field of the condition of the rule in the namespace; "" where there is none. */
static const char *ready(struct fixture *fixture, const char *path, const char *key) {
    const json_t *status = fx_tree_view_key(fake_view(&fixture->api, path), "status");
    const json_t *list = fx_tree_view_key(status, "conditions");
    const char *text = json_string_value(fx_tree_view_key(json_array_get(list, 0), key));
    return text == NULL ? "" : text;
}

/* By the holder of the Lease alone; another one in another namespace is another one. */
static void the_leader_says_whether_it_is_ready(void **state) {
    (void)state;
    static const char shop[] = MODRULE_PATH("shop", "r");
    static const char other[] = MODRULE_PATH("other", "r");
    struct fixture fixture;
    start_modrules(&fixture, ROOM(SUBRESOURCE));
    fake_put(&fixture.api, other, MODRULE("other", "r", "", "Patchy", ""));
    struct fx_cluster_status *status = start_status(&fixture);
    expect_ids(&fixture, shop, OWN_POD);
    expect_ids(&fixture, other, OWN_POD);
    FAKE_UNTIL(&fixture.api, counts_of(status).queued == 0);
    assert_string_equal(ready(&fixture, shop, "status"), "");

    fx_cluster_status_set_leader(status, true);
    FAKE_UNTIL(&fixture.api, strcmp(ready(&fixture, shop, "status"), "True") == 0);
    FAKE_UNTIL(&fixture.api, strcmp(ready(&fixture, other, "status"), "False") == 0);
    assert_string_equal(ready(&fixture, shop, "reason"), "Accepted");
    assert_string_equal(ready(&fixture, other, "reason"), "Invalid");
    assert_non_null(strstr(ready(&fixture, other, "message"), "spec.type"));
    FAKE_UNTIL(&fixture.api, counts_of(status).queued == 0);
    assert_int_equal(fake_count(&fixture.api.writes,
                                "PATCH " MODRULE_PATH("shop", "r") "/status fixpoint {"),
                     1);
    assert_int_equal(fake_count(&fixture.api.writes, "P"), 4);
    assert_int_equal(counts_of(status).failed, 0);

    /* Who does not lead any more leaves it alone. */
    fx_cluster_status_set_leader(status, false);
    fake_put(&fixture.api, shop, MODRULE("shop", "r", ",\"uid\":\"u\"", "Patch", ""));
    expect_ids(&fixture, shop, OWN_POD);
    FAKE_UNTIL(&fixture.api, counts_of(status).queued == 0);
    assert_string_equal(ready(&fixture, shop, "status"), "");
    end(&fixture, status);
}

/* With KubeMod's own CRD nothing is written, since it would be pruned. */
static void a_definition_without_a_status(void **state) {
    (void)state;
    struct fixture fixture;
    start_modrules(&fixture, ROOM(""));
    fake_put(&fixture.api, ASSIGNS "/a", ASSIGN("a", "", "spec.x", "1", ""));
    fake_put(&fixture.api, CRDS "/assign.mutations.gatekeeper.sh", KEYED);
    struct fx_cluster_status *status = start_status(&fixture);
    fx_cluster_status_set_leader(status, true);
    expect_ids(&fixture, ASSIGNS "/a", OWN_POD);
    fake_put(&fixture.api, ASSIGNS "/b", ASSIGN("b", "", "spec.y", "1", ""));
    expect_ids(&fixture, ASSIGNS "/b", OWN_POD);
    FAKE_UNTIL(&fixture.api, counts_of(status).queued == 0);
    assert_int_equal(fake_count(&fixture.api.writes, "P"), 2);
    assert_int_equal(counts_of(status).failed, 0);
    end(&fixture, status);
}

static void closed_at_any_time(void **state) {
    (void)state;
    for (uint64_t ms = 0; ms < 24; ms += 2) {
        struct fixture fixture;
        fixture_start(&fixture);
        if (ms % 4 == 0) {
            fake_put(&fixture.api, CRDS "/assign.mutations.gatekeeper.sh", KEYED);
        }
        fake_put(&fixture.api, ASSIGNS "/a", ASSIGN("a", "", "spec.x", "1", ""));
        struct fx_cluster_status *status = start_status(&fixture);
        fake_run_for(&fixture.api, ms);
        end(&fixture, status);
    }
    fx_cluster_status_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_keyed_list),
        cmocka_unit_test(an_atomic_list),
        cmocka_unit_test(somebody_removes_it),
        cmocka_unit_test(one_that_is_newer_than_the_build),
        cmocka_unit_test(another_one_of_the_same_name),
        cmocka_unit_test(the_leader_says_whether_it_is_ready),
        cmocka_unit_test(a_definition_without_a_status),
        cmocka_unit_test(closed_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
