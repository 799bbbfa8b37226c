/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/eval.c - evaluates the nodes of an expression by their types.
 */
#include "location/jsonpath/value.h"

#include <stdlib.h>
#include <string.h>

/* ---- objects and placeholders ------------------------------------------------------ */

static bool add_member(struct path_run *run, struct value_map *map,
                       const struct expression_node *key,
                       const struct path_value *current, const struct path_value *value) {
    struct path_value name;
    struct fx_text text;
    if (!fx_jsonpath_eval_node(run, key, current, &name) ||
        !fx_jsonpath_text(run, &name, &text)) {
        return false;
    }
    if (map->n_members == map->cap_members &&
        !fx_jsonpath_grow(run, &map->members, &map->cap_members, sizeof *map->members)) {
        return false;
    }
    map->members[map->n_members++] = (struct value_member){text, *value};
    return true;
}

/* The state of adding the values of a path as members. */
struct gathering {
    struct value_map *map;
    const struct expression_node *key;
    const struct path_value *current;
    unsigned quiet; /* run->quiet before the walk */
    bool failed;
};

/* Adds a member. A key that fails makes the whole object fail, not only a branch. */
static bool gather_member(struct path_walk *walk, const struct path_value *value) {
    struct gathering *gathering = walk->user;
    struct path_run *run = walk->run;
    const unsigned quiet = run->quiet;
    const struct key_parts *way = run->way;
    run->quiet = gathering->quiet;
    run->way = &walk->way;
    gathering->failed =
        !add_member(run, gathering->map, gathering->key, gathering->current, value);
    run->quiet = quiet;
    run->way = way;
    return !gathering->failed;
}

/* Adds a member for each value of the path, as in `{#0: $.a[*]}`. */
static bool add_path(struct path_run *run, struct value_map *map,
                     const struct expression_node *key,
                     const struct expression_node *path,
                     const struct path_value *current) {
    struct gathering gathering = {map, key, current, run->quiet, false};
    struct path_walk walk = {
        .run = run, .keeps_way = true, .found = gather_member, .user = &gathering};
    return fx_jsonpath_walk(&walk, path, current) && !gathering.failed;
}

/* Compares by key. Equal keys keep the order in which they were added. */
static int compare_added(const void *a, const void *b) {
    const struct value_member *const *left = a;
    const struct value_member *const *right = b;
    const int sorted = fx_text_compare((*left)->key, (*right)->key);
    return sorted != 0 ? sorted : (*left > *right) - (*left < *right);
}

/* Sorts the members; of equal keys the last one is kept. */
static bool sort_map(struct path_run *run, const struct value_map *added,
                     struct value_map *map) {
    const size_t count = added->n_members;
    const struct value_member **sorted =
        fx_jsonpath_alloc(run, (count + 1) * sizeof(const struct value_member *));
    map->members = fx_jsonpath_alloc(run, count * sizeof *map->members);
    if (sorted == NULL || map->members == NULL || !fx_jsonpath_spend(run, count * 8)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &added->members[i];
    }
    qsort(sorted, count, sizeof(const struct value_member *), compare_added);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 == count || !fx_text_equal(sorted[i]->key, sorted[i + 1]->key)) {
            map->members[map->n_members++] = *sorted[i];
        }
    }
    return true;
}

static bool eval_object(struct path_run *run, const struct expression_node *node,
                        const struct path_value *current, struct path_value *ret_value) {
    struct value_map added = {0};
    struct value_map *map = fx_jsonpath_alloc(run, sizeof *map);
    bool ok = map != NULL;
    for (const struct expression_node *key = fx_jsonpath_first(run->program, node);
         ok && key != NULL;) {
        const struct expression_node *child = fx_jsonpath_sibling(run->program, key);
        if (child->type == NODE_PATH && child->as.path.follows_key) {
            ok = add_path(run, &added, key, child, current);
        } else {
            struct path_value value;
            ok = fx_jsonpath_eval_node(run, child, current, &value) &&
                 add_member(run, &added, key, current, &value);
        }
        key = fx_jsonpath_next(run->program, child);
    }
    if (!ok || !sort_map(run, &added, map)) {
        return false;
    }
    *ret_value = (struct path_value){.kind = VALUE_MAP, .as.map = map};
    return true;
}

/* ---- placeholders ---------------------------------------------------------------- */

static bool part_text(struct path_run *run, const struct key_part *part,
                      struct fx_text *ret_text) {
    *ret_text = part->key;
    const struct path_value index = {.kind = VALUE_COUNT,
                                     .as.integer = (int64_t)part->index};
    return !part->is_index || fx_jsonpath_text(run, &index, ret_text);
}

