/* SPDX-License-Identifier: Apache-2.0
 *
 * server/shed.h - who is turned away while there is more to do than can be done.
 *
 * Past capacity a queue that is served in order makes everybody late, and an answer that
 * comes late is work for nothing. So a request that has waited longer than a bound is
 * answered 503 with `Retry-After` before its body is read, which costs a fraction of a
 * review: the bound is what each estimate (server/wait_estimate.h) has for reviews, the
 * rest of it is turned away. Below the bound nobody is, however long the queue: the API
 * server does not ask again, and a review that comes within its time is better than none.
 *
 * Reviews that wait for outside data are bounded, too, by number and by memory.
 * One for each loop that serves reviews, on that loop's thread.
 */
#ifndef FX_SERVER_SHED_H
#define FX_SERVER_SHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/macros.h"
#include "server/wait_estimate.h"

struct fx_http_exchange;
struct fx_metrics;

/* Why a request is turned away, as the metric tells it. */
#define FX_SHED_REASONS(X) \
    X(LATE, "late")        \
    X(CROWD, "crowd")

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
    size_t n_waiting, waiting_bytes; /* reviews that wait, and their requests' bytes */
    uint64_t told_ns, n_untold;      /* the log */
    bool closed;
};

/* `after_ms` 0: the limit of base/limits.h. False where the loop has no room. */
bool fx_shed_init(struct fx_shed *shed, uv_loop_t *loop, uint64_t after_ms) FX_MUST_USE;

/* Before the loop ends. Zeroed ones, and twice, are fine. */
void fx_shed_close(struct fx_shed *shed);

/* Has the request met now waited for too long, if it may take `budget_ns` in all? */
bool fx_shed_is_late(struct fx_shed *shed, uint64_t budget_ns) FX_MUST_USE;

/* A review, of a request of so many bytes, is about to wait for others; false where too
 * many do. Then the end of its wait. */
bool fx_shed_begin_wait(struct fx_shed *shed, size_t bytes) FX_MUST_USE;
void fx_shed_end_wait(struct fx_shed *shed, size_t bytes);

/* Counts and tells, and answers 503. */
void fx_shed_reject(struct fx_shed *shed, struct fx_metrics *metrics,
                    struct fx_http_exchange *exchange, enum fx_shed_reason reason);

#endif
