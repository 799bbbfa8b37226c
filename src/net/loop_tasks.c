/* SPDX-License-Identifier: Apache-2.0
 *
 * net/loop_tasks.c - two queues, and the two handles that libuv calls once in an
 * iteration.
 */
#include "net/loop_tasks.h"

#include <assert.h>

#include "base/checked.h"

#define TASKS_MAGIC 0x66787475u /* "fxtu" */

static struct fx_queue *queue_of(struct fx_loop_tasks *tasks, bool urgent) {
    return urgent ? &tasks->urgent : &tasks->others;
}

static struct fx_loop_task *first_of(const struct fx_loop_tasks *tasks) {
    return (struct fx_loop_task *)(tasks->urgent.first != NULL ? tasks->urgent.first
                                                               : tasks->others.first);
}

static void on_check(uv_check_t *check) {
    struct fx_loop_tasks *tasks = fx_checked(check->data, TASKS_MAGIC);
    struct fx_loop_task *task = fx_loop_tasks_take(tasks);
    if (task != NULL) {
        tasks->on_task(task);
    }
}

/* An active idle handle keeps the loop from sleeping. */
static void on_idle(uv_idle_t *idle) {
    (void)idle;
}

/* The handles are active only if a task can run. */
static void update_handles(struct fx_loop_tasks *tasks) {
    if (first_of(tasks) != NULL && !tasks->paused) {
        (void)uv_check_start(&tasks->check, on_check);
        (void)uv_idle_start(&tasks->idle, on_idle);
    } else {
        (void)uv_check_stop(&tasks->check);
        (void)uv_idle_stop(&tasks->idle);
    }
}

void fx_loop_tasks_pause(struct fx_loop_tasks *tasks) {
    tasks->paused = true;
    update_handles(tasks);
}

void fx_loop_tasks_resume(struct fx_loop_tasks *tasks) {
    tasks->paused = false;
    update_handles(tasks);
}

void fx_loop_tasks_init(struct fx_loop_tasks *tasks, uv_loop_t *loop,
                        void (*on_task)(struct fx_loop_task *task)) {
    *tasks =
        (struct fx_loop_tasks){.magic = TASKS_MAGIC, .on_task = on_task, .handles = 2};
    atomic_init(&tasks->n_queued, 0);
    (void)uv_check_init(loop, &tasks->check); /* these two calls */
    (void)uv_idle_init(loop, &tasks->idle);   /* cannot fail */
    tasks->check.data = tasks;
    tasks->idle.data = tasks;
}

void fx_loop_tasks_add(struct fx_loop_tasks *tasks, struct fx_loop_task *task,
                       bool urgent) {
    assert(!task->is_queued);
    *task = (struct fx_loop_task){.is_queued = true, .urgent = urgent};
    fx_queue_append(queue_of(tasks, urgent), &task->link);
    atomic_fetch_add_explicit(&tasks->n_queued, 1, memory_order_relaxed);
    update_handles(tasks);
}

void fx_loop_tasks_remove(struct fx_loop_tasks *tasks, struct fx_loop_task *task) {
    if (!task->is_queued) {
        return;
    }
    fx_queue_remove(queue_of(tasks, task->urgent), &task->link);
    *task = (struct fx_loop_task){0};
    atomic_fetch_sub_explicit(&tasks->n_queued, 1, memory_order_relaxed);
    update_handles(tasks);
}

struct fx_loop_task *fx_loop_tasks_take(struct fx_loop_tasks *tasks) {
    struct fx_loop_task *task = first_of(tasks);
    if (task != NULL) {
        fx_loop_tasks_remove(tasks, task);
    }
    return task;
}

size_t fx_loop_tasks_count(const struct fx_loop_tasks *tasks) {
    return atomic_load_explicit(&tasks->n_queued, memory_order_relaxed);
}

static void on_handle_closed(uv_handle_t *handle) {
    struct fx_loop_tasks *tasks = fx_checked(handle->data, TASKS_MAGIC);
    if (--tasks->handles == 0) {
        tasks->magic = 0;
        tasks->on_closed(tasks->user);
    }
}

void fx_loop_tasks_close(struct fx_loop_tasks *tasks, void (*on_closed)(void *user),
                         void *user) {
    assert(first_of(tasks) == NULL);
    tasks->on_closed = on_closed;
    tasks->user = user;
    uv_close((uv_handle_t *)&tasks->check, on_handle_closed);
    uv_close((uv_handle_t *)&tasks->idle, on_handle_closed);
}
