/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/read_test.c - the values that a location selects, and the common
 * steps of two locations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "location/gatekeeper/location.h"
#include "location/gatekeeper/testing.h"
#include "value/tree.h"

static const char object[] =
    "{\"a\":{\"b\":null},\"n\":7,\"s\":\"t\",\"l\":["
    "{\"k\":\"v\",\"x\":1},{\"k\":5,\"x\":2},\"z\",{\"x\":3},{\"k\":\"v\",\"x\":[4]},"
    "{\"k\":5.0,\"x\":6},{\"k\":\"5\"}]}";

/* A location, its first step, the node below which it is read, and the selected values.
 */
static const struct {
    const char *location;
    size_t from;
    const char *node, *values;
} reads[] = {
    {"n", 0, object, "[7]"},
    {"a.b", 0, object, "[null]"},
    {"a.c", 0, object, "[]"},
    {"a.b.c", 0, object, "[]"},
    {"s.c", 0, object, "[]"},
    {"n[k: *].x", 0, object, "[]"},
    {"a[k: *]", 0, object, "[]"},
    {"", 0, "{\"n\":7}", "[{\"n\":7}]"},
    {"a.b", 2, "{\"n\":7}", "[{\"n\":7}]"},
    {"l[k: v].x", 0, object, "[1,[4]]"},
    {"l[k: 5].x", 0, object, "[2]"},
    {"l[k: '5']", 0, object, "[{\"k\":\"5\"}]"},
    {"l[k: w]", 0, object, "[]"},
    {"l[k: *].x", 0, object, "[1,2,3,[4],6]"},
    {"l[k: *].k", 0, object, "[\"v\",5,\"v\",5,\"5\"]"},
    {"l[k: * except v].x", 0, object, "[2,3,6]"},
    {"l[k: * except v, 5].x", 0, object, "[3,6]"},
    {"l[k: * except v, '5']", 0, object,
     "[{\"k\":5,\"x\":2},\"z\",{\"x\":3},{\"k\":5,\"x\":6}]"},
    {"l[k: v].x", 2, "{\"x\":9}", "[9]"},
    {"l[k: v].x", 1, "[{\"k\":\"v\",\"x\":1}]", "[1]"},
    {"l[k: v].x", 1, "{}", "[]"},
};

static bool collect(void *user, json_t *value) {
    json_t *values = user;
    assert_int_equal(json_array_append(values, value), 0);
    return true;
}

/* Takes two, then has enough. */
static bool collect_two(void *user, json_t *value) {
    return collect(user, value) && json_array_size(user) < 2;
}

static void names_all_places(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(reads); i++) {
        struct fx_location *location = must_parse_extended(reads[i].location);
        json_t *node = must_read(reads[i].node);
        json_t *values = json_array();
        assert_true(fx_location_each(location, reads[i].from, node, collect, values));
        assert_json(values, reads[i].values);
        assert_ptr_equal(fx_location_first(location, reads[i].from, node),
                         json_array_get(values, 0));
        json_decref(values);
        json_decref(node);
        fx_location_destroy(location);
    }
}

static void stops_where_it_is_told(void **state) {
    (void)state;
    struct fx_location *location = must_parse("l[k: *].x");
    json_t *node = must_read(object);
    json_t *values = json_array();
    assert_false(fx_location_each(location, 0, node, collect_two, values));
    assert_json(values, "[1,2]");
    json_decref(values);
    json_decref(node);
    fx_location_destroy(location);
}

static void reads_as_deep_as_locations_go(void **state) {
    (void)state;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    json_t *node = json_integer(1);
    for (size_t i = 0; i < FX_LIMIT_LOCATION_NODES; i++) {
        fx_buf_str(&text, i == 0 ? "a" : ".a");
        json_t *parent = json_object();
        assert_true(fx_tree_set_take(parent, FX_TEXT("a"), node));
        node = parent;
    }
    struct fx_location *location = must_parse(text.data);
    assert_int_equal(json_integer_value(fx_location_first(location, 0, node)), 1);
    fx_location_destroy(location);
    json_decref(node);
    fx_buf_finish(&text);
}

static void counts_common_steps(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        size_t n_common;
    } cases[] = {
        {"", "a", 0},
        {"a.b.c", "a.b.d", 2},
        {"a.b", "a.b.c", 2},
        {"a.b", "b.a", 0},
        {"l[k: *].x", "l[k: *].y.z", 2},
        {"l[k: *].x", "l[k: v].x", 1},
        {"l[k: *].x", "l[k: * except v].x", 1},
        {"l[k: * except v, 5].x", "l[k: * except 5, v].y", 2},
        {"l[k: 5].x", "l[k: '5'].x", 1},
        {"l[k: v].x", "l.k.x", 1},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_location *a = must_parse_extended(cases[i].a);
        struct fx_location *b = must_parse_extended(cases[i].b);
        assert_int_equal(fx_location_common(a, b), cases[i].n_common);
        assert_int_equal(fx_location_common(b, a), cases[i].n_common);
        fx_location_destroy(b);
        fx_location_destroy(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_all_places),
        cmocka_unit_test(stops_where_it_is_told),
        cmocka_unit_test(reads_as_deep_as_locations_go),
        cmocka_unit_test(counts_common_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
