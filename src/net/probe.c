/* SPDX-License-Identifier: Apache-2.0
 *
 * net/probe.c - one connection to our own port.
 */
#include "net/probe.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>

#include "net/address.h"
#include "net/stream.h"
#include "net/tls.h"

#define PROBE_MAGIC 0x66787062u /* "fxpb" */

struct probe {
    uint32_t magic;
    struct fx_stream stream;
    struct fx_stream_scratch scratch;
    void (*on_done)(const struct fx_err *failure, void *user);
    void *user;
    bool told;
    struct fx_err failure;
};

static struct probe *checked(void *user) {
    struct probe *probe = user;
    assert(probe != NULL && probe->magic == PROBE_MAGIC);
    return probe;
}

static void tell(struct probe *probe, const struct fx_err *failure) {
    if (!probe->told) {
        probe->told = true;
        probe->on_done(failure, probe->user);
    }
}

/* That is all we wanted to know. */
static void on_open(void *user) {
    struct probe *probe = checked(user);
    tell(probe, NULL);
    fx_stream_finish(&probe->stream);
}

static void on_bytes(void *user, struct fx_text bytes) {
    (void)user; /* never asked for any */
    (void)bytes;
}

static void on_end(void *user) {
    fx_stream_close(&checked(user)->stream);
}

static void on_drained(void *user) {
    (void)user;
}

static void on_late(void *user) {
    struct probe *probe = checked(user);
    (void)fx_fail(&probe->failure, FX_EIO, "no answer in time");
    fx_stream_close(&probe->stream);
}

static void on_broken(void *user, const struct fx_err *failure) {
    struct probe *probe = checked(user);
    probe->failure = *failure;
    if (!fx_stream_is_connected(&probe->stream)) {
        (void)fx_err_prefix(&probe->failure, "connect: ");
    }
}

static void on_closed(void *user) {
    struct probe *probe = checked(user);
    if (probe->failure.code == FX_OK) {
        (void)fx_fail(&probe->failure, FX_EIO, "the connection ended too early");
    }
    tell(probe, &probe->failure); /* unless it was told in on_open() */
    fx_stream_scratch_finish(&probe->scratch);
    probe->magic = 0;
    free(probe);
}

static const struct fx_stream_events events = {
    .on_open = on_open,
    .on_bytes = on_bytes,
    .on_end = on_end,
    .on_drained = on_drained,
    .on_late = on_late,
    .on_broken = on_broken,
    .on_closed = on_closed,
};

/* One call says all there is to say. NOLINTNEXTLINE(readability-function-size) */
bool fx_probe_start(uv_loop_t *loop, const struct fx_address *to,
                    struct fx_tls_config *tls, uint64_t timeout_ms,
                    void (*on_done)(const struct fx_err *failure, void *user), void *user,
                    struct fx_err *err) {
    struct probe *probe = calloc(1, sizeof *probe);
    if (probe == NULL) {
        return fx_fail_nomem(err);
    }
    probe->magic = PROBE_MAGIC;
    probe->on_done = on_done;
    probe->user = user;
    if (!fx_stream_init(&probe->stream, loop, tls, &probe->scratch, timeout_ms, err)) {
        free(probe);
        return false;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* as in http_server.c */
    fx_stream_tell(&probe->stream, &events, probe);
    fx_stream_set_deadline(&probe->stream, timeout_ms == 0 ? 1 : timeout_ms);
    if (!fx_stream_connect(&probe->stream, (const struct sockaddr *)&to->socket,
                           &probe->failure)) {
        (void)fx_err_prefix(&probe->failure, "connect: ");
        fx_stream_close(&probe->stream); /* and then the reason is told */
    }
    return true;
}
