/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_entry_test.c - what a replica has to say of mutators that are
 * good, bad, in conflict, or in quarantine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/policies/objects.h"
#include "cluster/status/status.h"
#include "engine/quarantine.h"
#include "value/json.h"

#define MANY 60

/* As a cluster has them, in the versions that it has. */
struct cluster {
    struct fx_cluster_objects objects;
    struct fx_policies *built; /* NULL: none yet */
    uint64_t generation;
};

static const char *const operations[] = {"mutation-status", "mutation-webhook"};
static const struct fx_cluster_identity identity = {
    .pod = "me",
    .operations = operations,
    .n_operations = FX_COUNT(operations),
};

/* An Assign: its name, generation, location and value. */
static void put(struct cluster *cluster, const char *name, unsigned generation,
                const char *location, const char *value) {
    const struct fx_object_source source = {
        .kind = fx_cluster_kind_at(0),
        .resource = &fx_cluster_kind_at(0)->versions[0],
        .pod = "me",
    };
    char text[1000];
    struct fx_err err = FX_ERR_INIT;
    struct fx_cluster_object *item = NULL;
    enum fx_object_change change = FX_OBJECT_SAME;
    (void)snprintf(text, sizeof text,
                   "{\"apiVersion\":\"mutations.gatekeeper.sh/v1\",\"kind\":\"Assign\","
                   "\"metadata\":{\"name\":\"%s\",\"uid\":\"u-%s\",\"generation\":%u},"
                   "\"spec\":{\"applyTo\":[{\"groups\":[\"\"],\"versions\":[\"v1\"],"
                   "\"kinds\":[\"Pod\"]}],\"location\":\"%s\",\"parameters\":{\"assign\":"
                   "{\"value\":%s}}}}",
                   name, name, generation, location, value);
    json_t *object = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(object);
    assert_true(
        fx_cluster_objects_put(&cluster->objects, &source, object, &item, &change));
    json_decref(object);
}

static void build(struct cluster *cluster) {
    const struct fx_cluster_objects *objects = &cluster->objects;
    struct fx_policy_input inputs[MANY] = {{0}};
    struct fx_policies *built = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_in_range(objects->n_items, 0, FX_COUNT(inputs));
    for (size_t i = 0; i < objects->n_items; i++) {
        inputs[i].file = objects->items[i]->key;
        inputs[i].object = objects->items[i]->object;
    }
    assert_true(fx_policies_build(inputs, objects->n_items, cluster->built,
                                  ++cluster->generation, &built, &err));
    fx_policies_unref(cluster->built);
    cluster->built = built;
}

static const struct fx_cluster_object *find(const struct cluster *cluster,
                                            const char *name) {
    char key[300];
    (void)snprintf(key, sizeof key, "assign.mutations.gatekeeper.sh/%s", name);
    const struct fx_cluster_object *object =
        fx_cluster_objects_find(&cluster->objects, key);
    assert_non_null(object);
    return object;
}

static void expect_entry(const struct cluster *cluster, const char *name,
                         const char *wanted) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    json_t *entry =
        fx_cluster_status_entry(&identity, cluster->built, find(cluster, name));
    assert_non_null(entry);
    fx_json_write(&text, entry, FX_JSON_COMPACT);
    assert_string_equal(text.data, wanted);
    fx_buf_finish(&text);
    json_decref(entry);
}

static void end(struct cluster *cluster) {
    fx_policies_unref(cluster->built);
    fx_cluster_objects_finish(&cluster->objects);
}

/* Its beginning; then `"enforced":true}` or `"errors":[…]}`. */
#define HEAD(name, generation)                                      \
    "{\"id\":\"me\",\"mutatorUID\":\"u-" name "\",\"operations\":[" \
    "\"mutation-status\",\"mutation-webhook\"],\"observedGeneration\":" generation ","
#define GOOD           "\"enforced\":true}"
#define ERROR(message) "\"errors\":[{\"message\":\"" message "\"}]}"
#define TYPED(type, message) \
    "\"errors\":[{\"type\":\"" type "\",\"message\":\"" message "\"}]}"

