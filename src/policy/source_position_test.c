/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/source_position_test.c - from nodes and spans to lines, columns and carets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/findings.h"
#include "value/documents.h"
#include "value/tree.h"

/* The fault is the value of the key `at` of the only document. */
static const struct {
    const char *about, *source;
    uint32_t off, len; /* of the fault within the value */
    uint32_t line, column;
    const char *excerpt;
    uint32_t caret, caret_len;
} cases[] = {
    {"plain", "a: b\nat: hello\n", 1, 2, 2, 6, "at: hello", 5, 2},
    {"quoted", "at: \"hello\"\n", 4, 1, 1, 10, "at: \"hello\"", 9, 1},
    {"the end of the text", "at: 'hello'\n", 5, 1, 1, 11, "at: 'hello'", 10, 1},
    {"far behind the end", "at: 'hello'\n", 50, 9, 1, 11, "at: 'hello'", 10, 1},
    {"no span: the whole value", "at: hello # x\n", 0, 0, 1, 5, "at: hello # x", 4, 5},
    {"runes", "at: 'é☃x'\r\n", 5, 1, 1, 8, "at: 'é☃x'", 7, 1},
    {"an escape", "at: \"a\\tb\"\n", 2, 1, 1, 6, "a\tb", 2, 1},
    {"one line of a block", "at: |-\n  hello\n", 1, 2, 2, 4, "  hello", 3, 2},
    {"folded", "at: >-\n  one\n  two\n", 4, 3, 2, 3, "one two", 4, 3},
    {"literal", "at: |\n  one\n  two\n", 4, 3, 2, 3, "one\ntwo\n", 4, 3},
    {"json", "{\"b\": 1,\n \"at\": \"xyz\"}", 2, 1, 2, 11, " \"at\": \"xyz\"}", 10, 1},
    {"a list", "at:\n- x\n", 0, 0, 2, 1, "- x", 0, 1},
};

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_documents documents = {0};
        struct fx_err fault = FX_ERR_INIT;
        const struct fx_text source = fx_text_of(cases[i].source);
        assert_true(fx_documents_read(source, &documents, &fault));
        fault.node = fx_tree_view_key(documents.items[0].root, "at");
        fault.off = cases[i].off;
        fault.len = cases[i].len;
        const struct fx_source_position position =
            fx_source_position_of_fault(source, &documents.marks, &fault, 77);
        print_message("%s\n", cases[i].about);
        assert_int_equal(position.line, cases[i].line);
        assert_int_equal(position.column, cases[i].column);
        assert_true(fx_text_is(position.excerpt, cases[i].excerpt));
        assert_int_equal(position.caret, cases[i].caret);
        assert_int_equal(position.caret_len, cases[i].caret_len);
        fx_documents_finish(&documents);
    }
}

static void test_no_mark(void **state) {
    (void)state;
    const struct fx_marks none = {0};
    struct fx_err fault = FX_ERR_INIT;
    const json_t *const nodes[] = {NULL, json_true()};
    for (size_t i = 0; i < FX_COUNT(nodes); i++) {
        fault.node = nodes[i];
        const struct fx_source_position position =
            fx_source_position_of_fault(FX_TEXT("a: b"), &none, &fault, 77);
        assert_int_equal(position.line, 77);
        assert_int_equal(position.column, 0);
        assert_null(position.excerpt.data);
    }
}

static void test_offsets(void **state) {
    (void)state;
    const struct fx_text source = FX_TEXT("one\ntwo\n");
    struct fx_source_position position = fx_source_position_of_offset(source, 5, 1);
    assert_int_equal(position.line, 2);
    assert_int_equal(position.column, 2);
    assert_true(fx_text_is(position.excerpt, "two"));
    assert_int_equal(position.caret, 1);
    position = fx_source_position_of_offset(source, 8, 0); /* the end of the file */
    assert_int_equal(position.line, 3);
    assert_true(fx_text_is(position.excerpt, ""));
    assert_int_equal(position.caret, 0);
    assert_int_equal(position.caret_len, 1);
    position = fx_source_position_of_offset(source, 1000, 5);
    assert_int_equal(position.line, 3);
    position = fx_source_position_of_offset((struct fx_text){NULL, 0}, 0, 0);
    assert_int_equal(position.line, 0);
}

/* A file that is one line of a megabyte gives an excerpt of some hundred bytes, cut at
 * runes. */
static void test_long_line(void **state) {
    (void)state;
    static char line[900000]; /* of three bytes a rune */
    for (size_t i = 0; i < sizeof line; i++) {
        line[i] = "☃"[i % 3];
    }
    const struct fx_source_position position =
        fx_source_position_of_offset((struct fx_text){line, sizeof line}, 450000, 9000);
    assert_true(position.excerpt.len > 600 && position.excerpt.len <= 800);
    assert_true(fx_text_is_utf8(position.excerpt));
    assert_int_equal(position.caret, 133);
    assert_int_equal(position.caret_len, position.excerpt.len / 3 - 133);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_no_mark),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_long_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
