/* SPDX-License-Identifier: Apache-2.0
 *
 * value/pointer_test.c - RFC 6901, its own examples among them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "value/equal.h"
#include "value/json.h"
#include "value/pointer.h"

/* RFC 6901 section 5. */
static const char document[] =
    "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
    "\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8}";

static const struct {
    const char *pointer, *value; /* NULL: nothing there */
} cases[] = {
    {"/foo", "[\"bar\",\"baz\"]"},
    {"/foo/0", "\"bar\""},
    {"/foo/1", "\"baz\""},
    {"/", "0"},
    {"/a~1b", "1"},
    {"/c%d", "2"},
    {"/e^f", "3"},
    {"/g|h", "4"},
    {"/i\\j", "5"},
    {"/k\"l", "6"},
    {"/ ", "7"},
    {"/m~0n", "8"},
    {"/m~n", NULL},
    {"/m~", NULL},
    {"/m~2", NULL},
    {"/m~01n", NULL},
    {"foo", NULL},
    {"/foo/2", NULL},
    {"/foo/-", NULL},
    {"/foo/00", NULL},
    {"/foo/0/", NULL},
    {"/foo/", NULL},
    {"/foo/4294967296", NULL},
    {"//", NULL},
    {"/bar", NULL},
    {"/bar/x", NULL},
};

static void follows(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(document), NULL, &err);
    assert_non_null(root);
    assert_ptr_equal(fx_pointer_view(root, (struct fx_text){0}), root);
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const json_t *node = fx_pointer_view(root, fx_text_of(cases[i].pointer));
        if (cases[i].value == NULL) {
            assert_null(node);
            continue;
        }
        json_t *value = fx_json_read(fx_text_of(cases[i].value), NULL, &err);
        assert_true(fx_equal(node, value));
        json_decref(value);
    }
    assert_null(fx_pointer_view(NULL, FX_TEXT("/a")));
    json_decref(root);
}

static void takes_apart_what_it_pushed(void **state) {
    (void)state;
    const struct fx_text tokens[] = {FX_TEXT("a/b~c"), FX_TEXT(""), FX_TEXT("~1\0")};
    struct fx_buf path;
    struct fx_buf token;
    fx_buf_init(&path, 0);
    fx_buf_init(&token, 0);
    for (size_t i = 0; i < FX_COUNT(tokens); i++) {
        fx_pointer_push(&path, tokens[i]);
    }
    fx_pointer_push_index(&path, 17);
    const struct fx_text whole = {path.data, path.len};
    assert_true(fx_text_equal(whole, FX_TEXT("/a~1b~0c//~01\0/17")));
    struct fx_text rest = whole;
    for (size_t i = 0; i < FX_COUNT(tokens); i++) {
        assert_true(fx_pointer_next(&rest, &token));
        assert_true(fx_text_equal((struct fx_text){token.data, token.len}, tokens[i]));
    }
    assert_true(fx_pointer_next(&rest, &token));
    assert_string_equal(token.data, "17");
    assert_int_equal(rest.len, 0);
    assert_false(fx_pointer_next(&rest, &token));
    fx_buf_finish(&path);
    fx_buf_finish(&token);
}

static void refuses_bad_tokens(void **state) {
    (void)state;
    struct fx_buf token;
    fx_buf_init(&token, 0);
    struct fx_text rest = FX_TEXT("a/b");
    assert_false(fx_pointer_next(&rest, &token));
    rest = FX_TEXT("/~2/b");
    assert_false(fx_pointer_next(&rest, &token));
    assert_int_equal(rest.len, 5);
    fx_buf_finish(&token);
}

static void reads_indices(void **state) {
    (void)state;
    size_t index = 99;
    assert_true(fx_pointer_index(FX_TEXT("0"), &index));
    assert_int_equal(index, 0);
    assert_true(fx_pointer_index(FX_TEXT("4294967295"), &index));
    assert_int_equal(index, 4294967295u);
    const char *const bad[] = {"",   "-",  "01",         "-1",
                               "+1", "1a", "4294967296", "99999999999999999999"};
    for (size_t i = 0; i < FX_COUNT(bad); i++) {
        assert_false(fx_pointer_index(fx_text_of(bad[i]), &index));
    }
    assert_int_equal(index, 4294967295u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows),
        cmocka_unit_test(takes_apart_what_it_pushed),
        cmocka_unit_test(refuses_bad_tokens),
        cmocka_unit_test(reads_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
