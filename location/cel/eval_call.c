/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_call.c - operators that do not evaluate all operands or accept errors, and calls
 * of functions, of which the kinds of the arguments choose the overload.
 */
#include <assert.h>

#include "base/budget.h"
#include "location/cel/eval.h"
#include "location/cel/map.h"
#include "location/cel/operators.h"

/* ---- logic --------------------------------------------------------------------------
 */

/* `&&` and `||`: either side may decide, even if the other one is an error. `decides`:
 * the value that does. The first error wins. */
static struct fx_cel_value eval_logic(struct fx_cel_run *run,
                                      const struct fx_cel_node *node, bool decides) {
    struct fx_cel_value error = {.kind = FX_CEL_UNSET};
    for (size_t i = 0; i < 2; i++) {
        const struct fx_cel_value side = fx_cel_eval_node(run, fx_cel_argument(node, i));
        if (fx_cel_is_fatal(side)) {
            return side;
        }
        if (side.kind != FX_CEL_BOOL) {
            if (error.kind == FX_CEL_UNSET) {
                error = fx_cel_is_error(side) ? side : fx_cel_no_overload();
            }
        } else if (side.boolean == decides) {
            return side;
        }
    }
    return error.kind == FX_CEL_UNSET ? fx_cel_make_bool(!decides) : error;
}

static struct fx_cel_value eval_not_strictly_false(struct fx_cel_run *run,
                                                   const struct fx_cel_node *node) {
    const struct fx_cel_value value = fx_cel_eval_node(run, fx_cel_argument(node, 0));
    run->cost += 1;
    return value.kind == FX_CEL_BOOL || fx_cel_is_fatal(value) ? value
                                                               : fx_cel_make_bool(true);
}

/* A text's equality costs its length. */
static uint64_t cost_of_equality(const struct fx_cel_value *args) {
    return args[0].kind >= FX_CEL_STRING && args[1].kind >= FX_CEL_STRING
               ? fx_cel_cost_of_equality(args, args[0])
               : 1;
}

static struct fx_cel_value eval_equality(struct fx_cel_run *run,
                                         const struct fx_cel_node *node) {
    struct fx_cel_value args[2];
    for (size_t i = 0; i < 2; i++) {
        args[i] = fx_cel_eval_node(run, fx_cel_argument(node, i));
        if (fx_cel_is_fatal(args[i])) {
            return args[i];
        }
    }
    run->cost += cost_of_equality(args);
    if (fx_cel_is_error(args[0]) || fx_cel_is_error(args[1])) {
        return args[fx_cel_is_error(args[0]) ? 0 : 1];
    }
    const struct fx_cel_value is_equal = fx_cel_equals(args[0], args[1]);
    return node->how == FX_CEL_HOW_EQUAL ? is_equal
                                         : fx_cel_make_bool(!fx_cel_is_true(is_equal));
}

/* ---- optional values ------------------------------------------------------------------
 */

/* `or` and `orValue` evaluate the argument only if they need it. A receiver that is no
 * optional value is the result (measured). */
static struct fx_cel_value eval_optional_or(struct fx_cel_run *run,
                                            const struct fx_cel_node *node) {
    const struct fx_cel_value left = fx_cel_eval_node(run, fx_cel_argument(node, 0));
    if (left.kind != FX_CEL_OPTIONAL) {
        return left;
    }
    if (left.inner != NULL) {
        return node->how == FX_CEL_HOW_OPTIONAL_OR ? left : *left.inner;
    }
    return fx_cel_eval_node(run, fx_cel_argument(node, 1));
}

/* ---- constants on the right of `in` ---------------------------------------------------
 */

static struct fx_cel_value eval_in_set(struct fx_cel_run *run,
                                       const struct fx_cel_node *node) {
    const struct fx_cel_value value = fx_cel_eval_node(run, fx_cel_argument(node, 0));
    if (fx_cel_is_error(value)) {
        return value;
    }
    const char *unhashable = fx_cel_unhashable(value);
    if (unhashable != NULL) {
        return fx_cel_fail(
            run, "internal error: runtime error: hash of unhashable type %s", unhashable);
    }
    const union {
        const struct fx_cel_map *in;
        struct fx_cel_map *out;
    } set = {.in = node->call.set}; /* it is only read */
    struct fx_cel_value found;
    return fx_cel_make_bool(fx_cel_map_find(
        (struct fx_cel_value){.kind = FX_CEL_MAP, .map = set.out}, value, &found));
}

/* ---- the accumulator of map() and filter() --------------------------------------------
 */

