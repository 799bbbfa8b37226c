/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_client.c - the steps of a call:
 *
 *   idle connection ────────────────┐
 *     ↓ there is none, or it failed ↓
 *   lookup → connect → handshake → send, read → done
 *              ↑ next address ↓
 *
 * The result is reported once, from the loop. Then everything that is open is closed, or
 * returned to the pool; the last close callback frees the call.
 */
#include "net/http_client.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/checked.h"
#include "base/limits.h"
#include "net/address.h"
#include "net/http_client_connection.h"
#include "net/http_head.h"
#include "net/http_response.h"
#include "net/tls.h"

#define CLOSE_MS 250 /* time for the server to close after its response */

#define CALL_MAGIC 0x66786863u /* "fxhc" */

struct fx_http_call {
    uint32_t magic;
    uv_loop_t *loop;
    uv_timer_t timer;
    uv_getaddrinfo_t lookup;
    struct addrinfo *found;                  /* result of the lookup */
    struct sockaddr_storage socket;          /* of an address in the URL */
    struct addrinfo only;                    /* `socket` as the result of a lookup */
    const struct addrinfo *next;             /* the address to try if this one fails */
    char address[FX_ADDRESS_BYTES];          /* the current address, for error messages */
    struct fx_http_pool *pool;               /* NULL if there is none */
    struct fx_stream_scratch *scratch;       /* that of the pool, or `own` */
    struct fx_stream_scratch *own;           /* NULL with a pool */
    struct fx_client_connection *connection; /* NULL if it is not open */
    struct fx_tls_config *tls;
    char *host;
    uint16_t port;
    struct fx_buf request; /* as long as it may be sent; may have a token */
    struct fx_http_response *response;
    struct fx_http_sink sink;    /* zeroed if there is none */
    bool streaming;              /* the sink takes the body */
    uint64_t timeout_ms, end_at; /* in loop time */
    void (*on_done)(const struct fx_http_call_result *result, void *user);
    void *user;
    struct fx_err failure;
    bool timing, looking_up; /* timer and lookup that are not closed yet */
    bool failed_early;       /* failed at the start; the timer reports it */
    bool is_done;
    bool allows_missing_close_notify;
    bool repeatable; /* option of the call */
    bool may_repeat; /* the connection was idle before, and no byte was received */
    bool restarts;   /* restart when the connection is closed */
};

/* ---- end of a call ---- */

static void destroy_call(struct fx_http_call *call) {
    uv_freeaddrinfo(call->found);
    if (call->own != NULL) {
        fx_stream_scratch_finish(call->own);
        free(call->own);
    }
    fx_http_pool_unref(call->pool);
    fx_http_response_destroy(call->response);
    fx_tls_wipe(&call->request);
    fx_tls_config_unref(call->tls);
    free(call->host);
    call->magic = 0;
    free(call);
}

static void destroy_if_closed(struct fx_http_call *call) {
    if (!call->timing && !call->looking_up && call->connection == NULL) {
        destroy_call(call);
    }
}

static void on_timer_closed(uv_handle_t *timer) {
    struct fx_http_call *call = fx_checked(timer->data, CALL_MAGIC);
    call->timing = false;
    destroy_if_closed(call);
}

/* Called once, after the report. Closes what is open, except a stream that closes
 * itself. */
static void close_call(struct fx_http_call *call) {
    fx_tls_wipe(&call->request);
    uv_close((uv_handle_t *)&call->timer, on_timer_closed);
    if (call->looking_up) {
        (void)uv_cancel(
            (uv_req_t *)&call->lookup); /* if it cannot be cancelled, it ends by itself */
    }
}

static void report_call(struct fx_http_call *call,
                        const struct fx_http_call_result *result) {
    call->is_done = true;
    call->on_done(result, call->user);
    fx_http_response_destroy(call->response);
    call->response = NULL;
}

static void report_failure(struct fx_http_call *call) {
    assert(call->failure.code != FX_OK);
    report_call(call, &(struct fx_http_call_result){.failure = &call->failure});
    if (call->connection != NULL) {
        fx_stream_close(&call->connection->stream);
    }
    close_call(call);
}

/* Returns the connection to the pool, so that the callback can already reuse it. False if
 * it cannot be reused. */