static void a_good_one(void **state) {
    (void)state;
    struct cluster cluster = {0};
    put(&cluster, "pull", 7, "spec.x", "1");
    build(&cluster);
    expect_entry(&cluster, "pull", HEAD("pull", "7") GOOD);
    end(&cluster);
}

/* The message is that of the finding; a warning is no error. */
static void a_bad_one(void **state) {
    (void)state;
    struct cluster cluster = {0};
    put(&cluster, "bad", 1, "metadata.name", "1");
    put(&cluster, "pull", 1, "spec.x", "1");
    build(&cluster);
    assert_int_equal(fx_findings_count(&cluster.built->findings, FX_SEVERITY_ERROR), 1);
    char wanted[1000];
    (void)snprintf(wanted, sizeof wanted, HEAD("bad", "1") ERROR("%s"),
                   cluster.built->findings.items[0].text);
    expect_entry(&cluster, "bad", wanted);
    expect_entry(&cluster, "pull", HEAD("pull", "1") GOOD);
    end(&cluster);
}

/* What was good before still mutates, but it is not what the object says. */
static void the_previous_version_stays(void **state) {
    (void)state;
    struct cluster cluster = {0};
    put(&cluster, "a", 1, "spec.x", "1");
    build(&cluster);
    put(&cluster, "a", 2, "metadata.name", "1");
    build(&cluster);
    assert_int_equal(cluster.built->snapshot->n_mutators, 1);
    const char *text = cluster.built->findings.items[0].text;
    assert_non_null(strstr(text, "; the previous version stays active"));
    char wanted[1000];
    (void)snprintf(wanted, sizeof wanted, HEAD("a", "2") ERROR("%s"), text);
    expect_entry(&cluster, "a", wanted);
    put(&cluster, "a", 3, "spec.y", "1");
    build(&cluster);
    expect_entry(&cluster, "a", HEAD("a", "3") GOOD);
    end(&cluster);
}

#define CONFLICT                                                                        \
    "the following mutators have conflicting schemas: [Assign.mutations.gatekeeper.sh " \
    "/list,Assign.mutations.gatekeeper.sh /object]"

static void in_conflict(void **state) {
    (void)state;
    struct cluster cluster = {0};
    put(&cluster, "list", 1, "spec.c[name: x].y", "1");
    put(&cluster, "object", 1, "spec.c.y", "1");
    put(&cluster, "other", 1, "spec.d", "1");
    build(&cluster);
    expect_entry(&cluster, "list",
                 HEAD("list", "1") TYPED("ErrConflictingSchema", CONFLICT));
    expect_entry(&cluster, "object",
                 HEAD("object", "1") TYPED("ErrConflictingSchema", CONFLICT));
    expect_entry(&cluster, "other", HEAD("other", "1") GOOD);
    put(&cluster, "object", 2, "spec.e", "1");
    build(&cluster);
    expect_entry(&cluster, "list", HEAD("list", "1") GOOD);
    expect_entry(&cluster, "object", HEAD("object", "2") GOOD);
    end(&cluster);
}

/* An error of this version, and a conflict of the version before, which stays
 * active. */
static void both_at_once(void **state) {
    (void)state;
    struct cluster cluster = {0};
    put(&cluster, "list", 1, "spec.c[name: x].y", "1");
    put(&cluster, "object", 1, "spec.c.y", "1");
    build(&cluster);
    put(&cluster, "object", 2, "metadata.name", "1");
    build(&cluster);
    json_t *entry =
        fx_cluster_status_entry(&identity, cluster.built, find(&cluster, "object"));
    const json_t *errors = json_object_get(entry, "errors");
    assert_int_equal(json_array_size(errors), 2);
    assert_null(json_object_get(json_array_get(errors, 0), "type"));
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(errors, 1), "type")),
        "ErrConflictingSchema");
    assert_null(json_object_get(entry, "enforced"));
    json_decref(entry);
    end(&cluster);
}

