/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/check_fuzz.c - any expression that parses gives faults within its text, or
 * each node has a type without free types, and each name and call a meaning; and with
 * little memory the same, or no memory.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/limits.h"
#include "location/cel/check_testing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MEMORY ((size_t)64 << 20)

static void look_at_type(const struct fx_cel_type *type) {
    assert(type != NULL && type->kind != FX_CEL_TYPE_PARAMETER && type->id == 0);
    assert(type->kind != FX_CEL_TYPE_ERROR && type->name != NULL);
    for (size_t i = 0; i < 2 && type->params[i] != NULL; i++) {
        look_at_type(type->params[i]);
    }
}

static void look_at_node(const struct fx_cel_node *node);

static void look_at_name(const struct fx_cel_node *node) {
    const bool is_variable = node->name.variable != FX_CEL_NO_VARIABLE;
    assert(!is_variable || node->name.variable < testing_env.n_variables);
    assert((node->name.local != NULL) + (node->name.type != NULL) + is_variable == 1);
}

static void look_at_call(const struct fx_cel_node *node) {
    const size_t n_args = node->call.n_args + (node->call.target != NULL);
    const bool is_select = fx_text_is(node->call.function, "_?._");
    assert(is_select || node->call.n_overloads > 0);
    for (size_t i = 0; i < node->call.n_overloads; i++) {
        assert(node->call.overloads[i]->n_args == n_args);
        assert(fx_text_is(node->call.function, node->call.overloads[i]->function));
    }
    if (node->call.target != NULL) {
        look_at_node(node->call.target);
    }
    for (size_t i = 0; i < node->call.n_args; i++) {
        look_at_node(node->call.args[i]);
    }
}

static void look_at_fold(const struct fx_cel_node *node) {
    look_at_type(node->fold.item->type);
    look_at_type(node->fold.result_so_far->type);
    look_at_node(node->fold.range);
    look_at_node(node->fold.start);
    look_at_node(node->fold.condition);
    look_at_node(node->fold.step);
    look_at_node(node->fold.result);
}

static void look_at_node(const struct fx_cel_node *node) {
    look_at_type(node->checked);
    switch (node->type) {
    case FX_CEL_NODE_LITERAL: break;
    case FX_CEL_NODE_NAME: look_at_name(node); break;
    case FX_CEL_NODE_SELECT: look_at_node(node->select.operand); break;
    case FX_CEL_NODE_CALL: look_at_call(node); break;
    case FX_CEL_NODE_LIST:
        for (size_t i = 0; i < node->list.n; i++) {
            look_at_node(node->list.items[i]);
        }
        break;
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_STRUCT:
        for (size_t i = 0; i < node->map.n; i++) {
            look_at_node(node->map.entries[i].value);
        }
        break;
    case FX_CEL_NODE_FOLD: look_at_fold(node); break;
    }
}

static void look_at_faults(const struct fx_cel_faults *faults, struct fx_text source) {
    assert(faults->n > 0 && faults->n <= FX_CEL_MOST_FAULTS);
    for (size_t i = 0; i < faults->n; i++) {
        assert(faults->items[i].at <= source.len);
        assert(i == 0 || faults->items[i].at >= faults->items[i - 1].at);
        assert(faults->items[i].message[0] != '\0');
    }
}

static void check_within(struct fx_text source, size_t memory,
                         enum fx_cel_check_mode mode) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, memory);
    struct fx_cel_faults faults = {.arena = &arena};
    struct fx_cel_node *root = fx_cel_parse(&arena, source, &faults, &err);
    if (root == NULL) {
        /* parse_fuzz.c looks at this */
    } else if (fx_cel_check(&testing_env, root, &arena, mode, &faults, &err)) {
        assert(faults.n == 0);
        look_at_node(root);
    } else if (err.code == FX_OK) {
        look_at_faults(&faults, source);
    } else {
        assert(err.code == FX_ENOMEM || err.code == FX_ELIMIT);
    }
    fx_arena_finish(&arena);
}

static void resolve_within(struct fx_text source, size_t memory) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, memory);
    struct fx_cel_faults faults = {.arena = &arena};
    struct fx_cel_node *root = fx_cel_parse(&arena, source, &faults, &err);
    if (root != NULL && !fx_cel_resolve_unchecked(&testing_env, root, &arena, &err)) {
        assert(err.code == FX_ENOMEM || err.code == FX_ELIMIT);
    }
    fx_arena_finish(&arena);
}

/* Each text is checked; its length says what else is done with it, which costs less than
 * all of it for each. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    check_within(text, MEMORY, FX_CEL_CHECK_STRICT);
    switch (size % 5) {
    case 0: check_within(text, MEMORY, FX_CEL_CHECK_LOOSE); break;
    case 1: check_within(text, (size_t)256 * data[size - 1], FX_CEL_CHECK_STRICT); break;
    case 2: resolve_within(text, MEMORY); break;
    case 3: check_within(text, MEMORY, FX_CEL_CHECK_LENIENT); break;
    default: break;
    }
    return 0;
}
