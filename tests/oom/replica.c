/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/replica.c - a replica that receives policies and certificates, and its
 * cluster.
 */
#include "replica.h"

#include "refuse.h"

#define LEASE "/apis/coordination.k8s.io/v1/namespaces/ns/leases/fixpoint"
#define CRDS  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"

struct replica replica;

static void on_policies(struct fx_policies *built, struct fx_policies *before,
                        double seconds, void *user) {
    (void)before;
    (void)seconds;
    (void)user;
    fx_policies_ref(built);
    fx_policies_unref(replica.built);
    replica.built = built;
    fx_cluster_report(replica.cluster, built);
}

/* Keeps the certificate. Its allocations are not tested: this happens once. */
static void on_pair(struct fx_text cert_pem, struct fx_text key_pem, void *user) {
    (void)key_pem;
    (void)user;
    refuse_pause();
    fx_buf_reset(&replica.cert);
    fx_buf_text(&replica.cert, cert_pem);
    refuse_resume();
}

bool replica_begin(struct stage *stage, const struct fx_cluster_options *options,
                   struct fx_err *err) {
    static const char *const operations[] = {"mutation-webhook"};
    static const struct fx_cluster_callbacks to = {.on_policies = on_policies,
                                                   .on_pair = on_pair};
    replica = (struct replica){.config = {.server = stage->api.url}, .options = *options};
    replica.options.config = &replica.config;
    replica.options.identity = (struct fx_cluster_identity){.pod = OWN_POD,
                                                            .namespace_ = "ns",
                                                            .lease = "fixpoint",
                                                            .operations = operations,
                                                            .n_operations = 1};
    replica.cluster = fx_cluster_create(&stage->loop, &replica.options, &to, err);
    return replica.cluster != NULL;
}

void replica_end(struct stage *stage) {
    (void)stage;
    if (replica.cluster != NULL) {
        fx_cluster_release_lease(replica.cluster);
    }
    fx_cluster_close(replica.cluster);
    fx_policies_unref(replica.built);
    fx_buf_finish(&replica.cert);
}

struct fx_cluster_stats replica_look(void) {
    struct fx_cluster_stats now;
    fx_cluster_get_stats(replica.cluster, &now);
    return now;
}

bool replica_holds_lease(const struct stage *stage) {
    const json_t *spec = fx_tree_view_key(fake_view(&stage->api, LEASE), "spec");
    return replica_look().lease_held &&
           fx_text_starts(fx_tree_view_string(spec, "holderIdentity"), FX_TEXT(OWN_POD));
}

/* ---- the server's objects ---------------------------------------------------------- */

void replica_put_space(struct stage *stage, const char *name, const char *label) {
    char path[100];
    char text[200];
    (void)snprintf(path, sizeof path, SPACES "/%s", name);
    (void)snprintf(text, sizeof text,
                   "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"a\":\"%s\"}}}", name,
                   label);
    fake_put(&stage->api, path, text);
}

/* Makes the definitions. The status of Gatekeeper's Assign is a list with a key; that of
 * Fixpoint's own Assign is a plain list. */
static void put_definition(struct stage *stage) {
    fake_put(&stage->api, CRDS "assign.mutations.gatekeeper.sh",
             "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"versions\":[{\"name\":\"v1\","
             "\"subresources\":{\"status\":{}},\"schema\":{\"openAPIV3Schema\":{"
             "\"properties\":{\"status\":{"
             "\"properties\":{\"byPod\":{\"x-kubernetes-list-type\":\"map\","
             "\"x-kubernetes-list-map-keys\":[\"id\"]}}}}}}}]}}");
    fake_put(
        &stage->api, CRDS "modrules.api.kubemod.io",
        "{\"metadata\":{\"name\":\"y\"},\"spec\":{\"versions\":[{\"name\":\"v1beta1\","
        "\"subresources\":{\"status\":{}},\"schema\":{\"openAPIV3Schema\":{"
        "\"properties\":{\"status\":{\"properties\":{\"byPod\":{"
        "\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"id\"]},"
        "\"conditions\":{\"x-kubernetes-list-type\":\"map\","
        "\"x-kubernetes-list-map-keys\":[\"type\"]}}}}}}}]}}");
}

void replica_prepare(struct stage *stage) {
    static const char *const collections[] = {ASSIGNS, OWN_ASSIGNS, MODRULES, SPACES,
                                              PODS,    SECRETS,     MUTATING, VALIDATING};
    for (size_t i = 0; i < FX_COUNT(collections); i++) {
        fake_collect(&stage->api, collections[i]);
    }
    put_definition(stage);
    replica_put_space(stage, "ns", "1");
    replica_put_space(stage, "shop", "1");
    fake_put(&stage->api, PODS "/" OWN_POD,
             "{\"metadata\":{\"name\":\"" OWN_POD "\",\"namespace\":\"ns\"}}");
}
