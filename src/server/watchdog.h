/* SPDX-License-Identifier: Apache-2.0
 *
 * server/watchdog.h - a thread of its own that sees to two things, whatever becomes of
 * all other threads: a loop that does not turn any more is noticed (server/stalls.h), and
 * the process ends within its time after SIGTERM.
 *
 * Each loop that is watched is called by a message now and then; the message that is not
 * opened is a job under way (base/jobs.h).
 */
#ifndef FX_SERVER_WATCHDOG_H
#define FX_SERVER_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/jobs.h"
#include "base/macros.h"
#include "server/message_queue.h"

struct fx_watchdog; /* opaque */

struct fx_watchdog_options {
    uint64_t stall_ms; /* 0: stalls are not looked for */
    uint64_t drain_ms; /* between the signal and the end of listening, */
    uint64_t grace_ms; /* and from there to the end in any case */
    int left_status;   /* the exit status where something was left unanswered */
    /* How many requests are under way; called by the watchdog's thread. */
    size_t (*count_requests)(void *user);
    void *user;
};

/* A loop that is watched. Zeroed but for the job's `describe` and `user`. */
struct fx_watched_loop {
    struct fx_job job;
    struct fx_message message;
    struct fx_message_queue *queue;
    void (*on_task)(void *user); /* called by the loop at each call; or NULL */
    void *user;
    struct fx_watched_loop *next, **place;
};

/* Starts the thread. NULL on failure: FX_EIO (no thread, no descriptor), FX_ENOMEM. */
struct fx_watchdog *fx_watchdog_create(const struct fx_watchdog_options *options,
                                       struct fx_err *err) FX_MUST_USE;

/* Ends the thread and waits for it. NULL is fine. */
void fx_watchdog_destroy(struct fx_watchdog *watchdog);

/* Watches the loop of this queue under this name, until it is removed, which has to be
 * before the queue is closed, on its loop. Removing one that is not there does nothing.
 */
void fx_watchdog_add(struct fx_watchdog *watchdog, struct fx_watched_loop *watched,
                     struct fx_message_queue *queue, const char *name);
void fx_watchdog_remove(struct fx_watchdog *watchdog, struct fx_watched_loop *watched);

/* The end has begun: the process ends after drain and grace. Nothing new where the
 * watchdog has seen the signal itself. */
void fx_watchdog_drain(struct fx_watchdog *watchdog);

/* Nothing is accepted any more: it ends after the grace. */
void fx_watchdog_stop(struct fx_watchdog *watchdog);

/* All requests are answered: what is left may take FX_LIMIT_LEFT_MS, and then the process
 * ends in order, with status 0. */
void fx_watchdog_answered(struct fx_watchdog *watchdog);

/* How many stalls of this type there were. Any thread. */
uint64_t fx_watchdog_stalls(const struct fx_watchdog *watchdog, enum fx_job_type type);

#endif
