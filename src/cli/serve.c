/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/serve.c - `fixpoint serve`: runs the webhook server.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "base/log.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/schemas.h"
#include "cli/serve_flags.h"
#include "net/address.h"
#include "net/tls.h"
#include "server/server.h"

struct serve_options {
    struct fx_server_options server; /* filled by the options directly */
    struct fx_strings policies, schemas, tls_names, client_names, operations;
    struct fx_strings exempt_names, exempt_prefixes, exempt_suffixes;
    struct fx_cluster_flags cluster;
    bool tls_self_signed;
    unsigned on_error, on_empty, log_level, sandbox, tls_min_version;
    size_t namespace_share;
};

#define DEFAULT_LISTEN        ":8443"
#define DEFAULT_HEALTH_LISTEN ":9090"
#define DEFAULT_NAMESPACE     "gatekeeper-system"

/* The first word is the default. */
static const char *const level_words[] = {"info", "debug", "warn", "error", NULL};

/* In the order of enum fx_sandbox_mode. */
static const char *const sandbox_words[] = {"auto", "require", "off", NULL};

/* In the order of enum fx_on_empty. */
static const char *const on_empty_words[] = {"keep", "not-ready", "accept", NULL};
/* In the order of enum fx_tls_version. */
static const char *const tls_version_words[] = {"1.2", "1.3", NULL};

/* In the order of enum fx_native_mode. */
static const char *const native_words[] = {FX_NATIVE_MODES(FX_WORD) NULL};
/* In the order of enum fx_existing_mode. */
static const char *const existing_words[] = {FX_EXISTING_MODES(FX_WORD) NULL};

static const char *or_else(const char *given, const char *otherwise) {
    return given != NULL && given[0] != '\0' ? given : otherwise;
}

/* ---- checking -------------------------------------------------------------------- */

/* File names are checked only if no certificate is generated. */
static const char *tls_fault(const struct serve_options *values) {
    const struct fx_server_options *server = &values->server;
    const struct fx_cluster_flags *cluster = &values->cluster;
    const bool has_cert = server->tls_cert != NULL;
    const bool has_files = has_cert || server->tls_key != NULL || server->tls_ca != NULL;
    if (cluster->tls_secret != NULL) {
        return has_files || server->tls_cert_out != NULL || values->tls_self_signed
                   ? "--tls-secret: not together with --tls-cert, --tls-key, --tls-ca, "
                     "--tls-cert-out or --tls-self-signed"
                   : NULL;
    }
    if (cluster->ca_validity > 0 || cluster->cert_validity > 0 ||
        cluster->rotation_wait > 0) {
        return "--ca-validity, --cert-validity and --rotation-wait: only with "
               "--tls-secret";
    }
    if (values->tls_self_signed) {
        return has_files ? "--tls-self-signed: not together with --tls-cert, --tls-key "
                           "and --tls-ca"
                         : NULL;
    }
    if (!has_cert || server->tls_key == NULL) {
        return has_cert                  ? "--tls-cert: --tls-key is missing"
               : server->tls_key != NULL ? "--tls-key: --tls-cert is missing"
                                         : "--tls-cert with --tls-key, --tls-self-signed "
                                           "or --tls-secret is missing";
    }
    return values->tls_names.n_items > 0 || server->tls_cert_out != NULL
               ? "--tls-name and --tls-cert-out: only with --tls-self-signed"
               : NULL;
}

static const char *policies_fault(const struct serve_options *values) {
    const size_t n_paths = values->policies.n_items;
    const char *fault = fx_cluster_flags_fault(&values->cluster, n_paths);
    if (fault == NULL && n_paths == 0 && !fx_cluster_flags_mean_one(&values->cluster)) {
        return "--policies or --kubeconfig is missing (outside of a Pod, "
               "KUBERNETES_SERVICE_HOST is not set)";
    }
    if (fault != NULL) {
        return fault;
    }
    if (values->schemas.n_items > 0 && n_paths == 0) {
        return "--schema: only with --policies (a cluster has its own schemas)";
    }
    return fx_strings_count_stdin(&values->schemas) > 0
               ? "--schema: standard input (-) cannot be read here"
           : fx_strings_count_stdin(&values->policies) > 0
               ? "--policies: standard input (-) cannot be watched"
               : NULL;
}

