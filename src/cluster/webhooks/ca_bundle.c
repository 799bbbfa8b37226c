/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/ca_bundle.c - one field of each webhook.
 */
#include "cluster/webhooks/ca_bundle.h"

#include <stddef.h>

#include "kube/body.h"
#include "value/tree.h"

bool fx_ca_bundle_is_in(const json_t *configuration, const char *bundle) {
    const json_t *webhooks = fx_tree_view_key(configuration, "webhooks");
    for (size_t i = 0; i < json_array_size(webhooks); i++) {
        const json_t *client =
            fx_tree_view_key(json_array_get(webhooks, i), "clientConfig");
        if (!fx_text_is(fx_tree_view_string(client, "caBundle"), bundle)) {
            return false;
        }
    }
    return true;
}

json_t *fx_ca_bundle_apply(const json_t *configuration, const char *bundle) {
    const json_t *from = fx_tree_view_key(configuration, "webhooks");
    json_t *metadata = NULL;
    json_t *body = fx_kube_body_for(configuration, &metadata);
    json_t *webhooks = json_array();
    bool ok = body != NULL && webhooks != NULL;
    for (size_t i = 0; ok && i < json_array_size(from); i++) {
        ok = fx_tree_append_take(
            webhooks, json_pack("{s:O*, s:{s:s}}", "name",
                                fx_tree_view_key(json_array_get(from, i), "name"),
                                "clientConfig", "caBundle", bundle));
    }
    ok = ok && fx_tree_set_take(body, FX_TEXT("webhooks"), json_incref(webhooks));
    json_decref(webhooks);
    if (!ok) {
        json_decref(body);
        return NULL;
    }
    return body;
}
