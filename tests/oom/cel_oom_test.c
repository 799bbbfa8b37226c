/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/oom/cel_oom_test.c - CEL with every allocation refused in turn: no memory is said
 * to be the reason, nothing else, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "location/cel/random_testing.h"
#include "location/cel_library/library.h"
#include "refuse.h"
#include "value/json.h"

#define RUNS_MAX           100000
#define MEMORY             ((size_t)64 << 20)
#define RANDOM_EXPRESSIONS 60u

static const struct fx_cel_variable variables[] = {{"x", &fx_cel_dyn}};

static const struct fx_cel_env env = {
    .variables = variables,
    .n_variables = FX_COUNT(variables),
    .libraries = fx_cel_mutation_libraries,
    .has_objects = true,
};

static const char document[] = "{\"a\": [1, 2.5, \"text\", {\"b\": null}], \"n\": 3}";

static const char *const expressions[] = {
    "has(x.a) && x.a.exists(e, e == 'text') ? x.?b[?0].orValue(1) : x.n",
    "Object{spec: Object.spec{a: 'b', ?c: optional.of(x.n)}}",
    "[JSONPatch{op: 'add', path: '/' + jsonpatch.escapeKey('a/b'), value: {'k': [1]}}]",
    "x.a.map(e, [e]).filter(e, e != [1]).sortBy(e, string(e))",
    "{'a': 1}.transformMap(k, v, {k: v}).transformMapEntry(k, v, {k: [v]})",
    "'%s %d %x %.3f %e'.format([[1], 5, 'ab', 1.5, 2.5]).split(' ').join(',')",
    "'aXbXc'.replace('X', string(x.n)).upperAscii().findAll('[A-Z]')",
    "x.a[2].matches('t.' + 'x') && 'abc'.matches('^a')",
    "timestamp('2020-02-29T01:02:03Z').getHours('Europe/Berlin') + int(duration('90s'))",
    "[3, 1, 2].sort().distinct().flatten().slice(0, 2).reverse() + lists.range(3)",
    "url('https://h:1/p?q=1&q=2').getQuery()",
    "quantity('1.5Gi').add(quantity('3')).compareTo(quantity('1'))",
    "cidr('10.0.0.0/8').containsIP('10.1.1.1') ? ip('::1') : cidr('::/0').ip()",
    "semver('1.2.3').isLessThan(semver('v2', true))",
    "format.dns1123Label().validate('A b')",
    "sets.contains([1, 2], [2]) && sets.equivalent(['a'], ['a', 'a'])",
    "1 / 0",
    "x.no",
    /* Invalid ones. */
    "x + * y",
    "nowhere + [1, 'a'] + 'a'.no()",
    "'abc'.matches('(')",
};

/* False without memory. */
static bool evaluate(const struct fx_cel_program *program, const json_t *root) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct fx_cel_value values[] = {fx_cel_make_node(root)};
    fx_arena_init(&arena, MEMORY);
    struct fx_cel_run run = {
        .arena = &arena, .variables = values, .cost_limit = FX_CEL_COST_LIMIT};
    const struct fx_cel_value value = fx_cel_eval(program, &run, &err);
    const bool is_fatal = fx_cel_is_error(value) && (value.flags & FX_CEL_FATAL) != 0;
    assert_true(!is_fatal || err.code != FX_OK);
    fx_arena_finish(&arena);
    return !is_fatal || err.code != FX_ENOMEM;
}

/* Prints the faults of an invalid expression. False without memory. */
static bool print(const struct fx_cel_faults *faults, struct fx_text text) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_cel_faults_print(faults, text, &buf);
    const bool ok = !buf.failed;
    fx_buf_finish(&buf);
    return ok;
}

/* False without memory. */
static bool act(struct fx_text text, const json_t *root) {
    struct fx_arena arena;
    struct fx_cel_program *program = NULL;
    enum fx_cel_stage stage;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, MEMORY);
    struct fx_cel_faults faults = {.arena = &arena};
    bool ok = fx_cel_compile(&env, text, NULL, &program, &faults, &stage, &err);
    assert_true(ok || err.code == FX_OK || err.code == FX_ENOMEM);
    if (ok) {
        ok = evaluate(program, root);
    } else if (err.code == FX_OK) {
        assert_true(faults.n > 0);
        ok = print(&faults, text);
    }
    fx_cel_destroy(program);
    fx_arena_finish(&arena);
    return ok;
}

/* Refuses one allocation after the other until it needs no more. */
static void refuse_all(struct fx_text text, const json_t *root, bool ever_after) {
    assert_true(act(text, root)); /* what is allocated once, is */
    long live = refuse_live();
    long n = 0;
    for (bool refused = true; refused; n++) {
        assert_true(n < RUNS_MAX);
        refuse_from(n, ever_after);
        const bool ok = act(text, root);
        refused = refuse_stop();
        if (ok == refused || !refuse_lost_nothing(&live, true)) {
            fail_msg("%.*s: refused %ld", FX_TEXT_ARG(text), n);
        }
    }
    assert_true(n > 2); /* it was tried at all */
}

static json_t *read_document(void) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(fx_text_of(document), NULL, &err);
    assert_non_null(root);
    return root;
}

static void test_expressions(void **state) {
    json_t *root = read_document();
    for (size_t i = 0; i < FX_COUNT(expressions); i++) {
        refuse_all(fx_text_of(expressions[i]), root, false);
        refuse_all(fx_text_of(expressions[i]), root, true);
    }
    json_decref(root);
    (void)state;
}

static void test_random(void **state) {
    json_t *root = read_document();
    for (unsigned i = 0; i < RANDOM_EXPRESSIONS; i++) {
        struct fx_arena arena;
        struct fx_buf text;
        fx_arena_init(&arena, MEMORY);
        fx_buf_init(&text, 0);
        struct random_expression random = {.arena = &arena,
                                           .libraries = fx_cel_policy_libraries,
                                           .number = UINT64_C(4711) + i,
                                           .has_dyn = true,
                                           .scope = {{"x", &fx_cel_dyn}},
                                           .n_scope = 1};
        (void)random_write_expression(&random, 3, &text);
        refuse_all(fx_buf_view(&text), root, false);
        fx_buf_finish(&text);
        fx_arena_finish(&arena);
    }
    json_decref(root);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_random),
    };
    refuse_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
