/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_fold.c - macros that loop, in their expanded form.
 */
#include "base/budget.h"
#include "location/cel/eval.h"

/* The elements of a range, one after another. */
struct range {
    struct fx_cel_value list; /* or no list: it is a map */
    size_t n, next;
    struct fx_cel_map_walk walk;
};

static bool start_range(struct range *range, struct fx_cel_value value) {
    *range = (struct range){.list = value};
    if (value.kind == FX_CEL_LIST) {
        range->n = fx_cel_list_size(value);
        return true;
    }
    if (value.kind == FX_CEL_MAP) {
        fx_cel_map_walk_start(&range->walk, value);
        return true;
    }
    return false;
}

/* Sets the variables of the loop to the next element; false at the end. With two of them
 * they are index and element, or key and value; one is the element, or the key. */
static bool next_element(struct range *range, const struct fx_cel_node *node,
                         struct fx_cel_value *locals) {
    struct fx_cel_map_entry next;
    if (range->list.kind == FX_CEL_LIST) {
        if (range->next >= range->n) {
            return false;
        }
        next.key = fx_cel_make_int((int64_t)range->next);
        next.value = fx_cel_list_at(range->list, range->next++);
    } else if (!fx_cel_map_walk_next(&range->walk, &next)) {
        return false;
    }
    if (node->fold.item2 != NULL) {
        locals[node->fold.item->number] = next.key;
        locals[node->fold.item2->number] = next.value;
    } else {
        locals[node->fold.item->number] =
            range->list.kind == FX_CEL_LIST ? next.value : next.key;
    }
    return true;
}

/* The first value of the accumulator. A list or map that the macro fills is a new one. */
static struct fx_cel_value first_value(struct fx_cel_run *run,
                                       const struct fx_cel_node *node) {
    switch (node->fold.macro) {
    case FX_CEL_MACRO_MAP:
    case FX_CEL_MACRO_FILTER: return fx_cel_new_list(run, 0);
    case FX_CEL_MACRO_TRANSFORM_MAP:
    case FX_CEL_MACRO_TRANSFORM_MAP_ENTRY: return fx_cel_new_map(run, 0);
    case FX_CEL_MACRO_BIND: return (struct fx_cel_value){.kind = FX_CEL_UNSET};
    case FX_CEL_MACRO_ALL:
    case FX_CEL_MACRO_EXISTS:
    case FX_CEL_MACRO_EXISTS_ONE: break;
    }
    struct fx_cel_value value;
    fx_cel_eval_node(run, node->fold.start, &value);
    return value;
}

static struct fx_cel_value fail_range(struct fx_cel_run *run,
                                      const struct fx_cel_node *node,
                                      struct fx_cel_value range) {
    const char *name = fx_cel_go_type_name(range);
    return node->fold.item2 != NULL
               ? fx_cel_fail(run, "unsupported comprehension range type: %s", name)
               : fx_cel_fail(run, "got '%s', expected iterable type", name);
}

/* Runs the steps. False after a fatal error, which is in *ret. */
static bool run_steps(struct fx_cel_run *run, const struct fx_cel_node *node,
                      struct range *range, struct fx_cel_value *ret) {
    struct fx_cel_value *so_far = &run->locals[node->fold.result_so_far->number];
    while (next_element(range, node, run->locals)) {
        fx_cel_eval_node(run, node->fold.condition, ret);
        if (ret->kind == FX_CEL_BOOL && !ret->boolean) {
            break;
        }
        if (!fx_cel_is_fatal(ret)) {
            fx_cel_eval_node(run, node->fold.step, ret);
            *so_far = *ret;
        }
        if (fx_cel_is_fatal(ret)) {
            return false;
        }
    }
    return true;
}

void fx_cel_eval_fold(struct fx_cel_run *run, const struct fx_cel_node *node,
                      struct fx_cel_value *ret) {
    struct range range;
    fx_cel_eval_node(run, node->fold.range, ret);
    if (fx_cel_is_error(*ret)) {
        return;
    }
    if (!start_range(&range, *ret)) {
        *ret = fail_range(run, node, *ret);
        return;
    }
    *ret = first_value(run, node);
    if (fx_cel_is_fatal(ret)) {
        return;
    }
    run->locals[node->fold.result_so_far->number] = *ret;
    if (run_steps(run, node, &range, ret)) {
        fx_cel_eval_node(run, node->fold.result, ret);
    }
}
