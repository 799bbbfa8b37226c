/* SPDX-License-Identifier: Apache-2.0
 *
 * server/pool_probe.c - a task that does nothing.
 */
#include "server/pool_probe.h"

static void on_work(uv_work_t *work) {
    (void)work;
}

static void on_worked(uv_work_t *work, int status) {
    (void)status; /* nobody cancels it */
    struct fx_pool_probe *probe = work->data;
    fx_job_end(&probe->job);
    probe->is_queued = false;
}

void fx_pool_probe_ask(struct fx_pool_probe *probe, uv_loop_t *loop) {
    if (probe->is_queued) {
        return;
    }
    probe->job.type = FX_JOB_POOL;
    probe->job.name = "worker threads";
    probe->work.data = probe;
    fx_job_begin(&probe->job);
    probe->is_queued = uv_queue_work(loop, &probe->work, on_work, on_worked) == 0;
    if (!probe->is_queued) { /* it fails only where the call is wrong */
        fx_job_end(&probe->job);
    }
}
