/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/value_test.c - maps of both forms, equality, order, names of types.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "location/cel/map.h"
#include "location/cel/run.h"
#include "value/json.h"

#define MEMORY ((size_t)16 << 20)
#define MANY   3000

static json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(root);
    return root;
}

static struct fx_cel_value string(const char *text) {
    return fx_cel_make_string(fx_text_of(text));
}

static void set(struct fx_cel_run *run, struct fx_cel_value map, struct fx_cel_value key,
                int64_t value) {
    assert_true(fx_cel_map_set(run, map, key, fx_cel_make_int(value)));
}

/* The integer under the key; -1: there is none. */
static int64_t get(struct fx_cel_value map, struct fx_cel_value key) {
    struct fx_cel_value value;
    return fx_cel_map_find(map, key, &value) ? value.integer : -1;
}

/* With few entries and with a table: the last value counts, the order stays. */
static void test_map_of_many(void **state) {
    struct fx_arena arena;
    fx_arena_init(&arena, MEMORY);
    struct fx_cel_run run = {.arena = &arena};
    const struct fx_cel_value map = fx_cel_new_map(&run, 0);
    for (int64_t i = 0; i < MANY; i++) {
        set(&run, map, fx_cel_make_int(i), i);
        set(&run, map, fx_cel_make_int(i / 2), i);
        assert_int_equal(fx_cel_map_size(map), i + 1);
    }
    assert_int_equal(get(map, fx_cel_make_int(0)), 1);
    assert_int_equal(get(map, fx_cel_make_int(MANY - 1)), MANY - 1);
    assert_int_equal(get(map, fx_cel_make_int(MANY)), -1);
    fx_cel_map_drop(map.map, fx_cel_make_int(7));
    fx_cel_map_drop(map.map, fx_cel_make_int(MANY));
    assert_int_equal(fx_cel_map_size(map), MANY - 1);
    assert_int_equal(get(map, fx_cel_make_int(7)), -1);
    assert_int_equal(get(map, fx_cel_make_int(8)), 17);
    struct fx_cel_map_walk walk;
    struct fx_cel_map_entry entry;
    fx_cel_map_walk_start(&walk, map);
    for (int64_t i = 0; fx_cel_map_walk_next(&walk, &entry); i++) {
        assert_int_equal(entry.key.integer, i < 7 ? i : i + 1);
    }
    fx_arena_finish(&arena);
    (void)state;
}

/* Keys of different kinds are different entries; of those that are missing, an integer
 * finds the other kind of integer, and a double any. */
static void test_numbers_as_keys(void **state) {
    struct fx_arena arena;
    fx_arena_init(&arena, MEMORY);
    struct fx_cel_run run = {.arena = &arena};
    const struct fx_cel_value map = fx_cel_new_map(&run, 0);
    set(&run, map, fx_cel_make_uint(1), 10);
    set(&run, map, fx_cel_make_double(2), 20);
    set(&run, map, fx_cel_make_int(-3), 30);
    assert_int_equal(get(map, fx_cel_make_int(1)), 10);
    assert_int_equal(get(map, fx_cel_make_double(1)), 10);
    assert_int_equal(get(map, fx_cel_make_int(2)), -1);
    assert_int_equal(get(map, fx_cel_make_double(-3)), 30);
    assert_int_equal(get(map, fx_cel_make_double(1.5)), -1);
    set(&run, map, fx_cel_make_int(1), 11);
    assert_int_equal(get(map, fx_cel_make_int(1)), 11);
    assert_int_equal(get(map, fx_cel_make_uint(1)), 10);
    assert_int_equal(fx_cel_map_size(map), 4);
    fx_arena_finish(&arena);
    (void)state;
}

