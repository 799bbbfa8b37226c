/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/cluster_oom_test.c - a replica with every allocation refused in turn: its
 * policies and namespaces are those of the cluster in the end, and what it writes of them
 * is written.
 */
#include "replica.h"

#include "base/log.h"
#include "refuse.h"

#define EVENTS "/api/v1/namespaces/default/events"

#define SIBLING    "fixpoint-5c8f7b6d9-zzzzz"
#define GATEKEEPER "gatekeeper-audit-7d4b9c6f5-x2x4q"

/* ---- policies, namespaces, status ------------------------------------------------ */

#define ENTRY(id) "{\"id\":\"" id "\",\"enforced\":true}"
#define OWNS(id)                                                                  \
    "{\"manager\":\"fixpoint-" id "\",\"operation\":\"Apply\",\"subresource\":"   \
    "\"status\",\"fieldsV1\":{\"f:status\":{\"f:byPod\":{\"k:{\\\"id\\\":\\\"" id \
    "\\\"}\":{}}}}}"
#define OWN_ASSIGN(name, location, value) \
    ASSIGN_OF("mutations.fixpoint.dev/v1alpha1", name, "", location, value, "")

/* One has the entry of a replica that is gone, and that of somebody else. */
static void prepare_policies(struct stage *stage) {
    replica_prepare(stage);
    fake_put(&stage->api, ASSIGNS "/a",
             ASSIGN("a", ",\"managedFields\":[" OWNS(SIBLING) "]", "spec.a", "1",
                    BY_POD(ENTRY(SIBLING) "," ENTRY(GATEKEEPER))));
    fake_put(&stage->api, ASSIGNS "/b", ASSIGN("b", "", "spec.b", "1", ""));
    fake_put(&stage->api, OWN_ASSIGNS "/c", OWN_ASSIGN("c", "spec.c", "1"));
    fake_put(&stage->api, MODRULE_PATH("shop", "r"),
             MODRULE("shop", "r", "", "Patch", ""));
}

static void change_policies(struct stage *stage, unsigned step) {
    struct fake_api *api = &stage->api;
    json_t *copy = NULL;
    switch (step) {
    case 1: /* both fields of one object, another object, another namespace */
        copy = json_deep_copy(fake_view(api, ASSIGNS "/a"));
        assert_int_equal(json_object_set_new(json_object_get(copy, "metadata"),
                                             "generation", json_integer(2)),
                         0);
        assert_int_equal(json_object_set_new(json_object_get(copy, "spec"), "location",
                                             json_string("spec.other")),
                         0);
        fake_store(api, ASSIGNS "/a", copy);
        fake_put(api, ASSIGNS "/d", ASSIGN("d", "", "spec.list[name: x].y", "1", ""));
        replica_put_space(stage, "new", "1");
        replica_put_space(stage, "shop", "2");
        break;
    case 2: /* somebody takes our entries away */
        fake_put(api, OWN_ASSIGNS "/c", OWN_ASSIGN("c", "spec.c", "1"));
        fake_put(api, ASSIGNS "/b", ASSIGN("b", "", "spec.b", "1", ""));
        fake_delete(api, SPACES "/new");
        break;
    default: /* a conflict comes, an object goes */
        fake_put(api, ASSIGNS "/e", ASSIGN("e", "", "spec.list.y", "1", ""));
        fake_delete(api, ASSIGNS "/b");
        break;
    }
}

static bool is_reported(const json_t *object, bool conflicts) {
    const json_t *entries = fx_tree_view_key(fx_tree_view_key(object, "status"), "byPod");
    size_t i = 0;
    const json_t *entry = NULL;
    json_array_foreach (entries, i, entry) {
        if (!fx_text_is(fx_tree_view_string(entry, "id"), OWN_POD)) {
            continue;
        }
        const json_t *metadata = json_object_get(object, "metadata");
        return json_integer_value(json_object_get(entry, "observedGeneration")) ==
                   json_integer_value(json_object_get(metadata, "generation")) &&
               fx_text_equal(fx_tree_view_string(entry, "mutatorUID"),
                             fx_tree_view_string(metadata, "uid")) &&
               conflicts == (json_object_get(entry, "errors") != NULL);
    }
    return false;
}

static bool is_ready(const json_t *object) {
    const json_t *conditions =
        fx_tree_view_key(fx_tree_view_key(object, "status"), "conditions");
    return fx_text_is(fx_tree_view_string(json_array_get(conditions, 0), "status"),
                      "True");
}

