/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/owners.c - managedFields: a tree of fields for each manager, in which
 * a webhook is `f:webhooks`, `k:{"name":"WEBHOOK"}`.
 */
#include "cluster/webhooks/owners.h"

#include "base/buf.h"
#include "base/text.h"
#include "kube/body.h"
#include "value/json.h"
#include "value/tree.h"

#define FIELDS   FX_TEXT("fieldsV1")
#define WEBHOOKS FX_TEXT("f:webhooks")
#define SELECTOR FX_TEXT("f:objectSelector")

static const char *const identity[] = {"manager", "operation", "apiVersion",
                                       "subresource"};

/* ---- entries ---------------------------------------------------------------------- */

static json_t *view_entries(const json_t *configuration) {
    return fx_tree_view_key(fx_tree_view_key(configuration, "metadata"), "managedFields");
}

static bool is_of(const json_t *entry, const char *manager) {
    return fx_text_is(fx_tree_view_string(entry, "manager"), manager);
}

/* `k:{"name":"WEBHOOK"}`. False without memory. */
static bool write_member(struct fx_buf *member, struct fx_text webhook) {
    json_t *key = json_object();
    fx_buf_init(member, 0);
    fx_buf_str(member, "k:");
    if (key != NULL && fx_kube_body_set_text(key, "name", webhook)) {
        fx_json_write(member, key, FX_JSON_COMPACT);
    } else {
        member->failed = true;
    }
    json_decref(key);
    return !member->failed;
}

static json_t *view_selector(const json_t *entry, struct fx_text member) {
    const json_t *webhooks =
        fx_tree_view_text(fx_tree_view_text(entry, FIELDS), WEBHOOKS);
    return fx_tree_view_text(fx_tree_view_text(webhooks, member), SELECTOR);
}

static bool same_owner(const json_t *a, const json_t *b) {
    for (size_t i = 0; i < FX_COUNT(identity); i++) {
        if (!fx_text_equal(fx_tree_view_string(a, identity[i]),
                           fx_tree_view_string(b, identity[i]))) {
            return false;
        }
    }
    return true;
}

/* An entry of the same owner with these fields, which it takes over. NULL without memory.
 */
static json_t *new_entry(const json_t *owner, json_t *fields_take) {
    json_t *entry = json_object();
    bool ok = entry != NULL && fields_take != NULL;
    for (size_t i = 0; ok && i < FX_COUNT(identity); i++) {
        ok = fx_kube_body_share(entry, owner, identity[i]);
    }
    ok = ok && fx_tree_set_take(entry, FIELDS, json_incref(fields_take));
    json_decref(fields_take);
    return fx_tree_keep_if(ok, entry);
}

/* ---- reading --------------------------------------------------------------------- */

/* False without memory. */
static bool read_webhook(const json_t *configuration, struct fx_text webhook,
                         const char *except, json_t *owners) {
    const json_t *entries = view_entries(configuration);
    struct fx_buf member;
    json_t *found = json_array();
    bool ok = write_member(&member, webhook) && found != NULL;
    for (size_t i = 0; ok && i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        json_t *selector = view_selector(entry, fx_buf_view(&member));
        if (json_is_object(selector) && !is_of(entry, except)) {
            ok = fx_tree_append_take(found, new_entry(entry, json_incref(selector)));
        }
    }
    fx_buf_finish(&member);
    if (!ok || json_array_size(found) == 0) {
        json_decref(found);
        return ok;
    }
    return fx_tree_set_take(owners, webhook, found);
}

json_t *fx_owners_read(const json_t *configuration, const char *except) {
    const json_t *webhooks = fx_tree_view_key(configuration, "webhooks");
    json_t *owners = json_object();
    bool ok = owners != NULL;
    for (size_t i = 0; ok && i < json_array_size(webhooks); i++) {
        const struct fx_text name =
            fx_tree_view_string(json_array_get(webhooks, i), "name");
        ok = name.len == 0 || read_webhook(configuration, name, except, owners);
    }
    return fx_tree_keep_if(ok, owners);
}

/* ---- giving back ----------------------------------------------------------------- */

