/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_test.c - reading YAML: what yaml_cases.jsonl does not contain. Bounds,
 * streams, positions, anchors and merges beyond the plain ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/marks.h"
#include "value/tree.h"
#include "value/yaml.h"

/* The stream's first document, or NULL with `err`. */
static json_t *read_first(struct fx_text text, struct fx_marks *marks,
                          struct fx_err *err) {
    struct fx_yaml_reader *reader = fx_yaml_open(text);
    assert_non_null(reader);
    json_t *root = NULL;
    const bool ok = fx_yaml_next(reader, marks, &root, err);
    assert_true(ok || root == NULL);
    fx_yaml_close(reader);
    return root;
}

static json_t *must_read(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = read_first(fx_text_of(text), NULL, &err);
    if (root == NULL) {
        print_error("%s\n", err.msg);
    }
    assert_non_null(root);
    return root;
}

static void assert_reads(const char *yaml, const char *json) {
    struct fx_err err = FX_ERR_INIT;
    json_t *want = fx_json_read(fx_text_of(json), NULL, &err);
    json_t *got = must_read(yaml);
    if (!fx_equal(got, want)) {
        char *text = json_dumps(got, JSON_ENCODE_ANY);
        print_error("%s\n  want: %s\n  got: %s\n", yaml, json, text);
        free(text);
        fail();
    }
    json_decref(got);
    json_decref(want);
}

static void assert_refused(const char *yaml, uint32_t off, const char *message) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = read_first(fx_text_of(yaml), NULL, &err);
    assert_null(root);
    assert_string_equal(err.msg, message);
    assert_int_equal(err.code, FX_ESYNTAX);
    assert_int_equal(err.off, off);
}

static void test_values(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"a: 0b11", "{\"a\": 3}"},
        {"a: -0b11", "{\"a\": -3}"},
        {"a: 0o17", "{\"a\": 15}"},
        {"a: -0x1F", "{\"a\": -31}"},
        {"a: 0xFFFFFFFFFFFFFFFF", "{\"a\": 18446744073709551615}"},
        {"a: -0xFFFFFFFFFFFFFFFF", "{\"a\": \"-0xFFFFFFFFFFFFFFFF\"}"},
        {"a: 0x1FFFFFFFFFFFFFFFF", "{\"a\": \"0x1FFFFFFFFFFFFFFFF\"}"},
        {"a: 1.", "{\"a\": 1}"},
        {"a: +.5", "{\"a\": 0.5}"},
        {"a: .5_0", "{\"a\": 0.5}"},
        {"a: ._5", "{\"a\": \"._5\"}"},
        {"a: .5_", "{\"a\": \".5_\"}"},
        {"a: 1_0.5", "{\"a\": 10.5}"},
        {"a: .", "{\"a\": \".\"}"},
        {"a: +", "{\"a\": \"+\"}"},
        {"a: +-1", "{\"a\": \"+-1\"}"},
        {"a: 1e-400", "{\"a\": 0}"},
        {"a: ! 5", "{\"a\": \"5\"}"},
        {"a: ! '5'", "{\"a\": \"5\"}"},
        {"a: !!bool 'on'", "{\"a\": true}"},
        {"a: !!timestamp 2001-12-14", "{\"a\": \"2001-12-14\"}"},
        {"a: !<tag:yaml.org,2002:int> \"3\"", "{\"a\": 3}"},
        {"a: !!binary |\n  aGVs\n  bG8=\n", "{\"a\": \"hello\"}"},
        {"a: !!binary /w==", "{\"a\": \"\\ufffd\"}"},
        {"a: !!binary \"\"", "{\"a\": \"\"}"},
        {"\xEF\xBB\xBF"
         "a: 1",
         "{\"a\": 1}"},
        {"a: \"\\0\\x07\\u00e9\"", "{\"a\": \"\\u0000\\u0007\\u00e9\"}"},
        {"\"\\0\": 1", "{\"\\u0000\": 1}"},
        {"[1]", "[1]"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_reads(cases[i][0], cases[i][1]);
    }
}

/* An integral float becomes the integer that kubectl's detour over JSON makes of it. */
static void test_number_types(void **state) {
    (void)state;
    json_t *root = must_read("[1.0, 1e3, 1.5, 1e21, 9223372036854775808]");
    const json_type want[] = {JSON_INTEGER, JSON_INTEGER, JSON_REAL, JSON_REAL,
                              JSON_REAL};
    for (size_t i = 0; i < FX_COUNT(want); i++) {
        assert_int_equal(json_typeof(json_array_get(root, i)), want[i]);
    }
    json_decref(root);
}

