/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/random_test.c - what holds of all expressions, on expressions made
 * at random: they pass the checker, are never of a wrong type when they are evaluated,
 * keep to their cost, and have the same value however they are compiled.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/budget.h"
#include "location/cel/random_testing.h"
#include "location/cel_library/library.h"
#include "value/json.h"

#define EXPRESSIONS  4000u /* of each test; RANDOM_EXPRESSIONS in the environment */
#define MOST_PRINTED 10u
#define MEMORY       ((size_t)256 << 20)

static const struct fx_cel_variable variables[] = {
    {"b", &fx_cel_bool},         {"i", &fx_cel_int},      {"u", &fx_cel_uint},
    {"d", &fx_cel_double},       {"s", &fx_cel_string},   {"y", &fx_cel_bytes},
    {"t", &fx_cel_timestamp},    {"r", &fx_cel_duration}, {"li", &fx_cel_list_int},
    {"ls", &fx_cel_list_string}, {"x", &fx_cel_dyn},      {"xs", &fx_cel_list_dyn},
};
#define N_VARIABLES FX_COUNT(variables)

static const char tree[] =
    "{\"li\": [3, 1, 2, 3, -9], \"ls\": [\"b\", \"\", \"\xC3\xA9\", \"b\"],"
    " \"x\": {\"a\": {\"if\": [1, 2.5, null]}, \"b\": \"text\"},"
    " \"xs\": [1, \"a\", true, null, [], {\"k\": 1.5}]}";

struct fixture {
    json_t *root;
    struct fx_cel_value values[N_VARIABLES];
    struct fx_cel_env env;
};

static int set_up(void **state) {
    static struct fixture fixture;
    struct fx_err err = FX_ERR_INIT;
    fixture.root = fx_json_read(fx_text_of(tree), NULL, &err);
    assert_non_null(fixture.root);
    const struct fx_cel_value values[N_VARIABLES] = {
        fx_cel_make_bool(true),
        fx_cel_make_int(5),
        fx_cel_make_uint(7),
        fx_cel_make_double(-0.25),
        fx_cel_make_string(FX_TEXT("s\xC3\xA9\xF0\x9F\x98\x80t")),
        fx_cel_make_bytes(FX_TEXT("y\xFF")),
        {.kind = FX_CEL_TIMESTAMP, .timestamp = {.seconds = 1700000000, .offset = 3600}},
        fx_cel_make_duration(INT64_C(90000000001)),
        fx_cel_make_node(json_object_get(fixture.root, "li")),
        fx_cel_make_node(json_object_get(fixture.root, "ls")),
        fx_cel_make_node(json_object_get(fixture.root, "x")),
        fx_cel_make_node(json_object_get(fixture.root, "xs")),
    };
    memcpy(fixture.values, values, sizeof values);
    fixture.env = (struct fx_cel_env){.variables = variables,
                                      .n_variables = N_VARIABLES,
                                      .libraries = fx_cel_policy_libraries};
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    const struct fixture *fixture = *state;
    json_decref(fixture->root);
    return 0;
}

/* ---- values ------------------------------------------------------------------------ */

static bool is_same(struct fx_cel_value a, struct fx_cel_value b);

static bool is_same_list(struct fx_cel_value a, struct fx_cel_value b) {
    const size_t n = fx_cel_list_size(a);
    bool same = n == fx_cel_list_size(b);
    for (size_t i = 0; i < n && same; i++) {
        same = is_same(fx_cel_list_at(a, i), fx_cel_list_at(b, i));
    }
    return same;
}

static bool is_same_map(struct fx_cel_value a, struct fx_cel_value b) {
    struct fx_cel_map_walk walk_a;
    struct fx_cel_map_walk walk_b;
    struct fx_cel_map_entry entry_a;
    struct fx_cel_map_entry entry_b;
    bool same = fx_cel_map_size(a) == fx_cel_map_size(b);
    fx_cel_map_walk_start(&walk_a, a);
    fx_cel_map_walk_start(&walk_b, b);
    while (same && fx_cel_map_walk_next(&walk_a, &entry_a)) {
        same = fx_cel_map_walk_next(&walk_b, &entry_b) &&
               is_same(entry_a.key, entry_b.key) && is_same(entry_a.value, entry_b.value);
    }
    return same;
}

