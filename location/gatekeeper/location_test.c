/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/location_test.c - parsing, printing and comparing locations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "base/macros.h"
#include "location/gatekeeper/testing.h"
#include "value/tree.h"

/* A text and its printed form. `once`: the printed form cannot be parsed again. */
static const struct {
    const char *text, *printed;
    size_t n_steps;
    bool once;
} good[] = {
    {"", "", 0, false},
    {" \t\r\n ", "", 0, false},
    {"spec", "spec", 1, false},
    {"spec.replicas", "spec.replicas", 2, false},
    {"  spec \n . \t containers ", "spec.containers", 2, false},
    {"spec.containers[name: web].image", "spec.containers[name: web].image", 4, false},
    {"spec.containers [ name:web ] .image", "spec.containers[name: web].image", 4, false},
    {"spec.containers[name:*].image", "spec.containers[name: *].image", 4, false},
    {"a[b:'*']", "a[b: \"*\"]", 2, false},
    {"a[b: 5]", "a[b: 5]", 2, false},
    {"a[b: 007]", "a[b: 7]", 2, false},
    {"a[b: '5']", "a[b: \"5\"]", 2, false},
    {"a[b: -5]", "a[b: -5]", 2, false},
    {"a['5': b]", "a[\"5\": b]", 2, false},
    {"a[b: 9223372036854775807]", "a[b: 9223372036854775807]", 2, false},
    {"a[b: 18446744073709551616]", "a[b: 0]", 2, false}, /* wraps around, as in Go */
    {"a[b: true].c[d: null]", "a[b: true].c[d: null]", 4, false},
    {"a[\"\": ''].''", "a[\"\": \"\"].\"\"", 3, false},
    {"metadata.labels.'a.b'", "metadata.labels.\"a.b\"", 3, false},
    {"'it\\'s'", "\"it's\"", 1, false},
    {"\"a\\\"b\\\\c\"", "\"a\\\"b\\\\c\"", 1, false},
    {"'\\n'", "n", 1, false},
    {"'a b\tc'", "\"a b\tc\"", 1, false},
    {"'-_x'", "-_x", 1, false},
    {"_.-", "_.-", 2, false},
    {"'9lives'", "\"9lives\"", 1, false},
    {"metadata.annotations.'a/b'", "metadata.annotations.a/b", 3, true},
    {"'🦋'.b", "🦋.b", 2, true},
    {"'\\🦋'", "🦋", 1, true},
    {"'a\rb'", "a\rb", 1, true},
};

static void prints(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(good); i++) {
        struct fx_location *location = must_parse(good[i].text);
        char *printed = must_print(location);
        assert_string_equal(printed, good[i].printed);
        assert_int_equal(location->n_steps, good[i].n_steps);
        free(printed);
        fx_location_destroy(location);
    }
}

static bool same(const struct fx_location *a, const struct fx_location *b) {
    return a->n_steps == b->n_steps && fx_location_has_prefix(a, b);
}

static void what_is_printed_parses_back(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(good); i++) {
        if (good[i].once) {
            continue;
        }
        struct fx_location *first = must_parse(good[i].text);
        char *printed = must_print(first);
        struct fx_location *second = must_parse(printed);
        assert_true(same(first, second));
        fx_location_destroy(second);
        free(printed);
        fx_location_destroy(first);
    }
}

