/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_plan.c - names that are there or not, and who owns a field.
 */
#include "cluster/status/sweep_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dns_name.h"
#include "base/limits.h"
#include "base/vec.h"
#include "cluster/status/status_body.h"
#include "kube/body.h"
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

static size_t lower_bound(const struct fx_sweep_names *names, struct fx_text name) {
    size_t from = 0;
    size_t to = names->n_items;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (fx_text_compare(fx_text_of(names->items[middle]), name) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static bool stands_at(const struct fx_sweep_names *names, size_t at,
                      struct fx_text name) {
    return at < names->n_items && fx_text_is(name, names->items[at]);
}

bool fx_sweep_names_add(struct fx_sweep_names *names, struct fx_text name) {
    const size_t at = lower_bound(names, name);
    if (stands_at(names, at, name)) {
        return true;
    }
    char *copy = names->n_items < FX_LIMIT_SWEEP_NAMES ? fx_text_dup(name) : NULL;
    if (copy == NULL || !FX_VEC_GROW(names->items, names->n_items, names->cap_items)) {
        free(copy);
        return false;
    }
    char **slot = names->items + at;
    memmove(slot + 1, slot, (names->n_items - at) * sizeof(*slot));
    *slot = copy;
    names->n_items++;
    return true;
}

bool fx_sweep_names_has(const struct fx_sweep_names *names, struct fx_text name) {
    return stands_at(names, lower_bound(names, name), name);
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

/* ---- whose entry it is ----------------------------------------------------------- */

/* How managed fields name the element of a list with the key `id`:
 * `k:{"id":"fixpoint-7d4b9c6f5-x2x4q"}`. */
static bool owns_entry(const json_t *fields, struct fx_text id) {
    const json_t *list =
        fx_tree_view_key(fx_tree_view_key(fields, "f:status"), "f:byPod");
    struct fx_buf key;
    fx_buf_init(&key, 0);
    fx_buf_str(&key, "k:{\"id\":");
    fx_json_write_string(&key, id, FX_JSON_COMPACT);
    fx_buf_char(&key, '}');
    const bool found =
        !key.failed &&
        fx_tree_view_text(list, (struct fx_text){key.data, key.len}) != NULL;
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

/* The part before the last dash; nothing where there is none, or nothing behind it. */
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

/* ---- what is written ------------------------------------------------------------- */

json_t *fx_sweep_body(const char *api_version, const char *kind,
                      const struct fx_kube_identity *which) {
    json_t *body = json_object();
    json_t *metadata = json_object();
    bool ok =
        body != NULL && metadata != NULL &&
        fx_kube_body_set_text(body, "apiVersion", fx_text_of(api_version)) &&
        fx_kube_body_set_text(body, "kind", fx_text_of(kind)) &&
        fx_kube_body_set_identity(metadata, which->namespace_, which->name, which->uid);
    ok = ok && fx_tree_set_take(body, FX_TEXT("metadata"), json_incref(metadata));
    json_decref(metadata);
    if (!ok) {
        json_decref(body);
        return NULL;
    }
    return body;
}
