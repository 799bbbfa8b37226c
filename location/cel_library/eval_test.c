/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/eval_test.c - values and costs of expressions, with the libraries
 * of policies and one object (spec/cel.md sections 4, 8, 10 and 11). Each is also
 * evaluated with too little memory.
 */
#include "base/budget.h"
#include "location/cel_library/testing.h"
#include "value/json.h"

static const char document[] =
    "{\"name\":\"web\",\"replicas\":3,\"big\":1e300,\"on\":true,\"nothing\":null,"
    "\"list\":[3,1,2],\"labels\":{\"a\":\"b\",\"c\":\"d\"},"
    "\"items\":[{\"n\":1,\"s\":\"x\"},{\"n\":2}],\"key\":\"a\",\"i\":1}";

static const struct fx_cel_variable object = {"o", &fx_cel_dyn};

static json_t *read_document(void) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(document), NULL, &err);
    assert_non_null(root);
    return root;
}

static void check(const struct library_case *cases, size_t n) {
    const struct fx_cel_env env = {.variables = &object,
                                   .n_variables = 1,
                                   .libraries = fx_cel_mutation_libraries,
                                   .has_objects = true};
    json_t *root = read_document();
    for (size_t i = 0; i < n; i++) {
        struct fx_cel_value value = fx_cel_make_node(root);
        check_case(&env, &value, &cases[i]);
    }
    json_decref(root);
}

#define CHECK(cases) check(cases, FX_COUNT(cases))

static void test_logic(void **state) {
    static const struct library_case cases[] = {
        {"1 / 0 == 1 || true", "true", 2},
        {"true || 1 / 0 == 1", "true", 0},
        {"false && 1 / 0 == 1", "false", 0},
        {"1 / 0 == 1 && false", "false", 2},
        {"1 / 0 == 1 || 1 % 0 == 1", "! division by zero", 0},
        {"dyn(1) || 1 / 0 == 1", "! no such overload", 0},
        {"dyn('a') || true", "true", 0},
        {"o.replicas > 3 || o.name == 'web'", "true", 6},
        {"o.replicas < 3 && o.name == 'web'", "false", 3},
        {"dyn(1) ? 1 : 2", "! no such overload", 0},
        {"!dyn(1)", "! no such overload", 0},
        {"!dyn(null)", "! no such overload: !_", 0},
    };
    CHECK(cases);
    (void)state;
}

/* A variable, each field and each index cost 1; a branch that is an attribute costs only
 * its fields. */
static void test_attributes(void **state) {
    static const struct library_case cases[] = {
        {"o.replicas", "3", 2},
        {"o.list[1]", "1", 3},
        {"o.list[o.i]", "1", 4},
        {"o.items[0].n", "1", 4},
        {"o.labels[o.key]", "b", 4},
        {"o.labels['z']", "! no such key: z", 0},
        {"o.list[3]", "! index out of bounds: 3", 0},
        {"o.list[-1]", "! index out of bounds: -1", 0},
        {"o.list[0.5]", "! unsupported index value 0.5 in list", 0},
        {"o.list[o.on]", "! unsupported index type 'bool' in list", 0},
        {"o.list.x", "! unsupported index type 'string' in list", 0},
        {"o.name.x", "! no such key: x", 0},
        {"o.list[2.0]", "2", 3},
        {"o[o.labels]", "! invalid qualifier type: *types.baseMap", 0},
        {"{'a': 1}.a", "1", 2},
        {"o.on ? o.name : 'x'", "web", 3},
        {"(o.on ? o : {}).name", "web", 3},
        {"o.on ? 1 + 1 : 2", "2", 3},
    };
    CHECK(cases);
    (void)state;
}

