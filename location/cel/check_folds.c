/* SPDX-License-Identifier: Apache-2.0
 *
 * check_folds.c - folds, and the names that they declare.
 */
#include "location/cel/checker.h"

struct fx_cel_local *fx_cel_check_find_local(const struct fx_cel_checker *checker,
                                             struct fx_text name) {
    for (size_t i = checker->n_locals; i > 0; i--) {
        if (fx_text_equal(checker->locals[i - 1]->name, name)) {
            return checker->locals[i - 1];
        }
    }
    return NULL;
}

void fx_cel_check_declare(struct fx_cel_checker *checker, struct fx_cel_local *local,
                          const struct fx_cel_type *type) {
    if (local == NULL) {
        return;
    }
    local->type = type;
    if (!FX_ARENA_GROW(checker->scratch, checker->locals, checker->n_locals,
                       checker->cap_locals)) {
        checker->unifier.no_memory = true;
        return;
    }
    checker->locals[checker->n_locals++] = local;
}

/* Sets the types of what a fold takes from its range, one after another: elements, or
 * indexes and elements of a list; keys, or keys and values of a map. */
static void find_item_types(struct fx_cel_checker *checker,
                            const struct fx_cel_node *node,
                            const struct fx_cel_type *ret_types[2]) {
    const struct fx_cel_type *range =
        fx_cel_unify_resolve(&checker->unifier, node->fold.range->checked, false);
    if (range->kind == FX_CEL_TYPE_LIST) {
        const bool has_index = node->fold.item2 != NULL;
        ret_types[0] = has_index ? &fx_cel_int : range->params[0];
        ret_types[1] = range->params[0];
    } else if (range->kind == FX_CEL_TYPE_MAP) {
        ret_types[0] = range->params[0];
        ret_types[1] = range->params[1];
    } else if (fx_cel_is_dyn_or_error(range) || range->kind == FX_CEL_TYPE_PARAMETER) {
        /* A free type that is iterated over is dyn from now on. */
        fx_cel_unify(&checker->unifier, &fx_cel_dyn, range);
        ret_types[0] = &fx_cel_dyn;
        ret_types[1] = &fx_cel_dyn;
    } else {
        fx_cel_check_fault_type(checker, node->fold.range->at, "expression of type ",
                                range,
                                " cannot be range of a comprehension "
                                "(must be list, map, or dynamic)");
        ret_types[0] = &fx_cel_error_type;
        ret_types[1] = &fx_cel_error_type;
    }
}

static void expect(struct fx_cel_checker *checker, const struct fx_cel_node *node,
                   const struct fx_cel_type *type) {
    if (!fx_cel_unify(&checker->unifier, type, node->checked)) {
        fx_cel_check_mismatch(checker, node->at, type, node->checked);
    }
}

void fx_cel_check_fold(struct fx_cel_checker *checker, struct fx_cel_node *node) {
    const struct fx_cel_type *items[2] = {&fx_cel_error_type, &fx_cel_error_type};
    const size_t n_outside = checker->n_locals;
    fx_cel_check_node(checker, node->fold.range);
    fx_cel_check_node(checker, node->fold.start);
    const struct fx_cel_type *so_far = node->fold.start->checked;
    fx_cel_check_declare(checker, node->fold.result_so_far, so_far);
    const size_t n_result = checker->n_locals;
    find_item_types(checker, node, items);
    fx_cel_check_declare(checker, node->fold.item, items[0]);
    fx_cel_check_declare(checker, node->fold.item2, items[1]);
    fx_cel_check_node(checker, node->fold.condition);
    expect(checker, node->fold.condition, &fx_cel_bool);
    fx_cel_check_node(checker, node->fold.step);
    expect(checker, node->fold.step, so_far);
    checker->n_locals = n_result;
    fx_cel_check_node(checker, node->fold.result);
    checker->n_locals = n_outside;
    node->checked =
        fx_cel_unify_resolve(&checker->unifier, node->fold.result->checked, false);
}
