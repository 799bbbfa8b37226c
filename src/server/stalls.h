/* SPDX-License-Identifier: Apache-2.0
 *
 * server/stalls.h - finds the jobs (base/jobs.h) that have stalled: they take longer than
 * they may, and may never end.
 */
#ifndef FX_SERVER_STALLS_H
#define FX_SERVER_STALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/jobs.h"

struct fx_stalls {
    uint64_t after_ns;      /* on top of what the job itself may take */
    uint64_t not_before_ns; /* the time before this does not count, because the whole
                             * process did not run; 0: all of it counts */
    atomic_uint_least64_t counts[FX_JOB_TYPE_COUNT]; /* stalls so far */
};

/* Checks all jobs at the time `now_ns`. New stalls are counted and logged, with the names
 * of the policy and of the kind of object. Only one thread may call it. */
void fx_stalls_update(struct fx_stalls *stalls, uint64_t now_ns);

/* Logs that a stalled job has ended; a callback for fx_jobs_watch(). */
void fx_stalls_log_end(const struct fx_job *job);

/* Appends a line for each job that was stalled at the last update. True if one of them
 * (a thread, or libuv's worker threads) can only be cured by a restart. Any thread. */
bool fx_stalls_print(struct fx_buf *lines);

/* The number of stalled jobs of this type. Any thread. */
size_t fx_stalls_count(enum fx_job_type type);

/* Appends all running jobs, in one line. Any thread. */
void fx_stalls_print_all_jobs(struct fx_buf *text);

#endif
