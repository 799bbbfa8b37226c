/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/policies_fixture.h - for tests of what is written into a cluster: a
 * fake API server with mutators, and the policies that are read from it.
 */
#ifndef FX_CLUSTER_POLICIES_POLICIES_FIXTURE_H
#define FX_CLUSTER_POLICIES_POLICIES_FIXTURE_H

#include "kube/fake_api.h"

#include "cluster/policies/policies.h"

#define ASSIGNS     "/apis/mutations.gatekeeper.sh/v1/assign"
#define OWN_ASSIGNS "/apis/mutations.fixpoint.dev/v1alpha1/fixpointassigns"
#define PODS        "/api/v1/namespaces/ns/pods"
#define OWN_POD     "fixpoint-5c8f7b6d9-abcde"

/* An Assign in JSON: its name, what more of its metadata, a location, what more of it. */
#define ASSIGN_OF(group, name, metadata, location, value, rest)                        \
    "{\"apiVersion\":\"" group "\",\"kind\":\"Assign\",\"metadata\":{\"name\":\"" name \
    "\",\"generation\":1" metadata                                                     \
    "},\"spec\":{\"applyTo\":[{\"groups\":[\"\"],\"versions\":[\"v1\"],\"kinds\":["    \
    "\"Pod\"]}],\"location\":\"" location                                              \
    "\",\"parameters\":{\"assign\":{\"value\":" value "}}}" rest "}"
#define ASSIGN(name, metadata, location, value, rest) \
    ASSIGN_OF("mutations.gatekeeper.sh/v1", name, metadata, location, value, rest)
#define MODRULES "/apis/api.kubemod.io/v1beta1/modrules"
#define MODRULE_PATH(namespace_, name) \
    "/apis/api.kubemod.io/v1beta1/namespaces/" namespace_ "/modrules/" name
/* A ModRule in JSON: its namespace and name, what more of its metadata, its type, what
 * more of it. */
#define MODRULE(namespace_, name, metadata, type, rest)                                 \
    "{\"apiVersion\":\"api.kubemod.io/v1beta1\",\"kind\":\"ModRule\",\"metadata\":"     \
    "{\"namespace\":\"" namespace_ "\",\"name\":\"" name "\",\"generation\":1" metadata \
    "},\"spec\":{\"type\":\"" type "\",\"match\":[{\"select\":\"$.kind\","              \
    "\"matchValue\":\"Pod\"}],\"patch\":[{\"op\":\"add\",\"path\":"                     \
    "\"/metadata/labels/x\",\"value\":\"y\"}]}" rest "}"
#define BY_POD(entries) ",\"status\":{\"byPod\":[" entries "]}"

struct fixture {
    struct fake_api api;
    struct fx_cluster_identity identity;
    unsigned apis;
    struct fx_kube_client *client;
    struct fx_cluster_policies *policies;
    unsigned n_builds;
    struct fx_policies *built; /* the last build; counted */
    /* Called for a build, and for a change of the own status; may be NULL. */
    void (*on_built)(struct fixture *fixture, struct fx_policies *built);
    void (*on_status)(struct fixture *fixture, const struct fx_cluster_object *object);
    void *user;
};

static inline void fixture_on_built(struct fx_policies *built, struct fx_policies *before,
                                    double seconds, void *user) {
    struct fixture *fixture = user;
    (void)before;
    (void)seconds;
    fixture->n_builds++;
    fx_policies_ref(built);
    fx_policies_unref(fixture->built);
    fixture->built = built;
    if (fixture->on_built != NULL) {
        fixture->on_built(fixture, built);
    }
}

static inline void fixture_on_status(const struct fx_cluster_object *object, void *user) {
    struct fixture *fixture = user;
    if (fixture->on_status != NULL) {
        fixture->on_status(fixture, object);
    }
}

static inline void fixture_on_state(const struct fx_kube_resource *resource,
                                    enum fx_kube_state state,
                                    const struct fx_kube_failure *failure, void *user) {
    (void)resource;
    (void)state;
    (void)failure;
    (void)user;
}

/* Starts with the empty collections of two kinds. */
static inline void fixture_start(struct fixture *fixture) {
    static const char *const operations[] = {"mutation-webhook"};
    *fixture = (struct fixture){
        .identity = {.pod = OWN_POD,
                     .namespace_ = "ns",
                     .lease = "fixpoint",
                     .operations = operations,
                     .n_operations = 1},
        .apis = FX_CLUSTER_API_ALL,
    };
    fake_start(&fixture->api);
    fake_collect(&fixture->api, ASSIGNS);
    fake_collect(&fixture->api, OWN_ASSIGNS);
    fixture->client = fake_client(&fixture->api);
}

/* Reads the policies that exist now. */
static inline void fixture_read(struct fixture *fixture) {
    static const struct fx_cluster_policies_events events = {
        .on_built = fixture_on_built,
        .on_status = fixture_on_status,
        .on_state = fixture_on_state,
    };
    const struct fx_cluster_policies_options options = {
        .identity = fixture->identity,
        .apis = fixture->apis,
    };
    struct fx_err err = FX_ERR_INIT;
    const char *ignored = NULL;
    fixture->policies = fx_cluster_policies_create(
        &fixture->api.server.loop, fixture->client, &options, &events, fixture, &err);
    assert_non_null(fixture->policies);
    FAKE_UNTIL(&fixture->api, fx_cluster_policies_ready(fixture->policies, &ignored));
}

static inline void fixture_finish(struct fixture *fixture) {
    fx_policies_unref(fixture->built);
    fx_cluster_policies_close(fixture->policies);
    fx_kube_client_close(fixture->client);
    fake_finish(&fixture->api);
}

/* The ids of the entries of the object at this path, with blanks between them; "" for
 * none. Valid until the next call. */
static inline const char *fixture_ids(const struct fixture *fixture, const char *path) {
    static char text[1000];
    const json_t *entries = fx_tree_view_key(
        fx_tree_view_key(fake_view(&fixture->api, path), "status"), "byPod");
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const struct fx_text id = fx_tree_view_string(json_array_get(entries, i), "id");
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%.*s",
                                i == 0 ? "" : " ", FX_TEXT_ARG(id));
    }
    return text;
}

#endif
