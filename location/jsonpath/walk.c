/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/walk.c - paths: one value, or all values that branching steps select
 * (spec section 7.4), in lists by index and in maps by sorted key. A failure within a
 * branch only ends that branch. So the functions here return false only to end the whole
 * walk: if the run is over, or if the caller stops it.
 */
#include "location/jsonpath/value.h"

#include <inttypes.h>

#include "value/tree.h"

/* ---- keys and indices -------------------------------------------------------------- */

static bool integer_of(struct path_run *run, const struct expression_node *node,
                       const struct path_value *value, int64_t *ret_integer) {
    struct number number = {0};
    if (!fx_jsonpath_as_number(value, &number)) {
        struct fx_text text = {0};
        return fx_jsonpath_as_text(value, &text)
                   ? FX_JSONPATH_FAIL(
                         run, node,
                         "`%.*s` is not an index: the elements of a list are "
                         "selected as in `[0]` or `[*]`",
                         FX_TEXT_ARG(text))
                   : FX_JSONPATH_FAIL(run, node, "%s is not an index",
                                      fx_jsonpath_type_name(value));
    }
    *ret_integer = number.is_exact ? number.integer : fx_jsonpath_truncate(number.real);
    return true;
}

static bool select_index(struct path_run *run, const struct expression_node *step,
                         const struct path_value *list, const struct path_value *key,
                         struct path_value *ret_value, struct key_part *ret_part) {
    size_t count = 0;
    int64_t index = 0;
    (void)fx_jsonpath_is_list(list, &count);
    if (!integer_of(run, step, key, &index)) {
        return false;
    }
    if (index < 0 || (uint64_t)index >= count) {
        return FX_JSONPATH_FAIL(
            run, step, "there is no index %" PRId64 " in a list of %zu", index, count);
    }
    *ret_value = fx_jsonpath_list_at(list, (size_t)index);
    if (ret_part != NULL) {
        *ret_part = (struct key_part){step, true, (size_t)index, {NULL, 0}};
    }
    return true;
}

static bool select_member(struct path_run *run, const struct expression_node *step,
                          const struct path_value *map, const struct path_value *key,
                          struct path_value *ret_value, struct key_part *ret_part) {
    struct fx_text text = {0};
    if (!fx_jsonpath_text(run, key, &text)) {
        return false;
    }
    if (!fx_jsonpath_map_find(run, map, text, ret_value)) {
        *ret_value = (struct path_value){.kind = VALUE_UNDEFINED};
    }
    if (run->is_over) {
        return false;
    }
    if (ret_part != NULL) {
        *ret_part = (struct key_part){step, false, 0, text};
    }
    return true;
}

/* True for a value from which something can be selected. */
static bool is_selectable(const struct path_value *value) {
    size_t count = 0;
    return value->kind == VALUE_UNDEFINED || fx_jsonpath_is_null(value) ||
           fx_jsonpath_is_map(value) || fx_jsonpath_is_list(value, &count);
}

static bool fail_scalar(struct path_run *run, const struct expression_node *step,
                        const struct path_value *value) {
    return FX_JSONPATH_FAIL(run, step, "nothing can be selected from %s",
                            fx_jsonpath_type_name(value));
}

/* Selects by a key (a text or a number); the result is undefined if a map does not have
 * the member. *ret_part (may be NULL) is the selected key part. Errors: as in spec
 * section 7.4. */
static bool select_child(struct path_run *run, const struct expression_node *step,
                         const struct path_value *from, const struct path_value *key,
                         struct path_value *ret_value, struct key_part *ret_part) {
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
    *ret_value = (struct path_value){.kind = VALUE_UNDEFINED};
    return true;
}

static bool step_name(struct path_run *run, const struct expression_node *step,
                      const struct path_value *from, struct path_value *ret_value) {
    if (from->kind == VALUE_NODE && json_is_object(from->as.node)) {
        if (!fx_jsonpath_spend(run, step->as.text.len / FX_BUDGET_BYTES)) {
            return false;
        }
        json_t *node = fx_tree_view_text(from->as.node, step->as.text);
        *ret_value = node != NULL ? fx_jsonpath_of_node(node)
                                  : (struct path_value){.kind = VALUE_UNDEFINED};
        return true;
    }
    const struct path_value name = {.kind = VALUE_TEXT, .as.text = step->as.text};
    return select_child(run, step, from, &name, ret_value, NULL);
}

