/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/serve_flags.c - reads --operation, and makes the settings of a cluster from flags
 * and environment.
 */
#include "cli/serve_flags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"
#include "cluster/certificates/rotation.h"

/* ---- --operation ----------------------------------------------------------------- */

/* Sorted: statuses list them in this order. */
static const struct {
    const char *word;
    bool is_done; /* Fixpoint implements it; the default is all of these */
    bool mutates, admits, reports;
} known[FX_OPERATIONS_KNOWN] = {
    {.word = "audit"},
    {.word = "generate"},
    {.word = "mutation-controller", .is_done = true},
    {.word = "mutation-status", .is_done = true, .reports = true},
    {.word = "mutation-webhook", .is_done = true, .mutates = true},
    {.word = "status"},
    {.word = "webhook", .is_done = true, .admits = true},
};

/* Which operations were given. */
struct given_operations {
    bool at[FX_OPERATIONS_KNOWN];
};

static bool read_word(struct fx_text word, struct given_operations *given,
                      struct fx_err *err) {
    for (size_t i = 0; i < FX_COUNT(known); i++) {
        if (fx_text_is(word, known[i].word)) {
            given->at[i] = true;
            return true;
        }
    }
    return fx_fail(err, FX_EINVALID,
                   "--operation: `%.*s` is none of mutation-webhook, webhook, "
                   "mutation-controller, mutation-status, status, audit, generate",
                   FX_TEXT_ARG(word));
}

static bool read_names(const char *names, struct given_operations *given,
                       struct fx_err *err) {
    for (const char *at = names;; at++) {
        const size_t len = strcspn(at, ",");
        if (!read_word((struct fx_text){at, len}, given, err)) {
            return false;
        }
        at += len;
        if (*at == '\0') {
            return true;
        }
    }
}

static void add_operation(struct fx_operations *operations, size_t i) {
    operations->mutates |= known[i].mutates;
    operations->admits |= known[i].admits;
    operations->reports |= known[i].reports;
    operations->names[operations->n_names++] = known[i].word;
}

bool fx_operations_read(const struct fx_strings *names,
                        struct fx_operations *ret_operations, struct fx_err *err) {
    struct given_operations given = {{false}};
    for (size_t i = 0; i < names->n_items; i++) {
        if (!read_names(names->items[i], &given, err)) {
            return false;
        }
    }
    *ret_operations = (struct fx_operations){0};
    for (size_t i = 0; i < FX_COUNT(known); i++) {
        if (names->n_items == 0 ? known[i].is_done : given.at[i]) {
            add_operation(ret_operations, i);
        }
    }
    return true;
}

#define DEFAULT_NAMESPACE  "gatekeeper-system"
#define DEFAULT_SERVICE    "fixpoint-webhook-service"
#define DEFAULT_LEASE      "fixpoint"
#define DEFAULT_MUTATING   "gatekeeper-mutating-webhook-configuration"
#define DEFAULT_VALIDATING "gatekeeper-validating-webhook-configuration"
#define HOST_NAME_BYTES    256
#define DEFAULT_QPS        20u
#define MOST_QPS           10000u

#define SECONDS_IN_DAY INT64_C(86400)
#define CA_DAYS        3650
#define LEAF_DAYS      365
#define WAIT_SECONDS   60

static const char *or_else(const char *given, const char *otherwise) {
    return given != NULL && given[0] != '\0' ? given : otherwise;
}

bool fx_cluster_flags_mean_one(const struct fx_cluster_flags *flags) {
    return flags->kubeconfig != NULL || getenv("KUBERNETES_SERVICE_HOST") != NULL;
}

const char *fx_cluster_flags_fault(const struct fx_cluster_flags *flags, size_t n_files) {
    if (flags->context != NULL && flags->kubeconfig == NULL) {
        return "--context: only with --kubeconfig";
    }
    if (flags->existing_qps > 0 && flags->existing == FX_EXISTING_MODE_OFF) {
        return "--existing-qps: only with --existing";
    }
    if (n_files == 0) {
        return NULL;
    }
    return flags->kubeconfig != NULL   ? "--policies: not together with --kubeconfig"
           : flags->tls_secret != NULL ? "--tls-secret: only with a cluster"
           : flags->apis != NULL       ? "--apis: only with a cluster"
           : flags->native != 0        ? "--native-policies: only with a cluster"
           : flags->existing != 0      ? "--existing: only with a cluster"
                                       : NULL;
}