/* The same, NaN and the messages of errors included. */
static bool is_same(struct fx_cel_value a, struct fx_cel_value b) {
    if (a.kind != b.kind) {
        return false;
    }
    switch ((enum fx_cel_kind)a.kind) {
    case FX_CEL_ERROR: return strcmp(a.error, b.error) == 0;
    case FX_CEL_DOUBLE:
        return (a.real == b.real && signbit(a.real) == signbit(b.real)) ||
               (isnan(a.real) && isnan(b.real));
    case FX_CEL_LIST: return is_same_list(a, b);
    case FX_CEL_MAP: return is_same_map(a, b);
    case FX_CEL_OPTIONAL:
        return a.inner == NULL || b.inner == NULL ? a.inner == b.inner
                                                  : is_same(*a.inner, *b.inner);
    case FX_CEL_OPAQUE: return a.opaque.ops == b.opaque.ops;
    case FX_CEL_UNSET:
    case FX_CEL_NULL:
    case FX_CEL_BOOL:
    case FX_CEL_INT:
    case FX_CEL_UINT:
    case FX_CEL_STRING:
    case FX_CEL_BYTES:
    case FX_CEL_DURATION:
    case FX_CEL_TIMESTAMP:
    case FX_CEL_TYPE:
    case FX_CEL_STRUCT: break;
    }
    return fx_cel_equal(a, b);
}

static bool is_of_type(struct fx_cel_value value, const struct fx_cel_type *type);

static bool is_list_of(struct fx_cel_value list, const struct fx_cel_type *element) {
    bool ok = list.kind == FX_CEL_LIST;
    for (size_t i = 0; ok && i < fx_cel_list_size(list); i++) {
        ok = is_of_type(fx_cel_list_at(list, i), element);
    }
    return ok;
}

static bool is_map_of(struct fx_cel_value map, const struct fx_cel_type *type) {
    struct fx_cel_map_walk walk;
    struct fx_cel_map_entry entry;
    if (map.kind != FX_CEL_MAP) {
        return false;
    }
    fx_cel_map_walk_start(&walk, map);
    while (fx_cel_map_walk_next(&walk, &entry)) {
        if (!is_of_type(entry.key, type->params[0]) ||
            !is_of_type(entry.value, type->params[1])) {
            return false;
        }
    }
    return true;
}

/* Is it a value of this type, and its elements of theirs? */
static bool is_of_type(struct fx_cel_value value, const struct fx_cel_type *type) {
    switch (type->kind) {
    case FX_CEL_TYPE_NULL: return value.kind == FX_CEL_NULL;
    case FX_CEL_TYPE_BOOL: return value.kind == FX_CEL_BOOL;
    case FX_CEL_TYPE_INT: return value.kind == FX_CEL_INT;
    case FX_CEL_TYPE_UINT: return value.kind == FX_CEL_UINT;
    case FX_CEL_TYPE_DOUBLE: return value.kind == FX_CEL_DOUBLE;
    case FX_CEL_TYPE_STRING: return value.kind == FX_CEL_STRING;
    case FX_CEL_TYPE_BYTES: return value.kind == FX_CEL_BYTES;
    case FX_CEL_TYPE_DURATION: return value.kind == FX_CEL_DURATION;
    case FX_CEL_TYPE_TIMESTAMP: return value.kind == FX_CEL_TIMESTAMP;
    case FX_CEL_TYPE_TYPE: return value.kind == FX_CEL_TYPE;
    case FX_CEL_TYPE_LIST: return is_list_of(value, type->params[0]);
    case FX_CEL_TYPE_MAP: return is_map_of(value, type);
    case FX_CEL_TYPE_OPTIONAL:
        return value.kind == FX_CEL_OPTIONAL &&
               (value.inner == NULL || is_of_type(*value.inner, type->params[0]));
    case FX_CEL_TYPE_OPAQUE:
        return value.kind == FX_CEL_OPAQUE &&
               fx_cel_type_equal(value.opaque.ops->type, type);
    case FX_CEL_TYPE_DYN:
    case FX_CEL_TYPE_ERROR:
    case FX_CEL_TYPE_STRUCT:
    case FX_CEL_TYPE_PARAMETER: break;
    }
    return type->kind == FX_CEL_TYPE_DYN;
}

