/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/cost/programs.c - what the evaluator of CEL does itself: operators, fields,
 * comprehensions and literals, on objects of each shape, within the cost limit.
 */
#include "meter.h"

#include <stdio.h>

#include "base/limits.h"
#include "location/cel_library/library.h"
#include "value/shapes_testing.h"

/* `object.a` and `object.b` are alike: made of the shape. */
static const char *const texts[] = {
    "object.a",
    "has(object.a.b)",
    "object.?a.?b.orValue(1)",
    "object.a[0]",
    "object.a[?0]",
    "object.a == object.b",
    "object.a != object.b",
    "object.a in object.b",
    "object.a in [object.b]",
    "object.a + object.b",
    "object.a < object.b",
    "object.a == 1 || object.b == 1",
    "object.a == object.b ? object.a : 1",
    "[object.a, object.b]",
    "{'a': object.a, 'b': object.b}",
    "Object{spec: Object.spec{a: object.a}}",
    "[JSONPatch{op: 'add', path: '/a', value: object.a}]",
    "object.a.all(x, true)",
    "object.a.all(x, x == object.a[0])",
    "object.a.exists_one(x, x == object.b)",
    "object.a.map(x, x)",
    "object.a.map(x, object.a)",
    "object.a.map(x, [x, x])",
    "object.a.filter(x, x in object.b)",
    "object.a.filter(x, !(x in object.b))",
    "object.a.exists(x, object.b.exists(y, x == y && false))",
    "object.a.map(x, object.b.map(y, [x, y]))",
    "object.a.all(x, object.a.all(y, object.a.all(z, true)))",
    "object.a.transformList(i, x, [i, x])",
    "object.a.transformMap(i, x, x)",
    "object.a.transformMapEntry(i, x, {string(x): i})",
    "object.a.map(x, string(x)).join(object.a[0])",
    "object.a.map(x, '%s %s'.format([x, object.a]))",
    "object.a.map(x, string(x) + string(x) + string(x))",
    "object.a.map(x, sets.contains(object.a, [x]))",
    "object.a.map(x, object.a.indexOf(x))",
    "object.a.map(x, object.a.distinct().size())",
    "object.a.map(x, string(x).matches('^(1|a)*$'))",
    "object.a.map(x, string(x).matches(string(x)))",
};

static bool describe(size_t index, struct meter_case *ret_case) {
    const size_t n = fx_value_shapes();
    if (index / n >= FX_COUNT(texts)) {
        return false;
    }
    (void)snprintf(ret_case->subject, sizeof ret_case->subject, "%s", texts[index / n]);
    (void)snprintf(ret_case->shape, sizeof ret_case->shape, "%s",
                   fx_value_shape_name(index % n));
    return true;
}

static struct fx_cel_program *compile(struct fx_arena *arena, const char *text) {
    static const struct fx_cel_variable object = {"object", &fx_cel_dyn};
    static const struct fx_cel_env env = {.variables = &object,
                                          .n_variables = 1,
                                          .libraries = fx_cel_mutation_libraries,
                                          .has_objects = true};
    struct fx_cel_program *program = NULL;
    struct fx_cel_faults faults = {.arena = arena};
    enum fx_cel_stage stage = FX_CEL_STAGE_PARSE;
    struct fx_err err = FX_ERR_INIT;
    return fx_cel_compile(&env, fx_text_of(text), NULL, &program, &faults, &stage, &err)
               ? program
               : NULL;
}

static void run(size_t index, size_t size) {
    const size_t n = fx_value_shapes();
    struct fx_err err = FX_ERR_INIT;
    struct fx_arena arena;
    json_t *root = json_pack("{s:o, s:o}", "a", fx_value_shape_make(index % n, size), "b",
                             fx_value_shape_make(index % n, size));
    struct fx_cel_value object = fx_cel_make_node(root);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    struct fx_cel_run run = {
        .arena = &arena, .variables = &object, .cost_limit = FX_CEL_COST_LIMIT};
    struct fx_cel_program *program = compile(&arena, texts[index / n]);
    if (program != NULL) {
        meter_start();
        meter_stop(!fx_cel_is_error(fx_cel_eval(program, &run, &err)));
    }
    fx_cel_destroy(program);
    fx_arena_finish(&arena);
    json_decref(root);
}

const struct meter_set meter_programs = {"programs", describe, run};