static bool return_to_pool(struct fx_http_call *call) {
    struct fx_client_connection *connection = call->connection;
    if (connection->pool == NULL || !fx_http_response_persists(call->response) ||
        fx_stream_has_queued_output(&connection->stream)) {
        return false;
    }
    call->connection = NULL;
    fx_http_pool_put(connection);
    return true;
}

static void report_response(struct fx_http_call *call) {
    const bool given = return_to_pool(call);
    report_call(call, &(struct fx_http_call_result){
                          .status = fx_http_response_status(call->response),
                          .head = fx_http_response_head(call->response),
                          .body = fx_http_response_body(call->response)});
    if (!given) {
        fx_stream_shutdown(&call->connection->stream);
        fx_stream_set_deadline(&call->connection->stream, CLOSE_MS);
    }
    close_call(call);
}

void fx_http_call_cancel(struct fx_http_call *call) {
    assert(call->magic == CALL_MAGIC && !call->is_done);
    call->is_done = true;
    if (call->connection != NULL) {
        fx_stream_close(&call->connection->stream);
    }
    close_call(call);
}

static void on_timer(uv_timer_t *timer) {
    struct fx_http_call *call = fx_checked(timer->data, CALL_MAGIC);
    if (!call->failed_early) {
        (void)fx_fail(&call->failure, FX_EDEADLINE, "no answer within %" PRIu64 " ms",
                      call->timeout_ms);
    }
    report_failure(call);
}

/* ---- the connection ---- */

/* Ends the call; the failure is reported when the stream is closed. */
static void abort_call(struct fx_http_call *call) {
    call->next = NULL;
    fx_stream_close(&call->connection->stream);
}

static void send_request(struct fx_http_call *call) {
    fx_stream_write(&call->connection->stream, fx_buf_view(&call->request));
}

static void on_open(void *user) {
    struct fx_http_call *call = fx_checked(user, CALL_MAGIC);
    call->next = NULL;
    fx_stream_set_deadline(&call->connection->stream, 0);
    send_request(call);
    fx_tls_wipe(&call->request);
}

/* Lets the sink receive the body. It may also cancel the call. */
static void offer_to_sink(struct fx_http_call *call) {
    const struct fx_http_call_result head = {
        .status = fx_http_response_status(call->response),
        .head = fx_http_response_head(call->response)};
    if (call->sink.on_head == NULL || !call->sink.on_head(&head, call->user) ||
        call->is_done) {
        return;
    }
    fx_http_response_stream(call->response);
    call->streaming = true;
    (void)uv_timer_stop(&call->timer);
    fx_stream_set_deadline(&call->connection->stream, call->sink.silence_ms);
}

static void on_event(struct fx_http_call *call, enum fx_http_response_event event) {
    switch (event) {
    case FX_HTTP_RESPONSE_MORE: break;
    case FX_HTTP_RESPONSE_HEAD: offer_to_sink(call); break;
    case FX_HTTP_RESPONSE_PIECE:
        call->sink.on_piece(fx_http_response_piece(call->response), call->user);
        break;
    case FX_HTTP_RESPONSE_WHOLE: report_response(call); break;
    case FX_HTTP_RESPONSE_BAD: abort_call(call); break;
    }
}

static void on_bytes(void *user, struct fx_text bytes) {
    struct fx_http_call *call = fx_checked(user, CALL_MAGIC);
    enum fx_http_response_event event = FX_HTTP_RESPONSE_MORE;
    call->may_repeat = false;
    fx_tls_wipe(&call->request);
    if (call->streaming) {
        fx_stream_set_deadline(&call->connection->stream, call->sink.silence_ms);
    }
    do {
        event = fx_http_response_feed(call->response, &bytes, &call->failure);
        on_event(call, event);
    } while (!call->is_done &&
             (event == FX_HTTP_RESPONSE_HEAD || event == FX_HTTP_RESPONSE_PIECE));
}

/* The connection has failed. Must the request be sent on a new one? */
static bool must_restart(struct fx_http_call *call) {
    call->restarts = call->may_repeat;
    call->may_repeat = false;
    return call->restarts;
}

