/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/serve.c - `fixpoint serve`: the webhook, from flags.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/on_error.h"
#include "cli/operations.h"
#include "cli/output.h"
#include "cli/serve_cluster.h"
#include "net/address.h"
#include "net/tls.h"
#include "server/server.h"

struct values {
    struct fx_strings policies, tls_names, client_names, operations;
    struct fx_strings exempt_names, exempt_prefixes, exempt_suffixes;
    const char *listen, *health_listen, *web_listen, *tls_cert, *tls_key, *tls_ca,
        *tls_cert_out, *client_ca, *own_namespace;
    struct fx_cluster_flags cluster;
    struct fx_dialect_settings settings;
    bool tls_self_signed, mutation_annotations, log_mutations;
    unsigned on_error, on_empty, log_level, sandbox, tls_min_version;
    size_t max_body, max_header, max_connections, quarantine_after, metrics_max_mutators,
        threads, namespace_share;
    uint64_t quarantine_budget, idle, message, drain, grace, review, stall_after,
        shed_after;
};

#define DEFAULT_LISTEN        ":8443"
#define DEFAULT_HEALTH_LISTEN ":9090"
#define DEFAULT_NAMESPACE     "gatekeeper-system"

/* info first: the first word is what counts where none is given. */
static const char *const level_words[] = {"info", "debug", "warn", "error", NULL};

/* As in enum fx_sandbox_mode. */
static const char *const sandbox_words[] = {"auto", "require", "off", NULL};

/* As in enum fx_on_empty. */
static const char *const on_empty_words[] = {"keep", "not-ready", "accept", NULL};
/* As in enum fx_tls_version. */
static const char *const tls_version_words[] = {"1.2", "1.3", NULL};

static const char *or_else(const char *given, const char *otherwise) {
    return given != NULL && given[0] != '\0' ? given : otherwise;
}

/* ---- checking -------------------------------------------------------------------- */

static const char *secret_fault(const struct values *values) {
    return values->tls_cert != NULL || values->tls_key != NULL ||
                   values->tls_ca != NULL || values->tls_cert_out != NULL ||
                   values->tls_self_signed
               ? "--tls-secret: not together with --tls-cert, --tls-key, --tls-ca, "
                 "--tls-cert-out or --tls-self-signed"
               : NULL;
}

static const char *files_fault(const struct values *values) {
    if (values->tls_cert == NULL && values->tls_key == NULL) {
        return "--tls-cert and --tls-key are missing, or --tls-self-signed, or "
               "--tls-secret";
    }
    if (values->tls_cert == NULL || values->tls_key == NULL) {
        return values->tls_cert == NULL ? "--tls-key: --tls-cert is missing"
                                        : "--tls-cert: --tls-key is missing";
    }
    return values->tls_names.n_items > 0 || values->tls_cert_out != NULL
               ? "--tls-name and --tls-cert-out: only with --tls-self-signed"
               : NULL;
}

static const char *tls_fault(const struct values *values) {
    const struct fx_cluster_flags *cluster = &values->cluster;
    if (cluster->tls_secret != NULL) {
        return secret_fault(values);
    }
    if (cluster->ca_validity > 0 || cluster->cert_validity > 0 ||
        cluster->rotation_wait > 0) {
        return "--ca-validity, --cert-validity and --rotation-wait: only with "
               "--tls-secret";
    }
    if (!values->tls_self_signed) {
        return files_fault(values);
    }
    return values->tls_cert != NULL || values->tls_key != NULL || values->tls_ca != NULL
               ? "--tls-self-signed: not together with --tls-cert, --tls-key and --tls-ca"
               : NULL;
}

static const char *clients_fault(const struct values *values) {
    return values->client_names.n_items > 0 && values->client_ca == NULL
               ? "--client-cn: only with --client-ca"
               : NULL;
}

/* The words name the bound. */
_Static_assert(FX_LIMIT_THREADS == 64, "--threads: more than 64");

static const char *threads_fault(const struct values *values) {
    return values->threads > FX_LIMIT_THREADS ? "--threads: more than 64" : NULL;
}

