/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/parse_test.c - the tree of an expression, with the positions of its nodes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/budget.h"
#include "location/cel/ast.h"

#define MEMORY ((size_t)64 << 20)

static void print(struct fx_buf *buf, const struct fx_cel_node *node);

static void print_all(struct fx_buf *buf, struct fx_cel_node *const *nodes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        fx_buf_str(buf, i > 0 ? ", " : "");
        print(buf, nodes[i]);
    }
}

static void print_literal(struct fx_buf *buf, struct fx_cel_value value) {
    switch ((enum fx_cel_kind)value.kind) {
    case FX_CEL_NULL: fx_buf_str(buf, "null"); break;
    case FX_CEL_BOOL: fx_buf_str(buf, value.boolean ? "true" : "false"); break;
    case FX_CEL_INT: fx_buf_printf(buf, "%lld", (long long)value.integer); break;
    case FX_CEL_UINT:
        fx_buf_printf(buf, "%lluu", (unsigned long long)value.uinteger);
        break;
    case FX_CEL_DOUBLE: fx_buf_printf(buf, "%a", value.real); break;
    case FX_CEL_STRING: fx_text_quote_go(buf, value.text); break;
    case FX_CEL_BYTES:
        fx_buf_char(buf, 'b');
        fx_text_quote_go(buf, value.text);
        break;
    case FX_CEL_UNSET:
    case FX_CEL_ERROR:
    case FX_CEL_DURATION:
    case FX_CEL_TIMESTAMP:
    case FX_CEL_TYPE:
    case FX_CEL_LIST:
    case FX_CEL_MAP:
    case FX_CEL_OPTIONAL:
    case FX_CEL_STRUCT:
    case FX_CEL_OPAQUE: fail_msg("kind %u", value.kind);
    }
}

static void print_entries(struct fx_buf *buf, const struct fx_cel_node *node) {
    fx_buf_text(buf, node->map.name);
    fx_buf_char(buf, '{');
    for (size_t i = 0; i < node->map.n; i++) {
        const struct fx_cel_entry *entry = &node->map.entries[i];
        fx_buf_str(buf, i > 0 ? ", " : "");
        fx_buf_str(buf, entry->is_optional ? "?" : "");
        fx_buf_text(buf, entry->field);
        if (entry->key != NULL) {
            print(buf, entry->key);
        }
        fx_buf_str(buf, ": ");
        print(buf, entry->value);
    }
    fx_buf_char(buf, '}');
}

/* fold(range, item, result = start; condition; step; result) */
static void print_fold(struct fx_buf *buf, const struct fx_cel_node *node) {
    fx_buf_str(buf, "fold(");
    print(buf, node->fold.range);
    fx_buf_str(buf, ", ");
    fx_buf_text(buf, node->fold.item->name);
    if (node->fold.item2 != NULL) {
        fx_buf_char(buf, ' ');
        fx_buf_text(buf, node->fold.item2->name);
    }
    fx_buf_str(buf, ", ");
    fx_buf_text(buf, node->fold.result_so_far->name);
    fx_buf_str(buf, " = ");
    print(buf, node->fold.start);
    fx_buf_str(buf, "; ");
    print(buf, node->fold.condition);
    fx_buf_str(buf, "; ");
    print(buf, node->fold.step);
    fx_buf_str(buf, "; ");
    print(buf, node->fold.result);
    fx_buf_char(buf, ')');
}

static void print_list(struct fx_buf *buf, const struct fx_cel_node *node) {
    fx_buf_char(buf, '[');
    for (size_t i = 0; i < node->list.n; i++) {
        fx_buf_str(buf, i > 0 ? ", " : "");
        fx_buf_str(buf, node->list.is_optional != NULL && node->list.is_optional[i] ? "?"
                                                                                    : "");
        print(buf, node->list.items[i]);
    }
    fx_buf_char(buf, ']');
}

/* Calls and operators alike: function@at(arguments). */
static void print_call(struct fx_buf *buf, const struct fx_cel_node *node) {
    if (node->call.target != NULL) {
        print(buf, node->call.target);
        fx_buf_char(buf, '.');
    }
    fx_buf_text(buf, node->call.function);
    fx_buf_printf(buf, "@%u(", node->at);
    print_all(buf, node->call.args, node->call.n_args);
    fx_buf_char(buf, ')');
}

