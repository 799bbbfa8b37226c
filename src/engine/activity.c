/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/activity.c - the names of a thread's task, protected by a lock.
 */
#include "engine/activity.h"

#include <stddef.h>

bool fx_activity_init(struct fx_activity *activity) {
    activity->task = NULL;
    activity->kind[0] = '\0';
    atomic_init(&activity->mutator, NULL);
    return pthread_mutex_init(&activity->lock, NULL) == 0;
}

void fx_activity_finish(struct fx_activity *activity) {
    (void)pthread_mutex_destroy(&activity->lock);
}

void fx_activity_set_task(struct fx_activity *activity, const char *task) {
    if (activity != NULL) {
        (void)pthread_mutex_lock(&activity->lock);
        activity->task = task;
        activity->kind[0] = '\0';
        (void)pthread_mutex_unlock(&activity->lock);
    }
}

/* The names come from the object. A character that no group and no kind has must not
 * break the line in which they are printed. */
static size_t add_name(char *kind, size_t at, struct fx_text name) {
    for (size_t i = 0; i < name.len && at < FX_ACTIVITY_KIND - 1; i++) {
        const char c = name.data[i];
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '.' || c == '-';
        kind[at++] = (char)(is_plain ? c : '?');
    }
    return at;
}

void fx_activity_begin_loop(struct fx_activity *activity, struct fx_text group,
                            struct fx_text kind) {
    if (activity == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&activity->lock);
    size_t at = add_name(activity->kind, 0, kind);
    if (group.len > 0) {
        at = add_name(activity->kind, at, FX_TEXT("."));
        at = add_name(activity->kind, at, group);
    }
    activity->kind[at] = '\0';
    (void)pthread_mutex_unlock(&activity->lock);
}

void fx_activity_end_loop(struct fx_activity *activity) {
    if (activity != NULL) {
        (void)pthread_mutex_lock(&activity->lock);
        atomic_store_explicit(&activity->mutator, NULL, memory_order_relaxed);
        (void)pthread_mutex_unlock(&activity->lock);
    }
}

bool fx_activity_is_busy(struct fx_activity *activity) {
    (void)pthread_mutex_lock(&activity->lock);
    const bool is_busy = activity->task != NULL;
    (void)pthread_mutex_unlock(&activity->lock);
    return is_busy;
}

void fx_activity_print(struct fx_activity *activity, struct fx_buf *buf) {
    (void)pthread_mutex_lock(&activity->lock);
    const struct fx_mutator *mutator =
        atomic_load_explicit(&activity->mutator, memory_order_acquire);
    if (activity->task != NULL) {
        fx_buf_str(buf, activity->task);
    }
    if (activity->task != NULL && mutator != NULL) {
        fx_buf_printf(buf, ", in policy %s/%s", mutator->kind, mutator->full_name);
    }
    if (activity->task != NULL && activity->kind[0] != '\0') {
        fx_buf_printf(buf, ", on %s", activity->kind);
    }
    (void)pthread_mutex_unlock(&activity->lock);
}
