/* SPDX-License-Identifier: Apache-2.0
 *
 * server/reload.c - the runs (stat, read, build, hand over), and when to run: one inotify
 * handle for each folder, a debounce timer, a regular check.
 */
#include "server/reload.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/jobs.h"
#include "base/limits.h"

/* A burst of changes ends when nothing changed for QUIET_MS. It is reported after
 * BURST_MS even if it does not end. */
#define QUIET_MS     50
#define BURST_MS     500
#define REGULAR_MS   2000
#define MAX_FOLDERS  256         /* further folders have only the regular check */
#define FOLDER_MAGIC 0x66786579u /* "fxey" */
#define RELOAD_MAGIC 0x66787265u /* "fxre" */

/* The link that a mounted volume of Kubernetes swaps. */
#define VOLUME_LINK "..data"

struct folder_watch {
    uint32_t magic;
    uv_fs_event_t event;
    struct fx_reload *reload; /* not used after the handle is closed */
    struct folder_watch *next;
    char *only; /* NULL, or the only name in this folder that matters */
};

/* What the next run does: nothing; read the files if they look changed; read them in any
 * case. */
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
    uv_timer_t quiet, regular;
    uint64_t burst_since; /* loop time; 0: no burst */
    struct folder_watch *folders;
    size_t n_folders;
    uv_work_t work;
    struct fx_job job;
    struct reload_run run;
    bool running, closing;
    unsigned n_holders;         /* timers that are not closed, and a run */
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

/* The part of a run on the worker thread: reads `reload`, writes `run`. */
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

/* The part of a run on the loop. If the files could not be read, the digest is cleared,
 * so that the same bytes count as changed when they can be read again. If the build
 * failed, the digest is kept, because the same bytes would fail again. */
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

/* ---- watching ---- */

static void start_run(struct fx_reload *reload, enum depth depth);

static void on_quiet(uv_timer_t *timer) {
    struct fx_reload *reload = fx_checked(timer->data, RELOAD_MAGIC);
    reload->burst_since = 0;
    start_run(reload, ALWAYS);
}

static void on_event(uv_fs_event_t *event, const char *name, int events, int status) {
    (void)events;
    (void)status; /* an error is reported as a change */
    const struct folder_watch *folder_watch = fx_checked(event->data, FOLDER_MAGIC);
    struct fx_reload *reload = folder_watch->reload;
    if (folder_watch->only != NULL && name != NULL &&
        strcmp(name, folder_watch->only) != 0 && strcmp(name, VOLUME_LINK) != 0) {
        return;
    }
    const uint64_t now = uv_now(event->loop);
    if (reload->burst_since == 0) {
        reload->burst_since = now;
    }
    if (now - reload->burst_since < BURST_MS) {
        (void)uv_timer_start(&reload->quiet, on_quiet, QUIET_MS, 0);
    }
}

static void on_folder_closed(uv_handle_t *handle) {
    struct folder_watch *folder_watch = fx_checked(handle->data, FOLDER_MAGIC);
    folder_watch->magic = 0;
    free(folder_watch->only);
    free(folder_watch);
}

static void close_folders(struct folder_watch *folders) {
    while (folders != NULL) {
        struct folder_watch *next = folders->next;
        uv_close((uv_handle_t *)&folders->event, on_folder_closed);
        folders = next;
    }
}

/* Watches a folder. If that fails, only the regular check finds changes. */
static void watch_folder(struct fx_reload *reload, const char *folder, const char *only) {
    if (reload->n_folders >= MAX_FOLDERS) {
        return;
    }
    struct folder_watch *folder_watch = calloc(1, sizeof *folder_watch);
    char *name = only == NULL ? NULL : strdup(only);
    if (folder_watch == NULL || (only != NULL && name == NULL) ||
        uv_fs_event_init(reload->loop, &folder_watch->event) != 0) {
        free(name);
        free(folder_watch);
        return;
    }
    folder_watch->magic = FOLDER_MAGIC;
    folder_watch->event.data = folder_watch;
    folder_watch->reload = reload;
    folder_watch->only = name;
    if (uv_fs_event_start(&folder_watch->event, on_event, folder, 0) != 0) {
        uv_close((uv_handle_t *)&folder_watch->event, on_folder_closed);
        return;
    }
    folder_watch->next = reload->folders;
    reload->folders = folder_watch;
    reload->n_folders++;
}

/* Watches the folder that has `root` as an entry. */
static void watch_above(struct fx_reload *reload, const char *root) {
    struct fx_buf above = {0};
    fx_buf_str(&above, root);
    while (!above.failed && above.len > 1 && above.data[above.len - 1] == '/') {
        above.data[--above.len] = '\0';
    }
    char *slash = above.failed ? NULL : strrchr(above.data, '/');
    if (slash != NULL && slash[1] != '\0') {
        const char *name = slash + 1;
        *slash = '\0';
        watch_folder(reload, slash == above.data ? "/" : above.data, name);
    } else if (!above.failed && slash == NULL) {
        watch_folder(reload, ".", above.data);
    }
    fx_buf_finish(&above);
}

/* Replaces the watched folders. The new handles are opened before the old ones are
 * closed: then the kernel keeps its watch of a folder that stays, and no notification is
 * lost. */
static void set_folders(struct fx_reload *reload, const struct fx_file_list *folders) {
    struct folder_watch *old = reload->folders;
    reload->folders = NULL;
    reload->n_folders = 0;
    for (size_t i = 0; i < reload->options.roots.n_paths; i++) {
        watch_above(reload, reload->options.roots.paths[i]);
    }
    for (size_t i = 0; i < folders->n_paths; i++) {
        watch_folder(reload, folders->paths[i], NULL);
    }
    close_folders(old);
}

/* Watches the folders if they changed. One more run finds changes between reading and
 * watching. */
static void watch_folders(struct fx_reload *reload, const struct reload_run *run) {
    if (run->folders.n_paths > 0 && run->stamp.folders != reload->stamp.folders) {
        set_folders(reload, &run->folders);
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

/* Drops one of the holders; the last one frees the reload. */
static void release(struct fx_reload *reload) {
    if (--reload->n_holders > 0) {
        return;
    }
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
    reload->n_holders++;
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
    release(reload);
}

static void on_regular(uv_timer_t *timer) {
    start_run(fx_checked(timer->data, RELOAD_MAGIC), IF_CHANGED);
}

/* Does the first run, on the calling thread. */
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
    if (!run_first(reload, err)) {
        free(reload);
        return NULL;
    }
    reload->n_holders = 2;
    (void)uv_timer_init(loop, &reload->quiet); /* cannot fail */
    (void)uv_timer_init(loop, &reload->regular);
    reload->quiet.data = reload;
    reload->regular.data = reload;
    (void)uv_timer_start(&reload->regular, on_regular, REGULAR_MS, REGULAR_MS);
    return reload;
}

void fx_reload_now(struct fx_reload *reload) {
    if (reload != NULL) {
        start_run(reload, ALWAYS);
    }
}

static void on_timer_closed(uv_handle_t *handle) {
    release(fx_checked(handle->data, RELOAD_MAGIC));
}

void fx_reload_close(struct fx_reload *reload, void (*on_closed)(void *user),
                     void *user) {
    if (reload == NULL) {
        on_closed(user);
        return;
    }
    assert(user == reload->options.user);
    reload->closing = true;
    reload->on_closed = on_closed;
    close_folders(reload->folders);
    uv_close((uv_handle_t *)&reload->quiet, on_timer_closed);
    uv_close((uv_handle_t *)&reload->regular, on_timer_closed);
}