static void test_presence(void **state) {
    static const struct library_case cases[] = {
        {"has(o.name)", "true", 1},
        {"has(o.nothing)", "true", 1},
        {"has(o.labels.z)", "false", 2},
        {"has(o.name.x)", "false", 2},
        {"has(o.z.x)", "! no such key: z", 0},
        {"has(o.list.x)", "! unsupported index type 'string' in list", 0},
        {"has(o.?z.x)", "false", 0},
        {"has(o.?labels.a)", "true", 2},
        {"o.?z", "optional ", 1},
        {"o.?labels.a", "optional b", 3},
        {"o.?name.x", "optional ", 2},
        {"o.list[?5]", "optional ", 2},
        {"o.list[?0]", "optional 3", 3},
        {"o.?z.orValue(1 + 1)", "2", 2},
        {"o.?name.orValue(1 / 0)", "web", 2},
        {"o.?z.or(o.?name)", "optional web", 3},
        {"dyn(5).orValue(1)", "5", 0},
        {"o.?replicas.optMap(x, x + 1)", "optional 4", 9},
        {"o.?replicas.optMap(x, 7)", "optional 7", 4},
        {"[?o.?z, ?o.?name]", "[web]", 0},
        {"{?'a': o.?name, 'b': o.name, ?'b': o.?z}", "{a: web}", 0},
        {"Object{?a: o.name}",
         "! cannot initialize optional entry 'a' from non-optional value web", 0},
        {"optional.of(optional.of(1)).value().value()", "1", 0},
    };
    CHECK(cases);
    (void)state;
}

static void test_arithmetic(void **state) {
    static const struct library_case cases[] = {
        {"9223372036854775807 + o.i", "! integer overflow", 0},
        {"-9223372036854775808 - o.i", "! integer overflow", 0},
        {"-9223372036854775808 * -o.i", "! integer overflow", 0},
        {"-9223372036854775808 / -o.i", "! integer overflow", 0},
        {"-9223372036854775808 % -o.i", "! integer overflow", 0},
        {"-(-9223372036854775808)", "! integer overflow", 0},
        {"1u - 2u == 0u", "! unsigned integer overflow", 0},
        {"18446744073709551615u + 1u == 0u", "! unsigned integer overflow", 0},
        {"-7 / 2", "-3", 1},
        {"-7 % 2", "-1", 1},
        {"1 % 0", "! modulus by zero", 0},
        {"1.0 / 0.0", "+Inf", 1},
        {"o.i + o.big", "! no such overload", 0},
        {"o.nothing + 1", "! no such overload: _+_", 0},
        {"o.name - o.name", "! no such overload", 0},
        {"o.on * 2", "! no such overload: _*_", 0},
        {"-o.on", "! no such overload", 0},
        {"-o.labels", "! no such overload: -_", 0},
        {"o.name + 'é' == 'webé'", "true", 4},
        {"o.list + [4]", "[3, 1, 2, 4]", 3},
        {"timestamp('9999-12-31T23:59:59Z') + duration('1s') == timestamp(0)",
         "! timestamp overflow", 0},
        {"string(timestamp('2024-01-01T00:00:00.5+02:00') - duration('1s'))",
         "2023-12-31T23:59:59.5+02:00", 0},
        {"timestamp(0) - timestamp(90) == duration('-90s')", "true", 0},
    };
    CHECK(cases);
    (void)state;
}

static void test_relations(void **state) {
    static const struct library_case cases[] = {
        {"dyn(1) == 1.0 && dyn(1u) == 1", "true", 0},
        {"dyn(9223372036854775807) == 9223372036854775808.0", "true", 0},
        {"double('NaN') == double('NaN')", "false", 0},
        {"o.i < 1.5 && 2u > o.i", "true", 0},
        {"-1 < 18446744073709551615u", "true", 1},
        {"1 < double('NaN')", "! NaN values cannot be ordered", 0},
        {"o.name < 1", "! no such overload", 0},
        {"o.nothing < 1", "! no such overload: _<_", 0},
        {"o.list == [dyn(3), dyn(1u), dyn(2.0)]", "true", 0},
        {"o.labels == {'c': 'd', 'a': 'b'}", "true", 0},
        {"o.name == ''", "false", 2},
        {"2 in o.list", "true", 3},
        {"o.name in ['x', 'web']", "true", 2},
        {"o.i in [1.0, 2.5]", "true", 2},
        {"1 / 0 in []", "false", 0},
        {"'a' in o.labels", "true", 3},
        {"o.name in o.name", "! no such overload", 0},
        {"type(o.list) == list && type(o.nothing) == null_type", "true", 0},
        {"{dyn(1): 'i', dyn(1u): 'u', dyn(1.0): 'd'}[1.0]", "d", 2},
        {"{1u: 'u'}[dyn(1)]", "u", 2},
        {"{dyn(1.0): 'd'}[dyn(1)]", "! no such key: 1", 0},
    };
    CHECK(cases);
    (void)state;
}

