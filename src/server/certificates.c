/* SPDX-License-Identifier: Apache-2.0
 *
 * server/certificates.c - certificates and client authorities, from files or texts,
 * become TLS configurations; refused clients are logged.
 */
#include "server/certificates.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "net/tls_clients.h"
#include "server/log_throttle.h"
#include "server/reload.h"

#define PEM_BYTES (1u << 20) /* of one file */
#define DAY       INT64_C(86400)

/* Between two lines about clients that were refused for the same reason. */
#define LOG_INTERVAL_NS UINT64_C(10000000000)

/* One version of the certificate's files, or of the client CA file. */
struct certificate_version {
    struct fx_tls_config *config; /* NULL if this is the client CA file */
    struct fx_buf ca;
};

struct fx_certificates {
    const struct fx_server_options *options;
    struct fx_reload *reload;         /* NULL: no files */
    struct fx_reload *clients_reload; /* NULL: no client certificate is required */
    unsigned n_open;                  /* reloads that are not closed yet */
    const char *roots[3]; /* certificate, key, and optionally CA certificates */
    size_t n_roots;
    /* One for each serving thread: sessions share the random state of their
     * configuration, and mbedTLS keeps tables with the key. NULL before the first. */
    struct fx_tls_config *current[FX_LIMIT_THREADS];
    struct fx_buf ca;
    /* The current certificate is a placeholder until the Secret sets one. */
    bool is_placeholder;
    struct fx_metrics *metrics;
    struct fx_certificates_users users;
    /* Used only if client certificates are required: */
    struct fx_buf client_ca;
    struct fx_tls_pair own_pair; /* the client certificate of this process */
    struct fx_log_throttle throttles[FX_TLS_REFUSAL_COUNT];
};

/* ---- clients ---- */

/* Called on any serving thread. */
static void on_refused(enum fx_tls_refusal refusal, const char *common_name, void *user) {
    struct fx_certificates *certificates = user;
    uint64_t count = 0;
    fx_metrics_count(certificates->metrics, FX_METRIC_CLIENTS_REFUSED, (unsigned)refusal);
    if (fx_log_throttle_allows(&certificates->throttles[refusal], fx_clock_ns(),
                               LOG_INTERVAL_NS, &count)) {
        fx_log(WARN, "client refused",
               fx_log_str("certificate", fx_tls_refusal_name(refusal)),
               fx_log_str("common_name", common_name),
               fx_log_int("count", (int64_t)count));
    }
}

/* Makes the configuration accept only clients whose certificate is signed by one of the
 * client CA certificates, and this process itself. */
static bool set_clients(struct fx_certificates *certificates, struct fx_tls_config *tls,
                        struct fx_err *err) {
    if (certificates->options->client_ca == NULL) {
        return true;
    }
    const struct fx_tls_clients clients = {
        .ca_pem = fx_buf_view(&certificates->client_ca),
        .names = certificates->options->client_names,
        .n_names = certificates->options->n_client_names,
        .known_pem = fx_buf_view(&certificates->own_pair.cert),
        .on_refused = on_refused,
        .user = certificates,
    };
    return fx_tls_config_set_clients(tls, &clients, err);
}

/* Makes the client certificate of this process, whose names and dates are not checked. No
 * other process has its key. */
static bool make_own_pair(struct fx_certificates *certificates, struct fx_err *err) {
    static const char *const names[] = {"fixpoint-itself"};
    const int64_t now = (int64_t)time(NULL);
    const struct fx_tls_dates dates = {now - DAY, now + DAY};
    struct fx_tls_pair ca = {0};
    const bool ok =
        fx_tls_issue_authority("fixpoint itself", dates, &ca, err) &&
        fx_tls_issue_leaf(fx_buf_view(&ca.cert), fx_buf_view(&ca.key), names,
                          FX_COUNT(names), dates, &certificates->own_pair, err);
    fx_tls_pair_finish(&ca);
    return ok;
}

/* ---- the current certificate ---- */

static void unref_all(struct fx_tls_config **configs, size_t n) {
    for (size_t i = 0; i < n; i++) {
        fx_tls_config_unref(configs[i]);
        configs[i] = NULL;
    }
}

