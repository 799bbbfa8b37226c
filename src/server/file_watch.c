/* SPDX-License-Identifier: Apache-2.0
 *
 * server/file_watch.c - one inotify handle for each folder, a debounce timer, a regular
 * check.
 */
#include "server/file_watch.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/checked.h"
#include "base/text.h"

/* A burst of changes ends when nothing changed for QUIET_MS. It is reported after
 * BURST_MS even if it does not end. */
#define QUIET_MS     50
#define BURST_MS     500
#define REGULAR_MS   2000
#define MAX_FOLDERS  256         /* further folders have only the regular check */
#define FOLDER_MAGIC 0x66786579u /* "fxey" */
#define WATCH_MAGIC  0x66787761u /* "fxwa" */

/* The link that a mounted volume of Kubernetes swaps. */
#define VOLUME_LINK "..data"

struct folder_watch {
    uint32_t magic;
    uv_fs_event_t event;
    struct fx_file_watch *watch; /* not used after the handle is closed */
    struct folder_watch *next;
    char *only; /* NULL, or the only name in this folder that matters */
};

struct fx_file_watch {
    uint32_t magic;
    uv_timer_t quiet, regular;
    unsigned open_timers;
    uint64_t burst_since; /* loop time; 0: no burst */
    struct folder_watch *folders;
    size_t n_folders;
    const char *const *roots;
    size_t n_roots;
    void (*on_hint)(bool is_notified, void *user);
    void *user;
};

static void on_quiet(uv_timer_t *timer) {
    struct fx_file_watch *watch = fx_checked(timer->data, WATCH_MAGIC);
    watch->burst_since = 0;
    watch->on_hint(true, watch->user);
}

static void on_regular(uv_timer_t *timer) {
    struct fx_file_watch *watch = fx_checked(timer->data, WATCH_MAGIC);
    watch->on_hint(false, watch->user);
}

static void on_event(uv_fs_event_t *event, const char *name, int events, int status) {
    (void)events;
    (void)status; /* an error is reported as a change */
    const struct folder_watch *folder_watch = fx_checked(event->data, FOLDER_MAGIC);
    struct fx_file_watch *watch = folder_watch->watch;
    if (folder_watch->only != NULL && name != NULL &&
        strcmp(name, folder_watch->only) != 0 && strcmp(name, VOLUME_LINK) != 0) {
        return;
    }
    const uint64_t now = uv_now(event->loop);
    if (watch->burst_since == 0) {
        watch->burst_since = now;
    }
    if (now - watch->burst_since < BURST_MS) {
        (void)uv_timer_start(&watch->quiet, on_quiet, QUIET_MS, 0);
    }
}

static void on_timer_closed(uv_handle_t *handle) {
    struct fx_file_watch *watch = fx_checked(handle->data, WATCH_MAGIC);
    if (--watch->open_timers == 0) {
        watch->magic = 0;
        free(watch);
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

struct fx_file_watch *fx_file_watch_create(uv_loop_t *loop, const char *const *roots,
                                           size_t n_roots,
                                           void (*on_hint)(bool is_notified, void *user),
                                           void *user, struct fx_err *err) {
    struct fx_file_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    *watch = (struct fx_file_watch){
        .magic = WATCH_MAGIC,
        .open_timers = 2,
        .roots = roots,
        .n_roots = n_roots,
        .on_hint = on_hint,
        .user = user,
    };
    (void)uv_timer_init(loop, &watch->quiet); /* cannot fail */
    (void)uv_timer_init(loop, &watch->regular);
    watch->quiet.data = watch;
    watch->regular.data = watch;
    (void)uv_timer_start(&watch->regular, on_regular, REGULAR_MS, REGULAR_MS);
    return watch;
}

/* Watches a folder. If that fails, only the regular check is left. */
static void watch_folder(struct fx_file_watch *watch, const char *folder,
                         const char *only) {
    if (watch->n_folders >= MAX_FOLDERS) {
        return;
    }
    struct folder_watch *folder_watch = calloc(1, sizeof *folder_watch);
    char *name = only == NULL ? NULL : strdup(only);
    if (folder_watch == NULL || (only != NULL && name == NULL) ||
        uv_fs_event_init(watch->quiet.loop, &folder_watch->event) != 0) {
        free(name);
        free(folder_watch);
        return;
    }
    folder_watch->magic = FOLDER_MAGIC;
    folder_watch->event.data = folder_watch;
    folder_watch->watch = watch;
    folder_watch->only = name;
    if (uv_fs_event_start(&folder_watch->event, on_event, folder, 0) != 0) {
        uv_close((uv_handle_t *)&folder_watch->event, on_folder_closed);
        return;
    }
    folder_watch->next = watch->folders;
    watch->folders = folder_watch;
    watch->n_folders++;
}

/* Watches the folder that has `root` as an entry. */
static void watch_above(struct fx_file_watch *watch, const char *root) {
    struct fx_buf above = {0};
    fx_buf_str(&above, root);
    while (!above.failed && above.len > 1 && above.data[above.len - 1] == '/') {
        above.data[--above.len] = '\0';
    }
    char *slash = above.failed ? NULL : strrchr(above.data, '/');
    if (slash != NULL && slash[1] != '\0') {
        const char *name = slash + 1;
        *slash = '\0';
        watch_folder(watch, slash == above.data ? "/" : above.data, name);
    } else if (!above.failed && slash == NULL) {
        watch_folder(watch, ".", above.data);
    }
    fx_buf_finish(&above);
}

/* The new handles are opened before the old ones are closed: then the kernel keeps its
 * watch of a folder that stays, and no notification is lost. */
void fx_file_watch_set_folders(struct fx_file_watch *watch,
                               const struct fx_file_list *folders) {
    struct folder_watch *old = watch->folders;
    watch->folders = NULL;
    watch->n_folders = 0;
    for (size_t i = 0; i < watch->n_roots; i++) {
        watch_above(watch, watch->roots[i]);
    }
    for (size_t i = 0; i < folders->n_paths; i++) {
        watch_folder(watch, folders->paths[i], NULL);
    }
    close_folders(old);
}

void fx_file_watch_close(struct fx_file_watch *watch) {
    if (watch == NULL) {
        return;
    }
    close_folders(watch->folders);
    watch->folders = NULL;
    uv_close((uv_handle_t *)&watch->quiet, on_timer_closed);
    uv_close((uv_handle_t *)&watch->regular, on_timer_closed);
}
