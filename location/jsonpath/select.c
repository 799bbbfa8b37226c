/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/select.c - the steps of a path that lead to one value (spec section
 * 7.4): `.name`, `["name"]`, `[0]`, `(script)`.
 */
#include <inttypes.h>

#include "location/jsonpath/value.h"
#include "value/tree.h"

bool fx_jsonpath_integer(struct run *run, const struct node *node,
                         const struct value *value, int64_t *ret_integer) {
    struct number number = {0};
    if (!fx_jsonpath_as_number(value, &number)) {
        struct fx_text text = {0};
        return fx_jsonpath_as_text(value, &text)
                   ? FX_JSONPATH_FAIL(run, node,
                                      "`%.*s` is no index: the elements of a list are "
                                      "selected as in `[0]` or `[*]`",
                                      FX_TEXT_ARG(text))
                   : FX_JSONPATH_FAIL(run, node, "%s is no index",
                                      fx_jsonpath_type_name(value));
    }
    *ret_integer = number.is_exact ? number.integer : fx_jsonpath_truncate(number.real);
    return true;
}

static bool select_index(struct run *run, const struct node *step,
                         const struct value *list, const struct value *key,
                         struct value *ret_value, struct way_part *ret_part) {
    size_t count = 0;
    int64_t index = 0;
    (void)fx_jsonpath_is_list(list, &count);
    if (!fx_jsonpath_integer(run, step, key, &index)) {
        return false;
    }
    if (index < 0 || (uint64_t)index >= count) {
        return FX_JSONPATH_FAIL(
            run, step, "there is no index %" PRId64 " in a list of %zu", index, count);
    }
    *ret_value = fx_jsonpath_list_at(list, (size_t)index);
    if (ret_part != NULL) {
        *ret_part = (struct way_part){step, true, (size_t)index, {NULL, 0}};
    }
    return true;
}

static bool select_member(struct run *run, const struct node *step,
                          const struct value *map, const struct value *key,
                          struct value *ret_value, struct way_part *ret_part) {
    struct fx_text text = {0};
    if (!fx_jsonpath_text(run, key, &text)) {
        return false;
    }
    if (!fx_jsonpath_map_find(run, map, text, ret_value)) {
        *ret_value = (struct value){.kind = VALUE_UNDEFINED};
    }
    if (run->is_over) {
        return false;
    }
    if (ret_part != NULL) {
        *ret_part = (struct way_part){step, false, 0, text};
    }
    return true;
}

/* May anything be selected from it? */
static bool is_selectable(const struct value *value) {
    size_t count = 0;
    return value->kind == VALUE_UNDEFINED || fx_jsonpath_is_null(value) ||
           fx_jsonpath_is_map(value) || fx_jsonpath_is_list(value, &count);
}

static bool fail_scalar(struct run *run, const struct node *step,
                        const struct value *value) {
    return FX_JSONPATH_FAIL(run, step, "nothing can be selected from %s",
                            fx_jsonpath_type_name(value));
}

bool fx_jsonpath_select(struct run *run, const struct node *step,
                        const struct value *from, const struct value *key,
                        struct value *ret_value, struct way_part *ret_part) {
    size_t count = 0;
    if (fx_jsonpath_is_map(from)) {
        return select_member(run, step, from, key, ret_value, ret_part);
    }
    if (fx_jsonpath_is_list(from, &count)) {
        return select_index(run, step, from, key, ret_value, ret_part);
    }
    if (!is_selectable(from)) {
        return fail_scalar(run, step, from);
    }
    *ret_value = (struct value){.kind = VALUE_UNDEFINED};
    return true;
}

static bool step_name(struct run *run, const struct node *step, const struct value *from,
                      struct value *ret_value) {
    if (from->kind == VALUE_NODE && json_is_object(from->as.node)) {
        if (!fx_jsonpath_spend(run, step->as.text.len / FX_BUDGET_BYTES)) {
            return false;
        }
        json_t *node = fx_tree_view_text(from->as.node, step->as.text);
        *ret_value = node != NULL ? fx_jsonpath_of_node(node)
                                  : (struct value){.kind = VALUE_UNDEFINED};
        return true;
    }
    const struct value name = {.kind = VALUE_TEXT, .as.text = step->as.text};
    return fx_jsonpath_select(run, step, from, &name, ret_value, NULL);
}

/* In the brackets @ is what is selected from. */
static bool step_key(struct run *run, const struct node *step, const struct value *from,
                     struct value *ret_value) {
    struct value key;
    if (!is_selectable(from)) {
        return fail_scalar(run, step, from);
    }
    return fx_jsonpath_eval_node(run, fx_jsonpath_child(run, step), from, &key) &&
           fx_jsonpath_select(run, step, from, &key, ret_value, NULL);
}

bool fx_jsonpath_step(struct run *run, const struct node *step, const struct value *from,
                      struct value *ret_value) {
    const struct value at = *from; /* the two may be one */
    if (!fx_jsonpath_spend(run, 1)) {
        return false;
    }
    switch (step->type) {
    case STEP_NAME: return step_name(run, step, &at, ret_value);
    case STEP_KEY: return step_key(run, step, &at, ret_value);
    default:
        return fx_jsonpath_eval_node(run, fx_jsonpath_child(run, step), &at, ret_value);
    }
}