/* Makes the text of all key parts: `$["a"]["0"]`. */
static bool eval_whole_way(struct path_run *run, struct path_value *ret_value) {
    struct fx_buf buf;
    bool ok = true;
    fx_buf_init(&buf, 0);
    fx_buf_char(&buf, '$');
    for (size_t i = 0; ok && i < run->way->n_parts; i++) {
        struct fx_text text;
        ok = part_text(run, &run->way->parts[i], &text);
        fx_buf_char(&buf, '[');
        fx_text_quote_go(&buf, ok ? text : FX_TEXT(""));
        fx_buf_char(&buf, ']');
        ok = ok && fx_jsonpath_spend(run, 1 + text.len / 4);
    }
    char *copy = ok && !buf.failed ? fx_jsonpath_alloc(run, buf.len) : NULL;
    if (copy != NULL) {
        memcpy(copy, buf.data, buf.len);
        *ret_value = (struct path_value){.kind = VALUE_TEXT, .as.text = {copy, buf.len}};
    } else if (buf.failed) {
        run->is_over = true;
        (void)fx_fail_nomem(run->err);
    }
    fx_buf_finish(&buf);
    return copy != NULL;
}

/* Returns the branching step with that number, or NULL. */
static const struct expression_node *find_step(const struct path_run *run,
                                               int64_t number) {
    const struct expression_node *step = fx_jsonpath_first(run->program, run->way->path);
    for (; step != NULL; step = fx_jsonpath_next(run->program, step)) {
        if (fx_jsonpath_is_branching(step) && number-- == 0) {
            return step;
        }
    }
    return NULL;
}

/* Evaluates a placeholder. For `..` the result is a list of texts, for other steps one
 * text. */
static bool eval_placeholder(struct path_run *run, const struct expression_node *node,
                             struct path_value *ret_value) {
    if (run->way != NULL && node->as.integer < 0) {
        return eval_whole_way(run, ret_value);
    }
    const struct expression_node *step =
        run->way == NULL ? NULL : find_step(run, node->as.integer);
    struct value_list *list = fx_jsonpath_alloc(run, sizeof *list);
    if (list == NULL || step == NULL) {
        return list != NULL &&
               FX_JSONPATH_FAIL(run, node, "the path has no such part for `#`");
    }
    for (size_t i = 0; i < run->way->n_parts; i++) {
        struct path_value text = {.kind = VALUE_TEXT};
        if (run->way->parts[i].step != step) {
            continue;
        }
        if (!fx_jsonpath_spend(run, 1) ||
            !part_text(run, &run->way->parts[i], &text.as.text) ||
            !fx_jsonpath_append(run, list, &text)) {
            return false;
        }
    }
    *ret_value = step->type == STEP_DESCEND
                     ? (struct path_value){.kind = VALUE_LIST, .as.list = list}
                     : list->values[0];
    return true;
}

/* ---- nodes ------------------------------------------------------------------------- */

static bool eval_list(struct path_run *run, const struct expression_node *node,
                      const struct path_value *current, struct path_value *ret_value) {
    struct value_list *list = fx_jsonpath_alloc(run, sizeof *list);
    if (list == NULL) {
        return false;
    }
    for (const struct expression_node *entry = fx_jsonpath_first(run->program, node);
         entry != NULL; entry = fx_jsonpath_next(run->program, entry)) {
        struct path_value value;
        if (!fx_jsonpath_eval_node(run, entry, current, &value) ||
            !fx_jsonpath_append(run, list, &value)) {
            return false;
        }
    }
    *ret_value = (struct path_value){.kind = VALUE_LIST, .as.list = list};
    return true;
}

/* ---- variables ------------------------------------------------------------------- */

/* Parses the key of a variable as an index: decimal digits, with or without a `+`. */
static bool read_index(struct fx_text text, size_t count, size_t *ret_index) {
    size_t index = 0;
    const size_t start = text.len > 1 && text.data[0] == '+' ? 1 : 0;
    for (size_t i = start; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || index >= count) {
            return false;
        }
        index = index * 10 + (size_t)(text.data[i] - '0');
    }
    *ret_index = index;
    return text.len > 0 && index < count;
}

/* Gets a member or an element. A missing member of a map is null. */
static bool look_up(struct path_run *run, const struct expression_node *node,
                    struct fx_text key, struct path_value *value) {
    size_t count = 0;
    size_t index = 0;
    if (fx_jsonpath_is_map(value)) {
        if (!fx_jsonpath_map_find(run, value, key, value)) {
            *value = fx_jsonpath_of_node(json_null());
        }
        return !run->is_over;
    }
    if (fx_jsonpath_is_list(value, &count) && read_index(key, count, &index)) {
        *value = fx_jsonpath_list_at(value, index);
        return true;
    }
    return FX_JSONPATH_FAIL(run, node,
                            "there is no `%.*s` in %s: a name without `$.` is one of the "
                            "object's own fields",
                            FX_TEXT_ARG(key), fx_jsonpath_type_name(value));
}

static bool eval_variable(struct path_run *run, const struct expression_node *node,
                          const struct path_value *current,
                          struct path_value *ret_value) {
    *ret_value = fx_jsonpath_of_node(run->root);
    bool ok = look_up(run, node, node->as.text, ret_value);
    for (const struct expression_node *key = fx_jsonpath_first(run->program, node);
         ok && key != NULL; key = fx_jsonpath_next(run->program, key)) {
        struct path_value name;
        struct fx_text text;
        ok = fx_jsonpath_eval_node(run, key, current, &name) &&
             fx_jsonpath_text(run, &name, &text) && look_up(run, key, text, ret_value);
    }
    return ok;
}

