/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/client.c - the life of a request:
 *
 *   start → send → answer → report
 *            ↑        ↓ 401, and the token has changed: once
 *            └────────┘
 */
#include "kube/client.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/list.h"
#include "kube/backoff.h"
#include "kube/config.h"
#include "kube/request.h"
#include "kube/token.h"
#include "net/http_client.h"
#include "net/tls.h"
#include "value/json.h"
#include "value/tree.h"

#define DEFAULT_TIMEOUT_MS 30000u
#define NS_IN_MS           UINT64_C(1000000)
#define NS_IN_S            1e9

#define CALL_MAGIC 0x66786b63u /* "fxkc" */

struct fx_kube_client {
    uv_loop_t *loop;
    char *server;
    struct fx_tls_config *tls; /* NULL for plain HTTP */
    struct fx_http_pool *pool;
    struct fx_kube_token token;
    struct fx_err token_fault; /* why the token may be outdated */
    fx_kube_on_request *on_request;
    void *user;
    struct fx_list_link *calls; /* in progress */
};

struct fx_kube_call {
    uint32_t magic;
    struct fx_list_link link; /* in `client->calls` */
    struct fx_kube_client *client;
    struct fx_kube_wire wire;
    struct fx_kube_sink sink;
    bool streams;              /* there is a sink */
    bool streamed;             /* the sink received the body */
    struct fx_http_call *http; /* NULL if it is not in progress */
    bool repeated;
    uint64_t token_generation; /* of the sent token */
    uint64_t started_ns, head_ns, end_ns;
    uv_timer_t timer; /* reports `failure`, if the request could not be sent */
    bool not_sent;
    struct fx_kube_failure failure;
    fx_kube_on_answer *on_done;
    void *user;
};

static const char *const verb_names[] = {FX_KUBE_VERBS(FX_WORD)};

const char *fx_kube_verb_name(enum fx_kube_verb verb) {
    return verb_names[verb];
}

/* ---- the client ---- */

/* Creates the TLS configuration. Errors name the field of the configuration: the
 * authority is tried first without the client certificate, to find out which of the two
 * is wrong. */
static struct fx_tls_config *make_tls(const struct fx_kube_config *config,
                                      const char *host, struct fx_err *err) {
    const struct fx_text none = {0};
    const struct fx_text ca = fx_text_of(config->ca_pem);
    const char *name = config->server_name != NULL ? config->server_name : host;
    struct fx_tls_config *tls = fx_tls_config_client(ca, name, none, none, err);
    if (tls == NULL) {
        (void)fx_err_prefix(err, "certificate-authority: ");
        return NULL;
    }
    if (config->cert_pem == NULL) {
        return tls;
    }
    fx_tls_config_unref(tls);
    tls = fx_tls_config_client(ca, name, fx_text_of(config->cert_pem),
                               fx_buf_view(&config->key_pem), err);
    if (tls == NULL) {
        (void)fx_err_prefix(err, "client-certificate, client-key: ");
    }
    return tls;
}

/* Checks and parses the URL of the server. */
static bool read_server(const char *server, struct fx_url *ret_url, struct fx_err *err) {
    struct fx_err why = FX_ERR_INIT;
    if (!fx_url_parse(fx_text_of(server), ret_url, &why)) {
        return fx_fail(err, FX_EINVALID, "server: %s", why.msg);
    }
    const bool known =
        fx_url_is_scheme(ret_url, "https") || fx_url_is_scheme(ret_url, "http");
    if (!known || ret_url->port == 0 || strpbrk(server, "?#") != NULL) {
        return fx_fail(err, FX_EINVALID,
                       "server: `%s` is not a URL like https://host:port/path", server);
    }
    return true;
}