static void set_current(struct fx_certificates *certificates,
                        struct fx_tls_config **made) {
    unref_all(certificates->current, certificates->users.n_threads);
    memcpy(certificates->current, made, certificates->users.n_threads * sizeof *made);
    int64_t not_before = 0;
    int64_t not_after = 0;
    fx_tls_config_validity(made[0], &not_before, &not_after);
    fx_metrics_set(certificates->metrics, FX_METRIC_NOT_AFTER, 0, (double)not_after);
    fx_log(INFO, "certificate in use", fx_log_int("not_before", not_before),
           fx_log_int("not_after", not_after));
}

/* Consumes `made`: makes a copy for each thread, applies the client rules and makes the
 * copies current. On failure the current configurations stay. */
static bool apply_clients(struct fx_certificates *certificates,
                          struct fx_tls_config *made, struct fx_err *err) {
    struct fx_tls_config *all[FX_LIMIT_THREADS] = {made};
    bool ok = set_clients(certificates, made, err);
    for (size_t i = 1; ok && i < certificates->users.n_threads; i++) {
        all[i] = fx_tls_config_clone(made, err);
        ok = all[i] != NULL && set_clients(certificates, all[i], err);
    }
    if (!ok) {
        unref_all(all, certificates->users.n_threads);
        return false;
    }
    set_current(certificates, all);
    return true;
}

static void log_rejected(const struct fx_err *failure) {
    fx_log(ERROR, "certificate rejected: the previous one stays in use",
           fx_log_str("error", failure->msg));
}

/* ---- files ---- */

static void discard_version(void *made) {
    struct certificate_version *version = made;
    fx_tls_config_unref(version->config);
    fx_buf_finish(&version->ca);
    free(version);
}

