/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/check_test.c - the types and faults of expressions. Where an expression is
 * not made for this file, Kubernetes 1.36.3 gave its answer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/budget.h"
#include "base/limits.h"
#include "location/cel/check_testing.h"

/* An expression, and its type or its faults, one a line. */
struct row {
    const char *text, *want;
};

static void print_faults(struct fx_buf *buf, const struct fx_cel_faults *faults,
                         struct fx_text source) {
    long line = 0;
    long column = 0;
    for (size_t i = 0; i < faults->n; i++) {
        fx_cel_position(source, faults->items[i].at, &line, &column);
        fx_buf_printf(buf, "%s%ld:%ld %s", i > 0 ? "\n" : "", line, column,
                      faults->items[i].message);
    }
}

/* Appends the answer for the expression. */
static void answer(struct fx_buf *buf, const char *text, enum fx_cel_check_mode mode) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text source = fx_text_of(text);
    fx_arena_init(&arena, 64u << 20);
    struct fx_cel_faults faults = {.arena = &arena};
    struct fx_cel_node *root = fx_cel_parse(&arena, source, &faults, &err);
    assert_non_null(root);
    if (fx_cel_check(&testing_env, root, &arena, mode, &faults, &err)) {
        fx_cel_type_print(buf, root->checked);
    } else if (err.code != FX_OK) {
        fx_buf_str(buf, err.msg);
    } else {
        print_faults(buf, &faults, source);
    }
    fx_arena_finish(&arena);
}

static void check_rows(const struct row *rows, size_t n, enum fx_cel_check_mode mode) {
    for (size_t i = 0; i < n; i++) {
        struct fx_buf got = {0};
        answer(&got, rows[i].text, mode);
        if (got.data == NULL || strcmp(got.data, rows[i].want) != 0) {
            fail_msg("%s\ngives %s\nnot   %s", rows[i].text, got.data, rows[i].want);
        }
        fx_buf_finish(&got);
    }
}

static void test_types(void **state) {
    static const struct row rows[] = {
        {"dyn(1) + dyn(0.0)", "dyn"},
        {"object.metadata.name + 'a'", "string"},
        {"x < 2.5", "bool"},
        {"null + timestamp('0001-01-01T00:00:00Z')", "timestamp"},
        {"null != optional.none()", "bool"},
        {"null[optional.none()]", "optional_type(dyn)"},
        {"!!(list)", "type(list(dyn))"},
        {"true ? type(1) : int", "type(int)"},
        {"type(type(1))", "type(type(int))"},
        {"optional_type", "type(optional_type)"},
        {"google.protobuf.Duration", "type(duration)"},
        {"net.IP", "type(net.IP)"},
        {"{}.a", "dyn"},
        {"{'a': []}", "map(string, list(dyn))"},
        {"[[1]].map(l, l.size())", "list(int)"},
        {"[[], [[]], [[[]]]]", "list(list(list(list(dyn))))"},
        {"[1].map(x, [x, x + 1])", "list(list(int))"},
        {"([].map(x, x))[0].foo", "dyn"},
        {"{1: 'x'}.foo", "string"},
        {"{1: 'x'}.transformList(k, v, [k])", "list(list(int))"},
        {"{'a': {'b': 2}}.?a.b", "optional_type(int)"},
        {"object.?q.r.s", "optional_type(dyn)"},
        {"optional.of(x).optMap(v, v + x)", "optional_type(int)"},
        {"[optional.none(), optional.of(1)]", "list(optional_type(int))"},
        {"[?object.?a, object.b]", "list(dyn)"},
        {"[x, 2].sortBy(e, -e)", "list(int)"},
        {"sets.contains([], [])", "bool"},
        {"a.exists(k, v, v == 30)", "bool"},
        {"true ? timestamp(0) : null", "timestamp"},
        {"true ? null : timestamp(0)", "null"},
    };
    (void)state;
    check_rows(rows, FX_COUNT(rows), FX_CEL_CHECK_STRICT);
}

