/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/cluster.c - connects the parts.
 */
#include "cluster/cluster.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "cluster/existing_sources.h"
#include "cluster/leader/lease.h"
#include "cluster/status/sweep.h"
#include "kube/log_throttle.h"

#define CLUSTER_MAGIC 0x6678636cu /* "fxcl" */

struct fx_cluster {
    uint32_t magic;
    struct fx_cluster_callbacks callbacks;
    struct fx_kube_client *client;
    struct fx_cluster_policies *policies;
    struct fx_cluster_namespaces *namespaces;
    struct fx_cluster_fetches fetches; /* fetches of objects that are not watched */
    struct fx_access_reviews access_reviews;
    struct fx_cluster_schemas schemas;
    bool has_schemas; /* they were initialised */
    struct fx_cluster_bindings *bindings;
    struct fx_cluster_webhooks *webhooks;
    /* NULL: Fixpoint does not maintain the certificate. */
    struct fx_cluster_secret *secret;
    struct fx_cluster_status *status; /* NULL: not written */
    struct fx_cluster_events *events; /* NULL: not written */
    struct fx_cluster_sweep *sweep;   /* with `status` */
    struct fx_existing_sources existing_sources;
    struct fx_cluster_existing
        *existing; /* NULL: rules for existing objects do nothing, */
    size_t n_off;  /* so many of them */
    struct fx_cluster_lease *lease;
    struct fx_kube_log_throttle log_throttle;
    struct fx_policies *active; /* as last reported; counted; NULL: none yet */
    bool names_mutating, disabled, configured, was_missing;
    bool publishes;
    int64_t ca_not_after;
};

static struct fx_cluster *cluster_of(void *data) {
    struct fx_cluster *cluster = data;
    assert(cluster != NULL && cluster->magic == CLUSTER_MAGIC);
    return cluster;
}

/* ---- callbacks of the parts ------------------------------------------------------ */

static bool is_outage(const struct fx_cluster *cluster) {
    for (size_t i = 0; i < FX_CLUSTER_RESOURCES; i++) {
        const struct fx_kube_resource *resource = NULL;
        struct fx_kube_reflector_status status;
        if (fx_cluster_get_resource_status(cluster, i, &resource, &status) &&
            status.state == FX_KUBE_STATE_FAILING &&
            fx_kube_reason_is_outage(status.reason)) {
            return true;
        }
    }
    return false;
}

static void on_state(const struct fx_kube_resource *resource, enum fx_kube_state state,
                     const struct fx_kube_failure *failure, void *user) {
    struct fx_cluster *cluster = cluster_of(user);
    fx_kube_log_throttle_state(&cluster->log_throttle, resource, state, failure,
                               is_outage(cluster), fx_clock_ns());
}

static void on_request(enum fx_kube_verb verb, const struct fx_kube_resource *resource,
                       enum fx_kube_reason reason, double seconds, void *user) {
    struct fx_cluster *cluster = cluster_of(user);
    if (reason == FX_KUBE_REASON_FORBIDDEN) {
        fx_kube_log_throttle_refused(&cluster->log_throttle, resource, fx_clock_ns());
    }
    if (cluster->callbacks.on_request != NULL) {
        cluster->callbacks.on_request(verb, resource, reason, seconds,
                                      cluster->callbacks.user);
    }
}

/* Warns about rules that do nothing because --existing is off, when their number
 * changes. */
static void warn_of_existing(struct fx_cluster *cluster) {
    const struct fx_snapshot *snapshot = cluster->active->snapshot;
    const struct fx_mutator *first = NULL;
    size_t n = 0;
    for (size_t i = snapshot->n_acting; i < snapshot->n_mutators; i++) {
        if (fx_mutator_is_existing(snapshot->mutators[i])) {
            first = first == NULL ? snapshot->mutators[i] : first;
            n++;
        }
    }
    if (n > 0 && n != cluster->n_off) {
        fx_log(WARN, "rules for existing objects do nothing, because --existing is off",
               fx_log_int("rules", (int64_t)n), fx_log_str("first", first->full_name));
    }
    cluster->n_off = n;
}

