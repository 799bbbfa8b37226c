/* SPDX-License-Identifier: Apache-2.0
 *
 * net/turns.c - two queues, and the two handles by which libuv calls once a turn.
 */
#include "net/turns.h"

#include <assert.h>

#define TURNS_MAGIC 0x66787475u /* "fxtu" */

static struct fx_turns *checked(void *data) {
    struct fx_turns *turns = data;
    assert(turns != NULL && turns->magic == TURNS_MAGIC);
    return turns;
}

static struct fx_turn_queue *queue_of(struct fx_turns *turns, bool urgent) {
    return urgent ? &turns->urgent : &turns->others;
}

static struct fx_turn *first_of(const struct fx_turns *turns) {
    return turns->urgent.first != NULL ? turns->urgent.first : turns->others.first;
}

static void on_check(uv_check_t *check) {
    struct fx_turns *turns = checked(check->data);
    struct fx_turn *turn = fx_turns_take(turns);
    if (turn != NULL) {
        turns->on_turn(turn);
    }
}

/* That there is something to be done is all it says: the loop does not sleep. */
static void on_idle(uv_idle_t *idle) {
    (void)idle;
}

/* The handles run only while a turn can come. */
static void update(struct fx_turns *turns) {
    if (first_of(turns) != NULL && !turns->held) {
        (void)uv_check_start(&turns->check, on_check);
        (void)uv_idle_start(&turns->idle, on_idle);
    } else {
        (void)uv_check_stop(&turns->check);
        (void)uv_idle_stop(&turns->idle);
    }
}

void fx_turns_hold(struct fx_turns *turns) {
    turns->held = true;
    update(turns);
}

void fx_turns_go_on(struct fx_turns *turns) {
    turns->held = false;
    update(turns);
}

void fx_turns_init(struct fx_turns *turns, uv_loop_t *loop,
                   void (*on_turn)(struct fx_turn *turn)) {
    *turns = (struct fx_turns){.magic = TURNS_MAGIC, .on_turn = on_turn, .handles = 2};
    atomic_init(&turns->n_waiting, 0);
    (void)uv_check_init(loop, &turns->check); /* these two */
    (void)uv_idle_init(loop, &turns->idle);   /* cannot fail */
    turns->check.data = turns;
    turns->idle.data = turns;
}

void fx_turns_wait(struct fx_turns *turns, struct fx_turn *turn, bool urgent) {
    assert(!turn->waits);
    struct fx_turn_queue *queue = queue_of(turns, urgent);
    *turn = (struct fx_turn){.waits = true, .urgent = urgent, .previous = queue->last};
    *(queue->last == NULL ? &queue->first : &queue->last->next) = turn;
    queue->last = turn;
    atomic_fetch_add_explicit(&turns->n_waiting, 1, memory_order_relaxed);
    update(turns);
}

void fx_turns_leave(struct fx_turns *turns, struct fx_turn *turn) {
    if (!turn->waits) {
        return;
    }
    struct fx_turn_queue *queue = queue_of(turns, turn->urgent);
    *(turn->previous == NULL ? &queue->first : &turn->previous->next) = turn->next;
    *(turn->next == NULL ? &queue->last : &turn->next->previous) = turn->previous;
    *turn = (struct fx_turn){0};
    atomic_fetch_sub_explicit(&turns->n_waiting, 1, memory_order_relaxed);
    update(turns);
}

struct fx_turn *fx_turns_take(struct fx_turns *turns) {
    struct fx_turn *turn = first_of(turns);
    if (turn != NULL) {
        fx_turns_leave(turns, turn);
    }
    return turn;
}

size_t fx_turns_waiting(const struct fx_turns *turns) {
    return atomic_load_explicit(&turns->n_waiting, memory_order_relaxed);
}

static void on_handle_closed(uv_handle_t *handle) {
    struct fx_turns *turns = checked(handle->data);
    if (--turns->handles == 0) {
        turns->magic = 0;
        turns->on_closed(turns->user);
    }
}

void fx_turns_close(struct fx_turns *turns, void (*on_closed)(void *user), void *user) {
    assert(first_of(turns) == NULL);
    turns->on_closed = on_closed;
    turns->user = user;
    uv_close((uv_handle_t *)&turns->check, on_handle_closed);
    uv_close((uv_handle_t *)&turns->idle, on_handle_closed);
}
