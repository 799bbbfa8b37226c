/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_test.c - our entries as the cluster shows them.
 */
#include "cluster/policies/policies_fixture.h"

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

static void on_built(struct world *world, struct fx_policies *built) {
    fx_cluster_status_compare_all(world->user, built);
}

static void on_status(struct world *world, const struct fx_cluster_object *object) {
    struct fx_policies *built = fx_cluster_policies_get_current(world->policies);
    fx_cluster_status_compare_one(world->user, built, object);
    fx_policies_unref(built);
}

static struct fx_cluster_status *start_status(struct world *world) {
    struct fx_err err = FX_ERR_INIT;
    world_read(world);
    struct fx_cluster_status *status =
        fx_cluster_status_create(&world->api.loop, world->client, &world->identity,
                                 world->policies, world->apis, &err);
    assert_non_null(status);
    world->user = status;
    world->on_built = on_built;
    world->on_status = on_status;
    struct fx_policies *built = fx_cluster_policies_get_current(world->policies);
    fx_cluster_status_compare_all(status, built);
    fx_policies_unref(built);
    return status;
}

static void end(struct world *world, struct fx_cluster_status *status) {
    fx_cluster_status_close(status);
    world->on_built = NULL;
    world->on_status = NULL;
    world_finish(world);
}

static struct fx_cluster_status_counts look(const struct fx_cluster_status *status) {
    struct fx_cluster_status_counts counts;
    fx_cluster_status_get_counts(status, &counts);
    return counts;
}

static void expect_ids(struct world *world, const char *path, const char *ids) {
    FAKE_UNTIL(&world->api, strcmp(world_ids(world, path), ids) == 0);
}

/* Each once; when all show them nothing more is written. */
static void a_keyed_list(void **state) {
    (void)state;
    struct world world;
    char path[100];
    char text[1000];
    world_start(&world);
    fake_put(&world.api, CRDS "/assign.mutations.gatekeeper.sh", KEYED);
    for (unsigned i = 0; i < 30; i++) {
        (void)snprintf(path, sizeof path, ASSIGNS "/m%02u", i);
        (void)snprintf(text, sizeof text,
                       ASSIGN("m%02u", ",\"uid\":\"u\"", "spec.x", "1", BY_POD(OTHER)),
                       i);
        fake_put(&world.api, path, text);
    }
    struct fx_cluster_status *status = start_status(&world);
    FAKE_UNTIL(&world.api, look(status).written == 30);
    FAKE_UNTIL(&world.api, look(status).queued == 0);
    fake_run_for(&world.api, 100);
    assert_int_equal(fake_count(&world.api.told, "P"), 30);
    expect_ids(&world, ASSIGNS "/m29", "other " OWN_POD);
    assert_non_null(strstr(world.api.told.data,
                           "PATCH " ASSIGNS "/m00/status fixpoint-" OWN_POD
                           " {\"status\":{\"byPod\":[" MINE(
                               "u") "]},\"metadata\":{\"name\":\"m00\",\"uid\":\"u\"},"
                                    "\"apiVersion\":\"mutations.gatekeeper.sh/v1\","
                                    "\"kind\":\"Assign\"}\n"));
    assert_int_equal(fake_count(&world.api.asked, "PATCH"),
                     fake_count(&world.api.told, "PATCH"));

    /* Another one, an edit, one that goes. */
    fake_put(&world.api, ASSIGNS "/new", ASSIGN("new", "", "spec.x", "1", ""));
    FAKE_UNTIL(&world.api, look(status).written == 31);
    fake_delete(&world.api, ASSIGNS "/new");
    fake_run_for(&world.api, 100);
    assert_int_equal(look(status).written, 31);
    assert_int_equal(look(status).failed, 0);
    end(&world, status);
}

static void an_atomic_list(void **state) {
    (void)state;
    struct world world;
    world_start(&world);
    fake_put(
        &world.api, ASSIGNS "/a",
        ASSIGN("a", ",\"uid\":\"u\"", "spec.x", "1", BY_POD("{\"id\":\"a\"}," OTHER)));
    world.api.faults[0] = (struct fake_fault){"PUT", 409, 1, false};
    struct fx_cluster_status *status = start_status(&world);
    expect_ids(&world, ASSIGNS "/a", "a " OWN_POD " other");
    assert_int_equal(fake_count(&world.api.told, "PATCH"), 0);
    assert_int_equal(
        fake_count(&world.api.told, "PUT " ASSIGNS "/a/status fixpoint-" OWN_POD " "), 1);
    FAKE_UNTIL(&world.api, look(status).queued == 0);
    assert_int_equal(look(status).failed, 1);
    end(&world, status);
}