static void test_keys(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"{1: a, 0x10: b, yes: c, 2001-01-01: d}",
         "{\"1\": \"a\", \"16\": \"b\", \"true\": \"c\", \"2001-01-01\": \"d\"}"},
        {"1234567.0: a", "{\"1.234567e+06\": \"a\"}"},
        {"100000.0: a", "{\"100000\": \"a\"}"},
        {"0.00001: a", "{\"1e-05\": \"a\"}"},
        {"-0.0001: a", "{\"-0.0001\": \"a\"}"},
        {"0.1: a", "{\"0.1\": \"a\"}"},
        {"3.4028235e38: a", "{\"3.4028235e+38\": \"a\"}"},
        {"1e300: a", "{\".inf\": \"a\"}"},
        {"-.inf: a", "{\"-.inf\": \"a\"}"},
        {".nan: a", "{\".nan\": \"a\"}"},
        {"- &k 1.5\n- *k : a", "[1.5, {\"1.5\": \"a\"}]"},
        {"- &k a\n- {*k : b}", "[\"a\", {\"a\": \"b\"}]"},
        {"&k a: *k", "{\"a\": \"a\"}"},
        {"!!binary YQ==: 1", "{\"a\": 1}"},
        {"'<<': 1", "{\"<<\": 1}"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_reads(cases[i][0], cases[i][1]);
    }
}

static void test_merges(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"a: &a {x: 1, z: 2}\nb: {<<: *a, x: 3}",
         "{\"a\": {\"x\": 1, \"z\": 2}, \"b\": {\"x\": 3, \"z\": 2}}"},
        {"{<<: {x: 1}, z: 2}", "{\"x\": 1, \"z\": 2}"},
        {"{<<: [{x: 1}, {x: 2, z: 3}]}", "{\"x\": 1, \"z\": 3}"},
        {"{<<: {}}", "{}"},
        {"{<<: []}", "{}"},
        {"!!merge '<<': {x: 1}", "{\"x\": 1}"},
        {"x: 2\n<<: {x: 1}", "{\"x\": 1}"}, /* go-yaml v2 merges in the text's order */
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_reads(cases[i][0], cases[i][1]);
    }
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *yaml;
        uint32_t off;
        const char *message;
    } cases[] = {
        {"a: *b", 3, "yaml: unknown anchor 'b' referenced"},
        {"a: &a [*a]", 7, "yaml: anchor 'a' value contains itself"},
        {"a: &a 1\nb: &a {c: *a}", 18, "yaml: anchor 'a' value contains itself"},
        {"a: .nan", 3, "json: unsupported value: NaN"},
        {"- &i .inf", 2, "json: unsupported value: +Inf"},
        {"- {&i .inf: 1}\n- *i", 17, "json: unsupported value: +Inf"},
        {"a: !!int x", 3, "yaml: cannot decode !!str `x` as a !!int"},
        {"a: !!int 1.5", 3, "yaml: cannot decode !!float `1.5` as a !!int"},
        {"a: !!timestamp 2001-02-30", 3,
         "yaml: cannot decode !!str `2001-02-30` as a !!timestamp"},
        {"a: !!binary '*'", 3, "yaml: !!binary value contains invalid base64 data"},
        {"a: !!binary YQ", 3, "yaml: !!binary value contains invalid base64 data"},
        {"? {a: 1}\n: 2", 7,
         "yaml: invalid map key: map[interface {}]interface {}{\"a\":1}"},
        {"? [1, [~, true]]\n: 2", 15,
         "yaml: invalid map key: []interface {}{1, []interface {}{interface {}(nil), "
         "true}}"},
        {"? ~\n: ~", 6,
         "unsupported map key of type: %!s(<nil>), key: <nil>, value: <nil>"},
        {"9223372036854775808: x", 21,
         "unsupported map key of type: uint64, key: 0x8000000000000000, value: \"x\""},
        {"- &a [1]\n- {<<: *a}", 16,
         "yaml: map merge requires map or sequence of maps as the value"},
        {"<<: [[]]", 7, "yaml: map merge requires map or sequence of maps as the value"},
        {"<<:", 3, "yaml: map merge requires map or sequence of maps as the value"},
        {"a: 1\nb: \"x\\/y\"", 10, "yaml: line 2: found unknown escape character"},
        {"a: '\\/'\nb: \"\\\"\\\\/\"\nc: @", 22,
         "yaml: line 3: found character that cannot start any token"},
        {"\n\n%YAML 1.2\n---\na: 1", 2, "yaml: line 2: found incompatible YAML document"},
        {"a: \xC3\n", 4, "yaml: invalid trailing UTF-8 octet"},
        {"\xEF\xBB\xBF"
         "a: \x01",
         6, "yaml: control characters are not allowed"},
        {"é: @", 4, "yaml: found character that cannot start any token"},
        {"a: |0\n  x", 4, "yaml: found an indentation indicator equal to 0"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        assert_refused(cases[i].yaml, cases[i].off, cases[i].message);
    }
}