static const char *share_fault(const struct values *values) {
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

static const char *policies_fault(const struct values *values) {
    const char *fault =
        fx_cluster_flags_fault(&values->cluster, values->policies.n_items);
    if (values->policies.n_items == 0 && fault == NULL) {
        return fx_cluster_flags_mean_one(&values->cluster)
                   ? NULL
                   : "--policies or --kubeconfig is missing: where are the policies? (In "
                     "a "
                     "Pod, KUBERNETES_SERVICE_HOST would be set.)";
    }
    if (fault != NULL) {
        return fault;
    }
    return fx_strings_count_stdin(&values->policies) > 0
               ? "--policies: standard input (-) cannot be watched"
               : NULL;
}

static bool tls_version_fits(const struct values *values) {
    struct fx_err err = FX_ERR_INIT;
    if (!fx_tls_set_min_version((enum fx_tls_version)values->tls_min_version, &err)) {
        fx_say("--tls-min-version: %s", err.msg);
        return false;
    }
    return true;
}

static bool is_usable(const struct values *values) {
    const char *fault = policies_fault(values);
    fault = fault != NULL ? fault : tls_fault(values);
    fault = fault != NULL ? fault : clients_fault(values);
    fault = fault != NULL ? fault : threads_fault(values);
    fault = fault != NULL ? fault : share_fault(values);
    if (fault != NULL) {
        fx_say("%s", fault);
        return false;
    }
    return tls_version_fits(values) &&
           address_fits("--listen", or_else(values->listen, DEFAULT_LISTEN)) &&
           address_fits("--health-listen",
                        or_else(values->health_listen, DEFAULT_HEALTH_LISTEN)) &&
           (or_else(values->web_listen, NULL) == NULL ||
            address_fits("--web-listen", values->web_listen));
}

/* ---- the command ----------------------------------------------------------------- */

static enum fx_exit serve(const struct values *values,
                          const struct fx_operations *operations,
                          const struct fx_cluster_options *cluster) {
    const char *pod_namespace = or_else(getenv("POD_NAMESPACE"), DEFAULT_NAMESPACE);
    const struct fx_server_options options = {
        .listen = or_else(values->listen, DEFAULT_LISTEN),
        .health_listen = or_else(values->health_listen, DEFAULT_HEALTH_LISTEN),
        .web_listen = or_else(values->web_listen, NULL),
        .policies = values->policies.items,
        .n_policies = values->policies.n_items,
        .tls_cert = values->tls_cert,
        .tls_key = values->tls_key,
        .tls_ca = values->tls_ca,
        .cluster = cluster,
        .tls_names = values->tls_names.items,
        .n_tls_names = values->tls_names.n_items,
        .tls_cert_out = values->tls_cert_out,
        .client_ca = values->client_ca,
        .client_names = values->client_names.items,
        .n_client_names = values->client_names.n_items,
        .own_namespace = cluster != NULL ? cluster->identity.namespace_
                                         : or_else(values->own_namespace, pod_namespace),
        .settings = values->settings,
        .on_empty = (enum fx_on_empty)values->on_empty,
        .on_error = (enum fx_on_error)values->on_error,
        .mutation_annotations = values->mutation_annotations,
        .log_mutations = values->log_mutations,
        .mutates = operations->mutates,
        .admits = operations->admits,
        .exempt =
            {
                .names = values->exempt_names.items,
                .n_names = values->exempt_names.n_items,
                .prefixes = values->exempt_prefixes.items,
                .n_prefixes = values->exempt_prefixes.n_items,
                .suffixes = values->exempt_suffixes.items,
                .n_suffixes = values->exempt_suffixes.n_items,
            },
        .quarantine_after = values->quarantine_after,
        .quarantine_budget_ms = values->quarantine_budget,
        .namespace_share = values->namespace_share == 0
                               ? FX_LIMIT_NAMESPACE_SHARE
                               : (unsigned)values->namespace_share,
        .metrics_max_mutators = values->metrics_max_mutators,
        .sandbox = (enum fx_sandbox_mode)values->sandbox,
        .max_body = values->max_body,
        .max_header = values->max_header,
        .max_connections = values->max_connections,
        .idle_ms = values->idle,
        .message_ms = values->message,
        .drain_ms = values->drain,
        .grace_ms = values->grace,
        .stall_after_ms = values->stall_after,
        .left_status = FX_EXIT_LEFT,
        .review_ms = values->review,
        .threads = values->threads,
        .shed_after_ms = values->shed_after,
    };
    const char *const addresses[] = {options.listen, options.health_listen,
                                     options.web_listen};
    const size_t n_addresses = FX_COUNT(addresses) - (options.web_listen == NULL);
    struct fx_err err = FX_ERR_INIT;
    const bool served = fx_sandbox_drop(options.sandbox, addresses, n_addresses, &err) &&
                        fx_server_run(&options, &err);
    return served ? FX_EXIT_DONE : fx_say_err(&err);
}

static bool read_apis(const struct values *values, unsigned *ret_apis) {
    struct fx_err err = FX_ERR_INIT;
    *ret_apis = FX_CLUSTER_API_ALL;
    if (values->cluster.apis == NULL ||
        fx_cluster_apis_parse(values->cluster.apis, ret_apis, &err)) {
        return true;
    }
    fx_say("--apis: %s", err.msg);
    return false;
}

static enum fx_exit serve_cluster(const struct values *values,
                                  const struct fx_operations *operations) {
    struct fx_cluster_context context = {
        .operations = operations,
        .settings = &values->settings,
        .tls_names = &values->tls_names,
        .own_namespace = values->own_namespace,
        .publishes = values->tls_ca != NULL,
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
        status = serve(values, operations, &settings.options);
    }
    fx_cluster_settings_finish(&settings);
    return status;
}

static enum fx_exit run(const void *values, const char *operand) {
    (void)operand;
    const struct values *given = values;
    struct fx_operations operations = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!is_usable(given)) {
        return FX_EXIT_USAGE;
    }
    if (!fx_operations_read(&given->operations, &operations, &err)) {
        fx_say("%s", err.msg);
        return FX_EXIT_USAGE;
    }
    enum fx_log_level level = FX_LOG_INFO;
    if (fx_log_level_parse(level_words[given->log_level], &level)) {
        fx_log_set_level(level);
    }
    return given->policies.n_items > 0 ? serve(given, &operations, NULL)
                                       : serve_cluster(given, &operations);
}