static bool fill_client(struct fx_kube_client *client,
                        const struct fx_kube_config *config, struct fx_err *err) {
    struct fx_url url;
    if (!read_server(config->server, &url, err) ||
        !fx_kube_token_init(&client->token, config, err)) {
        return false;
    }
    client->server = fx_text_dup(fx_text_of(config->server));
    char *host = fx_text_dup(url.host);
    if (client->server == NULL || host == NULL) {
        free(host);
        return fx_fail_nomem(err);
    }
    const bool plain = fx_url_is_scheme(&url, "http");
    client->tls = plain ? NULL : make_tls(config, host, err);
    free(host);
    if (!plain && client->tls == NULL) {
        return false;
    }
    client->pool = fx_http_pool_create(client->loop, NULL, err);
    return client->pool != NULL;
}

struct fx_kube_client *fx_kube_client_create(uv_loop_t *loop,
                                             const struct fx_kube_config *config,
                                             fx_kube_on_request *on_request, void *user,
                                             struct fx_err *err) {
    struct fx_kube_client *client = calloc(1, sizeof *client);
    if (client == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    client->loop = loop;
    client->on_request = on_request;
    client->user = user;
    if (!fill_client(client, config, err)) {
        fx_kube_client_close(client);
        return NULL;
    }
    return client;
}

void fx_kube_client_close(struct fx_kube_client *client) {
    if (client == NULL) {
        return;
    }
    while (client->calls != NULL) {
        struct fx_kube_call *call =
            (void *)((char *)client->calls - offsetof(struct fx_kube_call, link));
        assert(call->client == client && call->link.previous == NULL);
        fx_kube_call_cancel(call);
    }
    fx_http_pool_close(client->pool);
    fx_tls_config_unref(client->tls);
    fx_kube_token_finish(&client->token);
    free(client->server);
    free(client);
}

/* ---- the end of a call ---- */

static void destroy(struct fx_kube_call *call) {
    fx_kube_wire_finish(&call->wire);
    call->magic = 0;
    free(call);
}

static void on_timer_closed(uv_handle_t *timer) {
    destroy(fx_checked(timer->data, CALL_MAGIC));
}

static void release_call(struct fx_kube_call *call) {
    if (call->not_sent) {
        uv_close((uv_handle_t *)&call->timer, on_timer_closed);
    } else {
        destroy(call);
    }
}

static void count_request(const struct fx_kube_call *call, enum fx_kube_reason reason) {
    const struct fx_kube_client *client = call->client;
    const uint64_t end = call->head_ns != 0 ? call->head_ns : fx_clock_ns();
    if (client->on_request != NULL && call->wire.resource.plural != NULL) {
        client->on_request(call->wire.verb, &call->wire.resource, reason,
                           (double)(end - call->started_ns) / NS_IN_S, client->user);
    }
}

/* `on_done` may close the client, so the client is not used after it. */
static void report_result(struct fx_kube_call *call, json_t *object) {
    const bool failed = call->failure.reason != FX_KUBE_REASON_NONE;
    count_request(call, call->failure.reason);
    fx_list_remove(&call->client->calls, &call->link);
    call->on_done(&(struct fx_kube_answer){.failure = failed ? &call->failure : NULL,
                                           .object = object},
                  call->user);
    if (object != NULL && fx_kube_resource_is_secret(&call->wire.resource)) {
        fx_tree_wipe(object);
    }
    json_decref(object);
    release_call(call);
}

/* Adds the reason why the token could not be read again, which may explain the
 * refusal. */
static void add_token_fault(struct fx_kube_call *call) {
    const struct fx_kube_client *client = call->client;
    const bool refused = call->failure.reason == FX_KUBE_REASON_UNAUTHORIZED ||
                         call->failure.reason == FX_KUBE_REASON_FORBIDDEN;
    if (!refused || client->token.retry_at_ns == 0 || client->token_fault.code == FX_OK) {
        return;
    }
    struct fx_err both = FX_ERR_INIT;
    (void)fx_fail(&both, FX_EIO, "%s; %s", call->failure.message,
                  client->token_fault.msg);
    memcpy(call->failure.message, both.msg, sizeof call->failure.message);
}

static void report_failure(struct fx_kube_call *call) {
    fx_kube_failure_prefix(&call->failure, fx_kube_verb_name(call->wire.verb),
                           &call->wire.resource, &call->wire.name);
    add_token_fault(call);
    report_result(call, NULL);
}

static void report_error(struct fx_kube_call *call, const struct fx_err *error) {
    fx_kube_failure_of_error(error, &call->failure);
    report_failure(call);
}

void fx_kube_call_cancel(struct fx_kube_call *call) {
    if (call == NULL) {
        return;
    }
    assert(call->magic == CALL_MAGIC);
    if (call->http != NULL) {
        fx_http_call_cancel(call->http);
    }
    fx_list_remove(&call->client->calls, &call->link);
    release_call(call);
}

static void on_timer(uv_timer_t *timer) {
    report_result(fx_checked(timer->data, CALL_MAGIC), NULL);
}

/* ---- answers ---- */

static bool is_success(unsigned status) {
    return status >= 200 && status < 300;
}

static void handle_object(struct fx_kube_call *call,
                          const struct fx_http_call_result *result) {
    struct fx_err err = FX_ERR_INIT;
    json_t *object = fx_json_read(result->body, NULL, &err);
    if (object != NULL && !json_is_object(object)) {
        json_decref(object);
        object = NULL;
        (void)fx_fail(&err, FX_ESYNTAX, "not an object");
    }
    if (object == NULL) {
        (void)fx_err_prefix(&err, "the answer is not from an API server: ");
        report_error(call, &err);
    } else {
        report_result(call, object);
    }
}

static bool send_call(struct fx_kube_call *call, struct fx_err *err);

/* Is the token another one than was sent? Another call that was refused just before may
 * already have read it. */
static bool has_new_token(const struct fx_kube_call *call) {
    struct fx_kube_token *token = &call->client->token;
    return token->generation != call->token_generation ||
           fx_kube_token_refresh(token, fx_clock_ns());
}

/* Sends the request again if that is useful. */
static bool repeat_call(struct fx_kube_call *call, unsigned status) {
    struct fx_err err = FX_ERR_INIT;
    if (status != 401 || call->repeated || call->streamed || !has_new_token(call)) {
        return false;
    }
    call->repeated = true;
    return send_call(call, &err);
}

static void on_answer(const struct fx_http_call_result *result, void *user) {
    struct fx_kube_call *call = fx_checked(user, CALL_MAGIC);
    call->http = NULL;
    if (result->failure != NULL) {
        report_error(call, result->failure);
    } else if (call->streamed) {
        report_result(call, NULL);
    } else if (repeat_call(call, result->status)) {
        return;
    } else if (!is_success(result->status)) {
        fx_kube_failure_read(result->status, result->head, result->body, &call->failure);
        report_failure(call);
    } else {
        handle_object(call, result);
    }
}

static bool on_head(const struct fx_http_call_result *result, void *user) {
    struct fx_kube_call *call = fx_checked(user, CALL_MAGIC);
    call->head_ns = fx_clock_ns();
    call->streamed = is_success(result->status);
    if (call->streamed) {
        call->sink.on_open(call->user);
        return true; /* also if on_open() cancelled the call */
    }
    return false;
}

static void on_piece(struct fx_text piece, void *user) {
    const struct fx_kube_call *call = fx_checked(user, CALL_MAGIC);
    call->sink.on_piece(piece, call->user);
}

/* ---- sending ---- */

/* Writes "Bearer …" if there is a token. It is not sent over plain HTTP, as in
 * kubectl. */
static void write_authorization(struct fx_kube_client *client, uint64_t now_ns,
                                struct fx_buf *value) {
    struct fx_err err = FX_ERR_INIT;
    bool fault = false;
    if (client->tls == NULL) {
        return;
    }
    const struct fx_text token = fx_kube_token_now(&client->token, now_ns, &fault, &err);
    if (fault) {
        client->token_fault = err;
    }
    if (token.len > 0) {
        /* Reserved at once, because a buffer that grows leaves copies of the token in
         * memory. */
        if (fx_buf_reserve(value, token.len + sizeof "Bearer ") != NULL) {
            fx_buf_str(value, "Bearer ");
            fx_buf_text(value, token);
        }
    }
}

static bool send_call(struct fx_kube_call *call, struct fx_err *err) {
    struct fx_kube_client *client = call->client;
    const uint64_t now_ns = fx_clock_ns();
    struct fx_buf authorization = {0};
    write_authorization(client, now_ns, &authorization);
    call->token_generation = client->token.generation;
    const struct fx_http_field fields[] = {
        {"Accept", call->wire.accept},
        {"Authorization", authorization.data},
    };
    const struct fx_http_sink sink = {
        .on_head = on_head,
        .on_piece = on_piece,
        .silence_ms = call->sink.silence_ms,
    };
    const struct fx_http_call_options options = {
        .url = &call->wire.url,
        .tls = client->tls,
        .method = call->wire.method,
        .content_type = call->wire.content_type,
        .body = fx_buf_view(&call->wire.body),
        .fields = fields,
        .n_fields = authorization.len > 0 ? 2 : 1,
        .max_body = call->wire.max_body,
        .timeout_ms = fx_timeout_until(call->end_ns),
        .sink = call->streams ? &sink : NULL,
        .pool = client->pool,
        .repeatable = call->wire.repeatable,
        .allows_missing_close_notify = true,
    };
    const bool ok = authorization.failed
                        ? fx_fail_nomem(err)
                        : fx_http_call_start(client->loop, &options, on_answer, call,
                                             &call->http, err);
    fx_tls_wipe(&authorization);
    return ok;
}

/* Reports a request that could not be sent, with a timer: later, as every result. */
static void report_later(struct fx_kube_call *call, const struct fx_kube_request *request,
                         const struct fx_err *error) {
    fx_kube_failure_of_error(error, &call->failure);
    fx_kube_failure_prefix(&call->failure, fx_kube_verb_name(request->verb),
                           request->resource, &request->name);
    call->not_sent = true;
    call->timer.data = call;
    (void)uv_timer_init(call->client->loop, &call->timer); /* these two cannot fail */
    (void)uv_timer_start(&call->timer, on_timer, 0, 0);
}

static struct fx_kube_call *start_call(struct fx_kube_client *client,
                                       const struct fx_kube_request *request,
                                       const struct fx_kube_sink *sink,
                                       fx_kube_on_answer *on_done, void *user) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_kube_call *call = calloc(1, sizeof *call);
    if (call == NULL) {
        return NULL;
    }
    call->magic = CALL_MAGIC;
    call->client = client;
    call->streams = sink != NULL;
    if (sink != NULL) {
        call->sink = *sink;
    }
    call->started_ns = fx_clock_ns();
    call->end_ns =
        call->started_ns +
        NS_IN_MS * (request->timeout_ms == 0 ? DEFAULT_TIMEOUT_MS : request->timeout_ms);
    call->on_done = on_done;
    call->user = user;
    fx_list_add(&client->calls, &call->link);
    if (!fx_kube_wire_init(&call->wire, client->server, request, &err) ||
        !send_call(call, &err)) {
        report_later(call, request, &err);
    }
    return call;
}

struct fx_kube_call *fx_kube_call_start(struct fx_kube_client *client,
                                        const struct fx_kube_request *request,
                                        fx_kube_on_answer *on_done, void *user) {
    assert(request->verb != FX_KUBE_VERB_WATCH);
    return start_call(client, request, NULL, on_done, user);
}

struct fx_kube_call *fx_kube_call_stream(struct fx_kube_client *client,
                                         const struct fx_kube_request *request,
                                         const struct fx_kube_sink *sink,
                                         fx_kube_on_answer *on_done, void *user) {
    assert(request->verb == FX_KUBE_VERB_WATCH || request->verb == FX_KUBE_VERB_GET);
    return start_call(client, request, sink, on_done, user);
}
