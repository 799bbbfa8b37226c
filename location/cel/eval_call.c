/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_call.c - operators that do not evaluate all operands or accept errors, and those
 * that are worth a path of their own.
 */
#include "base/budget.h"
#include "location/cel/eval.h"
#include "location/cel/map.h"
#include "location/cel/operators.h"

/* ---- logic ------------------------------------------------------------------------ */

static void set_bool(struct fx_cel_value *ret, bool boolean) {
    ret->kind = FX_CEL_BOOL;
    ret->flags = 0;
    ret->runes = 0;
    ret->boolean = boolean;
}

/* `&&` and `||`: either side may decide, even if the other one is an error. `decides`:
 * the value that does. The first error wins. */
static void eval_logic(struct fx_cel_run *run, const struct fx_cel_node *node,
                       bool decides, struct fx_cel_value *ret) {
    struct fx_cel_value error = {.kind = FX_CEL_UNSET};
    for (size_t i = 0; i < 2; i++) {
        fx_cel_eval_node(run, fx_cel_argument(node, i), ret);
        if (ret->kind == FX_CEL_BOOL ? ret->boolean == decides : fx_cel_is_fatal(ret)) {
            return;
        }
        if (ret->kind != FX_CEL_BOOL && error.kind == FX_CEL_UNSET) {
            error = ret->kind == FX_CEL_ERROR ? *ret : fx_cel_no_overload();
        }
    }
    if (error.kind == FX_CEL_UNSET) {
        set_bool(ret, !decides);
    } else {
        *ret = error;
    }
}

static void eval_not_strictly_false(struct fx_cel_run *run,
                                    const struct fx_cel_node *node,
                                    struct fx_cel_value *ret) {
    fx_cel_eval_node(run, fx_cel_argument(node, 0), ret);
    run->cost += 1;
    if (ret->kind != FX_CEL_BOOL && !fx_cel_is_fatal(ret)) {
        set_bool(ret, true);
    }
}

/* Both operands of a relation; false if one is an error, which *ret then is. The cost of
 * the relation is added in any case, but for a fatal error. */
static bool eval_operands(struct fx_cel_run *run, const struct fx_cel_node *node,
                          fx_cel_call_cost *cost, struct fx_cel_value *args,
                          struct fx_cel_value *ret) {
    for (size_t i = 0; i < 2; i++) {
        fx_cel_eval_node(run, fx_cel_argument(node, i), &args[i]);
        if (fx_cel_is_fatal(&args[i])) {
            *ret = args[i];
            return false;
        }
    }
    const bool are_scalars = args[0].kind < FX_CEL_STRING && args[1].kind < FX_CEL_STRING;
    run->cost += cost == NULL || are_scalars ? 1 : cost(args, args[0]);
    if (args[0].kind == FX_CEL_ERROR || args[1].kind == FX_CEL_ERROR) {
        *ret = args[args[0].kind == FX_CEL_ERROR ? 0 : 1];
        return false;
    }
    return true;
}

static void eval_equality(struct fx_cel_run *run, const struct fx_cel_node *node,
                          struct fx_cel_value *ret) {
    struct fx_cel_value args[2];
    const bool wanted = node->how == FX_CEL_HOW_EQUAL;
    if (!eval_operands(run, node, fx_cel_cost_of_equality, args, ret)) {
        return;
    }
    if (args[0].kind == FX_CEL_STRING && args[1].kind == FX_CEL_STRING) {
        set_bool(ret, (fx_spend_text(args[0].text.len) &&
                       fx_text_equal(args[0].text, args[1].text)) == wanted);
    } else {
        const struct fx_cel_value is_equal = fx_cel_equals(args[0], args[1]);
        if (!wanted || is_equal.kind == FX_CEL_BOOL) {
            set_bool(ret, fx_cel_is_true(is_equal) == wanted);
        } else {
            *ret = is_equal;
        }
    }
}

/* The formula of an overload applies if the checker has left only that one. */
static fx_cel_call_cost *cost_of_order(const struct fx_cel_node *node) {
    return node->call.n_overloads == 1 ? node->call.overloads[0]->cost : NULL;
}

/* Does the relation hold for values in this order? */
static bool holds(uint8_t how, int order) {
    return how == FX_CEL_HOW_LESS         ? order < 0
           : how == FX_CEL_HOW_LESS_EQUAL ? order <= 0
           : how == FX_CEL_HOW_GREATER    ? order > 0
                                          : order >= 0;
}

static void eval_order(struct fx_cel_run *run, const struct fx_cel_node *node,
                       struct fx_cel_value *ret) {
    struct fx_cel_value args[2];
    if (!eval_operands(run, node, cost_of_order(node), args, ret)) {
        return;
    }
    if (args[0].kind == FX_CEL_INT && args[1].kind == FX_CEL_INT) {
        const int64_t left = args[0].integer;
        const int64_t right = args[1].integer;
        set_bool(ret, holds(node->how, (left > right) - (left < right)));
    } else {
        *ret = node->call.overloads[0]->call(run, args);
    }
}