/* The error message contains the limit. */
_Static_assert(FX_LIMIT_THREADS == 64, "--threads: more than 64");

static const char *usage_fault(const struct serve_options *values) {
    const char *fault = policies_fault(values);
    fault = fault != NULL ? fault : tls_fault(values);
    if (fault != NULL) {
        return fault;
    }
    if (values->client_names.n_items > 0 && values->server.client_ca == NULL) {
        return "--client-cn: only with --client-ca";
    }
    if (values->server.threads > FX_LIMIT_THREADS) {
        return "--threads: more than 64";
    }
    return values->namespace_share > 100 ? "--namespace-share: more than 100 per cent"
                                         : NULL;
}

static bool address_fits(const char *flag, const char *address) {
    struct fx_address parsed;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_address_parse(address, &parsed, &err)) {
        fx_say("%s: %s", flag, err.msg);
        return false;
    }
    return true;
}

static bool tls_version_fits(const struct serve_options *values) {
    struct fx_err err = FX_ERR_INIT;
    if (!fx_tls_set_min_version((enum fx_tls_version)values->tls_min_version, &err)) {
        fx_say("--tls-min-version: %s", err.msg);
        return false;
    }
    return true;
}

static bool is_usable(const struct serve_options *values) {
    const char *fault = usage_fault(values);
    if (fault != NULL) {
        (void)fx_say_usage(fault);
        return false;
    }
    return tls_version_fits(values) &&
           address_fits("--listen", or_else(values->server.listen, DEFAULT_LISTEN)) &&
           address_fits("--health-listen",
                        or_else(values->server.health_listen, DEFAULT_HEALTH_LISTEN)) &&
           (or_else(values->server.web_listen, NULL) == NULL ||
            address_fits("--web-listen", values->server.web_listen));
}

/* ---- the command ----------------------------------------------------------------- */

static enum fx_exit serve(const struct serve_options *values,
                          const struct fx_operations *operations,
                          const struct fx_cluster_options *cluster,
                          struct fx_schema_catalog *schemas) {
    struct fx_server_options options = values->server;
    options.schemas = schemas;
    const char *given_namespace = or_else(
        options.own_namespace, or_else(getenv("POD_NAMESPACE"), DEFAULT_NAMESPACE));
    options.listen = or_else(options.listen, DEFAULT_LISTEN);
    options.health_listen = or_else(options.health_listen, DEFAULT_HEALTH_LISTEN);
    options.web_listen = or_else(options.web_listen, NULL);
    options.policies = values->policies.items;
    options.n_policies = values->policies.n_items;
    options.cluster = cluster;
    options.tls_names = values->tls_names.items;
    options.n_tls_names = values->tls_names.n_items;
    options.client_names = values->client_names.items;
    options.n_client_names = values->client_names.n_items;
    options.own_namespace =
        cluster != NULL ? cluster->identity.namespace_ : given_namespace;
    options.on_empty = (enum fx_on_empty)values->on_empty;
    options.on_error = (enum fx_on_error)values->on_error;
    options.sandbox = (enum fx_sandbox_mode)values->sandbox;
    options.mutates = operations->mutates;
    options.admits = operations->admits;
    options.exempt = (struct fx_exemptions){
        .names = values->exempt_names.items,
        .n_names = values->exempt_names.n_items,
        .prefixes = values->exempt_prefixes.items,
        .n_prefixes = values->exempt_prefixes.n_items,
        .suffixes = values->exempt_suffixes.items,
        .n_suffixes = values->exempt_suffixes.n_items,
    };
    options.namespace_share = values->namespace_share == 0
                                  ? FX_LIMIT_NAMESPACE_SHARE
                                  : (unsigned)values->namespace_share;
    options.left_status = FX_EXIT_LEFT;
    const char *const addresses[] = {options.listen, options.health_listen,
                                     options.web_listen};
    const size_t n_addresses = FX_COUNT(addresses) - (options.web_listen == NULL);
    struct fx_err err = FX_ERR_INIT;
    const bool served = fx_sandbox_drop(options.sandbox, addresses, n_addresses, &err) &&
                        fx_server_run(&options, &err);
    return served ? FX_EXIT_DONE : fx_say_err(&err);
}

