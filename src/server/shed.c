/* SPDX-License-Identifier: Apache-2.0
 *
 * server/shed.c - the marker on the loop, the limits, and the responses to rejected
 * requests.
 */
#include "server/shed.h"

#include <assert.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "server/metrics.h"
#include "server/respond.h"

#define NS_IN_MS        UINT64_C(1000000)
#define MARKER_FRACTION 16 /* a marker is sent after this fraction of the limit */
#define LOG_INTERVAL_NS (10000 * NS_IN_MS) /* between two log lines */

#define SHED_MAGIC 0x66787364u /* "fxsd" */

/* ---- the estimate of the wait ---- */

static uint64_t elapsed(const struct fx_wait_estimate *estimate, uint64_t now_ns) {
    return now_ns > estimate->since_ns ? now_ns - estimate->since_ns : 0;
}

uint64_t fx_wait_estimate_get(struct fx_wait_estimate *estimate, uint64_t iteration_ns,
                              uint64_t now_ns) {
    if (!estimate->is_marked && iteration_ns > estimate->since_ns) {
        estimate->since_ns = iteration_ns;
    }
    return elapsed(estimate, now_ns);
}

bool fx_wait_estimate_needs_marker(struct fx_wait_estimate *estimate, uint64_t now_ns,
                                   uint64_t threshold_ns) {
    if (estimate->is_marked || elapsed(estimate, now_ns) < threshold_ns) {
        return false;
    }
    estimate->is_marked = true;
    estimate->since_ns = now_ns - threshold_ns;
    return true;
}

void fx_wait_estimate_end_round(struct fx_wait_estimate *estimate, uint64_t now_ns) {
    assert(estimate->is_marked);
    estimate->is_marked = false;
    estimate->since_ns = now_ns;
}

/* ---- late requests ---- */

static void on_marker(uv_async_t *marker) {
    struct fx_shed *shed = fx_checked(marker->data, SHED_MAGIC);
    fx_wait_estimate_end_round(&shed->estimate, fx_clock_ns());
}

bool fx_shed_init(struct fx_shed *shed, uv_loop_t *loop, uint64_t after_ms) {
    *shed = (struct fx_shed){.magic = SHED_MAGIC};
    shed->after_ns = (after_ms == 0 ? FX_LIMIT_SHED_MS : after_ms) * NS_IN_MS;
    shed->marker.data = shed;
    return uv_async_init(loop, &shed->marker, on_marker) == 0;
}

void fx_shed_close(struct fx_shed *shed) {
    if (shed->magic == SHED_MAGIC && !shed->is_closed) {
        shed->is_closed = true;
        uv_close((uv_handle_t *)&shed->marker, NULL);
    }
}

/* The limit of the wait. Half of the time that a request may take is left for its review
 * and for rounds that take longer than the limit. */
static uint64_t limit_ns(const struct fx_shed *shed, uint64_t budget_ns) {
    return budget_ns / 2 < shed->after_ns ? budget_ns / 2 : shed->after_ns;
}

/* The request for which a marker is sent is always served. */
bool fx_shed_is_late(struct fx_shed *shed, uint64_t budget_ns) {
    const uint64_t iteration_ns = uv_now(shed->marker.loop) * NS_IN_MS;
    const uint64_t now_ns = fx_clock_ns();
    const uint64_t waited_ns =
        fx_wait_estimate_get(&shed->estimate, iteration_ns, now_ns);
    if (!shed->is_closed &&
        fx_wait_estimate_needs_marker(&shed->estimate, now_ns,
                                      shed->after_ns / MARKER_FRACTION)) {
        (void)uv_async_send(&shed->marker); /* cannot fail while the handle is open */
        return false;
    }
    return waited_ns > limit_ns(shed, budget_ns);
}

/* ---- reviews that wait ---- */

bool fx_shed_begin_wait(struct fx_shed *shed, size_t bytes) {
    if (shed->n_waiting >= FX_LIMIT_WAITING_REVIEWS ||
        shed->waiting_bytes > FX_LIMIT_WAITING_BYTES) {
        return false;
    }
    shed->n_waiting++;
    shed->waiting_bytes += bytes;
    return true;
}

void fx_shed_end_wait(struct fx_shed *shed, size_t bytes) {
    assert(shed->n_waiting > 0 && shed->waiting_bytes >= bytes);
    shed->n_waiting--;
    shed->waiting_bytes -= bytes;
}

/* ---- rejecting ---- */

static void log_rejected(struct fx_shed *shed, enum fx_shed_reason reason) {
    static const char *const names[] = {FX_SHED_REASONS(FX_WORD)};
    uint64_t n_requests = 0;
    if (fx_log_throttle_allows(&shed->throttle, fx_clock_ns(), LOG_INTERVAL_NS,
                               &n_requests)) {
        fx_log(WARN, "overloaded: requests rejected", fx_log_str("reason", names[reason]),
               fx_log_int("count", (int64_t)n_requests),
               fx_log_int("waiting", (int64_t)shed->n_waiting));
    }
}

void fx_shed_reject(struct fx_shed *shed, struct fx_metrics *metrics,
                    struct fx_http_exchange *exchange, enum fx_shed_reason reason) {
    fx_metrics_count(metrics, FX_METRIC_SHED, (unsigned)reason);
    log_rejected(shed, reason);
    fx_respond_text(exchange, 503, FX_RETRY_AFTER, "too many requests at once");
}
