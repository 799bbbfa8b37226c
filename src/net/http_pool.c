/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_pool.c - a list of idle connections, newest first. It is short, so it is
 * searched linearly.
 */
#include "net/http_client.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "net/http_client_connection.h"
#include "net/tls.h"

#define CONNECTION_MAGIC 0x6678686cu /* "fxhl" */

struct fx_http_pool {
    uv_loop_t *loop;
    struct fx_http_pool_options limits;
    struct fx_queue idle; /* newest first */
    size_t n_idle;
    size_t refs; /* of the owner, of connections, and of calls */
    bool closed;
    struct fx_stream_scratch scratch;
};

/* ---- one connection ---- */

struct fx_client_connection *
fx_client_connection_create(uv_loop_t *loop, const struct fx_http_target *target,
                            struct fx_stream_scratch *scratch, struct fx_http_pool *pool,
                            struct fx_err *err) {
    const size_t host_bytes = strlen(target->host) + 1;
    struct fx_client_connection *connection = calloc(1, sizeof *connection + host_bytes);
    if (connection == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    if (!fx_stream_init(&connection->stream, loop, target->tls, scratch,
                        FX_LIMIT_WRITE_MS, err)) {
        free(connection);
        return NULL;
    }
    connection->magic = CONNECTION_MAGIC;
    connection->pool = pool == NULL ? NULL : fx_http_pool_ref(pool);
    connection->made_at = uv_now(loop);
    connection->tls = target->tls == NULL ? NULL : fx_tls_config_ref(target->tls);
    connection->port = target->port;
    memcpy(connection->host, target->host, host_bytes);
    return connection;
}

void fx_client_connection_destroy(struct fx_client_connection *connection) {
    assert(!connection->idle);
    fx_tls_config_unref(connection->tls);
    fx_http_pool_unref(connection->pool);
    connection->magic = 0;
    free(connection);
}

static bool has_target(const struct fx_client_connection *connection,
                       const struct fx_http_target *target) {
    return connection->tls == target->tls && connection->port == target->port &&
           strcmp(connection->host, target->host) == 0;
}

/* ---- the list ---- */

static struct fx_client_connection *linked(struct fx_list_link *link) {
    return (void *)((char *)link - offsetof(struct fx_client_connection, link));
}

/* Removes it from the list. A second call does nothing. */
static void unlink_connection(struct fx_client_connection *connection) {
    if (connection->idle) {
        fx_queue_remove(&connection->pool->idle, &connection->link);
        connection->idle = false;
        connection->pool->n_idle--;
    }
}

/* Closes an idle connection. After close_notify there is nothing to wait for (RFC 8446
 * section 6.1). */
static void close_idle(struct fx_client_connection *connection) {
    unlink_connection(connection);
    fx_stream_shutdown(&connection->stream);
    fx_stream_close(&connection->stream);
}

/* ---- callbacks of idle connections ---- */

static void on_bytes(void *user, struct fx_text bytes) {
    (void)bytes;
    close_idle(fx_checked(user, CONNECTION_MAGIC));
}

static void on_end_or_late(void *user) {
    close_idle(fx_checked(user, CONNECTION_MAGIC));
}

static void on_error(void *user, const struct fx_err *failure) {
    (void)failure;
    unlink_connection(fx_checked(user, CONNECTION_MAGIC));
}

static void on_closed(void *user) {
    fx_client_connection_destroy(fx_checked(user, CONNECTION_MAGIC));
}

static const struct fx_stream_events idle_events = {
    .on_bytes = on_bytes,
    .on_end = on_end_or_late,
    .on_deadline = on_end_or_late,
    .on_error = on_error,
    .on_closed = on_closed,
};

/* ---- take and put ---- */

struct fx_stream_scratch *fx_http_pool_scratch(struct fx_http_pool *pool) {
    return &pool->scratch;
}

/* Is the connection open, without received bytes? Asks the kernel, because the loop may
 * not have run for some time. */
static bool is_usable(const struct fx_client_connection *connection) {
    return uv_now(connection->pool->loop) < connection->idle_until &&
           fx_stream_has_no_input(&connection->stream);
}

struct fx_client_connection *fx_http_pool_take(struct fx_http_pool *pool,
                                               const struct fx_http_target *target) {
    for (struct fx_list_link *older = NULL, *at = pool->idle.first; at != NULL;
         at = older) {
        struct fx_client_connection *connection = linked(at);
        older = at->next;
        if (!has_target(connection, target)) {
            continue;
        }
        if (is_usable(connection)) {
            unlink_connection(connection);
            fx_stream_set_deadline(&connection->stream, 0);
            return connection;
        }
        close_idle(connection);
    }
    return NULL;
}

/* Closes the oldest connection to the target; `target` is NULL for the oldest of all. */
static void close_oldest(struct fx_http_pool *pool, const struct fx_http_target *target) {
    struct fx_list_link *at = pool->idle.last;
    while (target != NULL && !has_target(linked(at), target)) {
        at = at->previous;
    }
    close_idle(linked(at));
}

static size_t count_idle(const struct fx_http_pool *pool,
                         const struct fx_http_target *target) {
    size_t n = 0;
    for (struct fx_list_link *at = pool->idle.first; at != NULL; at = at->next) {
        n += has_target(linked(at), target) ? 1 : 0;
    }
    return n;
}

void fx_http_pool_put(struct fx_client_connection *connection) {
    struct fx_http_pool *pool = connection->pool;
    const struct fx_http_target target = {connection->host, connection->port,
                                          connection->tls};
    const uint64_t now = uv_now(pool->loop);
    fx_stream_set_events(&connection->stream, &idle_events, connection);
    if (pool->closed || now - connection->made_at >= pool->limits.age_ms) {
        close_idle(connection);
        return;
    }
    connection->idle = true;
    fx_queue_prepend(&pool->idle, &connection->link);
    pool->n_idle++;
    connection->idle_until = now + pool->limits.idle_ms;
    fx_stream_set_deadline(&connection->stream, pool->limits.idle_ms);
    if (count_idle(pool, &target) > pool->limits.max_idle_per_target) {
        close_oldest(pool, &target);
    }
    if (pool->n_idle > pool->limits.max_idle) {
        close_oldest(pool, NULL);
    }
}

/* ---- the pool ---- */

static struct fx_http_pool_options with_defaults(struct fx_http_pool_options given) {
    return (struct fx_http_pool_options){
        .max_idle = given.max_idle == 0 ? FX_LIMIT_POOL_IDLE : given.max_idle,
        .max_idle_per_target = given.max_idle_per_target == 0 ? FX_LIMIT_POOL_IDLE_TARGET
                                                              : given.max_idle_per_target,
        .idle_ms = given.idle_ms == 0 ? FX_LIMIT_POOL_IDLE_MS : given.idle_ms,
        .age_ms = given.age_ms == 0 ? FX_LIMIT_POOL_AGE_MS : given.age_ms,
    };
}

struct fx_http_pool *fx_http_pool_create(uv_loop_t *loop,
                                         const struct fx_http_pool_options *options,
                                         struct fx_err *err) {
    struct fx_http_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    pool->loop = loop;
    pool->limits =
        with_defaults(options == NULL ? (struct fx_http_pool_options){0} : *options);
    pool->refs = 1;
    fx_buf_init_secret(&pool->scratch.plain, 0);
    return pool;
}

struct fx_http_pool *fx_http_pool_ref(struct fx_http_pool *pool) {
    pool->refs++;
    return pool;
}

void fx_http_pool_unref(struct fx_http_pool *pool) {
    if (pool == NULL || --pool->refs > 0) {
        return;
    }
    assert(pool->closed && pool->idle.first == NULL);
    fx_stream_scratch_finish(&pool->scratch);
    free(pool);
}

void fx_http_pool_close(struct fx_http_pool *pool) {
    if (pool == NULL) {
        return;
    }
    pool->closed = true;
    while (pool->idle.first != NULL) {
        close_idle(linked(pool->idle.first));
    }
    fx_http_pool_unref(pool);
}