static bool read_apis(const struct serve_options *values, unsigned *ret_apis) {
    struct fx_err err = FX_ERR_INIT;
    *ret_apis = FX_CLUSTER_API_ALL;
    if (values->cluster.apis == NULL ||
        fx_cluster_apis_parse(values->cluster.apis, ret_apis, &err)) {
        return true;
    }
    fx_say("--apis: %s", err.msg);
    return false;
}

static enum fx_exit serve_cluster(const struct serve_options *values,
                                  const struct fx_operations *operations) {
    struct fx_cluster_context context = {
        .operations = operations,
        .settings = &values->server.settings,
        .tls_names = &values->tls_names,
        .own_namespace = values->server.own_namespace,
        .publishes = values->server.tls_ca != NULL,
    };
    struct fx_cluster_settings settings = {0};
    struct fx_err err = FX_ERR_INIT;
    enum fx_exit status = FX_EXIT_DONE;
    if (!read_apis(values, &context.apis)) {
        return FX_EXIT_USAGE;
    }
    if (!fx_cluster_settings_read(&values->cluster, &context, &settings, &err)) {
        status = fx_say_err(&err);
    } else if (!fx_cluster_settings_check(&settings, &err)) {
        status = fx_say_err(&err);
        status = err.code == FX_EINVALID ? FX_EXIT_USAGE : status;
    } else {
        status = serve(values, operations, &settings.options, NULL);
    }
    fx_cluster_settings_finish(&settings);
    return status;
}

static enum fx_exit serve_files(const struct serve_options *values,
                                const struct fx_operations *operations) {
    struct fx_input_schemas schemas = {.read = NULL};
    const unsigned color = 0; /* as a terminal wants */
    enum fx_exit status = fx_input_read_schemas(&values->schemas, color, &schemas);
    if (status == FX_EXIT_DONE) {
        status = serve(values, operations, NULL, schemas.read);
    }
    fx_input_schemas_finish(&schemas);
    return status;
}

static enum fx_exit run_serve(const void *values) {
    const struct serve_options *given = values;
    struct fx_operations operations = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!is_usable(given)) {
        return FX_EXIT_USAGE;
    }
    if (!fx_operations_read(&given->operations, &operations, &err)) {
        return fx_say_usage(err.msg);
    }
    enum fx_log_level level = FX_LOG_INFO;
    if (fx_log_level_parse(level_words[given->log_level], &level)) {
        fx_log_set_level(level);
    }
    return given->policies.n_items > 0 ? serve_files(given, &operations)
                                       : serve_cluster(given, &operations);
}

#define FIELD(name) offsetof(struct serve_options, name)
#define ROW(type, name, field, argument, help) \
    FX_OPTION_ROW(name, '\0', type, FIELD(field), argument, NULL, help)

