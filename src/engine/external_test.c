/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/external_test.c - the register of placeholders: the same node for the same
 * request, and never a node of the object.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "engine/external.h"

/* FX_TEXT is no constant of C. */
#define TEXT(literal) {literal, sizeof(literal) - 1}

static const struct fx_external first = {TEXT("p"), FX_EXTERNAL_FAIL, {NULL, 0}};
static const struct fx_external second = {TEXT("p"), FX_EXTERNAL_FAIL, {NULL, 0}};

static json_t *must_make(struct fx_placeholders *placeholders,
                         const struct fx_external *external, struct fx_text key) {
    json_t *node = fx_placeholders_make(placeholders, external, key);
    assert_non_null(node);
    return node;
}

static void the_same_wish_is_the_same_node(void **state) {
    (void)state;
    struct fx_placeholders *placeholders = fx_placeholders_create();
    static const struct {
        const struct fx_external *external;
        struct fx_text key;
    } requests[] = {
        {&first, TEXT("a")},    {&second, TEXT("a")},         {&first, TEXT("b")},
        {&first, {NULL, 0}},    {&second, {NULL, 0}},         {&first, TEXT("a\0b")},
        {&first, TEXT("a\0c")}, {&first, TEXT("\xc3\xa4 x")},
    };
    json_t *nodes[FX_COUNT(requests)];
    for (size_t i = 0; i < FX_COUNT(requests); i++) {
        nodes[i] = must_make(placeholders, requests[i].external, requests[i].key);
        for (size_t k = 0; k < i; k++) {
            assert_ptr_not_equal(nodes[i], nodes[k]);
        }
    }
    for (size_t i = 0; i < FX_COUNT(requests); i++) {
        json_t *again = must_make(placeholders, requests[i].external, requests[i].key);
        assert_ptr_equal(again, nodes[i]);
        json_decref(again);
        struct fx_placeholder found = {0};
        assert_true(fx_placeholders_find(placeholders, nodes[i], &found));
        assert_ptr_equal(found.external, requests[i].external);
        assert_true(fx_text_equal(found.key, requests[i].key));
        assert_int_equal(nodes[i]->refcount, 3); /* ours, and twice the register's */
    }
    fx_placeholders_destroy(placeholders);
    for (size_t i = 0; i < FX_COUNT(requests); i++) {
        assert_int_equal(nodes[i]->refcount, 1);
        json_decref(nodes[i]);
    }
}

/* The key is a copy: what it was read from may go. */
static void keys_are_kept(void **state) {
    (void)state;
    struct fx_placeholders *placeholders = fx_placeholders_create();
    char key[] = "nginx";
    json_t *node = must_make(placeholders, &first, fx_text_of(key));
    key[0] = 'x';
    struct fx_placeholder found = {0};
    assert_true(fx_placeholders_find(placeholders, node, &found));
    assert_true(fx_text_is(found.key, "nginx"));
    json_decref(node);
    fx_placeholders_destroy(placeholders);
}

/* An equal number is not a placeholder, nor is a placeholder of another review. */
static void inputs_are_none(void **state) {
    (void)state;
    struct fx_placeholders *placeholders = fx_placeholders_create();
    struct fx_placeholders *others = fx_placeholders_create();
    json_t *node = must_make(placeholders, &first, FX_TEXT("a"));
    json_t *other = must_make(others, &first, FX_TEXT("a"));
    json_t *inputs[] = {
        json_integer(json_integer_value(node)),
        json_integer(0),
        json_integer(INT64_MAX),
        json_integer(INT64_MIN + 1),
        json_string("a"),
        json_null(),
        json_object(),
        json_real(-9223372036854775808.0),
        json_incref(other),
    };
    struct fx_placeholder found = {.external = &second};
    for (size_t i = 0; i < FX_COUNT(inputs); i++) {
        assert_false(fx_placeholders_find(placeholders, inputs[i], &found));
        json_decref(inputs[i]);
    }
    assert_false(fx_placeholders_find(placeholders, NULL, &found));
    assert_false(fx_placeholders_find(NULL, node, &found));
    assert_ptr_equal(found.external, &second); /* untouched */
    json_decref(node);
    json_decref(other);
    fx_placeholders_destroy(placeholders);
    fx_placeholders_destroy(others);
}

static void existence(void **state) {
    (void)state;
    struct fx_placeholders *placeholders = fx_placeholders_create();
    assert_false(fx_placeholders_exist(NULL));
    assert_false(fx_placeholders_exist(placeholders));
    json_decref(must_make(placeholders, &first, FX_TEXT("")));
    assert_true(fx_placeholders_exist(placeholders));
    fx_placeholders_destroy(placeholders);
    fx_placeholders_destroy(NULL);
}

static void many(void **state) {
    (void)state;
    enum { N = 5000 };
    struct fx_placeholders *placeholders = fx_placeholders_create();
    static json_t *nodes[N];
    char key[16];
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(key, sizeof key, "k%zu", i);
        nodes[i] = must_make(placeholders, &first, fx_text_of(key));
    }
    for (size_t i = 0; i < N; i++) {
        struct fx_placeholder found = {0};
        (void)snprintf(key, sizeof key, "k%zu", i);
        assert_true(fx_placeholders_find(placeholders, nodes[i], &found));
        assert_true(fx_text_is(found.key, key));
        json_decref(nodes[i]);
    }
    fx_placeholders_destroy(placeholders);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_wish_is_the_same_node),
        cmocka_unit_test(keys_are_kept),
        cmocka_unit_test(inputs_are_none),
        cmocka_unit_test(existence),
        cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
