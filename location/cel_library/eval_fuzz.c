/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/eval_fuzz.c - an expression up to the first NUL, a JSON document
 * after it: the program, a second evaluation of it, and a program without folding and
 * fast paths give the same value, or errors; and with little memory the same, or no
 * memory.
 */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "location/cel_library/kyverno.h"
#include "value/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MEMORY      ((size_t)64 << 20)
#define LITTLE      ((size_t)4 << 10)
#define UNITS       (1u << 21)
#define PLAIN_TIMES 4u /* a plain program costs more, because constants cost */

/* One way to run an expression. */
struct attempt {
    struct fx_arena arena; /* of the value */
    struct fx_cel_value value;
    bool compiles, is_fatal;
};

static bool is_same(struct fx_cel_value a, struct fx_cel_value b);

static bool is_same_list(struct fx_cel_value a, struct fx_cel_value b) {
    if (fx_cel_list_size(a) != fx_cel_list_size(b)) {
        return false;
    }
    for (size_t i = 0; i < fx_cel_list_size(a); i++) {
        if (!is_same(fx_cel_list_at(a, i), fx_cel_list_at(b, i))) {
            return false;
        }
    }
    return true;
}

/* All maps have their entries in one order. */
static bool is_same_map(struct fx_cel_value a, struct fx_cel_value b) {
    struct fx_cel_map_walk walk_a;
    struct fx_cel_map_walk walk_b;
    struct fx_cel_map_entry entry_a;
    struct fx_cel_map_entry entry_b;
    fx_cel_map_walk_start(&walk_a, a);
    fx_cel_map_walk_start(&walk_b, b);
    while (fx_cel_map_walk_next(&walk_a, &entry_a)) {
        if (!fx_cel_map_walk_next(&walk_b, &entry_b) ||
            !is_same(entry_a.key, entry_b.key) ||
            !is_same(entry_a.value, entry_b.value)) {
            return false;
        }
    }
    return !fx_cel_map_walk_next(&walk_b, &entry_b);
}

/* Of opaque values only the kind is compared. */
static bool is_same(struct fx_cel_value a, struct fx_cel_value b) {
    if (a.kind != b.kind) {
        return false;
    }
    if (a.kind == FX_CEL_DOUBLE) {
        return isnan(a.real) ? isnan(b.real)
                             : a.real == b.real && signbit(a.real) == signbit(b.real);
    }
    if (a.kind == FX_CEL_LIST) {
        return is_same_list(a, b);
    }
    if (a.kind == FX_CEL_MAP) {
        return is_same_map(a, b);
    }
    if (a.kind == FX_CEL_OPTIONAL && a.inner != NULL && b.inner != NULL) {
        return is_same(*a.inner, *b.inner);
    }
    return a.kind == FX_CEL_OPAQUE || fx_cel_equal(a, b);
}

/* Errors have messages, and fatal ones a reason; other values have none. */
static void check_value(struct fx_cel_value value, const struct fx_err *err) {
    assert(value.kind != FX_CEL_UNSET);
    if (value.kind == FX_CEL_ERROR) {
        assert(value.error[0] != '\0');
        assert((value.flags & FX_CEL_FATAL) == 0 || err->code != FX_OK);
    }
}

static void evaluate(struct attempt *attempt, const struct fx_cel_program *program,
                     const json_t *root, uint64_t cost_limit) {
    struct fx_cel_value object =
        root == NULL ? fx_cel_make_null() : fx_cel_make_node(root);
    struct fx_cel_run run = {
        .arena = &attempt->arena, .variables = &object, .cost_limit = cost_limit};
    struct fx_err err = FX_ERR_INIT;
    attempt->value = fx_cel_eval(program, &run, &err);
    attempt->is_fatal =
        attempt->value.kind == FX_CEL_ERROR && (attempt->value.flags & FX_CEL_FATAL) != 0;
    check_value(attempt->value, &err);
    if (!attempt->is_fatal) {
        const uint64_t cost = run.cost;
        assert(cost <= cost_limit);
        const struct fx_cel_value again = fx_cel_eval(program, &run, &err);
        assert(fx_cel_is_error(again) || is_same(attempt->value, again));
        assert(fx_cel_is_error(again) || cost == run.cost);
    }
}

/* The program must outlive the value. */
static struct fx_cel_program *attempt_with(struct attempt *attempt, struct fx_text text,
                                           const json_t *root, bool is_plain,
                                           size_t memory) {
    static const struct fx_cel_variable object = {"object", &fx_cel_dyn};
    const struct fx_cel_env env = {.variables = &object,
                                   .n_variables = 1,
                                   .libraries = fx_cel_kyverno_libraries,
                                   .has_objects = true};
    const struct fx_cel_compile_options options = {.plain = is_plain};
    struct fx_cel_program *program = NULL;
    enum fx_cel_stage stage = FX_CEL_STAGE_PARSE;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&attempt->arena, memory);
    struct fx_cel_faults faults = {.arena = &attempt->arena};
    const struct fx_bound bound = fx_budget_narrow(UNITS, 0);
    attempt->compiles =
        fx_cel_compile(&env, text, &options, &program, &faults, &stage, &err);
    assert(attempt->compiles == (program != NULL));
    assert(attempt->compiles || faults.n > 0 || err.code != FX_OK);
    if (attempt->compiles) {
        evaluate(attempt, program, root,
                 FX_CEL_COST_LIMIT / 4 * (is_plain ? PLAIN_TIMES : 1));
    }
    (void)fx_budget_widen(bound);
    return program;
}

/* `in` with constants is a look-up, which does not evaluate what is looked for in an
 * empty list. */
static bool may_differ(struct fx_text text) {
    return fx_text_contains(text, FX_TEXT("in"));
}

static void compare(const struct attempt *optimised, const struct attempt *plain,
                    struct fx_text text) {
    if (!optimised->compiles || !plain->compiles || optimised->is_fatal ||
        plain->is_fatal) {
        return;
    }
    if (fx_cel_is_error(optimised->value) || fx_cel_is_error(plain->value)) {
        assert(fx_cel_is_error(optimised->value) == fx_cel_is_error(plain->value) ||
               may_differ(text));
    } else {
        assert(is_same(optimised->value, plain->value) || may_differ(text));
    }
}

/* Runs the text a second time, and compares. */
static void attempt_again(const struct attempt *optimised, struct fx_text text,
                          const json_t *root, bool is_plain, size_t memory) {
    struct attempt again;
    struct fx_cel_program *program = attempt_with(&again, text, root, is_plain, memory);
    compare(optimised, &again, text);
    fx_cel_destroy(program);
    fx_arena_finish(&again.arena);
}

/* Each text is run; its length says what it is compared with, which costs less than all
 * of it for each. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_text rest = {(const char *)data, size};
    const struct fx_text text = fx_text_cut(&rest, '\0');
    struct fx_err err = FX_ERR_INIT;
    json_t *root = fx_json_read(rest, NULL, &err);
    struct attempt optimised;
    struct fx_cel_program *program = attempt_with(&optimised, text, root, false, MEMORY);
    if (size % 2 == 0) {
        attempt_again(&optimised, text, root, true, MEMORY);
    } else if (size % 4 == 1) {
        attempt_again(&optimised, text, root, false, LITTLE);
    }
    fx_cel_destroy(program);
    fx_arena_finish(&optimised.arena);
    json_decref(root);
    return 0;
}
