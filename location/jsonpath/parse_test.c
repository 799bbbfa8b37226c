/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/parse_test.c - syntax errors with their messages and spans; valid
 * texts and how they print.
 */
#include "base/limits.h"
#include "location/jsonpath/testing.h"

/* A text, the span of the fault, a part of the message. */
struct fault {
    const char *text;
    uint32_t off, len;
    const char *message;
};

static void check_faults(const struct fault *rows, size_t count,
                         enum fx_jsonpath_use use) {
    for (size_t i = 0; i < count; i++) {
        struct fx_jsonpath *path = NULL;
        struct fx_err err = FX_ERR_INIT;
        if (fx_jsonpath_compile(fx_text_of(rows[i].text), use, &path, &err)) {
            fail_msg("%s: compiles", rows[i].text);
        }
        if (err.code != FX_ESYNTAX || err.off != rows[i].off || err.len != rows[i].len ||
            strstr(err.msg, rows[i].message) == NULL) {
            fail_msg("%s: %u+%u %s", rows[i].text, err.off, err.len, err.msg);
        }
        assert_null(path);
    }
}

static void test_expression_faults(void **state) {
    static const struct fault rows[] = {
        {"", 0, 1, "an expression is expected here, where the text ends"},
        {"// comment", 10, 1, "an expression is expected here, where the text ends"},
        {"1 /* two", 2, 2, "this comment has no end"},
        {"$.n = 5", 4, 1, "unknown operator `=`: write `==`"},
        {"$.n === 5", 6, 1, "unknown operator `=`: write `==`"},
        {"$.a and $.b", 4, 3, "unknown operator `and`: write `&&`"},
        {"$.a or $.b", 4, 2, "write `||`"},
        {"$.n <> 5", 5, 1, "an expression is expected here, not `>`"},
        {"$.kind $.n", 7, 1, "an operator, or the end of the expression, is expected"},
        {"$.kind ; 1", 7, 1, "not `;`"},
        {"a \xC3\x97 b", 2, 2, "not `\xC3\x97`"},
        {"isDefined kind", 10, 4, "not `kind`"},
        {"($.kind", 7, 1, "`)` is expected here, where the text ends"},
        {"$.a ? 1)", 7, 1, "`:` and the alternative is expected here"},
        {"($.a ? 1)", 8, 1, "`:` and the alternative"},
        {"[1, 2", 5, 1, "`]` is expected here, where the text ends"},
        {"{\"a\" 1}", 5, 1, "`:` is expected here, not `1`"},
        {"{\"a\": 1", 7, 1, "`}` is expected here"},
        {"{#: 5}", 4, 1, "a path, because the key has a `#`, is expected here"},
        {"{#: $.kind == \"Pod\"}", 11, 2, "an expression is expected here"},
        {"#", 0, 1, "`#` is only allowed in the key of an object"},
        {"{\"a\": #}", 6, 1, "`#` is only allowed in the key of an object"},
        {"length(1,)", 9, 1, "an expression is expected here, not `)`"},
        {"length(1 2)", 9, 1, "`)` is expected here, not `2`"},
        {"a.1", 1, 2, "an operator, or the end"},
        {"a.*", 2, 1, "a field name is expected here"},
        {"a[1", 3, 1, "`]` is expected here"},
        {"true.x", 4, 1, "an operator, or the end"},
    };
    check_faults(rows, FX_COUNT(rows), FX_JSONPATH_EXPRESSION);
    (void)state;
}

static void test_literal_faults(void **state) {
    static const struct fault rows[] = {
        {"$.kind == 'Pod'", 10, 5, "single quotes hold one character: use double quotes"},
        {"$['kind']", 2, 6, "use double quotes"},
        {"''", 0, 2, "use double quotes"},
        {"\"open", 0, 5, "this text has no closing quote"},
        {"\"open\n\"", 0, 5, "this text has no closing quote"},
        {"\"open\\\"", 0, 7, "this text has no closing quote"},
        {"\"", 0, 1, "this text has no closing quote"},
        {"`open", 0, 5, "this text has no closing quote"},
        {"\"a.b\" =~ \"a\\.b\"", 11, 2, "unknown escape: write `\\\\` for"},
        {"\"\\'\"", 1, 2, "unknown escape"},
        {"'\\\"'", 1, 2, "unknown escape"},
        {"\"\\xg0\"", 1, 2, "unknown escape"},
        {"\"\\400\"", 1, 2, "unknown escape"},
        {"\"\\ud800\"", 1, 2, "unknown escape"},
        {"\"\\U00110000\"", 1, 2, "unknown escape"},
        {"\"\\u00e\"", 1, 2, "unknown escape"},
        {"\"\\xff\"", 0, 6, "give invalid UTF-8"},
        {"0x10", 0, 4, "`0x10` is not a decimal number"},
        {"0b1", 0, 3, "is not a decimal number"},
        {"1e400", 0, 5, "or is too large"},
        {"1e", 0, 2, "is not a decimal number"},
        {"1__0", 0, 4, "is not a decimal number"},
        {"1_", 0, 2, "is not a decimal number"},
    };
    check_faults(rows, FX_COUNT(rows), FX_JSONPATH_EXPRESSION);
    (void)state;
}

