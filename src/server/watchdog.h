/* SPDX-License-Identifier: Apache-2.0
 *
 * server/watchdog.h - a thread that detects loops that have stalled, and ends the process
 * in time after SIGTERM. It does not depend on the other threads.
 *
 * It posts a message to each watched loop at regular intervals. A message that is not yet
 * handled is a running job (base/jobs.h).
 */
#ifndef FX_SERVER_WATCHDOG_H
#define FX_SERVER_WATCHDOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/jobs.h"
#include "base/list.h"
#include "base/macros.h"
#include "server/message_queue.h"

struct fx_watchdog; /* opaque */

struct fx_watchdog_options {
    uint64_t stall_ms; /* 0: stalls are not detected */
    uint64_t drain_ms; /* from the signal to the end of listening */
    uint64_t grace_ms; /* from there to the end of the process */
    int left_status;   /* exit status if work was abandoned */
    /* The number of requests without a response; called on the watchdog's thread. */
    size_t (*count_requests)(void *user);
    void *user;
};

/* A watched loop. The caller sets the job's `describe` and `user`, `on_message` and
 * `user` (all may be NULL), and zeroes the others. */
struct fx_watched_loop {
    struct fx_list_link link;
    struct fx_job job;
    struct fx_message message;
    struct fx_message_queue *queue; /* NULL: not watched */
    void (*on_message)(void *user); /* called on the loop for each message */
    void *user;
};

/* Starts the thread. NULL on failure: FX_EIO (no thread, no descriptor), FX_ENOMEM. */
struct fx_watchdog *fx_watchdog_create(const struct fx_watchdog_options *options,
                                       struct fx_err *err) FX_MUST_USE;

/* Ends the thread and waits for it. NULL is fine. */
void fx_watchdog_destroy(struct fx_watchdog *watchdog);

/* Starts watching the loop of this queue; `name` is used in messages. Call
 * fx_watchdog_remove() on the loop itself before the queue is closed. Removing a loop
 * that is not watched does nothing. */
void fx_watchdog_add(struct fx_watchdog *watchdog, struct fx_watched_loop *watched,
                     struct fx_message_queue *queue, const char *name);
void fx_watchdog_remove(struct fx_watchdog *watchdog, struct fx_watched_loop *watched);

/* Tells the watchdog that the shutdown has begun: the process ends after drain and grace
 * at the latest. */
void fx_watchdog_drain(struct fx_watchdog *watchdog);

/* Tells the watchdog that no connection is accepted any more: the process ends after the
 * grace at the latest. */
void fx_watchdog_stop(struct fx_watchdog *watchdog);

/* Tells the watchdog that all requests are answered: the process ends with status 0 after
 * FX_LIMIT_LEFT_MS at the latest. */
void fx_watchdog_answered(struct fx_watchdog *watchdog);

/* The number of stalls of this type so far. Any thread. */
uint64_t fx_watchdog_stalls(const struct fx_watchdog *watchdog, enum fx_job_type type);

/* ---- stalls: jobs (base/jobs.h) that take too long, and may never end ------------ */

struct fx_stalls {
    uint64_t after_ns; /* in addition to the job's own time limit */
    /* Time before this is not counted, because the whole process was suspended; 0: all
     * time is counted. */
    uint64_t not_before_ns;
    atomic_uint_least64_t counts[FX_JOB_TYPE_COUNT]; /* stalls so far */
};

/* Checks all jobs at the time `now_ns`. New stalls are counted and logged, with the names
 * of the policy and of the kind of object. Only one thread may call it. */
void fx_stalls_update(struct fx_stalls *stalls, uint64_t now_ns);

/* Logs that a stalled job has ended; a callback for fx_jobs_watch(). */
void fx_stalls_log_end(const struct fx_job *job);

/* Appends a line for each job that was stalled at the last update. True if one of them (a
 * thread, or libuv's worker threads) needs a restart. Any thread. */
bool fx_stalls_print(struct fx_buf *lines);

/* The number of stalled jobs of this type. Any thread. */
size_t fx_stalls_count(enum fx_job_type type);

/* Appends all running jobs, in one line. Any thread. */
void fx_stalls_print_all_jobs(struct fx_buf *text);

/* ---- libuv's worker threads ---- */

/* Checks that the worker threads take work, with an empty task that is a running job
 * (base/jobs.h) while it is queued. Zeroed at first. */
struct fx_worker_check {
    uv_work_t work;
    struct fx_job job;
    bool is_queued;
};

/* Queues the task, unless it is still queued. Call it on the loop. */
void fx_worker_check_start(struct fx_worker_check *check, uv_loop_t *loop);

#endif
