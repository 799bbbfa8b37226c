/* SPDX-License-Identifier: Apache-2.0
 *
 * server/message_queue_test.c - messages between two loops, each on its thread.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "server/message_queue.h"

#define ROUNDS 20000

/* One of two players that post the ball to each other. */
struct player {
    uv_loop_t loop;
    struct fx_message_queue queue;
    struct fx_message ball;
    struct player *other;
    int n_hits;
};

static void begin(struct player *player) {
    struct fx_err err = FX_ERR_INIT;
    *player = (struct player){.n_hits = 0};
    assert_int_equal(uv_loop_init(&player->loop), 0);
    assert_true(fx_message_queue_init(&player->queue, &player->loop, &err));
}

static void run(void *user) {
    struct player *player = user;
    (void)uv_run(&player->loop, UV_RUN_DEFAULT);
    fx_message_queue_finish(&player->queue);
    assert_int_equal(uv_loop_close(&player->loop), 0);
}

static void on_ball(void *user) {
    struct player *player = user;
    player->n_hits++;
    if (player->n_hits == ROUNDS) {
        fx_message_queue_close(&player->queue);
    }
    if (player->other->n_hits < ROUNDS) {
        fx_message_queue_post(&player->other->queue, &player->other->ball);
    }
}

static void test_back_and_forth(void **state) {
    (void)state;
    struct player a;
    struct player b;
    begin(&a);
    begin(&b);
    a.other = &b;
    b.other = &a;
    a.ball = (struct fx_message){.handle = on_ball, .user = &a};
    b.ball = (struct fx_message){.handle = on_ball, .user = &b};
    fx_message_queue_post(&a.queue, &a.ball);
    uv_thread_t thread;
    assert_int_equal(uv_thread_create(&thread, run, &b), 0);
    run(&a);
    assert_int_equal(uv_thread_join(&thread), 0);
    assert_int_equal(a.n_hits, ROUNDS);
    assert_int_equal(b.n_hits, ROUNDS);
}

/* The numbers of the opened messages, in order. */
struct list {
    struct player player;
    struct fx_message messages[4];
    char opened[16];
    size_t n_opened;
};

static void note(struct list *list, char which) {
    list->opened[list->n_opened++] = which;
}

static void on_first(void *user) {
    struct list *list = user;
    note(list, 'a');
}

static void on_second(void *user) {
    struct list *list = user;
    note(list, 'b');
    if (list->n_opened < 4) { /* once more, from within */
        fx_message_queue_post(&list->player.queue, &list->messages[1]);
        fx_message_queue_post(&list->player.queue, &list->messages[2]);
    }
}

static void on_third(void *user) {
    struct list *list = user;
    note(list, 'c');
    fx_message_queue_close(&list->player.queue);
}

static void test_order(void **state) {
    (void)state;
    struct list list = {.n_opened = 0};
    begin(&list.player);
    void (*const open[])(void *user) = {on_first, on_second, on_third};
    for (size_t i = 0; i < 3; i++) {
        list.messages[i] = (struct fx_message){.handle = open[i], .user = &list};
    }
    fx_message_queue_post(&list.player.queue, &list.messages[1]);
    fx_message_queue_post(&list.player.queue, &list.messages[0]);
    fx_message_queue_post(&list.player.queue, &list.messages[1]); /* waits already */
    run(&list.player);
    assert_string_equal(list.opened, "babc");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_back_and_forth),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