/* Takes a step in brackets. In the brackets, @ is the value that is selected from. */
static bool step_key(struct path_run *run, const struct expression_node *step,
                     const struct path_value *from, struct path_value *ret_value) {
    struct path_value key;
    if (!is_selectable(from)) {
        return fail_scalar(run, step, from);
    }
    return fx_jsonpath_eval_node(run, fx_jsonpath_child(run->program, step), from,
                                 &key) &&
           select_child(run, step, from, &key, ret_value, NULL);
}

/* Takes a step that selects one value. */
static bool take_step(struct path_run *run, const struct expression_node *step,
                      const struct path_value *from, struct path_value *ret_value) {
    const struct path_value at = *from; /* `from` and `ret_value` may be the same */
    if (!fx_jsonpath_spend(run, 1)) {
        return false;
    }
    switch (step->type) {
    case STEP_NAME: return step_name(run, step, &at, ret_value);
    case STEP_KEY: return step_key(run, step, &at, ret_value);
    default:
        return fx_jsonpath_eval_node(run, fx_jsonpath_child(run->program, step), &at,
                                     ret_value);
    }
}

/* ---- steps ------------------------------------------------------------------------- */

static bool go_on(struct path_walk *walk, const struct expression_node *step,
                  struct path_value value);

/* ---- key parts -------------------------------------------------------------------- */

static bool push_part(struct path_walk *walk, const struct key_part *part) {
    struct key_parts *way = &walk->way;
    if (!walk->keeps_way) {
        return true;
    }
    if (way->n_parts == way->cap_parts &&
        !fx_jsonpath_grow(walk->run, &way->parts, &way->cap_parts, sizeof *way->parts)) {
        return false;
    }
    way->parts[way->n_parts++] = *part;
    return true;
}

static void pop_part(struct path_walk *walk) {
    walk->way.n_parts -= walk->keeps_way ? 1 : 0;
}

/* Continues after `step` with the value that it selected. */
static bool choose_value(struct path_walk *walk, const struct expression_node *step,
                         const struct key_part *part, const struct path_value *value) {
    if (!push_part(walk, part)) {
        return false;
    }
    const bool ok = go_on(walk, fx_jsonpath_next(walk->run->program, step), *value);
    pop_part(walk);
    return ok;
}

/* ---- children -------------------------------------------------------------------- */

struct children {
    const struct path_value *of;
    const struct value_map *map; /* NULL for the children of a list */
    size_t count;
};

/* Gets the children; a scalar has none. */
static bool view_children(struct path_run *run, const struct path_value *value,
                          struct children *ret_children) {
    *ret_children = (struct children){.of = value};
    if (fx_jsonpath_is_map(value)) {
        if (!fx_jsonpath_members(run, value, &ret_children->map)) {
            return false;
        }
        ret_children->count = ret_children->map->n_members;
        return true;
    }
    if (!fx_jsonpath_is_list(value, &ret_children->count)) {
        ret_children->count = 0;
    }
    return true;
}

static struct path_value view_child(const struct children *children, size_t at,
                                    const struct expression_node *step,
                                    struct key_part *ret_part) {
    if (children->map == NULL) {
        *ret_part = (struct key_part){step, true, at, {NULL, 0}};
        return fx_jsonpath_list_at(children->of, at);
    }
    const struct value_member *member = &children->map->members[at];
    *ret_part = (struct key_part){step, false, 0, member->key};
    return member->value;
}

/* ---- branching steps ------------------------------------------------------------- */

/* True if the condition holds for the element. Any value that is not a truth value counts
 * as an error. */
