/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_test.c - reading and writing JSON; errors with Go's messages.
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
#include "value/json.h"
#include "value/json_part_testing.h"
#include "value/marks.h"
#include "value/tree.h"

#define T(literal) {literal, sizeof(literal) - 1}

/* Text in; compact text out. */
static const struct {
    struct fx_text in;
    const char *out;
} good[] = {
    {T(" \t\r\n[ 1 , 2 ] \n"), "[1,2]"},
    {T("[]"), "[]"},
    {T("{ }"), "{}"},
    {T("[[],{},[{}]]"), "[[],{},[{}]]"},
    {T("{\"a\":1,\"b\":2,\"a\":3}"), "{\"a\":3,\"b\":2}"},
    {T("{\"k\\n\":\"v\\\\\",\"l\\t\":[\"\\\"\"]}"),
     "{\"k\\n\":\"v\\\\\",\"l\\t\":[\"\\\"\"]}"},
    {T("[true,false,null]"), "[true,false,null]"},
    {T("\"\\b\\f\\n\\r\\t\\/\\\"\\\\\""), "\"\\b\\f\\n\\r\\t/\\\"\\\\\""},
    {T("\"\\u0000\\u001F\\u007f\""), "\"\\u0000\\u001f\x7F\""},
    {T("\"\\u00e9\\u20AC\""), "\"\xC3\xA9\xE2\x82\xAC\""},
    {T("\"\\ud83d\\ude00\""), "\"\xF0\x9F\x98\x80\""},
    {T("\"\\ud83d\""), "\"\xEF\xBF\xBD\""},
    {T("\"\\ude00\\ud83d\""), "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {T("\"\\ud83d\\ud83d\\ude00\""), "\"\xEF\xBF\xBD\xF0\x9F\x98\x80\""},
    {T("\"\\ude00\\ude01\""), "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {T("\"\\ud83d\\u0041\""), "\"\xEF\xBF\xBD"
                              "A\""},
    {T("\"a\xFF\xC3\""), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {T("\"\xED\xA0\x80\""), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {T("\"abcdefgh\xC3\xA9ijklmnopqrst\\u0041\""), "\"abcdefgh\xC3\xA9ijklmnopqrstA\""},
};

static void reads_what_is_json(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(good); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        json_t *value = fx_json_read(good[i].in, NULL, &err);
        if (value == NULL) {
            fail_msg("case %zu: %s", i, err.msg);
        }
        assert_true(!json_is_string(value) || fx_text_is_utf8(fx_tree_text(value)));
        fx_json_write(&buf, value, FX_JSON_COMPACT);
        assert_string_equal(buf.data, good[i].out);
        json_decref(value);
        fx_buf_finish(&buf);
    }
}

static const struct {
    const char *in, *msg;
    uint32_t off, len;
} bad[] = {
    {"", "unexpected end of JSON input", 0, 0},
    {"  ", "unexpected end of JSON input", 2, 0},
    {"[1", "unexpected end of JSON input", 2, 0},
    {"{\"a\"", "unexpected end of JSON input", 4, 0},
    {"\"abc", "unexpected end of JSON input", 4, 0},
    {"{", "unexpected end of JSON input", 1, 0},
    {"1 2", "invalid character '2' after top-level value", 2, 1},
    {"{}}", "invalid character '}' after top-level value", 2, 1},
    {"[1 2]", "invalid character '2' after array element", 3, 1},
    {"[01]", "invalid character '1' after array element", 2, 1},
    {"[,]", "invalid character ',' looking for beginning of value", 1, 1},
    {"[1,]", "invalid character ']' looking for beginning of value", 3, 1},
    {"{1:2}", "invalid character '1' looking for beginning of object key string", 1, 1},
    {"{\"a\":1,}", "invalid character '}' looking for beginning of object key string", 7,
     1},
    {"{\"a\" 1}", "invalid character '1' after object key", 5, 1},
    {"{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair", 7, 1},
    {"\"a\nb\"", "invalid character '\\n' in string literal", 2, 1},
    {"\"\x1F\"", "invalid character '\\x1f' in string literal", 1, 1},
    {"\"\\q\"", "invalid character 'q' in string escape code", 2, 1},
    {"\"\\'\"", "invalid character '\\'' in string escape code", 2, 1},
    {"\"\\", "invalid character ' ' in string escape code", 2, 0},
    {"\"\\u00g0\"", "invalid character 'g' in \\u hexadecimal character escape", 5, 1},
    {"\"\\u00", "invalid character ' ' in \\u hexadecimal character escape", 5, 0},
    {"tru", "invalid character ' ' in literal true (expecting 'e')", 3, 0},
    {"falsy", "invalid character 'y' in literal false (expecting 'e')", 4, 1},
    {"nul1", "invalid character '1' in literal null (expecting 'l')", 3, 1},
    {"-", "invalid character ' ' in numeric literal", 1, 0},
    {"-a", "invalid character 'a' in numeric literal", 1, 1},
    {"1.", "invalid character ' ' after decimal point in numeric literal", 2, 0},
    {"1ex", "invalid character 'x' in exponent of numeric literal", 2, 1},
    {"1e+", "invalid character ' ' in exponent of numeric literal", 3, 0},
    {"\xEF\xBB\xBF{}", "invalid character 'ï' looking for beginning of value", 0, 1},
    {"\x80", "invalid character '\\u0080' looking for beginning of value", 0, 1},
    {"[1e309]", "json: cannot unmarshal number 1e309 into Go value of type float64", 1,
     5},
};