static void test_loops(void **state) {
    static const struct library_case cases[] = {
        {"o.list.all(i, i > 0)", "true", 18},
        {"[1, 2, 3].all(i, i > 1)", "false", 8},
        {"[1, 0].exists(x, 10 / x == 10)", "true", 0},
        {"[0, 1].exists(x, 10 / x == 10)", "true", 0},
        {"[1, 0].exists_one(x, 10 / x == 10)", "! division by zero", 0},
        {"o.list.exists_one(i, i == 2)", "true", 0},
        {"o.list.map(i, i * 2)", "[6, 2, 4]", 45},
        {"o.list.map(i, i > 1, [i])", "[[3], [2]]", 0},
        {"o.list.filter(i, i > 1)", "[3, 2]", 35},
        {"o.labels.map(k, k)", "[a, c]", 0},
        {"o.labels.all(k, v, k != v)", "true", 0},
        {"o.list.transformList(i, v, i + v)", "[3, 2, 4]", 0},
        {"o.labels.transformMap(k, v, k + v)", "{a: ab, c: cd}", 0},
        {"o.labels.transformMapEntry(k, v, {v: k})", "{b: a, d: c}", 0},
        {"o.list.transformMapEntry(i, v, {'k': v})",
         "! insert failed: key k already exists", 0},
        {"o.name.map(c, c)", "! got 'types.String', expected iterable type", 0},
        {"o.i.all(a, b, true)", "! unsupported comprehension range type: types.Int", 0},
        {"o.list.map(i, o.list.map(j, i * j))", "[[9, 3, 6], [3, 1, 2], [6, 2, 4]]", 0},
        {"o.list.map(i, 1 / (i - 1))", "! division by zero", 0},
        {"[1, 2].map(i, [])", "[[], []]", 0},
        {"o.list.sortBy(i, -i)", "[3, 2, 1]", 0},
    };
    CHECK(cases);
    (void)state;
}

static void test_structs(void **state) {
    static const struct library_case cases[] = {
        {"Object{a: o.i}.a", "1", 44},
        {"Object{a: 1}.b == null", "true", 0},
        {"has(Object{a: 1}.a)", "true", 41},
        {"has(Object{a: 1}.b)", "false", 41},
        {"Object{a: 1}.?a", "optional ", 41},
        {"Object{a: 1} == Object{a: 2}", "false", 81},
        {"JSONPatch{op: 'add'}.path", "", 42},
        {"has(JSONPatch{op: 'add'}.path)", "false", 41},
        {"Object{?a: o.?z} == Object{}", "true", 0},
        {"JSONPatch{op: o.name}.op", "web", 44},
        {"JSONPatch{op: o.i}", "! unexpected type int for JSONPatch field 'op'", 0},
    };
    CHECK(cases);
    (void)state;
}

/* ---- overloads ----------------------------------------------------------------------
 */

