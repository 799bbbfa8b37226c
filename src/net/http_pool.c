/* SPDX-License-Identifier: Apache-2.0
 *
 * net/http_pool.c - the list of idle connections, newest first. It is short: what is
 * looked for is looked for from its head.
 */
#include "net/http_pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "net/http_client_connection.h"
#include "net/tls.h"

#define CONNECTION_MAGIC 0x6678686cu /* "fxhl" */

struct fx_http_pool {
    uv_loop_t *loop;
    struct fx_http_pool_options limits;
    struct fx_client_connection *newest, *oldest;
    size_t n_idle;
    size_t refs; /* its owner, its links, the calls that may give one back */
    bool closed;
    struct fx_stream_scratch scratch;
};

/* ---- one link ---- */

static struct fx_client_connection *link_of(void *data) {
    struct fx_client_connection *link = data;
    assert(link != NULL && link->magic == CONNECTION_MAGIC);
    return link;
}

struct fx_client_connection *
fx_client_connection_create(uv_loop_t *loop, const struct fx_http_target *target,
                            struct fx_stream_scratch *scratch, struct fx_http_pool *pool,
                            struct fx_err *err) {
    const size_t host_bytes = strlen(target->host) + 1;
    struct fx_client_connection *link = calloc(1, sizeof *link + host_bytes);
    if (link == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    if (!fx_stream_init(&link->stream, loop, target->tls, scratch, FX_LIMIT_WRITE_MS,
                        err)) {
        free(link);
        return NULL;
    }
    link->magic = CONNECTION_MAGIC;
    link->pool = pool == NULL ? NULL : fx_http_pool_ref(pool);
    link->made_at = uv_now(loop);
    link->tls = target->tls == NULL ? NULL : fx_tls_config_ref(target->tls);
    link->port = target->port;
    memcpy(link->host, target->host, host_bytes);
    return link;
}

void fx_client_connection_destroy(struct fx_client_connection *link) {
    assert(!link->idle);
    fx_tls_config_unref(link->tls);
    fx_http_pool_unref(link->pool);
    link->magic = 0;
    free(link);
}

static bool leads_to(const struct fx_client_connection *link,
                     const struct fx_http_target *target) {
    return link->tls == target->tls && link->port == target->port &&
           strcmp(link->host, target->host) == 0;
}

/* ---- the list ---- */

static void insert(struct fx_http_pool *pool, struct fx_client_connection *link) {
    link->idle = true;
    link->newer = NULL;
    link->older = pool->newest;
    *(pool->newest == NULL ? &pool->oldest : &pool->newest->newer) = link;
    pool->newest = link;
    pool->n_idle++;
}

/* Twice is fine. */
static void unlink_connection(struct fx_client_connection *link) {
    struct fx_http_pool *pool = link->pool;
    if (!link->idle) {
        return;
    }
    *(link->newer == NULL ? &pool->newest : &link->newer->older) = link->older;
    *(link->older == NULL ? &pool->oldest : &link->older->newer) = link->newer;
    link->idle = false;
    pool->n_idle--;
}

/* Nothing is under way: after the goodbye there is nothing to wait for (RFC 8446 section
 * 6.1). */
static void part(struct fx_client_connection *link) {
    unlink_connection(link);
    fx_stream_shutdown(&link->stream);
    fx_stream_close(&link->stream);
}

/* ---- what happens to an idle one ---- */

static void on_nothing(void *user) {
    (void)user;
}

static void on_bytes(void *user, struct fx_text bytes) {
    (void)bytes;
    part(link_of(user));
}

static void on_end_or_late(void *user) {
    part(link_of(user));
}

static void on_error(void *user, const struct fx_err *failure) {
    (void)failure;
    unlink_connection(link_of(user));
}

static void on_closed(void *user) {
    fx_client_connection_destroy(link_of(user));
}

static const struct fx_stream_events idle_events = {
    .on_open = on_nothing,
    .on_bytes = on_bytes,
    .on_end = on_end_or_late,
    .on_drained = on_nothing,
    .on_deadline = on_end_or_late,
    .on_error = on_error,
    .on_closed = on_closed,
};

/* ---- taking and giving ---- */

struct fx_stream_scratch *fx_http_pool_scratch(struct fx_http_pool *pool) {
    return &pool->scratch;
}

/* The system may know what the loop has not told yet, where it did not run for a while:
 * that the link has ended, or that the next answer is there before it was asked for. */
static bool is_usable(const struct fx_client_connection *link) {
    return uv_now(link->pool->loop) < link->idle_until &&
           fx_stream_has_no_input(&link->stream);
}

struct fx_client_connection *fx_http_pool_take(struct fx_http_pool *pool,
                                               const struct fx_http_target *target) {
    struct fx_client_connection *older = NULL;
    for (struct fx_client_connection *link = pool->newest; link != NULL; link = older) {
        older = link->older;
        if (!leads_to(link, target)) {
            continue;
        }
        if (is_usable(link)) {
            unlink_connection(link);
            fx_stream_set_deadline(&link->stream, 0);
            return link;
        }
        part(link);
    }
    return NULL;
}

/* Makes room: the oldest goes, of those that lead to the target (NULL: of all). */
static void part_oldest(struct fx_http_pool *pool, const struct fx_http_target *target) {
    struct fx_client_connection *link = pool->oldest;
    while (target != NULL && !leads_to(link, target)) {
        link = link->newer;
    }
    part(link);
}

static size_t count(const struct fx_http_pool *pool,
                    const struct fx_http_target *target) {
    size_t n = 0;
    for (const struct fx_client_connection *link = pool->newest; link != NULL;
         link = link->older) {
        n += leads_to(link, target) ? 1 : 0;
    }
    return n;
}

void fx_http_pool_put(struct fx_client_connection *link) {
    struct fx_http_pool *pool = link->pool;
    const struct fx_http_target target = {link->host, link->port, link->tls};
    const uint64_t now = uv_now(pool->loop);
    fx_stream_set_events(&link->stream, &idle_events, link);
    if (pool->closed || now - link->made_at >= pool->limits.age_ms) {
        part(link);
        return;
    }
    insert(pool, link);
    link->idle_until = now + pool->limits.idle_ms;
    fx_stream_set_deadline(&link->stream, pool->limits.idle_ms);
    if (count(pool, &target) > pool->limits.max_idle_per_target) {
        part_oldest(pool, &target);
    }
    if (pool->n_idle > pool->limits.max_idle) {
        part_oldest(pool, NULL);
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
    assert(pool->closed && pool->newest == NULL);
    fx_stream_scratch_finish(&pool->scratch);
    free(pool);
}

void fx_http_pool_close(struct fx_http_pool *pool) {
    if (pool == NULL) {
        return;
    }
    pool->closed = true;
    while (pool->newest != NULL) {
        part(pool->newest);
    }
    fx_http_pool_unref(pool);
}