static struct certificate_version *version_of(struct fx_text ca, struct fx_err *err) {
    struct certificate_version *version = calloc(1, sizeof *version);
    if (version != NULL) {
        fx_buf_text(&version->ca, ca);
    }
    if (version == NULL || version->ca.failed) {
        free(version);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    return version;
}

/* Called on a worker thread. */
static bool read_clients(void *user, const struct fx_file_set *files, void **ret_made,
                         struct fx_err *err) {
    const struct fx_certificates *certificates = user;
    const char *file = certificates->options->client_ca;
    if (files->files.n_paths != 1) {
        return fx_fail(err, FX_EINVALID, "%s: not a file", file);
    }
    const struct fx_file_content *content = &files->contents[0];
    if (content->failure != NULL) {
        return fx_fail(err, FX_EIO, "%s", content->failure);
    }
    if (!fx_tls_clients_check(fx_buf_view(&content->bytes), err)) {
        return fx_err_prefix(err, "%s: ", file);
    }
    *ret_made = version_of(fx_buf_view(&content->bytes), err);
    return *ret_made != NULL;
}

/* Called on a worker thread. */
static bool build_version(void *user, const struct fx_file_set *files, void **ret_made,
                          struct fx_err *err) {
    const struct fx_certificates *certificates = user;
    struct fx_text pem[3] = {{0}};
    if (files->files.n_paths != certificates->n_roots) {
        return fx_fail(err, FX_EINVALID,
                       "the certificate and its key must be one file each");
    }
    for (size_t i = 0; i < certificates->n_roots; i++) {
        const struct fx_file_content *content = &files->contents[i];
        if (content->failure != NULL) {
            return fx_fail(err, FX_EIO, "%s", content->failure);
        }
        pem[i] = fx_buf_view(&content->bytes);
    }
    struct certificate_version *version = version_of(pem[2], err);
    if (version == NULL) {
        return false;
    }
    version->config = fx_tls_config_server(pem[0], pem[1], err);
    if (version->config == NULL) {
        discard_version(version);
        return fx_err_prefix(err, "%s: ", files->files.paths[0]);
    }
    *ret_made = version;
    return true;
}

/* Makes the version current. Consumes `version`. */
static bool set_version(struct fx_certificates *certificates,
                        struct certificate_version *version, struct fx_err *err) {
    struct fx_tls_config *made = version->config;
    version->config = NULL;
    if (!apply_clients(certificates, made, err)) {
        discard_version(version);
        return false;
    }
    fx_buf_finish(&certificates->ca);
    certificates->ca = version->ca;
    free(version);
    return true;
}

static void on_reloaded(void *user, enum fx_reload_result result, void *made,
                        const struct fx_err *failure, bool is_repeated) {
    struct fx_certificates *certificates = user;
    if (result == FX_RELOAD_FAILED && is_repeated) {
        return;
    }
    const bool first = certificates->current[0] == NULL;
    if (!first) {
        fx_metrics_count(certificates->metrics, FX_METRIC_CERTIFICATE_RELOADS,
                         (unsigned)result);
    }
    struct fx_err err = FX_ERR_INIT;
    if (result == FX_RELOAD_FAILED) {
        log_rejected(failure);
    } else if (result == FX_RELOAD_CHANGED && !set_version(certificates, made, &err)) {
        log_rejected(&err);
    } else if (result == FX_RELOAD_CHANGED && !first) {
        certificates->users.on_change(certificates->users.user);
    }
}

static bool read_files(uv_loop_t *loop, const struct fx_server_options *options,
                       struct fx_certificates *certificates, struct fx_err *err) {
    if (options->tls_cert == NULL || options->tls_key == NULL) {
        return fx_fail(err, FX_EINVALID, "a certificate and its key belong together");
    }
    certificates->roots[0] = options->tls_cert;
    certificates->roots[1] = options->tls_key;
    certificates->roots[2] = options->tls_ca;
    certificates->n_roots = options->tls_ca == NULL ? 2 : 3;
    const struct fx_reload_options reload = {
        .roots = {certificates->roots, certificates->n_roots, PEM_BYTES},
        .name = "reload of the certificate",
        .user = certificates,
        .build = build_version,
        .done = on_reloaded,
        .discard = discard_version,
    };
    certificates->reload = fx_reload_create(loop, &reload, err);
    return certificates->reload != NULL &&
           (certificates->current[0] != NULL ||
            fx_fail_nomem(err)); /* rejected: out of memory */
}

static bool self_sign(const struct fx_server_options *options,
                      struct fx_certificates *certificates, struct fx_err *err) {
    static const char *const default_names[] = {"localhost", "127.0.0.1", "::1"};
    const bool named = options->n_tls_names > 0;
    struct fx_tls_config *made = fx_tls_config_self_signed(
        named ? options->tls_names : default_names,
        named ? options->n_tls_names : FX_COUNT(default_names), err);
    if (made == NULL || !apply_clients(certificates, made, err)) {
        return false;
    }
    if (options->tls_cert_out == NULL) {
        return true;
    }
    struct fx_buf pem;
    fx_buf_init(&pem, PEM_BYTES);
    fx_tls_config_print(made, &pem);
    const bool ok = pem.failed
                        ? fx_fail_nomem(err)
                        : fx_file_replace(options->tls_cert_out, fx_buf_view(&pem), err);
    fx_buf_finish(&pem);
    return ok;
}

static bool comes_from_secret(const struct fx_server_options *options) {
    return options->cluster != NULL && options->cluster->secret != NULL;
}

void fx_certificates_set(struct fx_certificates *certificates, struct fx_text cert_pem,
                         struct fx_text key_pem) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *made = fx_tls_config_server(cert_pem, key_pem, &err);
    const bool first = certificates->is_placeholder;
    if (!first) {
        fx_metrics_count(certificates->metrics, FX_METRIC_CERTIFICATE_RELOADS,
                         made == NULL ? FX_RELOAD_FAILED : FX_RELOAD_CHANGED);
    }
    if (made == NULL || !apply_clients(certificates, made, &err)) {
        log_rejected(&err);
        return;
    }
    certificates->is_placeholder = false;
    certificates->users.on_change(certificates->users.user);
}

/* Applies new client CA certificates. A TLS configuration keeps the ones that it has, so
 * this makes new configurations with the same certificate. */
static void replace_clients(struct fx_certificates *certificates) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_tls_config *made = fx_tls_config_clone(certificates->current[0], &err);
    if (made == NULL || !apply_clients(certificates, made, &err)) {
        log_rejected(&err);
        return;
    }
    certificates->users.on_change(certificates->users.user);
}

