/* SPDX-License-Identifier: Apache-2.0
 *
 * server/pool_probe.h - do libuv's worker threads still take work? A task that does
 * nothing is queued for them; while it waits, it is a job under way (base/jobs.h).
 */
#ifndef FX_SERVER_POOL_PROBE_H
#define FX_SERVER_POOL_PROBE_H

#include <stdbool.h>

#include <uv.h>

#include "base/jobs.h"

/* Zeroed at first. */
struct fx_pool_probe {
    uv_work_t work;
    struct fx_job job;
    bool is_queued;
};

/* Queues the task, unless it still waits from the last time. On the loop. */
void fx_pool_probe_ask(struct fx_pool_probe *probe, uv_loop_t *loop);

#endif
