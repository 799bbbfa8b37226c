/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/body.c - the parts of a body that most writes have.
 */
#include "kube/body.h"

#include <stddef.h>

#include "base/date.h"
#include "value/tree.h"

bool fx_kube_body_set_text(json_t *object, const char *key, struct fx_text value) {
    return fx_tree_set_take(object, fx_text_of(key), fx_tree_new_string(value));
}

bool fx_kube_body_set_date(json_t *object, const char *key, int64_t seconds) {
    char date[FX_DATE];
    fx_date_print(seconds, date);
    return fx_kube_body_set_text(object, key, fx_text_of(date));
}

bool fx_kube_body_set_identity(json_t *metadata, struct fx_text namespace_,
                               struct fx_text name, struct fx_text uid) {
    return (namespace_.len == 0 ||
            fx_kube_body_set_text(metadata, "namespace", namespace_)) &&
           fx_kube_body_set_text(metadata, "name", name) &&
           fx_kube_body_set_text(metadata, "uid", uid);
}

bool fx_kube_body_set_type(json_t *object, const struct fx_kube_resource *type) {
    struct fx_buf version = {0};
    fx_buf_printf(&version, "%s/%s", type->group, type->version);
    const bool ok = !version.failed &&
                    fx_kube_body_set_text(object, "apiVersion", fx_buf_view(&version)) &&
                    fx_kube_body_set_text(object, "kind", fx_text_of(type->kind));
    fx_buf_finish(&version);
    return ok;
}

bool fx_kube_body_share(json_t *into, const json_t *from, const char *key) {
    json_t *value = fx_tree_view_key(from, key);
    return value == NULL || fx_tree_set_take(into, fx_text_of(key), json_incref(value));
}

json_t *fx_kube_body_for(const json_t *object, json_t **ret_metadata) {
    static const char *const keys[] = {"name", "namespace", "uid", "resourceVersion"};
    const json_t *from = fx_tree_view_key(object, "metadata");
    json_t *body = json_object();
    json_t *metadata = json_object();
    bool ok = body != NULL && metadata != NULL &&
              fx_kube_body_share(body, object, "apiVersion") &&
              fx_kube_body_share(body, object, "kind");
    for (size_t i = 0; ok && i < FX_COUNT(keys); i++) {
        ok = fx_kube_body_share(metadata, from, keys[i]);
    }
    ok = ok && fx_tree_set_take(body, FX_TEXT("metadata"), json_incref(metadata));
    *ret_metadata = metadata;
    json_decref(metadata); /* the body owns it */
    if (!ok) {
        json_decref(body);
        return NULL;
    }
    return body;
}

json_t *fx_kube_body_new(const struct fx_kube_resource *type, struct fx_text namespace_,
                         struct fx_text name, struct fx_text uid) {
    json_t *body = json_object();
    json_t *metadata = json_object();
    const bool ok = body != NULL && metadata != NULL &&
                    fx_kube_body_set_type(body, type) &&
                    fx_kube_body_set_identity(metadata, namespace_, name, uid) &&
                    fx_tree_set_take(body, FX_TEXT("metadata"), json_incref(metadata));
    json_decref(metadata);
    if (!ok) {
        json_decref(body);
        return NULL;
    }
    return body;
}
