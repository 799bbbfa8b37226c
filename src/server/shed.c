/* SPDX-License-Identifier: Apache-2.0
 *
 * server/shed.c - the marker on the loop, the bounds, and what is said.
 */
#include "server/shed.h"

#include <assert.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "server/metrics.h"
#include "server/respond.h"

#define NS_IN_MS      UINT64_C(1000000)
#define MOMENTS       16                 /* of the bound: so early a marker is sent */
#define TELL_EVERY_NS (10000 * NS_IN_MS) /* one line in the log */

#define SHED_MAGIC 0x66787364u /* "fxsd" */

static struct fx_shed *shed_of(void *data) {
    struct fx_shed *shed = data;
    assert(shed != NULL && shed->magic == SHED_MAGIC);
    return shed;
}

/* ---- who is late ---- */

static void on_marker(uv_async_t *marker) {
    struct fx_shed *shed = shed_of(marker->data);
    fx_wait_estimate_end_round(&shed->estimate, fx_clock_ns());
}

bool fx_shed_init(struct fx_shed *shed, uv_loop_t *loop, uint64_t after_ms) {
    *shed = (struct fx_shed){.magic = SHED_MAGIC};
    shed->after_ns = (after_ms == 0 ? FX_LIMIT_SHED_MS : after_ms) * NS_IN_MS;
    shed->marker.data = shed;
    return uv_async_init(loop, &shed->marker, on_marker) == 0;
}

void fx_shed_close(struct fx_shed *shed) {
    if (shed->magic == SHED_MAGIC && !shed->closed) {
        shed->closed = true;
        uv_close((uv_handle_t *)&shed->marker, NULL);
    }
}

/* Half of what a request may take is left for its review, and for what the estimate
 * before took longer than its bound. */
static uint64_t bound_ns(const struct fx_shed *shed, uint64_t budget_ns) {
    return budget_ns / 2 < shed->after_ns ? budget_ns / 2 : shed->after_ns;
}

/* Whoever finds that a marker is due is served, whatever his wait. */
bool fx_shed_is_late(struct fx_shed *shed, uint64_t budget_ns) {
    const uint64_t turn_ns = uv_now(shed->marker.loop) * NS_IN_MS;
    const uint64_t now_ns = fx_clock_ns();
    const uint64_t waited_ns = fx_wait_estimate_get(&shed->estimate, turn_ns, now_ns);
    if (!shed->closed && fx_wait_estimate_needs_marker(&shed->estimate, now_ns,
                                                       shed->after_ns / MOMENTS)) {
        (void)uv_async_send(&shed->marker); /* fails for no handle that is open */
        return false;
    }
    return waited_ns > bound_ns(shed, budget_ns);
}

/* ---- who waits ---- */

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

/* ---- what is said ---- */

/* Under overload the log must not be what is written. */
static void tell(struct fx_shed *shed, enum fx_shed_reason reason) {
    static const char *const words[] = {
#define X(name, text) [FX_SHED_##name] = text,
        FX_SHED_REASONS(X)
#undef X
    };
    const uint64_t now_ns = fx_clock_ns();
    shed->n_untold++;
    if (shed->told_ns != 0 && now_ns - shed->told_ns < TELL_EVERY_NS) {
        return;
    }
    fx_log(WARN, "overloaded: requests turned away", fx_log_str("reason", words[reason]),
           fx_log_int("count", (int64_t)shed->n_untold),
           fx_log_int("waiting", (int64_t)shed->n_waiting));
    shed->told_ns = now_ns;
    shed->n_untold = 0;
}

void fx_shed_reject(struct fx_shed *shed, struct fx_metrics *metrics,
                    struct fx_http_exchange *exchange, enum fx_shed_reason reason) {
    fx_metrics_count(metrics, FX_METRIC_SHED, (unsigned)reason);
    tell(shed, reason);
    fx_respond_overloaded(exchange);
}