static void print(struct fx_buf *buf, const struct fx_cel_node *node) {
    switch (node->type) {
    case FX_CEL_NODE_LITERAL: print_literal(buf, node->literal); break;
    case FX_CEL_NODE_NAME:
        fx_buf_str(buf, node->name.is_absolute ? "." : "");
        fx_buf_text(buf, node->name.name);
        break;
    case FX_CEL_NODE_SELECT:
        fx_buf_str(buf, node->select.is_test ? "has " : "");
        print(buf, node->select.operand);
        fx_buf_printf(buf, ".%.*s", FX_TEXT_ARG(node->select.field));
        break;
    case FX_CEL_NODE_CALL: print_call(buf, node); break;
    case FX_CEL_NODE_LIST: print_list(buf, node); break;
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_STRUCT: print_entries(buf, node); break;
    case FX_CEL_NODE_FOLD: print_fold(buf, node); break;
    }
}

/* Parses, and appends the tree or the faults. */
static void parse(struct fx_text source, struct fx_buf *buf) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, MEMORY);
    struct fx_cel_faults faults = {.arena = &arena};
    const struct fx_cel_node *root = fx_cel_parse(&arena, source, &faults, &err);
    if (root != NULL) {
        print(buf, root);
    } else {
        fx_cel_faults_print(&faults, source, buf);
    }
    fx_arena_finish(&arena);
}

struct row {
    const char *source, *tree;
};

static void check_rows(const struct row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct fx_buf buf;
        fx_buf_init(&buf, 0);
        parse(fx_text_of(rows[i].source), &buf);
        assert_string_equal(buf.data, rows[i].tree);
        fx_buf_finish(&buf);
    }
}

static void test_operators(void **state) {
    static const struct row rows[] = {
        {"1 + 2 * 3 - 4", "_-_@10(_+_@2(1, _*_@6(2, 3)), 4)"},
        {"a / b % c", "_%_@6(_/_@2(a, b), c)"},
        {"a < b in c", "@in@6(_<_@2(a, b), c)"},
        {"a ? b : c ? d : e", "_?_:_@2(a, b, _?_:_@10(c, d, e))"},
        {"a || b && !c == d", "_||_@2(a, _&&_@7(b, _==_@13(!_@10(c), d)))"},
        /* Chains are balanced. */
        {"a && b && c && d", "_&&_@7(_&&_@2(a, b), _&&_@12(c, d))"},
        {"a || b || c", "_||_@7(_||_@2(a, b), c)"},
        /* An even number of ! or - vanishes; a `-` before a number belongs to it. */
        {"!!!a", "!_@0(a)"},
        {"--a", "a"},
        {"---1", "-_@0(1)"},
        {"-1", "-1"},
        {"-(1)", "-_@0(1)"},
        {"1 -1", "_-_@2(1, 1)"},
        {"1--1", "_-_@1(1, -1)"},
        {"a.b[c].d(e).?f[?g]", "_[?_]@14(_?._@11(_[_]@3(a.b, c).d@8(e), \"f\"), g)"},
        {".a.b(.c) + .d(e)", "_+_@9(.a.b@4(.c), .d@13(e))"},
        {"m.if + m.for()", "_+_@5(m.if, m.for@12())"},
    };
    check_rows(rows, FX_COUNT(rows));
    (void)state;
}

static void test_literals(void **state) {
    static const struct row rows[] = {
        {"[0x1F, 7u, 0xffU, -9223372036854775808]",
         "[31, 7u, 255u, -9223372036854775808]"},
        {"[.5, 1e3, -2.5E-1]", "[0x1p-1, 0x1.f4p+9, -0x1p-2]"},
        {"'\\a\\?\\`\\'\\x41\\101\\u00e9\\U0001F600'",
         "\"\\a?`'AA\xC3\xA9\xF0\x9F\x98\x80\""},
        {"'\xFF\\n\xC3'", "\"\xEF\xBF\xBD\\n\xEF\xBF\xBD\""},
        {"b'\\xff\\377\xC3\xA9'", "b\"\\xff\\xff\xC3\xA9\""},
        {"[r'\\n', R\"\\\", br'\\x', Br'''\\''']",
         "[\"\\\\n\", \"\\\\\", b\"\\\\x\", b\"\\\\\"]"},
        {"'''a\r\nb\rc'd'''", "\"a\\nb\\nc'd\""},
        {"\"\"\"\"\"\" + ''", "_+_@7(\"\", \"\")"},
        {"[1, ?a, 2,]", "[1, ?a, 2]"},
        {"{'a': 1, ?b: 2,}", "{\"a\": 1, ?b: 2}"},
        {"[,]", "[]"},
        {"Object.spec{a: 1, ?b: c}", "Object.spec{a: 1, ?b: c}"},
        {". Object . x {}", ".Object.x{}"},
        {"true // && false", "true"},
    };
    check_rows(rows, FX_COUNT(rows));
    (void)state;
}