/* ---- compiling and evaluating ------------------------------------------------------ */

/* One expression, compiled and evaluated; finish() frees it. */
struct outcome {
    struct fx_arena arena;
    struct fx_cel_program *program; /* NULL: it was refused, by this stage */
    enum fx_cel_stage stage;
    struct fx_cel_faults faults;
    struct fx_cel_value value;
    uint64_t cost;
};

static void evaluate(const struct fixture *fixture, uint64_t cost_limit,
                     struct outcome *outcome) {
    struct fx_cel_value values[N_VARIABLES];
    struct fx_err err = FX_ERR_INIT;
    memcpy(values, fixture->values, sizeof values);
    struct fx_cel_run run = {
        .arena = &outcome->arena, .variables = values, .cost_limit = cost_limit};
    outcome->value = fx_cel_eval(outcome->program, &run, &err);
    outcome->cost = run.cost;
}

static void compile(const struct fixture *fixture, struct fx_text text,
                    const struct fx_cel_compile_options *options,
                    struct outcome *outcome) {
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&outcome->arena, MEMORY);
    outcome->faults = (struct fx_cel_faults){.arena = &outcome->arena};
    outcome->program = NULL;
    if (!fx_cel_compile(&fixture->env, text, options, &outcome->program, &outcome->faults,
                        &outcome->stage, &err) &&
        outcome->faults.n == 0) {
        fail_msg("%.*s: %s", FX_TEXT_ARG(text), err.msg);
    }
}

static void finish(struct outcome *outcome) {
    fx_cel_destroy(outcome->program);
    fx_arena_finish(&outcome->arena);
}

/* ---- what holds -------------------------------------------------------------------- */

static unsigned failures;

/* Prints the first failures. */
static void fail_with(struct fx_text text, const char *what, const struct outcome *one,
                      const struct outcome *other) {
    struct fx_buf faults;
    if (failures++ >= MOST_PRINTED) {
        return;
    }
    fx_buf_init(&faults, 0);
    fx_cel_faults_print(&one->faults, text, &faults);
    print_error("%s: %.*s\n  kind %u cost %llu %s\n  kind %u cost %llu %s\n%s\n", what,
                FX_TEXT_ARG(text), one->value.kind, (unsigned long long)one->cost,
                fx_cel_is_error(one->value) ? one->value.error : "", other->value.kind,
                (unsigned long long)other->cost,
                fx_cel_is_error(other->value) ? other->value.error : "",
                faults.data != NULL ? faults.data : "");
    fx_buf_finish(&faults);
}

static bool is_fatal_error(struct fx_cel_value value) {
    return fx_cel_is_error(value) && (value.flags & FX_CEL_FATAL) != 0;
}

/* With exactly its cost it has the same value; with less it fails. */
static void check_cost(const struct fixture *fixture, struct fx_text text,
                       struct outcome *outcome) {
    struct outcome again = *outcome;
    const bool is_over = outcome->cost > FX_CEL_COST_LIMIT;
    if (is_over != (fx_cel_is_error(outcome->value) &&
                    strstr(outcome->value.error, "actual cost limit exceeded") != NULL)) {
        fail_with(text, "the cost limit does not hold", outcome, &again);
    }
    if (is_over || outcome->cost == 0) {
        return;
    }
    evaluate(fixture, outcome->cost, &again);
    if (!is_same(again.value, outcome->value) || again.cost != outcome->cost) {
        fail_with(text, "another value with a limit", outcome, &again);
    }
    evaluate(fixture, outcome->cost - 1, &again);
    if (!is_fatal_error(again.value)) {
        fail_with(text, "a lower cost limit does not hold", outcome, &again);
    }
    outcome->arena = again.arena;
}

/* Does a message say that a value has a wrong type? Kubernetes says so, too, where a
 * quantity is compared with a sum, and if containsIP() gets a text that is no address. */