static void test_path_faults(void **state) {
    static const struct fault rows[] = {
        {"$[3].", 5, 1, "a field name or `*` (other names as in `[\"my-name\"]`) is"},
        {"$.[0]", 2, 1, "a field name or `*`"},
        {"$.1a", 1, 2, "write an index as in `[0]` and other names as in `[\"1a\"]`"},
        {"$..", 3, 1, "a field name, `*`, `[` or `(` after `..` is expected here"},
        {"$...name", 3, 1, "after `..` is expected here, not `.`"},
        {"$..[0:1]", 3, 5, "a range cannot follow `..`"},
        {"$[3,5:1].", 5, 1, "`,` and `:` do not mix"},
        {"$[3:5,1]", 5, 1, "`,` and `:` do not mix"},
        {"$.a[1:2:3:4]", 9, 1, "a range has three parts at most"},
        {"$.a[:::]", 6, 1, "a range has three parts at most"},
        {"$.a[1:2 3]", 8, 1, "`]` is expected here, not `3`"},
        {"$.a[", 4, 1, "an expression is expected here, where the text ends"},
        {"$.a[]", 4, 1, "a key, `*` or `?` and a condition is expected here"},
        {"$.a[*", 5, 1, "`]` is expected here"},
        {"$.a[1,]", 6, 1, "an expression is expected here, not `]`"},
        {"$.a[?]", 5, 1, "an expression is expected here, not `]`"},
        {"$.a[? @.b, @.c]", 9, 1, "a filter is one condition"},
        {"$.arr.length()", 13, 1, "an expression is expected here, not `)`"},
        {"$.a(1", 5, 1, "`)` is expected here"},
    };
    check_faults(rows, FX_COUNT(rows), FX_JSONPATH_EXPRESSION);
    (void)state;
}

/* What no constants can be used for is found at once. */
static void test_constant_faults(void **state) {
    static const struct fault rows[] = {
        {"$.t && !5", 7, 2, "`!` needs true or false, not a number"},
        {"\"a\" - 1", 0, 7, "`-` cannot be applied to a text and a number"},
        {"1 + (\"a\" * 2)", 5, 7, "`*` cannot be applied to a text and a number"},
        {"-\"x\"", 0, 4, "`-` needs a number, not a text"},
        {"true && 5", 0, 9, "`&&` needs true or false, not a number"},
        {"! \"c1\" in $.names", 0, 6, "`!` needs true or false, not a text"},
        {"$.kind =~ \"[\"", 10, 3, "missing ]"},
        {"$.kind !~ \"(\" + \"a\"", 10, 9, "missing )"},
        {"$[? @ =~ `\\1`]", 9, 4, "invalid escape sequence"},
    };
    check_faults(rows, FX_COUNT(rows), FX_JSONPATH_EXPRESSION);
    (void)state;
}

static void test_place_faults(void **state) {
    static const struct fault rows[] = {
        {"", 0, 1, "a path, which begins with `$`, is expected here"},
        {"kind", 0, 4, "a path, which begins with `$`, is expected here"},
        {"$.a == 1", 4, 2, "a patch selects with a path alone"},
        {"$.a[", 4, 1, "an expression is expected here"},
        {"$.a, \"x\": $", 3, 1, "a patch selects with a path alone"},
    };
    struct fx_jsonpath *path = NULL;
    struct fx_err err = FX_ERR_INIT;
    check_faults(rows, 2, FX_JSONPATH_PATH);
    for (size_t i = 2; i < FX_COUNT(rows); i++) {
        assert_false(
            fx_jsonpath_compile(fx_text_of(rows[i].text), FX_JSONPATH_PATH, &path, &err));
        assert_int_equal(err.off, rows[i].off);
        assert_non_null(strstr(err.msg, rows[i].message));
    }
    (void)state;
}

/* ---- what is read ---------------------------------------------------------------- */

/* Parses the text, prints it, and parses the result. */
static void check_print(const char *text, const char *expected) {
    struct fx_jsonpath *path = compile(text, FX_JSONPATH_EXPRESSION);
    struct fx_buf printed;
    struct fx_buf again;
    fx_buf_init(&printed, 0);
    fx_buf_init(&again, 0);
    fx_jsonpath_print(&printed, path);
    assert_string_equal(printed.data, expected);
    struct fx_jsonpath *second = compile(printed.data, FX_JSONPATH_EXPRESSION);
    fx_jsonpath_print(&again, second);
    assert_string_equal(again.data, expected);
    fx_buf_finish(&printed);
    fx_buf_finish(&again);
    fx_jsonpath_destroy(path);
    fx_jsonpath_destroy(second);
}

