/* SPDX-License-Identifier: Apache-2.0
 *
 * server/worker_check.c - a task that does nothing.
 */
#include "server/worker_check.h"

static void on_work(uv_work_t *work) {
    (void)work;
}

static void on_worked(uv_work_t *work, int status) {
    (void)status; /* nobody cancels it */
    struct fx_worker_check *check = work->data;
    fx_job_end(&check->job);
    check->is_queued = false;
}

void fx_worker_check_start(struct fx_worker_check *check, uv_loop_t *loop) {
    if (check->is_queued) {
        return;
    }
    check->job.type = FX_JOB_POOL;
    check->job.name = "worker threads";
    check->work.data = check;
    fx_job_begin(&check->job);
    check->is_queued = uv_queue_work(loop, &check->work, on_work, on_worked) == 0;
    if (!check->is_queued) { /* it fails only where the call is wrong */
        fx_job_end(&check->job);
    }
}
