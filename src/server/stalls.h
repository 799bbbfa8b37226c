/* SPDX-License-Identifier: Apache-2.0
 *
 * server/stalls.h - which jobs (base/jobs.h) have stalled: they take longer than they may
 * take, and nobody knows whether they end at all.
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
    uint64_t after_ns; /* beyond what the job may take by itself */
    /* No time before this one counts: the whole process stood still until then. Zeroed at
     * first. */
    uint64_t not_before_ns;
    atomic_uint_least64_t counts[FX_JOB_TYPE_COUNT]; /* of stalls so far */
};

/* Looks through all jobs at this time: who has stalled since the last look is counted and
 * logged, with the names of the policy and of the kind of object. One thread calls it. */
void fx_stalls_update(struct fx_stalls *stalls, uint64_t now_ns);

/* Logs that a stalled job has ended; for fx_jobs_watch(). */
void fx_stalls_log_end(const struct fx_job *job);

/* Appends a line for each job that was stalled at the last look. Is there one among them
 * that only a restart helps: a thread, or libuv's worker threads? Any thread. */
bool fx_stalls_print(struct fx_buf *lines);

/* How many jobs of this type are stalled. Any thread. */
size_t fx_stalls_count(enum fx_job_type type);

/* Appends one line of words with all jobs that are under way. Any thread. */
void fx_stalls_print_all_jobs(struct fx_buf *words);

#endif
