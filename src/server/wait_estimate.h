/* SPDX-License-Identifier: Apache-2.0
 *
 * server/wait_estimate.h - how long a request has waited for its turn. Pure: fed with
 * times.
 *
 * Requests queue where nobody sees them: in their sockets, which the system keeps in a
 * list of those that are ready. A loop takes them off its front, a batch a turn, and who
 * is ready again goes to its end. So as soon as somebody has waited a moment, a marker is
 * sent the same way: whoever is met before it comes back was ready before it, or close to
 * it, and has waited since the estimate began. A turn would not do: of a list that is
 * longer than a batch it sees the first part alone, and takes its wait for the whole.
 */
#ifndef FX_SERVER_WAIT_ESTIMATE_H
#define FX_SERVER_WAIT_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

/* Zeroed: nobody has waited. Times are those of base/clock.h. */
struct fx_wait_estimate {
    uint64_t since_ns; /* who is met now became ready after this */
    bool marked;       /* a marker is on its way */
};

/* What the request that is met at `now_ns`, in the turn that began at `turn_ns`, has
 * waited since it was ready. */
uint64_t fx_wait_estimate_get(struct fx_wait_estimate *estimate, uint64_t turn_ns,
                              uint64_t now_ns);

/* True where a marker is to be sent now, since somebody has waited `moment_ns` and none
 * is on its way. Of a longer wait only the moment counts from then on: it went by in one
 * piece, by one long review, or while the system ran others, and was no queue. */
bool fx_wait_estimate_needs_marker(struct fx_wait_estimate *estimate, uint64_t now_ns,
                                   uint64_t moment_ns) FX_MUST_USE;

/* The marker is back. */
void fx_wait_estimate_end_round(struct fx_wait_estimate *estimate, uint64_t now_ns);

#endif