/* The longest name; locals before dotted names; a leading dot. */
static void test_names(void **state) {
    static const struct row rows[] = {
        {"a.b", "int"},
        {".a.b", "int"},
        {"a.c", "int"},
        {"[{'b': 'c'}].map(a, a.b)", "list(string)"},
        {"[{'b': 'c'}].map(a, .a.b)", "list(int)"},
        {"[1].map(size, size)", "list(int)"},
        {"'a'.startsWith(y) || x == .x", "bool"},
        {".e1", "1:2 undeclared reference to '.e1' (in container '')"},
        {"google.protobuf", "1:1 undeclared reference to 'google' (in container '')"},
        {"has && a.map(x)", "1:1 undeclared reference to 'has' (in container '')\n"
                            "1:13 undeclared reference to 'map' (in container '')"},
        {"jsonpatch.foo('a')",
         "1:1 undeclared reference to 'jsonpatch' (in container '')\n"
         "1:14 undeclared reference to 'foo' (in container '')"},
        {"'a'.as()", "1:7 undeclared reference to 'as' (in container '')"},
        {"[1].map(x, x) + z", "1:17 undeclared reference to 'z' (in container '')"},
        {"request.kind.group", "string"},
        {"request.options.dryRun", "dyn"},
        {"request.kind.version", "1:13 undefined field 'version'"},
        {"has(request.uid)", "1:4 undefined field 'uid'"},
    };
    (void)state;
    check_rows(rows, FX_COUNT(rows), FX_CEL_CHECK_STRICT);
}

static void test_faults(void **state) {
    static const struct row rows[] = {
        {"-7 ? 0 : false",
         "1:4 found no matching overload for '_?_:_' applied to '(int, int, bool)'"},
        {"'a' && null", "1:1 expected type 'bool' but found 'string'\n"
                        "1:8 expected type 'bool' but found 'null'"},
        {"dyn(42u) || []", "1:13 expected type 'bool' but found 'list(_var1)'"},
        {"([1].map(x, x) + z) && ({'a': {}, 'b': {'c': 1}})",
         "1:16 expected type 'bool' but found 'list(int)'\n"
         "1:18 undeclared reference to 'z' (in container '')\n"
         "1:25 expected type 'bool' but found 'map(string, map(_var3, _var4))'"},
        {"[].?foo", "1:3 type 'list(_var0)' does not support field selection"},
        {"{1u: 2}['a']", "1:8 found no matching overload for '_[_]' applied to "
                         "'(map(uint, int), string)'"},
        {"true.size()", "1:10 found no matching overload for 'size' applied to "
                        "'bool.()'"},
        {"'a'.matches(1, z)", "1:12 found no matching overload for 'matches' applied to "
                              "'string.(int, !error!)'\n"
                              "1:16 undeclared reference to 'z' (in container '')"},
        {"string()", "1:7 found no matching overload for 'string' applied to '()'"},
        {"1.all(x, true)", "1:1 expression of type 'int' cannot be range of a "
                           "comprehension (must be list, map, or dynamic)"},
        {"[1].filter(e, e + 1)",
         "1:11 found no matching overload for '_?_:_' applied to '(int, list(int), "
         "list(int))'"},
        {"[?z, ?1]", "1:3 undeclared reference to 'z' (in container '')\n"
                     "1:3 expected type 'optional_type(!error!)' but found '!error!'\n"
                     "1:7 expected type 'optional_type(int)' but found 'int'"},
        {"'é😀' + 1",
         "1:6 found no matching overload for '_+_' applied to '(string, int)'"},
        {"{'a': 1,\n 'b': 1.optMap(x, x)}",
         "2:15 found no matching overload for 'hasValue' applied to 'int.()'\n"
         "2:15 found no matching overload for 'value' applied to 'int.()'"},
        {"quantity('1Gi').foo",
         "1:16 unexpected failed resolution of 'kubernetes.Quantity'"},
        {"ip('10.0.0.1').foo", "1:15 type 'net.IP' does not support field selection"},
        {"[].transformMapEntry(i, v, v * 10)",
         "1:21 found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, "
         "dyn), int)'"},
    };
    (void)state;
    check_rows(rows, FX_COUNT(rows), FX_CEL_CHECK_STRICT);
}