static void on_built(struct fx_policies *built, struct fx_policies *before,
                     double seconds, void *user) {
    struct fx_cluster *cluster = cluster_of(user);
    cluster->callbacks.on_policies(built, before, seconds, cluster->callbacks.user);
}

void fx_cluster_report(struct fx_cluster *cluster, struct fx_policies *active) {
    fx_policies_ref(active);
    fx_policies_unref(cluster->active);
    cluster->active = active;
    if (cluster->status != NULL) {
        fx_cluster_status_compare_all(cluster->status, active);
    }
    if (cluster->events != NULL) {
        fx_cluster_events_compare_all(cluster->events, active);
    }
    if (cluster->existing != NULL) {
        fx_cluster_existing_set_policies(cluster->existing, active->snapshot);
    } else {
        warn_of_existing(cluster);
    }
}

static void on_status(const struct fx_cluster_object *object, void *user) {
    struct fx_cluster *cluster = cluster_of(user);
    if (cluster->status != NULL && cluster->active != NULL) {
        fx_cluster_status_compare_one(cluster->status, cluster->active, object);
    }
}

static void on_published(uint64_t since_ns, void *user) {
    struct fx_cluster *cluster = cluster_of(user);
    if (cluster->secret != NULL) {
        fx_cluster_secret_published(cluster->secret, since_ns);
    }
}

static void on_disabled(bool disabled, void *user) {
    struct fx_cluster *cluster = cluster_of(user);
    cluster->disabled = disabled;
    fx_log(WARN, disabled ? "mutation is disabled" : "mutation is enabled", {0});
}

static void on_present(bool present, void *user) {
    struct fx_cluster *cluster = cluster_of(user);
    cluster->configured = present;
    fx_log_write(present && !cluster->was_missing ? FX_LOG_INFO : FX_LOG_WARN,
                 present
                     ? "the webhook configuration exists"
                     : "the webhook configuration does not exist: nothing is mutated, "
                       "and Fixpoint does not create it",
                 (const struct fx_log_field[]){{0}});
    cluster->was_missing = !present;
}

static void on_pair(struct fx_text cert_pem, struct fx_text key_pem, void *user) {
    struct fx_cluster *cluster = cluster_of(user);
    cluster->callbacks.on_pair(cert_pem, key_pem, cluster->callbacks.user);
}

static bool on_bundle(struct fx_text ca_bundle, int64_t ca_not_after, void *user) {
    struct fx_cluster *cluster = cluster_of(user);
    cluster->ca_not_after = ca_not_after;
    return fx_cluster_webhooks_publish(cluster->webhooks, ca_bundle);
}

/* Starts or stops the work that only one replica should do. */
static void on_lease(bool held, void *user) {
    struct fx_cluster *cluster = cluster_of(user);
    fx_log(INFO, held ? "lease won" : "lease lost", {0});
    fx_cluster_webhooks_set_leader(cluster->webhooks, held);
    if (cluster->status != NULL) {
        fx_cluster_status_set_leader(cluster->status, held);
    }
    if (cluster->sweep != NULL) {
        fx_cluster_sweep_set_leader(cluster->sweep, held);
    }
    if (cluster->events != NULL) {
        fx_cluster_events_set_leader(cluster->events, held);
    }
    if (cluster->existing != NULL) {
        fx_cluster_existing_set_leader(cluster->existing, held);
    }
}

/* ---- start and end --------------------------------------------------------------- */

static bool start_reading(struct fx_cluster *cluster, uv_loop_t *loop,
                          const struct fx_cluster_options *options, struct fx_err *err) {
    static const struct fx_cluster_policies_events events = {
        .on_built = on_built, .on_status = on_status, .on_state = on_state};
    const struct fx_cluster_policies_options read = {
        .identity = options->identity,
        .apis = options->apis,
        .native = options->native,
        .settings = options->settings,
    };
    cluster->policies =
        fx_cluster_policies_create(loop, cluster->client, &read, &events, cluster, err);
    if (cluster->policies == NULL) {
        return false;
    }
    cluster->namespaces =
        fx_cluster_namespaces_create(loop, cluster->client, on_state, cluster, err);
    return cluster->namespaces != NULL;
}

