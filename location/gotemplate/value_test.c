/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/value_test.c - values of documents, maps, equality.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "location/gotemplate/run.h"
#include "location/gotemplate/value.h"

static struct fx_err err;
static max_align_t block[64];

static int begin(void **state) {
    struct template_run *run = malloc(sizeof *run);
    fx_err_reset(&err);
    run_init(run, block, sizeof block, &err);
    *state = run;
    return 0;
}

static int end(void **state) {
    run_finish(*state);
    free(*state);
    return 0;
}

static struct value value_of(struct template_run *run, json_t *node, bool integers) {
    struct value value = {0};
    assert_true(value_of_json(run, node, integers, &value));
    return value;
}

static struct value get(struct template_run *run, struct map *map, const char *key) {
    struct value value = {0};
    assert_true(value_map_get(run, map, fx_text_of(key), &value));
    return value;
}

static void documents(void **state) {
    json_t *root = json_loads("{\"s\":\"x\",\"i\":5,\"f\":1.5,\"n\":null,\"t\":true,"
                              "\"l\":[1,[2]],\"m\":{\"b\":1,\"a\":2}}",
                              0, NULL);
    const struct value value = value_of(*state, root, false);
    assert_int_equal(value.kind, VALUE_MAP);
    assert_int_equal(value_length(&value), 7);
    assert_int_equal(get(*state, value.map, "i").kind, VALUE_FLOAT64);
    assert_true(get(*state, value.map, "f").number == 1.5);
    assert_int_equal(get(*state, value.map, "n").kind, VALUE_NIL);
    assert_int_equal(get(*state, value.map, "nope").kind, VALUE_MISSING);
    assert_true(get(*state, value.map, "t").boolean);
    assert_int_equal(get(*state, value.map, "l").list->n, 2);
    struct map *inner = get(*state, value.map, "m").map;
    assert_ptr_equal(inner, get(*state, value.map, "m").map); /* one and the same */
    assert_true(value_map_fill(*state, inner));
    assert_true(fx_text_is(inner->entries[0].key, "a"));
    assert_int_equal(value_of(*state, json_object_get(root, "i"), true).kind, VALUE_INT);
    json_decref(root);
}

static void maps(void **state) {
    struct map *map = value_map_new(*state);
    char keys[100][4];
    for (size_t i = 0; i < 100; i++) {
        const size_t n = i * 37 % 100; /* in no order */
        (void)snprintf(keys[n], sizeof keys[n], "%02zu", n);
        assert_true(
            value_map_put(*state, map, fx_text_of(keys[n]), value_int((int64_t)n)));
    }
    assert_true(value_map_put(*state, map, FX_TEXT("50"), value_int(7)));
    assert_int_equal(map->n, 100);
    for (size_t i = 1; i < map->n; i++) {
        assert_true(fx_text_compare(map->entries[i - 1].key, map->entries[i].key) < 0);
    }
    struct map *copy = value_map_copy(*state, map);
    for (size_t i = 0; i < 100; i += 2) {
        assert_true(value_map_remove(*state, map, fx_text_of(keys[i])));
        assert_true(value_map_remove(*state, map, FX_TEXT("nope")));
    }
    assert_int_equal(map->n, 50);
    assert_int_equal(get(*state, map, "51").integer, 51);
    assert_int_equal(get(*state, map, "50").kind, VALUE_MISSING);
    assert_int_equal(copy->n, 100);
    assert_int_equal(get(*state, copy, "50").integer, 7);
}

/* An iteration over a map sees the entries at its start. */
static void lent_entries_stay(void **state) {
    struct map *map = value_map_new(*state);
    assert_true(value_map_put(*state, map, FX_TEXT("b"), value_int(1)));
    map->lent = true;
    const struct map_entry *entries = map->entries;
    assert_true(value_map_put(*state, map, FX_TEXT("a"), value_int(2)));
    assert_true(fx_text_is(entries[0].key, "b") && entries[0].value.integer == 1);
    map->lent = true;
    entries = map->entries;
    assert_true(value_map_remove(*state, map, FX_TEXT("a")));
    assert_true(fx_text_is(entries[0].key, "a"));
    assert_true(fx_text_is(map->entries[0].key, "b"));
}