/* ---- optional values -------------------------------------------------------------- */

/* `or` and `orValue` evaluate the argument only if they need it. A receiver that is no
 * optional value is the result (measured). */
static void eval_optional_or(struct fx_cel_run *run, const struct fx_cel_node *node,
                             struct fx_cel_value *ret) {
    fx_cel_eval_node(run, fx_cel_argument(node, 0), ret);
    if (ret->kind == FX_CEL_OPTIONAL && ret->inner == NULL) {
        fx_cel_eval_node(run, fx_cel_argument(node, 1), ret);
    } else if (ret->kind == FX_CEL_OPTIONAL &&
               node->how == FX_CEL_HOW_OPTIONAL_OR_VALUE) {
        const struct fx_cel_value *inner = ret->inner;
        *ret = *inner;
    }
}

/* ---- constants on the right of `in` ----------------------------------------------- */

static void eval_in_set(struct fx_cel_run *run, const struct fx_cel_node *node,
                        struct fx_cel_value *ret) {
    fx_cel_eval_node(run, fx_cel_argument(node, 0), ret);
    if (ret->kind == FX_CEL_ERROR) {
        return;
    }
    const char *unhashable = fx_cel_unhashable(*ret);
    if (unhashable != NULL) {
        *ret = fx_cel_fail_unhashable(run, unhashable);
        return;
    }
    const union {
        const struct fx_cel_map *in;
        struct fx_cel_map *out;
    } set = {.in = node->call.set}; /* it is only read */
    const struct fx_cel_value map = {.kind = FX_CEL_MAP, .map = set.out};
    struct fx_cel_value found;
    set_bool(ret, fx_cel_map_find(map, *ret, &found));
}

/* ---- the accumulator of map() and filter() ---------------------------------------- */

#define COST_OF_APPENDED_LIST 10u

/* The one element of the list that is appended, and the cost of both. */
static void eval_element(struct fx_cel_run *run, const struct fx_cel_node *list,
                         struct fx_cel_value *ret) {
    if (list->type == FX_CEL_NODE_LIST) {
        fx_cel_eval_node(run, list->list.items[0], ret);
        run->cost += COST_OF_APPENDED_LIST;
    } else {
        *ret = fx_cel_list_at(list->literal, 0);
    }
    run->cost += 1;
}

/* accumulator + [element]: nothing else refers to the accumulator. */
static void eval_append(struct fx_cel_run *run, const struct fx_cel_node *node,
                        struct fx_cel_value *ret) {
    struct fx_cel_value element;
    fx_cel_eval_node(run, fx_cel_argument(node, 0), ret);
    if (fx_cel_is_fatal(ret)) {
        return;
    }
    eval_element(run, fx_cel_argument(node, 1), &element);
    if (fx_cel_is_fatal(&element) ||
        (element.kind == FX_CEL_ERROR && ret->kind != FX_CEL_ERROR)) {
        *ret = element;
    } else if (ret->kind != FX_CEL_ERROR && !fx_cel_list_add(run, *ret, element)) {
        *ret = fx_cel_no_memory(run);
    }
}

void fx_cel_eval_call(struct fx_cel_run *run, const struct fx_cel_node *node,
                      struct fx_cel_value *ret) {
    switch ((enum fx_cel_how)node->how) {
    case FX_CEL_HOW_AND: eval_logic(run, node, false, ret); return;
    case FX_CEL_HOW_OR: eval_logic(run, node, true, ret); return;
    case FX_CEL_HOW_EQUAL:
    case FX_CEL_HOW_NOT_EQUAL: eval_equality(run, node, ret); return;
    case FX_CEL_HOW_LESS:
    case FX_CEL_HOW_LESS_EQUAL:
    case FX_CEL_HOW_GREATER:
    case FX_CEL_HOW_GREATER_EQUAL: eval_order(run, node, ret); return;
    case FX_CEL_HOW_CONDITIONAL:
    case FX_CEL_HOW_INDEX:
    case FX_CEL_HOW_OPTIONAL_INDEX: fx_cel_eval_attribute(run, node, ret); return;
    case FX_CEL_HOW_NOT_STRICTLY_FALSE: eval_not_strictly_false(run, node, ret); return;
    case FX_CEL_HOW_OPTIONAL_OR:
    case FX_CEL_HOW_OPTIONAL_OR_VALUE: eval_optional_or(run, node, ret); return;
    case FX_CEL_HOW_IN_SET: eval_in_set(run, node, ret); return;
    case FX_CEL_HOW_APPEND: eval_append(run, node, ret); return;
    case FX_CEL_HOW_PLAIN:
    case FX_CEL_HOW_FIELD: break;
    }
    fx_cel_eval_function(run, node, ret);
}
