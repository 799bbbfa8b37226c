/* SPDX-License-Identifier: Apache-2.0
 *
 * server/reload.c - stat, read, build_version, hand over.
 */
#include "server/reload.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/jobs.h"
#include "base/limits.h"
#include "server/file_watch.h"

#define RELOAD_MAGIC 0x66787265u /* "fxre" */

/* What a run does: nothing, read the files if they look changed, read them in any case.
 */
enum depth { NOTHING, IF_CHANGED, ALWAYS };

/* One run. Written by the worker thread during the run, read by the loop after it. */
struct reload_run {
    enum depth depth;
    bool read; /* the files were read, or reading failed */
    bool failed;
    bool changed; /* their bytes have changed */
    void *made;   /* NULL: unchanged, or failed */
    struct fx_err failure;
    struct fx_file_stamp stamp;
    struct fx_file_list folders;
    uint64_t digest;
};

struct fx_reload {
    uint32_t magic;
    struct fx_reload_options options;
    uv_loop_t *loop;
    struct fx_file_watch *watch;
    uv_work_t work;
    struct fx_job job;
    struct reload_run run;
    bool running, closing;
    enum depth next;            /* requested during a run */
    struct fx_file_stamp stamp; /* of the last run; ignored unless settled */
    uint64_t digest;            /* of the last version, valid or not; 0: none */
    char *last_failure; /* message of the last failure; NULL: none, or out of memory */
    void (*on_closed)(void *user);
};

/* Do the files look unchanged, so that they need not be read? */
static bool looks_unchanged(const struct fx_reload *reload, struct reload_run *run) {
    struct fx_file_stamp now;
    struct fx_err ignored = FX_ERR_INIT; /* reading fails as well, and reports it */
    return run->depth == IF_CHANGED && reload->stamp.settled && reload->digest != 0 &&
           fx_file_set_stat(&reload->options.roots, &now, &ignored) &&
           now.files == reload->stamp.files && now.folders == reload->stamp.folders;
}

static bool build_version(const struct fx_reload *reload, struct reload_run *run) {
    struct fx_file_set files = {0};
    const struct fx_reload_options *options = &reload->options;
    if (!fx_file_set_read(&options->roots, &files, &run->stamp, &run->failure)) {
        return false;
    }
    run->digest = files.digest;
    run->changed = files.digest != reload->digest;
    const bool ok =
        !run->changed || options->build(options->user, &files, &run->made, &run->failure);
    run->folders = files.folders;
    files.folders = (struct fx_file_list){0};
    fx_file_set_finish(&files);
    return ok;
}

/* The worker thread's part: reads `reload`, writes `run`. */
static void execute(const struct fx_reload *reload, struct reload_run *run) {
    if (looks_unchanged(reload, run)) {
        return;
    }
    run->read = true;
    run->failed = !build_version(reload, run);
}

/* Stores the message of a failure. True if it equals the last one. */
static bool is_repeated_failure(struct fx_reload *reload, const struct fx_err *failure) {
    if (reload->last_failure != NULL && strcmp(reload->last_failure, failure->msg) == 0) {
        return true;
    }
    free(reload->last_failure);
    reload->last_failure = strdup(failure->msg);
    return false;
}

static void forget_failure(struct fx_reload *reload) {
    free(reload->last_failure);
    reload->last_failure = NULL;
}

/* The loop's part. A run that could not read the files leaves no digest, so that the same
 * bytes count as changed when they can be read again. Bytes whose build failed keep their
 * digest, because it would fail again. */
static void apply_result(struct fx_reload *reload, struct reload_run *run) {
    const struct fx_reload_options *options = &reload->options;
    const bool nomem = run->failed && run->failure.code == FX_ENOMEM;
    reload->digest = nomem ? 0 : run->digest;
    if (run->failed) {
        const bool is_repeated = is_repeated_failure(reload, &run->failure);
        options->done(options->user, FX_RELOAD_FAILED, NULL, &run->failure, is_repeated);
    } else if (run->changed) {
        forget_failure(reload);
        options->done(options->user, FX_RELOAD_CHANGED, run->made, NULL, false);
        run->made = NULL;
    } else if (run->depth == ALWAYS) {
        options->done(options->user, FX_RELOAD_UNCHANGED, NULL, NULL, false);
    }
}