static bool are_policies_right(const struct stage *stage, unsigned step) {
    size_t n = 0;
    const char *path = NULL;
    json_t *object = NULL;
    json_object_foreach (stage->api.objects, path, object) {
        const bool is_modrule = fake_is_in(path, MODRULES);
        if (!is_modrule && !fake_is_in(path, ASSIGNS) && !fake_is_in(path, OWN_ASSIGNS)) {
            continue;
        }
        const char *name = fake_name_of(path);
        const bool conflicts = step == 3 && (name[0] == 'd' || name[0] == 'e');
        n++;
        if (!is_reported(object, conflicts) || (is_modrule && !is_ready(object))) {
            return false;
        }
    }
    return replica.built != NULL && replica.built->snapshot->n_mutators == n;
}

static bool is_space_right(struct fx_cluster_namespaces *spaces, const char *path,
                           const json_t *object) {
    bool no_memory = false;
    json_t *own =
        fx_cluster_namespaces_find(spaces, fx_text_of(fake_name_of(path)), &no_memory);
    const bool right =
        own != NULL &&
        json_equal(fx_tree_view_key(fx_tree_view_key(own, "metadata"), "labels"),
                   fx_tree_view_key(fx_tree_view_key(object, "metadata"), "labels"));
    json_decref(own);
    return right;
}

static bool are_spaces_right(const struct stage *stage) {
    struct fx_cluster_namespaces *spaces = fx_cluster_get_namespaces(replica.cluster);
    struct fx_kube_reflector_status status;
    size_t n = 0;
    const char *path = NULL;
    json_t *object = NULL;
    json_object_foreach (stage->api.objects, path, object) {
        if (fake_is_in(path, SPACES)) {
            n++;
            if (!is_space_right(spaces, path, object)) {
                return false;
            }
        }
    }
    fx_cluster_namespaces_get_status(spaces, &status);
    return status.n_objects == n;
}

/* The sibling's entry is swept. The stranger's stays for ten minutes, which pass where a
 * refusal puts things off for as long. */
static bool is_swept(const struct stage *stage) {
    struct fx_buf text = {0};
    fx_json_write(&text, fx_tree_view_key(fake_view(&stage->api, ASSIGNS "/a"), "status"),
                  FX_JSON_COMPACT);
    const bool swept = strstr(text.data, SIBLING) == NULL;
    fx_buf_finish(&text);
    return swept;
}

static bool is_policed(struct stage *stage, unsigned step) {
    const char *ignored = NULL;
    return fx_cluster_ready(replica.cluster, &ignored) &&
           are_policies_right(stage, step) && are_spaces_right(stage) &&
           replica_holds_lease(stage) && is_swept(stage);
}

static bool begin_policies(struct stage *stage, struct fx_err *err) {
    static const struct fx_cluster_options options = {.apis = FX_CLUSTER_API_ALL,
                                                      .writes_status = true};
    return replica_begin(stage, &options, err);
}

static const struct play policies = {
    .name = "policies",
    .prepare = prepare_policies,
    .begin = begin_policies,
    .change = change_policies,
    .n_steps = 3,
    .is_right = is_policed,
    .end = replica_end,
    .least = 2000,
    .exactly = PLAY_EXACTLY,
    .stride = 31,
    .starved_stride = 199,
};

static void test_policies(void **state) {
    (void)state;
    play_refused(&policies);
}

static void test_policies_starved(void **state) {
    (void)state;
    play_starved(&policies);
}

/* ---- Events ----------------------------------------------------------------------- */

#define BAD(name) ASSIGN(name, "", "metadata.name", "1", "") /* not allowed */

static void prepare_bad(struct stage *stage) {
    replica_prepare(stage);
    fake_put(&stage->api, ASSIGNS "/a", BAD("a"));
}

static void change_bad(struct stage *stage, unsigned step) {
    (void)step;
    fake_put(&stage->api, ASSIGNS "/b", BAD("b"));
}

/* One for each, whatever was refused. */
static bool is_made_known(struct stage *stage, unsigned step) {
    size_t n = 0;
    const char *path = NULL;
    json_t *object = NULL;
    json_object_foreach (stage->api.objects, path, object) {
        n += fake_is_in(path, EVENTS) ? 1 : 0;
    }
    return n == step + 1;
}

static bool begin_events(struct stage *stage, struct fx_err *err) {
    static const struct fx_cluster_options options = {.apis = FX_CLUSTER_API_ALL,
                                                      .writes_events = true};
    return replica_begin(stage, &options, err);
}

static const struct play events = {
    .name = "events",
    .prepare = prepare_bad,
    .begin = begin_events,
    .change = change_bad,
    .n_steps = 1,
    .is_right = is_made_known,
    .end = replica_end,
    .least = 1000,
    .exactly = PLAY_EXACTLY,
    .stride = 7,
    .starved_stride = 97,
};

static void test_events(void **state) {
    (void)state;
    play_refused(&events);
}

static void test_events_starved(void **state) {
    (void)state;
    play_starved(&events);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_policies_starved),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_events_starved),
    };
    refuse_install();
    fx_log_set_level(FX_LOG_ERROR);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
