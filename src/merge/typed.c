/* SPDX-License-Identifier: Apache-2.0
 *
 * typed.c - merges a configuration into an object: checks, then merges.
 */
#include "merge/typed.h"

#include <string.h>

#include "base/budget.h"
#include "merge/typed_internal.h"
#include "value/equal.h"
#include "value/tree.h"

/* A merge under way; every function returns a new reference, NULL if it `failed`. */
struct typed_merge {
    struct fx_arena *arena;
    bool failed; /* no memory, or the budget is exceeded */
};

static json_t *merge(struct typed_merge *merging, struct fx_schema schema, json_t *live,
                     json_t *patch);

static json_t *fail(struct typed_merge *merging, json_t *tree_take) {
    json_decref(tree_take);
    merging->failed = true;
    return NULL;
}

/* ---- objects ------------------------------------------------------------------------
 */

/* Merges the members. The live object is copied, one level deep, for the first member
 * that changes. */
static json_t *merge_members(struct typed_merge *merging, struct fx_schema schema,
                             json_t *live, json_t *patch) {
    json_t *merged = json_incref(live);
    for (void *iter = fx_node_first(patch); iter != NULL;
         iter = fx_node_next(patch, iter)) {
        const struct fx_text key = fx_node_key(iter);
        const struct fx_schema member = fx_typed_member(schema, key);
        json_t *before = fx_tree_view_text(live, key);
        json_t *after = merge(merging, member.set == NULL ? fx_schema_any : member,
                              before, json_object_iter_value(iter));
        if (after == NULL) {
            return fail(merging, merged);
        }
        if (after == before) {
            json_decref(after);
            continue;
        }
        if (fx_tree_own_root(&merged) == NULL) {
            json_decref(after);
            return fail(merging, merged);
        }
        if (!fx_tree_set_take(merged, key, after)) {
            return fail(merging, merged);
        }
    }
    return merged;
}

/* ---- lists --------------------------------------------------------------------------
 */

/* What is known of the items of two lists: for each key, by its number. */
struct item_numbers {
    const size_t *live, *patch; /* the numbers of the items */
    size_t n_live, n_patch;
    size_t *first_live;  /* 1 + index of the first live item; 0: none */
    size_t *times_live;  /* how many live items have the key */
    size_t *first_patch; /* 1 + index */
    bool *emitted;
};

static bool number(struct typed_merge *merging, struct fx_schema list, const json_t *live,
                   const json_t *patch, struct item_numbers *ret) {
    ret->n_live = json_array_size(live);
    ret->n_patch = json_array_size(patch);
    const size_t n = ret->n_live + ret->n_patch;
    size_t *numbers = fx_arena_alloc(merging->arena, (n + 1) * sizeof *numbers);
    ret->first_live = fx_arena_alloc(merging->arena, (n + 1) * sizeof(size_t));
    ret->times_live = fx_arena_alloc(merging->arena, (n + 1) * sizeof(size_t));
    ret->first_patch = fx_arena_alloc(merging->arena, (n + 1) * sizeof(size_t));
    ret->emitted = fx_arena_alloc(merging->arena, (n + 1) * sizeof(bool));
    if (numbers == NULL || ret->first_live == NULL || ret->times_live == NULL ||
        ret->first_patch == NULL || ret->emitted == NULL ||
        !fx_typed_number_items(list, live, patch, merging->arena, numbers)) {
        return false;
    }
    ret->live = numbers;
    ret->patch = numbers + ret->n_live;
    for (size_t i = ret->n_live; i-- > 0;) {
        ret->first_live[ret->live[i]] = i + 1;
        ret->times_live[ret->live[i]]++;
    }
    for (size_t i = ret->n_patch; i-- > 0;) {
        ret->first_patch[ret->patch[i]] = i + 1;
    }
    return true;
}

/* The next item of the patch, from `at` on, that the live list has, too. */
static size_t next_shared(const struct item_numbers *numbers, size_t at) {
    while (at < numbers->n_patch && numbers->first_live[numbers->patch[at]] == 0) {
        at++;
    }
    return at;
}

/* Two lists that are merged: the cursors in both, and in the shared items. */
struct list_merge {
    struct fx_schema list;
    const json_t *live, *patch;
    struct item_numbers numbers;
    size_t at_live, at_patch, shared;
    json_t *merged;
};

/* Adds the item of the patch at the cursor, merged with the live item of its key. Of
 * several live items with this key none is left. */