static void refuses_what_is_not(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(bad); i++) {
        struct fx_err err = FX_ERR_INIT;
        assert_null(fx_json_read(fx_text_of(bad[i].in), NULL, &err));
        assert_string_equal(err.msg, bad[i].msg);
        assert_int_equal(err.code, FX_ESYNTAX);
        assert_int_equal(err.off, bad[i].off);
        assert_int_equal(err.len, bad[i].len);
    }
}

/* Each byte that is not plain is found at each offset of a run of plain bytes. */
static void sees_each_byte(void **state) {
    (void)state;
    for (unsigned byte = 1; byte < 256; byte++) {
        for (size_t at = 1; at < 20; at++) {
            struct fx_err err = FX_ERR_INIT;
            char text[43] = "\"aaaaaaaaaaaaaaaaaaaa\"                    ";
            text[at] = (char)byte;
            const bool refused = byte < 0x20 || byte == '"' || byte == '\\';
            const size_t length = byte < 0x80 ? 20 : 22;     /* with a U+FFFD */
            for (size_t size = 22; size <= 42; size += 20) { /* at the end, and before */
                json_t *value = fx_json_read((struct fx_text){text, size}, NULL, &err);
                assert_int_equal(value == NULL, refused);
                assert_true(refused || json_string_length(value) == length);
                assert_true(!refused || err.off == at + (byte >= 0x20 ? 1 : 0));
                json_decref(value);
            }
        }
    }
}

static json_t *read_nested(unsigned depth, struct fx_err *err) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_fill(&buf, '[', depth);
    fx_buf_fill(&buf, ']', depth);
    json_t *value = fx_json_read((struct fx_text){buf.data, buf.len}, NULL, err);
    fx_buf_finish(&buf);
    return value;
}

