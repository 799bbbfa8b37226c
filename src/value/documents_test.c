/* SPDX-License-Identifier: Apache-2.0
 *
 * value/documents_test.c - files of one or more objects, JSON or YAML, whole or not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "value/documents.h"
#include "value/json.h"

/* "line:json" of each document, a space between, and the error's "!off:message". */
static void print_documents(struct fx_buf *out, const char *text) {
    struct fx_documents documents;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_documents_read(fx_text_of(text), &documents, &err);
    for (size_t i = 0; i < documents.n_items; i++) {
        fx_buf_printf(out, "%s%u:", i == 0 ? "" : " ", documents.items[i].line);
        fx_json_write(out, documents.items[i].root, FX_JSON_COMPACT);
    }
    if (!ok) {
        fx_buf_printf(out, "!%u:%s", err.off, err.msg);
    }
    fx_documents_finish(&documents);
}

static const struct {
    const char *text, *want;
} cases[] = {
    {"", ""},
    {" \n", ""},
    {"# words\n", ""},
    {"---\n# words\n---\n", ""},
    {"a: 1\n", "1:{\"a\":1}"},
    {"\n\na: 1\n---\n---\nb: 2\n", "3:{\"a\":1} 6:{\"b\":2}"},
    {"\xEF\xBB\xBF"
     "a: 1\n",
     "1:{\"a\":1}"},
    {"\xEF\xBB\xBF{\"a\": 1}", "1:{\"a\":1}"},
    {"5\n---\nx\n---\n[1]\n", "1:5 3:\"x\" 5:[1]"},
    /* JSON, one after the other */
    {"{\"a\":1}", "1:{\"a\":1}"},
    {"\n {\"a\": \"}{\\\"\"}{}\n\n{\"b\":[{}]}\n",
     "2:{\"a\":\"}{\\\"\"} 2:{} 4:{\"b\":[{}]}"},
    {"{} [1]", "1:{} 1:[1]"},
    {"{\"a\": \"\\/\"}", "1:{\"a\":\"/\"}"}, /* which YAML would refuse */
    /* YAML after all */
    {"{a: 1}\n", "1:{\"a\":1}"},
    {"{\"a\": 1,}\n", "1:{\"a\":1}"},
    {"{\"a\":1}\n---\n{\"b\":2}\n", "1:{\"a\":1} 3:{\"b\":2}"},
    {"{\"a\":1} # words\n", "1:{\"a\":1}"},
    /* neither: the reader that got further reports */
    {"{\"a\": 1}{\"b\" 2}", "1:{\"a\":1}!13:invalid character '2' after object key"},
    {"{\"a\": [1}", "!8:invalid character '}' after array element"},
    {"{\"a\": 1", "!7:unexpected end of JSON input"},
    {"{", "!1:unexpected end of JSON input"},
    {"{}\n{} x", "1:{} 2:{}!6:invalid character 'x' looking for beginning of value"},
    {"{a: @}", "!4:yaml: found character that cannot start any token"},
    {"{\"a\": 1}\n---\n{b: @}",
     "1:{\"a\":1}!17:yaml: line 3: found character that cannot start any token"},
    /* what comes before the fault stays */
    {"a: 1\n---\nb: 2\n---\nc: @\n---\nd: 1\n",
     "1:{\"a\":1} 3:{\"b\":2}!21:yaml: line 5: found character that cannot start any "
     "token"},
    /* lists */
    {"kind: List\nitems:\n- a: 1\n-\n  b: 2\n-\n", "3:{\"a\":1} 5:{\"b\":2}"},
    {"{\"kind\": \"PodList\",\n\"items\": [{\"a\": 1},\n{\"kind\": \"List\", "
     "\"items\":\n[5]}]}",
     "2:{\"a\":1} 4:5"},
    {"{}\n {\"kind\": \"List\", \"items\": [\n{}]}", "1:{} 3:{}"},
    {"kind: List\nitems:\n- &x {a: 1}\n- *x\n", "3:{\"a\":1} 3:{\"a\":1}"},
    {"kind: List\nitems: []\n", ""},
    {"kind: List\n", "1:{\"kind\":\"List\"}"},
    {"kind: List\nitems: {}\n", "1:{\"kind\":\"List\",\"items\":{}}"},
    {"kind: Listing\nitems: []\n", "1:{\"kind\":\"Listing\",\"items\":[]}"},
    {"kind: [List]\nitems: []\n", "1:{\"kind\":[\"List\"],\"items\":[]}"},
};

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_buf got;
        fx_buf_init(&got, 0);
        fx_buf_str(&got, "");
        print_documents(&got, cases[i].text);
        if (strcmp(got.data, cases[i].want) != 0) {
            print_error("%s\n", cases[i].text);
        }
        assert_string_equal(got.data, cases[i].want);
        fx_buf_finish(&got);
    }
}

/* In a second JSON value marks count from the start of the file. */
static void test_marks(void **state) {
    (void)state;
    const struct fx_text text = FX_TEXT("{}\n {\"a\": \"é\", \"b\":\n[2]}");
    struct fx_documents documents;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_documents_read(text, &documents, &err));
    assert_int_equal(documents.n_items, 2);
    const json_t *root = documents.items[1].root;
    const json_t *const nodes[] = {root, json_object_get(root, "a"),
                                   json_object_get(root, "b")};
    const struct fx_mark want[] = {{.off = 4, .line = 2, .column = 2},
                                   {.off = 11, .line = 2, .column = 9},
                                   {.off = 21, .line = 3, .column = 1}};
    for (size_t i = 0; i < FX_COUNT(nodes); i++) {
        const struct fx_mark *mark = fx_marks_find(&documents.marks, nodes[i]);
        assert_non_null(mark);
        assert_int_equal(mark->off, want[i].off);
        assert_int_equal(mark->line, want[i].line);
        assert_int_equal(mark->column, want[i].column);
    }
    fx_documents_finish(&documents);
    fx_documents_finish(NULL);
}

static void test_position(void **state) {
    (void)state;
    const struct fx_text text = FX_TEXT("a\xC3\xA9"
                                        "b\r\n\n\xF0\x9F\x98\x80"
                                        "c");
    static const uint32_t want[][3] = {{0, 1, 1},  {1, 1, 2},  {3, 1, 3},
                                       {4, 1, 4},  {6, 2, 1},  {7, 3, 1},
                                       {11, 3, 2}, {12, 3, 3}, {99, 3, 3}};
    for (size_t i = 0; i < FX_COUNT(want); i++) {
        uint32_t line = 0;
        uint32_t column = 0;
        fx_documents_position(text, want[i][0], &line, &column);
        assert_int_equal(line, want[i][1]);
        assert_int_equal(column, want[i][2]);
    }
}

/* Lists in lists, as deep as a document may be, and many items. */
static void test_nested_lists(void **state) {
    (void)state;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    for (size_t i = 0; i < 499; i++) {
        fx_buf_str(&text, "{\"kind\":\"List\",\"items\":[{},");
    }
    fx_buf_str(&text, "5");
    for (size_t i = 0; i < 499; i++) {
        fx_buf_str(&text, "]}");
    }
    struct fx_documents documents;
    struct fx_err err = FX_ERR_INIT;
    assert_true(
        fx_documents_read((struct fx_text){text.data, text.len}, &documents, &err));
    assert_int_equal(documents.n_items, 500);
    fx_documents_finish(&documents);
    fx_buf_finish(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_position),
        cmocka_unit_test(test_nested_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
