/* SPDX-License-Identifier: Apache-2.0
 *
 * server/self_check.c - runs one check at a time, every five seconds.
 */
#include "server/self_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/log.h"
#include "net/address.h"
#include "net/port_check.h"
#include "net/tls.h"

#define EVERY_MS    5000
#define PATIENCE_MS 10000
#define CHECK_MAGIC 0x66787370u /* "fxsp" */

struct fx_self_check {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_address to;
    struct fx_tls_config *client;
    bool is_running, closing, timer_closed;
    bool has_result, passed;
    struct fx_err failure;
};

static void end_if_done(struct fx_self_check *check) {
    if (check->timer_closed && !check->is_running) {
        fx_tls_config_unref(check->client);
        check->magic = 0;
        free(check);
    }
}

/* Stores the result, and logs it if it changed. */
static void set_result(struct fx_self_check *check, const struct fx_err *failure) {
    const bool passed = failure == NULL;
    if (!passed) {
        check->failure = *failure;
    }
    if (!check->closing && !passed && (check->passed || !check->has_result)) {
        fx_log(WARN, "webhook port does not answer", fx_log_str("error", failure->msg));
    } else if (!check->closing && passed && !check->passed) {
        fx_log(INFO, "webhook port answers", {0});
    }
    check->has_result = true;
    check->passed = passed;
}

static void on_done(const struct fx_err *failure, void *user) {
    struct fx_self_check *check = fx_checked(user, CHECK_MAGIC);
    check->is_running = false;
    set_result(check, failure);
    end_if_done(check);
}

static void on_timer(uv_timer_t *timer) {
    struct fx_self_check *check = fx_checked(timer->data, CHECK_MAGIC);
    if (check->is_running) {
        return;
    }
    struct fx_err err = FX_ERR_INIT;
    check->is_running = fx_port_check_start(timer->loop, &check->to, check->client,
                                            PATIENCE_MS, on_done, check, &err);
    if (!check->is_running) {
        set_result(check, &err);
    }
}

static struct fx_tls_config *client_of(const struct fx_tls_pair *own_pair,
                                       struct fx_err *err) {
    struct fx_text cert = {0};
    struct fx_text key = {0};
    if (own_pair != NULL) {
        cert = fx_buf_view(&own_pair->cert);
        key = fx_buf_view(&own_pair->key);
    }
    return fx_tls_config_client((struct fx_text){0}, "localhost", cert, key, err);
}

struct fx_self_check *fx_self_check_create(uv_loop_t *loop, const char *listen,
                                           uint16_t port,
                                           const struct fx_tls_pair *own_pair,
                                           struct fx_err *err) {
    struct fx_address address;
    if (!fx_address_parse(listen, &address, err)) {
        return NULL;
    }
    struct fx_tls_config *client = client_of(own_pair, err);
    if (client == NULL) {
        return NULL;
    }
    struct fx_self_check *check = calloc(1, sizeof *check);
    if (check == NULL) {
        fx_tls_config_unref(client);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    check->magic = CHECK_MAGIC;
    fx_address_of_listener(&address, port, &check->to);
    check->client = client;
    check->timer.data = check;
    (void)uv_timer_init(loop, &check->timer);                   /* cannot fail */
    (void)uv_timer_start(&check->timer, on_timer, 0, EVERY_MS); /* cannot fail */
    return check;
}

bool fx_self_check_passed(const struct fx_self_check *check, const char **ret_reason) {
    *ret_reason = check->passed       ? ""
                  : check->has_result ? check->failure.msg
                                      : "not checked yet";
    return check->passed;
}

static void on_closed(uv_handle_t *handle) {
    struct fx_self_check *check = fx_checked(handle->data, CHECK_MAGIC);
    check->timer_closed = true;
    end_if_done(check);
}

void fx_self_check_close(struct fx_self_check *check) {
    if (check != NULL) {
        check->closing = true;
        uv_close((uv_handle_t *)&check->timer, on_closed);
    }
}
