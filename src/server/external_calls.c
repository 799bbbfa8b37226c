/* SPDX-License-Identifier: Apache-2.0
 *
 * server/external_calls.c - rounds of calls to providers.
 *
 * A round ends when its last call has ended. Then its timer handle is closed, so that
 * `on_ready` is called from the loop, never from fx_external_client_run() itself.
 */
#include "server/external_calls.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/url.h"
#include "base/vec.h"
#include "net/http_client.h"
#include "net/tls.h"

#define CLIENT_MAGIC       0x66786578u /* "fxex" */
#define DEFAULT_TIMEOUT_MS 5000u
#define NS_IN_MS           UINT64_C(1000000)

/* The TLS configuration for one provider. */
struct provider_config {
    struct fx_provider *provider; /* counted */
    struct fx_tls_config *tls;    /* counted */
};

struct provider_call {
    struct round *round;
    struct fx_input_entry *input;
    struct fx_http_call *http; /* NULL: not running */
    uint64_t started_ns;
};

struct round {
    struct round *previous, *next;
    struct fx_external_client *client;
    struct fx_external_callback callback;
    uv_timer_t timer;
    size_t n_open; /* running calls, plus one while the round is started */
    size_t n_calls;
    struct provider_call calls[];
};

struct fx_external_client {
    uint32_t magic;
    uv_loop_t *loop;
    struct fx_http_pool *pool;
    void (*on_result)(enum fx_external_result result, double seconds, void *user);
    void *user;
    char *cert_pem;
    struct fx_buf key_pem; /* overwritten at the end */
    struct provider_config *tls_configs;
    size_t n_configs, cap_configs;
    struct round *rounds;
    size_t n_open; /* running calls of all rounds */
    bool closing;
};

/* ---- TLS configurations ---------------------------------------------------------- */

static struct fx_provider *provider_ref(const struct fx_provider *provider) {
    /* Counting references does not change the provider. */
    const union {
        const struct fx_provider *in;
        struct fx_provider *out;
    } same = {.in = provider};
    (void)fx_resource_ref(&same.out->resource);
    return same.out;
}

static void drop_config(struct fx_external_client *client, size_t index) {
    fx_resource_unref(&client->tls_configs[index].provider->resource);
    fx_tls_config_unref(client->tls_configs[index].tls);
    client->tls_configs[index] = client->tls_configs[--client->n_configs];
}

static void drop_configs(struct fx_external_client *client) {
    while (client->n_configs > 0) {
        drop_config(client, client->n_configs - 1);
    }
}

/* Drops the configurations of providers that no snapshot has any more. */
static void drop_stale(struct fx_external_client *client) {
    for (size_t i = client->n_configs; i > 0; i--) {
        const struct fx_resource *resource =
            &client->tls_configs[i - 1].provider->resource;
        if (atomic_load_explicit(&resource->refs, memory_order_relaxed) == 1) {
            drop_config(client, i - 1);
        }
    }
}

