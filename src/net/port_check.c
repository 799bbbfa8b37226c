/* SPDX-License-Identifier: Apache-2.0
 *
 * net/port_check.c - one connection to the port.
 */
#include "net/port_check.h"

#include <signal.h>
#include <stdlib.h>

#include "base/checked.h"
#include "net/address.h"
#include "net/stream.h"
#include "net/tls.h"

#define CHECK_MAGIC 0x66787062u /* "fxpb" */

struct port_check {
    uint32_t magic;
    struct fx_stream stream;
    struct fx_stream_scratch scratch;
    void (*on_done)(const struct fx_err *failure, void *user);
    void *user;
    bool is_reported;
    struct fx_err failure;
};

static struct port_check *checked(void *user) {
    return fx_checked(user, CHECK_MAGIC);
}

static void report_check(struct port_check *check, const struct fx_err *failure) {
    if (!check->is_reported) {
        check->is_reported = true;
        check->on_done(failure, check->user);
    }
}

/* The handshake has succeeded, which is the result. */
static void on_open(void *user) {
    struct port_check *check = checked(user);
    report_check(check, NULL);
    fx_stream_shutdown(&check->stream);
}

static void on_bytes(void *user, struct fx_text bytes) {
    (void)user; /* bytes are ignored: nothing was requested */
    (void)bytes;
}

static void on_end(void *user) {
    fx_stream_close(&checked(user)->stream);
}

static void on_deadline(void *user) {
    struct port_check *check = checked(user);
    (void)fx_fail(&check->failure, FX_EIO, "no answer in time");
    fx_stream_close(&check->stream);
}

static void on_error(void *user, const struct fx_err *failure) {
    struct port_check *check = checked(user);
    check->failure = *failure;
    if (!check->stream.connected) {
        (void)fx_err_prefix(&check->failure, "connect: ");
    }
}

static void on_closed(void *user) {
    struct port_check *check = checked(user);
    if (check->failure.code == FX_OK) {
        (void)fx_fail(&check->failure, FX_EIO, "the connection ended too early");
    }
    report_check(check,
                 &check->failure); /* does nothing if on_open() has reported success */
    fx_stream_scratch_finish(&check->scratch);
    check->magic = 0;
    free(check);
}

static const struct fx_stream_events events = {
    .on_open = on_open,
    .on_bytes = on_bytes,
    .on_end = on_end,
    .on_deadline = on_deadline,
    .on_error = on_error,
    .on_closed = on_closed,
};

/* NOLINTNEXTLINE(readability-function-size) */
bool fx_port_check_start(uv_loop_t *loop, const struct fx_address *to,
                         struct fx_tls_config *tls, uint64_t timeout_ms,
                         void (*on_done)(const struct fx_err *failure, void *user),
                         void *user, struct fx_err *err) {
    struct port_check *check = calloc(1, sizeof *check);
    if (check == NULL) {
        return fx_fail_nomem(err);
    }
    check->magic = CHECK_MAGIC;
    check->on_done = on_done;
    check->user = user;
    if (!fx_stream_init(&check->stream, loop, tls, &check->scratch, timeout_ms, err)) {
        free(check);
        return false;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* as in http_server.c */
    fx_stream_set_events(&check->stream, &events, check);
    fx_stream_set_deadline(&check->stream, timeout_ms == 0 ? 1 : timeout_ms);
    if (!fx_stream_connect(&check->stream, (const struct sockaddr *)&to->socket,
                           &check->failure)) {
        (void)fx_err_prefix(&check->failure, "connect: ");
        fx_stream_close(&check->stream); /* on_closed() reports the failure */
    }
    return true;
}