static void test_structs(void **state) {
    static const struct row rows[] = {
        {"Object{a: 1, b: 'x', ?c: object.?d}", "Object"},
        {"Object{spec: Object.spec{}}.spec.replicas", "dyn"},
        {".Object.spec.template{a: 1}", "Object.spec.template"},
        {"Object", "type(Object)"},
        {"[JSONPatch{}] + []", "list(JSONPatch)"},
        {"JSONPatch{op: 'add'}.path", "string"},
        {"JSONPatch{}.foo == 'a' || true",
         "1:17 found no matching overload for '_==_' applied to '(, string)'"},
        {"JSONPatch{op: 1, foo: 2}",
         "1:13 expected type of field 'op' is 'string' but provided type is 'int'\n"
         "1:21 expected type of field 'foo' is '' but provided type is 'int'"},
        {"JSONPatch.op", "1:10 type 'type(JSONPatch)' does not support field selection"},
        {"Object{} == Object.spec{}", "1:10 found no matching overload for '_==_' "
                                      "applied to '(Object, Object.spec)'"},
        {"Object{?a: 1}", "1:12 expected type 'optional_type(int)' but found 'int'"},
        {"google.protobuf.Timestamp{seconds: x} > t", "bool"},
        {"[google.protobuf.Int32Value{value: 1}]", "list(wrapper(int))"},
        {"[google.protobuf.Int32Value{}, 1]", "list(wrapper(int))"},
        {"google.protobuf.Int64Value{} + 1", "int"},
        {"google.protobuf.StringValue{} == null", "bool"},
        {".google.protobuf.Struct{fields: {'a': dyn(1)}}", "map(string, dyn)"},
        {"google.protobuf.Duration{nanos: 1u, x: 1}",
         "1:31 expected type of field 'nanos' is 'int' but provided type is 'uint'\n"
         "1:38 undefined field 'x'"},
        {"google.protobuf.Foo{}",
         "1:20 undeclared reference to 'google.protobuf.Foo' (in container '')"},
        {"Foo{a: z}", "1:4 undeclared reference to 'Foo' (in container '')"},
        {"int{a:1}", "1:4 'int' is not a message type\n"
                     "1:6 unexpected failed resolution of 'int'"},
    };
    (void)state;
    check_rows(rows, FX_COUNT(rows), FX_CEL_CHECK_STRICT);
}

/* What is checked after the types, and only if they are right. */
static void test_literals(void **state) {
    static const struct row rows[] = {
        {"[1, 'a', 2.0]", "1:5 expected type 'int' but found 'string'"},
        {"[object, 'a']", "1:10 expected type 'dyn' but found 'string'"},
        {"[int, string]", "1:7 expected type 'type(int)' but found 'type(string)'"},
        {"{'a': x, 'b': y, 1: 'c'}", "1:15 expected type 'int' but found 'string'\n"
                                     "1:18 expected type 'string' but found 'int'\n"
                                     "1:21 expected type 'int' but found 'string'"},
        {"[JSONPatch{}, {}]", "1:15 expected type 'JSONPatch' but found 'map(dyn, dyn)'"},
        {"[?dyn(1)]", "1:6 expected type 'optional_type(dyn)' but found 'dyn'"},
        {"'%s'.format([1, ['a', [2, 'b']]])", "string"},
        {"[1, 'a'] == 1",
         "1:10 found no matching overload for '_==_' applied to '(list(dyn), int)'"},
        {"timestamp('x') > timestamp(null) || duration('1z') == duration(0)",
         "1:11 invalid timestamp argument\n"
         "1:28 invalid timestamp argument\n"
         "1:46 invalid duration argument\n"
         "1:64 invalid duration argument"},
        {"'a'.matches('(?<n>a)') && 'a'.matches('[a')", "1:39 invalid matches argument"},
    };
    static const struct row loose[] = {
        {"[1, 'a', 2.0]", "list(dyn)"},
        {"{'a': x, 1: y}", "map(dyn, dyn)"},
        {"'a'.matches('(')", "1:13 invalid matches argument"},
    };
    (void)state;
    check_rows(rows, FX_COUNT(rows), FX_CEL_CHECK_STRICT);
    check_rows(loose, FX_COUNT(loose), FX_CEL_CHECK_LOOSE);
}