/* A text, the span of the faulty token, and the message. */
static const struct {
    const char *text;
    uint32_t off, len;
    const char *msg;
} bad[] = {
    {"a.", 1, 1, "trailing separators are forbidden"},
    {"a . \t", 2, 1, "trailing separators are forbidden"},
    {"a[b: c].", 7, 1, "trailing separators are forbidden"},
    {".a", 0, 1, "unexpected token: expected field name or eof, got: SEPARATOR: \".\""},
    {"a..b", 2, 1, "unexpected token: expected field name or eof, got: SEPARATOR: \".\""},
    {"[a: b]", 0, 1,
     "unexpected token: expected field name or eof, got: LBRACKET: \"[\""},
    {"5", 0, 1, "unexpected token: expected field name or eof, got: INT: \"5\""},
    {"a.012b", 2, 3, "unexpected token: expected field name or eof, got: INT: \"012\""},
    {"*", 0, 1, "unexpected token: expected field name or eof, got: GLOB: \"*\""},
    {"a b", 2, 1, "unexpected token: expected '.' or eof, got: IDENT: \"b\""},
    {"'a''b'", 3, 3, "unexpected token: expected '.' or eof, got: IDENT: \"b\""},
    {"a5 .5", 4, 1, "unexpected token: expected field name or eof, got: INT: \"5\""},
    {"a/b", 1, 1, "unexpected token: expected '.' or eof, got: ERROR: \"/\""},
    {"a🐙b", 1, 4, "unexpected token: expected '.' or eof, got: ERROR: \"🐙\""},
    {"a\vb", 1, 1, "unexpected token: expected '.' or eof, got: ERROR: \"\\v\""},
    {"'open \\'", 0, 8,
     "unexpected token: expected field name or eof, got: ERROR: \"open '\""},
    {"a.\"b\\", 2, 3, "unexpected token: expected field name or eof, got: ERROR: \"b\""},
    {"a[b: c][d: e]", 7, 1,
     "unexpected token: expected '.' or eof, got: LBRACKET: \"[\""},
    {"a[5: b]", 2, 1, "unexpected token: expected keyField in listSpec, got: INT: \"5\""},
    {"a[", 2, 1, "unexpected token: expected keyField in listSpec, got: EOF: \"\""},
    {"a[*: b]", 2, 1,
     "unexpected token: expected keyField in listSpec, got: GLOB: \"*\""},
    {"a[my key: b]", 5, 3,
     "unexpected token: expected ':' following keyField my, got: IDENT: \"key\""},
    {"a[b: ]", 5, 1,
     "unexpected token: expected key value or glob in listSpec, got: RBRACKET: \"]\""},
    {"a[b: +5]", 5, 1,
     "unexpected token: expected key value or glob in listSpec, got: ERROR: \"+\""},
    {"a[b: 1.5]", 6, 1,
     "unexpected token: expected ']' following listSpec, got: SEPARATOR: \".\""},
    {"a[b: 0x1F]", 6, 3,
     "unexpected token: expected ']' following listSpec, got: IDENT: \"x1F\""},
    {"a[b: c", 6, 1, "unexpected token: expected ']' following listSpec, got: EOF: \"\""},
    {"a[b: 9223372036854775808]", 5, 19,
     "invalid integer: overflow in integer string: 9223372036854775808: parsing key "
     "value for key: b"},
    {"a[b: 18446744073709551615]", 5, 20,
     "invalid integer: overflow in integer string: 18446744073709551615: parsing key "
     "value for key: b"},
};

static void points_at_the_fault(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(bad); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_location *location = NULL;
        assert_false(fx_location_parse(fx_text_of(bad[i].text), FX_LOCATION_GATEKEEPER,
                                       &location, &err));
        assert_null(location);
        assert_string_equal(err.msg, bad[i].msg);
        assert_int_equal(err.code, FX_ESYNTAX);
        assert_int_equal(err.off, bad[i].off);
        assert_int_equal(err.len, bad[i].len);
    }
}

static void keeps_the_parts(void **state) {
    (void)state;
    struct fx_location *location = must_parse("a['k 1': \"v\\\"\"].b[n: 12].c[m: *]");
    assert_int_equal(location->n_steps, 6);
    const struct fx_location_step *steps = location->steps;
    assert_int_equal(steps[0].type, FX_LOCATION_OBJECT);
    assert_null(steps[0].value);
    assert_int_equal(steps[1].type, FX_LOCATION_LIST);
    assert_true(fx_text_is(steps[1].name, "k 1"));
    assert_true(fx_text_is(fx_tree_text(steps[1].value), "v\""));
    assert_int_equal(json_integer_value(steps[3].value), 12);
    assert_true(steps[5].glob);
    assert_null(steps[5].value);
    assert_int_equal(steps[5].type, FX_LOCATION_LIST);
    fx_location_destroy(location);
}

