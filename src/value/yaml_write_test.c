/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_write_test.c - writing YAML: the layout that kubectl's readers know, and
 * that everything reads back as what it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <string.h>

#include "base/buf.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"
#include "value/yaml.h"

static json_t *must_read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(root);
    return root;
}

static void assert_reads_back(const struct fx_buf *yaml, const json_t *value) {
    struct fx_yaml_reader *reader = fx_yaml_open((struct fx_text){yaml->data, yaml->len});
    assert_non_null(reader);
    struct fx_err err = FX_ERR_INIT;
    json_t *again = NULL;
    if (!fx_yaml_next(reader, NULL, &again, &err) || !fx_equal(again, value)) {
        print_error("%s\n%s\n", yaml->data, err.msg);
        fail();
    }
    json_decref(again);
    assert_true(fx_yaml_next(reader, NULL, &again, &err));
    assert_null(again);
    fx_yaml_close(reader);
}

static void assert_writes(const char *json, const char *yaml) {
    json_t *value = must_read_json(json);
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_yaml_write(&buf, value);
    assert_false(buf.failed);
    assert_string_equal(buf.data, yaml);
    assert_reads_back(&buf, value);
    fx_buf_finish(&buf);
    json_decref(value);
}

static void test_layout(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"{\"b\": 1, \"a\": {\"c\": [1, {\"d\": 2, \"e\": [3]}, [4, [5]]]}}",
         "b: 1\na:\n  c:\n  - 1\n  - d: 2\n    e:\n    - 3\n  - - 4\n    - - 5\n"},
        {"{\"a\": {}, \"b\": [], \"c\": null, \"d\": true, \"e\": false, \"f\": \"\"}",
         "a: {}\nb: []\nc: null\nd: true\ne: false\nf: \"\"\n"},
        {"[{}, [], [[]], [{\"a\": {}}]]", "- {}\n- []\n- - []\n- - a: {}\n"},
        {"[1, -1, 1.5, 1e21, 1e-7, 9223372036854775807, 18446744073709551616]",
         "- 1\n- -1\n- 1.5\n- 1e+21\n- 1e-7\n- 9223372036854775807\n"
         "- 18446744073709552000\n"},
        {"5", "5\n"},
        {"null", "null\n"},
        {"\"a b\"", "a b\n"},
        {"[]", "[]\n"},
        {"{}", "{}\n"},
        {"\"a\\nb\\n\"", "|\n  a\n  b\n"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_writes(cases[i][0], cases[i][1]);
    }
}

static void test_blocks(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"{\"a\": \"x\\ny\", \"b\": 1}", "a: |-\n  x\n  y\nb: 1\n"},
        {"{\"a\": \"x\\ny\\n\"}", "a: |\n  x\n  y\n"},
        {"{\"a\": \"x\\n\\n\\n\", \"b\": 1}", "a: |+\n  x\n\n\nb: 1\n"},
        {"{\"a\": \"x\\n\\n y\"}", "a: |-\n  x\n\n   y\n"},
        {"{\"a\": \"  x\\ny\"}", "a: |2-\n    x\n  y\n"},
        {"{\"a\": \"\\nx\"}", "a: |2-\n\n  x\n"},
        {"{\"a\": \"\\n\"}", "a: |2+\n\n"},
        {"{\"a\": \"\\n\\n\", \"b\": 1}", "a: |2+\n\n\nb: 1\n"},
        {"[\"x\\n\", [\"y\\nz\"]]", "- |\n  x\n- - |-\n    y\n    z\n"},
        {"{\"a\": [\"  x\\n\"]}", "a:\n- |2\n    x\n"},
        {"{\"a\": \"# no comment\\n--- \\u00e9: x\\n...\"}",
         "a: |-\n  # no comment\n  --- é: x\n  ...\n"},
        {"{\"a\": \"x \\ny\"}", "a: \"x \\ny\"\n"},
        {"{\"a\": \"x\\ny \"}", "a: \"x\\ny \"\n"},
        {"{\"a\": \"x\\n\\ty\"}", "a: \"x\\n\\ty\"\n"},
        {"{\"a\": \"x\\r\\ny\"}", "a: \"x\\r\\ny\"\n"},
        {"{\"a\\nb\": 1}", "\"a\\nb\": 1\n"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_writes(cases[i][0], cases[i][1]);
    }
}

