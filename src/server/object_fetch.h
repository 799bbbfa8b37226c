/* SPDX-License-Identifier: Apache-2.0
 *
 * server/object_fetch.h - a thread's question for an object that a review needs and
 * nobody here has, which the main thread takes to the API server.
 */
#ifndef FX_SERVER_OBJECT_FETCH_H
#define FX_SERVER_OBJECT_FETCH_H

#include <stdint.h>

#include <jansson.h>

#include "admission/review.h"
#include "base/err.h"
#include "server/message_queue.h"

struct fx_thread;

/* Written by the asker but for the last three; stands still until it is answered. */
struct fx_object_fetch {
    struct fx_thread *thread;
    struct fx_reference reference; /* its text is borrowed */
    uint64_t deadline_ns;
    /* On the asker's loop, later: the object, to be taken over, or why there is none
     * (cluster/fetches.h). */
    void (*on_done)(json_t *object_take, const struct fx_err *failure, void *user);
    void *user;
    struct fx_message message; /* there, and back */
    json_t *object;
    struct fx_err failure;
};

/* Asks. It is always answered, before the thread can end. */
void fx_object_fetch(struct fx_object_fetch *ask);

#endif
