/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_function.c - calls of functions, of which the arguments choose the overload.
 */
#include "base/budget.h"
#include "location/cel/eval.h"

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

static bool is_of_type(struct fx_cel_value value, const struct fx_cel_type *type);

/* The first entry of a map tells the types of all. */
static bool has_first_entry(struct fx_cel_value map, const struct fx_cel_type *type) {
    struct fx_cel_map_walk walk;
    struct fx_cel_map_entry entry;
    fx_cel_map_walk_start(&walk, map);
    return !fx_cel_map_walk_next(&walk, &entry) ||
           (is_of_type(entry.key, type->params[0]) &&
            is_of_type(entry.value, type->params[1]));
}

/* Recursion is as deep as the type of a parameter in a table of overloads. */
static bool is_of_type(struct fx_cel_value value, const struct fx_cel_type *type) {
    const uint8_t kind = kinds[type->kind];
    if (kind == FX_CEL_UNSET) {
        return true;
    }
    if (value.kind != kind) {
        return false;
    }
    if (kind == FX_CEL_LIST) {
        return fx_cel_list_size(value) == 0 ||
               is_of_type(fx_cel_list_at(value, 0), type->params[0]);
    }
    if (kind == FX_CEL_MAP) {
        return has_first_entry(value, type);
    }
    return kind != FX_CEL_OPAQUE || value.opaque.ops->type == type;
}

static bool fits(const struct fx_cel_overload *overload, const struct fx_cel_value *args,
                 size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!is_of_type(args[i], overload->args[i])) {
            return false;
        }
    }
    return true;
}

/* The first overload that the arguments fit; NULL: none. */
static const struct fx_cel_overload *choose(const struct fx_cel_node *node,
                                            const struct fx_cel_value *args, size_t n) {
    for (size_t i = 0; i < node->call.n_overloads; i++) {
        const struct fx_cel_overload *overload = node->call.overloads[i];
        if (overload->takes_all || fits(overload, args, n)) {
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

static void call_function(struct fx_cel_run *run, const struct fx_cel_node *node,
                          const struct fx_cel_overload *overload,
                          const struct fx_cel_value *args, struct fx_cel_value *ret) {
    if (overload == NULL) {
        *ret = fail_for_types(run, node, args);
        return;
    }
    run->regex = node->call.regex;
    *ret = overload->call(run, args);
    run->regex = NULL;
    if (fx_budget_exceeded() != FX_EXCEEDED_NOTHING && !fx_cel_is_fatal(ret)) {
        *ret = fx_cel_exceeded(run);
    }
}

/* The formula of an overload applies if the checker has left only that one, or if it is
 * the function's. */
static uint64_t cost_of_call(const struct fx_cel_node *node,
                             const struct fx_cel_overload *chosen,
                             const struct fx_cel_value *args,
                             const struct fx_cel_value *result) {
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
    return cost != NULL ? cost(args, *result) : 1;
}

/* Does an error in an argument keep the following ones from being evaluated? The original
 * calls functions of one or two arguments, of which it knows the overload, in another
 * way than others. */
static bool stops_early(const struct fx_cel_node *node, size_t n) {
    return n > 2 ||
           (node->call.n_overloads != 1 &&
            (node->call.n_overloads == 0 || !node->call.overloads[0]->takes_all));
}

/* The number of the first argument that is an error, `n` if none is. *ret_ends: the call
 * is not made, and costs nothing. */
static size_t eval_arguments(struct fx_cel_run *run, const struct fx_cel_node *node,
                             size_t n, struct fx_cel_value *args, bool *ret_ends) {
    const bool stops = stops_early(node, n);
    size_t failed = n;
    *ret_ends = false;
    for (size_t i = 0; i < n && !*ret_ends; i++) {
        fx_cel_eval_node(run, fx_cel_argument(node, i), &args[i]);
        if (args[i].kind == FX_CEL_ERROR) {
            *ret_ends = fx_cel_is_fatal(&args[i]) || (stops && i + 1 < n);
            failed = failed == n || *ret_ends ? i : failed;
        }
    }
    return failed;
}

/* What the original says when sort() or distinct() crashes. */
#define NOT_A_LIST \
    "interface conversion: *types.Err is not traits.Lister: missing method Add"

void fx_cel_eval_function(struct fx_cel_run *run, const struct fx_cel_node *node,
                          struct fx_cel_value *ret) {
    struct fx_cel_value args[FX_CEL_MOST_ARGUMENTS];
    const struct fx_cel_overload *overload = NULL;
    const size_t n = fx_cel_count_arguments(node);
    bool ends = false;
    if (n > FX_CEL_MOST_ARGUMENTS) { /* an unchecked call of an unknown function */
        *ret = fx_cel_no_overload();
        return;
    }
    const size_t failed = eval_arguments(run, node, n, args, &ends);
    if (failed < n) {
        *ret = args[failed];
        if (failed == 0 && !ends && node->call.n_overloads > 0 &&
            node->call.overloads[0]->ends_on_error) {
            *ret = fx_cel_fail_internal(run, NOT_A_LIST);
        }
    } else {
        overload = choose(node, args, n);
        call_function(run, node, overload, args, ret);
    }
    run->cost += ends ? 0 : cost_of_call(node, overload, args, ret);
}
