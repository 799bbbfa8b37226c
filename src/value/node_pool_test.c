/* SPDX-License-Identifier: Apache-2.0
 *
 * value/node_pool_test.c - nodes in slabs: they hold what was put there, whichever thread
 * drops them whenever; and their memory is bounded once they are gone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/node_pool.h"
#include "value/tree.h"

#define SLAB_BYTES ((size_t)64 << 10)

/* A list of so many objects. */
static struct fx_buf text_of(size_t n_objects) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_char(&text, '[');
    for (size_t i = 0; i < n_objects; i++) {
        fx_buf_printf(&text, "%s{\"name\":\"n%zu\",\"list\":[%zu,true,[\"%0*d\"]]}",
                      i == 0 ? "" : ",", i, i, (int)(i % 300), 7);
    }
    fx_buf_char(&text, ']');
    assert_false(text.failed);
    return text;
}

static json_t *read(const struct fx_buf *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read((struct fx_text){text->data, text->len}, NULL, &err);
    assert_non_null(value);
    return value;
}

static json_t *read_within(const struct fx_buf *text) {
    fx_node_pool_enter();
    json_t *value = read(text);
    fx_node_pool_leave();
    return value;
}

static int install(void **state) {
    (void)state;
    fx_node_pool_install();
    return 0;
}

/* Values that were made within and without, dropped in any order. */
static void holds_what_was_put_there(void **state) {
    (void)state;
    struct fx_buf text = text_of(500);
    json_t *outside = read(&text);
    json_t *values[16] = {NULL};
    srand(1);
    for (int i = 0; i < 60; i++) {
        const int at = rand() % 16;
        if (values[at] != NULL) {
            assert_true(fx_equal(values[at], outside));
            json_decref(values[at]);
        }
        values[at] = read_within(&text);
    }
    for (int at = 0; at < 16; at++) {
        json_decref(values[at]);
    }
    json_decref(outside);
    fx_buf_finish(&text);
}

/* The same small review over and over needs one slab. */
static void begins_anew(void **state) {
    (void)state;
    struct fx_buf text = text_of(50);
    const size_t before = fx_node_pool_bytes();
    for (int i = 0; i < 1000; i++) {
        json_decref(read_within(&text));
    }
    assert_in_range(fx_node_pool_bytes(), before, before + SLAB_BYTES);
    fx_buf_finish(&text);
}

/* What a large value took is given back but for the idle slabs, and the current one. */
static void gives_back(void **state) {
    (void)state;
    struct fx_buf text = text_of(30000);
    json_t *large = read_within(&text);
#ifndef FX_ARENA_DEBUG
    assert_true(fx_node_pool_bytes() > (size_t)8 << 20);
#endif
    json_decref(large);
    assert_in_range(fx_node_pool_bytes(), 0, (FX_LIMIT_IDLE_SLABS + 1) * SLAB_BYTES);
    large = read_within(&text); /* of the same memory */
    json_t *again = read(&text);
    assert_true(fx_equal(large, again));
    json_decref(large);
    json_decref(again);
    fx_buf_finish(&text);
}

/* A node written to within keeps its children from without, and the reverse. */
static void mixes(void **state) {
    (void)state;
    json_t *outside = json_object();
    assert_true(fx_tree_set_take(outside, FX_TEXT("kept"), json_string("value")));
    json_t *root = json_incref(outside);
    fx_node_pool_enter();
    json_t *own = fx_tree_own_root(&root);
    assert_non_null(own);
    assert_true(fx_tree_set_take(own, FX_TEXT("more"), json_integer(7)));
    fx_node_pool_leave();
    json_decref(outside);
    assert_string_equal(json_string_value(fx_tree_view_key(root, "kept")), "value");
    assert_int_equal(json_integer_value(fx_tree_view_key(root, "more")), 7);
    json_decref(root);
}

/* ---- threads ----------------------------------------------------------------------- */

#define N_THREADS 4
#define N_PLACES  8

/* Where threads leave values for each other. */
static struct {
    pthread_mutex_t lock;
    json_t *values[N_PLACES];
    struct fx_buf text;
} exchange = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Puts the value there and takes what another thread has left, perhaps nothing. */
static json_t *swap(unsigned place, json_t *value) {
    (void)pthread_mutex_lock(&exchange.lock);
    json_t *other = exchange.values[place % N_PLACES];
    exchange.values[place % N_PLACES] = value;
    (void)pthread_mutex_unlock(&exchange.lock);
    return other;
}

/* Reviews whose values any thread drops; the last ones outlive the thread. */
static void *review(void *user) {
    unsigned *seed = user;
    json_t *expected = read(&exchange.text);
    for (unsigned i = 0; i < 100; i++) {
        const unsigned place = (unsigned)rand_r(seed);
        json_t *other = swap(place, read_within(&exchange.text));
        if (other != NULL && !fx_equal(other, expected)) {
            *seed = 0;
        }
        json_decref(other);
    }
    json_decref(expected);
    return seed;
}

static void run_threads(void) {
    pthread_t threads[N_THREADS];
    unsigned seeds[N_THREADS];
    for (unsigned i = 0; i < N_THREADS; i++) {
        seeds[i] = i + 1;
        assert_int_equal(pthread_create(&threads[i], NULL, review, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_not_equal(seeds[i], 0);
    }
}

static void serves_threads(void **state) {
    (void)state;
    exchange.text = text_of(60);
    const size_t before = fx_node_pool_all_bytes();
    for (int round = 0; round < 5; round++) {
        run_threads();
        for (unsigned i = 0; i < N_PLACES; i++) {
            json_decref(swap(i, NULL));
        }
        /* All threads have ended and all values are dropped. */
        assert_int_equal(fx_node_pool_all_bytes(), before);
    }
    fx_buf_finish(&exchange.text);
}

/* What another thread drops, the owner hears of when it begins the next review. */
static void *drop(void *user) {
    json_decref(user);
    return NULL;
}

static void hears_of_others(void **state) {
    (void)state;
    struct fx_buf text = text_of(3000);
    for (int i = 0; i < 20; i++) {
        pthread_t other;
        json_t *value = read_within(&text);
        assert_int_equal(pthread_create(&other, NULL, drop, value), 0);
        assert_int_equal(pthread_join(other, NULL), 0);
    }
    json_decref(read_within(&text));
    assert_in_range(fx_node_pool_bytes(), 0, (FX_LIMIT_IDLE_SLABS + 1) * SLAB_BYTES);
    fx_buf_finish(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serves_threads),
        cmocka_unit_test(hears_of_others),
        cmocka_unit_test(holds_what_was_put_there),
        cmocka_unit_test(begins_anew),
        cmocka_unit_test(gives_back),
        cmocka_unit_test(mixes),
    };
    return cmocka_run_group_tests(tests, install, NULL);
}