static void test_overloads(void **state) {
    static const struct library_case cases[] = {
        {"o.i.charAt(0)", "! no such overload: charAt(int, int)", 0},
        {"o.list.join()", "! no such overload: join(list)", 0},
        {"o.i.size()", "! no such overload: size", 0},
        {"string(o.list)", "! no such overload: string(list)", 0},
        {"o.nothing.getHours()", "! no such overload: getHours(null_type)", 0},
        {"dyn(b'a') in {'a': 1} || true",
         "! internal error: runtime error: hash of unhashable type types.Bytes", 0},
        {"[1 / 0].sort() == [] || true",
         "! internal error: interface conversion: *types.Err is not traits.Lister: "
         "missing method Add",
         0},
    };
    const struct fx_cel_env env = {
        .variables = &object, .n_variables = 1, .libraries = fx_cel_policy_libraries};
    json_t *root = read_document();
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_cel_program *program = compile(&env, cases[i].expression);
        struct fx_cel_value value = fx_cel_make_node(root);
        struct fx_arena arena;
        struct fx_err err = FX_ERR_INIT;
        struct fx_buf buf = {0};
        fx_arena_init(&arena, (size_t)1 << 20);
        struct fx_cel_run run = {
            .arena = &arena, .variables = &value, .cost_limit = FX_CEL_COST_LIMIT};
        print_value(&buf, fx_cel_eval(program, &run, &err));
        assert_string_equal(buf.data, cases[i].expect);
        fx_buf_finish(&buf);
        fx_arena_finish(&arena);
        fx_cel_destroy(program);
    }
    json_decref(root);
    (void)state;
}

/* ---- fatal errors -------------------------------------------------------------------
 */

/* Evaluates an expression without variables; the value must be a fatal error. */
static void expect_fatal(const char *expression, uint64_t cost_limit, uint64_t units,
                         enum fx_code code) {
    const struct fx_cel_env env = {.libraries = fx_cel_policy_libraries};
    struct fx_cel_program *program = compile(&env, expression);
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, (size_t)64 << 20);
    struct fx_cel_run run = {.arena = &arena, .cost_limit = cost_limit};
    const struct fx_bound bound = fx_budget_narrow(units, 0);
    const struct fx_cel_value value = fx_cel_eval(program, &run, &err);
    (void)fx_budget_widen(bound);
    assert_true(fx_cel_is_error(value) && (value.flags & FX_CEL_FATAL) != 0);
    assert_int_equal(err.code, code);
    fx_arena_finish(&arena);
    fx_cel_destroy(program);
}

static void test_fatal(void **state) {
    expect_fatal("lists.range(100).all(i, i >= 0) || true", 400, 0, FX_ELIMIT);
    expect_fatal("[1, 2].exists(i, lists.range(100).all(j, j >= 0))", 400, 0, FX_ELIMIT);
    expect_fatal("lists.range(100000).all(i, i >= 0) || true", FX_CEL_COST_LIMIT, 20000,
                 FX_ELIMIT);
    (void)state;
}

/* map() and filter() append in place: no list is copied for each element. */
static void test_append_is_linear(void **state) {
    const struct fx_cel_env env = {.libraries = fx_cel_policy_libraries};
    struct fx_cel_program *program =
        compile(&env, "lists.range(40000).map(i, i).size() == 40000");
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, (size_t)64 << 20);
    struct fx_cel_run run = {.arena = &arena, .cost_limit = FX_CEL_COST_LIMIT};
    const struct fx_bound bound = fx_budget_narrow(1u << 20, 0);
    assert_true(fx_cel_is_true(fx_cel_eval(program, &run, &err)));
    assert_int_equal(fx_budget_widen(bound), FX_EXCEEDED_NOTHING);
    fx_arena_finish(&arena);
    fx_cel_destroy(program);
    (void)state;
}

/* ---- variables that are computed ----------------------------------------------------
 */

struct calls {
    const struct fx_cel_program *program;
    unsigned n;
};

/* Computes `lazy` with an evaluation within the one that reads it. */
static struct fx_cel_value resolve(struct fx_cel_run *run, size_t variable) {
    struct calls *calls = run->context;
    struct fx_cel_run inner = {.arena = run->arena, .cost_limit = FX_CEL_COST_LIMIT};
    calls->n++;
    assert_int_equal(variable, 0);
    return fx_cel_eval(calls->program, &inner, run->err);
}

