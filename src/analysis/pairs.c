/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/pairs.c - finds pairs of mutators that change the same field, in a sorted list
 * of paths. The paths within a path follow it directly.
 */
#include "analysis/analyzer.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"

#define BINDINGS_COMPARED \
    4096u /* of two mutators; with more, they count as sharing a type */

/* A field that a mutator changes. `namespace_`: the one namespace that the mutator is
 * bound to; data is NULL if it is bound to none or to several. An entry with a namespace
 * is compared with the entries of the same namespace and those without one. */
struct pair_entry {
    const char *path;
    struct fx_text namespace_;
    uint32_t mutator;
};

/* The entries of one path; those without a namespace come first. */
struct entry_group {
    const char *path;
    size_t first, n, n_anywhere;
};

struct pair_search {
    const struct analyzer *analyzer;
    struct pair_entry *entries;
    size_t n_entries;
    struct entry_group *groups;
    size_t n_groups;
    size_t n_compared; /* pairs */
    struct pairs *pairs;
};

void fx_pairs_finish(struct pairs *pairs) {
    free(pairs->items);
    *pairs = (struct pairs){0};
}

static bool same_type(const struct fx_binding *a, const struct fx_binding *b) {
    return fx_text_equal(a->kind, b->kind) &&
           (a->any_group || b->any_group || fx_text_equal(a->group, b->group)) &&
           (a->any_version || b->any_version || fx_text_equal(a->version, b->version));
}

/* Does the binding name a group and a version? */
static bool is_whole(const struct fx_binding *binding) {
    return !binding->any_group && !binding->any_version;
}

/* Is the mutator bound to kinds? Either all its bindings name a kind, or none does. */
static bool is_bound(const struct fx_mutator *mutator) {
    return mutator->n_bindings > 0 && !mutator->bindings[0].any_kind;
}

const struct fx_binding *fx_pairs_binding(const struct fx_mutator *a,
                                          const struct fx_mutator *b) {
    if (!is_bound(a) || !is_bound(b)) {
        return is_bound(a) ? a->bindings : is_bound(b) ? b->bindings : NULL;
    }
    for (size_t i = 0; i < a->n_bindings; i++) {
        for (size_t k = 0; k < b->n_bindings; k++) {
            if (same_type(&a->bindings[i], &b->bindings[k])) {
                return is_whole(&a->bindings[i]) ? &a->bindings[i] : &b->bindings[k];
            }
        }
    }
    return NULL;
}

static bool share_type(const struct fx_mutator *a, const struct fx_mutator *b) {
    return !is_bound(a) || !is_bound(b) ||
           a->n_bindings > BINDINGS_COMPARED / b->n_bindings ||
           fx_pairs_binding(a, b) != NULL;
}

struct fx_text fx_pairs_namespace(const struct fx_mutator *a,
                                  const struct fx_mutator *b) {
    for (size_t i = 0; i < a->n_namespaces; i++) {
        for (size_t k = 0; k < b->n_namespaces; k++) {
            if (fx_text_equal(a->namespaces[i], b->namespaces[k])) {
                return a->namespaces[i];
            }
        }
    }
    return (struct fx_text){NULL, 0};
}

static bool share_namespace(const struct fx_mutator *a, const struct fx_mutator *b) {
    return a->n_namespaces == 0 || b->n_namespaces == 0 ||
           a->n_namespaces > BINDINGS_COMPARED / b->n_namespaces ||
           fx_pairs_namespace(a, b).data != NULL;
}

static bool add_pair(struct pairs *pairs, uint32_t a, uint32_t b) {
    if (!FX_VEC_GROW(pairs->items, pairs->n_items, pairs->cap_items)) {
        return false;
    }
    pairs->items[pairs->n_items++] = (struct pair){a, b};
    return true;
}

static bool compare_pair(struct pair_search *search, uint32_t a, uint32_t b) {
    struct fx_mutator *const *mutators = search->analyzer->snapshot->mutators;
    if (a == b || !share_namespace(mutators[a], mutators[b]) ||
        !share_type(mutators[a], mutators[b])) {
        return true;
    }
    return add_pair(search->pairs, a, b) && add_pair(search->pairs, b, a);
}

/* Some entries of one group, from `first` up to, but not including, `end`. */
struct entry_range {
    size_t first, end;
};

/* Compares the entry with each entry of the range. Pairs over the limit are only
 * counted. */
static bool compare_range(struct pair_search *search, size_t entry,
                          struct entry_range range) {
    for (size_t i = range.first; i < range.end; i++) {
        if (search->n_compared == FX_LIMIT_CHECK_PAIRS) {
            search->pairs->n_skipped += range.end - i;
            return true;
        }
        search->n_compared++;
        if (!compare_pair(search, search->entries[entry].mutator,
                          search->entries[i].mutator)) {
            return false;
        }
    }
    return true;
}

/* The index of the first entry with a namespace that is not less than the name;
 * `is_behind`: that is greater. */