static const struct fx_option options[] = {
    {"policies", 'p', FX_OPTION_LIST, FIELD(policies), "PATH", NULL,
     "policies: a file or a folder, watched and re-read (repeats)"},
    {"on-empty-policies", '\0', FX_OPTION_CHOICE, FIELD(on_empty), "HOW", on_empty_words,
     "if the policy files no longer contain mutators: keep the previous ones (default), "
     "not-ready or accept"},
    FX_SCHEMA_OPTION(struct serve_options, schemas),
    ROW(TEXT, "listen", server.listen, "ADDRESS",
        "HOST:PORT of the webhook server, HTTPS (default :8443)"),
    ROW(TEXT, "health-listen", server.health_listen, "ADDRESS",
        "HOST:PORT of health and metrics, HTTP (default :9090)"),
    ROW(TEXT, "web-listen", server.web_listen, "ADDRESS",
        "HOST:PORT for dry runs of rules, PUT /v1/dryrun, unauthenticated HTTP, such as "
        "127.0.0.1:8081 (default: off)"),
    ROW(TEXT, "tls-cert", server.tls_cert, "FILE", "serving certificate (PEM)"),
    ROW(TEXT, "tls-key", server.tls_key, "FILE",
        "private key of the serving certificate (PEM)"),
    ROW(TEXT, "tls-ca", server.tls_ca, "FILE",
        "CA certificate (PEM), written as caBundle into the webhook configurations"),
    ROW(FLAG, "tls-self-signed", tls_self_signed, NULL,
        "create a self-signed certificate, for tests"),
    ROW(LIST, "tls-name", tls_names, "NAME",
        "DNS name or address in the self-signed certificate (default localhost), or an "
        "additional one in the certificate of --tls-secret (repeats)"),
    ROW(TEXT, "tls-cert-out", server.tls_cert_out, "FILE",
        "write the self-signed certificate to this file"),
    {"tls-min-version", '\0', FX_OPTION_CHOICE, FIELD(tls_min_version), "VERSION",
     tls_version_words,
     "minimum TLS version, for the webhook server and for connections to providers and "
     "the API server: 1.2 (default) or 1.3"},
    ROW(TEXT, "client-ca", server.client_ca, "FILE",
        "require client certificates issued by these CAs (PEM)"),
    ROW(LIST, "client-cn", client_names, "NAME",
        "accept only client certificates with this common name (repeats)"),
    ROW(TEXT, "kubeconfig", cluster.kubeconfig, "FILE",
        "watch the policies of this cluster (default: the cluster of the Pod)"),
    ROW(TEXT, "context", cluster.context, "NAME",
        "context of the kubeconfig (default: its current context)"),
    ROW(TEXT, "apis", cluster.apis, "LIST",
        "dialects whose policies are watched in the cluster, separated by commas "
        "(default: all but those of API servers); an unknown name prints the list"),
    {"native-policies", '\0', FX_OPTION_CHOICE, FIELD(cluster.native), "HOW",
     native_words,
     "policies of API servers that --apis names: auto (default: leave them if the API "
     "server runs them), run or leave"},
    {"existing", '\0', FX_OPTION_CHOICE, FIELD(cluster.existing), "HOW", existing_words,
     "rules that mutate existing objects: off (default: they do nothing), dry-run (the "
     "API server tries each change and stores none) or on"},
    ROW(COUNT, "existing-qps", cluster.existing_qps, "N",
        "requests per second to the API server for existing objects (default 20)"),
    ROW(TEXT, "tls-secret", cluster.tls_secret, "NAME",
        "create the serving certificate, keep it in this Secret and rotate it"),
    ROW(TEXT, "cert-service-name", cluster.service, "NAME",
        "Service that the certificate is for (default fixpoint-webhook-service)"),
    ROW(DURATION, "ca-validity", cluster.ca_validity, "TIME",
        "validity of the CA certificate in the Secret (default 87600h)"),
    ROW(DURATION, "cert-validity", cluster.cert_validity, "TIME",
        "validity of the serving certificate in the Secret (default 8760h)"),
    ROW(DURATION, "rotation-wait", cluster.rotation_wait, "TIME",
        "time between the steps of a rotation (default 60s)"),
    ROW(FLAG, "disable-cert-rotation", cluster.no_rotation, NULL,
        "do not write the Secret or any caBundle"),
    ROW(TEXT, "mutating-webhook-configuration-name", cluster.mutating, "NAME",
        "MutatingWebhookConfiguration whose caBundle Fixpoint maintains (default "
        "gatekeeper-mutating-webhook-configuration)"),
    ROW(TEXT, "validating-webhook-configuration-name", cluster.validating, "NAME",
        "ValidatingWebhookConfiguration whose caBundle Fixpoint maintains (default "
        "gatekeeper-validating-webhook-configuration)"),
    ROW(LIST, "additional-mutating-webhook-configs-to-rotate-certs",
        cluster.also_mutating, "NAME",
        "additional MutatingWebhookConfiguration whose caBundle Fixpoint maintains "
        "(repeats)"),
    ROW(TEXT, "lease-name", cluster.lease, "NAME",
        "Lease by which one replica is elected for cluster-wide writes (default "
        "fixpoint)"),
    ROW(FLAG, "no-events", cluster.no_events, NULL,
        "do not write Events about invalid mutators"),
    FX_DIALECT_OPTIONS(struct serve_options, server.settings),
    FX_ON_ERROR_OPTION(struct serve_options),
    ROW(FLAG, "mutation-annotations", server.mutation_annotations, NULL,
        "annotate each changed object with the mutators that changed it"),
    ROW(FLAG, "log-mutations", server.log_mutations, NULL,
        "log the mutators that applied in each pass"),
    ROW(LIST, "operation", operations, "NAME",
        "mutation-webhook: answer /v1/mutate; webhook: answer /v1/admit and "
        "/v1/admitlabel (default: both; repeats; its other values are accepted)"),
    ROW(LIST, "exempt-namespace", exempt_names, "NAME",
        "namespace that may have the ignore label (repeats)"),
    ROW(LIST, "exempt-namespace-prefix", exempt_prefixes, "PREFIX",
        "the same for namespaces with this prefix (repeats)"),
    ROW(LIST, "exempt-namespace-suffix", exempt_suffixes, "SUFFIX",
        "the same for namespaces with this suffix (repeats)"),
    ROW(COUNT_OR_NONE, "quarantine-after", server.quarantine_after, "N",
        "disable a mutator that failed in N reviews in a row, until its policy changes "
        "(default 0: never)"),
    ROW(DURATION_OR_NONE, "quarantine-budget", server.quarantine_budget_ms, "TIME",
        "a mutator that takes longer in one review counts as failed (default 0: no "
        "limit)"),
    ROW(COUNT, "namespace-share", namespace_share, "PERCENT",
        "share of the review deadline for all policies of one namespace together "
        "(default 25)"),
    ROW(COUNT, "metrics-max-mutators", server.metrics_max_mutators, "N",
        "number of mutators with metrics of their own (default 500)"),
    {"sandbox", '\0', FX_OPTION_CHOICE, FIELD(sandbox), "MODE", sandbox_words,
     "drop privileges and block most system calls after startup: auto (default: as far "
     "as the kernel allows), require (fail to start otherwise) or off"},
    {"log-level", '\0', FX_OPTION_CHOICE, FIELD(log_level), "LEVEL", level_words,
     "debug, info (default), warn or error"},
    ROW(COUNT, "threads", server.threads, "N",
        "threads that serve reviews, at most 64 (default: the number of available "
        "cores)"),
    ROW(SIZE, "max-body", server.max_body, "SIZE",
        "maximum size of a request body (default 8Mi)"),
    ROW(SIZE, "max-header", server.max_header, "SIZE",
        "maximum size of the HTTP headers (default 64Ki)"),
    ROW(COUNT, "max-connections", server.max_connections, "N",
        "maximum number of open connections (default 4096)"),
    ROW(DURATION, "idle-timeout", server.idle_ms, "TIME",
        "close a connection without a request for this time (default 5m)"),
    ROW(DURATION, "message-timeout", server.message_ms, "TIME",
        "time limit for receiving a request (default 10s)"),
    ROW(DURATION, "review-timeout", server.review_ms, "TIME",
        "deadline of a review without a timeout of its own (default 10s)"),
    ROW(DURATION, "shed-after", server.shed_after_ms, "TIME",
        "reject requests that have waited longer than this (default 500ms)"),
    ROW(DURATION, "drain", server.drain_ms, "TIME",
        "time between SIGTERM and the end of listening (default 10s)"),
    ROW(DURATION, "grace", server.grace_ms, "TIME",
        "time limit for the requests that are left then; exit status 6 if it is exceeded "
        "(default 15s)"),
    ROW(DURATION_OR_OFF, "stall-after", server.stall_after_ms, "TIME",
        "make /healthz fail if a thread makes no progress for this time (default 10s; 0: "
        "never)"),
    ROW(TEXT, "own-namespace", server.own_namespace, "NAME",
        "namespace of the service account gatekeeper-admin, whose requests are not "
        "mutated (default: POD_NAMESPACE; otherwise, in a cluster, the namespace of the "
        "kubeconfig context or of the Pod; otherwise gatekeeper-system)"),
    {.name = NULL},
};

const struct fx_command fx_command_serve = {
    .name = "serve",
    .usage = "(-p PATH... | --kubeconfig FILE) (--tls-cert FILE --tls-key FILE | "
             "--tls-self-signed | --tls-secret NAME) [OPTION]...",
    .summary = "run the webhook server",
    .details = "Serves POST /v1/mutate, /v1/admit and /v1/admitlabel over HTTPS, and GET "
               "/healthz, /readyz and /metrics over HTTP on a second port (with "
               "--web-listen, PUT /v1/dryrun on a third), until SIGTERM or SIGINT. "
               "Reloads policies and certificates when they change. Logs one JSON object "
               "per line to standard error.\n\nTimes have a unit, as in 500ms, 5s or "
               "1m30s; sizes may have one, as in 64Ki or 8Mi.\n",
    .options = options,
    .values_size = sizeof(struct serve_options),
    .stray = " (give policies with -p)",
    .run = run_serve,
};
