/* SPDX-License-Identifier: Apache-2.0
 *
 * net/loop_tasks.h - work that waits for its turn: one piece in each turn of the loop,
 * after that turn's input and output. So between two pieces everybody else is served
 * once. The loop does not sleep while something waits.
 */
#ifndef FX_NET_LOOP_TASKS_H
#define FX_NET_LOOP_TASKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

/* One who waits, or not; part of its owner's struct. Zeroed: does not wait. */
struct fx_loop_task {
    struct fx_loop_task *next, *previous;
    bool waits, urgent;
};

struct fx_loop_task_list {
    struct fx_loop_task *first, *last;
};

struct fx_loop_tasks {
    uint32_t magic;
    uv_check_t check;
    uv_idle_t idle;
    struct fx_loop_task_list urgent, others;
    atomic_size_t n_waiting;
    void (*on_task)(struct fx_loop_task *task);
    void (*on_closed)(void *user);
    void *user;
    bool held;
    unsigned handles; /* not yet closed */
};

/* `on_task` is called when a turn has come, which does not wait any more by then. */
void fx_loop_tasks_init(struct fx_loop_tasks *tasks, uv_loop_t *loop,
                        void (*on_task)(struct fx_loop_task *task));

/* Queues it behind the others; all that is urgent comes before what is not. */
void fx_loop_tasks_add(struct fx_loop_tasks *tasks, struct fx_loop_task *task,
                       bool urgent);

/* Takes the next one before its turn; NULL: nobody waits. */
struct fx_loop_task *fx_loop_tasks_take(struct fx_loop_tasks *tasks);

/* Takes it out of the queue. One that does not wait is fine. */
void fx_loop_tasks_remove(struct fx_loop_tasks *tasks, struct fx_loop_task *task);

/* No turn comes until fx_loop_tasks_resume(): the last one has not come to its end yet.
 */
void fx_loop_tasks_pause(struct fx_loop_tasks *tasks);
void fx_loop_tasks_resume(struct fx_loop_tasks *tasks);

/* How many wait. Any thread may ask. */
size_t fx_loop_tasks_count(const struct fx_loop_tasks *tasks);

/* Nobody waits any more. The memory may go in `on_closed`, which comes later. */
void fx_loop_tasks_close(struct fx_loop_tasks *tasks, void (*on_closed)(void *user),
                         void *user);

#endif
