/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/conflicts.c - schema conflicts (spec section 6), by sorting.
 *
 * Every written path of every mutator is one item for each kind of object and operation
 * it is bound to. Sorted, the items that share a beginning are adjacent: the tree of
 * the spec is never built, its nodes are ranges of the list.
 */
#include "engine/conflicts.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/vec.h"
#include "engine/access.h"
#include "engine/request.h"

/* A node of a path that a mutator writes: the key, and the type of the value under it.
 * The type follows from the next node; at the end it is what the mutator assumes. */
struct written_node {
    struct fx_text key; /* field name, or a list's key field */
    enum fx_access_type type;
};

struct written_path {
    size_t mutator;
    bool must_terminate;
    size_t n_nodes;
    struct written_node nodes[];
};

/* One written path in one tree. */
struct tree_item {
    const struct fx_binding *binding;
    const struct written_path *path;
    enum fx_operation operation;
};

/* Indices of mutators, ascending. Their memory is the arena of the result. */
struct members {
    const size_t *items;
    size_t n_items;
};

/* The end of a path, with the members of the conflicts on it. */
struct conflict_report {
    size_t mutator;
    struct members met;
};

struct finder {
    struct tree_item *items;
    size_t n_items, cap_items;
    struct conflict_report *reports;
    size_t n_reports, cap_reports;
    struct fx_arena paths;
    struct fx_conflicts *result;
};

/* A range of finder.items. */
struct item_range {
    size_t from, to;
};

void fx_conflicts_finish(struct fx_conflicts *conflicts) {
    if (conflicts == NULL) {
        return;
    }
    fx_arena_finish(&conflicts->arena);
    free(conflicts->sets);
    *conflicts = (struct fx_conflicts){0};
}

static int compare_sizes(size_t a, size_t b) {
    return (a > b) - (a < b);
}

static int compare_roots(const struct tree_item *a, const struct tree_item *b) {
    int order = fx_text_compare(a->binding->group, b->binding->group);
    if (order == 0) {
        order = fx_text_compare(a->binding->version, b->binding->version);
    }
    if (order == 0) {
        order = fx_text_compare(a->binding->kind, b->binding->kind);
    }
    return order != 0 ? order : (int)a->operation - (int)b->operation;
}

/* Compares by tree, then node by node. A path comes before those that continue it. */
static int compare_items(const void *left, const void *right) {
    const struct tree_item *a = left;
    const struct tree_item *b = right;
    int order = compare_roots(a, b);
    const size_t n_a = a->path->n_nodes;
    const size_t n_b = b->path->n_nodes;
    for (size_t i = 0; order == 0 && i < n_a && i < n_b; i++) {
        const struct written_node *x = &a->path->nodes[i];
        const struct written_node *y = &b->path->nodes[i];
        order = fx_text_compare(x->key, y->key);
        order = order != 0 ? order : (int)x->type - (int)y->type;
    }
    order = order != 0 ? order : compare_sizes(n_a, n_b);
    return order != 0 ? order : compare_sizes(a->path->mutator, b->path->mutator);
}

/* Adds the items of a written path: one for each tree in which the mutator writes it. If
 * all bindings are for CREATE and UPDATE, one tree is enough, because the other would be
 * the same. */
static bool add_items(struct finder *finder, const struct fx_mutator *mutator,
                      const struct written_path *path, bool one_tree) {
    static const enum fx_operation operations[] = {FX_OPERATION_CREATE,
                                                   FX_OPERATION_UPDATE};
    for (size_t i = 0; i < mutator->n_bindings; i++) {
        const struct fx_binding *binding = &mutator->bindings[i];
        assert(!binding->any_group && !binding->any_version && !binding->any_kind);
        for (size_t k = 0; k < (one_tree ? 1 : FX_COUNT(operations)); k++) {
            if ((binding->operations & FX_OPERATION_BIT(operations[k])) == 0) {
                continue;
            }
            if (!FX_VEC_GROW(finder->items, finder->n_items, finder->cap_items)) {
                return false;
            }
            finder->items[finder->n_items++] =
                (struct tree_item){binding, path, operations[k]};
        }
    }
    return true;
}