static void bounds_depth(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *value = read_nested(FX_LIMIT_JSON_DEPTH, &err);
    assert_non_null(value);
    json_decref(value);
    assert_null(read_nested(FX_LIMIT_JSON_DEPTH + 1, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    assert_string_equal(err.msg, "exceeded max depth");
    assert_int_equal(err.off, FX_LIMIT_JSON_DEPTH);
}

/* Brothers are not nested. */
/* Three bytes of text for an object of a few hundred. */
static void bounds_memory(void **state) {
    (void)state;
    struct fx_buf buf = {0};
    fx_buf_char(&buf, '[');
    for (size_t i = 0; i < 600000; i++) {
        fx_buf_str(&buf, "{},");
    }
    fx_buf_str(&buf, "1]");
    struct fx_err err = FX_ERR_INIT;
    assert_null(fx_json_read((struct fx_text){buf.data, buf.len}, NULL, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    fx_buf_finish(&buf);
}

static void bounds_only_depth(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_char(&buf, '[');
    for (unsigned i = 0; i < 2 * FX_LIMIT_JSON_DEPTH; i++) {
        fx_buf_str(&buf, "{},[],");
    }
    fx_buf_str(&buf, "0]");
    json_t *value = fx_json_read((struct fx_text){buf.data, buf.len}, NULL, &err);
    assert_int_equal(json_array_size(value), 4 * FX_LIMIT_JSON_DEPTH + 1);
    json_decref(value);
    fx_buf_finish(&buf);
}

static void assert_mark(const struct fx_marks *marks, const json_t *node, uint32_t off,
                        uint32_t line, uint32_t column) {
    const struct fx_mark *mark = fx_marks_find(marks, node);
    assert_non_null(mark);
    assert_int_equal(mark->off, off);
    assert_int_equal(mark->line, line);
    assert_int_equal(mark->column, column);
}

static void marks_nodes(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_marks marks = {0};
    const char *text = "{\n  \"\xC3\xA9\": \"x\", \"l\": [ {}, 7 ]\n}";
    json_t *root = fx_json_read(fx_text_of(text), &marks, &err);
    assert_non_null(root);
    const json_t *list = json_object_get(root, "l");
    assert_mark(&marks, root, 0, 1, 1);
    assert_mark(&marks, json_object_get(root, "\xC3\xA9"), 11, 2, 9);
    assert_mark(&marks, list, 20, 2, 18);
    assert_mark(&marks, json_array_get(list, 0), 22, 2, 20);
    assert_mark(&marks, json_array_get(list, 1), 26, 2, 24);
    assert_null(fx_marks_find(&marks, &err));
    const size_t count = marks.n_items;
    assert_null(fx_json_read(FX_TEXT("[[],[}"), &marks, &err));
    assert_int_equal(marks.n_items, count);
    json_decref(root);
    fx_marks_finish(&marks);
    fx_marks_finish(NULL);
}

static const struct {
    unsigned style;
    const char *out;
} styles[] = {
    {FX_JSON_COMPACT,
     "{\"b\":[1,{}],\"a\":\"<&>\xE2\x80\xA8\xE2\x80\xA9\",\"B\":{\"x\":null},\"e\":[]}"},
    {FX_JSON_HTML | FX_JSON_SORT_KEYS,
     "{\"B\":{\"x\":null},\"a\":\"\\u003c\\u0026\\u003e\\u2028\\u2029\",\"b\":[1,{}],"
     "\"e\":[]}"},
    {FX_JSON_INDENT, "{\n    \"b\": [\n        1,\n        {}\n    ],\n    \"a\": "
                     "\"<&>\xE2\x80\xA8\xE2\x80\xA9\",\n"
                     "    \"B\": {\n        \"x\": null\n    },\n    \"e\": []\n}"},
};

static void writes_in_each_style(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(fx_text_of(styles[0].out), NULL, &err);
    assert_non_null(value);
    for (size_t i = 0; i < FX_COUNT(styles); i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_json_write(&buf, value, styles[i].style);
        assert_string_equal(buf.data, styles[i].out);
        fx_buf_finish(&buf);
    }
    json_decref(value);
}

static void writes_any_bytes_as_a_string(void **state) {
    (void)state;
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_json_write_string(&buf, FX_TEXT("a\xFF\0\x1F"), FX_JSON_COMPACT);
    assert_string_equal(buf.data, "\"a\xEF\xBF\xBD\\u0000\\u001f\"");
    fx_buf_reset(&buf);
    fx_json_write_string(&buf, (struct fx_text){0}, FX_JSON_HTML);
    assert_string_equal(buf.data, "\"\"");
    fx_buf_finish(&buf);
}

static void writing_keeps_the_bound(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(FX_TEXT("{\"b\":[1,2,3],\"a\":{}}"), NULL, &err);
    for (size_t max = 1; max < 20; max++) {
        struct fx_buf buf;
        fx_buf_init(&buf, max);
        fx_json_write(&buf, value, FX_JSON_SORT_KEYS);
        assert_true(buf.failed);
        fx_buf_finish(&buf);
    }
    json_decref(value);
}

static long allocations_left;

static void *refusing_malloc(size_t size) {
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

/* Refuses the first allocation of a node, then the second, until none is. */
static void survives_each_refused_node(void **state) {
    (void)state;
    const struct fx_text text = FX_TEXT(
        "{\"a\":[1,2.5,\"x\",[],{}],\"k\\n\":{\"b\":\"y\\n\",\"c\":[0,1,2,3,4,5,6,7,8,9]}"
        ","
        "\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":9}");
    json_t *value = NULL;
    long refused = 0;
    json_set_alloc_funcs(refusing_malloc, free);
    while (value == NULL && refused < 1000) {
        struct fx_err err = FX_ERR_INIT;
        allocations_left = refused++;
        value = fx_json_read(text, NULL, &err);
        assert_true(value != NULL || err.code == FX_ENOMEM);
    }
    json_set_alloc_funcs(malloc, free);
    assert_non_null(value);
    assert_true(refused > 30);
    json_decref(value);
}

/* Text in; compact text out, or the error. Wanted: `new`, `a`, and of `object` `name` and
 * `list.key`. A position is printed for an object that has lost members. */
static const struct {
    const char *in, *out, *error;
    uint32_t off;
} sifted[] = {
    {"{\"old\":{\"a\":[1,\"\\u0041\",null]},\"new\":1}", "{\"new\":1,\"\xFF\":7}", NULL,
     0},
    {"{\"a\":{\"old\":1},\"old\":2,\"old\":3}", "{\"a\":{\"old\":1},\"\xFF\":21}", NULL,
     0},
    {"{\"object\":{\"name\":{\"x\":[1]}}}", "{\"object\":{\"name\":{\"x\":[1]}}}", NULL,
     0},
    {"{\"object\":{\"list\":[{\"key\":1},{\"v\":{},\"key\":[{\"v\":2}],\"w\":3},4]}}",
     "{\"object\":{\"list\":[{\"key\":1},{\"key\":[{\"v\":2}],\"\xFF\":34},4]}}", NULL,
     0},
    {"{\"object\":[[{\"name\":1,\"x\":2}]]}", "{\"object\":[[{\"name\":1,\"\xFF\":26}]]}",
     NULL, 0},
    {"{\"object\":\"name\"}", "{\"object\":\"name\"}", NULL, 0},
    {"{\"\\u006fld\":1}", "{\"\xFF\":12}", NULL, 0},
    {"{\"old\":[1,}", NULL, "invalid character '}' looking for beginning of value", 10},
    {"{\"old\":{\"a\" 1}}", NULL, "invalid character '1' after object key", 12},
    {"{\"old\":\"\n\"}", NULL, "invalid character '\\n' in string literal", 8},
    {"{\"old\":1e999}", NULL,
     "json: cannot unmarshal number 1e999 into Go value of type float64", 7},
};

static json_t *read_sifted(const char *text, struct fx_err *err) {
    static const struct fx_text paths[][3] = {{T("new")},
                                              {T("a")},
                                              {T("object"), T("name")},
                                              {T("object"), T("list"), T("key")}};
    struct fx_json_part wanted = {.omits_rest = true};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const size_t n_keys = paths[i][1].len == 0 ? 1 : paths[i][2].len == 0 ? 2 : 3;
        assert_true(part_testing_add(&wanted, paths[i], n_keys));
    }
    json_t *value = fx_json_read_part(fx_text_of(text), &wanted, NULL, err);
    fx_json_part_finish(&wanted);
    return value;
}

/* The writer makes U+FFFD of the key that no text can hold. */
static void expect_sifted(const json_t *value, const char *expected) {
    struct fx_buf text, wanted;
    fx_buf_init(&text, 0);
    fx_buf_init(&wanted, 0);
    fx_json_write(&text, value, FX_JSON_COMPACT);
    for (const char *at = expected; *at != '\0'; at++) {
        if (*at == '\xFF') {
            fx_buf_str(&wanted, "\xEF\xBF\xBD");
        } else {
            fx_buf_char(&wanted, *at);
        }
    }
    assert_string_equal(text.data, wanted.data);
    assert_int_equal(fx_json_is_whole(value), strchr(expected, '\xFF') == NULL);
    fx_buf_finish(&text);
    fx_buf_finish(&wanted);
}

static void reads_a_part(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sifted / sizeof sifted[0]; i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *value = read_sifted(sifted[i].in, &err);
        if (sifted[i].out == NULL) {
            assert_null(value);
            assert_string_equal(err.msg, sifted[i].error);
            assert_int_equal(err.off, sifted[i].off);
        } else {
            assert_non_null(value);
            expect_sifted(value, sifted[i].out);
        }
        json_decref(value);
    }
}

/* Past the limit, a part wants all; and no path goes on below what is wanted whole. */
static void bounds_parts(void **state) {
    (void)state;
    struct fx_json_part root = {.omits_rest = true};
    char names[FX_LIMIT_JSON_PARTS + 1][8];
    for (unsigned i = 0; i < FX_LIMIT_JSON_PARTS; i++) {
        (void)snprintf(names[i], sizeof names[i], "n%u", i);
        const struct fx_text path[] = {T("a"), fx_text_of(names[i]), T("x")};
        assert_true(part_testing_add(&root, path, 3));
    }
    const struct fx_json_part *a = fx_json_part_find(&root, fx_text_of("a"));
    assert_true(a->omits_rest);
    assert_int_equal(a->n_below, FX_LIMIT_JSON_PARTS);
    const struct fx_text one_more[] = {T("a"), T("more"), T("x")};
    assert_true(part_testing_add(&root, one_more, 3));
    assert_false(a->omits_rest);
    assert_null(a->first);
    assert_true(part_testing_add(&root, one_more, 3));
    assert_null(a->first);
    fx_json_part_finish(&root);
    assert_false(root.omits_rest);
}

/* For elements, a value that is not a list is wanted whole; lists in lists are searched.
 */
static void looks_for_lists(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"{\"l\":[{\"k\":1,\"x\":2}]}", "{\"l\":[{\"k\":1,\"\xFF\":17}]}"},
        {"{\"l\":[[{\"x\":2}]]}", "{\"l\":[[{\"\xFF\":12}]]}"},
        {"{\"l\":{\"k\":1,\"x\":{\"y\":1}}}", "{\"l\":{\"k\":1,\"x\":{\"y\":1}}}"},
        {"{\"l\":[{\"k\":{\"x\":1}}]}", "{\"l\":[{\"k\":{\"\xFF\":16}}]}"},
        {"{\"m\":{\"n\":1}}", "{\"m\":{\"\xFF\":10}}"},
        {"{\"m\":[1,{}]}", "{\"m\":[1,{}]}"},
    };
    struct fx_json_part root = {.omits_rest = true};
    struct fx_json_cursor list = {.part = &root};
    struct fx_json_cursor other = {.part = &root};
    assert_true(fx_json_cursor_member(&list, FX_TEXT("l")));
    fx_json_cursor_element(&list);
    assert_true(fx_json_cursor_member(&list, FX_TEXT("k")));
    assert_true(fx_json_cursor_member(&other, FX_TEXT("m")));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fx_err err = FX_ERR_INIT;
        json_t *value = fx_json_read_part(fx_text_of(rows[i].in), &root, NULL, &err);
        assert_non_null(value);
        expect_sifted(value, rows[i].out);
        json_decref(value);
    }
    fx_json_part_finish(&root);
}