/* Watches the folders if they changed. One more run finds what changed in them between
 * reading and watching. */
static void watch_folders(struct fx_reload *reload, const struct reload_run *run) {
    if (run->folders.n_paths > 0 && run->stamp.folders != reload->stamp.folders) {
        fx_file_watch_set_folders(reload->watch, &run->folders);
        reload->next = reload->next > IF_CHANGED ? reload->next : IF_CHANGED;
    }
    reload->stamp = run->stamp;
}

static void run_finish(const struct fx_reload *reload, struct reload_run *run) {
    fx_file_list_finish(&run->folders);
    if (run->made != NULL) {
        reload->options.discard(run->made);
        run->made = NULL;
    }
}

static void destroy_reload(struct fx_reload *reload) {
    reload->on_closed(reload->options.user);
    free(reload->last_failure);
    reload->magic = 0;
    free(reload);
}

static void on_work(uv_work_t *work) {
    struct fx_reload *reload = fx_checked(work->data, RELOAD_MAGIC);
    execute(reload, &reload->run);
}

static void on_worked(uv_work_t *work, int status);

static void start_run(struct fx_reload *reload, enum depth depth) {
    if (depth == NOTHING || reload->closing) {
        return;
    }
    if (reload->running) {
        reload->next = depth > reload->next ? depth : reload->next;
        return;
    }
    reload->next = NOTHING;
    reload->run = (struct reload_run){.depth = depth};
    reload->work.data = reload;
    /* cannot fail with valid arguments */
    const int queued = uv_queue_work(reload->loop, &reload->work, on_work, on_worked);
    assert(queued == 0);
    reload->running = queued == 0;
    fx_job_begin(&reload->job);
}

static void on_worked(uv_work_t *work, int status) {
    (void)status; /* it is never cancelled */
    struct fx_reload *reload = fx_checked(work->data, RELOAD_MAGIC);
    reload->running = false;
    fx_job_end(&reload->job);
    if (!reload->closing && reload->run.read) {
        apply_result(reload, &reload->run);
        watch_folders(reload, &reload->run);
    }
    run_finish(reload, &reload->run);
    start_run(reload, reload->next);
    if (reload->closing) {
        destroy_reload(reload);
    }
}

static void on_hint(bool is_notified, void *user) {
    struct fx_reload *reload = user;
    assert(reload->magic == RELOAD_MAGIC);
    start_run(reload, is_notified ? ALWAYS : IF_CHANGED);
}

/* The first run, on the calling thread. */
static bool run_first(struct fx_reload *reload, struct fx_err *err) {
    struct reload_run *run = &reload->run;
    *run = (struct reload_run){.depth = ALWAYS};
    execute(reload, run);
    if (run->failed) {
        *err = run->failure;
    } else {
        apply_result(reload, run);
        watch_folders(reload, run);
    }
    run_finish(reload, run);
    return !run->failed;
}

struct fx_reload *fx_reload_create(uv_loop_t *loop,
                                   const struct fx_reload_options *options,
                                   struct fx_err *err) {
    struct fx_reload *reload = calloc(1, sizeof *reload);
    if (reload == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    reload->magic = RELOAD_MAGIC;
    reload->options = *options;
    reload->loop = loop;
    reload->job = (struct fx_job){
        .type = FX_JOB_BUILD,
        .name = options->name,
        .allowed_ns = FX_JOB_NS(FX_LIMIT_BUILD_MS),
    };
    reload->watch = fx_file_watch_create(loop, options->roots.paths,
                                         options->roots.n_paths, on_hint, reload, err);
    if (reload->watch == NULL || !run_first(reload, err)) {
        fx_file_watch_close(reload->watch);
        free(reload);
        return NULL;
    }
    return reload;
}

void fx_reload_now(struct fx_reload *reload) {
    start_run(reload, ALWAYS);
}

void fx_reload_close(struct fx_reload *reload, void (*on_closed)(void *user)) {
    reload->closing = true;
    reload->on_closed = on_closed;
    fx_file_watch_close(reload->watch);
    reload->watch = NULL;
    if (!reload->running) {
        destroy_reload(reload);
    }
}