/* More members than one wants to read of. */
static void of_a_long_conflict_the_first_are_named(void **state) {
    (void)state;
    static const char beginning[] = "the following mutators have conflicting schemas: "
                                    "[Assign.mutations.gatekeeper.sh /m00,Assign.";
    static const char ending[] = "/m19 and 40 more]";
    struct cluster cluster = {0};
    char name[200];
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof name, "m%02u", i);
        put(&cluster, name, 1, i % 2 == 0 ? "spec.c[name: x].y" : "spec.c.y", "1");
    }
    build(&cluster);
    json_t *entry =
        fx_cluster_status_entry(&identity, cluster.built, find(&cluster, name));
    const json_t *error = json_array_get(json_object_get(entry, "errors"), 0);
    const char *message = json_string_value(json_object_get(error, "message"));
    assert_non_null(message);
    assert_memory_equal(message, beginning, strlen(beginning));
    assert_string_equal(message + strlen(message) - strlen(ending), ending);
    json_decref(entry);
    end(&cluster);
}

static void in_quarantine(void **state) {
    (void)state;
    struct cluster cluster = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_policies *under = NULL;
    put(&cluster, "a", 1, "spec.x", "1");
    put(&cluster, "b", 1, "spec.y", "1");
    build(&cluster);
    struct fx_quarantine *quarantine = fx_quarantine_create(1);
    assert_non_null(quarantine);
    fx_quarantine_add(quarantine, &(struct fx_quarantined){
                                      .mutator = cluster.built->snapshot->mutators[0],
                                      .reason = FX_FAILURE_FAILED,
                                      .times = 3,
                                  });
    assert_true(fx_policies_quarantine(cluster.built, quarantine, &under, &err));
    fx_policies_unref(cluster.built);
    cluster.built = under;
    expect_entry(&cluster, "a",
                 HEAD("a", "1") TYPED("Quarantined",
                                      "quarantined after 3 failures in a row, the last "
                                      "one because its match or mutation failed"));
    expect_entry(&cluster, "b", HEAD("b", "1") GOOD);
    assert_true(fx_cluster_status_is_built(under, find(&cluster, "a")));
    fx_quarantine_unref(quarantine);
    end(&cluster);
}

/* Of an object that is newer than the build nothing can be said yet. */
static void is_it_built(void **state) {
    (void)state;
    struct cluster cluster = {0};
    put(&cluster, "a", 1, "spec.x", "1");
    build(&cluster);
    assert_true(fx_cluster_status_is_built(cluster.built, find(&cluster, "a")));
    put(&cluster, "a", 1, "spec.x", "1");
    assert_true(fx_cluster_status_is_built(cluster.built, find(&cluster, "a")));
    put(&cluster, "a", 2, "spec.y", "1");
    put(&cluster, "b", 1, "spec.y", "1");
    assert_false(fx_cluster_status_is_built(cluster.built, find(&cluster, "a")));
    assert_false(fx_cluster_status_is_built(cluster.built, find(&cluster, "b")));
    build(&cluster);
    assert_true(fx_cluster_status_is_built(cluster.built, find(&cluster, "a")));
    assert_true(fx_cluster_status_is_built(cluster.built, find(&cluster, "b")));
    end(&cluster);
}

static uint64_t digest(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *entry = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(entry);
    const uint64_t made = fx_status_digest(entry);
    json_decref(entry);
    assert_true(made != 0);
    return made;
}

static void digests(void **state) {
    (void)state;
    const uint64_t first = digest("{\"id\":\"a\",\"x\":[{\"b\":1,\"c\":2}]}");
    assert_true(first == digest("{\"x\":[{\"c\":2,\"b\":1}],\"id\":\"a\"}"));
    assert_true(first != digest("{\"id\":\"b\",\"x\":[{\"b\":1,\"c\":2}]}"));
    assert_true(first != digest("{\"id\":\"a\",\"x\":[{\"b\":1,\"c\":2},{}]}"));
    assert_true(first != digest("{\"id\":\"a\"}"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_one),
        cmocka_unit_test(a_bad_one),
        cmocka_unit_test(in_conflict),
        cmocka_unit_test(the_previous_version_stays),
        cmocka_unit_test(both_at_once),

        cmocka_unit_test(of_a_long_conflict_the_first_are_named),
        cmocka_unit_test(in_quarantine),
        cmocka_unit_test(is_it_built),
        cmocka_unit_test(digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