static struct fx_tls_config *make_tls(const struct fx_external_client *client,
                                      const struct fx_provider *provider,
                                      struct fx_text host, struct fx_err *err) {
    char *name = fx_text_dup(host);
    if (name == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    const struct fx_text ca = {provider->ca_pem, provider->ca_pem_len};
    const struct fx_text key = {client->key_pem.data, client->key_pem.len};
    struct fx_tls_config *tls =
        fx_tls_config_client(ca, name, fx_text_of(client->cert_pem), key, err);
    free(name);
    return tls;
}

/* The configuration for the provider, borrowed. NULL if the provider has no CA
 * certificates: an empty list would trust every server. */
static struct fx_tls_config *find_tls(struct fx_external_client *client,
                                      const struct fx_provider *provider,
                                      struct fx_text host, struct fx_err *err) {
    for (size_t i = 0; i < client->n_configs; i++) {
        if (client->tls_configs[i].provider == provider) {
            return client->tls_configs[i].tls;
        }
    }
    if (provider->ca_pem_len == 0) {
        (void)fx_fail(err, FX_EINVALID, "the provider has no caBundle");
        return NULL;
    }
    drop_stale(client);
    if (!FX_VEC_GROW(client->tls_configs, client->n_configs, client->cap_configs)) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    struct fx_tls_config *tls = make_tls(client, provider, host, err);
    if (tls != NULL) {
        client->tls_configs[client->n_configs++] =
            (struct provider_config){provider_ref(provider), tls};
    }
    return tls;
}

static bool offers(const struct fx_external_client *client, struct fx_text cert_pem,
                   struct fx_text key_pem) {
    const struct fx_text key = {client->key_pem.data, client->key_pem.len};
    return fx_text_is(cert_pem, client->cert_pem) && fx_text_equal(key_pem, key);
}

bool fx_external_client_set_certificate(struct fx_external_client *client,
                                        struct fx_text cert_pem, struct fx_text key_pem,
                                        struct fx_err *err) {
    if (offers(client, cert_pem, key_pem)) {
        return true; /* and its connections can still be used */
    }
    struct fx_buf key;
    fx_buf_init(&key, 0);
    fx_buf_text(&key, key_pem);
    char *cert = fx_text_dup(cert_pem);
    if (cert == NULL || key.failed) {
        free(cert);
        fx_tls_wipe(&key);
        return fx_fail_nomem(err);
    }
    free(client->cert_pem);
    fx_tls_wipe(&client->key_pem);
    client->cert_pem = cert;
    client->key_pem = key;
    drop_configs(client); /* the configurations have the previous certificate */
    return true;
}

/* ---- the end of a round ---------------------------------------------------------- */

static void client_free(struct fx_external_client *client) {
    fx_http_pool_close(client->pool);
    drop_configs(client);
    free(client->tls_configs);
    free(client->cert_pem);
    fx_tls_wipe(&client->key_pem);
    client->magic = 0;
    free(client);
}

static void unlink_round(struct round *round) {
    struct fx_external_client *client = round->client;
    if (round->previous != NULL) {
        round->previous->next = round->next;
    } else {
        client->rounds = round->next;
    }
    if (round->next != NULL) {
        round->next->previous = round->previous;
    }
}

static void on_timer_closed(uv_handle_t *handle) {
    struct round *round = handle->data;
    struct fx_external_client *client = round->client;
    unlink_round(round);
    if (!client->closing) {
        round->callback.on_ready(round->callback.user);
    } else if (client->rounds == NULL) {
        client_free(client);
    }
    free(round);
}

static void close_timer(struct round *round) {
    if (!uv_is_closing((uv_handle_t *)&round->timer)) {
        uv_close((uv_handle_t *)&round->timer, on_timer_closed);
    }
}

static void end_call(struct round *round) {
    assert(round->n_open > 0);
    if (--round->n_open == 0) {
        close_timer(round);
    }
}

/* ---- one call -------------------------------------------------------------------- */

static void report_result(const struct provider_call *call,
                          enum fx_external_result result) {
    const struct fx_external_client *client = call->round->client;
    if (client->on_result != NULL) {
        const double seconds = (double)(fx_clock_ns() - call->started_ns) / 1e9;
        client->on_result(result, seconds, client->user);
    }
}

static void fail_call(const struct provider_call *call, const struct fx_err *failure) {
    report_result(call, failure->code == FX_EDEADLINE ? FX_EXTERNAL_RESULT_TIMEOUT
                                                      : FX_EXTERNAL_RESULT_ERROR);
    fx_external_fail(call->input, failure->msg);
}

static void on_answer(const struct fx_http_call_result *result, void *user) {
    struct provider_call *call = user;
    call->http = NULL;
    call->round->client->n_open--;
    if (result->failure != NULL) {
        fail_call(call, result->failure);
    } else {
        report_result(call, FX_EXTERNAL_RESULT_OK);
        fx_external_give(call->input, result->body);
    }
    end_call(call->round);
}

/* How long the call may take; 0: the deadline has passed. */
static uint64_t timeout_of(const struct round *round,
                           const struct fx_provider *provider) {
    const uint64_t own_ms =
        provider->timeout_ms == 0 ? DEFAULT_TIMEOUT_MS : provider->timeout_ms;
    if (round->callback.deadline_ns == 0) {
        return own_ms;
    }
    const uint64_t now_ns = fx_clock_ns();
    const uint64_t left_ms = round->callback.deadline_ns <= now_ns
                                 ? 0
                                 : (round->callback.deadline_ns - now_ns) / NS_IN_MS;
    return left_ms < own_ms ? left_ms : own_ms;
}

static bool start_call(struct provider_call *call, struct fx_err *err) {
    struct round *round = call->round;
    const struct fx_provider *provider = call->input->key.provider;
    struct fx_url url;
    if (!fx_url_parse(provider->url, &url, err)) {
        return false;
    }
    const struct fx_http_call_options options = {
        .url = &url,
        .tls = find_tls(round->client, provider, url.host, err),
        .method = "POST",
        .content_type = "application/json",
        .body = call->input->key.body,
        .timeout_ms = timeout_of(round, provider),
        .pool = round->client->pool,
        .repeatable = true,                  /* a lookup changes nothing */
        .allows_missing_close_notify = true, /* JSON shows its own end */
    };
    if (options.tls == NULL) {
        return false;
    }
    if (options.timeout_ms == 0) {
        return fx_fail(err, FX_EDEADLINE, "deadline exceeded before the call");
    }
    if (round->client->n_open >= FX_LIMIT_EXTERNAL_CALLS) {
        return fx_fail(err, FX_ELIMIT, "%u requests to providers are running already",
                       FX_LIMIT_EXTERNAL_CALLS);
    }
    if (!fx_http_call_start(round->client->loop, &options, on_answer, call, &call->http,
                            err)) {
        return false;
    }
    round->client->n_open++;
    return true;
}

static void start_or_fail(struct round *round, struct fx_input_entry *input) {
    struct provider_call *call = &round->calls[round->n_calls++];
    *call = (struct provider_call){round, input, NULL, fx_clock_ns()};
    struct fx_err err = FX_ERR_INIT;
    round->n_open++;
    if (!start_call(call, &err)) {
        fail_call(call, &err);
        end_call(round);
    }
}

/* ---- rounds ----------------------------------------------------------------- */

static bool is_open_call(const struct fx_input_entry *entry) {
    return entry->key.type == FX_INPUT_CALL &&
           (entry->state == FX_INPUT_WANTED || entry->state == FX_INPUT_AWAITED);
}

static size_t count_open_calls(const struct fx_inputs *inputs) {
    size_t n = 0;
    for (const struct fx_input_entry *entry = inputs->first; entry != NULL;
         entry = entry->next) {
        n += is_open_call(entry) ? 1 : 0;
    }
    return n;
}

bool fx_external_client_run(struct fx_external_client *client, struct fx_inputs *inputs,
                            const struct fx_external_callback *callback,
                            struct fx_err *err) {
    assert(client->magic == CLIENT_MAGIC && !client->closing);
    struct round *round =
        calloc(1, sizeof *round + count_open_calls(inputs) * sizeof round->calls[0]);
    if (round == NULL) {
        return fx_fail_nomem(err);
    }
    round->client = client;
    round->callback = *callback;
    round->n_open = 1;
    round->next = client->rounds;
    if (round->next != NULL) {
        round->next->previous = round;
    }
    client->rounds = round;
    (void)uv_timer_init(client->loop, &round->timer); /* cannot fail */
    round->timer.data = round;
    for (struct fx_input_entry *entry = inputs->first; entry != NULL;
         entry = entry->next) {
        if (is_open_call(entry)) {
            start_or_fail(round, entry);
        }
    }
    end_call(round);
    return true;
}

struct fx_external_client *fx_external_client_create(
    uv_loop_t *loop,
    void (*on_result)(enum fx_external_result result, double seconds, void *user),
    void *user, struct fx_err *err) {
    struct fx_external_client *client = calloc(1, sizeof *client);
    if (client == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    client->magic = CLIENT_MAGIC;
    client->loop = loop;
    client->on_result = on_result;
    client->user = user;
    client->cert_pem = fx_text_dup(FX_TEXT(""));
    fx_buf_init(&client->key_pem, 0);
    client->pool = fx_http_pool_create(loop, NULL, err);
    if (client->cert_pem == NULL) {
        (void)fx_fail_nomem(err);
    }
    if (client->cert_pem == NULL || client->pool == NULL) {
        client_free(client);
        return NULL;
    }
    return client;
}

void fx_external_client_close(struct fx_external_client *client) {
    if (client == NULL) {
        return;
    }
    client->closing = true;
    if (client->rounds == NULL) {
        client_free(client);
        return;
    }
    for (struct round *round = client->rounds; round != NULL; round = round->next) {
        for (size_t i = 0; i < round->n_calls; i++) {
            if (round->calls[i].http != NULL) {
                fx_http_call_cancel(round->calls[i].http);
                round->calls[i].http = NULL;
            }
        }
        close_timer(round);
    }
}