static void test_variables(void **state) {
    static const struct fx_cel_variable lazy = {"lazy", &fx_cel_dyn};
    const struct fx_cel_env env = {
        .variables = &lazy, .n_variables = 1, .libraries = fx_cel_policy_libraries};
    const struct fx_cel_env none = {.libraries = fx_cel_policy_libraries};
    struct fx_cel_program *program =
        compile(&env, "[1, 2].map(i, lazy.filter(j, j > i).size() + i)");
    struct fx_cel_program *unused = compile(&env, "true || lazy == 1");
    struct fx_cel_program *inner = compile(&none, "lists.range(4).map(i, i + 0)");
    struct calls calls = {.program = inner};
    struct fx_cel_value values[1] = {{.kind = FX_CEL_UNSET}};
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct fx_buf buf = {0};
    fx_arena_init(&arena, (size_t)1 << 20);
    struct fx_cel_run run = {.arena = &arena,
                             .variables = values,
                             .resolve = resolve,
                             .context = &calls,
                             .cost_limit = FX_CEL_COST_LIMIT};
    assert_true(fx_cel_is_true(fx_cel_eval(unused, &run, &err)));
    assert_int_equal(calls.n, 0);
    print_value(&buf, fx_cel_eval(program, &run, &err));
    assert_string_equal(buf.data, "[3, 3]");
    assert_int_equal(calls.n, 1);
    fx_buf_finish(&buf);
    fx_arena_finish(&arena);
    fx_cel_destroy(program);
    fx_cel_destroy(unused);
    fx_cel_destroy(inner);
    (void)state;
}

/* ---- folding ------------------------------------------------------------------------
 */

static void expect_fold_fault(const char *expression, const char *message) {
    const struct fx_cel_env env = {.libraries = fx_cel_mutation_libraries,
                                   .has_objects = true};
    struct fx_cel_program *program = NULL;
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    enum fx_cel_stage stage = FX_CEL_STAGE_PARSE;
    fx_arena_init(&arena, (size_t)1 << 20);
    struct fx_cel_faults faults = {.arena = &arena};
    assert_false(fx_cel_compile(&env, fx_text_of(expression), NULL, &program, &faults,
                                &stage, &err));
    assert_int_equal(stage, FX_CEL_STAGE_FOLD);
    assert_int_equal(faults.n, 1);
    assert_string_equal(faults.items[0].message, message);
    fx_arena_finish(&arena);
}

static void test_folding(void **state) {
    static const struct library_case cases[] = {
        {"[1, 2, 3]", "[1, 2, 3]", 0},
        {"size([[1], [2]]) + size({'a': [1]})", "3", 3},
        {"-1 == -(1)", "true", 2},
        {"string(dyn(duration('90s'))) == '90s'", "true", 1},
        {"o.name.matches('^w.b$')", "true", 4},
        {"o.name in ['web'] && !(o.i in [2, 3])", "true", 5},
    };
    CHECK(cases);
    expect_fold_fault("true || int('x') == 1",
                      "type conversion error from 'string' to 'int'");
    expect_fold_fault("false && 'a'.find('(') == ''",
                      "error parsing regexp: missing closing ): `(`");
    expect_fold_fault("dyn([1])[dyn(null)]", "invalid qualifier type: types.Null");
    expect_fold_fault("type(Object{}) == Object", "reference to undefined type: Object");
    expect_fold_fault("[int].map(t, t)", "reference to undefined type: t");
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logic),     cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_presence),  cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_relations), cmocka_unit_test(test_loops),
        cmocka_unit_test(test_structs),   cmocka_unit_test(test_overloads),
        cmocka_unit_test(test_fatal),     cmocka_unit_test(test_append_is_linear),
        cmocka_unit_test(test_variables), cmocka_unit_test(test_folding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
