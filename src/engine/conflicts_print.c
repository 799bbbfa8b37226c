/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/conflicts_print.c - the message of a conflict (spec section 6). It has only the
 * first ids: otherwise thousands of members would each get a message with thousands of
 * ids.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "engine/conflicts.h"

/* The first ids by text. */
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

/* The end of the members of the kind of `from`: in a pass, they are adjacent. */
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

/* Members of a kind are ordered by name, so only the first ones can have the first ids.
 * False without memory. */
static bool collect(const struct fx_conflict_set *set, struct fx_mutator *const *mutators,
                    struct ids *ids) {
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

static void print(const struct ids *ids, size_t n_more, struct fx_buf *buf) {
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
    if (collect(set, mutators, &ids)) {
        print(&ids, set->n_members - ids.n_items, buf);
    } else {
        buf->failed = true;
    }
    truncate_ids(&ids, 0);
}
