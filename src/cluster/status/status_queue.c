/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_queue.c - a sorted array of tasks.
 */
#include "cluster/status/status_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/vec.h"
#include "kube/backoff.h"

#define NS_IN_S     UINT64_C(1000000000)
#define FIRST_PAUSE (2 * NS_IN_S) /* a watch usually shows a write sooner */
#define LAST_PAUSE  (300 * NS_IN_S)
#define REMEMBERED  (2 * LAST_PAUSE) /* how long a settled status is remembered */

static int compare_key(const void *key, const void *item) {
    struct fx_status_task *const *task = item;
    return strcmp(key, (*task)->key);
}

static size_t find_index(const struct fx_status_queue *queue, const char *key,
                         bool *ret_found) {
    return fx_sorted_find(queue->items, queue->n_items, sizeof(struct fx_status_task *),
                          key, compare_key, ret_found);
}

void fx_status_queue_finish(struct fx_status_queue *queue) {
    for (size_t i = 0; i < queue->n_items; i++) {
        free(queue->items[i]);
    }
    free(queue->items);
    *queue = (struct fx_status_queue){0};
}

/* Inserts a new task; false without memory. */
static bool insert(struct fx_status_queue *queue, size_t at, const char *key,
                   const struct fx_status_task *content) {
    const size_t size = strlen(key) + 1;
    struct fx_status_task *task = calloc(1, sizeof *task + size);
    if (task == NULL || !FX_VEC_GROW(queue->items, queue->n_items, queue->cap_items)) {
        free(task);
        return false;
    }
    *task = *content;
    memcpy(task->key, key, size);
    FX_SORTED_INSERT(queue->items, queue->n_items, at);
    queue->items[at] = task;
    queue->cursor += at < queue->cursor ? 1 : 0;
    return true;
}

static void remove_at(struct fx_status_queue *queue, size_t at) {
    queue->n_settled -= queue->items[at]->settled_ns != 0 ? 1 : 0;
    free(queue->items[at]);
    FX_SORTED_REMOVE(queue->items, queue->n_items, at);
    queue->cursor -= at < queue->cursor ? 1 : 0;
}

bool fx_status_queue_add(struct fx_status_queue *queue, const char *key, uint64_t wanted,
                         uint64_t now_ns) {
    bool found = false;
    const size_t at = find_index(queue, key, &found);
    if (!found) {
        return insert(queue, at, key,
                      &(struct fx_status_task){.due_ns = now_ns, .wanted = wanted});
    }
    struct fx_status_task *task = queue->items[at];
    queue->n_settled -= task->settled_ns != 0 ? 1 : 0;
    task->settled_ns = 0;
    if (task->wanted != wanted && task->written != wanted) {
        task->due_ns = now_ns;
    }
    task->wanted = wanted;
    return true;
}

void fx_status_queue_settle(struct fx_status_queue *queue, const char *key,
                            uint64_t now_ns) {
    bool found = false;
    const size_t at = find_index(queue, key, &found);
    if (!found) {
        return;
    }
    struct fx_status_task *task = queue->items[at];
    if (task->tries == 0 && !task->writing) {
        remove_at(queue, at);
    } else if (task->settled_ns == 0) {
        task->settled_ns = now_ns == 0 ? 1 : now_ns;
        queue->n_settled++;
        queue->forget_ns = queue->forget_ns == 0 ? now_ns + REMEMBERED : queue->forget_ns;
    }
}

void fx_status_queue_drop(struct fx_status_queue *queue, const char *key) {
    bool found = false;
    const size_t at = find_index(queue, key, &found);
    if (found) {
        remove_at(queue, at);
    }
}

size_t fx_status_queue_count(const struct fx_status_queue *queue) {
    return queue->n_items - queue->n_settled;
}

static void forget_some(struct fx_status_queue *queue, uint64_t now_ns) {
    if (queue->forget_ns == 0 || now_ns < queue->forget_ns) {
        return;
    }
    for (size_t i = queue->n_items; i > 0; i--) {
        const struct fx_status_task *task = queue->items[i - 1];
        if (task->settled_ns != 0 && !task->writing &&
            now_ns - task->settled_ns >= REMEMBERED) {
            remove_at(queue, i - 1);
        }
    }
    queue->forget_ns = queue->n_settled == 0 ? 0 : now_ns + REMEMBERED / 4;
}

static void begin_write(struct fx_status_task *task) {
    task->tries = task->written == task->wanted ? task->tries : 0;
    task->written = task->wanted;
    task->writing = true;
}

struct fx_status_task *fx_status_queue_take(struct fx_status_queue *queue,
                                            uint64_t now_ns) {
    forget_some(queue, now_ns);
    for (size_t i = 0; i < queue->n_items; i++) {
        const size_t at = (queue->cursor + i) % queue->n_items;
        struct fx_status_task *task = queue->items[at];
        if (!task->writing && task->settled_ns == 0 && task->due_ns <= now_ns) {
            begin_write(task);
            queue->cursor = at + 1;
            return task;
        }
    }
    return NULL;
}

static uint64_t pause_after(unsigned tries) {
    uint64_t pause = FIRST_PAUSE;
    for (unsigned i = 1; i < tries && pause < LAST_PAUSE; i++) {
        pause = fx_backoff_double(pause, FIRST_PAUSE, LAST_PAUSE);
    }
    return pause;
}

void fx_status_queue_put_back(struct fx_status_queue *queue, const char *key,
                              uint64_t wait_ns, uint64_t now_ns) {
    bool found = false;
    const size_t at = find_index(queue, key, &found);
    if (!found) {
        return;
    }
    struct fx_status_task *task = queue->items[at];
    const uint64_t pause = pause_after(++task->tries);
    const bool is_old = task->wanted != task->written; /* the wanted status has changed */
    task->writing = false;
    task->due_ns = now_ns + (is_old || wait_ns > pause ? wait_ns : pause);
}

uint64_t fx_status_queue_next(const struct fx_status_queue *queue) {
    uint64_t next = queue->forget_ns;
    for (size_t i = 0; i < queue->n_items; i++) {
        const struct fx_status_task *task = queue->items[i];
        if (!task->writing && task->settled_ns == 0 &&
            (next == 0 || task->due_ns < next)) {
            next = task->due_ns;
        }
    }
    return next;
}
