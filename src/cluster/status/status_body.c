/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/status_body.c - makes apply configurations, and copies of objects with
 * another list.
 */
#include "cluster/status/status_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/date.h"
#include "base/text.h"
#include "cluster/status/status.h"
#include "kube/body.h"
#include "value/tree.h"

void fx_status_manager(const char *pod, char ret_manager[FX_STATUS_MANAGER_BYTES]) {
    const size_t room = FX_STATUS_MANAGER_BYTES - sizeof FX_STATUS_MANAGER_PREFIX;
    const size_t len = strlen(pod);
    (void)snprintf(ret_manager, FX_STATUS_MANAGER_BYTES, FX_STATUS_MANAGER_PREFIX "%s",
                   len > room ? pod + (len - room) : pod);
}

json_t *fx_status_apply(const struct fx_cluster_object *object, const char *list,
                        json_t *item) {
    json_t *body =
        fx_kube_body_new(object->resource, object->namespace_, object->name, object->uid);
    json_t *status = list == NULL ? json_incref(item) : json_pack("{s:[O]}", list, item);
    if (body == NULL) {
        json_decref(status);
    } else if (!fx_tree_set_take(body, FX_TEXT("status"), status)) {
        json_decref(body);
        return NULL;
    }
    return body;
}

json_t *fx_types_make(const struct fx_cluster_object *object, json_t *types) {
    return json_pack("{s:I, s:O}", "observedGeneration", (json_int_t)object->generation,
                     "typeChecking", types);
}

/* ---- atomic lists ---------------------------------------------------------------- */

static struct fx_text id_of(const json_t *entry) {
    return fx_tree_view_string(entry, "id");
}

static const json_t *view_list(const json_t *object) {
    return fx_tree_view_key(fx_tree_view_key(object, "status"), "byPod");
}

/* A copy of the object with another list, which it consumes. NULL without memory, or if
 * the list is NULL. */
static json_t *with_list(json_t *object, json_t *list_take) {
    json_t *root = json_incref(object);
    json_t *owned = list_take == NULL ? NULL : fx_tree_own_root(&root);
    json_t *status = NULL;
    if (owned != NULL && !json_is_object(fx_tree_view_key(owned, "status"))) {
        status = json_object();
        owned = fx_tree_set_take(owned, FX_TEXT("status"), status) ? owned : NULL;
    }
    status = owned == NULL ? NULL : fx_tree_own_key(owned, FX_TEXT("status"));
    if (status == NULL) {
        json_decref(list_take);
        json_decref(root);
        return NULL;
    }
    if (!fx_tree_set_take(status, FX_TEXT("byPod"), list_take)) {
        json_decref(root);
        return NULL;
    }
    return root;
}

/* Copies the entries in their order, and inserts ours by id. */
static bool merge_into(json_t *list, const json_t *from, json_t *entry) {
    const struct fx_text id = id_of(entry);
    bool inserted = false;
    for (size_t i = 0; i < json_array_size(from); i++) {
        json_t *other = json_array_get(from, i);
        const int order = fx_text_compare(id_of(other), id);
        if (order > 0 && !inserted) {
            inserted = true;
            if (!fx_tree_append_take(list, json_incref(entry))) {
                return false;
            }
        }
        if (order != 0 && !fx_tree_append_take(list, json_incref(other))) {
            return false;
        }
    }
    return inserted || fx_tree_append_take(list, json_incref(entry));
}

json_t *fx_status_merge(json_t *object, json_t *entry) {
    json_t *list = json_array();
    if (list != NULL && !merge_into(list, view_list(object), entry)) {
        json_decref(list);
        list = NULL;
    }
    return with_list(object, list);
}

static bool is_among(struct fx_text id, const char *const *ids) {
    for (; *ids != NULL; ids++) {
        if (fx_text_is(id, *ids)) {
            return true;
        }
    }
    return false;
}

json_t *fx_status_drop(json_t *object, const char *const *ids) {
    const json_t *from = view_list(object);
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < json_array_size(from); i++) {
        json_t *entry = json_array_get(from, i);
        ok = is_among(id_of(entry), ids) || fx_tree_append_take(list, json_incref(entry));
    }
    if (!ok) {
        json_decref(list);
        return NULL;
    }
    return with_list(object, list);
}

/* ---- the condition Ready --------------------------------------------------------- */

/* Appends the messages of all errors, cut to the limit. */
static void write_message(struct fx_buf *message, const json_t *errors) {
    static const char ellipsis[] = "…";
    for (size_t i = 0; i < json_array_size(errors); i++) {
        fx_buf_str(message, i == 0 ? "" : "; ");
        fx_buf_text(message, fx_tree_view_string(json_array_get(errors, i), "message"));
    }
    if (message->len > FX_READY_MESSAGE_BYTES) {
        const size_t room = FX_READY_MESSAGE_BYTES - (sizeof ellipsis - 1);
        message->len = fx_text_rune_floor(message->data, room);
        fx_buf_str(message, ellipsis);
    }
}

json_t *fx_ready_make(const json_t *entry, const struct fx_seen_ready *seen,
                      int64_t now) {
    const json_t *errors = fx_tree_view_key(entry, "errors");
    const bool is_ready = json_array_size(errors) == 0;
    const bool stays = seen->status == (is_ready ? FX_READY_TRUE : FX_READY_FALSE);
    char since[FX_DATE];
    struct fx_buf message = {0};
    fx_date_print(stays ? seen->since : now, since);
    if (is_ready) {
        fx_buf_str(&message, "the policy is active");
    } else {
        write_message(&message, errors);
    }
    json_t *condition =
        message.failed
            ? NULL
            : json_pack("{s:s, s:s, s:O*, s:s, s:s, s:s#}", "type", "Ready", "status",
                        is_ready ? "True" : "False", "observedGeneration",
                        fx_tree_view_key(entry, "observedGeneration"),
                        "lastTransitionTime", since, "reason",
                        is_ready ? "Accepted"
                                 : fx_cluster_status_reason(json_array_get(errors, 0)),
                        "message", message.len == 0 ? "" : message.data,
                        (int)message.len);
    fx_buf_finish(&message);
    return condition;
}