static void test_macros(void **state) {
    static const struct row rows[] = {
        {"has(a.b.c)", "has a.b.c"},
        {"a.all(x, y)",
         "fold(a, x, @result = true; @not_strictly_false@5(@result); _&&_@5(@result, y); "
         "@result)"},
        {"a.exists(x, y)",
         "fold(a, x, @result = false; @not_strictly_false@8(!_@8(@result)); "
         "_||_@8(@result, y); @result)"},
        {"a.exists_one(i, x, y)",
         "fold(a, i x, @result = 0; true; _?_:_@12(y, _+_@12(@result, 1), @result); "
         "_==_@12(@result, 1))"},
        {"a.map(x, y)", "fold(a, x, @result = []; true; _+_@5(@result, [y]); @result)"},
        {"a.filter(x, y)",
         "fold(a, x, @result = []; true; _?_:_@8(y, _+_@8(@result, [x]), @result); "
         "@result)"},
        {"a.transformMap(k, v, p, q)",
         "fold(a, k v, @result = {}; true; _?_:_@14(p, cel.@mapInsert@14(@result, k, q), "
         "@result); @result)"},
        {"a.transformMapEntry(k, v, {v: k})",
         "fold(a, k v, @result = {}; true; cel.@mapInsert@19(@result, {v: k}); @result)"},
        {"a.optMap(x, y)", "_?_:_@8(a.hasValue@8(), optional.of@8(fold([], #unused, x = "
                           "a.value@8(); false; "
                           "x; y)), optional.none@8())"},
        {"a.optFlatMap(x, y)",
         "_?_:_@12(a.hasValue@12(), fold([], #unused, x = a.value@12(); false; x; y), "
         "optional.none@12())"},
        {"a.sortBy(x, y)",
         "fold([], #unused, @__sortBy_input__ = a; false; @__sortBy_input__; "
         "@__sortBy_input__.@sortByAssociatedKeys@8(fold(@__sortBy_input__, x, @result = "
         "[]; true; _+_@8(@result, [y]); @result)))"},
        /* Another number of arguments, or no receiver: an ordinary call. */
        {"a.existsOne(x, y)", "a.existsOne@11(x, y)"},
        {"all(x, y)", "all@3(x, y)"},
        {"a.has(b.c)", "a.has@5(b.c)"},
    };
    check_rows(rows, FX_COUNT(rows));
    (void)state;
}

static void test_faults(void **state) {
    static const struct row rows[] = {
        {"", "ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>'\n | \n | ^"},
        {"'\xC3\xA9' +\n\t\xC3\xA9\xC3\xA9",
         "ERROR: <input>:2:2: Syntax error: token recognition error at: '\xC3\xA9'\n |  "
         "\xC3\xA9\xC3\xA9\n | .\xEF\xBC\xBE\n"
         "ERROR: <input>:2:3: Syntax error: token recognition error at: '\xC3\xA9'\n |  "
         "\xC3\xA9\xC3\xA9\n | .\xEF\xBC\x8E\xEF\xBC\xBE\n"
         "ERROR: <input>:2:4: Syntax error: mismatched input '<EOF>'\n |  "
         "\xC3\xA9\xC3\xA9\n | .\xEF\xBC\x8E\xEF\xBC\x8E^"},
        /* What is wrong before a syntax error is reported before it. */
        {"has(a) + if + 1e999 +",
         "ERROR: <input>:1:5: invalid argument to has() macro\n"
         " | has(a) + if + 1e999 +\n | ....^\n"
         "ERROR: <input>:1:10: reserved identifier: if\n"
         " | has(a) + if + 1e999 +\n | .........^\n"
         "ERROR: <input>:1:15: invalid double literal\n"
         " | has(a) + if + 1e999 +\n | ..............^\n"
         "ERROR: <input>:1:22: Syntax error: mismatched input '<EOF>'\n"
         " | has(a) + if + 1e999 +\n | .....................^"},
    };
    check_rows(rows, FX_COUNT(rows));
    (void)state;
}

/* A text, and the line, column and message of its first fault. */
struct first {
    const char *source;
    long line, column;
    const char *message;
};