/* accumulator + [element]: nothing else refers to the accumulator. */
static struct fx_cel_value eval_append(struct fx_cel_run *run,
                                       const struct fx_cel_node *node) {
    const struct fx_cel_node *list = fx_cel_argument(node, 1);
    const struct fx_cel_value so_far = fx_cel_eval_node(run, fx_cel_argument(node, 0));
    if (fx_cel_is_fatal(so_far)) {
        return so_far;
    }
    const struct fx_cel_value element = list->type == FX_CEL_NODE_LIST
                                            ? fx_cel_eval_node(run, list->list.items[0])
                                            : list->literal.list->items[0];
    run->cost += list->type == FX_CEL_NODE_LIST ? 11 : 1; /* the list, and `+` */
    if (fx_cel_is_error(so_far)) {
        return fx_cel_is_fatal(element) ? element : so_far;
    }
    if (fx_cel_is_error(element)) {
        return element;
    }
    return fx_cel_list_add(run, so_far, element) ? so_far : fx_cel_no_memory(run);
}

/* ---- functions ------------------------------------------------------------------------
 */

/* The kind of the values of a type; UNSET: any. */
static const uint8_t kinds[] = {
    [FX_CEL_TYPE_DYN] = FX_CEL_UNSET,
    [FX_CEL_TYPE_ERROR] = FX_CEL_UNSET,
    [FX_CEL_TYPE_NULL] = FX_CEL_NULL,
    [FX_CEL_TYPE_BOOL] = FX_CEL_BOOL,
    [FX_CEL_TYPE_INT] = FX_CEL_INT,
    [FX_CEL_TYPE_UINT] = FX_CEL_UINT,
    [FX_CEL_TYPE_DOUBLE] = FX_CEL_DOUBLE,
    [FX_CEL_TYPE_STRING] = FX_CEL_STRING,
    [FX_CEL_TYPE_BYTES] = FX_CEL_BYTES,
    [FX_CEL_TYPE_DURATION] = FX_CEL_DURATION,
    [FX_CEL_TYPE_TIMESTAMP] = FX_CEL_TIMESTAMP,
    [FX_CEL_TYPE_TYPE] = FX_CEL_TYPE,
    [FX_CEL_TYPE_LIST] = FX_CEL_LIST,
    [FX_CEL_TYPE_MAP] = FX_CEL_MAP,
    [FX_CEL_TYPE_OPTIONAL] = FX_CEL_OPTIONAL,
    [FX_CEL_TYPE_OPAQUE] = FX_CEL_OPAQUE,
    [FX_CEL_TYPE_STRUCT] = FX_CEL_STRUCT,
    [FX_CEL_TYPE_PARAMETER] = FX_CEL_UNSET,
};

static bool is_of_type(struct fx_cel_value value, const struct fx_cel_type *type) {
    const uint8_t kind = kinds[type->kind];
    if (kind == FX_CEL_UNSET) {
        return true;
    }
    return value.kind == kind &&
           (kind != FX_CEL_OPAQUE || value.opaque.ops->type == type);
}

static bool fits(const struct fx_cel_overload *overload,
                 const struct fx_cel_value *args) {
    for (size_t i = 0; i < overload->n_args; i++) {
        if (!is_of_type(args[i], overload->args[i])) {
            return false;
        }
    }
    return true;
}

/* The first overload that the arguments fit; NULL: none. */
static const struct fx_cel_overload *choose(const struct fx_cel_node *node,
                                            const struct fx_cel_value *args) {
    for (size_t i = 0; i < node->call.n_overloads; i++) {
        const struct fx_cel_overload *overload = node->call.overloads[i];
        if (overload->takes_all || fits(overload, args)) {
            return overload->call == NULL ? NULL : overload;
        }
    }
    return NULL;
}

/* "no such overload: charAt(int, int)" */
static struct fx_cel_value fail_for_types(struct fx_cel_run *run,
                                          const struct fx_cel_node *node,
                                          const struct fx_cel_value *args) {
    struct fx_buf buf;
    fx_buf_init(&buf, FX_ERR_TEXT);
    fx_buf_text(&buf, node->call.function);
    fx_buf_char(&buf, '(');
    for (size_t i = 0; i < fx_cel_count_arguments(node); i++) {
        fx_buf_str(&buf, i == 0 ? "" : ", ");
        fx_buf_str(&buf, fx_cel_type_name(args[i]));
    }
    fx_buf_char(&buf, ')');
    const struct fx_cel_value error = buf.failed && !buf.full
                                          ? fx_cel_no_memory(run)
                                          : fx_cel_no_overload_for(run, buf.data);
    fx_buf_finish(&buf);
    return error;
}