static bool is_one_tree(struct fx_mutator *const *mutators, size_t n_mutators) {
    const unsigned both =
        FX_OPERATION_BIT(FX_OPERATION_CREATE) | FX_OPERATION_BIT(FX_OPERATION_UPDATE);
    for (size_t i = 0; i < n_mutators; i++) {
        for (size_t k = 0; k < mutators[i]->n_bindings; k++) {
            if (mutators[i]->is_typed &&
                (mutators[i]->bindings[k].operations & both) != both) {
                return false;
            }
        }
    }
    return true;
}

/* Returns a copy of the path with the types of its nodes; NULL without memory. */
static const struct written_path *copy_path(struct finder *finder, size_t mutator,
                                            const struct fx_access *access,
                                            const struct fx_access_path *path) {
    const struct fx_path_step *steps = fx_access_steps(access, path);
    struct written_path *copy = fx_arena_alloc(
        &finder->paths, sizeof *copy + path->n_steps * sizeof *copy->nodes);
    if (copy == NULL) {
        return NULL;
    }
    copy->mutator = mutator;
    copy->must_terminate = path->must_terminate;
    copy->n_nodes = path->n_steps;
    for (size_t i = 0; i < path->n_steps; i++) {
        const bool is_last = i + 1 == path->n_steps;
        const bool is_list = !is_last && steps[i + 1].type == FX_PATH_ELEMENT;
        copy->nodes[i] = (struct written_node){
            .key = steps[i].name,
            .type = is_last   ? path->type
                    : is_list ? FX_ACCESS_LIST
                              : FX_ACCESS_OBJECT,
        };
    }
    return copy;
}

static bool collect_mutator(struct finder *finder, const struct fx_mutator *mutator,
                            size_t index, bool one_tree, struct fx_access *access) {
    if (!fx_access_declare(access, mutator)) {
        return false;
    }
    for (size_t i = 0; i < access->n_paths; i++) {
        const struct fx_access_path *path = &access->paths[i];
        if (!path->writes || path->type == FX_ACCESS_UNTYPED || path->n_steps == 0) {
            continue;
        }
        const struct written_path *copy = copy_path(finder, index, access, path);
        if (copy == NULL || !add_items(finder, mutator, copy, one_tree)) {
            return false;
        }
    }
    return true;
}

static bool collect_items(struct finder *finder, struct fx_mutator *const *mutators,
                          size_t n_mutators) {
    const bool one_tree = is_one_tree(mutators, n_mutators);
    struct fx_access access = {.parts = NULL};
    bool ok = true;
    for (size_t i = 0; ok && i < n_mutators; i++) {
        ok = !mutators[i]->is_typed ||
             collect_mutator(finder, mutators[i], i, one_tree, &access);
    }
    fx_access_finish(&access);
    if (ok && finder->n_items > 0) {
        qsort(finder->items, finder->n_items, sizeof *finder->items, compare_items);
    }
    return ok;
}

/* Returns an array for `n` members, which belongs to the result. NULL without memory. */
static size_t *new_block(struct finder *finder, size_t n) {
    return fx_arena_alloc(&finder->result->arena, n * sizeof(size_t));
}

static const struct written_node *node_of(const struct tree_item *item, size_t depth) {
    return &item->path->nodes[depth];
}

static bool goes_on(const struct tree_item *item, size_t depth) {
    return item->path->n_nodes > depth + 1;
}

/* The facts about the items of one key that rules (a) to (c) need. */
struct slot {
    bool has_type[FX_ACCESS_STRING + 1];
    bool list_has_two_keys, has_terminator, has_deeper;
};

