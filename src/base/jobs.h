/* SPDX-License-Identifier: Apache-2.0
 *
 * base/jobs.h - the running work of this process that must come to an end: each part of
 * the program adds its work to a list, which the watchdog of a server checks
 * (server/watchdog.h). The list holds names and times, and no contents of objects.
 *
 * Any thread may call these functions.
 */
#ifndef FX_BASE_JOBS_H
#define FX_BASE_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/macros.h"

#define FX_JOB_TYPES(X)                                                \
    X(LOOP, "loop")      /* an event loop has a message to answer */   \
    X(POOL, "pool")      /* a task waits for libuv's worker threads */ \
    X(DRY_RUN, "dryrun") /* a dry run on its own thread */             \
    X(BUILD, "build")    /* files or policies are read and built */

enum fx_job_type {
#define X(name, text) FX_JOB_##name,
    FX_JOB_TYPES(X)
#undef X
        FX_JOB_TYPE_COUNT
};

#define FX_JOB_NS(ms) (UINT64_C(1000000) * (ms))

struct fx_job {
    struct fx_list_link link; /* private to the list; zeroed before the first use */
    enum fx_job_type type;
    const char *name; /* a name for log lines; must live as long as the job */
    uint64_t
        allowed_ns; /* the time that it may take, in addition to the watchdog's own */
    /* Appends the current step, such as "in policy x". Another thread calls it while the
     * job runs. NULL if the step is not known. */
    void (*describe)(void *user, struct fx_buf *text);
    void *user;

    /* Private to the list; zeroed before the first use. */
    uint64_t since_ns;
    bool is_running, is_stalled;
};

/* Adds the job to the list. Its memory must not move until the job ends. Does nothing if
 * it is already in the list. */
void fx_job_begin(struct fx_job *job);

/* Removes the job from the list. Does nothing if it is not in the list. */
void fx_job_end(struct fx_job *job);

/* Is the job running, and marked as stalled? */
bool fx_job_is_stalled(const struct fx_job *job) FX_MUST_USE;

/* Calls `visit` for each running job, the latest first. Meanwhile no job can begin or
 * end, so `visit` must be short, and must not call functions of this file. */
void fx_jobs_visit(void (*visit)(struct fx_job *job, void *user), void *user);

/* From now on `on_resumed` is called when a job that was marked as stalled ends. What is
 * said of `visit` holds for `on_resumed`, too. NULL stops the calls. */
void fx_jobs_watch(void (*on_resumed)(const struct fx_job *job));

#endif
