/* SPDX-License-Identifier: Apache-2.0
 *
 * server/clients.c - a file of authorities becomes part of a TLS configuration; refused
 * clients are logged.
 */
#include "server/clients.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "net/tls_clients.h"
#include "server/log_throttle.h"
#include "server/reload.h"

#define PEM_BYTES (1u << 20) /* of the file */
#define DAY       INT64_C(86400)

#define LOG_INTERVAL_NS                                             \
    UINT64_C(10000000000) /* between two lines with the same reason \
                           */

struct fx_clients {
    struct fx_clients_options options;
    struct fx_reload *reload;
    const char *root; /* `ca_file`, for the reload */
    struct fx_buf ca;
    struct fx_tls_pair own_pair;
    struct fx_log_throttle throttles[FX_TLS_REFUSAL_COUNT];
};

/* ---- the file ---- */

static void discard_ca(void *made) {
    struct fx_buf *ca = made;
    fx_buf_finish(ca);
    free(ca);
}

static struct fx_buf *copy_ca(struct fx_text text, struct fx_err *err) {
    struct fx_buf *made = calloc(1, sizeof *made);
    if (made != NULL) {
        fx_buf_text(made, text);
    }
    if (made == NULL || made->failed) {
        free(made);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    return made;
}

/* On a worker. */
static bool read_ca(void *user, const struct fx_file_set *files, void **ret_made,
                    struct fx_err *err) {
    const struct fx_clients *clients = user;
    if (files->files.n_paths != 1) {
        return fx_fail(err, FX_EINVALID, "%s: not a file", clients->root);
    }
    const struct fx_file_content *content = &files->contents[0];
    if (content->failure != NULL) {
        return fx_fail(err, FX_EIO, "%s", content->failure);
    }
    const struct fx_text pem = fx_buf_view(&content->bytes);
    if (!fx_tls_clients_check(pem, err)) {
        return fx_err_prefix(err, "%s: ", clients->root);
    }
    *ret_made = copy_ca(pem, err);
    return *ret_made != NULL;
}

static void set_ca(struct fx_clients *clients, struct fx_buf *made) {
    const bool first = clients->ca.len == 0;
    fx_buf_finish(&clients->ca);
    clients->ca = *made;
    free(made);
    fx_log(INFO, "client CA certificates loaded", fx_log_str("file", clients->root));
    if (!first) {
        clients->options.on_change(clients->options.user);
    }
}

static void on_reloaded(void *user, enum fx_reload_result result, void *made,
                        const struct fx_err *failure, bool is_repeated) {
    if (result == FX_RELOAD_CHANGED) {
        set_ca(user, made);
    } else if (result == FX_RELOAD_FAILED && !is_repeated) {
        fx_log(ERROR, "client CA certificates rejected: the previous ones stay in use",
               fx_log_str("error", failure->msg));
    }
}

/* ---- refused clients ---- */

/* On any serving thread. */
static void on_refused(enum fx_tls_refusal refusal, const char *common_name, void *user) {
    struct fx_clients *clients = user;
    uint64_t count = 0;
    fx_metrics_count(clients->options.metrics, FX_METRIC_CLIENTS_REFUSED,
                     (unsigned)refusal);
    if (fx_log_throttle_allows(&clients->throttles[refusal], fx_clock_ns(),
                               LOG_INTERVAL_NS, &count)) {
        fx_log(WARN, "client refused",
               fx_log_str("certificate", fx_tls_refusal_name(refusal)),
               fx_log_str("common_name", common_name),
               fx_log_int("count", (int64_t)count));
    }
}

bool fx_clients_apply(struct fx_clients *clients, struct fx_tls_config *server,
                      struct fx_err *err) {
    if (clients == NULL) {
        return true;
    }
    const struct fx_buf *own_pair = &clients->own_pair.cert;
    const struct fx_tls_clients admitted = {
        .ca_pem = {clients->ca.data, clients->ca.len},
        .names = clients->options.names,
        .n_names = clients->options.n_names,
        .known_pem = {own_pair->data, own_pair->len},
        .on_refused = on_refused,
        .user = clients,
    };
    return fx_tls_config_set_clients(server, &admitted, err);
}

/* ---- the certificate of this process ---- */

/* Its names and dates are not checked. */
static bool make_own_pair(struct fx_clients *clients, struct fx_err *err) {
    static const char *const names[] = {"fixpoint-itself"};
    const int64_t now = (int64_t)time(NULL);
    const struct fx_tls_dates dates = {now - DAY, now + DAY};
    struct fx_tls_pair ca = {0};
    const bool ok = fx_tls_issue_authority("fixpoint itself", dates, &ca, err) &&
                    fx_tls_issue_leaf(fx_buf_view(&ca.cert), fx_buf_view(&ca.key), names,
                                      FX_COUNT(names), dates, &clients->own_pair, err);
    fx_tls_pair_finish(&ca);
    return ok;
}

const struct fx_tls_pair *fx_clients_own_pair(const struct fx_clients *clients) {
    return clients == NULL ? NULL : &clients->own_pair;
}

/* ---- create and close ---- */

static void destroy_clients(void *user) {
    struct fx_clients *clients = user;
    fx_buf_finish(&clients->ca);
    fx_tls_pair_finish(&clients->own_pair);
    free(clients);
}

struct fx_clients *fx_clients_create(uv_loop_t *loop,
                                     const struct fx_clients_options *options,
                                     struct fx_err *err) {
    struct fx_clients *clients = calloc(1, sizeof *clients);
    if (clients == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    clients->options = *options;
    clients->root = options->ca_file;
    const struct fx_reload_options reload = {
        .roots = {&clients->root, 1, PEM_BYTES},
        .name = "reload of the client CA certificates",
        .user = clients,
        .build = read_ca,
        .done = on_reloaded,
        .discard = discard_ca,
    };
    if (make_own_pair(clients, err)) {
        clients->reload = fx_reload_create(loop, &reload, err);
    }
    if (clients->reload == NULL) {
        destroy_clients(clients);
        return NULL;
    }
    return clients;
}

void fx_clients_reload(struct fx_clients *clients) {
    if (clients != NULL) {
        fx_reload_now(clients->reload);
    }
}

void fx_clients_close(struct fx_clients *clients) {
    if (clients != NULL) {
        fx_reload_close(clients->reload, destroy_clients);
    }
}