static bool emit_patch(struct typed_merge *merging, struct list_merge *lists) {
    struct item_numbers *numbers = &lists->numbers;
    const size_t number_ = numbers->patch[lists->at_patch];
    json_t *live = numbers->times_live[number_] == 1
                       ? json_array_get(lists->live, numbers->first_live[number_] - 1)
                       : NULL;
    json_t *item = merge(merging, fx_schema_element(lists->list), live,
                         json_array_get(lists->patch, lists->at_patch));
    numbers->emitted[number_] = true;
    if (lists->shared == lists->at_patch) {
        lists->shared = next_shared(numbers, lists->at_patch + 1);
    }
    lists->at_patch++;
    return item != NULL && fx_tree_append_take(lists->merged, item);
}

/* One step of the order of structured-merge-diff (spec section 8.2): the order of the
 * patch counts among shared items; an item of the live list keeps its place before the
 * next shared one. */
static bool merge_step(struct typed_merge *merging, struct list_merge *lists) {
    struct item_numbers *numbers = &lists->numbers;
    const bool has_live = lists->at_live < numbers->n_live;
    const bool has_patch = lists->at_patch < numbers->n_patch;
    const size_t own = has_live ? numbers->live[lists->at_live] : 0;
    if (has_live && has_patch) {
        if (own == numbers->patch[lists->at_patch]) {
            lists->at_live++;
            return emit_patch(merging, lists);
        }
        if (numbers->first_patch[own] != 0 && lists->shared < numbers->n_patch &&
            numbers->patch[lists->shared] != own) {
            lists->at_live++;
            return true;
        }
    }
    if (has_live && numbers->first_patch[own] == 0) {
        json_t *item = json_array_get(lists->live, lists->at_live++);
        return fx_tree_append_take(lists->merged, json_incref(item));
    }
    if (has_live && numbers->emitted[own]) {
        lists->at_live++;
    }
    return !has_patch || emit_patch(merging, lists);
}

/* The live list, if the merged one has its items in its order. */
static json_t *keep_same(json_t *live, json_t *merged_take) {
    const size_t n = json_array_size(live);
    bool same = json_array_size(merged_take) == n;
    for (size_t i = 0; same && i < n; i++) {
        same = json_array_get(live, i) == json_array_get(merged_take, i);
    }
    if (same) {
        json_decref(merged_take);
        return json_incref(live);
    }
    return merged_take;
}

static json_t *merge_items(struct typed_merge *merging, struct fx_schema list,
                           json_t *live, json_t *patch) {
    struct list_merge lists = {.list = list, .live = live, .patch = patch};
    if (!number(merging, list, live, patch, &lists.numbers)) {
        return fail(merging, NULL);
    }
    lists.shared = next_shared(&lists.numbers, 0);
    lists.merged = json_array();
    bool ok = lists.merged != NULL;
    while (ok && (lists.at_live < lists.numbers.n_live ||
                  lists.at_patch < lists.numbers.n_patch)) {
        ok = fx_spend(8) && merge_step(merging, &lists);
    }
    return ok ? keep_same(live, lists.merged) : fail(merging, lists.merged);
}

/* ---- any value -----------------------------------------------------------------------
 */

static json_t *replace(json_t *live, json_t *patch) {
    return json_incref(fx_equal(live, patch) ? live : patch);
}

static bool is_empty(const json_t *node) {
    return json_array_size(node) == 0 && json_object_size(node) == 0;
}

/* What a null leaves: a list or map with content, unless it is atomic. */
static json_t *merge_null(const struct fx_schema_node *node, json_t *live, json_t *null) {
    const bool keeps = !is_empty(live) && !node->is_atomic &&
                       (json_is_object(live) || node->type == FX_SCHEMA_LIST);
    return json_incref(keeps ? live : null);
}

/* Merges two values; `live` NULL: there is none. An empty map or list changes nothing. */
static json_t *merge(struct typed_merge *merging, struct fx_schema schema, json_t *live,
                     json_t *patch) {
    const struct fx_schema_node *node = fx_schema_node(schema);
    const bool is_list = json_is_array(live) && json_is_array(patch);
    const bool is_map = json_is_object(live) && json_is_object(patch);
    if (!fx_spend(6)) {
        return fail(merging, NULL);
    }
    if (live == NULL) {
        return json_incref(patch);
    }
    if (json_is_null(patch)) {
        return merge_null(node, live, patch);
    }
    if ((!is_list && !is_map) || node->is_atomic ||
        (is_list && node->type == FX_SCHEMA_ANY)) {
        return replace(live, patch);
    }
    if (is_empty(patch)) {
        return json_incref(live);
    }
    return is_map ? merge_members(merging, schema, live, patch)
                  : merge_items(merging, schema, live, patch);
}

/* ---- the whole ------------------------------------------------------------------------
 */

