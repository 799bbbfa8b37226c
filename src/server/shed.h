/* SPDX-License-Identifier: Apache-2.0
 *
 * server/shed.h - load shedding: rejects requests while there is more work than the
 * process can do. Each serving loop has one, used only on its thread.
 *
 * Above capacity a queue that is served in order makes every response late, and a
 * response that comes too late is wasted work. So a request that has waited longer than a
 * limit is answered 503 with `Retry-After` before its body is read, which costs a
 * fraction of a review. Below the limit nothing is rejected, however long the queue is,
 * because the API server does not repeat requests.
 *
 * Reviews that wait for external data are limited as well, in number and in memory.
 */
#ifndef FX_SERVER_SHED_H
#define FX_SERVER_SHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/macros.h"
#include "server/log_throttle.h"

struct fx_http_exchange;
struct fx_metrics;

/* ---- the estimate of the wait ---------------------------------------------------- */

/*
 * Requests queue in their sockets, which the kernel keeps in a list of ready descriptors
 * (epoll). A loop takes a batch from the front of the list in each iteration; a socket
 * that becomes ready again is appended. The kernel does not report how long a socket
 * has been ready, so it is estimated: once a request has waited for a while, a marker is
 * put at the end of the list. Until the marker comes back, every request that is taken
 * was ready at about the time the marker was sent, or earlier. (The iteration alone is
 * not enough: a list longer than one batch takes several.)
 */
struct fx_wait_estimate { /* zeroed at first. Pure: the caller gives the times */
    uint64_t since_ns;    /* requests that are taken now became ready after this time */
    bool is_marked;       /* a marker is in the list */
};

/* The wait of the request that is taken at `now_ns`, in the loop iteration that began at
 * `iteration_ns`. */
uint64_t fx_wait_estimate_get(struct fx_wait_estimate *estimate, uint64_t iteration_ns,
                              uint64_t now_ns);

/* Must a marker be sent now? True if a request has waited `threshold_ns` and no marker is
 * in the list. A longer wait then counts as only `threshold_ns`: its cause is one long
 * review or another process, and not a queue. */
bool fx_wait_estimate_needs_marker(struct fx_wait_estimate *estimate, uint64_t now_ns,
                                   uint64_t threshold_ns) FX_MUST_USE;

/* Called when the marker comes back. */
void fx_wait_estimate_end_round(struct fx_wait_estimate *estimate, uint64_t now_ns);

/* ---- rejecting ------------------------------------------------------------------- */

/* Why a request is rejected, as a label of the metric. */
#define FX_SHED_REASONS(X) \
    X(LATE, "late")        \
    X(WAITING, "too_many_waiting")

enum fx_shed_reason {
#define X(name, text) FX_SHED_##name,
    FX_SHED_REASONS(X)
#undef X
};

struct fx_shed {
    uint32_t magic;
    uv_async_t marker;
    struct fx_wait_estimate estimate;
    uint64_t after_ns;
    size_t n_waiting,
        waiting_bytes; /* reviews that wait, and the bytes of their requests */
    struct fx_log_throttle throttle;
    bool is_closed;
};

/* `after_ms`: the limit of the wait; 0: the default of base/limits.h. False if the loop
 * has no room for a handle. */
bool fx_shed_init(struct fx_shed *shed, uv_loop_t *loop, uint64_t after_ms) FX_MUST_USE;

/* Closes the handle; call it before the loop ends. Calling it twice, and zeroed memory,
 * are fine. */
void fx_shed_close(struct fx_shed *shed);

/* Has the request that is taken now waited too long? `budget_ns`: the time that it may
 * take in all. */
bool fx_shed_is_late(struct fx_shed *shed, uint64_t budget_ns) FX_MUST_USE;

/* Counts a review that begins to wait for external data, and the `bytes` of its request.
 * False if too many reviews wait. End the wait with fx_shed_end_wait(). */
bool fx_shed_begin_wait(struct fx_shed *shed, size_t bytes) FX_MUST_USE;
void fx_shed_end_wait(struct fx_shed *shed, size_t bytes);

/* Responds with 503, counts it and logs it (throttled). */
void fx_shed_reject(struct fx_shed *shed, struct fx_metrics *metrics,
                    struct fx_http_exchange *exchange, enum fx_shed_reason reason);

#endif