/* Text, and how it is written as a value. */
static const struct {
    struct fx_text text;
    const char *written;
} strings[] = {
#define BYTES(text)  {text, sizeof(text) - 1}
#define PLAIN(text)  {BYTES(text), text}
#define SINGLE(text) {BYTES(text), "'" text "'"}
#define DOUBLE(text) {BYTES(text), "\"" text "\""}
    PLAIN("a"),
    PLAIN("a b"),
    PLAIN("a:b"),
    PLAIN("a#b"),
    PLAIN("-a"),
    PLAIN("?a"),
    PLAIN("a'b\"c"),
    PLAIN("http://x/y?z=1&w#v"),
    PLAIN("nginx:1.2"),
    PLAIN("1.2.3"),
    PLAIN("1Gi"),
    PLAIN("100m"),
    PLAIN("10.0.0.1"),
    PLAIN("1e"),
    PLAIN("0x"),
    PLAIN("nil"),
    PLAIN("tRue"),
    PLAIN("<<"),
    PLAIN("="),
    PLAIN("a, b"),
    PLAIN("a]}"),
    PLAIN("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
    PLAIN("--"),
    PLAIN("2001-02-30"),
    PLAIN("1:99"),
    SINGLE("- a"),
    SINGLE("-"),
    SINGLE("?"),
    SINGLE("? a"),
    SINGLE(":"),
    SINGLE(": a"),
    SINGLE("a:"),
    SINGLE("a: b"),
    SINGLE("a #b"),
    SINGLE("# a"),
    SINGLE("#"),
    SINGLE("[a"),
    SINGLE("{a"),
    SINGLE("]"),
    SINGLE("}"),
    SINGLE(","),
    SINGLE("&a"),
    SINGLE("*"),
    SINGLE("!a"),
    SINGLE("|"),
    SINGLE(">"),
    SINGLE("\"a\""),
    SINGLE("%a"),
    SINGLE("@a"),
    SINGLE("`a"),
    SINGLE("---"),
    SINGLE("--- a"),
    SINGLE("...a"),
    SINGLE(" a"),
    SINGLE("a "),
    SINGLE(" "),
    DOUBLE(""),
    DOUBLE("~"),
    DOUBLE("null"),
    DOUBLE("Null"),
    DOUBLE("true"),
    DOUBLE("y"),
    DOUBLE("N"),
    DOUBLE("yes"),
    DOUBLE("off"),
    DOUBLE("1"),
    DOUBLE("-1"),
    DOUBLE("+1"),
    DOUBLE("007"),
    DOUBLE("0777"),
    DOUBLE("08"),
    DOUBLE("1_000"),
    DOUBLE("0x1"),
    DOUBLE("0b1"),
    DOUBLE("0o7"),
    DOUBLE("1.0"),
    DOUBLE("1."),
    DOUBLE(".5"),
    DOUBLE("1e3"),
    DOUBLE(".inf"),
    DOUBLE("-.Inf"),
    DOUBLE(".nan"),
    DOUBLE("12:30:45"),
    DOUBLE("1:30"),
    DOUBLE("190:20:30.15"),
    DOUBLE("2001-12-14"),
    DOUBLE("2001-12-14t21:59:43.10-05:00"),
    DOUBLE("2001-12-14 21:59:43"),
    DOUBLE("2026-01-01T00:00:00Z"),
    {BYTES("'"), "''''"},
    {BYTES("'a: b"), "'''a: b'"},
    {BYTES("a\tb"), "\"a\\tb\""},
    {BYTES("\t"), "\"\\t\""},
    {BYTES("a\0b"), "\"a\\0b\""},
    {BYTES("\x01\x07\x1B\x7F"), "\"\\x01\\a\\e\\x7F\""},
    {BYTES("\xC2\x85\xC2\x80"), "\"\\N\\x80\""},
    {BYTES("\xE2\x80\xA8\xE2\x80\xA9"), "\"\\L\\P\""},
    {BYTES("\xEF\xBB\xBF"
           "a"),
     "\"\\uFEFFa\""},
    {BYTES("\xEF\xBF\xBE\xEF\xBF\xBF"), "\"\\uFFFE\\uFFFF\""},
    {BYTES("\\\"\t"), "\"\\\\\\\"\\t\""},
    {BYTES("\xC2\xA0"), "\xC2\xA0"},
};

static void test_strings(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(strings); i++) {
        json_t *value = json_array();
        assert_true(fx_tree_append_take(value, fx_tree_new_string(strings[i].text)));
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_yaml_write(&buf, value);
        buf.data[buf.len - 1] = '\0'; /* the line feed */
        assert_string_equal(buf.data + 2, strings[i].written);
        buf.data[buf.len - 1] = '\n';
        assert_reads_back(&buf, value);
        fx_buf_finish(&buf);
        json_decref(value);
    }
}

