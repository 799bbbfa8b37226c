/* SPDX-License-Identifier: Apache-2.0
 *
 * server/triggers.h - the triggers of rules for existing objects, on their way from the
 * serving threads to the main thread, which runs the jobs (cluster/existing). Bounded: a
 * trigger for which there is no room is dropped and counted.
 */
#ifndef FX_SERVER_TRIGGERS_H
#define FX_SERVER_TRIGGERS_H

#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "admission/review.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/macros.h"
#include "server/message_queue.h"

struct fx_server;

struct fx_triggers {
    struct fx_server *server; /* NULL: not initialised */
    uv_mutex_t lock;
    struct fx_trigger *items[FX_LIMIT_EXISTING_POSTED]; /* counted */
    size_t n_items;
    uint64_t n_dropped;        /* since the main thread has looked */
    struct fx_message message; /* to the main thread: there are triggers */
};

/* Errors: FX_ENOMEM. */
bool fx_triggers_init(struct fx_triggers *triggers, struct fx_server *server,
                      struct fx_err *err) FX_MUST_USE;

/* Frees the triggers that are left; no other thread uses them any more. Zeroed is
 * fine. */
void fx_triggers_finish(struct fx_triggers *triggers);

/* Passes the trigger of an answered review on, if it has one. Any thread; never waits for
 * the main thread. */
void fx_triggers_post(struct fx_triggers *triggers, const struct fx_review *review);

#endif
