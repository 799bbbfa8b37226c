/* SPDX-License-Identifier: Apache-2.0
 *
 * server/thread.h - a thread that serves: a loop with the connections it was given, their
 * reviews, and its own connections to providers. What it shares with the others is
 * immutable or counted (policies, options), its own copy (the certificate), or asked of
 * the main thread by message (server/message_queue.h): no review waits for a lock.
 *
 * The main thread accepts, watches the sources and answers health and metrics, but serves
 * no review: however much there is to do, the system gives it its turn.
 */
#ifndef FX_SERVER_THREAD_H
#define FX_SERVER_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/activity.h"
#include "net/http_server.h"
#include "server/external_calls.h"
#include "server/message_queue.h"
#include "server/shed.h"
#include "server/skip_log.h"
#include "server/watchdog.h"

struct fx_server;
struct fx_tls_config;

#define FX_THREAD_NAME   sizeof "thread 4294967295"
#define FX_THREAD_COUNTS (sizeof(struct fx_http_server_counts) / sizeof(uint64_t))

struct fx_thread {
    struct fx_server *server; /* what all share */
    unsigned number;          /* from 0 */

    /* Its own. */
    uv_loop_t loop;
    struct fx_http_server *webhook;
    struct fx_external_client *external;
    struct fx_shed shed;
    struct fx_skip_log skip_log;
    uv_prepare_t teller; /* tells how it stands before each sleep */

    /* For the watchdog: how it is called, what it does, whether it still turns. */
    char name[FX_THREAD_NAME];
    struct fx_activity activity;
    struct fx_watched_loop watched;

    /* From the main thread to it. */
    struct fx_message_queue queue;
    struct fx_message look, certificate, stop;
    _Atomic(struct fx_tls_config *) next_tls; /* counted; NULL: taken */

    /* From it to the main thread. */
    atomic_uint_least64_t counts[FX_THREAD_COUNTS]; /* struct fx_http_server_counts */
    atomic_size_t n_taken; /* connections, of those it was given */
    struct fx_message ended;

    /* The main thread's. */
    uv_thread_t id;
    size_t n_given; /* connections */
    uint64_t given_at;
    void (*on_ended)(struct fx_thread *thread);
};

/* Starts it, with a certificate of its own (a reference is taken). `thread` is zeroed but
 * for its activity, `server` as far as threads use it, its queue above all, is there.
 * On failure nothing is left of it. Errors: FX_EIO (no descriptor, no thread), FX_ENOMEM.
 */
bool fx_thread_start(struct fx_thread *thread, struct fx_server *server, unsigned number,
                     struct fx_tls_config *tls, struct fx_err *err) FX_MUST_USE;

/* ---- by the main thread, of one that runs ---- */

/* Serves this socket from now on; it is closed where there is no memory. */
void fx_thread_add_connection(struct fx_thread *thread, int fd);

/* Connections from now on are shown this certificate, the thread's alone. */
void fx_thread_set_tls(struct fx_thread *thread, struct fx_tls_config *config);

/* Others than before are in force: those of before are not needed any more. */
void fx_thread_refresh_policies(struct fx_thread *thread);

/* As fx_http_server_drain() and fx_http_server_stop(). When everything is answered and
 * the thread has ended, `on_ended` is called on the main loop. At most once each. */
void fx_thread_drain(struct fx_thread *thread);
void fx_thread_stop(struct fx_thread *thread, void (*on_ended)(struct fx_thread *thread));

/* How it stands, as it told before it slept last. */
struct fx_http_server_counts fx_thread_counts(const struct fx_thread *thread);

/* Requests under way, the one that it is at now included. Any thread. */
size_t fx_thread_requests(struct fx_thread *thread);

/* Its connections, those on their way to it included. */
size_t fx_thread_connections(const struct fx_thread *thread);

bool fx_thread_is_overloaded(const struct fx_thread *thread);

#endif
