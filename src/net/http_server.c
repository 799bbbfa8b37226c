/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_server.c - accepting connections and its limits; which connection is closed
 * when there are too many; draining and stopping.
 *
 * A server that is full of idle connections must not refuse clients with requests. So a
 * new connection is accepted, and another one is closed: the oldest one in its handshake,
 * if these are more than half of all (so clients that only connect evict each other); or
 * one that only waits for the client to close; or the one with the oldest last response
 * or handshake (RFC 9112 section 9.5 allows a server to close idle connections at any
 * time). No connection is closed that waits for a response; an incomplete request does
 * not count.
 */
#include "net/http_server.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/heap.h"
#include "base/limits.h"
#include "net/http_connection.h"
#include "net/tls.h"

/* If so many handshakes are queued, no further connection is accepted: they take about as
 * long as clients wait for a connection. Clients that have sent nothing do not count. */
#define MAX_HANDSHAKES 64

#define MANY 64 /* the memory of so many connections, 35 KiB each, is worth returning */

#define SERVER_MAGIC 0x66786873u /* "fxhs" */

/* ---- create and destroy ---- */

static uint64_t or_default(uint64_t value, uint64_t standard) {
    return value == 0 ? standard : value;
}

static void set_defaults(struct fx_http_server_options *options) {
    options->max_connections =
        (size_t)or_default(options->max_connections, FX_LIMIT_CONNECTIONS);
    options->max_header = (size_t)or_default(options->max_header, FX_LIMIT_HEADER_BYTES);
    options->max_body = (size_t)or_default(options->max_body, FX_LIMIT_BODY_BYTES);
    options->max_held = (size_t)or_default(options->max_held, FX_LIMIT_HELD_BYTES);
    options->idle_ms = or_default(options->idle_ms, FX_LIMIT_IDLE_MS);
    options->message_ms = or_default(options->message_ms, FX_LIMIT_MESSAGE_MS);
    options->handshake_ms = or_default(options->handshake_ms, FX_LIMIT_HANDSHAKE_MS);
    options->write_ms = or_default(options->write_ms, FX_LIMIT_WRITE_MS);
}

struct fx_http_server *fx_http_server_create(uv_loop_t *loop,
                                             const struct fx_http_server_options *options,
                                             struct fx_err *err) {
    assert(options->on_request != NULL);
    struct fx_http_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    /* libuv uses write(2). Writing to a closed connection must be an error, not a
     * signal. */
    (void)signal(SIGPIPE, SIG_IGN);
    server->magic = SERVER_MAGIC;
    server->loop = loop;
    server->options = *options;
    set_defaults(&server->options);
    server->options.tls = NULL; /* only borrowed for this call */
    server->tls = options->tls == NULL ? NULL : fx_tls_config_ref(options->tls);
    return server;
}

static void free_server(struct fx_http_server *server) {
    fx_tls_config_unref(server->tls);
    fx_stream_scratch_finish(&server->scratch);
    fx_http_spare_finish(&server->spare);
    fx_buf_finish(&server->out);
    server->magic = 0;
    free(server);
}

void fx_http_server_destroy(struct fx_http_server *server) {
    if (server == NULL) {
        return;
    }
    if (server->n_helpers == 0) {
        free_server(server);
        return;
    }
    server->orphaned = true; /* the last handle that closes frees it */
    if (!server->stopping) {
        fx_http_server_stop(server, NULL, NULL);
    }
}

/* Initializes the parts that need the loop, once. */
static void prepare(struct fx_http_server *server) {
    if (server->n_helpers == 0) {
        fx_handshakes_init(&server->handshakes, server->loop);
        fx_loop_tasks_init(&server->others, server->loop, fx_http_connection_on_task);
        fx_write_batch_init(&server->batch, server->loop, fx_stream_send_pending);
        server->scratch.handshakes = &server->handshakes;
        server->scratch.batch = &server->batch;
        server->n_helpers = 3;
    }
}

/* ---- connections ---- */

