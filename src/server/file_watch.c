/* SPDX-License-Identifier: Apache-2.0
 *
 * server/file_watch.c - one inotify handle a folder, a debounce, a slow beat.
 */
#include "server/file_watch.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

/* A burst of changes (an editor's, a copy's) ends when nothing came for QUIET_MS; one
 * that never ends is cut after BURST_MS. */
#define QUIET_MS    50
#define BURST_MS    500
#define BEAT_MS     2000
#define MAX_EYES    256         /* further folders have the beat only */
#define EYE_MAGIC   0x66786579u /* "fxey" */
#define WATCH_MAGIC 0x66787761u /* "fxwa" */

/* The link that a mounted volume of Kubernetes swaps. */
#define VOLUME_LINK "..data"

struct eye {
    uint32_t magic;
    uv_fs_event_t event;
    struct fx_file_watch *watch; /* not touched once the eye is closed */
    struct eye *next;
    char *only; /* NULL, or the one name in this folder that matters */
};

struct fx_file_watch {
    uint32_t magic;
    uv_timer_t quiet, beat;
    unsigned open_timers;
    uint64_t burst_since; /* loop time; 0: no burst */
    struct eye *eyes;
    size_t n_eyes;
    const char *const *roots;
    size_t n_roots;
    void (*on_hint)(bool seen, void *user);
    void *user;
};

static struct fx_file_watch *watch_of(uv_handle_t *handle) {
    struct fx_file_watch *watch = handle->data;
    assert(watch != NULL && watch->magic == WATCH_MAGIC);
    return watch;
}

static struct eye *eye_of(uv_handle_t *handle) {
    struct eye *eye = handle->data;
    assert(eye != NULL && eye->magic == EYE_MAGIC);
    return eye;
}

static void on_quiet(uv_timer_t *timer) {
    struct fx_file_watch *watch = watch_of((uv_handle_t *)timer);
    watch->burst_since = 0;
    watch->on_hint(true, watch->user);
}

static void on_beat(uv_timer_t *timer) {
    struct fx_file_watch *watch = watch_of((uv_handle_t *)timer);
    watch->on_hint(false, watch->user);
}

static void on_event(uv_fs_event_t *event, const char *name, int events, int status) {
    (void)events;
    (void)status; /* an error is a reason to look, too */
    const struct eye *eye = eye_of((uv_handle_t *)event);
    struct fx_file_watch *watch = eye->watch;
    if (eye->only != NULL && name != NULL && strcmp(name, eye->only) != 0 &&
        strcmp(name, VOLUME_LINK) != 0) {
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
    struct fx_file_watch *watch = watch_of(handle);
    if (--watch->open_timers == 0) {
        watch->magic = 0;
        free(watch);
    }
}

static void on_eye_closed(uv_handle_t *handle) {
    struct eye *eye = eye_of(handle);
    eye->magic = 0;
    free(eye->only);
    free(eye);
}

static void close_eyes(struct eye *eyes) {
    while (eyes != NULL) {
        struct eye *next = eyes->next;
        uv_close((uv_handle_t *)&eyes->event, on_eye_closed);
        eyes = next;
    }
}

struct fx_file_watch *fx_file_watch_create(uv_loop_t *loop, const char *const *roots,
                                           size_t n_roots,
                                           void (*on_hint)(bool seen, void *user),
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
    (void)uv_timer_init(loop, &watch->quiet); /* these two cannot fail */
    (void)uv_timer_init(loop, &watch->beat);
    watch->quiet.data = watch;
    watch->beat.data = watch;
    (void)uv_timer_start(&watch->beat, on_beat, BEAT_MS, BEAT_MS);
    return watch;
}

/* Opens an eye on the folder; where that fails, the beat has to do. */
static void open_eye(struct fx_file_watch *watch, const char *folder, const char *only) {
    if (watch->n_eyes >= MAX_EYES) {
        return;
    }
    struct eye *eye = calloc(1, sizeof *eye);
    char *name = only == NULL ? NULL : strdup(only);
    if (eye == NULL || (only != NULL && name == NULL) ||
        uv_fs_event_init(watch->quiet.loop, &eye->event) != 0) {
        free(name);
        free(eye);
        return;
    }
    eye->magic = EYE_MAGIC;
    eye->event.data = eye;
    eye->watch = watch;
    eye->only = name;
    if (uv_fs_event_start(&eye->event, on_event, folder, 0) != 0) {
        uv_close((uv_handle_t *)&eye->event, on_eye_closed);
        return;
    }
    eye->next = watch->eyes;
    watch->eyes = eye;
    watch->n_eyes++;
}

/* Watches the folder in which `root` is a name. */
static void watch_above(struct fx_file_watch *watch, const char *root) {
    struct fx_buf above;
    fx_buf_init(&above, 0);
    fx_buf_str(&above, root);
    while (!above.failed && above.len > 1 && above.data[above.len - 1] == '/') {
        above.data[--above.len] = '\0';
    }
    char *slash = above.failed ? NULL : strrchr(above.data, '/');
    if (slash != NULL && slash[1] != '\0') {
        const char *name = slash + 1;
        *slash = '\0';
        open_eye(watch, slash == above.data ? "/" : above.data, name);
    } else if (!above.failed && slash == NULL) {
        open_eye(watch, ".", above.data);
    }
    fx_buf_finish(&above);
}

/* The new eyes are opened before the old ones are closed: the kernel's watch of a folder
 * that stays is then never taken down, and no report of it is lost. */
void fx_file_watch_set_folders(struct fx_file_watch *watch,
                               const struct fx_file_list *folders) {
    struct eye *old = watch->eyes;
    watch->eyes = NULL;
    watch->n_eyes = 0;
    for (size_t i = 0; i < watch->n_roots; i++) {
        watch_above(watch, watch->roots[i]);
    }
    for (size_t i = 0; i < folders->n_paths; i++) {
        open_eye(watch, folders->paths[i], NULL);
    }
    close_eyes(old);
}

void fx_file_watch_close(struct fx_file_watch *watch) {
    if (watch == NULL) {
        return;
    }
    close_eyes(watch->eyes);
    watch->eyes = NULL;
    uv_close((uv_handle_t *)&watch->quiet, on_timer_closed);
    uv_close((uv_handle_t *)&watch->beat, on_timer_closed);
}
