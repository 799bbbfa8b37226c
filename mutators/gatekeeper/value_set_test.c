/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/value_set_test.c - what is found in small sets and in large ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mutators/gatekeeper/testing.h"
#include "mutators/gatekeeper/value_set.h"

#define NONE SIZE_MAX

static size_t find(const struct value_set *set, const char *text) {
    json_t *value = must_read(text);
    size_t index = 0;
    const bool found = fx_value_set_find(set, value, &index);
    json_decref(value);
    return found ? index : NONE;
}

/* The values of the list, behind so many others. */
static struct value_set must_make(const char *list, size_t others) {
    json_t *values = json_array();
    for (size_t i = 0; i < others; i++) {
        assert_int_equal(json_array_append_new(values, json_sprintf("other %zu", i)), 0);
    }
    json_t *last = must_read(list);
    assert_int_equal(json_array_extend(values, last), 0);
    json_decref(last);
    struct value_set set;
    assert_true(fx_value_set_init(&set, values));
    json_decref(values); /* the set has its own */
    return set;
}

static void finds(void **state) {
    (void)state;
    static const size_t others[] = {0, 1000};
    for (size_t i = 0; i < FX_COUNT(others); i++) {
        const size_t n = others[i];
        struct value_set set = must_make("[5,'5',5.0,{'a':1,'b':[2]},null,"
                                         "{'b':[2.0],'a':1},'5',[],{}]",
                                         n);
        assert_int_equal(set.n_values, n + 6);
        assert_true((set.slots != NULL) == (n > 0));
        assert_int_equal(find(&set, "5.0"), n);
        assert_int_equal(find(&set, "'5'"), n + 1);
        assert_int_equal(find(&set, "{'b':[2],'a':1.0}"), n + 2);
        assert_int_equal(find(&set, "null"), n + 3);
        assert_int_equal(find(&set, "[]"), n + 4);
        assert_int_equal(find(&set, "{}"), n + 5);
        assert_int_equal(find(&set, "'other 0'"), n > 0 ? 0 : NONE);
        assert_int_equal(find(&set, "'other 999'"), n > 0 ? 999 : NONE);
        assert_int_equal(find(&set, "'other 1000'"), NONE);
        assert_int_equal(find(&set, "false"), NONE);
        assert_int_equal(find(&set, "5.5"), NONE);
        assert_int_equal(find(&set, "[[]]"), NONE);
        fx_value_set_finish(&set);
    }
}

/* So many integers, each twice. */
static json_t *make_twice(size_t n) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        for (int twice = 0; twice < 2; twice++) {
            assert_int_equal(json_array_append_new(list, json_integer((json_int_t)i)), 0);
        }
    }
    return list;
}

/* Whatever the size, each is found where it first came, and nothing else is. */
static void finds_each_of_any_number(void **state) {
    (void)state;
    for (size_t n = 0; n < 80; n++) {
        json_t *list = make_twice(n);
        struct value_set set;
        assert_true(fx_value_set_init(&set, list));
        assert_int_equal(set.n_values, n);
        for (size_t i = 0; i <= n; i++) {
            json_t *value = json_real((double)i);
            size_t index = NONE;
            assert_true(fx_value_set_find(&set, value, &index) == (i < n));
            assert_int_equal(index, i < n ? i : NONE);
            json_decref(value);
        }
        fx_value_set_finish(&set);
        json_decref(list);
    }
}

static void forgives(void **state) {
    (void)state;
    struct value_set set = {0};
    fx_value_set_finish(&set);
    fx_value_set_finish(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds),
        cmocka_unit_test(finds_each_of_any_number),
        cmocka_unit_test(forgives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
