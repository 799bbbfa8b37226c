/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/outside.c - a loop that runs while somebody waits.
 */
#include "cli/outside.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>

#include <uv.h>

#include "server/external_calls.h"

struct fx_outside_loop {
    uv_loop_t loop;
    struct fx_external_client *client;
    bool ready;
};

/* A connection that a provider has closed is an error of a write, not our end. */
static void ignore_broken_pipes(struct sigaction *ret_before) {
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGPIPE, &ignore, ret_before);
}

static void destroy(struct fx_outside_loop *outside) {
    fx_external_client_close(outside->client);
    (void)uv_run(&outside->loop, UV_RUN_DEFAULT);
    const int status = uv_loop_close(&outside->loop);
    assert(status == 0);
    (void)status;
    free(outside);
}

static struct fx_outside_loop *create(struct fx_err *err) {
    struct fx_outside_loop *outside = calloc(1, sizeof *outside);
    if (outside == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    const int status = uv_loop_init(&outside->loop);
    if (status != 0) {
        (void)fx_fail(err, FX_EIO, "event loop: %s", uv_strerror(status));
        free(outside);
        return NULL;
    }
    outside->client = fx_external_client_create(&outside->loop, NULL, NULL, err);
    if (outside->client == NULL) {
        destroy(outside);
        return NULL;
    }
    return outside;
}

void fx_outside_finish(struct fx_outside *outside) {
    if (outside->loop == NULL) {
        return;
    }
    struct sigaction before;
    ignore_broken_pipes(&before); /* to say goodbye is a write */
    destroy(outside->loop);
    (void)sigaction(SIGPIPE, &before, NULL);
    outside->loop = NULL;
}

static void on_ready(void *user) {
    bool *ready = user;
    *ready = true;
}

static bool ask(struct fx_outside_loop *outside, struct fx_external_calls *calls,
                struct fx_arena *arena, struct fx_err *err) {
    const struct fx_external_callback waiter = {.on_ready = on_ready,
                                                .user = &outside->ready};
    outside->ready = false;
    if (!fx_external_client_run(outside->client, calls, arena, &waiter, err)) {
        return false;
    }
    while (!outside->ready) {
        (void)uv_run(&outside->loop, UV_RUN_ONCE);
    }
    return true;
}

bool fx_outside_ask(struct fx_outside *outside, struct fx_external_calls *calls,
                    struct fx_arena *arena, struct fx_err *err) {
    if (outside->loop == NULL) {
        outside->loop = create(err);
        if (outside->loop == NULL) {
            return false;
        }
    }
    struct sigaction before;
    ignore_broken_pipes(&before);
    const bool ok = ask(outside->loop, calls, arena, err);
    (void)sigaction(SIGPIPE, &before, NULL);
    return ok;
}