void fx_cluster_settings_finish(struct fx_cluster_settings *settings) {
    fx_kube_config_finish(&settings->config);
    for (size_t i = 0; i < settings->n_names; i++) {
        free(settings->names[i]);
    }
    free(settings->names);
    free(settings->own_namespace);
    free(settings->pod);
    *settings = (struct fx_cluster_settings){0};
}

/* ---- identity -------------------------------------------------------------------- */

static bool read_pod(struct fx_cluster_settings *settings, struct fx_err *err) {
    char host[HOST_NAME_BYTES] = "";
    (void)gethostname(host, sizeof host - 1);
    settings->pod = strdup(or_else(getenv("POD_NAME"), or_else(host, "fixpoint")));
    return settings->pod != NULL || fx_fail_nomem(err);
}

static bool read_namespace(struct fx_cluster_settings *settings, const char *given,
                           struct fx_err *err) {
    const char *name = or_else(given, getenv("POD_NAMESPACE"));
    name = or_else(name, settings->config.namespace_);
    settings->own_namespace = strdup(or_else(name, DEFAULT_NAMESPACE));
    return settings->own_namespace != NULL || fx_fail_nomem(err);
}

/* ---- the certificate ------------------------------------------------------------- */

/* Makes `SERVICE.NAMESPACE…`; `namespace_` NULL: without the namespace. NULL without
 * memory. */
static char *print_name(const char *service, const char *namespace_, const char *rest) {
    struct fx_buf name = {0};
    fx_buf_str(&name, service);
    if (namespace_ != NULL) {
        fx_buf_printf(&name, ".%s%s", namespace_, rest);
    }
    char *text = fx_buf_steal(&name);
    fx_buf_finish(&name);
    return text;
}

/* The API server connects to SERVICE.NAMESPACE.svc; the other names are for people. */
static bool make_names(struct fx_cluster_settings *settings, const char *service,
                       const struct fx_strings *further, struct fx_err *err) {
    static const char *const endings[] = {".svc", "", ".svc.cluster.local"};
    const size_t n = FX_COUNT(endings) + 1 + further->n_items;
    settings->names = calloc(n, sizeof *settings->names);
    if (settings->names == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        char *name = i < FX_COUNT(endings)
                         ? print_name(service, settings->own_namespace, endings[i])
                     : i == FX_COUNT(endings)
                         ? print_name(service, NULL, "")
                         : strdup(further->items[i - FX_COUNT(endings) - 1]);
        if (name == NULL) {
            return fx_fail_nomem(err);
        }
        settings->names[settings->n_names++] = name;
    }
    return true;
}

static int64_t seconds_or(uint64_t given_ms, int64_t otherwise_s) {
    return given_ms == 0 ? otherwise_s : (int64_t)(given_ms / 1000);
}

static bool read_secret(const struct fx_cluster_flags *flags,
                        const struct fx_cluster_context *context,
                        struct fx_cluster_settings *settings, struct fx_err *err) {
    if (flags->tls_secret == NULL) {
        return true;
    }
    if (!make_names(settings, or_else(flags->service, DEFAULT_SERVICE),
                    context->tls_names, err)) {
        return false;
    }
    settings->secret = (struct fx_cluster_secret_options){
        .namespace_ = settings->own_namespace,
        .name = flags->tls_secret,
        .names = (const char *const *)settings->names,
        .n_names = settings->n_names,
        .ca_validity_s = seconds_or(flags->ca_validity, CA_DAYS * SECONDS_IN_DAY),
        .leaf_validity_s = seconds_or(flags->cert_validity, LEAF_DAYS * SECONDS_IN_DAY),
        .wait_s = seconds_or(flags->rotation_wait, WAIT_SECONDS),
        .writes = !flags->no_rotation,
    };
    settings->options.secret = &settings->secret;
    return true;
}

/* Fails if a leaf would expire with its CA, earlier than the flag says. */
static bool check_leaf(const struct fx_rotation_settings *settings, struct fx_err *err) {
    return settings->leaf_validity <= settings->ca_validity ||
           fx_fail(err, FX_EINVALID,
                   "--cert-validity: the certificate (%lld s) cannot be valid for longer "
                   "than its CA (%lld s)",
                   (long long)settings->leaf_validity, (long long)settings->ca_validity);
}