static void a_nil_map_is_not_written(void **state) {
    struct map *map = value_map_new(*state);
    map->nil = true;
    assert_int_equal(get(*state, map, "a").kind, VALUE_MISSING);
    assert_false(value_map_put(*state, map, FX_TEXT("a"), value_int(1)));
    assert_int_equal(err.code, FX_EMUTATE);
}

static void truth(void **state) {
    struct template_list *some = value_list_new(*state, 1);
    struct template_list *none = value_list_new(*state, 0);
    const struct {
        struct value value;
        bool is_true;
    } cases[] = {
        {{.kind = VALUE_MISSING}, false},
        {value_nil(), false},
        {value_bool(true), true},
        {value_int(0), false},
        {value_int64(-1), true},
        {value_float64(0.0), false},
        {value_float64(0.5), true},
        {value_string(FX_TEXT("")), false},
        {value_string(FX_TEXT("0")), true},
        {value_list(none), false},
        {value_list(some), true},
        {value_map(value_map_new(*state)), false},
        {{.kind = VALUE_OBJECT}, true},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_int_equal(value_is_true(&cases[i].value), cases[i].is_true);
    }
}

static void equality(void **state) {
    static const char *const texts[] = {
        "[1,{\"a\":[true,null]}]",
        "[1,{\"a\":[true,false]}]",
        "[1,{\"b\":[true,null]}]",
        "[1]",
        "[]",
        "{}",
        "\"a\"",
        "null",
        "1",
        "1.5",
    };
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        json_t *left = json_loads(texts[i], JSON_DECODE_ANY, NULL);
        const struct value a = value_of(*state, left, false);
        for (size_t k = 0; k < FX_COUNT(texts); k++) {
            json_t *right = json_loads(texts[k], JSON_DECODE_ANY, NULL);
            const struct value b = value_of(*state, right, false);
            bool equal = false;
            assert_true(value_deep_equal(*state, &a, &b, &equal));
            assert_int_equal(equal, i == k);
            json_decref(right);
        }
        json_decref(left);
    }
    const struct value a = value_int(5);
    const struct value b = value_int64(5);
    bool equal = true;
    assert_true(value_deep_equal(*state, &a, &b, &equal));
    assert_false(equal); /* types must agree */
}

static void bounds(void **state) {
    struct template_run *run = *state;
    assert_null(run_alloc(run, FX_LIMIT_TEMPLATE_BYTES + 1));
    assert_int_equal(err.code, FX_ELIMIT);
    assert_true(run_spend(run, FX_LIMIT_TEMPLATE_STEPS));
    assert_false(run_spend(run, 1));
    struct fx_buf *buf = run_scratch(run);
    fx_buf_fill(buf, 'a', FX_LIMIT_TEMPLATE_OUTPUT_BYTES + 1);
    struct value value = {0};
    fx_err_reset(&err);
    assert_false(run_take_scratch(run, &value));
    assert_int_equal(err.code, FX_ELIMIT);
    fx_buf_str(run_scratch(run), "fine");
    assert_true(run_take_scratch(run, &value));
    assert_true(fx_text_is(value.string, "fine"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(documents, begin, end),
        cmocka_unit_test_setup_teardown(maps, begin, end),
        cmocka_unit_test_setup_teardown(lent_entries_stay, begin, end),
        cmocka_unit_test_setup_teardown(a_nil_map_is_not_written, begin, end),
        cmocka_unit_test_setup_teardown(truth, begin, end),
        cmocka_unit_test_setup_teardown(equality, begin, end),
        cmocka_unit_test_setup_teardown(bounds, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
