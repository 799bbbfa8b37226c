/* SPDX-License-Identifier: Apache-2.0
 *
 * server/certificates.c - two files to a TLS configuration, and its validity.
 */
#include "server/certificates.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "server/reload.h"

#define PEM_BYTES (1u << 20) /* of one file */

struct fx_certificates {
    struct fx_reload *reload; /* NULL: self-signed */
    const char *roots[2];     /* certificate, key */
    struct fx_tls_config *current;
    struct fx_metrics *metrics;
    void (*on_change)(struct fx_tls_config *config, void *user);
    void *user;
};

static void take(struct fx_certificates *certificates, struct fx_tls_config *made) {
    fx_tls_config_unref(certificates->current);
    certificates->current = made;
    int64_t not_before = 0;
    int64_t not_after = 0;
    fx_tls_config_validity(made, &not_before, &not_after);
    fx_metrics_set(certificates->metrics, FX_METRIC_NOT_AFTER, 0, (double)not_after);
    fx_log(INFO, "certificate in use", fx_log_int("not_before", not_before),
           fx_log_int("not_after", not_after));
}

/* On a worker. */
static bool build(void *user, const struct fx_file_set *files, void **ret_made,
                  struct fx_err *err) {
    (void)user;
    struct fx_text pem[2];
    if (files->files.n_paths != 2) {
        return fx_fail(err, FX_EINVALID, "the certificate and its key are one file each");
    }
    for (size_t i = 0; i < 2; i++) {
        const struct fx_file_content *content = &files->contents[i];
        if (content->failure != NULL) {
            return fx_fail(err, FX_EIO, "%s", content->failure);
        }
        pem[i] = (struct fx_text){content->bytes.data, content->bytes.len};
    }
    struct fx_tls_config *made = fx_tls_config_server(pem[0], pem[1], err);
    if (made == NULL) {
        return fx_err_prefix(err, "%s: ", files->files.paths[0]);
    }
    *ret_made = made;
    return true;
}

static void done(void *user, enum fx_reload_result result, void *made,
                 const struct fx_err *failure, bool told) {
    struct fx_certificates *certificates = user;
    if (result == FX_RELOAD_FAILED && told) {
        return;
    }
    const bool first = certificates->current == NULL;
    if (!first) {
        fx_metrics_count(certificates->metrics, FX_METRIC_CERTIFICATE_RELOADS,
                         (unsigned)result);
    }
    if (result == FX_RELOAD_FAILED) {
        fx_log(ERROR, "certificate not taken: the previous one stays in use",
               fx_log_str("error", failure->msg));
    } else if (result == FX_RELOAD_CHANGED) {
        take(certificates, made);
        if (!first) {
            certificates->on_change(made, certificates->user);
        }
    }
}

static void discard(void *made) {
    fx_tls_config_unref(made);
}

static bool read_files(uv_loop_t *loop, const struct fx_server_options *options,
                       struct fx_certificates *certificates, struct fx_err *err) {
    if (options->tls_cert == NULL || options->tls_key == NULL) {
        return fx_fail(err, FX_EINVALID, "a certificate and its key belong together");
    }
    certificates->roots[0] = options->tls_cert;
    certificates->roots[1] = options->tls_key;
    const struct fx_reload_plan plan = {
        .roots = {certificates->roots, 2, PEM_BYTES},
        .user = certificates,
        .build = build,
        .done = done,
        .discard = discard,
    };
    certificates->reload = fx_reload_create(loop, &plan, err);
    return certificates->reload != NULL;
}

static bool make_our_own(const struct fx_server_options *options,
                         struct fx_certificates *certificates, struct fx_err *err) {
    static const char *const ourselves[] = {"localhost", "127.0.0.1", "::1"};
    const bool named = options->n_tls_names > 0;
    struct fx_tls_config *made = fx_tls_config_self_signed(
        named ? options->tls_names : ourselves,
        named ? options->n_tls_names : FX_COUNT(ourselves), err);
    if (made == NULL) {
        return false;
    }
    take(certificates, made);
    if (options->tls_cert_out == NULL) {
        return true;
    }
    struct fx_buf pem;
    fx_buf_init(&pem, PEM_BYTES);
    fx_tls_config_print(made, &pem);
    const bool ok = pem.failed
                        ? fx_fail_nomem(err)
                        : fx_file_replace(options->tls_cert_out,
                                          (struct fx_text){pem.data, pem.len}, err);
    fx_buf_finish(&pem);
    return ok;
}

static void destroy(void *user) {
    struct fx_certificates *certificates = user;
    fx_tls_config_unref(certificates->current);
    free(certificates);
}

struct fx_certificates *
fx_certificates_create(uv_loop_t *loop, const struct fx_server_options *options,
                       struct fx_metrics *metrics,
                       void (*on_change)(struct fx_tls_config *config, void *user),
                       void *user, struct fx_err *err) {
    struct fx_certificates *certificates = calloc(1, sizeof *certificates);
    if (certificates == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    certificates->metrics = metrics;
    certificates->on_change = on_change;
    certificates->user = user;
    const bool files = options->tls_cert != NULL || options->tls_key != NULL;
    if (files ? !read_files(loop, options, certificates, err)
              : !make_our_own(options, certificates, err)) {
        destroy(certificates);
        return NULL;
    }
    return certificates;
}

struct fx_tls_config *
fx_certificates_current(const struct fx_certificates *certificates) {
    return certificates->current;
}

void fx_certificates_reload(struct fx_certificates *certificates) {
    if (certificates->reload != NULL) {
        fx_reload_now(certificates->reload);
    }
}

bool fx_certificates_valid_now(const struct fx_certificates *certificates,
                               const char **ret_reason) {
    int64_t not_before = 0;
    int64_t not_after = 0;
    fx_tls_config_validity(certificates->current, &not_before, &not_after);
    const int64_t now = (int64_t)time(NULL);
    *ret_reason = now < not_before ? "not valid yet" : now > not_after ? "expired" : "";
    return now >= not_before && now <= not_after;
}

void fx_certificates_close(struct fx_certificates *certificates) {
    if (certificates == NULL) {
        return;
    }
    if (certificates->reload != NULL) {
        fx_reload_close(certificates->reload, destroy);
    } else {
        destroy(certificates);
    }
}