bool fx_cluster_settings_check(const struct fx_cluster_settings *settings,
                               struct fx_err *err) {
    static const char *const flags[] = {
        [FX_ROTATION_NAMES] = "--cert-service-name, --tls-name",
        [FX_ROTATION_CA_VALIDITY] = "--ca-validity",
        [FX_ROTATION_LEAF_VALIDITY] = "--cert-validity",
        [FX_ROTATION_WAIT] = "--rotation-wait",
    };
    const struct fx_cluster_secret_options *secret = settings->options.secret;
    if (secret == NULL) {
        return true;
    }
    const struct fx_rotation_settings rotation = {
        .names = secret->names,
        .n_names = secret->n_names,
        .ca_validity = secret->ca_validity_s,
        .leaf_validity = secret->leaf_validity_s,
        .wait = secret->wait_s,
    };
    enum fx_rotation_setting which = FX_ROTATION_NAMES;
    if (!fx_rotation_check_settings(&rotation, &which, err)) {
        return fx_err_prefix(err, "%s: ", flags[which]);
    }
    return check_leaf(&rotation, err);
}

/* ---- the webhook configurations -------------------------------------------------- */

static bool read_webhooks(const struct fx_cluster_flags *flags,
                          const struct fx_cluster_context *context,
                          struct fx_cluster_settings *settings, struct fx_err *err) {
    const struct fx_strings *also = &flags->also_mutating;
    if (also->n_items + 1 > FX_COUNT(settings->mutating)) {
        return fx_fail(err, FX_EINVALID,
                       "--additional-mutating-webhook-configs-to-rotate-certs: %zu at "
                       "most",
                       FX_COUNT(settings->mutating) - 1);
    }
    static const char *const usual[] = {DEFAULT_VALIDATING};
    settings->mutating[0] = flags->mutating == NULL ? DEFAULT_MUTATING : flags->mutating;
    for (size_t i = 0; i < also->n_items; i++) {
        settings->mutating[i + 1] = also->items[i];
    }
    const bool renamed = flags->validating != NULL; /* an empty name: no configuration */
    settings->options.webhooks = (struct fx_cluster_webhooks_options){
        .mutating = settings->mutating,
        .n_mutating = also->n_items + 1,
        .validating = renamed ? &flags->validating : usual,
        .n_validating = 1,
        .writes_ca =
            !flags->no_rotation && (flags->tls_secret != NULL || context->publishes),
    };
    return true;
}

/* Requests in a second; 0: not given. */
static unsigned read_qps(size_t given) {
    return given == 0 ? DEFAULT_QPS : given > MOST_QPS ? MOST_QPS : (unsigned)given;
}

bool fx_cluster_settings_read(const struct fx_cluster_flags *flags,
                              const struct fx_cluster_context *context,
                              struct fx_cluster_settings *ret_settings,
                              struct fx_err *err) {
    const bool read = flags->kubeconfig != NULL
                          ? fx_kube_config_read(flags->kubeconfig, flags->context,
                                                &ret_settings->config, err)
                          : fx_kube_config_in_cluster(NULL, &ret_settings->config, err);
    if (!read || !read_pod(ret_settings, err) ||
        !read_namespace(ret_settings, context->own_namespace, err) ||
        !read_secret(flags, context, ret_settings, err) ||
        !read_webhooks(flags, context, ret_settings, err)) {
        return false;
    }
    const struct fx_operations *operations = context->operations;
    ret_settings->options.config = &ret_settings->config;
    ret_settings->options.apis = context->apis;
    ret_settings->options.native = (enum fx_native_mode)flags->native;
    ret_settings->options.settings = *context->settings;
    ret_settings->options.existing = (struct fx_cluster_existing_options){
        .mode = (enum fx_existing_mode)flags->existing,
        .qps = read_qps(flags->existing_qps),
    };
    ret_settings->options.writes_status = operations->reports;
    ret_settings->options.writes_events = operations->reports && !flags->no_events;
    ret_settings->options.identity = (struct fx_cluster_identity){
        .pod = ret_settings->pod,
        .namespace_ = ret_settings->own_namespace,
        .lease = or_else(flags->lease, DEFAULT_LEASE),
        .operations = operations->names,
        .n_operations = operations->n_names,
    };
    return true;
}
