/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/provider_loop.c - an event loop that runs while calls are open.
 */
#include "cli/provider_loop.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>

#include <uv.h>

#include "server/external_calls.h"

struct fx_provider_loop_state {
    uv_loop_t loop;
    struct fx_external_client *client;
    bool ready;
};

/* A connection that a provider has closed is an error of a write, not our end. */
static void ignore_broken_pipes(struct sigaction *ret_before) {
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGPIPE, &ignore, ret_before);
}

static void destroy(struct fx_provider_loop_state *state) {
    fx_external_client_close(state->client);
    (void)uv_run(&state->loop, UV_RUN_DEFAULT);
    const int status = uv_loop_close(&state->loop);
    assert(status == 0);
    (void)status;
    free(state);
}

static struct fx_provider_loop_state *create(struct fx_err *err) {
    struct fx_provider_loop_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    const int status = uv_loop_init(&state->loop);
    if (status != 0) {
        (void)fx_fail(err, FX_EIO, "event loop: %s", uv_strerror(status));
        free(state);
        return NULL;
    }
    state->client = fx_external_client_create(&state->loop, NULL, NULL, err);
    if (state->client == NULL) {
        destroy(state);
        return NULL;
    }
    return state;
}

void fx_provider_loop_finish(struct fx_provider_loop *loop) {
    if (loop->state == NULL) {
        return;
    }
    struct sigaction before;
    ignore_broken_pipes(&before); /* closing TLS writes */
    destroy(loop->state);
    (void)sigaction(SIGPIPE, &before, NULL);
    loop->state = NULL;
}

static void on_ready(void *user) {
    bool *ready = user;
    *ready = true;
}

static bool make_calls(struct fx_provider_loop_state *state, struct fx_inputs *inputs,
                       struct fx_err *err) {
    const struct fx_external_callback waiter = {.on_ready = on_ready,
                                                .user = &state->ready};
    state->ready = false;
    if (!fx_external_client_run(state->client, inputs, &waiter, err)) {
        return false;
    }
    while (!state->ready) {
        (void)uv_run(&state->loop, UV_RUN_ONCE);
    }
    return true;
}

static bool has_open_call(const struct fx_inputs *inputs) {
    const struct fx_input_entry *entry = inputs->first;
    while (entry != NULL &&
           (entry->key.type != FX_INPUT_CALL ||
            (entry->state != FX_INPUT_WANTED && entry->state != FX_INPUT_AWAITED))) {
        entry = entry->next;
    }
    return entry != NULL;
}

bool fx_provider_loop_run(struct fx_provider_loop *loop, struct fx_inputs *inputs,
                          struct fx_err *err) {
    if (!has_open_call(inputs)) {
        return true;
    }
    if (loop->state == NULL) {
        loop->state = create(err);
        if (loop->state == NULL) {
            return false;
        }
    }
    struct sigaction before;
    ignore_broken_pipes(&before);
    const bool ok = make_calls(loop->state, inputs, err);
    (void)sigaction(SIGPIPE, &before, NULL);
    return ok;
}
