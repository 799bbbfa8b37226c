/* SPDX-License-Identifier: Apache-2.0
 *
 * net/loop_tasks.h - tasks of which one runs in each iteration of the loop, after the
 * input and output of that iteration. So all connections are served once
 * between two tasks. The loop does not sleep while a task is queued.
 */
#ifndef FX_NET_LOOP_TASKS_H
#define FX_NET_LOOP_TASKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/list.h"

/* Part of its owner's struct. A zeroed task is not queued. */
struct fx_loop_task {
    struct fx_list_link link;
    bool is_queued, urgent;
};

struct fx_loop_tasks {
    uint32_t magic;
    uv_check_t check;
    uv_idle_t idle;
    struct fx_queue urgent, others;
    atomic_size_t n_queued;
    void (*on_task)(struct fx_loop_task *task);
    void (*on_closed)(void *user);
    void *user;
    bool paused;
    unsigned handles; /* handles that are not closed yet */
};

/* Initializes the tasks of a loop. `on_task` runs a task, which is then no longer
 * queued. */
void fx_loop_tasks_init(struct fx_loop_tasks *tasks, uv_loop_t *loop,
                        void (*on_task)(struct fx_loop_task *task));

/* Queues a task that is not queued. Urgent tasks run before the others. */
void fx_loop_tasks_add(struct fx_loop_tasks *tasks, struct fx_loop_task *task,
                       bool urgent);

/* Removes the next task from the queue and returns it; NULL if the queue is empty. */
struct fx_loop_task *fx_loop_tasks_take(struct fx_loop_tasks *tasks);

/* Removes this task from the queue. Does nothing if it is not queued. */
void fx_loop_tasks_remove(struct fx_loop_tasks *tasks, struct fx_loop_task *task);

/* Between fx_loop_tasks_pause() and fx_loop_tasks_resume() no task runs. For a task that
 * continues elsewhere. */
void fx_loop_tasks_pause(struct fx_loop_tasks *tasks);
void fx_loop_tasks_resume(struct fx_loop_tasks *tasks);

/* Returns the number of queued tasks. Any thread may call it. */
size_t fx_loop_tasks_count(const struct fx_loop_tasks *tasks);

/* Closes the handles; the queue must be empty. `on_closed` is called later; then the
 * memory may be freed. */
void fx_loop_tasks_close(struct fx_loop_tasks *tasks, void (*on_closed)(void *user),
                         void *user);

#endif