/* The object at that key, created if there is none. Borrowed; NULL without memory. */
static json_t *get_object(json_t *object, struct fx_text key) {
    json_t *child = fx_tree_view_text(object, key);
    if (json_is_object(child)) {
        return child;
    }
    return object != NULL && fx_tree_set_take(object, key, json_object())
               ? fx_tree_view_text(object, key)
               : NULL;
}

/* The entry of the owner, created if there is none. Borrowed; NULL without memory. */
static json_t *get_entry(json_t *entries, const json_t *owner) {
    for (size_t i = 0; i < json_array_size(entries); i++) {
        json_t *entry = json_array_get(entries, i);
        if (same_owner(entry, owner)) {
            return entry;
        }
    }
    json_t *entry = new_entry(owner, json_object());
    if (entry == NULL ||
        !fx_kube_body_set_text(entry, "fieldsType", FX_TEXT("FieldsV1"))) {
        json_decref(entry);
        return NULL;
    }
    return fx_tree_append_take(entries, entry) ? entry : NULL;
}

/* Checks an owner from the annotation, so that no edited annotation makes an entry that
 * an API server would refuse. */
static bool is_valid_owner(const json_t *owner) {
    const struct fx_text operation = fx_tree_view_string(owner, "operation");
    return fx_tree_view_string(owner, "manager").len > 0 &&
           fx_tree_view_string(owner, "apiVersion").len > 0 &&
           (fx_text_is(operation, "Apply") || fx_text_is(operation, "Update")) &&
           json_is_object(fx_tree_view_text(owner, FIELDS));
}

/* False without memory. */
static bool give_to_owner(json_t *entries, const json_t *owner, struct fx_text member) {
    json_t *entry = get_entry(entries, owner);
    json_t *fields = entry == NULL ? NULL : get_object(entry, FIELDS);
    json_t *webhooks = fields == NULL ? NULL : get_object(fields, WEBHOOKS);
    json_t *webhook = webhooks == NULL ? NULL : get_object(webhooks, member);
    json_t *selector = webhook == NULL ? NULL : get_object(webhook, SELECTOR);
    json_t *given = json_deep_copy(fx_tree_view_text(owner, FIELDS));
    const bool ok = selector != NULL && given != NULL &&
                    json_object_update_missing(selector, given) == 0;
    json_decref(given);
    return ok;
}

static bool give_webhook(json_t *entries, const json_t *ours, struct fx_text webhook,
                         const json_t *owners) {
    const json_t *before = fx_tree_view_text(owners, webhook);
    struct fx_buf member;
    bool ok = write_member(&member, webhook);
    const struct fx_text key = fx_buf_view(&member);
    const bool is_ours = ok && view_selector(ours, key) != NULL;
    for (size_t i = 0; is_ours && ok && i < json_array_size(before); i++) {
        const json_t *owner = json_array_get(before, i);
        ok = !is_valid_owner(owner) || give_to_owner(entries, owner, key);
    }
    fx_buf_finish(&member);
    return ok;
}

/* A copy of the entries except those of a manager; NULL without memory. */
static json_t *copy_without(const json_t *entries, const char *manager) {
    json_t *copy = json_array();
    bool ok = copy != NULL;
    for (size_t i = 0; ok && i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        ok = is_of(entry, manager) || fx_tree_append_take(copy, json_deep_copy(entry));
    }
    return fx_tree_keep_if(ok, copy);
}

json_t *fx_owners_give_back(const json_t *configuration, const json_t *owners,
                            const char *from) {
    const json_t *webhooks = fx_tree_view_key(configuration, "webhooks");
    const json_t *entries = view_entries(configuration);
    json_t *made = copy_without(entries, from);
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < json_array_size(entries); i++) {
        const json_t *ours = json_array_get(entries, i);
        for (size_t j = 0; ok && is_of(ours, from) && j < json_array_size(webhooks);
             j++) {
            ok = give_webhook(made, ours,
                              fx_tree_view_string(json_array_get(webhooks, j), "name"),
                              owners);
        }
    }
    ok = ok && (json_array_size(made) > 0 || fx_tree_append_take(made, json_object()));
    return fx_tree_keep_if(ok, made);
}