/* Starts the parts for inputs of reviews and for bindings. Pods are annotated with their
 * Node only if the dialects that are read can use it. */
static bool start_references(struct fx_cluster *cluster, uv_loop_t *loop,
                             const struct fx_cluster_options *options,
                             struct fx_err *err) {
    const bool binds = fx_cluster_apis_annotate_nodes(options->apis);
    fx_cluster_fetches_init(&cluster->fetches, cluster->client);
    fx_access_reviews_init(&cluster->access_reviews, cluster->client);
    cluster->has_schemas = fx_cluster_schemas_init(&cluster->schemas, cluster->client);
    if (!cluster->has_schemas) {
        return fx_fail_nomem(err);
    }
    cluster->bindings = binds ? fx_cluster_bindings_create(loop, cluster->client) : NULL;
    return cluster->bindings != NULL || !binds || fx_fail_nomem(err);
}

static bool start_certificate(struct fx_cluster *cluster, uv_loop_t *loop,
                              const struct fx_cluster_options *options,
                              struct fx_err *err) {
    static const struct fx_cluster_webhooks_events events = {.on_published = on_published,
                                                             .on_disabled = on_disabled,
                                                             .on_present = on_present,
                                                             .on_state = on_state};
    const struct fx_cluster_secret_events secret_events = {.on_pair = on_pair,
                                                           .on_bundle = on_bundle,
                                                           .on_state = on_state,
                                                           .user = cluster};
    cluster->webhooks = fx_cluster_webhooks_create(
        loop, cluster->client, &options->webhooks, &events, cluster, err);
    if (cluster->webhooks == NULL) {
        return false;
    }
    if (options->secret == NULL) {
        return true;
    }
    cluster->secret = fx_cluster_secret_create(loop, cluster->client, options->secret,
                                               &secret_events, err);
    return cluster->secret != NULL;
}

/* fx_type_source.fetch */
static bool fetch_type_schemas(void *source, struct fx_text group, struct fx_text version,
                               fx_on_type_schemas *on_done, void *user) {
    return fx_cluster_schemas_fetch(source, group, version, 0, on_done, user);
}

static bool start_existing(struct fx_cluster *cluster, uv_loop_t *loop,
                           const struct fx_cluster_options *options, struct fx_err *err) {
    if (options->existing.mode == FX_EXISTING_MODE_OFF) {
        return true;
    }
    cluster->existing_sources = (struct fx_existing_sources){
        .cluster = cluster, .policies = cluster->policies, .events = cluster->events};
    struct fx_cluster_existing_callbacks callbacks;
    fx_existing_sources_connect(&cluster->existing_sources, &callbacks);
    cluster->existing = fx_cluster_existing_create(loop, cluster->client,
                                                   &options->existing, &callbacks, err);
    return cluster->existing != NULL;
}

static bool start_reporting(struct fx_cluster *cluster, uv_loop_t *loop,
                            const struct fx_cluster_options *options,
                            struct fx_err *err) {
    const struct fx_cluster_identity *identity = &options->identity;
    if (options->writes_status) {
        cluster->status = fx_cluster_status_create(loop, cluster->client, identity,
                                                   cluster->policies, options->apis, err);
        cluster->sweep = cluster->status == NULL
                             ? NULL
                             : fx_cluster_sweep_create(loop, cluster->client, identity,
                                                       cluster->policies, err);
        const struct fx_type_source types = {.fetch = fetch_type_schemas,
                                             .user = &cluster->schemas};
        if (cluster->sweep == NULL ||
            !fx_cluster_status_check_types(cluster->status, &types, err)) {
            return false;
        }
    }
    if (options->writes_events) {
        cluster->events = fx_cluster_events_create(loop, cluster->client, identity,
                                                   cluster->policies, err);
        if (cluster->events == NULL) {
            return false;
        }
    }
    if (!start_existing(cluster, loop, options, err)) {
        return false;
    }
    const struct fx_cluster_lease_options lease = {
        .pod = identity->pod,
        .namespace_ = identity->namespace_,
        .name = identity->lease,
    };
    cluster->lease =
        fx_cluster_lease_create(loop, cluster->client, &lease, on_lease, cluster, err);
    return cluster->lease != NULL;
}

