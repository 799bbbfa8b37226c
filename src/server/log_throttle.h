/* SPDX-License-Identifier: Apache-2.0
 *
 * server/log_throttle.h - at most one log line per interval for events that may repeat
 * without limit. Any thread may use the same throttle.
 */
#ifndef FX_SERVER_LOG_THROTTLE_H
#define FX_SERVER_LOG_THROTTLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Zeroed: no event yet. */
struct fx_log_throttle {
    _Atomic uint64_t logged_ns; /* time of the last line; 0: none */
    _Atomic uint64_t n_events;  /* since that line, not counting the line's own event */
};

/* Counts an event at the time `now_ns` (base/clock.h). True if a line may be logged for
 * it: then *ret_n_events is the number of events since the last line, this one included.
 */
static inline bool fx_log_throttle_allows(struct fx_log_throttle *throttle,
                                          uint64_t now_ns, uint64_t interval_ns,
                                          uint64_t *ret_n_events) {
    uint64_t last_ns = atomic_load(&throttle->logged_ns);
    atomic_fetch_add(&throttle->n_events, 1);
    if ((last_ns != 0 && now_ns - last_ns < interval_ns) ||
        !atomic_compare_exchange_strong(&throttle->logged_ns, &last_ns, now_ns)) {
        return false;
    }
    *ret_n_events = atomic_exchange(&throttle->n_events, 0);
    return true;
}

#endif