/* The same strings as keys, and as the only value of a document. */
static void test_strings_elsewhere(void **state) {
    (void)state;
    json_t *object = json_object();
    for (size_t i = 0; i < FX_COUNT(strings); i++) {
        assert_true(fx_tree_set_take(object, strings[i].text, json_integer((int)i)));
        json_t *root = fx_tree_new_string(strings[i].text);
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_yaml_write(&buf, root);
        assert_reads_back(&buf, root);
        fx_buf_finish(&buf);
        json_decref(root);
    }
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_yaml_write(&buf, object);
    assert_reads_back(&buf, object);
    assert_non_null(strstr(buf.data, "\n'<<': "));
    fx_buf_finish(&buf);
    json_decref(object);
}

/* Longer than the lookahead of a reader for a colon. */
static void test_long_keys(void **state) {
    (void)state;
    char key[2000];
    memset(key, 'k', sizeof key);
    static const char *const values[] = {"1", "\"x\\ny\\n\"", "[1, [2]]",
                                         "{\"a\": {\"b\": 1}, \"c\": 2}", "{}"};
    for (size_t len = 100; len <= sizeof key; len += 100) {
        json_t *object = json_object();
        for (size_t i = 0; i < FX_COUNT(values); i++) {
            key[0] = (char)('0' + i);
            assert_true(fx_tree_set_take(object, (struct fx_text){key, len},
                                         must_read_json(values[i])));
        }
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        fx_yaml_write(&buf, object);
        assert_reads_back(&buf, object);
        fx_buf_finish(&buf);
        json_decref(object);
    }
}

static void test_long_lines(void **state) {
    (void)state;
    static char text[100000];
    memset(text, 'x', sizeof text);
    for (size_t i = 7; i < sizeof text; i += 11) {
        text[i] = ' ';
    }
    text[sizeof text - 1] = 'x';
    json_t *list = json_array();
    assert_true(fx_tree_append_take(
        list, fx_tree_new_string((struct fx_text){text, sizeof text})));
    text[50000] = '\n';
    text[49999] = 'x';
    assert_true(fx_tree_append_take(
        list, fx_tree_new_string((struct fx_text){text, sizeof text})));
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_yaml_write(&buf, list);
    assert_reads_back(&buf, list);
    assert_int_equal(buf.len,
                     2 * sizeof text + sizeof "- \n" - 1 + sizeof "- |-\n  \n  " - 1);
    fx_buf_finish(&buf);
    json_decref(list);
}

static void test_bound(void **state) {
    (void)state;
    json_t *value = must_read_json("{\"a\": [\"some text\", {\"b\": \"more\"}]}");
    struct fx_buf buf;
    fx_buf_init(&buf, 10);
    fx_yaml_write(&buf, value);
    assert_true(buf.failed);
    fx_buf_finish(&buf);
    json_decref(value);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),    cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_strings),   cmocka_unit_test(test_strings_elsewhere),
        cmocka_unit_test(test_long_keys), cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