struct fx_cluster *fx_cluster_create(uv_loop_t *loop,
                                     const struct fx_cluster_options *options,
                                     const struct fx_cluster_callbacks *callbacks,
                                     struct fx_err *err) {
    struct fx_cluster *cluster = calloc(1, sizeof *cluster);
    if (cluster == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    cluster->magic = CLUSTER_MAGIC;
    cluster->callbacks = *callbacks;
    cluster->names_mutating =
        options->webhooks.n_mutating > 0 && options->webhooks.mutating[0][0] != '\0';
    cluster->publishes = options->webhooks.writes_ca;
    cluster->client =
        fx_kube_client_create(loop, options->config, on_request, cluster, err);
    if (cluster->client == NULL || !start_reading(cluster, loop, options, err) ||
        !start_references(cluster, loop, options, err) ||
        !start_certificate(cluster, loop, options, err) ||
        !start_reporting(cluster, loop, options, err)) {
        fx_cluster_close(cluster);
        return NULL;
    }
    return cluster;
}

void fx_cluster_release_lease(struct fx_cluster *cluster) {
    if (fx_cluster_lease_held(cluster->lease)) {
        on_lease(false, cluster);
    }
    fx_cluster_lease_release(cluster->lease);
}

/* Closes the client last, since all parts use it. */
void fx_cluster_close(struct fx_cluster *cluster) {
    if (cluster == NULL) {
        return;
    }
    fx_cluster_lease_close(cluster->lease);
    fx_cluster_existing_close(cluster->existing);
    fx_cluster_events_close(cluster->events);
    fx_cluster_sweep_close(cluster->sweep);
    fx_cluster_status_close(cluster->status);
    fx_cluster_secret_close(cluster->secret);
    fx_cluster_webhooks_close(cluster->webhooks);
    fx_cluster_bindings_close(cluster->bindings);
    if (cluster->has_schemas) {
        fx_cluster_schemas_finish(&cluster->schemas);
    }
    fx_access_reviews_finish(&cluster->access_reviews);
    fx_cluster_fetches_finish(&cluster->fetches);
    fx_cluster_namespaces_close(cluster->namespaces);
    fx_cluster_policies_close(cluster->policies);
    fx_kube_client_close(cluster->client);
    fx_policies_unref(cluster->active);
    cluster->magic = 0;
    free(cluster);
}

/* ---- queries ---------------------------------------------------------------------- */

struct fx_cluster_namespaces *fx_cluster_get_namespaces(struct fx_cluster *cluster) {
    return cluster->namespaces;
}

/* Fetches a Namespace, unless another review has fetched the whole Namespace since this
 * one checked. */
static bool fetch_namespace(struct fx_cluster *cluster, const struct fx_input_key *key,
                            uint64_t deadline_ns, fx_cluster_on_fetched *on_done,
                            void *user) {
    const struct fx_cluster_namespace_request wanted = {
        .name = key->name,
        .whole = !key->labels_only,
        .deadline_ns = deadline_ns,
    };
    json_t *object =
        wanted.whole ? fx_cluster_namespaces_find_whole(cluster->namespaces, wanted.name)
                     : NULL;
    if (object != NULL) {
        on_done(object, NULL, user);
        return true;
    }
    return fx_cluster_namespaces_fetch(cluster->namespaces, &wanted, on_done, user);
}

bool fx_cluster_fetch_input(struct fx_cluster *cluster, const struct fx_input_key *key,
                            uint64_t deadline_ns, fx_cluster_on_fetched *on_done,
                            void *user) {
    if (key->type == FX_INPUT_ACCESS) {
        return fx_access_reviews_start(&cluster->access_reviews, key->spec, deadline_ns,
                                       on_done, user);
    }
    if (fx_input_key_is(key, "Namespace")) {
        return fetch_namespace(cluster, key, deadline_ns, on_done, user);
    }
    const struct fx_cluster_fetch_request request = {
        .key = key,
        .deadline_ns = deadline_ns,
        .on_done = on_done,
        .user = user,
    };
    return fx_cluster_fetches_start(&cluster->fetches, &request);
}

struct fx_cluster_existing *fx_cluster_get_existing(struct fx_cluster *cluster) {
    return cluster->existing;
}

struct fx_cluster_schemas *fx_cluster_get_schemas(struct fx_cluster *cluster) {
    return &cluster->schemas;
}

struct fx_cluster_bindings *fx_cluster_get_bindings(struct fx_cluster *cluster) {
    return cluster->bindings;
}

bool fx_cluster_ready(const struct fx_cluster *cluster, const char **ret_waits_for) {
    if (!fx_cluster_policies_ready(cluster->policies, ret_waits_for)) {
        return false;
    }
    *ret_waits_for = "waiting for the list of namespaces";
    return fx_cluster_namespaces_ready(cluster->namespaces);
}

void fx_cluster_publish(struct fx_cluster *cluster, struct fx_text ca_bundle) {
    if (!fx_cluster_webhooks_publish(cluster->webhooks, ca_bundle)) {
        fx_log(ERROR, "caBundle not published: out of memory", {0});
    }
}

void fx_cluster_reload(struct fx_cluster *cluster) {
    fx_cluster_policies_rebuild(cluster->policies);
    if (cluster->secret != NULL) {
        fx_cluster_secret_check(cluster->secret);
    }
}

void fx_cluster_get_stats(const struct fx_cluster *cluster,
                          struct fx_cluster_stats *ret_stats) {
    *ret_stats = (struct fx_cluster_stats){
        .lease_held = fx_cluster_lease_held(cluster->lease),
        .names_mutating = cluster->names_mutating,
        .disabled = cluster->disabled,
        .configured = cluster->configured,
        .publishes = cluster->publishes,
        .published = fx_cluster_webhooks_published_since(cluster->webhooks) != 0,
        .ca_not_after = cluster->ca_not_after,
    };
    ret_stats->has_native =
        fx_cluster_policies_get_native(cluster->policies, &ret_stats->native);
    if (cluster->status != NULL) {
        fx_cluster_status_get_counts(cluster->status, &ret_stats->status);
    }
    if (cluster->events != NULL) {
        fx_cluster_events_get_counts(cluster->events, &ret_stats->events);
    }
    if (cluster->existing != NULL) {
        fx_cluster_existing_get_counts(cluster->existing, &ret_stats->existing);
    }
}

size_t fx_cluster_resources_count(const struct fx_cluster *cluster) {
    return FX_CLUSTER_RESOURCES + fx_cluster_policies_count_named(cluster->policies);
}

bool fx_cluster_get_resource_status(const struct fx_cluster *cluster, size_t index,
                                    const struct fx_kube_resource **ret_resource,
                                    struct fx_kube_reflector_status *ret_status) {
    static const struct fx_kube_resource namespaces = {"", "v1", "namespaces",
                                                       "Namespace"};
    if (index >= FX_CLUSTER_RESOURCES) {
        return fx_cluster_policies_get_named(
            cluster->policies, index - FX_CLUSTER_RESOURCES, ret_resource, ret_status);
    }
    if (index < fx_cluster_kinds_count()) {
        *ret_resource = &fx_cluster_kind_at(index)->versions[0];
        return fx_cluster_policies_get_status(cluster->policies, index, ret_status);
    }
    switch (index - fx_cluster_kinds_count()) {
    case 0:
        *ret_resource = &namespaces;
        fx_cluster_namespaces_get_status(cluster->namespaces, ret_status);
        return true;
    case 1:
        *ret_resource = &fx_cluster_mutating;
        return fx_cluster_webhooks_get_status(cluster->webhooks, *ret_resource,
                                              ret_status);
    case 2:
        *ret_resource = &fx_cluster_validating;
        return fx_cluster_webhooks_get_status(cluster->webhooks, *ret_resource,
                                              ret_status);
    default: break;
    }
    assert(index + 1 == FX_CLUSTER_RESOURCES);
    *ret_resource = &fx_cluster_secrets;
    if (cluster->secret != NULL) {
        fx_cluster_secret_get_status(cluster->secret, ret_status);
    }
    return cluster->secret != NULL;
}