static void look_at(struct slot *slot, const struct tree_item *item, size_t depth,
                    const struct tree_item **list) {
    const struct written_node *node = node_of(item, depth);
    slot->has_type[node->type] = true;
    if (!goes_on(item, depth)) {
        slot->has_terminator = slot->has_terminator || item->path->must_terminate;
        return;
    }
    slot->has_deeper = true;
    if (node->type != FX_ACCESS_LIST) {
        return;
    }
    if (*list != NULL &&
        !fx_text_equal(node_of(*list, depth + 1)->key, node_of(item, depth + 1)->key)) {
        slot->list_has_two_keys = true;
    }
    *list = item;
}

static size_t count_known_types(const struct slot *slot) {
    size_t n = 0;
    for (size_t type = 0; type < FX_COUNT(slot->has_type); type++) {
        n += type != FX_ACCESS_UNKNOWN && slot->has_type[type] ? 1 : 0;
    }
    return n;
}

/* Is the item in conflict with another item of the slot? Rules (a), (b), (c) of the
 * spec. */
static bool is_member(const struct slot *slot, bool many_types,
                      const struct tree_item *item, size_t depth) {
    const enum fx_access_type type = node_of(item, depth)->type;
    const bool clashes = slot->has_terminator && slot->has_deeper;
    return (many_types && type != FX_ACCESS_UNKNOWN) ||
           (slot->list_has_two_keys && type == FX_ACCESS_LIST) ||
           (clashes && (goes_on(item, depth) || item->path->must_terminate));
}

static int compare_indices(const void *a, const void *b) {
    return compare_sizes(*(const size_t *)a, *(const size_t *)b);
}

/* Sorts the indices and removes repeated ones. Returns how many are left. */
static size_t sort_unique(size_t *indices, size_t n) {
    size_t kept = 0;
    qsort(indices, n, sizeof *indices, compare_indices);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || indices[kept - 1] != indices[i]) {
            indices[kept++] = indices[i];
        }
    }
    return kept;
}

/* Disables the members of a conflict, and adds them to *met, which has the members of the
 * conflicts above. */
static bool add_members(struct finder *finder, const struct item_range *range,
                        size_t depth, const struct slot *slot, struct members *met) {
    size_t *block = new_block(finder, range->to - range->from + met->n_items);
    if (block == NULL) {
        return false;
    }
    const bool many_types = count_known_types(slot) > 1;
    size_t n = 0;
    for (size_t i = range->from; i < range->to; i++) {
        const struct tree_item *item = &finder->items[i];
        if (is_member(slot, many_types, item, depth)) {
            block[n++] = item->path->mutator;
            finder->result->sets[item->path->mutator].disabled = true;
        }
    }
    for (size_t i = 0; i < met->n_items; i++) {
        block[n++] = met->items[i];
    }
    if (n > 0) {
        *met = (struct members){block, sort_unique(block, n)};
    }
    return true;
}

static bool add_report(struct finder *finder, size_t mutator, struct members met) {
    if (met.n_items == 0) {
        return true;
    }
    if (!FX_VEC_GROW(finder->reports, finder->n_reports, finder->cap_reports)) {
        return false;
    }
    finder->reports[finder->n_reports++] = (struct conflict_report){mutator, met};
    return true;
}

static bool visit_items(struct finder *finder, struct item_range range, size_t depth,
                        struct members met);

/* The items of one key and type. Those that end here come first. */
static bool visit_branch(struct finder *finder, struct item_range range, size_t depth,
                         struct members met) {
    for (; range.from < range.to; range.from++) {
        const struct tree_item *item = &finder->items[range.from];
        if (goes_on(item, depth)) {
            return visit_items(finder, range, depth + 1, met);
        }
        if (!add_report(finder, item->path->mutator, met)) {
            return false;
        }
    }
    return true;
}

