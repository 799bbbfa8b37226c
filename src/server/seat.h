/* SPDX-License-Identifier: Apache-2.0
 *
 * server/seat.h - the policies as one thread sees them. The main thread offers others
 * when there are some; the thread takes them when it begins its next review, and not in
 * the middle of one.
 */
#ifndef FX_SERVER_SEAT_H
#define FX_SERVER_SEAT_H

#include <stdatomic.h>
#include <stdbool.h>

#include <uv.h>

#include "base/macros.h"
#include "policy/policies.h"
#include "server/tally.h"

struct fx_seat {
    /* The thread's: counted; NULL before the first. */
    struct fx_policies *policies;
    struct fx_tally *tally; /* borrowed */
    /* Offered, and not yet taken. */
    atomic_bool is_offered;
    uv_mutex_t lock;
    struct fx_policies *next;    /* counted */
    struct fx_tally *next_tally; /* NULL: that of before goes on */
};

/* With a tally for what is counted before the first offer. False where the system has no
 * room for a lock. */
bool fx_seat_init(struct fx_seat *seat, struct fx_tally *tally) FX_MUST_USE;
void fx_seat_finish(struct fx_seat *seat); /* when nobody uses it any more */

/* On the main thread: from now on these, of which a reference is taken. The tally lives
 * until it is left; NULL, without memory for another: that of before goes on, by ids. */
void fx_seat_offer(struct fx_seat *seat, struct fx_policies *policies,
                   struct fx_tally *tally);

/* On the seat's own thread: takes what is offered, and leaves the tally of before. Costs
 * nothing where nothing is. */
void fx_seat_look(struct fx_seat *seat);

#endif