static size_t find_namespace(const struct pair_search *search,
                             const struct entry_group *group, struct fx_text name,
                             bool is_behind) {
    size_t low = group->first + group->n_anywhere;
    size_t high = group->first + group->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = fx_text_compare(search->entries[middle].namespace_, name);
        if (order < 0 || (is_behind && order == 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Compares the entry with the entries of the group from index `from` on. */
static bool compare_with_group(struct pair_search *search, size_t entry,
                               const struct entry_group *group, size_t from) {
    const struct fx_text name = search->entries[entry].namespace_;
    struct entry_range anywhere = {group->first, group->first + group->n};
    struct entry_range there = {0, 0};
    if (name.data != NULL) {
        anywhere.end = group->first + group->n_anywhere;
        there = (struct entry_range){find_namespace(search, group, name, false),
                                     find_namespace(search, group, name, true)};
    }
    anywhere.first = from > anywhere.first ? from : anywhere.first;
    there.first = from > there.first ? from : there.first;
    return compare_range(search, entry, anywhere) && compare_range(search, entry, there);
}

/* Compares each entry of one group with each entry of the other, which may be the same
 * group. */
static bool compare_two_groups(struct pair_search *search, const struct entry_group *left,
                               const struct entry_group *right) {
    for (size_t i = left->first; i < left->first + left->n; i++) {
        if (!compare_with_group(search, i, right, left == right ? i + 1 : 0)) {
            return false;
        }
    }
    return true;
}

/* Compares the group with the groups whose paths are within its own. These follow it. */
static bool compare_within(struct pair_search *search, size_t outer) {
    const struct entry_group *groups = search->groups;
    const size_t len = strlen(groups[outer].path);
    for (size_t i = outer; i < search->n_groups; i++) {
        const char *path = groups[i].path;
        if (strncmp(path, groups[outer].path, len) != 0) {
            break;
        }
        if ((path[len] == '\0' || path[len] == '/') &&
            !compare_two_groups(search, &groups[outer], &groups[i])) {
            return false;
        }
    }
    return true;
}

static bool compare_all(struct pair_search *search) {
    for (size_t i = 0; i < search->n_groups; i++) {
        if (!compare_within(search, i)) {
            return false;
        }
    }
    return true;
}

static int compare_entries(const void *left, const void *right) {
    const struct pair_entry *a = left;
    const struct pair_entry *b = right;
    int order = strcmp(a->path, b->path);
    if (order == 0) {
        order = (a->namespace_.data != NULL) - (b->namespace_.data != NULL);
    }
    if (order == 0) {
        order = fx_text_compare(a->namespace_, b->namespace_);
    }
    return order != 0 ? order : (a->mutator > b->mutator) - (a->mutator < b->mutator);
}

static struct fx_text namespace_of(const struct fx_mutator *mutator) {
    return mutator->n_namespaces == 1 ? mutator->namespaces[0]
                                      : (struct fx_text){NULL, 0};
}

static void list_entries(struct pair_search *search, const struct sample *samples) {
    for (uint32_t i = 0; i < search->analyzer->snapshot->n_mutators; i++) {
        for (size_t k = 0; k < samples[i].n_paths; k++) {
            search->entries[search->n_entries++] = (struct pair_entry){
                samples[i].paths[k],
                namespace_of(search->analyzer->snapshot->mutators[i]), i};
        }
    }
    qsort(search->entries, search->n_entries, sizeof *search->entries, compare_entries);
}

static void list_groups(struct pair_search *search) {
    const struct pair_entry *entries = search->entries;
    for (size_t i = 0; i < search->n_entries; i++) {
        if (i == 0 || strcmp(entries[i - 1].path, entries[i].path) != 0) {
            search->groups[search->n_groups++] =
                (struct entry_group){.path = entries[i].path, .first = i};
        }
        struct entry_group *group = &search->groups[search->n_groups - 1];
        group->n++;
        group->n_anywhere += entries[i].namespace_.data == NULL;
    }
}

static int compare_pairs(const void *left, const void *right) {
    const struct pair *a = left;
    const struct pair *b = right;
    const int order = (a->a > b->a) - (a->a < b->a);
    return order != 0 ? order : (a->b > b->b) - (a->b < b->b);
}

static void drop_repeats(struct pairs *pairs) {
    if (pairs->n_items == 0) {
        return;
    }
    qsort(pairs->items, pairs->n_items, sizeof *pairs->items, compare_pairs);
    size_t kept = 1;
    for (size_t i = 1; i < pairs->n_items; i++) {
        if (compare_pairs(&pairs->items[kept - 1], &pairs->items[i]) != 0) {
            pairs->items[kept++] = pairs->items[i];
        }
    }
    pairs->n_items = kept;
}

bool fx_pairs_find(const struct analyzer *analyzer, const struct sample *samples,
                   struct pairs *ret_pairs, struct fx_err *err) {
    const size_t n_paths = analyzer->snapshot->n_mutators * SAMPLE_PATHS + 1;
    struct pair_entry *entries = calloc(n_paths, sizeof *entries);
    struct entry_group *groups = calloc(n_paths, sizeof *groups);
    struct pair_search search = {
        .analyzer = analyzer, .entries = entries, .groups = groups, .pairs = ret_pairs};
    bool ok = entries != NULL && groups != NULL;
    if (ok) {
        list_entries(&search, samples);
        list_groups(&search);
        ok = compare_all(&search);
        drop_repeats(ret_pairs);
    }
    free(entries);
    free(groups);
    return ok || fx_fail_nomem(err);
}