/* Handles the items of one key. */
static bool visit_slot(struct finder *finder, struct item_range range, size_t depth,
                       struct members met) {
    struct slot slot = {.has_terminator = false};
    const struct tree_item *list = NULL;
    for (size_t i = range.from; i < range.to; i++) {
        look_at(&slot, &finder->items[i], depth, &list);
    }
    const bool is_conflict = count_known_types(&slot) > 1 || slot.list_has_two_keys ||
                             (slot.has_terminator && slot.has_deeper);
    if (is_conflict && !add_members(finder, &range, depth, &slot, &met)) {
        return false;
    }
    while (range.from < range.to) {
        struct item_range branch = {range.from, range.from + 1};
        const enum fx_access_type type =
            node_of(&finder->items[branch.from], depth)->type;
        while (branch.to < range.to &&
               node_of(&finder->items[branch.to], depth)->type == type) {
            branch.to++;
        }
        if (!visit_branch(finder, branch, depth, met)) {
            return false;
        }
        range.from = branch.to;
    }
    return true;
}

/* Handles items of one tree that share their first `depth` nodes and continue. `met` has
 * the members of the conflicts on these nodes. Recursion is as deep as the longest
 * path. */
static bool visit_items(struct finder *finder, struct item_range range, size_t depth,
                        struct members met) {
    while (range.from < range.to) {
        struct item_range slot = {range.from, range.from + 1};
        const struct fx_text key = node_of(&finder->items[slot.from], depth)->key;
        while (slot.to < range.to &&
               fx_text_equal(key, node_of(&finder->items[slot.to], depth)->key)) {
            slot.to++;
        }
        if (!visit_slot(finder, slot, depth, met)) {
            return false;
        }
        range.from = slot.to;
    }
    return true;
}

static bool visit_trees(struct finder *finder) {
    size_t from = 0;
    while (from < finder->n_items) {
        struct item_range tree = {from, from + 1};
        while (tree.to < finder->n_items &&
               compare_roots(&finder->items[from], &finder->items[tree.to]) == 0) {
            tree.to++;
        }
        if (!visit_items(finder, tree, 0, (struct members){NULL, 0})) {
            return false;
        }
        from = tree.to;
    }
    return true;
}

static int compare_reports(const void *left, const void *right) {
    const struct conflict_report *a = left;
    const struct conflict_report *b = right;
    return compare_sizes(a->mutator, b->mutator);
}

static bool have_same_members(const struct members *a, const struct members *b) {
    return a->n_items == b->n_items &&
           (a->items == b->items ||
            memcmp(a->items, b->items, a->n_items * sizeof *a->items) == 0);
}

/* Unites the reports of one mutator, which are mostly equal. */
static bool unite_reports(struct finder *finder, const struct conflict_report *reports,
                          size_t n_reports, struct members *ret_union) {
    *ret_union = reports[0].met;
    for (size_t i = 1; i < n_reports; i++) {
        const struct members *more = &reports[i].met;
        if (have_same_members(ret_union, more)) {
            continue;
        }
        size_t *block = new_block(finder, ret_union->n_items + more->n_items);
        if (block == NULL) {
            return false;
        }
        memcpy(block, ret_union->items, ret_union->n_items * sizeof *block);
        memcpy(block + ret_union->n_items, more->items, more->n_items * sizeof *block);
        ret_union->n_items = sort_unique(block, ret_union->n_items + more->n_items);
        ret_union->items = block;
    }
    return true;
}

static bool deliver_reports(struct finder *finder) {
    if (finder->n_reports > 0) {
        qsort(finder->reports, finder->n_reports, sizeof *finder->reports,
              compare_reports);
    }
    size_t from = 0;
    while (from < finder->n_reports) {
        const size_t mutator = finder->reports[from].mutator;
        size_t to = from + 1;
        while (to < finder->n_reports && finder->reports[to].mutator == mutator) {
            to++;
        }
        struct members met = {NULL, 0};
        if (!unite_reports(finder, &finder->reports[from], to - from, &met)) {
            return false;
        }
        finder->result->sets[mutator].members = met.items;
        finder->result->sets[mutator].n_members = met.n_items;
        from = to;
    }
    return true;
}