static void check_first(const struct first *row) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    long line = 0;
    long column = 0;
    fx_arena_init(&arena, MEMORY);
    struct fx_cel_faults faults = {.arena = &arena};
    assert_null(fx_cel_parse(&arena, fx_text_of(row->source), &faults, &err));
    assert_true(faults.n > 0);
    fx_cel_position(fx_text_of(row->source), faults.items[0].at, &line, &column);
    if (line != row->line || column != row->column ||
        strstr(faults.items[0].message, row->message) == NULL) {
        fail_msg("%s: %ld:%ld %s", row->source, line, column, faults.items[0].message);
    }
    fx_arena_finish(&arena);
}

static void test_first_fault(void **state) {
    static const struct first rows[] = {
        {"a ? b", 1, 6, "mismatched input '<EOF>'"},
        {"[1,,2]", 1, 4, "mismatched input ','"},
        {"f(1 2)", 1, 5, "extraneous input '2'"},
        {"f(1", 1, 4, "missing token at '<EOF>'"},
        {"f()()", 1, 4, "mismatched input '('"},
        {"-!a", 1, 2, "no viable alternative"},
        {"!-a", 1, 3, "no viable alternative"},
        {"a === b", 1, 5, "token recognition error at: '= '"},
        {"r'a", 1, 2, "token recognition error at: ''a'"},
        {"'''abc", 1, 3, "token recognition error at: ''abc'"},
        {"b'\\400'", 1, 2, "token recognition error at: ''\\4'"},
        {"'\\udfff'", 1, 1, "invalid unicode code point"},
        {"b'\\u0041'", 1, 1, "unable to unescape string"},
        {"9223372036854775808", 1, 1, "invalid int literal"},
        {"18446744073709551616u", 1, 1, "invalid uint literal"},
        {"x.null", 1, 3, "mismatched input 'null'"},
        {"x.in", 1, 3, "no viable alternative"},
        {"x.`a-b`", 1, 3, "unsupported syntax: '`'"},
        {"x.?true", 1, 4, "mismatched input 'true'"},
        {"has(a.?b)", 1, 6, "invalid argument to has() macro"},
        {"a.all(x.y, z)", 1, 8, "argument must be a simple name"},
        {"a.map(1, x)", 1, 7, "argument is not an identifier"},
        {"[1].map(., x)", 1, 0, "argument is not an identifier"},
        {"a.map(__result__, 1)", 1, 7,
         "iteration variable overwrites accumulator variable"},
        {"a.all(x, __result__, z)", 1, 10,
         "iteration variable overwrites accumulator variable"},
        {"a.all(x, x, z)", 1, 10, "duplicate variable name: x"},
        {"{}.sortBy(x, x)", 1, 1, "sortBy can only be applied to a list, identifier, "},
        {"a.optMap(x.y, z)", 1, 11, "optMap() variable name must be a simple"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        check_first(&rows[i]);
    }
    (void)state;
}

/* ---- limits ------------------------------------------------------------------------ */

/* `before` n times, the middle, `after` n times. */
static void nest(struct fx_buf *buf, size_t n, const char *before, const char *middle,
                 const char *after) {
    fx_buf_init(buf, 0);
    for (size_t i = 0; i < n; i++) {
        fx_buf_str(buf, before);
    }
    fx_buf_str(buf, middle);
    for (size_t i = 0; i < n; i++) {
        fx_buf_str(buf, after);
    }
}

/* The largest n is accepted; one more has the fault, which is nowhere. */
static void check_most(size_t most, const char *before, const char *middle,
                       const char *after, const char *message) {
    for (size_t n = most; n <= most + 1; n++) {
        struct fx_buf text;
        struct fx_buf result;
        fx_buf_init(&result, 0);
        nest(&text, n, before, middle, after);
        parse(fx_buf_view(&text), &result);
        const bool ok = result.data[0] != 'E';
        if (ok != (n == most) || (!ok && strstr(result.data, message) == NULL)) {
            fail_msg("%s %zu: %.100s", before, n, result.data);
        }
        fx_buf_finish(&text);
        fx_buf_finish(&result);
    }
}

static void test_depth(void **state) {
    static const char levels[] = ":-1:0: expression recursion limit exceeded: 250";
    static const char operators[] = ":-1:0: max recursion depth exceeded";
    check_most(249, "(", "1", ")", levels);
    check_most(250, "[", "", "]", levels);
    check_most(249, "f(", "1", ")", levels);
    check_most(249, "{1: ", "2", "}", levels);
    check_most(249, "a ? b : ", "c", "", levels);
    check_most(250, "", "a", " + a", operators);
    check_most(250, "", "a", ".a", operators);
    check_most(250, "", "a", "[0]", operators);
    check_most(250, "", "a", ".f()", operators);
    (void)state;
}

static void test_long(void **state) {
    struct fx_buf text;
    struct fx_buf result;
    static const char *const chains[] = {"a || ", "a && ", "!", "-"};
    for (size_t i = 0; i < FX_COUNT(chains); i++) {
        fx_buf_init(&result, 0);
        nest(&text, 10000, chains[i], "a", "");
        parse(fx_buf_view(&text), &result);
        assert_true(result.data[0] != 'E');
        fx_buf_finish(&text);
        fx_buf_finish(&result);
    }
    (void)state;
}

static void test_code_points(void **state) {
    for (size_t n = 99998; n <= 99999; n++) {
        struct fx_buf text;
        struct fx_buf result;
        fx_buf_init(&result, 0);
        fx_buf_init(&text, 0);
        fx_buf_char(&text, '\'');
        for (size_t i = 0; i < n; i++) {
            fx_buf_str(&text, "\xC3\xA9");
        }
        fx_buf_char(&text, '\'');
        parse(fx_buf_view(&text), &result);
        if (n == 99998) {
            assert_int_equal(result.len, text.len);
        } else {
            assert_string_equal(result.data,
                                "ERROR: <input>:-1:0: expression code point size exceeds "
                                "limit: size: 100001, limit 100000");
        }
        fx_buf_finish(&text);
        fx_buf_finish(&result);
    }
    (void)state;
}

/* After a syntax error, 256 tokens are skipped. */
static void test_skipped(void **state) {
    static const char message[] = ":-1:0: error recovery token lookahead limit exceeded";
    for (size_t n = 127; n <= 128; n++) {
        struct fx_buf text;
        struct fx_buf result;
        fx_buf_init(&result, 0);
        nest(&text, n, "", "a b", " + b");
        parse(fx_buf_view(&text), &result);
        assert_int_equal(strstr(result.data, message) != NULL, n == 128);
        fx_buf_finish(&text);
        fx_buf_finish(&result);
    }
    (void)state;
}

/* Each of these doubles what is before it. */
static void test_copies(void **state) {
    struct fx_buf text;
    struct fx_buf result;
    fx_buf_init(&result, 0);
    nest(&text, 40, "", "a", ".optMap(x, x)");
    parse(fx_buf_view(&text), &result);
    assert_non_null(strstr(result.data, ":-1:0: expression is too large"));
    fx_buf_finish(&text);
    fx_buf_finish(&result);
    (void)state;
}

/* ---- memory and time --------------------------------------------------------------- */

static const char everything[] =
    "a.b(c)[?d].?e in [?f, 'g\\n'] && {'h': i, ?j: k}.all(l, m, n) || .o{p: q} ? . r . "
    "s{} "
    ": [t].sortBy(u, -u).optMap(v, has(v.w)).map(x, y, z).transformMap(a, b, c)";

static void test_no_memory(void **state) {
    size_t refused = 0;
    for (size_t max = 0;; max += 256) {
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        fx_arena_init(&arena, max);
        struct fx_cel_faults faults = {.arena = &arena};
        const bool ok =
            fx_cel_parse(&arena, fx_text_of(everything), &faults, &err) != NULL;
        assert_int_equal(faults.n, 0);
        assert_true(ok || err.code == FX_ENOMEM);
        fx_arena_finish(&arena);
        if (ok) {
            break;
        }
        refused++;
    }
    assert_true(refused > 1);
    (void)state;
}

static void test_budget(void **state) {
    size_t refused = 0;
    for (uint64_t units = 1;; units += 7) {
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        fx_arena_init(&arena, MEMORY);
        struct fx_cel_faults faults = {.arena = &arena};
        const struct fx_bound before = fx_budget_narrow(units, 0);
        const bool ok =
            fx_cel_parse(&arena, fx_text_of(everything), &faults, &err) != NULL;
        (void)fx_budget_widen(before);
        assert_int_equal(faults.n, 0);
        assert_true(ok || err.code == FX_ELIMIT);
        fx_arena_finish(&arena);
        if (ok) {
            break;
        }
        refused++;
    }
    assert_true(refused > 10);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),   cmocka_unit_test(test_literals),
        cmocka_unit_test(test_macros),      cmocka_unit_test(test_faults),
        cmocka_unit_test(test_first_fault), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_long),        cmocka_unit_test(test_code_points),
        cmocka_unit_test(test_skipped),     cmocka_unit_test(test_copies),
        cmocka_unit_test(test_no_memory),   cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
