/* SPDX-License-Identifier: Apache-2.0
 *
 * server/reload.c - look, read, build, hand over.
 */
#include "server/reload.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/limits.h"
#include "server/file_watch.h"

#define RELOAD_MAGIC 0x66787265u /* "fxre" */

/* How much a run has to do: nothing, read where the files look changed, read anyway. */
enum depth { REST, LOOK, READ };

/* What one run found. Written by the worker while it runs, read by the loop after it. */
struct run {
    enum depth depth;
    bool read; /* the files were read, or could not be */
    bool failed;
    bool fresh; /* their bytes are others than last time */
    void *made; /* NULL: not fresh, or failed */
    struct fx_err failure;
    struct fx_file_stamp stamp;
    struct fx_file_list folders;
    uint64_t digest;
};

struct fx_reload {
    uint32_t magic;
    struct fx_reload_plan plan;
    uv_loop_t *loop;
    struct fx_file_watch *watch;
    uv_work_t work;
    struct fx_job job;
    struct run run;
    bool running, closing;
    enum depth next;            /* asked for during a run */
    struct fx_file_stamp stamp; /* of the last run; not settled: does not count */
    uint64_t digest;            /* of the version tried last; 0: none */
    char *told;                 /* the last failure's words; NULL: none, or no memory */
    void (*on_closed)(void *user);
};

static struct fx_reload *reload_of(uv_work_t *work) {
    struct fx_reload *reload = work->data;
    assert(reload != NULL && reload->magic == RELOAD_MAGIC);
    return reload;
}

/* Does it look as it did, so that reading can be spared? */
static bool looks_the_same(const struct fx_reload *reload, struct run *run) {
    struct fx_file_stamp now;
    struct fx_err ignored = FX_ERR_INIT; /* reading will say it */
    return run->depth == LOOK && reload->stamp.settled && reload->digest != 0 &&
           fx_file_set_stat(&reload->plan.roots, &now, &ignored) &&
           now.files == reload->stamp.files && now.folders == reload->stamp.folders;
}

static bool build(const struct fx_reload *reload, struct run *run) {
    struct fx_file_set files = {0};
    const struct fx_reload_plan *plan = &reload->plan;
    if (!fx_file_set_read(&plan->roots, &files, &run->stamp, &run->failure)) {
        return false;
    }
    run->digest = files.digest;
    run->fresh = files.digest != reload->digest;
    const bool ok =
        !run->fresh || plan->build(plan->user, &files, &run->made, &run->failure);
    run->folders = files.folders;
    files.folders = (struct fx_file_list){0};
    fx_file_set_finish(&files);
    return ok;
}

/* The worker's part: reads `reload`, writes `run`. */
static void run_it(const struct fx_reload *reload, struct run *run) {
    if (looks_the_same(reload, run)) {
        return;
    }
    run->read = true;
    run->failed = !build(reload, run);
}

/* Remembers the words of a failure; true where they are those of last time. */
static bool was_told(struct fx_reload *reload, const struct fx_err *failure) {
    if (reload->told != NULL && strcmp(reload->told, failure->msg) == 0) {
        return true;
    }
    free(reload->told);
    reload->told = strdup(failure->msg);
    return false;
}

static void forget_failure(struct fx_reload *reload) {
    free(reload->told);
    reload->told = NULL;
}

/* The loop's part. A run that could not read leaves no digest, so that the same bytes
 * count as news when they can be read again; bytes that could not be built keep theirs,
 * for they would fail again. */
static void settle(struct fx_reload *reload, struct run *run) {
    const struct fx_reload_plan *plan = &reload->plan;
    const bool nomem = run->failed && run->failure.code == FX_ENOMEM;
    reload->digest = nomem ? 0 : run->digest;
    if (run->failed) {
        const bool told = was_told(reload, &run->failure);
        plan->done(plan->user, FX_RELOAD_FAILED, NULL, &run->failure, told);
    } else if (run->fresh) {
        forget_failure(reload);
        plan->done(plan->user, FX_RELOAD_CHANGED, run->made, NULL, false);
        run->made = NULL;
    } else if (run->depth == READ) {
        plan->done(plan->user, FX_RELOAD_UNCHANGED, NULL, NULL, false);
    }
}

