/* SPDX-License-Identifier: Apache-2.0
 *
 * check_unchecked.c - names and calls of an expression whose types are not checked: what
 * they mean by their names and numbers of arguments alone.
 */
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "location/cel/checker.h"

static void resolve(struct fx_cel_checker *checker, struct fx_cel_node *node);

/* ---- names ------------------------------------------------------------------------- */

/* A dotted name of a variable or type, or the field of something. */
static void resolve_select(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    if (!fx_cel_check_is_dotted(checker, node)) {
        resolve(checker, node->select.operand);
    }
}

/* ---- calls ------------------------------------------------------------------------- */

/* Sets the overloads that take so many arguments, none if the function is not known. */
static void set_overloads(struct fx_cel_checker *checker, struct fx_cel_node *call,
                          uint32_t first) {
    const struct fx_cel_indexed_overload *items = checker->functions.items;
    const bool is_member = call->call.target != NULL;
    size_t n = 0;
    for (uint32_t at = first; at != FX_CEL_NO_OVERLOAD; at = items[at].next) {
        n++;
    }
    const struct fx_cel_overload **overloads =
        fx_arena_alloc(checker->arena, n * sizeof(struct fx_cel_overload *));
    if (overloads == NULL) {
        checker->unifier.no_memory = true;
        return;
    }
    call->call.overloads = overloads;
    call->call.n_overloads = 0;
    for (uint32_t at = first; at != FX_CEL_NO_OVERLOAD; at = items[at].next) {
        const struct fx_cel_overload *overload = items[at].overload;
        if (overload->is_member == is_member &&
            overload->n_args == call->call.n_args + is_member) {
            overloads[call->call.n_overloads++] = overload;
        }
    }
}

static void resolve_call(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    for (size_t i = 0; i < node->call.n_args; i++) {
        resolve(checker, node->call.args[i]);
    }
    uint32_t first = FX_CEL_NO_OVERLOAD;
    if (node->call.target != NULL) {
        first = fx_cel_check_find_namespaced(checker, node);
        if (first == FX_CEL_NO_OVERLOAD) {
            resolve(checker, node->call.target);
        }
    }
    if (first == FX_CEL_NO_OVERLOAD) {
        first = fx_cel_check_find_function(checker, node);
    }
    set_overloads(checker, node, first);
}

/* ---- the walk ---------------------------------------------------------------------- */

static void resolve_fold(struct fx_cel_checker *checker, const struct fx_cel_node *node) {
    const size_t n_outside = checker->n_locals;
    resolve(checker, node->fold.range);
    resolve(checker, node->fold.start);
    fx_cel_check_declare(checker, node->fold.result_so_far, &fx_cel_dyn);
    const size_t n_result = checker->n_locals;
    fx_cel_check_declare(checker, node->fold.item, &fx_cel_dyn);
    fx_cel_check_declare(checker, node->fold.item2, &fx_cel_dyn);
    resolve(checker, node->fold.condition);
    resolve(checker, node->fold.step);
    checker->n_locals = n_result;
    resolve(checker, node->fold.result);
    checker->n_locals = n_outside;
}

static void resolve_entries(struct fx_cel_checker *checker,
                            const struct fx_cel_node *node) {
    for (size_t i = 0; i < node->map.n; i++) {
        if (node->type == FX_CEL_NODE_MAP) {
            resolve(checker, node->map.entries[i].key);
        }
        resolve(checker, node->map.entries[i].value);
    }
}

static void resolve_by_type(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    switch (node->type) {
    case FX_CEL_NODE_LITERAL: break;
    case FX_CEL_NODE_NAME: (void)fx_cel_check_find_name(checker, node); break;
    case FX_CEL_NODE_SELECT: resolve_select(checker, node); break;
    case FX_CEL_NODE_CALL: resolve_call(checker, node); break;
    case FX_CEL_NODE_LIST:
        for (size_t i = 0; i < node->list.n; i++) {
            resolve(checker, node->list.items[i]);
        }
        break;
    case FX_CEL_NODE_MAP:
    case FX_CEL_NODE_STRUCT: resolve_entries(checker, node); break;
    case FX_CEL_NODE_FOLD: resolve_fold(checker, node); break;
    }
}

static void resolve(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    checker->unifier.over_limit |= checker->depth == FX_LIMIT_CEL_DEPTH || !fx_spend(1);
    if (!fx_cel_checker_stopped(checker)) {
        checker->depth++;
        resolve_by_type(checker, node);
        node->checked = &fx_cel_dyn;
        checker->depth--;
    }
}

bool fx_cel_resolve_unchecked(const struct fx_cel_env *env, struct fx_cel_node *root,
                              struct fx_arena *arena, struct fx_err *err) {
    struct fx_arena scratch;
    fx_arena_init(&scratch, FX_LIMIT_CEL_CHECK_BYTES);
    struct fx_cel_faults none = {.arena = &scratch};
    struct fx_cel_checker checker = {
        .env = env,
        .arena = arena,
        .scratch = &scratch,
        .faults = &none,
        .unifier = {.arena = arena, .scratch = &scratch},
    };
    checker.unifier.no_memory =
        !fx_cel_function_index_init(&checker.functions, env, &scratch);
    resolve(&checker, root);
    fx_arena_finish(&scratch);
    return !fx_cel_checker_stopped(&checker) || fx_cel_checker_fail(&checker, err);
}
