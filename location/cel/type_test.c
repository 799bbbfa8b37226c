/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/type_test.c - types as texts, and their equality.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "location/cel/type.h"

static struct fx_arena arena;

static const struct fx_cel_type *parse(const char *text) {
    return fx_cel_type_parse(&arena, fx_text_of(text));
}

static void check_print(const struct fx_cel_type *type, bool is_long, const char *want) {
    struct fx_buf buf = {0};
    (is_long ? fx_cel_type_print_long : fx_cel_type_print)(&buf, type);
    assert_string_equal(buf.data, want);
    fx_buf_finish(&buf);
}

static void test_texts(void **state) {
    static const struct {
        const char *text, *print, *print_long;
    } rows[] = {
        {"dyn", "dyn", "dyn"},
        {"null", "null", "null_type"},
        {"timestamp", "timestamp", "google.protobuf.Timestamp"},
        {"list(duration)", "list(duration)", "list(google.protobuf.Duration)"},
        {"map(string, list(int))", "map(string, list(int))", "map(string, list(int))"},
        {"map(bool,bytes)", "map(bool, bytes)", "map(bool, bytes)"},
        {"optional(double)", "optional_type(double)", "optional_type(double)"},
        {"type(list(uint))", "type(list(uint))", "type(list(uint))"},
    };
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        const struct fx_cel_type *type = parse(rows[i].text);
        assert_non_null(type);
        check_print(type, false, rows[i].print);
        check_print(type, true, rows[i].print_long);
        assert_true(fx_cel_type_equal(type, parse(rows[i].print)));
    }
}

static void test_no_types(void **state) {
    static const char *const texts[] = {
        "",           "integer",  "list",     "list()",     "list(int",
        "list(int))", "map(int)", "int(int)", "list(a, b)", "map(int, string, bool)"};
    (void)state;
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        assert_null(parse(texts[i]));
    }
}

static void test_equal(void **state) {
    const struct fx_cel_type spec = {.kind = FX_CEL_TYPE_STRUCT, .name = "Object.spec"};
    (void)state;
    assert_true(fx_cel_type_equal(&fx_cel_list_int, parse("list(int)")));
    assert_false(fx_cel_type_equal(&fx_cel_list_int, &fx_cel_list_uint));
    assert_false(fx_cel_type_equal(parse("map(int, int)"), parse("map(int, uint)")));
    assert_false(fx_cel_type_equal(&fx_cel_object, &spec));
    assert_false(fx_cel_type_equal(&fx_cel_t, &fx_cel_k));
    assert_false(fx_cel_type_equal(&fx_cel_type_type, &fx_cel_type_t));
}

/* A type whose text doubles with each level is cut. */
static void test_print_stops(void **state) {
    const struct fx_cel_type *type = &fx_cel_int;
    struct fx_buf buf = {0};
    (void)state;
    for (int i = 0; i < 200; i++) {
        type = fx_cel_map_of(&arena, type, type);
        assert_non_null(type);
    }
    fx_cel_type_print(&buf, type);
    assert_in_range(buf.len, FX_LIMIT_CEL_TYPE_BYTES, FX_LIMIT_CEL_TYPE_BYTES + 1000);
    fx_buf_finish(&buf);
}

static int set_up(void **state) {
    (void)state;
    fx_arena_init(&arena, 1u << 20);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    fx_arena_finish(&arena);
    return 0;
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_types, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_equal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_print_stops, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