static bool is_type_error(struct fx_cel_value value, struct fx_text text) {
    return fx_cel_is_error(value) && strstr(value.error, "no such overload") != NULL &&
           !fx_text_contains(text, FX_TEXT("quantity(")) &&
           !fx_text_contains(text, FX_TEXT(".containsIP("));
}

/* The checker finds the type of the expression, and its value has it. */
static void check_type(struct fx_text text, const struct fx_cel_type *type,
                       const struct outcome *outcome) {
    const struct fx_cel_type *found = fx_cel_program_type(outcome->program);
    if (!fx_cel_type_equal(found, type)) {
        fail_with(text, "another type", outcome, outcome);
    }
    if (!fx_cel_is_error(outcome->value) && !is_of_type(outcome->value, found)) {
        fail_with(text, "a value of another type", outcome, outcome);
    }
}

/* The program and the plain one have the same value, and the cost of the first is not
 * higher. But the plain program needs more cost and memory, so it may exceed a limit that
 * the other one does not, or another limit. */
static void check_same(struct fx_text text, const struct outcome *one,
                       const struct outcome *plain) {
    if (!is_fatal_error(plain->value) &&
        (!is_same(one->value, plain->value) || one->cost > plain->cost)) {
        fail_with(text, "the plain program differs", one, plain);
    }
}

/* Compiles in both ways, and compares. */
static void check(const struct fixture *fixture, struct fx_text text,
                  const struct fx_cel_type *type, bool has_dyn) {
    static const struct fx_cel_compile_options plain = {.plain = true};
    struct outcome one;
    struct outcome other;
    compile(fixture, text, NULL, &one);
    compile(fixture, text, &plain, &other);
    one.value = other.value = fx_cel_make_null();
    one.cost = other.cost = 0;
    if (other.program == NULL ||
        (one.program == NULL && one.stage != FX_CEL_STAGE_FOLD)) {
        fail_with(text, "refused", &one, &other);
    }
    if (one.program != NULL) {
        evaluate(fixture, FX_CEL_COST_LIMIT, &one);
        evaluate(fixture, FX_CEL_COST_LIMIT, &other);
        if (!has_dyn && is_type_error(one.value, text)) {
            fail_with(text, "a type error", &one, &other);
        }
        check_same(text, &one, &other);
        check_type(text, type, &one);
        check_cost(fixture, text, &one);
    }
    finish(&one);
    finish(&other);
}

/* Without the checker it may fail, but not crash. */
static void check_unchecked(const struct fixture *fixture, struct fx_text text) {
    static const struct fx_cel_compile_options unchecked = {.unchecked = true};
    struct outcome outcome;
    compile(fixture, text, &unchecked, &outcome);
    if (outcome.program != NULL) {
        evaluate(fixture, FX_CEL_COST_LIMIT, &outcome);
    }
    finish(&outcome);
}

static unsigned count(void) {
    const char *text = getenv("RANDOM_EXPRESSIONS");
    return text == NULL ? EXPRESSIONS : (unsigned)strtoul(text, NULL, 10);
}

static void check_many(const struct fixture *fixture, uint64_t seed, bool has_dyn) {
    const unsigned n = count();
    for (unsigned i = 0; i < n; i++) {
        struct fx_arena arena;
        struct fx_buf text;
        fx_arena_init(&arena, MEMORY);
        fx_buf_init(&text, 0);
        struct random_expression random = {.arena = &arena,
                                           .libraries = fx_cel_policy_libraries,
                                           .number = seed + i,
                                           .has_dyn = has_dyn,
                                           .n_scope = N_VARIABLES};
        for (size_t v = 0; v < N_VARIABLES; v++) {
            random.scope[v] =
                (struct random_variable){variables[v].name, variables[v].type};
        }
        const struct fx_cel_type *type =
            random_write_expression(&random, 1 + i % 5, &text);
        check(fixture, fx_buf_view(&text), type, has_dyn);
        check_unchecked(fixture, fx_buf_view(&text));
        fx_buf_finish(&text);
        fx_arena_finish(&arena);
    }
    assert_int_equal(failures, 0);
}

static void test_typed(void **state) {
    check_many(*state, UINT64_C(20261123), false);
}

static void test_dyn(void **state) {
    check_many(*state, UINT64_C(77), true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typed),
        cmocka_unit_test(test_dyn),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