/* A list and a map of the tree equal those that an expression builds. */
static void test_tree(void **state) {
    json_t *root = read_json("{\"a\":[1,2.5,\"x\"],\"b\":null,\"c\":{}}");
    struct fx_arena arena;
    fx_arena_init(&arena, MEMORY);
    struct fx_cel_run run = {.arena = &arena};
    const struct fx_cel_value tree = fx_cel_make_node(root);
    const struct fx_cel_value list = fx_cel_new_list(&run, 0);
    const struct fx_cel_value map = fx_cel_new_map(&run, 3);
    assert_true(fx_cel_list_add(&run, list, fx_cel_make_uint(1)));
    assert_true(fx_cel_list_add(&run, list, fx_cel_make_double(2.5)));
    assert_true(fx_cel_list_add(&run, list, string("x")));
    assert_true(fx_cel_map_set(&run, map, string("c"), fx_cel_new_map(&run, 0)));
    assert_true(fx_cel_map_set(&run, map, string("b"), fx_cel_make_null()));
    assert_false(fx_cel_equal(tree, map));
    assert_true(fx_cel_map_set(&run, map, string("a"), list));
    assert_true(fx_cel_equal(tree, map));
    assert_true(fx_cel_equal(map, tree));
    assert_true(fx_cel_list_add(&run, list, string("y")));
    assert_false(fx_cel_equal(map, tree));
    assert_int_equal(get(tree, fx_cel_make_int(1)), -1);
    fx_arena_finish(&arena);
    json_decref(root);
    (void)state;
}

static void test_order(void **state) {
    const struct fx_cel_value low = {.kind = FX_CEL_TIMESTAMP,
                                     .timestamp = {.seconds = -1, .nanoseconds = 5}};
    const struct fx_cel_value high = {.kind = FX_CEL_TIMESTAMP,
                                      .timestamp = {.seconds = -1, .nanoseconds = 6}};
    const struct {
        struct fx_cel_value a, b;
        bool ordered;
        int order;
    } cases[] = {
        {fx_cel_make_int(INT64_MAX), fx_cel_make_double(9223372036854775808.0), true, 0},
        {fx_cel_make_int(INT64_MAX), fx_cel_make_uint(UINT64_MAX), true, -1},
        {fx_cel_make_uint(0), fx_cel_make_int(-1), true, 1},
        {fx_cel_make_double(-0.5), fx_cel_make_uint(0), true, -1},
        {fx_cel_make_double(1e300), fx_cel_make_int(INT64_MAX), true, 1},
        {fx_cel_make_bool(false), fx_cel_make_bool(true), true, -1},
        {string("ab"), string("b"), true, -1},
        {low, high, true, -1},
        {string("1"), fx_cel_make_int(1), false, 0},
        {fx_cel_make_null(), fx_cel_make_null(), false, 0},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        int order = 0;
        assert_int_equal(fx_cel_compare(cases[i].a, cases[i].b, &order),
                         cases[i].ordered);
        if (cases[i].ordered) {
            assert_int_equal((order > 0) - (order < 0), cases[i].order);
            assert_int_equal(fx_cel_equal(cases[i].a, cases[i].b), order == 0);
        }
    }
    (void)state;
}

/* A long message is cut between code points. */
static void test_long_message(void **state) {
    struct fx_arena arena;
    char text[4098];
    fx_arena_init(&arena, MEMORY);
    struct fx_cel_run run = {.arena = &arena};
    for (size_t i = 0; i + 1 < sizeof text; i += 2) {
        text[i] = '\xc3';
        text[i + 1] = '\xa9';
    }
    const struct fx_cel_value error = fx_cel_fail(&run, "x%.*s", (int)sizeof text, text);
    assert_true(fx_cel_is_error(error));
    assert_true(strlen(error.error) > 2000 && strlen(error.error) < 2048);
    assert_true(fx_text_is_utf8(fx_text_of(error.error)));
    fx_arena_finish(&arena);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map_of_many),  cmocka_unit_test(test_numbers_as_keys),
        cmocka_unit_test(test_tree),         cmocka_unit_test(test_order),
        cmocka_unit_test(test_long_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