static void on_end(void *user) {
    struct fx_http_call *call = fx_checked(user, CALL_MAGIC);
    if (must_restart(call)) {
        fx_stream_close(&call->connection->stream);
        return;
    }
    const bool cut = !call->allows_missing_close_notify && call->connection->stream.cut;
    on_event(call, fx_http_response_end(call->response, cut, &call->failure));
}

static bool prefix_address(struct fx_http_call *call) {
    return fx_err_prefix(&call->failure, "connect %s: ", call->address);
}

/* Handles a silence that was too long. Bytes that the kernel has received but the loop
 * has not read, because it was busy, count as received. */
static void on_silence(struct fx_http_call *call) {
    if (!fx_stream_has_no_input(&call->connection->stream)) {
        fx_stream_set_deadline(&call->connection->stream, call->sink.silence_ms);
        return;
    }
    (void)fx_fail(&call->failure, FX_EDEADLINE, "no byte came for %" PRIu64 " ms",
                  call->sink.silence_ms);
    abort_call(call);
}

/* The time to connect to this address is over, or the silence was too long. */
static void on_deadline(void *user) {
    struct fx_http_call *call = fx_checked(user, CALL_MAGIC);
    if (call->streaming) {
        on_silence(call);
    } else if (!call->connection->stream.connected) {
        (void)fx_fail(&call->failure, FX_EIO, "%s", uv_strerror(UV_ETIMEDOUT));
        (void)prefix_address(call);
        fx_stream_close(&call->connection->stream);
    }
}

static void on_error(void *user, const struct fx_err *failure) {
    struct fx_http_call *call = fx_checked(user, CALL_MAGIC);
    call->failure = *failure;
    if (must_restart(call)) {
        return;
    }
    if (call->connection->stream.connected) {
        call->next = NULL;
    } else {
        (void)prefix_address(call);
    }
}

static bool try_next(struct fx_http_call *call);
static bool start_new(struct fx_http_call *call);

static void on_closed(void *user) {
    struct fx_http_call *call = fx_checked(user, CALL_MAGIC);
    fx_client_connection_destroy(call->connection);
    call->connection = NULL;
    if (!call->is_done &&
        !(call->restarts ? start_new(call) : call->next != NULL && try_next(call))) {
        report_failure(call);
    }
    destroy_if_closed(call);
}

static const struct fx_stream_events events = {
    .on_open = on_open,
    .on_bytes = on_bytes,
    .on_end = on_end,
    .on_deadline = on_deadline,
    .on_error = on_error,
    .on_closed = on_closed,
};

static uint64_t share_of_time(const struct fx_http_call *call) {
    const uint64_t now = uv_now(call->loop);
    uint64_t n_addresses = 1;
    for (const struct addrinfo *at = call->next; at != NULL; at = at->ai_next) {
        n_addresses++;
    }
    return now < call->end_at ? (call->end_at - now) / n_addresses + 1 : 1;
}

static struct fx_http_target target_of(const struct fx_http_call *call) {
    return (struct fx_http_target){call->host, call->port, call->tls};
}

/* Connects to the next address. False only without memory: then there is no
 * connection. */
static bool try_next(struct fx_http_call *call) {
    const struct sockaddr *to = call->next->ai_addr;
    const struct fx_http_target target = target_of(call);
    call->connection = fx_client_connection_create(call->loop, &target, call->scratch,
                                                   call->pool, &call->failure);
    if (call->connection == NULL) {
        return false;
    }
    struct fx_stream *stream = &call->connection->stream;
    call->next = call->next->ai_next;
    fx_address_print(to, call->port, call->address, sizeof call->address);
    fx_stream_set_events(stream, &events, call);
    if (call->next != NULL) {
        fx_stream_set_deadline(stream, share_of_time(call));
    }
    if (!fx_stream_connect(stream, to, &call->failure)) {
        (void)prefix_address(call);
        fx_stream_close(stream); /* on_closed() continues */
    }
    return true;
}

/* ---- the lookup ---- */

static void fail_lookup(struct fx_http_call *call, int rc) {
    const bool unknown = rc == UV_EAI_NONAME || rc == UV_EAI_NODATA;
    (void)fx_fail(&call->failure,
                  rc == UV_ENOMEM || rc == UV_EAI_MEMORY ? FX_ENOMEM : FX_EIO,
                  "lookup %.253s: %s", call->host,
                  unknown ? "name or service not known" : uv_strerror(rc));
}