bool fx_conflicts_find(struct fx_mutator *const *mutators, size_t n_mutators,
                       struct fx_conflicts *ret_conflicts, struct fx_err *err) {
    struct fx_conflicts made = {.n_mutators = n_mutators};
    struct finder finder = {.result = &made};
    fx_arena_init(&finder.paths, SIZE_MAX);
    fx_arena_init(&made.arena, SIZE_MAX);
    made.sets = calloc(n_mutators == 0 ? 1 : n_mutators, sizeof *made.sets);
    const bool ok = made.sets != NULL && collect_items(&finder, mutators, n_mutators) &&
                    visit_trees(&finder) && deliver_reports(&finder);
    free(finder.items);
    free(finder.reports);
    fx_arena_finish(&finder.paths);
    if (!ok) {
        fx_conflicts_finish(&made);
        return fx_fail_nomem(err);
    }
    *ret_conflicts = made;
    return true;
}

/* ---- the message ------------------------------------------------------------------- */

/* The first ids, ordered as text. */
struct ids {
    char *items[2 * FX_LIMIT_CONFLICT_IDS];
    size_t n_items;
};

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void truncate_ids(struct ids *ids, size_t n_items) {
    while (ids->n_items > n_items) {
        free(ids->items[--ids->n_items]);
    }
}

static char *print_id(const struct fx_mutator *mutator) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_mutator_print_id(&buf, mutator);
    char *text = fx_buf_steal(&buf);
    fx_buf_finish(&buf);
    return text;
}

static bool same_kind(const struct fx_mutator *a, const struct fx_mutator *b) {
    return a->rank == b->rank && strcmp(a->group, b->group) == 0 &&
           strcmp(a->kind, b->kind) == 0;
}

/* Returns the end of the members of the kind of `from`. In the order of a pass, members
 * of one kind are adjacent. */
static size_t end_of_kind(const struct fx_conflict_set *set,
                          struct fx_mutator *const *mutators, size_t from) {
    size_t low = from + 1;
    size_t high = set->n_members;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (same_kind(mutators[set->members[from]], mutators[set->members[middle]])) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Collects the first ids. Members of a kind are ordered by name, so only the first
 * members of each kind can have them. False without memory. */
static bool collect_ids(const struct fx_conflict_set *set,
                        struct fx_mutator *const *mutators, struct ids *ids) {
    size_t end = 0;
    for (size_t from = 0; from < set->n_members; from = end) {
        end = end_of_kind(set, mutators, from);
        for (size_t i = from; i < end && i - from < FX_LIMIT_CONFLICT_IDS; i++) {
            char *id = print_id(mutators[set->members[i]]);
            if (id == NULL) {
                return false;
            }
            ids->items[ids->n_items++] = id;
        }
        qsort(ids->items, ids->n_items, sizeof *ids->items, compare_texts);
        truncate_ids(ids, FX_LIMIT_CONFLICT_IDS);
    }
    return true;
}

static void print_ids(const struct ids *ids, size_t n_more, struct fx_buf *buf) {
    fx_buf_str(buf, "the following mutators have conflicting schemas: [");
    for (size_t i = 0; i < ids->n_items; i++) {
        fx_buf_str(buf, i > 0 ? "," : "");
        fx_buf_str(buf, ids->items[i]);
    }
    if (n_more > 0) {
        fx_buf_printf(buf, " and %zu more", n_more);
    }
    fx_buf_char(buf, ']');
}

void fx_conflicts_print(const struct fx_conflicts *conflicts, size_t index,
                        struct fx_mutator *const *mutators, struct fx_buf *buf) {
    const struct fx_conflict_set *set = &conflicts->sets[index];
    struct ids ids = {.n_items = 0};
    if (collect_ids(set, mutators, &ids)) {
        print_ids(&ids, set->n_members - ids.n_items, buf);
    } else {
        buf->failed = true;
    }
    truncate_ids(&ids, 0);
}
