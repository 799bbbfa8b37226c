/* SPDX-License-Identifier: Apache-2.0
 *
 * base/jobs.h - the work that is under way in this process and must come to an end: a
 * list that each part of the program adds its own work to, and that the watchdog of a
 * server looks through (server/watchdog.h). The list holds names and times, and no
 * contents of objects.
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
    X(LOOP, "loop")      /* a thread with an event loop was called */  \
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
    struct fx_list_link link; /* the list's; zeroed before the first use */
    enum fx_job_type type;
    const char *name;    /* for people; lives as long as the job */
    uint64_t allowed_ns; /* how long it may take before the watchdog's own time counts */
    /* Appends where it is now, such as "in policy x"; NULL: nothing is known.
     * Called by another thread while the job is under way. */
    void (*describe)(void *user, struct fx_buf *words);
    void *user;

    /* The list's. Zeroed before the first use. */
    uint64_t since_ns;
    bool is_running, is_stalled;
};

/* Adds the job to the list. The memory stays where it is until the job ends. Nothing
 * happens where it is in the list already. */
void fx_job_begin(struct fx_job *job);

/* Takes the job out of the list. Nothing happens where it is not in the list. */
void fx_job_end(struct fx_job *job);

/* Is it under way, and marked as stalled? */
bool fx_job_is_stalled(const struct fx_job *job) FX_MUST_USE;

/* Calls `visit` for each job that is under way, the latest first. No job begins or ends
 * meanwhile, so `visit` has to be short, and must not call functions of this file. */
void fx_jobs_visit(void (*visit)(struct fx_job *job, void *user), void *user);

/* From now on `on_resumed` is called when a job ends that was marked as stalled, under
 * the same conditions as `visit` above; NULL: nobody is called. */
void fx_jobs_watch(void (*on_resumed)(const struct fx_job *job));

#endif