#define FIELD(name) offsetof(struct values, name)

static const struct fx_option options[] = {
    {"policies", 'p', FX_OPTION_LIST, FIELD(policies), "PATH", NULL,
     "policies: a file or a folder, watched and re-read (repeats)"},
    {"on-empty-policies", '\0', FX_OPTION_CHOICE, FIELD(on_empty), "HOW", on_empty_words,
     "where files that held mutators hold none any more: keep the previous ones "
     "(default), not-ready or accept"},
    {"listen", '\0', FX_OPTION_TEXT, FIELD(listen), "ADDRESS", NULL,
     "HOST:PORT of the webhook, HTTPS (default :8443)"},
    {"health-listen", '\0', FX_OPTION_TEXT, FIELD(health_listen), "ADDRESS", NULL,
     "HOST:PORT of health and metrics, HTTP (default :9090)"},
    {"web-listen", '\0', FX_OPTION_TEXT, FIELD(web_listen), "ADDRESS", NULL,
     "HOST:PORT for dry runs of rules, PUT /v1/dryrun, HTTP that asks nobody who he is, "
     "such as 127.0.0.1:8081 (default: nowhere)"},
    {"tls-cert", '\0', FX_OPTION_TEXT, FIELD(tls_cert), "FILE", NULL,
     "the certificate, PEM"},
    {"tls-key", '\0', FX_OPTION_TEXT, FIELD(tls_key), "FILE", NULL, "its key, PEM"},
    {"tls-ca", '\0', FX_OPTION_TEXT, FIELD(tls_ca), "FILE", NULL,
     "who vouches for it, PEM: the caBundle that the webhook configurations get"},
    {"tls-self-signed", '\0', FX_OPTION_FLAG, FIELD(tls_self_signed), NULL, NULL,
     "make a certificate, for trying things out"},
    {"tls-name", '\0', FX_OPTION_LIST, FIELD(tls_names), "NAME", NULL,
     "a name in the self-signed certificate (default localhost), or a further one in "
     "that "
     "of --tls-secret (repeats)"},
    {"tls-cert-out", '\0', FX_OPTION_TEXT, FIELD(tls_cert_out), "FILE", NULL,
     "write the self-signed certificate there"},
    {"tls-min-version", '\0', FX_OPTION_CHOICE, FIELD(tls_min_version), "VERSION",
     tls_version_words,
     "the lowest version of TLS, of the webhook as well as towards providers and the API "
     "server: 1.2 (default) or 1.3"},
    {"client-ca", '\0', FX_OPTION_TEXT, FIELD(client_ca), "FILE", NULL,
     "let in only clients with a certificate of these authorities, PEM"},
    {"client-cn", '\0', FX_OPTION_LIST, FIELD(client_names), "NAME", NULL,
     "and this common name, exactly (repeats)"},
    FX_CLUSTER_OPTIONS(struct values),
    FX_DIALECT_OPTIONS(struct values, settings),
    FX_ON_ERROR_OPTION(struct values),
    {"mutation-annotations", '\0', FX_OPTION_FLAG, FIELD(mutation_annotations), NULL,
     NULL, "write into each changed object which mutators changed it"},
    {"log-mutations", '\0', FX_OPTION_FLAG, FIELD(log_mutations), NULL, NULL,
     "log which mutators applied in each pass"},
    {"operation", '\0', FX_OPTION_LIST, FIELD(operations), "NAME", NULL,
     "mutation-webhook: answer /v1/mutate; webhook: answer /v1/admit and /v1/admitlabel "
     "(default: both; repeats; its other values are accepted)"},
    {"exempt-namespace", '\0', FX_OPTION_LIST, FIELD(exempt_names), "NAME", NULL,
     "a namespace that may set the ignore label (repeats)"},
    {"exempt-namespace-prefix", '\0', FX_OPTION_LIST, FIELD(exempt_prefixes), "PREFIX",
     NULL, "the same for all whose names begin so (repeats)"},
    {"exempt-namespace-suffix", '\0', FX_OPTION_LIST, FIELD(exempt_suffixes), "SUFFIX",
     NULL, "the same for all whose names end so (repeats)"},
    {"quarantine-after", '\0', FX_OPTION_COUNT_OR_NONE, FIELD(quarantine_after), "N",
     NULL,
     "take out a mutator that failed in so many reviews in a row, until its policy "
     "changes (default 0: never)"},
    {"quarantine-budget", '\0', FX_OPTION_DURATION_OR_NONE, FIELD(quarantine_budget),
     "TIME", NULL,
     "a mutator that takes longer in one review counts as failed in it (default 0: no "
     "budget)"},
    {"namespace-share", '\0', FX_OPTION_COUNT, FIELD(namespace_share), "PERCENT", NULL,
     "how much of a review's time the policies that live in one namespace may take "
     "together (default 25)"},
    {"metrics-max-mutators", '\0', FX_OPTION_COUNT, FIELD(metrics_max_mutators), "N",
     NULL, "how many mutators the metrics tell apart (default 500)"},
    {"sandbox", '\0', FX_OPTION_CHOICE, FIELD(sandbox), "MODE", sandbox_words,
     "give up privileges and most system calls once all is open: auto (default: as far "
     "as the kernel allows), require (or do not start) or off"},
    {"log-level", '\0', FX_OPTION_CHOICE, FIELD(log_level), "LEVEL", level_words,
     "debug, info (default), warn or error"},
    {"threads", '\0', FX_OPTION_COUNT, FIELD(threads), "N", NULL,
     "threads that serve reviews, 64 at most (default: the cores this process may use)"},
    {"max-body", '\0', FX_OPTION_SIZE, FIELD(max_body), "SIZE", NULL,
     "the largest review (default 8Mi)"},
    {"max-header", '\0', FX_OPTION_SIZE, FIELD(max_header), "SIZE", NULL,
     "the largest HTTP header (default 64Ki)"},
    {"max-connections", '\0', FX_OPTION_COUNT, FIELD(max_connections), "N", NULL,
     "connections at a time (default 4096)"},
    {"idle-timeout", '\0', FX_OPTION_DURATION, FIELD(idle), "TIME", NULL,
     "between requests of a connection (default 5m)"},
    {"message-timeout", '\0', FX_OPTION_DURATION, FIELD(message), "TIME", NULL,
     "in which a request must arrive (default 10s)"},
    {"review-timeout", '\0', FX_OPTION_DURATION, FIELD(review), "TIME", NULL,
     "for a review that names no timeout (default 10s)"},
    {"shed-after", '\0', FX_OPTION_DURATION, FIELD(shed_after), "TIME", NULL,
     "turn requests away that have waited longer than this (default 500ms)"},
    {"drain", '\0', FX_OPTION_DURATION, FIELD(drain), "TIME", NULL,
     "between SIGTERM and the end of listening (default 10s)"},
    {"grace", '\0', FX_OPTION_DURATION, FIELD(grace), "TIME", NULL,
     "from there, end in any case after this time, with exit status 6 where requests "
     "were left (default 15s)"},
    {"stall-after", '\0', FX_OPTION_DURATION_OR_OFF, FIELD(stall_after), "TIME", NULL,
     "a thread that has not moved for so long makes /healthz fail (default 10s; 0: "
     "never)"},
    {"own-namespace", '\0', FX_OPTION_TEXT, FIELD(own_namespace), "NAME", NULL,
     "whose service account gatekeeper-admin is not mutated (default: the environment's "
     "POD_NAMESPACE, else in a cluster the namespace of the kubeconfig's context or of "
     "the "
     "Pod's service account, else gatekeeper-system)"},
    {.name = NULL},
};

const struct fx_command fx_command_serve = {
    .name = "serve",
    .usage = "(-p PATH... | --kubeconfig FILE) (--tls-cert FILE --tls-key FILE | "
             "--tls-self-signed | --tls-secret NAME) [OPTION]...",
    .summary = "be the webhook",
    .details = "Answers POST /v1/mutate, /v1/admit and /v1/admitlabel over HTTPS, and "
               "GET /healthz, /readyz and "
               "/metrics on a plain port of their own (with --web-listen, PUT /v1/dryrun "
               "on another), until SIGTERM or SIGINT. Changed "
               "policies and certificates are read again. Logs are JSON, "
               "a line each, on standard error.\n"
               "\n"
               "Times are such as 500ms, 5s or 1m30s, sizes such as 64Ki or 8Mi.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .stray = " (policies come behind -p)",
    .run = run,
};
