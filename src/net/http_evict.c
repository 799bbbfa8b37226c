/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_room.c - who goes when there are too many connections.
 *
 * A server that is full of strangers' idle connections must not refuse those who have
 * something to say. So the newcomer is let in, and one goes: of those that shake hands
 * the oldest, where they are more than half of all (a crowd that only connects, or says
 * one byte, pushes itself out); one that has got its last answer and only waits for the
 * client's goodbye; else the one that got its last answer, or was let in, the longest ago
 * (RFC 9112 section 9.5 lets a server close an idle connection at any time). None goes
 * that waits for an answer; a request that is not whole yet does not count.
 */
#include "base/heap.h"
#include "net/http_connection.h"

#define CROWD 64 /* connections that take memory enough to be given back, 35 KiB each */

/* The allocator keeps what was freed, to the last page. So whenever a crowd has become
 * half as large, it is asked to let go: a few times for each crowd, never in quiet. */
void fx_http_connection_count(struct fx_http_server *server, int change) {
    size_t *now = &server->counts.connections;
    *now = change > 0 ? *now + 1 : *now - 1;
    if (*now > server->most) {
        server->most = *now;
    } else if (server->most >= CROWD && *now <= server->most / 2) {
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

static void put_first(struct fx_http_exchange *exchange,
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
        put_first(exchange, list);
    }
}

static bool may_go(const struct fx_http_exchange *exchange) {
    return exchange->phase == FX_HTTP_READING && !exchange->running &&
           exchange->input.len == 0;
}

static struct fx_http_exchange *least_missed(const struct fx_http_server *server) {
    const size_t all = server->shaking.n + server->open.n + server->leaving.n;
    if (server->shaking.n > all / 2) {
        return server->shaking.last;
    }
    if (server->leaving.n > 0) {
        return server->leaving.last;
    }
    struct fx_http_exchange *at = server->open.last;
    while (at != NULL && !may_go(at)) {
        at = at->previous;
    }
    return at;
}

bool fx_http_connection_evict(struct fx_http_server *server) {
    struct fx_http_exchange *exchange = least_missed(server);
    if (exchange == NULL) {
        return false;
    }
    server->counts.dropped++;
    fx_http_connection_close(exchange);
    return true;
}
