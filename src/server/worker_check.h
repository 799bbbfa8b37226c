/* SPDX-License-Identifier: Apache-2.0
 *
 * server/worker_check.h - do libuv's worker threads still take work? A task that does
 * nothing is queued for them; while it waits, it is a job under way (base/jobs.h).
 */
#ifndef FX_SERVER_WORKER_CHECK_H
#define FX_SERVER_WORKER_CHECK_H

#include <stdbool.h>

#include <uv.h>

#include "base/jobs.h"

/* Zeroed at first. */
struct fx_worker_check {
    uv_work_t work;
    struct fx_job job;
    bool is_queued;
};

/* Queues the task, unless it still waits from the last time. On the loop. */
void fx_worker_check_start(struct fx_worker_check *check, uv_loop_t *loop);

#endif