static void test_operators(void **state) {
    static const char *const rows[][2] = {
        {"$.n>-1", "$.n > -1"},
        {"$.n==n", "$.n == n"},
        {"$.t&&!$.fa", "$.t && !$.fa"},
        {"$.t&&isDefined($.n)", "$.t && isDefined($.n)"},
        {"a!~b", "a !~ b"},
        {"a=~~b", "a =~ ~b"},
        {"a<<-b>>~c", "a << -b >> ~c"},
        {"2**-1", "2 ** -1"},
        {"a--b", "a - -b"},
        {"5in[5]", "5 in [5]"},
        {"a+b*c", "a + b * c"},
        {"(a+b)*c", "(a + b) * c"},
        {"a-(b-c)", "a - (b - c)"},
        {"(a-b)-c", "a - b - c"},
        {"2**(3**2)", "2 ** (3 ** 2)"},
        {"-5**2", "-5 ** 2"},
        {"-(5**2)", "-(5 ** 2)"},
        {"!(\"x\" in l)", "!(\"x\" in l)"},
        {"1|2+4", "1 | 2 + 4"},
        {"(1|2)+4", "(1 | 2) + 4"},
        {"6&3==2", "6 & 3 == 2"},
        {"a||b&&c", "a || b && c"},
        {"(a||b)&&c", "(a || b) && c"},
        {"a??b?c:d??e", "a ?? b ? c : d ?? e"},
        {"a ? b ? c : d : e", "a ? b ? c : d : e"},
        {"(a ? b : c) ? d : e", "(a ? b : c) ? d : e"},
        {"a ? b : c ? d", "a ? b : c ? d"},
        {"(a ? b : c) + 1", "(a ? b : c) + 1"},
        {"a /* b */ + // c\n d", "a + d"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        check_print(rows[i][0], rows[i][1]);
    }
    (void)state;
}

static void test_operands(void **state) {
    static const char *const rows[][2] = {
        {"010", "10"},
        {"08", "8"},
        {"1_000", "1000"},
        {".5", "0.5"},
        {"5.", "5"},
        {"1.5e3", "1500"},
        {"0x1p-2", "0.25"},
        {"1e21", "1e+21"},
        {"9223372036854775807", "9223372036854775807"},
        {"'a'", "\"a\""},
        {"'\\''", "\"'\""},
        {"'\"'", "\"\\\"\""},
        {"`a\\b\r\n`", "\"a\\\\b\\n\""},
        {"\"\\x41\\102\\u00e9\\U0001F600\\a\\v\"",
         "\"AB\xC3\xA9\xF0\x9F\x98\x80\\a\\v\""},
        {"\"\\xc3\\xa9\"", "\"\xC3\xA9\""},
        {"[]", "[]"},
        {"[1 2,,3,]", "[1, 2, 3]"},
        {"{}", "{}"},
        {"{\"a\":1 b:2,}", "{\"a\": 1, b: 2}"},
        {"{ # 0 : $ . a [ * ] }", "{#0: $.a[*]}"},
        {"{(a ? b : c): 1}", "{(a ? b : c): 1}"},
        {"{#+\"/\"+#1:@..b}", "{# + \"/\" + #1: @..b}"},
        {"a.b[c].d", "a[\"b\"][c][\"d\"]"},
        {"a.b(1,2)", "a[\"b\"](1, 2)"},
        {"length == 1", "length() == 1"},
        {"\xC3\xA9t\xC3\xA9_1", "\xC3\xA9t\xC3\xA9_1"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        check_print(rows[i][0], rows[i][1]);
    }
    (void)state;
}

static void test_paths(void **state) {
    static const char *const rows[][2] = {
        {"$ . kind", "$.kind"},
        {"@.a", "@.a"},
        {"$.in.true", "$.in.true"},
        {"$[\"a\"].b", "$[\"a\"].b"},
        {"$.*.b[*]", "$[*].b[*]"},
        {"$..b..*..[\"c\"]..[?@]..(@.d)", "$..b..[*]..[\"c\"]..[? @]..(@.d)"},
        {"$[1,2]", "$[1, 2]"},
        {"$[:]", "$[:]"},
        {"$[1:]", "$[1:]"},
        {"$[:2:]", "$[:2]"},
        {"$[::-1]", "$[::-1]"},
        {"$[(a?b:c):d]", "$[(a ? b : c):d]"},
        {"$[a?b:c]", "$[a ? b : c]"},
        {"$[?(@.a==1)].b", "$[? @.a == 1].b"},
        {"$.a(@==1)", "$.a(@ == 1)"},
        {"$[length(@)-1]", "$[length(@) - 1]"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        check_print(rows[i][0], rows[i][1]);
    }
    (void)state;
}

/* ---- bounds ---------------------------------------------------------------------- */

/* Makes `before`, so many times `piece`, and `after`. */
static enum fx_code compile_long(const char *before, const char *piece, size_t count,
                                 const char *after) {
    struct fx_buf text;
    struct fx_jsonpath *path = NULL;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, before);
    for (size_t i = 0; i < count; i++) {
        fx_buf_str(&text, piece);
    }
    fx_buf_str(&text, after);
    const bool ok = fx_jsonpath_compile((struct fx_text){text.data, text.len},
                                        FX_JSONPATH_EXPRESSION, &path, &err);
    fx_jsonpath_destroy(path);
    fx_buf_finish(&text);
    return ok ? FX_OK : err.code;
}

static void test_bounds(void **state) {
    assert_int_equal(compile_long("a", "+a", FX_LIMIT_JSONPATH_DEPTH - 1, ""), FX_OK);
    assert_int_equal(compile_long("a", "+a", FX_LIMIT_JSONPATH_DEPTH, ""), FX_ELIMIT);
    assert_int_equal(compile_long("", "(", 60000, ""), FX_ELIMIT);
    assert_int_equal(compile_long("", "[", 60000, ""), FX_ELIMIT);
    assert_int_equal(compile_long("", "{", 60000, ""), FX_ELIMIT);
    assert_int_equal(compile_long("", "!", 60000, "a"), FX_ELIMIT);
    assert_int_equal(compile_long("", "$[?", 20000, ""), FX_ELIMIT);
    assert_int_equal(compile_long("", "a?", 30000, ""), FX_ELIMIT);
    assert_int_equal(compile_long("", "a??", 20000, "a"), FX_ELIMIT);
    assert_int_equal(compile_long("$", ".a", 30000, ""), FX_OK);
    assert_int_equal(compile_long("[", "1,", 30000, "]"), FX_OK);
    assert_int_equal(compile_long("\"", "a", FX_LIMIT_JSONPATH_BYTES, "\""), FX_ELIMIT);
    assert_int_equal(
        compile_long("a in [", "a =~ \"b\",", FX_LIMIT_JSONPATH_PATTERNS, "]"), FX_OK);
    assert_int_equal(
        compile_long("a in [", "a =~ \"b\",", FX_LIMIT_JSONPATH_PATTERNS + 1, "]"),
        FX_ELIMIT);
    (void)state;
}

static void test_utf8(void **state) {
    struct fx_jsonpath *path = NULL;
    struct fx_err err = FX_ERR_INIT;
    assert_false(
        fx_jsonpath_compile(FX_TEXT("\"\xFF\""), FX_JSONPATH_EXPRESSION, &path, &err));
    assert_string_equal(err.msg, "expression is not valid UTF-8");
    (void)state;
}

/* Calls that compile but always fail. */
static void test_calls(void **state) {
    static const struct fault rows[] = {
        {"strlen($.kind)", 0, 6, "unknown function `strlen`"},
        {"$.a && !isdefined($.b)", 8, 9, "unknown function `isdefined`"},
        {"$.l[? size(@) > 1]", 6, 4, "unknown function `size`"},
        {"length()", 0, 8, "`length` takes exactly one argument"},
        {"isDefined == true", 0, 9, "`isDefined` takes exactly one argument"},
        {"length($.a, 1)", 0, 14, "`length` takes exactly one argument"},
    };
    static const char *const fine[] = {"length($.a) > 1", "$.a", "kind", "isEmpty([1])"};
    (void)state;
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_jsonpath *path = compile(rows[i].text, FX_JSONPATH_EXPRESSION);
        assert_false(fx_jsonpath_check_calls(path, &err));
        assert_int_equal(err.code, FX_EINVALID);
        assert_int_equal(err.off, rows[i].off);
        assert_int_equal(err.len, rows[i].len);
        assert_ptr_equal(strstr(err.msg, rows[i].message), err.msg);
        fx_jsonpath_destroy(path);
    }
    for (size_t i = 0; i < FX_COUNT(fine); i++) {
        struct fx_err err = FX_ERR_INIT;
        struct fx_jsonpath *path = compile(fine[i], FX_JSONPATH_EXPRESSION);
        assert_true(fx_jsonpath_check_calls(path, &err));
        fx_jsonpath_destroy(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expression_faults),
        cmocka_unit_test(test_literal_faults),
        cmocka_unit_test(test_path_faults),
        cmocka_unit_test(test_constant_faults),
        cmocka_unit_test(test_place_faults),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
