/* SPDX-License-Identifier: Apache-2.0
 *
 * net/turns.h - work that waits for its turn: one piece in each turn of the loop, after
 * that turn's input and output. So between two pieces everybody else is served once. The
 * loop does not sleep while something waits.
 */
#ifndef FX_NET_TURNS_H
#define FX_NET_TURNS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

/* One who waits, or not; part of its owner's struct. Zeroed: does not wait. */
struct fx_turn {
    struct fx_turn *next, *previous;
    bool waits, urgent;
};

struct fx_turn_queue {
    struct fx_turn *first, *last;
};

struct fx_turns {
    uint32_t magic;
    uv_check_t check;
    uv_idle_t idle;
    struct fx_turn_queue urgent, others;
    atomic_size_t n_waiting;
    void (*on_turn)(struct fx_turn *turn);
    void (*on_closed)(void *user);
    void *user;
    bool held;
    unsigned handles; /* not yet closed */
};

/* `on_turn` is called when a turn has come, which does not wait any more by then. */
void fx_turns_init(struct fx_turns *turns, uv_loop_t *loop,
                   void (*on_turn)(struct fx_turn *turn));

/* Queues it behind the others; all that is urgent comes before what is not. */
void fx_turns_wait(struct fx_turns *turns, struct fx_turn *turn, bool urgent);

/* Takes the next one before its turn; NULL: nobody waits. */
struct fx_turn *fx_turns_take(struct fx_turns *turns);

/* Takes it out of the queue. One that does not wait is fine. */
void fx_turns_leave(struct fx_turns *turns, struct fx_turn *turn);

/* No turn comes until fx_turns_go_on(): the last one has not come to its end yet. */
void fx_turns_hold(struct fx_turns *turns);
void fx_turns_go_on(struct fx_turns *turns);

/* How many wait. Any thread may ask. */
size_t fx_turns_waiting(const struct fx_turns *turns);

/* Nobody waits any more. The memory may go in `on_closed`, which comes later. */
void fx_turns_close(struct fx_turns *turns, void (*on_closed)(void *user), void *user);

#endif