static void on_clients_reloaded(void *user, enum fx_reload_result result, void *made,
                                const struct fx_err *failure, bool is_repeated) {
    struct fx_certificates *certificates = user;
    if (result == FX_RELOAD_CHANGED) {
        struct certificate_version *version = made;
        const bool first = certificates->client_ca.len == 0;
        fx_buf_finish(&certificates->client_ca);
        certificates->client_ca = version->ca;
        free(version);
        fx_log(INFO, "client CA certificates loaded",
               fx_log_str("file", certificates->options->client_ca));
        if (!first) {
            replace_clients(certificates);
        }
    } else if (result == FX_RELOAD_FAILED && !is_repeated) {
        fx_log(ERROR, "client CA certificates rejected: the previous ones stay in use",
               fx_log_str("error", failure->msg));
    }
}

static bool create_clients(uv_loop_t *loop, struct fx_certificates *certificates,
                           struct fx_err *err) {
    const struct fx_reload_options reload = {
        .roots = {&certificates->options->client_ca, 1, PEM_BYTES},
        .name = "reload of the client CA certificates",
        .user = certificates,
        .build = read_clients,
        .done = on_clients_reloaded,
        .discard = discard_version,
    };
    if (certificates->options->client_ca == NULL) {
        return true;
    }
    if (make_own_pair(certificates, err)) {
        certificates->clients_reload = fx_reload_create(loop, &reload, err);
    }
    return certificates->clients_reload != NULL || fx_err_prefix(err, "--client-ca: ");
}

const struct fx_tls_pair *
fx_certificates_own_pair(const struct fx_certificates *certificates) {
    return certificates->options->client_ca == NULL ? NULL : &certificates->own_pair;
}

struct fx_text fx_certificates_ca(const struct fx_certificates *certificates) {
    return fx_buf_view(&certificates->ca);
}

/* Frees the certificates when both reloads are closed. */
static void on_closed(void *user) {
    struct fx_certificates *certificates = user;
    if (--certificates->n_open > 0) {
        return;
    }
    unref_all(certificates->current, certificates->users.n_threads);
    fx_buf_finish(&certificates->ca);
    fx_buf_finish(&certificates->client_ca);
    fx_tls_pair_finish(&certificates->own_pair);
    free(certificates);
}

struct fx_certificates *fx_certificates_create(uv_loop_t *loop,
                                               const struct fx_server_options *options,
                                               struct fx_metrics *metrics,
                                               const struct fx_certificates_users *users,
                                               struct fx_err *err) {
    assert(users->n_threads > 0 && users->n_threads <= FX_LIMIT_THREADS);
    struct fx_certificates *certificates = calloc(1, sizeof *certificates);
    if (certificates == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    certificates->options = options;
    certificates->users = *users;
    certificates->metrics = metrics;
    certificates->is_placeholder = comes_from_secret(options);
    const bool files = options->tls_cert != NULL || options->tls_key != NULL;
    if (!create_clients(loop, certificates, err) ||
        (files ? !read_files(loop, options, certificates, err)
               : !self_sign(options, certificates, err))) {
        fx_certificates_close(certificates);
        return NULL;
    }
    return certificates;
}

struct fx_tls_config *fx_certificates_current(const struct fx_certificates *certificates,
                                              size_t thread) {
    return certificates->current[thread];
}

void fx_certificates_reload(struct fx_certificates *certificates) {
    fx_reload_now(certificates->clients_reload);
    fx_reload_now(certificates->reload);
}

bool fx_certificates_valid_now(const struct fx_certificates *certificates,
                               const char **ret_reason) {
    int64_t not_before = 0;
    int64_t not_after = 0;
    if (certificates->is_placeholder) {
        *ret_reason = "waiting for the Secret";
        return false;
    }
    fx_tls_config_validity(certificates->current[0], &not_before, &not_after);
    const int64_t now = (int64_t)time(NULL);
    *ret_reason = now < not_before ? "not valid yet" : now > not_after ? "expired" : "";
    return now >= not_before && now <= not_after;
}

void fx_certificates_close(struct fx_certificates *certificates) {
    if (certificates == NULL) {
        return;
    }
    certificates->n_open = 2;
    fx_reload_close(certificates->clients_reload, on_closed, certificates);
    fx_reload_close(certificates->reload, on_closed, certificates);
}
