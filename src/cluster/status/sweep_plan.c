/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_plan.c - sets of names, owners of entries, and ids of other
 * programs.
 */

#include <stdlib.h>

#include "base/buf.h"
#include "base/dns_name.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "cluster/status/status_internal.h"
#include "value/json.h"
#include "value/tree.h"

/* ---- names ----------------------------------------------------------------------- */

void fx_sweep_names_finish(struct fx_sweep_names *names) {
    for (size_t i = 0; i < names->n_items; i++) {
        free(names->items[i]);
    }
    free(names->items);
    *names = (struct fx_sweep_names){0};
}

static int compare_name(const void *key, const void *item) {
    const struct fx_text *name = key;
    char *const *other = item;
    return fx_text_compare(*name, fx_text_of(*other));
}

static size_t find_index(const struct fx_sweep_names *names, struct fx_text name,
                         bool *ret_found) {
    return fx_sorted_find(names->items, names->n_items, sizeof(char *), &name,
                          compare_name, ret_found);
}

bool fx_sweep_names_add(struct fx_sweep_names *names, struct fx_text name) {
    bool found = false;
    const size_t at = find_index(names, name, &found);
    if (found) {
        return true;
    }
    char *copy = names->n_items < FX_LIMIT_SWEEP_NAMES ? fx_text_dup(name) : NULL;
    if (copy == NULL || !FX_VEC_GROW(names->items, names->n_items, names->cap_items)) {
        free(copy);
        return false;
    }
    FX_SORTED_INSERT(names->items, names->n_items, at);
    names->items[at] = copy;
    return true;
}

bool fx_sweep_names_has(const struct fx_sweep_names *names, struct fx_text name) {
    bool found = false;
    (void)find_index(names, name, &found);
    return found;
}

bool fx_sweep_names_hold_all(const struct fx_sweep_names *names,
                             const struct fx_sweep_names *others) {
    for (size_t i = 0; i < others->n_items; i++) {
        if (!fx_sweep_names_has(names, fx_text_of(others->items[i]))) {
            return false;
        }
    }
    return true;
}

static struct fx_text view_name(const json_t *object) {
    return fx_tree_view_string(fx_tree_view_key(object, "metadata"), "name");
}

bool fx_sweep_names_add_page(struct fx_sweep_names *names, const json_t *list) {
    const json_t *items = fx_tree_view_key(list, "items");
    for (size_t i = 0; i < json_array_size(items); i++) {
        const struct fx_text name = view_name(json_array_get(items, i));
        if (name.len > 0 && !fx_sweep_names_add(names, name)) {
            return false;
        }
    }
    return true;
}

/* ---- the owner of an entry ------------------------------------------------------- */

/* Do the managed fields contain the entry? They name a list element by its key:
 * `k:{"id":"fixpoint-7d4b9c6f5-x2x4q"}`. */
static bool owns_entry(const json_t *fields, struct fx_text id) {
    const json_t *list =
        fx_tree_view_key(fx_tree_view_key(fields, "f:status"), "f:byPod");
    struct fx_buf key = {0};
    fx_buf_str(&key, "k:{\"id\":");
    fx_json_write_string(&key, id, FX_JSON_COMPACT);
    fx_buf_char(&key, '}');
    const bool found = !key.failed && fx_tree_view_text(list, fx_buf_view(&key)) != NULL;
    fx_buf_finish(&key);
    return found;
}

static bool is_applied_by(const json_t *managed, const char *manager, struct fx_text id) {
    return fx_text_is(fx_tree_view_string(managed, "manager"), manager) &&
           fx_text_is(fx_tree_view_string(managed, "operation"), "Apply") &&
           fx_text_is(fx_tree_view_string(managed, "subresource"), "status") &&
           owns_entry(fx_tree_view_key(managed, "fieldsV1"), id);
}

static bool is_managed(const json_t *object, struct fx_text id) {
    const json_t *all =
        fx_tree_view_key(fx_tree_view_key(object, "metadata"), "managedFields");
    char manager[FX_STATUS_MANAGER_BYTES];
    char *pod = fx_text_dup(id);
    bool found = false;
    if (pod != NULL) {
        fx_status_manager(pod, manager);
    }
    for (size_t i = 0; pod != NULL && !found && i < json_array_size(all); i++) {
        found = is_applied_by(json_array_get(all, i), manager, id);
    }
    free(pod);
    return found;
}