/* How many messages are not shown. */
static void print_more(struct fx_buf *message, const struct typed_walk *walk,
                       const char *separator) {
    if (walk->n_messages > walk->n_shown) {
        fx_buf_printf(message, "%sand %zu more", separator,
                      walk->n_messages - walk->n_shown);
    }
}

/* Writes "<prefix>: .path: text", or, of several, "<prefix>: errors:" and a line each. */
static void print_messages(struct fx_buf *message, const char *prefix,
                           const struct typed_walk *walk) {
    const struct fx_text lines = fx_buf_view(walk->messages);
    fx_buf_str(message, prefix);
    if (walk->n_messages == 1) {
        fx_buf_text(message, fx_text_rest(lines, strlen("\n  ")));
    } else {
        fx_buf_str(message, "errors:");
        fx_buf_text(message, lines);
        print_more(message, walk, "\n  ");
    }
}

/* ".spec.args, .spec.command": the paths of the walk. */
static void print_atomics(struct fx_buf *message, const struct typed_walk *walk) {
    struct fx_text rest = fx_buf_view(walk->messages);
    fx_buf_str(message, "invalid ApplyConfiguration: may not mutate atomic arrays, maps "
                        "or structs: ");
    (void)fx_text_cut(&rest, '\n');
    while (rest.len > 0) {
        fx_buf_text(message, fx_text_rest(fx_text_cut(&rest, '\n'), strlen("  ")));
        fx_buf_str(message, rest.len > 0 ? ", " : "");
    }
    print_more(message, walk, ", ");
}

enum typed_pass { TYPED_CHECK_PATCH, TYPED_FIND_ATOMICS, TYPED_CHECK_LIVE };

static bool fail_work(struct fx_err *err) {
    return fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_fail_exceeded(err)
                                                       : fx_fail_nomem(err);
}

static void print_found(struct fx_buf *message, enum typed_pass pass,
                        const struct typed_walk *walk) {
    switch (pass) {
    case TYPED_CHECK_PATCH:
        print_messages(message, "failed to convert patch object to typed object: ", walk);
        break;
    case TYPED_FIND_ATOMICS: print_atomics(message, walk); break;
    case TYPED_CHECK_LIVE:
        print_messages(message,
                       "failed to convert original object to typed object: ", walk);
        break;
    }
}

/* What a walk found, or why it failed. */
static bool end_walk(enum typed_pass pass, const struct typed_walk *walk,
                     struct fx_buf *ret_message, struct fx_err *err) {
    if (walk->failed || walk->messages->failed) {
        return fail_work(err);
    }
    if (walk->n_messages == 0) {
        return true;
    }
    print_found(ret_message, pass, walk);
    return ret_message->failed ? fx_fail_nomem(err)
                               : fx_fail(err, FX_EMUTATE, "%s", ret_message->data);
}

/* What is merged. */
struct typed_trees {
    struct fx_schema schema;
    const json_t *live, *patch;
};

/* Runs one walk; false if it found something, or failed. */
static bool run_walk(enum typed_pass pass, const struct typed_trees *trees,
                     struct typed_walk *walk, struct fx_buf *ret_message,
                     struct fx_err *err) {
    const struct fx_schema schema = trees->schema;
    walk->is_live = pass == TYPED_CHECK_LIVE;
    switch (pass) {
    case TYPED_CHECK_PATCH: fx_typed_check(walk, schema, trees->patch, NULL); break;
    case TYPED_FIND_ATOMICS:
        fx_typed_find_atomics(walk, schema, trees->patch, NULL);
        break;
    case TYPED_CHECK_LIVE:
        fx_typed_check_live(walk, schema, trees->live, trees->patch, NULL);
        break;
    }
    return end_walk(pass, walk, ret_message, err);
}

json_t *fx_typed_merge(struct fx_schema schema, json_t *live, json_t *patch,
                       struct fx_arena *arena, struct fx_buf *ret_message,
                       struct fx_err *err) {
    struct fx_buf messages;
    fx_buf_init(&messages, 0);
    struct typed_walk walk = {.arena = arena, .messages = &messages};
    const struct typed_trees trees = {schema, live, patch};
    bool ok = true;
    for (enum typed_pass pass = TYPED_CHECK_PATCH; ok && pass <= TYPED_CHECK_LIVE;
         pass++) {
        ok = run_walk(pass, &trees, &walk, ret_message, err);
    }
    fx_buf_finish(&messages);
    if (!ok) {
        return NULL;
    }
    struct typed_merge merging = {.arena = arena};
    json_t *merged = merge(&merging, schema, live, patch);
    if (merged == NULL || fx_budget_exceeded() != FX_EXCEEDED_NOTHING) {
        (void)fail_work(err);
        return fx_tree_keep_if(false, merged);
    }
    return merged;
}
