/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/eval_object.c - objects, and the placeholders in their keys: in
 * `{#0: $.a[*]}` each value of the path becomes a member, whose key says what the first
 * branching step chose.
 */
#include <stdlib.h>
#include <string.h>

#include "location/jsonpath/value.h"

static bool add_member(struct run *run, struct value_map *map, const struct node *key,
                       const struct value *current, const struct value *value) {
    struct value name;
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

/* What a path's values become members with. */
struct gathering {
    struct value_map *map;
    const struct node *key;
    const struct value *current;
    unsigned quiet; /* of those who asked */
    bool failed;
};

/* A key that fails is no branch that ends: the whole object fails. */
static bool gather(struct walk *walk, const struct value *value) {
    struct gathering *gathering = walk->user;
    struct run *run = walk->run;
    const unsigned quiet = run->quiet;
    const struct way *way = run->way;
    run->quiet = gathering->quiet;
    run->way = &walk->way;
    gathering->failed =
        !add_member(run, gathering->map, gathering->key, gathering->current, value);
    run->quiet = quiet;
    run->way = way;
    return !gathering->failed;
}

/* `{#0: $.a[*]}`: a member for each value of the path. */
static bool add_path(struct run *run, struct value_map *map, const struct node *key,
                     const struct node *path, const struct value *current) {
    struct gathering gathering = {map, key, current, run->quiet, false};
    struct walk walk = {
        .run = run, .keeps_way = true, .found = gather, .user = &gathering};
    return fx_jsonpath_walk(&walk, path, current) && !gathering.failed;
}

/* By key, those of one key in the order in which they were added. */
static int compare_added(const void *a, const void *b) {
    const struct value_member *const *left = a;
    const struct value_member *const *right = b;
    const int order = fx_text_compare((*left)->key, (*right)->key);
    return order != 0 ? order : (*left > *right) - (*left < *right);
}

/* Sorts the members; of one key the last one stays. */
static bool sort_map(struct run *run, const struct value_map *added,
                     struct value_map *map) {
    const size_t count = added->n_members;
    const struct value_member **order =
        fx_jsonpath_alloc(run, (count + 1) * sizeof(const struct value_member *));
    map->members = fx_jsonpath_alloc(run, count * sizeof *map->members);
    if (order == NULL || map->members == NULL || !fx_jsonpath_spend(run, count * 8)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        order[i] = &added->members[i];
    }
    qsort(order, count, sizeof(const struct value_member *), compare_added);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 == count || !fx_text_equal(order[i]->key, order[i + 1]->key)) {
            map->members[map->n_members++] = *order[i];
        }
    }
    return true;
}

bool fx_jsonpath_eval_object(struct run *run, const struct node *node,
                             const struct value *current, struct value *ret_value) {
    struct value_map added = {0};
    struct value_map *map = fx_jsonpath_alloc(run, sizeof *map);
    bool ok = map != NULL;
    for (const struct node *key = fx_jsonpath_first(run, node); ok && key != NULL;) {
        const struct node *child = fx_jsonpath_sibling(run, key);
        if (child->type == NODE_PATH && child->as.path.follows_key) {
            ok = add_path(run, &added, key, child, current);
        } else {
            struct value value;
            ok = fx_jsonpath_eval_node(run, child, current, &value) &&
                 add_member(run, &added, key, current, &value);
        }
        key = fx_jsonpath_next(run, child);
    }
    if (!ok || !sort_map(run, &added, map)) {
        return false;
    }
    *ret_value = (struct value){.kind = VALUE_MAP, .as.map = map};
    return true;
}

/* ---- placeholders ---------------------------------------------------------------------
 */

static bool part_text(struct run *run, const struct way_part *part,
                      struct fx_text *ret_text) {
    *ret_text = part->key;
    const struct value index = {.kind = VALUE_COUNT, .as.integer = (int64_t)part->index};
    return !part->is_index || fx_jsonpath_text(run, &index, ret_text);
}

/* `$["a"]["0"]`: all parts. */
static bool eval_whole_way(struct run *run, struct value *ret_value) {
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
        *ret_value = (struct value){.kind = VALUE_TEXT, .as.text = {copy, buf.len}};
    } else if (buf.failed) {
        run->is_over = true;
        (void)fx_fail_nomem(run->err);
    }
    fx_buf_finish(&buf);
    return copy != NULL;
}

/* The branching step of that number, NULL where the path has fewer. */
static const struct node *find_step(const struct run *run, int64_t number) {
    const struct node *step = fx_jsonpath_first(run, run->way->path);
    for (; step != NULL; step = fx_jsonpath_next(run, step)) {
        if (fx_jsonpath_is_branching(step) && number-- == 0) {
            return step;
        }
    }
    return NULL;
}

/* What `..` went through is a list of texts, what others chose is one. */
bool fx_jsonpath_eval_placeholder(struct run *run, const struct node *node,
                                  struct value *ret_value) {
    if (run->way != NULL && node->as.integer < 0) {
        return eval_whole_way(run, ret_value);
    }
    const struct node *step = run->way == NULL ? NULL : find_step(run, node->as.integer);
    struct value_list *list = fx_jsonpath_alloc(run, sizeof *list);
    if (list == NULL || step == NULL) {
        return list != NULL &&
               FX_JSONPATH_FAIL(run, node, "the path has no such part for `#`");
    }
    for (size_t i = 0; i < run->way->n_parts; i++) {
        struct value text = {.kind = VALUE_TEXT};
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
                     ? (struct value){.kind = VALUE_LIST, .as.list = list}
                     : list->values[0];
    return true;
}