/* Objects with a schema: `pod` is one of the testing environment. */
static void test_objects_with_fields(void **state) {
    static const struct row strict[] = {
        {"pod.spec.nodeName", "string"},
        {"pod.spec.node", "1:9 undefined field 'node'"},
        {"has(pod.spec.node)", "1:4 undefined field 'node'"},
        {"pod.?spec.?node", "1:10 undefined field 'node'"},
        {"pod.spec.containers[0].nam", "1:23 undefined field 'nam'"},
        {"pod.spec.containers.all(c, c.img == '')", "1:29 undefined field 'img'"},
        {"pod.spec.containers.name",
         "1:20 type 'list(map(string, dyn))' does not support field selection"},
        {"pod.spec.priority == 'high'",
         "1:19 found no matching overload for '_==_' applied to '(int, string)'"},
        {"pod.metadata.labels.app", "string"},
        /* Everything else is as for a map. */
        {"pod.spec['node']", "dyn"},
        {"'node' in pod.spec", "bool"},
        {"pod.spec == {'a': 1}", "bool"},
        {"pod.spec.all(k, k != '')", "bool"},
        {"(has(pod.spec) ? pod.spec : {}).x", "1:32 undefined field 'x'"},
        /* What may be one of two kinds of objects has the fields of neither. */
        {"(y == '' ? pod.spec : pod.metadata).name", "dyn"},
        {"(y == '' ? pod.spec.containers : [pod.spec])[0].name", "dyn"},
        {"[pod.spec, pod.metadata][0].name", "dyn"},
        {"(pod.spec.containers + [pod.metadata])[0].x", "dyn"},
    };
    static const struct row lenient[] = {
        {"pod.spec.priority == null", "bool"},
        {"pod.spec.containers != null && pod.spec != null", "bool"},
        {"y == '' ? pod.spec.priority : pod.spec.nodeName", "dyn"},
        {"x ? 1 : 'a'",
         "1:3 found no matching overload for '_?_:_' applied to '(int, int, string)'"},
        {"pod.?spec.?priority.orValue('none')", "dyn"},
        {"[pod.spec.priority, pod.spec.nodeName]", "list(dyn)"},
        {"pod.spec.containers + [Object.spec.containers{name: 'a'}]", "list(dyn)"},
        {"[1] + ['a']", "list(dyn)"},
        {"[1] + 'a'",
         "1:5 found no matching overload for '_+_' applied to '(list(int), string)'"},
        {"pod.spec.priority == 'high'",
         "1:19 found no matching overload for '_==_' applied to '(int, string)'"},
        {"pod.spec.node == null", "1:9 undefined field 'node'"},
    };
    (void)state;
    check_rows(strict, FX_COUNT(strict), FX_CEL_CHECK_STRICT);
    check_rows(lenient, FX_COUNT(lenient), FX_CEL_CHECK_LENIENT);
}

/* A type that has itself twice as a parameter, and so on, is refused: each of the steps
 * that look at it would take twice as long as the one before. */
static void test_complex_types(void **state) {
    struct fx_buf text = {0};
    struct fx_buf got = {0};
    (void)state;
    fx_buf_str(&text, "optional.of(1)");
    for (int i = 0; i < 40; i++) {
        fx_buf_str(&text, ".optMap(v, optional.of({v: v})");
    }
    fx_buf_fill(&text, ')', 40);
    answer(&got, text.data, false);
    assert_string_equal(got.data, "the types of the expression are too complex");
    fx_buf_finish(&got);
    fx_buf_finish(&text);
}