/* The allocator keeps freed memory. So it is trimmed whenever the number of connections
 * has halved, which happens only after many connections, and only a few times. */
void fx_http_connection_count(struct fx_http_server *server, int change) {
    size_t *now = &server->counts.connections;
    *now = change > 0 ? *now + 1 : *now - 1;
    if (*now > server->most) {
        server->most = *now;
    } else if (server->most >= MANY && *now <= server->most / 2) {
        server->most = *now;
        fx_heap_trim();
    }
}

void fx_http_connection_move(struct fx_http_exchange *exchange,
                             struct fx_http_connection_list *list) {
    if (exchange->list != NULL) {
        fx_queue_remove(&exchange->list->queue, &exchange->link);
        exchange->list->n--;
    }
    exchange->list = list;
    if (list != NULL) {
        fx_queue_prepend(&list->queue, &exchange->link);
        list->n++;
    }
}

static bool may_evict(const struct fx_http_exchange *exchange) {
    return exchange->phase == FX_HTTP_READING && !exchange->running &&
           exchange->input.len == 0;
}

static struct fx_http_exchange *find_victim(const struct fx_http_server *server) {
    const size_t all = server->handshaking.n + server->open.n + server->leaving.n;
    if (server->handshaking.n > all / 2) {
        return fx_http_exchange_of(server->handshaking.queue.last);
    }
    if (server->leaving.n > 0) {
        return fx_http_exchange_of(server->leaving.queue.last);
    }
    struct fx_list_link *at = server->open.queue.last;
    while (at != NULL && !may_evict(fx_http_exchange_of(at))) {
        at = at->previous;
    }
    return fx_http_exchange_of(at);
}

bool fx_http_connection_evict(struct fx_http_server *server) {
    struct fx_http_exchange *exchange = find_victim(server);
    if (exchange == NULL) {
        return false;
    }
    server->counts.dropped++;
    fx_http_connection_close(exchange);
    return true;
}

/* Refuses a connection over the limit. A plain client gets a response; before a TLS
 * handshake there is none. */