/* Other folders than before: what happened in them between reading and watching is found
 * by one more look. */
static void watch_folders(struct fx_reload *reload, const struct run *run) {
    if (run->folders.n_paths > 0 && run->stamp.folders != reload->stamp.folders) {
        fx_file_watch_set_folders(reload->watch, &run->folders);
        reload->next = reload->next > LOOK ? reload->next : LOOK;
    }
    reload->stamp = run->stamp;
}

static void run_finish(const struct fx_reload *reload, struct run *run) {
    fx_file_list_finish(&run->folders);
    if (run->made != NULL) {
        reload->plan.discard(run->made);
        run->made = NULL;
    }
}

static void finish(struct fx_reload *reload) {
    reload->on_closed(reload->plan.user);
    free(reload->told);
    reload->magic = 0;
    free(reload);
}

static void on_work(uv_work_t *work) {
    struct fx_reload *reload = reload_of(work);
    run_it(reload, &reload->run);
}

static void on_worked(uv_work_t *work, int status);

static void start(struct fx_reload *reload, enum depth depth) {
    if (depth == REST || reload->closing) {
        return;
    }
    if (reload->running) {
        reload->next = depth > reload->next ? depth : reload->next;
        return;
    }
    reload->next = REST;
    reload->run = (struct run){.depth = depth};
    reload->work.data = reload;
    /* It fails only where the call is wrong. */
    const int queued = uv_queue_work(reload->loop, &reload->work, on_work, on_worked);
    assert(queued == 0);
    reload->running = queued == 0;
    fx_job_begin(&reload->job);
}

static void on_worked(uv_work_t *work, int status) {
    (void)status; /* nobody cancels it */
    struct fx_reload *reload = reload_of(work);
    reload->running = false;
    fx_job_end(&reload->job);
    if (!reload->closing && reload->run.read) {
        settle(reload, &reload->run);
        watch_folders(reload, &reload->run);
    }
    run_finish(reload, &reload->run);
    start(reload, reload->next);
    if (reload->closing) {
        finish(reload);
    }
}

static void on_hint(bool seen, void *user) {
    struct fx_reload *reload = user;
    assert(reload->magic == RELOAD_MAGIC);
    start(reload, seen ? READ : LOOK);
}

/* The first run, here and now. */
static bool run_first(struct fx_reload *reload, struct fx_err *err) {
    struct run *run = &reload->run;
    *run = (struct run){.depth = READ};
    run_it(reload, run);
    if (run->failed) {
        *err = run->failure;
    } else {
        settle(reload, run);
        watch_folders(reload, run);
    }
    run_finish(reload, run);
    return !run->failed;
}

struct fx_reload *fx_reload_create(uv_loop_t *loop, const struct fx_reload_plan *plan,
                                   struct fx_err *err) {
    struct fx_reload *reload = calloc(1, sizeof *reload);
    if (reload == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    reload->magic = RELOAD_MAGIC;
    reload->plan = *plan;
    reload->loop = loop;
    reload->job = (struct fx_job){
        .type = FX_JOB_BUILD,
        .name = plan->name,
        .allowed_ns = FX_JOB_NS(FX_LIMIT_BUILD_MS),
    };
    reload->watch = fx_file_watch_create(loop, plan->roots.paths, plan->roots.n_paths,
                                         on_hint, reload, err);
    if (reload->watch == NULL || !run_first(reload, err)) {
        fx_file_watch_close(reload->watch);
        free(reload);
        return NULL;
    }
    return reload;
}

void fx_reload_now(struct fx_reload *reload) {
    start(reload, READ);
}

void fx_reload_close(struct fx_reload *reload, void (*on_closed)(void *user)) {
    reload->closing = true;
    reload->on_closed = on_closed;
    fx_file_watch_close(reload->watch);
    reload->watch = NULL;
    if (!reload->running) {
        finish(reload);
    }
}