/* A thread that has no budget left. */
static void test_budget(void **state) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    (void)state;
    fx_arena_init(&arena, 1u << 20);
    struct fx_cel_faults faults = {.arena = &arena};
    struct fx_cel_node *root =
        fx_cel_parse(&arena, FX_TEXT("l.all(s, s == y)"), &faults, &err);
    assert_non_null(root);
    const struct fx_bound before = fx_budget_narrow(20, 0);
    assert_false(fx_cel_check(&testing_env, root, &arena, false, &faults, &err));
    (void)fx_budget_widen(before);
    assert_int_equal(err.code, FX_ELIMIT);
    fx_arena_finish(&arena);
}

/* With ever more memory the check fails for want of it, until it succeeds. */
static void test_memory(void **state) {
    static const char text[] =
        "[a.b].map(e, {y: [e, object.f(1u)]}) == [] && optional.of(Object.s{u: l.size()})"
        ".optMap(v, v.u).orValue(size) == x";
    (void)state;
    for (size_t memory = 0;; memory += 64) {
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        fx_arena_init(&arena, memory);
        struct fx_cel_faults faults = {.arena = &arena};
        struct fx_cel_node *root = fx_cel_parse(&arena, fx_text_of(text), &faults, &err);
        const bool ok = root != NULL &&
                        fx_cel_check(&testing_env, root, &arena, false, &faults, &err);
        const size_t n_faults = faults.n;
        fx_arena_finish(&arena);
        assert_false(ok);
        if (err.code == FX_OK) {
            assert_int_equal(n_faults, 2);
            break;
        }
        assert_int_equal(err.code, FX_ENOMEM);
        assert_in_range(memory, 0, 1u << 20);
    }
}

/* ---- unchecked ----------------------------------------------------------------------
 */

static struct fx_cel_node *resolve(struct fx_arena *arena, const char *text) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_cel_faults faults = {.arena = arena};
    struct fx_cel_node *root = fx_cel_parse(arena, fx_text_of(text), &faults, &err);
    assert_non_null(root);
    assert_true(fx_cel_resolve_unchecked(&testing_env, root, arena, &err));
    return root;
}

static void test_unchecked(void **state) {
    struct fx_arena arena;
    (void)state;
    fx_arena_init(&arena, 1u << 20);
    const struct fx_cel_node *node = resolve(&arena, "a.b.c");
    assert_int_equal(node->type, FX_CEL_NODE_SELECT);
    assert_int_equal(node->select.operand->type, FX_CEL_NODE_NAME);
    assert_string_equal(testing_variables[node->select.operand->name.variable].name,
                        "a.b");
    node = resolve(&arena, "nobody");
    assert_true(node->name.variable == FX_CEL_NO_VARIABLE && node->name.type == NULL);
    node = resolve(&arena, "1 + 'a'");
    assert_int_equal(node->call.n_overloads, 9);
    assert_ptr_equal(node->checked, &fx_cel_dyn);
    node = resolve(&arena, "sets.contains(1, 2)");
    assert_null(node->call.target);
    assert_int_equal(node->call.n_overloads, 1);
    node = resolve(&arena, "x.contains(1, 2)");
    assert_non_null(node->call.target);
    assert_int_equal(node->call.n_overloads, 0);
    node = resolve(&arena, "[1].all(e, e)");
    assert_ptr_equal(node->fold.item->type, &fx_cel_dyn);
    fx_arena_finish(&arena);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_faults),        cmocka_unit_test(test_structs),
        cmocka_unit_test(test_literals),      cmocka_unit_test(test_objects_with_fields),
        cmocka_unit_test(test_complex_types), cmocka_unit_test(test_budget),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_unchecked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