/* What is removed comes again; who removes it each time has the last word for a while. */
static void somebody_removes_it(void **state) {
    (void)state;
    struct world world;
    world_start(&world);
    fake_put(&world.api, CRDS "/assign.mutations.gatekeeper.sh", KEYED);
    fake_put(&world.api, ASSIGNS "/a", ASSIGN("a", "", "spec.x", "1", ""));
    struct fx_cluster_status *status = start_status(&world);
    const uint64_t start_ms = fake_now_ms();
    while (fake_now_ms() - start_ms < 3000) {
        if (world_ids(&world, ASSIGNS "/a")[0] != '\0') {
            json_t *bare = json_deep_copy(fake_view(&world.api, ASSIGNS "/a"));
            assert_int_equal(json_object_del(bare, "status"), 0);
            fake_store(&world.api, ASSIGNS "/a", bare);
        }
        fake_run_for(&world.api, 5);
    }
    assert_in_range(look(status).written, 1, 2);
    FAKE_UNTIL(&world.api, look(status).written == 3);
    expect_ids(&world, ASSIGNS "/a", OWN_POD);
    FAKE_UNTIL(&world.api, look(status).queued == 0);
    end(&world, status);
}

/* Nothing is said of an object that no build has seen: who reads the status believes it.
 */
static void one_that_is_newer_than_the_build(void **state) {
    (void)state;
    struct world world;
    world_start(&world);
    fake_put(&world.api, CRDS "/assign.mutations.gatekeeper.sh", KEYED);
    fake_put(&world.api, ASSIGNS "/a", ASSIGN("a", "", "spec.x", "1", ""));
    world.api.faults[0] = (struct fake_fault){"PATCH", 500, 1, false};
    struct fx_cluster_status *status = start_status(&world);
    FAKE_UNTIL(&world.api, look(status).failed == 1);
    world.on_built = NULL;
    const unsigned n_builds = world.n_builds;
    fake_put(&world.api, ASSIGNS "/a", ASSIGN("a", "", "metadata.name", "1", ""));
    FAKE_UNTIL(&world.api, world.n_builds > n_builds);
    FAKE_UNTIL(&world.api, look(status).queued == 0); /* two seconds after the failure */
    assert_int_equal(world.api.told.len, 0);
    struct fx_policies *built = fx_cluster_policies_get_current(world.policies);
    fx_cluster_status_compare_all(status, built);
    fx_policies_unref(built);
    FAKE_UNTIL(&world.api, look(status).written == 1);
    assert_non_null(strstr(world.api.told.data, "\"errors\":["));
    end(&world, status);
}