static void on_looked_up(uv_getaddrinfo_t *lookup, int status, struct addrinfo *found) {
    struct fx_http_call *call = fx_checked(lookup->data, CALL_MAGIC);
    call->looking_up = false;
    call->found = found;
    call->next = found;
    if (call->is_done) {
        destroy_if_closed(call);
        return;
    }
    if (status != 0 || found == NULL) {
        fail_lookup(call, status != 0 ? status : UV_EAI_NODATA);
        report_failure(call);
    } else if (!try_next(call)) {
        report_failure(call);
    }
}

static bool look_up_host(struct fx_http_call *call) {
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICSERV};
    char service[8];
    (void)snprintf(service, sizeof service, "%u", call->port);
    call->lookup.data = call;
    const int rc = uv_getaddrinfo(call->loop, &call->lookup, on_looked_up, call->host,
                                  service, &hints);
    call->looking_up = rc == 0;
    if (rc != 0) {
        fail_lookup(call, rc);
    }
    return rc == 0;
}

/* If the host is an address, uses it without a lookup. */
static bool take_literal(struct fx_http_call *call) {
    if (!fx_address_of_literal(call->host, call->port, &call->socket)) {
        return false;
    }
    call->only.ai_addr = (struct sockaddr *)&call->socket;
    call->next = &call->only;
    return true;
}

/* ---- the bytes of a request (RFC 9112) ---- */

static bool check_fields(const struct fx_http_call_options *options, struct fx_err *err) {
    for (size_t i = 0; i < options->n_fields; i++) {
        if (!fx_http_is_field_value(options->fields[i].value)) {
            return fx_fail(err, FX_EINVALID,
                           "the value of the field `%s` has a character that no field "
                           "may have",
                           options->fields[i].name);
        }
    }
    return true;
}

static bool has_field(const struct fx_http_call_options *options, const char *name) {
    for (size_t i = 0; i < options->n_fields; i++) {
        if (fx_http_equals_nocase(fx_text_of(options->fields[i].name), name)) {
            return true;
        }
    }
    return false;
}

static void write_default_fields(const struct fx_http_call_options *options,
                                 struct fx_buf *request) {
    const struct fx_url *url = options->url;
    const uint16_t standard = options->tls != NULL ? 443 : 80;
    fx_buf_printf(request, "%s ", options->method);
    fx_url_write_target(url, request);
    fx_buf_printf(request,
                  url->is_ipv6 ? " HTTP/1.1\r\nHost: [%.*s]" : " HTTP/1.1\r\nHost: %.*s",
                  FX_TEXT_ARG(url->host));
    if (url->port != standard) {
        fx_buf_printf(request, ":%u", url->port);
    }
    fx_buf_str(request, "\r\nUser-Agent: fixpoint/" FX_VERSION "\r\n");
    if (!has_field(options, "accept")) {
        fx_buf_str(request, "Accept: application/json\r\n");
    }
    fx_buf_str(request, "Accept-Encoding: identity\r\n");
    if (options->pool == NULL) {
        fx_buf_str(request, "Connection: close\r\n");
    }
    if (options->content_type != NULL) {
        fx_buf_printf(request, "Content-Type: %s\r\nContent-Length: %zu\r\n",
                      options->content_type, options->body.len);
    }
}

/* Reserves the rest at once, because a growing buffer would leave copies of the fields in
 * freed memory. */
static bool reserve_rest(const struct fx_http_call_options *options,
                         struct fx_buf *request) {
    size_t rest = strlen("\r\n") + options->body.len;
    for (size_t i = 0; i < options->n_fields; i++) {
        rest += strlen(options->fields[i].name) + strlen(options->fields[i].value) +
                strlen(": \r\n");
    }
    return fx_buf_reserve(request, rest) != NULL;
}

static void write_fields(const struct fx_http_call_options *options,
                         struct fx_buf *request) {
    for (size_t i = 0; i < options->n_fields; i++) {
        fx_buf_str(request, options->fields[i].name);
        fx_buf_str(request, ": ");
        fx_buf_str(request, options->fields[i].value);
        fx_buf_str(request, "\r\n");
    }
}