static void refuse_socket(struct fx_http_server *server, int fd) {
    static const char response[] =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
        "Content-Length: 0\r\nConnection: close\r\n\r\n";
    server->counts.refused++;
    if (server->tls == NULL) {
        (void)send(fd, response, sizeof response - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    (void)close(fd);
}

/* Is there room for a connection? Those that are being closed do not count, because they
 * are freed at the end of the iteration. */
static bool has_room(const struct fx_http_server *server) {
    return server->handshaking.n + server->open.n + server->leaving.n <
           server->options.max_connections;
}

void fx_http_server_adopt(struct fx_http_server *server, int fd) {
    if (server->stopping) {
        (void)close(fd);
        return;
    }
    prepare(server);
    if ((!has_room(server) && !fx_http_connection_evict(server)) ||
        !fx_http_connection_accept(server, fd)) {
        refuse_socket(server, fd);
    }
}

bool fx_http_server_is_overloaded(const struct fx_http_server *server) {
    return fx_handshakes_n_waiting(&server->handshakes) >= MAX_HANDSHAKES;
}

/* ---- the listener ---- */

static bool is_overloaded(void *user) {
    const struct fx_http_server *server = fx_checked(user, SERVER_MAGIC);
    return fx_http_server_is_overloaded(server) ||
           (server->options.is_overloaded != NULL &&
            server->options.is_overloaded(server->options.user));
}

static bool make_room(void *user) {
    return fx_http_connection_evict(fx_checked(user, SERVER_MAGIC));
}

static void on_socket(int fd, void *user) {
    struct fx_http_server *server = fx_checked(user, SERVER_MAGIC);
    if (server->options.on_socket == NULL) {
        fx_http_server_adopt(server, fd);
        return;
    }
    server->counts.accepted++;
    server->options.on_socket(fd, server->options.user);
}

static void on_listener_closed(void *user) {
    struct fx_http_server *server = fx_checked(user, SERVER_MAGIC);
    server->listens = false;
    fx_http_server_finish_stop(server);
}

static const struct fx_listener_events listener_events = {
    .is_overloaded = is_overloaded,
    .make_room = make_room,
    .on_socket = on_socket,
    .on_closed = on_listener_closed,
};

bool fx_http_server_listen(struct fx_http_server *server, const char *address,
                           struct fx_err *err) {
    assert(!server->listens && !server->stopping);
    struct fx_address parsed;
    if (!fx_address_parse(address, &parsed, err)) {
        return false;
    }
    if (!fx_listener_open(&server->listener, server->loop, &parsed, err)) {
        return fx_err_prefix(err, "listening on `%.200s`: ", address);
    }
    prepare(server);
    server->listens = true;
    fx_listener_set_events(&server->listener, &listener_events, server);
    return true;
}

struct fx_http_server *fx_http_server_open(uv_loop_t *loop,
                                           const struct fx_http_server_options *options,
                                           const char *address, struct fx_err *err) {
    struct fx_http_server *server = fx_http_server_create(loop, options, err);
    if (server != NULL && !fx_http_server_listen(server, address, err)) {
        fx_http_server_destroy(server);
        return NULL;
    }
    return server;
}

void fx_http_server_print_address(const struct fx_http_server *server,
                                  const char *address, struct fx_buf *text) {
    const char *colon = strrchr(address, ':');
    fx_buf_add(text, address, colon == NULL ? 0 : (size_t)(colon - address));
    fx_buf_printf(text, ":%u", (unsigned)fx_http_server_port(server));
}

uint16_t fx_http_server_port(const struct fx_http_server *server) {
    return !server->listens || server->stopping ? 0 : fx_listener_port(&server->listener);
}

void fx_http_server_set_tls(struct fx_http_server *server, struct fx_tls_config *tls) {
    struct fx_tls_config *before = server->tls;
    server->tls = tls == NULL ? NULL : fx_tls_config_ref(tls);
    fx_tls_config_unref(before);
}

struct fx_http_server_counts fx_http_server_counts(const struct fx_http_server *server) {
    return server->counts;
}

/* ---- draining and stopping ---- */

void fx_http_server_drain(struct fx_http_server *server) {
    server->draining = true;
}

/* The last step of a stop: there are no tasks or writes. */
static void on_helper_closed(void *user) {
    struct fx_http_server *server = fx_checked(user, SERVER_MAGIC);
    const bool orphaned = server->orphaned;
    server->n_helpers--;
    if (server->n_helpers > 0) {
        return;
    }
    if (server->on_stopped != NULL) {
        server->on_stopped(server->stopped_user); /* may destroy the server */
    }
    if (orphaned) {
        free_server(server);
    }
}

void fx_http_server_finish_stop(struct fx_http_server *server) {
    if (server->stopping && !server->listens && server->counts.connections == 0 &&
        !server->is_closing_helpers) {
        server->is_closing_helpers = true;
        fx_handshakes_close(&server->handshakes, on_helper_closed, server);
        fx_loop_tasks_close(&server->others, on_helper_closed, server);
        fx_write_batch_close(&server->batch, on_helper_closed, server);
    }
}

static void stop_all(const struct fx_http_connection_list *list) {
    for (struct fx_list_link *at = list->queue.first; at != NULL;) {
        struct fx_list_link *next = at->next;
        fx_http_connection_stop(
            fx_http_exchange_of(at)); /* frees nothing within this iteration */
        at = next;
    }
}

void fx_http_server_stop(struct fx_http_server *server, void (*on_stopped)(void *user),
                         void *user) {
    assert(!server->stopping);
    prepare(server);
    if (server->listens) {
        fx_listener_close(&server->listener);
    }
    server->stopping = true;
    server->on_stopped = on_stopped;
    server->stopped_user = user;
    stop_all(&server->handshaking);
    stop_all(&server->open);
    fx_http_server_finish_stop(server);
}
