/* SPDX-License-Identifier: Apache-2.0
 *
 * server/sources.c - the source of policies: files or a cluster; no policies while
 * passthrough is on.
 */
#include "server/state.h"

#include <stddef.h>

#include "base/log.h"
#include "server/cluster_metrics.h"

static void on_policies(struct fx_policies *built, struct fx_policies *before,
                        double seconds, void *user) {
    struct fx_server *server = user;
    fx_active_policies_set(server->active, built, seconds);
    fx_policies_log(built, before); /* `built` is active now */
    fx_sources_report(server);
}

void fx_sources_report(struct fx_server *server) {
    struct fx_policies *now = fx_active_policies_get(server->active);
    if (server->cluster != NULL && now != NULL) {
        fx_cluster_report(server->cluster, now);
    }
    fx_policies_unref(now);
}

static void on_request(enum fx_kube_verb verb, const struct fx_kube_resource *resource,
                       enum fx_kube_reason reason, double seconds, void *user) {
    struct fx_server *server = user;
    fx_cluster_metrics_count(server->cluster_metrics, verb, resource, reason, seconds);
}

static void on_pair(struct fx_text cert_pem, struct fx_text key_pem, void *user) {
    struct fx_server *server = user;
    fx_certificates_set(server->certificates, cert_pem, key_pem);
}

static bool start_cluster(struct fx_server *server, struct fx_err *err) {
    const struct fx_cluster_callbacks to = {
        .on_policies = on_policies,
        .on_pair = on_pair,
        .on_request = on_request,
        .user = server,
    };
    server->cluster_metrics = fx_cluster_metrics_create(server->metrics.registry, server);
    if (server->cluster_metrics == NULL) {
        return fx_fail_nomem(err);
    }
    server->cluster =
        fx_cluster_create(&server->loop, server->options->cluster, &to, err);
    if (server->cluster == NULL) {
        return false;
    }
    const struct fx_text ca = fx_certificates_ca(server->certificates);
    if (ca.len > 0) {
        fx_cluster_publish(server->cluster, ca);
    }
    return true;
}

bool fx_sources_start(struct fx_server *server, struct fx_err *err) {
    const struct fx_server_options *options = server->options;
    if (!fx_policies_build(NULL, 0, NULL, 0, &server->no_policies, err)) {
        return false;
    }
    if (options->cluster != NULL) {
        return start_cluster(server, err);
    }
    const struct fx_policies_watch_options watched = {
        .roots = options->policies,
        .n_roots = options->n_policies,
        .settings = &options->settings,
        .on_empty = options->on_empty,
        .metrics = &server->metrics,
    };
    const struct fx_policies_watch_events events = {on_policies, server};
    server->files = fx_policies_watch_create(&server->loop, &watched, &events, err);
    return server->files != NULL;
}

struct fx_policies *fx_sources_get_policies(const struct fx_server *server,
                                            unsigned thread) {
    const bool passthrough =
        atomic_load_explicit(&server->passthrough, memory_order_relaxed);
    struct fx_policies *now =
        passthrough ? NULL : fx_active_policies_refresh(server->active, thread);
    return fx_policies_ref(now != NULL ? now : server->no_policies);
}

bool fx_sources_may_fetch(const struct fx_server *server,
                          const struct fx_policies *policies) {
    return server->cluster != NULL && policies != server->no_policies;
}

enum fx_lookup fx_sources_find_input(const struct fx_server *server,
                                     const struct fx_policies *policies,
                                     const struct fx_input_key *key, json_t **ret_value,
                                     struct fx_err *err) {
    *ret_value = fx_sources_may_fetch(server, policies)
                     ? fx_cluster_find_input(server->cluster, key, err)
                     : fx_namespaces_find_input(&policies->namespaces, key, err);
    if (*ret_value != NULL) {
        return FX_LOOKUP_FOUND;
    }
    return err->code != FX_OK ? FX_LOOKUP_FAILED : FX_LOOKUP_WAIT;
}

bool fx_sources_ready(const struct fx_server *server, const char **ret_reason) {
    if (server->cluster != NULL) {
        return fx_cluster_ready(server->cluster, ret_reason);
    }
    *ret_reason = "not loaded yet";
    return server->files != NULL && fx_policies_watch_ready(server->files, ret_reason);
}

void fx_sources_reload(struct fx_server *server) {
    fx_active_policies_release(server->active);
    if (server->cluster != NULL) {
        fx_cluster_reload(server->cluster);
    } else {
        fx_policies_watch_reload(server->files);
    }
}

void fx_sources_set_passthrough(struct fx_server *server, bool on) {
    atomic_store_explicit(&server->passthrough, on, memory_order_relaxed);
    fx_log(WARN,
           on ? "passthrough on (SIGUSR1): objects pass unchanged until SIGUSR2"
              : "passthrough off (SIGUSR2): policies are active",
           {0});
}

void fx_sources_close(struct fx_server *server) {
    fx_policies_watch_close(server->files);
    fx_cluster_close(server->cluster);
    fx_cluster_metrics_destroy(server->cluster_metrics);
    fx_policies_unref(server->no_policies);
    server->cluster_metrics = NULL;
    server->files = NULL;
    server->cluster = NULL;
    server->no_policies = NULL;
}