static void test_stream(void **state) {
    (void)state;
    const char *text = "# head\n---\na: &x 1\n---\n# nothing\n---\n[2]\n...\n# tail\n";
    const char *const want[] = {"{\"a\": 1}", "null", "[2]"};
    struct fx_yaml_reader *reader = fx_yaml_open(fx_text_of(text));
    struct fx_err err = FX_ERR_INIT;
    json_t *root = NULL;
    for (size_t i = 0; i < FX_COUNT(want); i++) {
        assert_true(fx_yaml_next(reader, NULL, &root, &err));
        char *got = json_dumps(root, JSON_ENCODE_ANY);
        assert_string_equal(got, want[i]);
        free(got);
        json_decref(root);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_true(fx_yaml_next(reader, NULL, &root, &err));
        assert_null(root);
    }
    fx_yaml_close(reader);
    fx_yaml_close(NULL);
}

static void test_nothing(void **state) {
    (void)state;
    static const char *const cases[] = {"", "\n\n", "# only words\n"};
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_err err = FX_ERR_INIT;
        assert_null(read_first(fx_text_of(cases[i]), NULL, &err));
        assert_int_equal(err.code, FX_OK);
    }
}

/* Anchors end with their document, the stream with its first fault. */
static void test_stream_ends_with_fault(void **state) {
    (void)state;
    struct fx_yaml_reader *reader =
        fx_yaml_open(fx_text_of("a: &x 1\n---\nb: *x\n---\nc: 1\n"));
    struct fx_err err = FX_ERR_INIT;
    json_t *root = NULL;
    assert_true(fx_yaml_next(reader, NULL, &root, &err));
    json_decref(root);
    assert_false(fx_yaml_next(reader, NULL, &root, &err));
    assert_string_equal(err.msg, "yaml: unknown anchor 'x' referenced");
    assert_true(fx_yaml_next(reader, NULL, &root, &err));
    assert_null(root);
    fx_yaml_close(reader);
}

static void test_aliases_share(void **state) {
    (void)state;
    json_t *root = must_read("a: &x {b: 1}\nc: *x\nd: {<<: *x}\n");
    assert_ptr_equal(json_object_get(root, "a"), json_object_get(root, "c"));
    assert_ptr_equal(json_object_get(json_object_get(root, "a"), "b"),
                     json_object_get(json_object_get(root, "d"), "b"));
    json_decref(root);
}

static void assert_mark(const struct fx_marks *marks, const json_t *node, uint32_t off,
                        uint32_t line, uint32_t column) {
    const struct fx_mark *mark = fx_marks_find(marks, node);
    assert_non_null(mark);
    assert_int_equal(mark->off, off);
    assert_int_equal(mark->line, line);
    assert_int_equal(mark->column, column);
}