/* Writes head and body to `request`, which is empty. The caller calls fx_tls_wipe() on it
 * after use; there are no other copies of the fields. */
static bool write_request(const struct fx_http_call_options *options,
                          struct fx_buf *request, struct fx_err *err) {
    if (!check_fields(options, err)) {
        return false;
    }
    write_default_fields(options, request);
    if (!reserve_rest(options, request)) {
        return fx_fail_nomem(err);
    }
    write_fields(options, request);
    fx_buf_str(request, "\r\n");
    if (options->content_type != NULL) {
        fx_buf_text(request, options->body);
    }
    return true;
}

/* ---- start ---- */

/* Starts with a new connection. False if it fails; then `failure` is set. */
static bool start_new(struct fx_http_call *call) {
    call->restarts = false;
    return take_literal(call) ? try_next(call) : look_up_host(call);
}

/* Starts with an idle connection. False if there is none. */
static bool start_idle(struct fx_http_call *call) {
    const struct fx_http_target target = target_of(call);
    call->connection = call->pool == NULL ? NULL : fx_http_pool_take(call->pool, &target);
    if (call->connection == NULL) {
        return false;
    }
    fx_stream_set_events(&call->connection->stream, &events, call);
    call->may_repeat = call->repeatable;
    send_request(call);
    if (!call->may_repeat) {
        fx_tls_wipe(&call->request);
    }
    fx_stream_quick_ack(&call->connection->stream);
    return true;
}

static size_t or_default(size_t given, size_t usual) {
    return given == 0 ? usual : given;
}

/* Takes the shared memory of the pool, or own memory without a pool. False if out of
 * memory. */
static bool take_scratch(struct fx_http_call *call, struct fx_http_pool *pool) {
    if (pool != NULL) {
        call->pool = fx_http_pool_ref(pool);
        call->scratch = fx_http_pool_scratch(pool);
        return true;
    }
    call->own = calloc(1, sizeof *call->own);
    if (call->own == NULL) {
        return false;
    }
    fx_buf_init_secret(&call->own->plain, 0);
    call->scratch = call->own;
    return true;
}

static struct fx_http_call *create_call(uv_loop_t *loop,
                                        const struct fx_http_call_options *options,
                                        struct fx_err *err) {
    struct fx_http_call *call = calloc(1, sizeof *call);
    if (call == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    call->magic = CALL_MAGIC;
    call->loop = loop;
    call->timeout_ms = options->timeout_ms;
    call->repeatable = options->repeatable;
    call->allows_missing_close_notify = options->allows_missing_close_notify;
    call->port = options->url->port;
    call->sink = options->sink == NULL ? (struct fx_http_sink){0} : *options->sink;
    call->tls = options->tls == NULL ? NULL : fx_tls_config_ref(options->tls);
    call->host = fx_text_dup(options->url->host);
    call->response = fx_http_response_create(
        or_default(options->max_head, FX_LIMIT_HEADER_BYTES),
        or_default(options->max_body, FX_LIMIT_PROVIDER_BODY_BYTES),
        strcmp(options->method, "HEAD") == 0);
    if (!take_scratch(call, options->pool) || call->host == NULL ||
        call->response == NULL) {
        (void)fx_fail_nomem(err);
    } else if (write_request(options, &call->request, err)) {
        return call;
    }
    destroy_call(call);
    return NULL;
}

bool fx_http_call_start(uv_loop_t *loop, const struct fx_http_call_options *options,
                        void (*on_done)(const struct fx_http_call_result *result,
                                        void *user),
                        void *user, struct fx_http_call **ret_call, struct fx_err *err) {
    struct fx_http_call *call = create_call(loop, options, err);
    if (call == NULL) {
        return false;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* as in http_server.c */
    uv_update_time(loop); /* the caller may have blocked the loop for some time */
    call->on_done = on_done;
    call->user = user;
    call->end_at = uv_now(loop) + options->timeout_ms;
    call->failed_early = !start_idle(call) && !start_new(call);
    call->timing = true;
    call->timer.data = call;
    (void)uv_timer_init(loop, &call->timer); /* cannot fail */
    (void)uv_timer_start(&call->timer, on_timer,
                         call->failed_early ? 0 : options->timeout_ms, 0);
    *ret_call = call;
    return true;
}