static void keeps_nul(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_location *location = NULL;
    assert_true(
        fx_location_parse(FX_TEXT("'a\0b'"), FX_LOCATION_GATEKEEPER, &location, &err));
    assert_int_equal(location->steps[0].name.len, 3);
    assert_memory_equal(location->steps[0].name.data, "a\0b", 3);
    fx_location_destroy(location);
    assert_false(
        fx_location_parse(FX_TEXT("a\0b"), FX_LOCATION_GATEKEEPER, &location, &err));
    assert_string_equal(err.msg,
                        "unexpected token: expected '.' or eof, got: ERROR: \"\\x00\"");
}

static void refuses_malformed_utf8(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_location *location = NULL;
    assert_false(
        fx_location_parse(FX_TEXT("'\xff'"), FX_LOCATION_GATEKEEPER, &location, &err));
    assert_int_equal(err.code, FX_ESYNTAX);
}

static struct fx_err parse_repeated(const char *part, size_t count) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    for (size_t i = 0; i < count; i++) {
        fx_buf_str(&text, part);
    }
    struct fx_err err = FX_ERR_INIT;
    struct fx_location *location = NULL;
    if (fx_location_parse((struct fx_text){text.data, text.len}, FX_LOCATION_GATEKEEPER,
                          &location, &err)) {
        assert_int_equal(err.code, FX_OK);
    }
    fx_location_destroy(location);
    fx_buf_finish(&text);
    return err;
}

static void has_limits(void **state) {
    (void)state;
    assert_int_equal(parse_repeated("a", FX_LIMIT_LOCATION_BYTES).code, FX_OK);
    assert_int_equal(parse_repeated("a", FX_LIMIT_LOCATION_BYTES + 1).code, FX_ELIMIT);
    assert_int_equal(parse_repeated("a.", FX_LIMIT_LOCATION_NODES).code, FX_ESYNTAX);
    const struct fx_err err = parse_repeated("a.", FX_LIMIT_LOCATION_NODES + 1);
    assert_int_equal(err.code, FX_ELIMIT);
    assert_int_equal(err.off, 2 * FX_LIMIT_LOCATION_NODES);
}

/* True where the second is a prefix of the first. */
static const struct {
    const char *location, *prefix;
    bool is;
} prefixes[] = {
    {"spec.a.b", "", true},
    {"spec.a.b", "spec", true},
    {"spec.a.b", "spec . 'a' . b", true},
    {"spec.a", "spec.a.b", false},
    {"spec.a.b", "spec.b", false},
    {"spec.l[k: v].x", "spec.l", true},
    {"spec.l[k: v].x", "spec.l[k: v]", true},
    {"spec.l[k: v].x", "spec.l[k: w]", false},
    {"spec.l[k: v].x", "spec.l[j: v]", false},
    {"spec.l[k: v].x", "spec.l[k: *]", false},
    {"spec.l[k: *].x", "spec.l[k: v]", false},
    {"spec.l[k: *].x", "spec.l[k: '*']", false},
    {"spec.l[k: *].x", "spec.l[k: *]", true},
    {"spec.l[k: 5].x", "spec.l[k: 05]", true},
    {"spec.l[k: 5].x", "spec.l[k: '5']", false},
    {"spec.l[k: v].x", "spec.l.k", false},
};

static void knows_prefixes(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(prefixes); i++) {
        struct fx_location *location = must_parse(prefixes[i].location);
        struct fx_location *prefix = must_parse(prefixes[i].prefix);
        if (fx_location_has_prefix(location, prefix) != prefixes[i].is) {
            fail_msg("`%s` in `%s`", prefixes[i].prefix, prefixes[i].location);
        }
        fx_location_destroy(prefix);
        fx_location_destroy(location);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints),
        cmocka_unit_test(what_is_printed_parses_back),
        cmocka_unit_test(points_at_the_fault),
        cmocka_unit_test(keeps_the_parts),
        cmocka_unit_test(keeps_nul),
        cmocka_unit_test(refuses_malformed_utf8),
        cmocka_unit_test(has_limits),
        cmocka_unit_test(knows_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