static void test_marks(void **state) {
    (void)state;
    const char *text = "\xEF\xBB\xBF"              /* 3 bytes of no width */
                       "é: [1, \"x\", 'y']\n"      /* from 3 */
                       "b: &q !!str \"z\"\n"       /* from 21 */
                       "c: &w # words\n  d\n"      /* from 37 */
                       "e: |\n   line\n    more\n" /* from 55 */
                       "f: >2-\n    own\n"         /* from 77 */
                       "g: {h: *q}\n"              /* from 92 */
                       "i: !!str\n";
    struct fx_err err = FX_ERR_INIT;
    struct fx_marks marks = {0};
    json_t *root = read_first(fx_text_of(text), &marks, &err);
    assert_non_null(root);
    assert_mark(&marks, root, 3, 1, 1);
    const json_t *list = json_object_get(root, "é");
    assert_mark(&marks, list, 7, 1, 4);
    assert_mark(&marks, json_array_get(list, 0), 8, 1, 5);
    assert_mark(&marks, json_array_get(list, 1), 12, 1, 9);
    assert_mark(&marks, json_array_get(list, 2), 17, 1, 14);
    assert_mark(&marks, json_object_get(root, "b"), 34, 2, 14);
    assert_mark(&marks, json_object_get(root, "c"), 53, 4, 3);
    assert_mark(&marks, json_object_get(root, "e"), 63, 6, 4);
    assert_string_equal(json_string_value(json_object_get(root, "f")), "  own");
    assert_mark(&marks, json_object_get(root, "f"), 86, 9, 3);
    assert_mark(&marks, json_object_get(root, "g"), 95, 10, 4);
    assert_mark(&marks, json_object_get(json_object_get(root, "g"), "h"), 34, 2, 14);
    assert_mark(&marks, json_object_get(root, "i"), 106, 11, 4);
    json_decref(root);
    fx_marks_finish(&marks);
}

static void add_times(struct fx_buf *buf, const char *text, size_t times) {
    for (size_t i = 0; i < times; i++) {
        fx_buf_str(buf, text);
    }
}

/* `head` once, then `piece` so many times: is it refused, and by a bound? */
static void assert_over_limit(const char *head, const char *piece, size_t times) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, head);
    add_times(&text, piece, times);
    struct fx_err err = FX_ERR_INIT;
    assert_null(read_first((struct fx_text){text.data, text.len}, NULL, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    fx_buf_finish(&text);
}

static void test_depth(void **state) {
    (void)state;
    static const char *const pieces[] = {"[", "{a: ", "- ", "? ", "&a ["};
    for (size_t i = 0; i < FX_COUNT(pieces); i++) {
        assert_over_limit("", pieces[i], 100000);
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    add_times(&text, "[", FX_LIMIT_JSON_DEPTH);
    add_times(&text, "]", FX_LIMIT_JSON_DEPTH);
    json_t *root = must_read(text.data);
    json_decref(root);
    fx_buf_finish(&text);
}

/* Each line nests what the line before made: deep only once aliases are expanded. */
static void test_depth_by_aliases(void **state) {
    (void)state;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "- &a0 []\n");
    for (unsigned i = 1; i < FX_LIMIT_JSON_DEPTH; i++) {
        fx_buf_printf(&text, "- &a%u [*a%u]\n", i, i - 1);
    }
    struct fx_err err = FX_ERR_INIT;
    assert_null(read_first((struct fx_text){text.data, text.len}, NULL, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    assert_string_equal(err.msg, "yaml: exceeded max depth of 1000");
    fx_buf_finish(&text);
}

static void test_laughs(void **state) {
    (void)state;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "a0: &a0 lol\n");
    for (unsigned i = 1; i < 10; i++) {
        fx_buf_printf(&text, "a%u: &a%u [", i, i);
        for (unsigned j = 0; j < 9; j++) {
            fx_buf_printf(&text, "*a%u,", i - 1);
        }
        fx_buf_str(&text, "]\n");
    }
    struct fx_err err = FX_ERR_INIT;
    assert_null(read_first((struct fx_text){text.data, text.len}, NULL, &err));
    assert_int_equal(err.code, FX_ELIMIT);
    assert_non_null(strstr(err.msg, "document contains excessive aliasing"));
    fx_buf_finish(&text);
}

/* What would make libyaml slow. */
static void test_work(void **state) {
    (void)state;
    assert_over_limit("", "- \n", FX_LIMIT_YAML_NODES);
    assert_over_limit("", "%TAG !a! b\n", 100000);
    struct fx_buf head;
    fx_buf_init(&head, 0);
    add_times(&head, "[", FX_LIMIT_JSON_DEPTH - 1);
    assert_over_limit(head.data, "a,", 500000);
    fx_buf_finish(&head);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_number_types),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_merges),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_stream_ends_with_fault),
        cmocka_unit_test(test_aliases_share),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_depth_by_aliases),
        cmocka_unit_test(test_laughs),
        cmocka_unit_test(test_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
