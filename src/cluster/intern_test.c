/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/intern_test.c - equal trees become one, others stay apart, and what nobody uses
 * goes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cluster/intern.h"
#include "value/equal.h"
#include "value/json.h"

static json_t *intern_text(struct fx_intern *intern, const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *tree = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(tree);
    json_t *made = fx_intern_tree(intern, tree);
    assert_non_null(made);
    assert_true(fx_equal(made, tree));
    json_decref(tree);
    return made;
}

static void equal_trees_are_one(void **state) {
    (void)state;
    static const char *const texts[] = {"{}",      "[]",
                                        "\"\"",    "\"a\"",
                                        "7",       "[7]",
                                        "[[7],7]", "{\"a\":{\"b\":[\"c\",1,null,true]}}",
                                        "null",    "[false,{\"a\":\"\",\"b\":{}}]"};
    struct fx_intern intern = {0};
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        json_t *one = intern_text(&intern, texts[i]);
        json_t *other = intern_text(&intern, texts[i]);
        assert_ptr_equal(one, other);
        json_decref(one);
        json_decref(other);
    }
    fx_intern_finish(&intern);
}

static void others_stay_apart(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"{}", "[]"},
        {"\"7\"", "7"},
        {"[1,2]", "[2,1]"},
        {"[1]", "[1,1]"},
        {"{\"a\":1}", "{\"b\":1}"},
        {"{\"a\":1}", "{\"a\":2}"},
        {"{\"a\":1}", "{\"a\":1,\"b\":1}"},
        /* The order is seen where a policy's value is written into an object. */
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"},
        {"{\"a\\u0000\":1}", "{\"a\":1}"},
        {"1.5", "1.5"}, /* not worth the while */
    };
    struct fx_intern intern = {0};
    for (size_t i = 0; i < FX_COUNT(pairs); i++) {
        json_t *one = intern_text(&intern, pairs[i][0]);
        json_t *other = intern_text(&intern, pairs[i][1]);
        assert_ptr_not_equal(one, other);
        json_decref(one);
        json_decref(other);
    }
    fx_intern_finish(&intern);
}

/* A part that two trees share is one part. */
static void parts_are_shared(void **state) {
    (void)state;
    struct fx_intern intern = {0};
    json_t *one = intern_text(&intern, "{\"x\":[{\"a\":1}],\"y\":\"s\"}");
    json_t *other = intern_text(&intern, "{\"z\":[{\"a\":1}],\"y\":\"s\"}");
    assert_ptr_not_equal(one, other);
    assert_ptr_equal(json_object_get(one, "x"), json_object_get(other, "z"));
    assert_ptr_equal(json_object_get(one, "y"), json_object_get(other, "y"));
    json_decref(one);
    json_decref(other);
    fx_intern_finish(&intern);
}

#define MANY 20000

/* The table keeps what somebody holds, and little else. */
static void what_nobody_uses_goes(void **state) {
    (void)state;
    struct fx_intern intern = {0};
    json_t *held = intern_text(&intern, "{\"kept\":[\"for\",\"ever\"]}");
    for (int i = 0; i < MANY; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "{\"n\":[%d,\"%d\"]}", i, i);
        json_decref(intern_text(&intern, text));
    }
    assert_true(intern.n_slots <= 4096);
    json_t *again = intern_text(&intern, "{\"kept\":[\"for\",\"ever\"]}");
    assert_ptr_equal(again, held);
    json_decref(again);
    json_decref(held);
    fx_intern_finish(&intern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_trees_are_one),
        cmocka_unit_test(others_stay_apart),
        cmocka_unit_test(parts_are_shared),
        cmocka_unit_test(what_nobody_uses_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
