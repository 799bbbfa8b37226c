/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/parse_test.c - texts that are no queries, each with the span of the
 * fault; operators and what they bind.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "location/jmespath/testing.h"

/* ---- faults ------------------------------------------------------------------------ */

/* A text, the span of its fault, and what the message says. */
static const struct {
    const char *text;
    uint32_t off, len;
    const char *message;
} faults[] = {
    {"", 0, 1, "an expression is expected here, where the end of the text is"},
    {"  ", 2, 1, "an expression is expected here, where the end of the text is"},
    {"a.", 2, 1,
     "a name, `*`, `[` or `{` is expected here, where the end of the text is"},
    {"a.'b'", 2, 3, "a name, `*`, `[` or `{` is expected here, not a string"},
    {"a..b", 2, 1, "a name, `*`, `[` or `{` is expected here, not `.`"},
    {"a b", 2, 1, "an operator or the end of the text is expected here, not a name"},
    {"a = b", 2, 1, "unknown character `=`"},
    {"a + 1", 2, 1, "unknown character `+`"},
    {"$.a", 0, 1, "unknown character `$`"},
    {"\xc3\xa4.a", 0, 2, "unknown character `\xc3\xa4`"},
    {"a.\xe2\x9c\x93", 2, 3, "unknown character `\xe2\x9c\x93`"},
    {"a - b", 2, 1, "unknown character `-`"},
    {"a * b", 2, 1, "an operator is expected here, not `*`"},
    {"`{\"a\":1}` == 5", 13, 1, "an expression is expected here, not a number"},
    {"'a", 0, 1, "this ' has no closing '"},
    {"\"a", 0, 1, "this \" has no closing \""},
    {"a || `1", 5, 1, "this ` has no closing `"},
    {"`x`", 0, 3,
     "the literal is not JSON: invalid character 'x' looking for beginning "
     "of value"},
    {"\"\\x\"", 0, 4,
     "the quoted name is not JSON: invalid character 'x' in string "
     "escape code"},
    {"a[", 2, 1, "a number, `:` or `*` is expected here, where the end of the text is"},
    {"a['b']", 2, 3, "a number, `:` or `*` is expected here, not a string"},
    {"a[0", 3, 1, "`]` is expected here, where the end of the text is"},
    {"a[1,2]", 3, 1, "`]` is expected here, not `,`"},
    {"a[*", 3, 1, "`]` is expected here, where the end of the text is"},
    {"a[1:b]", 4, 1, "`:` or `]` is expected here, not a name"},
    {"a[1:2:3:4]", 8, 1, "`]` is expected here, not a number"},
    {"a[::::]", 5, 1, "`]` is expected here, not `:`"},
    {"a[9223372036854775808]", 2, 19, "the number does not fit 64 bits"},
    {"a[?b", 4, 1, "`]` is expected here, where the end of the text is"},
    {"[a b]", 3, 1, "`,` or `]` is expected here, not a name"},
    {"[a,]", 3, 1, "an expression is expected here, not `]`"},
    {"{a}", 2, 1, "`:` is expected here, not `}`"},
    {"{'a': b}", 1, 3, "a name is expected here, not a string"},
    {"{a: b,}", 6, 1, "a name is expected here, not `}`"},
    {"{a: b", 5, 1, "a name is expected here, where the end of the text is"},
    {"(a", 2, 1, "`)` is expected here, where the end of the text is"},
    {"a)", 1, 1, "an operator or the end of the text is expected here, not `)`"},
    {"length(a", 8, 1, "an expression is expected here, where the end of the text is"},
    {"length(,a)", 7, 1, "an expression is expected here, not `,`"},
    {"\"length\"(a)", 0, 8, "the name of a function has no quotes"},
    {"@(a)", 0, 1, "only a name can be called"},
    {"a[0](b)", 0, 4, "only a name can be called"},
    {"a & b", 2, 1, "an operator or the end of the text is expected here, not `&`"},
    {"a[*]!b", 4, 1, "`.`, `[` or an operator is expected here, not `!`"},
};

static void faults_have_a_span(void **state) {
    (void)state;
    for (size_t i = 0; i < FX_COUNT(faults); i++) {
        struct fx_jmespath *query = NULL;
        struct fx_err err = FX_ERR_INIT;
        if (fx_jmespath_compile(fx_text_of(faults[i].text), &query, &err)) {
            fail_msg("%s: compiles", faults[i].text);
        }
        assert_string_equal(err.msg, faults[i].message);
        if (err.code != FX_ESYNTAX || err.off != faults[i].off ||
            err.len != faults[i].len) {
            fail_msg("%s: code %d at %u, %u bytes", faults[i].text, (int)err.code,
                     err.off, err.len);
        }
    }
}

static void a_text_has_to_be_utf8(void **state) {
    (void)state;
    struct fx_jmespath *query = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_false(fx_jmespath_compile(FX_TEXT("'\xff'"), &query, &err));
    assert_int_equal(err.code, FX_ESYNTAX);
}

/* ---- limits ------------------------------------------------------------------------ */

/* Repeats a part around a middle, and compiles it. */
static enum fx_code compile_repeated(const char *before, size_t times, const char *middle,
                                     const char *behind) {
    struct fx_buf buf;
    struct fx_jmespath *query = NULL;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < times; i++) {
        fx_buf_str(&buf, before);
    }
    fx_buf_str(&buf, middle);
    for (size_t i = 0; i < times; i++) {
        fx_buf_str(&buf, behind);
    }
    const bool ok = fx_jmespath_compile(fx_buf_view(&buf), &query, &err);
    assert_true(ok || err.msg[0] != '\0');
    fx_jmespath_destroy(query);
    fx_buf_finish(&buf);
    return ok ? FX_OK : err.code;
}

