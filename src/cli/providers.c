/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/providers.c - makes Provider documents from the flags, and runs an event loop while
 * calls to providers are open.
 */
#include "cli/providers.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/limits.h"
#include "server/external_calls.h"
#include "value/json.h"

#define CA_BYTES (1u << 20)

const char *fx_provider_flags_fault(const struct fx_provider_flags *flags) {
    for (size_t i = 0; i < flags->providers.n_items; i++) {
        const char *item = flags->providers.items[i];
        const char *equals = strchr(item, '=');
        if (equals == NULL || equals == item || equals[1] == '\0') {
            return "--provider: expected NAME=URL";
        }
    }
    if (flags->providers.n_items > 0 && flags->ca == NULL) {
        return "--provider: --provider-ca is missing: providers need a trusted CA";
    }
    if (flags->providers.n_items == 0 && flags->ca != NULL) {
        return "--provider-ca: only with --provider";
    }
    return NULL;
}

static void write_document(struct fx_buf *text, const char *item,
                           const struct fx_buf *ca) {
    const char *equals = strchr(item, '=');
    fx_buf_str(text, "{\"apiVersion\":\"externaldata.gatekeeper.sh/v1beta1\","
                     "\"kind\":\"Provider\",\"metadata\":{\"name\":");
    fx_json_write_string(text, (struct fx_text){item, (size_t)(equals - item)},
                         FX_JSON_COMPACT);
    fx_buf_str(text, "},\"spec\":{\"url\":");
    fx_json_write_string(text, fx_text_of(equals + 1), FX_JSON_COMPACT);
    fx_buf_str(text, ",\"caBundle\":\"");
    const size_t from = text->len;
    fx_buf_add(text, ca->data, ca->len);
    fx_base64_encode_tail(text, from);
    fx_buf_str(text, "\"}}");
}

static bool write_documents(const struct fx_provider_flags *flags,
                            const struct fx_buf *ca, struct fx_provider_inputs *inputs,
                            struct fx_err *err) {
    const size_t count = flags->providers.n_items;
    inputs->texts = calloc(count + 1, sizeof *inputs->texts);
    inputs->items = calloc(count + 1, sizeof *inputs->items);
    if (inputs->texts == NULL || inputs->items == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < count; i++) {
        struct fx_buf *text = &inputs->texts[inputs->n_items];
        fx_buf_init(text, 0);
        write_document(text, flags->providers.items[i], ca);
        inputs->items[inputs->n_items++] = (struct fx_policy_input){
            .file = "--provider", .text = {text->data, text->len}, .is_flag = true};
        if (text->failed) {
            return fx_fail_nomem(err);
        }
    }
    return true;
}

bool fx_provider_inputs_make(const struct fx_provider_flags *flags,
                             struct fx_provider_inputs *ret_inputs, struct fx_err *err) {
    struct fx_buf ca;
    fx_buf_init(&ca, 0);
    const bool ok = (flags->ca == NULL || fx_file_read(flags->ca, CA_BYTES, &ca, err)) &&
                    write_documents(flags, &ca, ret_inputs, err);
    fx_buf_finish(&ca);
    return ok;
}

void fx_provider_inputs_finish(struct fx_provider_inputs *inputs) {
    for (size_t i = 0; i < inputs->n_items; i++) {
        fx_buf_finish(&inputs->texts[i]);
    }
    free(inputs->texts);
    free(inputs->items);
    *inputs = (struct fx_provider_inputs){0};
}

/* ---- calls ----------------------------------------------------------------------- */

struct fx_provider_loop_state {
    uv_loop_t loop;
    struct fx_external_client *client;
    bool ready;
};

/* Makes a write to a closed connection an error instead of a signal that ends the
 * process. */
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