/* Beyond the limits a cursor does not move, and the whole value is wanted; nothing is
 * freed before the tree is pruned. */
static void bounds_places(void **state) {
    (void)state;
    struct fx_json_part root = {.omits_rest = true};
    struct fx_json_cursor deep = {.part = &root};
    for (unsigned i = 0; i < 2 * FX_LIMIT_JSON_PART_DEPTH; i++) {
        assert_true(fx_json_cursor_member(&deep, FX_TEXT("a")));
    }
    assert_int_equal(deep.depth, FX_LIMIT_JSON_PART_DEPTH);
    assert_false(deep.part->omits_rest);
    struct fx_json_cursor cursor = {.part = &root};
    assert_true(fx_json_cursor_member(&cursor, FX_TEXT("a")));
    fx_json_cursor_element(&cursor);
    fx_json_cursor_element(&cursor);
    assert_false(cursor.part->omits_rest);
    assert_non_null(cursor.part->first);
    fx_json_part_prune(&root);
    assert_null(cursor.part->first);
    assert_true(root.omits_rest);
    fx_json_part_finish(&root);
    struct fx_json_cursor nowhere = {.part = NULL};
    assert_true(fx_json_cursor_member(&nowhere, FX_TEXT("a")));
    fx_json_cursor_element(&nowhere);
    fx_json_cursor_all(nowhere);
    assert_null(nowhere.part);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_is_json),
        cmocka_unit_test(refuses_what_is_not),
        cmocka_unit_test(sees_each_byte),
        cmocka_unit_test(bounds_depth),
        cmocka_unit_test(bounds_memory),
        cmocka_unit_test(bounds_only_depth),
        cmocka_unit_test(marks_nodes),
        cmocka_unit_test(writes_in_each_style),
        cmocka_unit_test(writes_any_bytes_as_a_string),
        cmocka_unit_test(writing_keeps_the_bound),
        cmocka_unit_test(survives_each_refused_node),
        cmocka_unit_test(reads_a_part),
        cmocka_unit_test(bounds_parts),
        cmocka_unit_test(looks_for_lists),
        cmocka_unit_test(bounds_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
