/* SPDX-License-Identifier: Apache-2.0
 *
 * server/self_probe.c - one question at a time, every five seconds.
 */
#include "server/self_probe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "net/address.h"
#include "net/probe.h"
#include "net/tls.h"

#define EVERY_MS    5000
#define PATIENCE_MS 10000
#define PROBE_MAGIC 0x66787370u /* "fxsp" */

struct fx_self_probe {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_address to;
    struct fx_tls_config *client;
    bool asking, closing, timer_closed;
    bool asked, answers;
    struct fx_err failure;
};

static struct fx_self_probe *probe_of(void *data) {
    struct fx_self_probe *probe = data;
    assert(probe != NULL && probe->magic == PROBE_MAGIC);
    return probe;
}

static void end_if_done(struct fx_self_probe *probe) {
    if (probe->timer_closed && !probe->asking) {
        fx_tls_config_unref(probe->client);
        probe->magic = 0;
        free(probe);
    }
}

/* Tells changes only. */
static void note(struct fx_self_probe *probe, const struct fx_err *failure) {
    const bool answers = failure == NULL;
    if (!answers) {
        probe->failure = *failure;
    }
    if (!probe->closing && !answers && (probe->answers || !probe->asked)) {
        fx_log(WARN, "webhook port does not answer", fx_log_str("error", failure->msg));
    } else if (!probe->closing && answers && !probe->answers) {
        fx_log(INFO, "webhook port answers", {0});
    }
    probe->asked = true;
    probe->answers = answers;
}

static void on_done(const struct fx_err *failure, void *user) {
    struct fx_self_probe *probe = probe_of(user);
    probe->asking = false;
    note(probe, failure);
    end_if_done(probe);
}

static void on_timer(uv_timer_t *timer) {
    struct fx_self_probe *probe = probe_of(timer->data);
    if (probe->asking) {
        return;
    }
    struct fx_err err = FX_ERR_INIT;
    probe->asking = fx_probe_start(timer->loop, &probe->to, probe->client, PATIENCE_MS,
                                   on_done, probe, &err);
    if (!probe->asking) {
        note(probe, &err);
    }
}

static struct fx_tls_config *client_of(const struct fx_tls_pair *ourselves,
                                       struct fx_err *err) {
    struct fx_text cert = {0};
    struct fx_text key = {0};
    if (ourselves != NULL) {
        cert = (struct fx_text){ourselves->cert.data, ourselves->cert.len};
        key = (struct fx_text){ourselves->key.data, ourselves->key.len};
    }
    return fx_tls_config_client((struct fx_text){0}, "localhost", cert, key, err);
}

struct fx_self_probe *fx_self_probe_create(uv_loop_t *loop, const char *listen,
                                           uint16_t port,
                                           const struct fx_tls_pair *ourselves,
                                           struct fx_err *err) {
    struct fx_address address;
    if (!fx_address_parse(listen, &address, err)) {
        return NULL;
    }
    struct fx_tls_config *client = client_of(ourselves, err);
    if (client == NULL) {
        return NULL;
    }
    struct fx_self_probe *probe = calloc(1, sizeof *probe);
    if (probe == NULL) {
        fx_tls_config_unref(client);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    probe->magic = PROBE_MAGIC;
    fx_address_of_listener(&address, port, &probe->to);
    probe->client = client;
    probe->timer.data = probe;
    (void)uv_timer_init(loop, &probe->timer);                   /* cannot fail */
    (void)uv_timer_start(&probe->timer, on_timer, 0, EVERY_MS); /* cannot fail */
    return probe;
}

bool fx_self_probe_answers(const struct fx_self_probe *probe, const char **ret_reason) {
    *ret_reason = probe->answers ? ""
                  : probe->asked ? probe->failure.msg
                                 : "not yet asked";
    return probe->answers;
}

static void on_closed(uv_handle_t *handle) {
    struct fx_self_probe *probe = probe_of(handle->data);
    probe->timer_closed = true;
    end_if_done(probe);
}

void fx_self_probe_close(struct fx_self_probe *probe) {
    if (probe != NULL) {
        probe->closing = true;
        uv_close((uv_handle_t *)&probe->timer, on_closed);
    }
}