static bool condition_holds(struct path_run *run, const struct expression_node *condition,
                            const struct path_value *element) {
    struct path_value value;
    struct number number = {0};
    struct fx_text text = {0};
    bool truth = false;
    if (!fx_jsonpath_eval_node(run, condition, element, &value)) {
        return false;
    }
    if (fx_jsonpath_as_bool(&value, &truth)) {
        return truth;
    }
    if (fx_jsonpath_as_text(&value, &text) &&
        (fx_text_is(text, "true") || fx_text_is(text, "TRUE"))) {
        return true;
    }
    return fx_jsonpath_as_number(&value, &number) && number.real != 0;
}

/* Selects all children, or with `[? condition]` those for which it holds. */
static bool branch_all(struct path_walk *walk, const struct expression_node *step,
                       const struct path_value *value,
                       const struct expression_node *condition) {
    struct children children;
    bool ok = view_children(walk->run, value, &children);
    for (size_t i = 0; ok && i < children.count; i++) {
        struct key_part part;
        const struct path_value child = view_child(&children, i, step, &part);
        ok = fx_jsonpath_spend(walk->run, 1);
        if (ok && (condition == NULL || condition_holds(walk->run, condition, &child))) {
            ok = choose_value(walk, step, &part, &child);
        }
        ok = ok && !walk->run->is_over;
    }
    return ok;
}

/* Selects `[a, b]`, in the written order. */
static bool branch_union(struct path_walk *walk, const struct expression_node *step,
                         const struct path_value *value) {
    struct path_run *run = walk->run;
    bool ok = true;
    for (const struct expression_node *key = fx_jsonpath_first(run->program, step);
         ok && key != NULL; key = fx_jsonpath_next(run->program, key)) {
        struct path_value name;
        struct path_value chosen;
        struct key_part part;
        ok = fx_jsonpath_spend(run, 1);
        if (ok && fx_jsonpath_eval_node(run, key, value, &name) &&
            select_child(run, step, value, &name, &chosen, &part) &&
            chosen.kind != VALUE_UNDEFINED) {
            ok = choose_value(walk, step, &part, &chosen);
        }
        ok = ok && !run->is_over;
    }
    return ok;
}

/* Evaluates a bound of a range; an omitted one keeps *ret_bound. False if it is not an
 * integer. */
static bool eval_bound(struct path_run *run, const struct expression_node *bound,
                       const struct path_value *value, int64_t *ret_bound) {
    struct path_value own;
    return bound->type == NODE_NONE || (fx_jsonpath_eval_node(run, bound, value, &own) &&
                                        integer_of(run, bound, &own, ret_bound));
}

/* Returns the bound as an offset from the start: a negative bound counts from the end. */
static int64_t clamp(int64_t bound, int64_t count) {
    if (bound < 0) {
        return bound + count < 0 ? 0 : bound + count;
    }
    return bound > count ? count : bound;
}

/* Selects `[min:max:step]`; nothing if min is above max as written. */
static bool branch_range(struct path_walk *walk, const struct expression_node *step,
                         const struct path_value *list) {
    struct path_run *run = walk->run;
    const struct expression_node *first = fx_jsonpath_child(run->program, step);
    const struct expression_node *second = fx_jsonpath_sibling(run->program, first);
    int64_t min = 0;
    int64_t max = INT32_MAX;
    int64_t by = 1;
    size_t count = 0;
    if (!fx_jsonpath_is_list(list, &count) || !eval_bound(run, first, list, &min) ||
        !eval_bound(run, second, list, &max) ||
        !eval_bound(run, fx_jsonpath_sibling(run->program, second), list, &by) ||
        min > max) {
        return !run->is_over;
    }
    min = clamp(min, (int64_t)count);
    max = clamp(max, (int64_t)count);
    by = by == 0 ? 1 : by;
    bool ok = true;
    for (int64_t at = by > 0 ? min : max - 1; ok && at >= min && at < max;) {
        const struct key_part part = {step, true, (size_t)at, {NULL, 0}};
        const struct path_value element = fx_jsonpath_list_at(list, (size_t)at);
        ok = fx_jsonpath_spend(run, 1) && choose_value(walk, step, &part, &element);
        at = by > max - at ? max : at + by;
    }
    return ok;
}