/* The part before the last dash; empty without a dash, or if nothing follows it. */
static struct fx_text without_last_part(struct fx_text name) {
    size_t at = name.len;
    while (at > 0 && name.data[at - 1] != '-') {
        at--;
    }
    return at < 2 || at == name.len ? (struct fx_text){0}
                                    : (struct fx_text){name.data, at - 1};
}

bool fx_sweep_is_sibling(struct fx_text id, const char *own_pod) {
    const struct fx_text own = without_last_part(without_last_part(fx_text_of(own_pod)));
    const struct fx_text other = without_last_part(without_last_part(id));
    return own.len > 0 && fx_text_equal(own, other);
}

enum fx_sweep_method fx_sweep_method_of(const json_t *object, struct fx_text id,
                                        const char *own_pod) {
    if (!fx_dns_is_subdomain(id) || fx_text_is(id, own_pod)) {
        return FX_SWEEP_NONE;
    }
    if (is_managed(object, id)) {
        return FX_SWEEP_APPLY;
    }
    return fx_sweep_is_sibling(id, own_pod) ? FX_SWEEP_DROP : FX_SWEEP_FOREIGN;
}

/* ---- ids of other programs ------------------------------------------------------- */

void fx_sweep_foreign_finish(struct fx_sweep_foreign *foreign) {
    for (size_t i = 0; i < foreign->n_items; i++) {
        free(foreign->items[i].id);
    }
    free(foreign->items);
    *foreign = (struct fx_sweep_foreign){0};
}

static struct fx_sweep_foreign_id *find_foreign(const struct fx_sweep_foreign *foreign,
                                                struct fx_text id) {
    for (size_t i = 0; i < foreign->n_items; i++) {
        if (fx_text_is(id, foreign->items[i].id)) {
            return &foreign->items[i];
        }
    }
    return NULL;
}

bool fx_sweep_foreign_see(struct fx_sweep_foreign *foreign, struct fx_text id,
                          uint64_t due_ns) {
    struct fx_sweep_foreign_id *known = find_foreign(foreign, id);
    if (known != NULL) {
        known->is_seen = true;
        return true;
    }
    if (foreign->n_items >= FX_LIMIT_SWEEP_FOREIGN_IDS) {
        return true;
    }
    char *copy = fx_text_dup(id);
    if (copy == NULL ||
        !FX_VEC_GROW(foreign->items, foreign->n_items, foreign->cap_items)) {
        free(copy);
        return false;
    }
    foreign->items[foreign->n_items++] =
        (struct fx_sweep_foreign_id){.id = copy, .due_ns = due_ns, .is_seen = true};
    return true;
}

bool fx_sweep_foreign_is_due(const struct fx_sweep_foreign *foreign, struct fx_text id,
                             uint64_t now_ns) {
    const struct fx_sweep_foreign_id *known = find_foreign(foreign, id);
    return known != NULL && now_ns >= known->due_ns;
}

uint64_t fx_sweep_foreign_next(const struct fx_sweep_foreign *foreign) {
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < foreign->n_items; i++) {
        next = foreign->items[i].due_ns < next ? foreign->items[i].due_ns : next;
    }
    return next;
}

/* Counts a try if the id is due. True if it was the last one. */
static bool count_try(struct fx_sweep_foreign_id *one, uint64_t now_ns,
                      uint64_t rest_ns) {
    if (now_ns < one->due_ns || ++one->n_tries < FX_SWEEP_TRIES) {
        return false;
    }
    one->n_tries = 0;
    one->due_ns = now_ns + rest_ns;
    return true;
}

const char *fx_sweep_foreign_end_pass(struct fx_sweep_foreign *foreign, uint64_t now_ns,
                                      uint64_t rest_ns) {
    const char *left_alone = NULL;
    size_t n_kept = 0;
    for (size_t i = 0; i < foreign->n_items; i++) {
        struct fx_sweep_foreign_id one = foreign->items[i];
        if (!one.is_seen) {
            free(one.id);
            continue;
        }
        if (count_try(&one, now_ns, rest_ns)) {
            left_alone = one.id;
        }
        one.is_seen = false;
        foreign->items[n_kept++] = one;
    }
    foreign->n_items = n_kept;
    return left_alone;
}