/* ---- calls, operators, choices --------------------------------------------------- */

static bool fail_call(struct path_run *run, const struct expression_node *node) {
    return run->quiet == 0 &&
           fx_jsonpath_check_call(run->program, node, FX_EMUTATE, run->err);
}

static bool eval_call(struct path_run *run, const struct expression_node *node,
                      const struct path_value *current, struct path_value *ret_value) {
    const struct expression_node *argument = fx_jsonpath_first(run->program, node);
    if (argument == NULL || argument->next != 0) {
        return fail_call(run, node);
    }
    struct path_value value;
    return fx_jsonpath_eval_node(run, argument, current, &value) &&
           fx_jsonpath_call(run, node, &value, ret_value);
}

/* True for null and false, which `??` and `? :` test; false for undefined. */
static bool is_nothing(const struct path_value *value) {
    bool truth = true;
    return fx_jsonpath_is_null(value) || (fx_jsonpath_as_bool(value, &truth) && !truth);
}

/* True if the left operand alone decides; it is then the result. */
static bool decides(enum operator_id id, const struct path_value *left) {
    bool truth = false;
    switch ((int)id) {
    case OPERATOR_AND: return fx_jsonpath_as_bool(left, &truth) && !truth;
    case OPERATOR_OR: return fx_jsonpath_as_bool(left, &truth) && truth;
    case OPERATOR_COALESCE: return !is_nothing(left);
    default: return false;
    }
}

static bool eval_infix(struct path_run *run, const struct expression_node *node,
                       const struct path_value *current, struct path_value *ret_value) {
    const struct expression_node *first = fx_jsonpath_child(run->program, node);
    struct path_value left;
    struct path_value right;
    if (!fx_jsonpath_eval_node(run, first, current, &left)) {
        return false;
    }
    if (decides((enum operator_id)node->id, &left)) {
        *ret_value = left;
        return true;
    }
    return fx_jsonpath_eval_node(run, fx_jsonpath_sibling(run->program, first), current,
                                 &right) &&
           fx_jsonpath_operate(run, node, &left, &right, ret_value);
}

static bool eval_prefix(struct path_run *run, const struct expression_node *node,
                        const struct path_value *current, struct path_value *ret_value) {
    struct path_value operand;
    return fx_jsonpath_eval_node(run, fx_jsonpath_child(run->program, node), current,
                                 &operand) &&
           fx_jsonpath_prefix(run, node, &operand, ret_value);
}

static bool eval_if(struct path_run *run, const struct expression_node *node,
                    const struct path_value *current, struct path_value *ret_value) {
    const struct expression_node *condition = fx_jsonpath_child(run->program, node);
    struct path_value value;
    if (!fx_jsonpath_eval_node(run, condition, current, &value)) {
        return false;
    }
    const struct expression_node *branch = fx_jsonpath_sibling(run->program, condition);
    if (is_nothing(&value)) {
        branch = fx_jsonpath_sibling(run->program, branch);
    }
    if (branch->type == NODE_NONE) {
        *ret_value = fx_jsonpath_of_node(json_null());
        return true;
    }
    return fx_jsonpath_eval_node(run, branch, current, ret_value);
}

static bool eval_compound(struct path_run *run, const struct expression_node *node,
                          const struct path_value *current,
                          struct path_value *ret_value) {
    switch (node->type) {
    case NODE_PATH: return fx_jsonpath_eval_path(run, node, current, ret_value);
    case NODE_INFIX: return eval_infix(run, node, current, ret_value);
    case NODE_PREFIX: return eval_prefix(run, node, current, ret_value);
    case NODE_IF: return eval_if(run, node, current, ret_value);
    case NODE_CALL: return eval_call(run, node, current, ret_value);
    case NODE_LIST: return eval_list(run, node, current, ret_value);
    case NODE_OBJECT: return eval_object(run, node, current, ret_value);
    case NODE_VARIABLE: return eval_variable(run, node, current, ret_value);
    case NODE_PLACEHOLDER: return eval_placeholder(run, node, ret_value);
    default: return fail_call(run, node);
    }
}

bool fx_jsonpath_eval_node(struct path_run *run, const struct expression_node *node,
                           const struct path_value *current,
                           struct path_value *ret_value) {
    switch (node->type) {
    case NODE_NUMBER: *ret_value = fx_jsonpath_of_number(node->as.number); return true;
    case NODE_INTEGER:
        *ret_value =
            (struct path_value){.kind = VALUE_INTEGER, .as.integer = node->as.integer};
        return true;
    case NODE_TEXT:
        *ret_value = (struct path_value){.kind = VALUE_TEXT, .as.text = node->as.text};
        return true;
    case NODE_BOOL: *ret_value = fx_jsonpath_of_bool(node->as.truth); return true;
    default: break;
    }
    if (!fx_jsonpath_spend(run, 1) || !fx_jsonpath_enter(run)) {
        return false;
    }
    const bool ok = eval_compound(run, node, current, ret_value);
    fx_jsonpath_leave(run);
    return ok;
}