static void depth_is_limited(void **state) {
    (void)state;
    const size_t most = FX_LIMIT_JMESPATH_DEPTH;
    assert_int_equal(compile_repeated("(", most - 1, "a", ")"), FX_OK);
    assert_int_equal(compile_repeated("(", most, "a", ")"), FX_ELIMIT);
    assert_int_equal(compile_repeated("!", most - 1, "a", ""), FX_OK);
    assert_int_equal(compile_repeated("!", 60000, "a", ""), FX_ELIMIT);
    assert_int_equal(compile_repeated("a.", most - 1, "a", ""), FX_OK);
    assert_int_equal(compile_repeated("a.", 30000, "a", ""), FX_ELIMIT);
    assert_int_equal(compile_repeated("a[?", 20000, "a", "]"), FX_ELIMIT);
    assert_int_equal(compile_repeated("f(", 20000, "a", ")"), FX_ELIMIT);
    assert_int_equal(compile_repeated("*.", 20000, "a", ""), FX_ELIMIT);
    assert_int_equal(compile_repeated("a|", 30000, "a", ""), FX_ELIMIT);
}

static void builders_are_limited(void **state) {
    (void)state;
    const size_t most = FX_LIMIT_JMESPATH_BUILDERS;
    assert_int_equal(compile_repeated("[a]|", most - 1, "[a]", ""), FX_OK);
    assert_int_equal(compile_repeated("[a]|", most, "[a]", ""), FX_ELIMIT);
    assert_int_equal(compile_repeated("{b:", most, "{a:b}", "}"), FX_ELIMIT);
}

static void length_is_limited(void **state) {
    (void)state;
    assert_int_equal(compile_repeated(" ", FX_LIMIT_JMESPATH_BYTES - 1, "a", ""), FX_OK);
    assert_int_equal(compile_repeated(" ", FX_LIMIT_JMESPATH_BYTES, "a", ""), FX_ELIMIT);
}

/* ---- what binds what --------------------------------------------------------------- */

static const char document[] =
    "{\"a\": {\"b\": [1, 2, 3], \"c\": null}, \"n\": 5, \"s\": \"x\", \"t\": true,"
    " \"l\": [{\"k\": \"x\", \"v\": [1, [2]]}, {\"k\": \"y\", \"v\": [3]}], \"e\": []}";

static void operators_bind_as_in_kyverno(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"n == `5` && s == 'x' || t", "true"},
        {"t || t && e", "true"},
        {"(t || t) && e", "[]"},
        {"e | @ || 'x'", "\"x\""},
        {"s || e | length(@)", "1"},
        /* a comparison is left-associative: true == true */
        {"n == n == t", "true"},
        {"`1` < `2` < `3`", "null"},
        /* `!` binds more than a dot, a filter and flattening, but less than `[0]` */
        {"!a.b", "null"},
        {"!(a.b)", "false"},
        {"!e[?@]", "null"},
        {"!e[]", "null"},
        {"!e[*]", "true"},
        {"!!n", "true"},
        /* a projection ends at what binds less than it */
        {"l[*].k | [0]", "\"x\""},
        {"l[*].v[0]", "[1,3]"},
        {"l[*].v[]", "[1,[2],3]"},
        {"l[*].v[][]", "[1,2,3]"},
        {"l[].v | [0]", "[1,[2]]"},
        /* a list or an object ends it, as in Kyverno */
        {"l[*].[k][0]", "[\"x\"]"},
        {"l[*].{n: k}[1]", "{\"n\":\"y\"}"},
        {"l[*].{n: k}.n", "null"},
        {"l[*][\"k\"]", "[[\"x\"],[\"y\"]]"},
        {"l[0:1].k", "[\"x\"]"},
        {"l[?k == 'y'].v | [0][0]", "3"},
        {"a.*[0]", "[1]"},
        {"*.b[1]", "[2]"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void commas_may_be_missing_as_in_kyverno(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"length(s,)", "1"},
        {"starts_with(s 'x')", "true"},
        {"{a: n b: s}", "{\"a\":5,\"b\":\"x\"}"},
        {"a.b[:::]", "[1,2,3]"},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void texts_have_escapes(void **state) {
    (void)state;
    static const struct search_row rows[] = {
        {"'it\\'s'", "\"it's\""},
        {"'\\n'", "\"\\\\n\""},
        {"'\\\\'", "\"\\\\\\\\\""},
        {"'\n'", "\"\\n\""},
        {"`\"a\\`b\"`", "\"a`b\""},
        {"` 1.50 `", "1.5"},
        {"`[9007199254740993, {\"a\": null}]`", "[9007199254740993,{\"a\":null}]"},
        {"\"\\u0073\"", "\"x\""},
        {"\"a\".\"b\"[ 0 ]", "1"},
        {"a\n.\tb\r[ -1 ]", "3"},
        {"{\"x y\": n}", "{\"x y\":5}"},
        {"''", "\"\""},
    };
    expect_rows(document, rows, FX_COUNT(rows));
}

static void the_text_is_kept(void **state) {
    (void)state;
    char text[] = "a.b";
    struct fx_jmespath *query = compile(text);
    text[0] = 'x';
    assert_true(fx_text_is(fx_jmespath_text(query), "a.b"));
    fx_jmespath_destroy(query);
    fx_jmespath_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_have_a_span),
        cmocka_unit_test(a_text_has_to_be_utf8),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(builders_are_limited),
        cmocka_unit_test(length_is_limited),
        cmocka_unit_test(operators_bind_as_in_kyverno),
        cmocka_unit_test(commas_may_be_missing_as_in_kyverno),
        cmocka_unit_test(texts_have_escapes),
        cmocka_unit_test(the_text_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
