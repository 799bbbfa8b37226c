/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_evict.c - which connection is closed when there are too many.
 *
 * A server that is full of idle connections must not refuse clients with requests. So a
 * new connection is accepted, and another one is closed: the oldest one in its handshake,
 * if these are more than half of all (so clients that only connect evict each other); or
 * one that only waits for the client to close; or the one whose last response, or
 * handshake, is the oldest (RFC 9112 section 9.5 allows a server to close idle
 * connections at any time). No connection is closed that waits for a response; an
 * incomplete request does not count.
 */
#include "base/heap.h"
#include "net/http_connection.h"

#define MANY 64 /* connections whose memory is worth returning, 35 KiB each */

/* The allocator keeps freed memory. So it is trimmed whenever the number of connections
 * has halved: only after many connections, and only a few times. */
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

static void unlink_connection(struct fx_http_exchange *exchange) {
    struct fx_http_connection_list *list = exchange->list;
    *(exchange->previous == NULL ? &list->first : &exchange->previous->next) =
        exchange->next;
    *(exchange->next == NULL ? &list->last : &exchange->next->previous) =
        exchange->previous;
    list->n--;
}

static void prepend(struct fx_http_exchange *exchange,
                    struct fx_http_connection_list *list) {
    exchange->previous = NULL;
    exchange->next = list->first;
    *(list->first == NULL ? &list->last : &list->first->previous) = exchange;
    list->first = exchange;
    list->n++;
}

void fx_http_connection_move(struct fx_http_exchange *exchange,
                             struct fx_http_connection_list *list) {
    if (exchange->list != NULL) {
        unlink_connection(exchange);
    }
    exchange->list = list;
    if (list != NULL) {
        prepend(exchange, list);
    }
}

static bool may_evict(const struct fx_http_exchange *exchange) {
    return exchange->phase == FX_HTTP_READING && !exchange->running &&
           exchange->input.len == 0;
}

static struct fx_http_exchange *find_victim(const struct fx_http_server *server) {
    const size_t all = server->handshaking.n + server->open.n + server->leaving.n;
    if (server->handshaking.n > all / 2) {
        return server->handshaking.last;
    }
    if (server->leaving.n > 0) {
        return server->leaving.last;
    }
    struct fx_http_exchange *at = server->open.last;
    while (at != NULL && !may_evict(at)) {
        at = at->previous;
    }
    return at;
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