static struct fx_cel_value call_function(struct fx_cel_run *run,
                                         const struct fx_cel_node *node,
                                         const struct fx_cel_overload *overload,
                                         const struct fx_cel_value *args) {
    if (overload == NULL) {
        return fail_for_types(run, node, args);
    }
    run->regex = node->call.regex;
    const struct fx_cel_value result = overload->call(run, args);
    run->regex = NULL;
    return fx_budget_exceeded() == FX_EXCEEDED_NOTHING || fx_cel_is_fatal(result)
               ? result
               : fx_cel_exceeded(run);
}

/* The formula of an overload applies if the checker has left only that one, or if it is
 * the function's. */
static uint64_t cost_of_call(const struct fx_cel_node *node,
                             const struct fx_cel_overload *chosen,
                             const struct fx_cel_value *args,
                             struct fx_cel_value result) {
    const struct fx_cel_overload *overload = chosen;
    if (overload == NULL && node->call.n_overloads > 0) {
        overload = node->call.overloads[0];
    }
    if (overload == NULL) {
        return 1;
    }
    fx_cel_call_cost *open = overload->open_cost != NULL ? overload->open_cost
                             : overload->always_costs    ? overload->cost
                                                         : NULL;
    fx_cel_call_cost *cost = node->call.n_overloads == 1 ? overload->cost : open;
    return cost != NULL ? cost(args, result) : 1;
}

/* Does an error in an argument keep the following ones from being evaluated? The original
 * calls functions of one or two arguments, of which it knows the overload, in another
 * way than others. */
static bool stops_early(const struct fx_cel_node *node, size_t n) {
    return n > 2 ||
           (node->call.n_overloads != 1 &&
            (node->call.n_overloads == 0 || !node->call.overloads[0]->takes_all));
}

static struct fx_cel_value eval_function(struct fx_cel_run *run,
                                         const struct fx_cel_node *node) {
    struct fx_cel_value args[FX_CEL_MOST_ARGUMENTS];
    struct fx_cel_value error = {.kind = FX_CEL_UNSET};
    const size_t n = fx_cel_count_arguments(node);
    if (n > FX_CEL_MOST_ARGUMENTS) { /* an unchecked call of an unknown function */
        return fx_cel_no_overload();
    }
    const bool stops = stops_early(node, n);
    for (size_t i = 0; i < n; i++) {
        args[i] = fx_cel_eval_node(run, fx_cel_argument(node, i));
        if (!fx_cel_is_error(args[i])) {
            continue;
        }
        if (fx_cel_is_fatal(args[i]) || (stops && i + 1 < n)) {
            return args[i];
        }
        error = error.kind == FX_CEL_UNSET ? args[i] : error;
    }
    const struct fx_cel_overload *overload =
        error.kind == FX_CEL_UNSET ? choose(node, args) : NULL;
    const struct fx_cel_value result =
        error.kind == FX_CEL_UNSET ? call_function(run, node, overload, args) : error;
    run->cost += cost_of_call(node, overload, args, result);
    return result;
}

struct fx_cel_value fx_cel_eval_call(struct fx_cel_run *run,
                                     const struct fx_cel_node *node) {
    switch ((enum fx_cel_how)node->how) {
    case FX_CEL_HOW_AND: return eval_logic(run, node, false);
    case FX_CEL_HOW_OR: return eval_logic(run, node, true);
    case FX_CEL_HOW_EQUAL:
    case FX_CEL_HOW_NOT_EQUAL: return eval_equality(run, node);
    case FX_CEL_HOW_CONDITIONAL:
    case FX_CEL_HOW_INDEX:
    case FX_CEL_HOW_OPTIONAL_INDEX: return fx_cel_eval_attribute(run, node);
    case FX_CEL_HOW_NOT_STRICTLY_FALSE: return eval_not_strictly_false(run, node);
    case FX_CEL_HOW_OPTIONAL_OR:
    case FX_CEL_HOW_OPTIONAL_OR_VALUE: return eval_optional_or(run, node);
    case FX_CEL_HOW_IN_SET: return eval_in_set(run, node);
    case FX_CEL_HOW_APPEND: return eval_append(run, node);
    case FX_CEL_HOW_PLAIN:
    case FX_CEL_HOW_FIELD: break;
    }
    return eval_function(run, node);
}