/* It was deleted and made anew while its list was read. */
static void another_one_of_the_same_name(void **state) {
    (void)state;
    struct world world;
    world_start(&world);
    fake_put(&world.api, CRDS "/assign.mutations.gatekeeper.sh", ANY);
    fake_put(&world.api, ASSIGNS "/a", ASSIGN("a", ",\"uid\":\"u\"", "spec.x", "1", ""));
    struct fx_cluster_status *status = start_status(&world);
    FAKE_UNTIL(&world.api, fake_count(&world.api.asked, "GET " CRDS) == 10);
    /* Behind the watch's back. */
    json_t *other = json_deep_copy(fake_view(&world.api, ASSIGNS "/a"));
    assert_int_equal(
        json_object_set_new(json_object_get(other, "metadata"), "uid", json_string("v")),
        0);
    assert_int_equal(json_object_set_new(world.api.objects, ASSIGNS "/a", other), 0);
    FAKE_UNTIL(&world.api, fake_count(&world.api.asked, "GET " ASSIGNS "/a") == 1);
    fake_run_for(&world.api, 50);
    assert_int_equal(world.api.told.len, 0);
    end(&world, status);
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

static void start_modrules(struct world *world, const char *crd) {
    world_start(world);
    fake_collect(&world->api, MODRULES);
    fake_put(&world->api, MODRULE_CRD, crd);
    fake_put(&world->api, MODRULE_PATH("shop", "r"),
             MODRULE("shop", "r", ",\"uid\":\"u\"", "Patch", ""));
}

/* A field of the condition of the rule in the namespace; "" where there is none. */
static const char *ready(struct world *world, const char *path, const char *key) {
    const json_t *status = fx_tree_view_key(fake_view(&world->api, path), "status");
    const json_t *list = fx_tree_view_key(status, "conditions");
    const char *text = json_string_value(fx_tree_view_key(json_array_get(list, 0), key));
    return text == NULL ? "" : text;
}

/* By the holder of the Lease alone; another one in another namespace is another one. */
static void the_leader_says_whether_it_is_ready(void **state) {
    (void)state;
    static const char shop[] = MODRULE_PATH("shop", "r");
    static const char other[] = MODRULE_PATH("other", "r");
    struct world world;
    start_modrules(&world, ROOM(SUBRESOURCE));
    fake_put(&world.api, other, MODRULE("other", "r", "", "Patchy", ""));
    struct fx_cluster_status *status = start_status(&world);
    expect_ids(&world, shop, OWN_POD);
    expect_ids(&world, other, OWN_POD);
    FAKE_UNTIL(&world.api, look(status).queued == 0);
    assert_string_equal(ready(&world, shop, "status"), "");

    fx_cluster_status_set_leader(status, true);
    FAKE_UNTIL(&world.api, strcmp(ready(&world, shop, "status"), "True") == 0);
    FAKE_UNTIL(&world.api, strcmp(ready(&world, other, "status"), "False") == 0);
    assert_string_equal(ready(&world, shop, "reason"), "Accepted");
    assert_string_equal(ready(&world, other, "reason"), "Invalid");
    assert_non_null(strstr(ready(&world, other, "message"), "spec.type"));
    FAKE_UNTIL(&world.api, look(status).queued == 0);
    assert_int_equal(fake_count(&world.api.told,
                                "PATCH " MODRULE_PATH("shop", "r") "/status fixpoint {"),
                     1);
    assert_int_equal(fake_count(&world.api.told, "P"), 4);
    assert_int_equal(look(status).failed, 0);

    /* Who does not lead any more leaves it alone. */
    fx_cluster_status_set_leader(status, false);
    fake_put(&world.api, shop, MODRULE("shop", "r", ",\"uid\":\"u\"", "Patch", ""));
    expect_ids(&world, shop, OWN_POD);
    FAKE_UNTIL(&world.api, look(status).queued == 0);
    assert_string_equal(ready(&world, shop, "status"), "");
    end(&world, status);
}

/* As under KubeMod's own definition: nobody writes in vain. */
static void a_definition_without_a_status(void **state) {
    (void)state;
    struct world world;
    start_modrules(&world, ROOM(""));
    fake_put(&world.api, ASSIGNS "/a", ASSIGN("a", "", "spec.x", "1", ""));
    fake_put(&world.api, CRDS "/assign.mutations.gatekeeper.sh", KEYED);
    struct fx_cluster_status *status = start_status(&world);
    fx_cluster_status_set_leader(status, true);
    expect_ids(&world, ASSIGNS "/a", OWN_POD);
    fake_put(&world.api, ASSIGNS "/b", ASSIGN("b", "", "spec.y", "1", ""));
    expect_ids(&world, ASSIGNS "/b", OWN_POD);
    FAKE_UNTIL(&world.api, look(status).queued == 0);
    assert_int_equal(fake_count(&world.api.told, "P"), 2);
    assert_int_equal(look(status).failed, 0);
    end(&world, status);
}

static void closed_at_any_time(void **state) {
    (void)state;
    for (uint64_t ms = 0; ms < 24; ms += 2) {
        struct world world;
        world_start(&world);
        if (ms % 4 == 0) {
            fake_put(&world.api, CRDS "/assign.mutations.gatekeeper.sh", KEYED);
        }
        fake_put(&world.api, ASSIGNS "/a", ASSIGN("a", "", "spec.x", "1", ""));
        struct fx_cluster_status *status = start_status(&world);
        fake_run_for(&world.api, ms);
        end(&world, status);
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