static bool descend_all(struct path_walk *walk, const struct expression_node *step,
                        const struct path_value *value);

static bool descend_to_children(struct path_walk *walk,
                                const struct expression_node *step,
                                const struct path_value *value) {
    struct children children;
    bool ok = view_children(walk->run, value, &children);
    for (size_t i = 0; ok && i < children.count; i++) {
        struct key_part part;
        const struct path_value child = view_child(&children, i, step, &part);
        if (!push_part(walk, &part)) {
            return false;
        }
        ok = descend_all(walk, step, &child);
        pop_part(walk);
    }
    return ok;
}

/* Selects the value itself, then all values below it: `..`. */
static bool descend_all(struct path_walk *walk, const struct expression_node *step,
                        const struct path_value *value) {
    if (!fx_jsonpath_spend(walk->run, 1) || !fx_jsonpath_enter(walk->run)) {
        return false;
    }
    const bool ok = go_on(walk, fx_jsonpath_next(walk->run->program, step), *value) &&
                    descend_to_children(walk, step, value);
    fx_jsonpath_leave(walk->run);
    return ok;
}

static bool branch_by_type(struct path_walk *walk, const struct expression_node *step,
                           const struct path_value *value) {
    switch (step->type) {
    case STEP_UNION: return branch_union(walk, step, value);
    case STEP_RANGE: return branch_range(walk, step, value);
    case STEP_FILTER:
        return branch_all(walk, step, value, fx_jsonpath_child(walk->run->program, step));
    case STEP_DESCEND: return descend_all(walk, step, value);
    default: return branch_all(walk, step, value, NULL);
    }
}

static bool branch(struct path_walk *walk, const struct expression_node *step,
                   const struct path_value *value) {
    if (!fx_jsonpath_enter(walk->run)) {
        return false;
    }
    const bool ok = branch_by_type(walk, step, value);
    fx_jsonpath_leave(walk->run);
    return ok;
}

/* ---- the whole path --------------------------------------------------------------- */

/* Takes the steps from `step` on. NULL ends the path. */
static bool go_on(struct path_walk *walk, const struct expression_node *step,
                  struct path_value value) {
    for (; step != NULL; step = fx_jsonpath_next(walk->run->program, step)) {
        if (fx_jsonpath_is_branching(step)) {
            return branch(walk, step, &value);
        }
        if (!take_step(walk->run, step, &value, &value)) {
            return !walk->run->is_over;
        }
    }
    return value.kind == VALUE_UNDEFINED || walk->found(walk, &value);
}

static struct path_value path_start(const struct path_run *run,
                                    const struct expression_node *path,
                                    const struct path_value *current) {
    return path->id == '$' ? fx_jsonpath_of_node(run->root) : *current;
}

bool fx_jsonpath_walk(struct path_walk *walk, const struct expression_node *path,
                      const struct path_value *current) {
    struct path_run *run = walk->run;
    walk->way.path = path;
    run->quiet++;
    const bool ok = go_on(walk, fx_jsonpath_first(run->program, path),
                          path_start(run, path, current));
    run->quiet--;
    return ok;
}

static bool collect_value(struct path_walk *walk, const struct path_value *value) {
    return fx_jsonpath_append(walk->run, walk->user, value);
}

bool fx_jsonpath_eval_path(struct path_run *run, const struct expression_node *path,
                           const struct path_value *current,
                           struct path_value *ret_value) {
    if (path->as.path.branches) {
        struct value_list *list = fx_jsonpath_alloc(run, sizeof *list);
        struct path_walk walk = {.run = run, .found = collect_value, .user = list};
        *ret_value = (struct path_value){.kind = VALUE_LIST, .as.list = list};
        return list != NULL && fx_jsonpath_walk(&walk, path, current);
    }
    *ret_value = path_start(run, path, current);
    for (const struct expression_node *step = fx_jsonpath_first(run->program, path);
         step != NULL; step = fx_jsonpath_next(run->program, step)) {
        if (!take_step(run, step, ret_value, ret_value)) {
            return false;
        }
    }
    return true;
}
