/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/ca_bundle.c - one field of each webhook.
 */
#include "cluster/webhooks/ca_bundle.h"

#include <stddef.h>

#include "kube/body.h"
#include "value/tree.h"

static const json_t *view_webhooks(const json_t *configuration) {
    return fx_tree_view_key(configuration, "webhooks");
}

bool fx_ca_bundle_is_in(const json_t *configuration, const char *bundle) {
    const json_t *webhooks = view_webhooks(configuration);
    for (size_t i = 0; i < json_array_size(webhooks); i++) {
        const json_t *client =
            fx_tree_view_key(json_array_get(webhooks, i), "clientConfig");
        if (!fx_text_is(fx_tree_view_string(client, "caBundle"), bundle)) {
            return false;
        }
    }
    return true;
}

/* `{name: NAME, clientConfig: {caBundle: BUNDLE}}`; NULL without memory. */
static json_t *new_webhook(const json_t *from, const char *bundle) {
    json_t *webhook = json_object();
    json_t *client = json_object();
    const bool ok =
        webhook != NULL && client != NULL && fx_kube_body_share(webhook, from, "name") &&
        fx_kube_body_set_text(client, "caBundle", fx_text_of(bundle)) &&
        fx_tree_set_take(webhook, FX_TEXT("clientConfig"), json_incref(client));
    json_decref(client);
    if (!ok) {
        json_decref(webhook);
        return NULL;
    }
    return webhook;
}

json_t *fx_ca_bundle_apply(const json_t *configuration, const char *bundle) {
    const json_t *from = view_webhooks(configuration);
    json_t *metadata = NULL;
    json_t *frame = fx_kube_body_for(configuration, &metadata);
    json_t *webhooks = json_array();
    bool ok = frame != NULL && webhooks != NULL;
    for (size_t i = 0; ok && i < json_array_size(from); i++) {
        json_t *webhook = new_webhook(json_array_get(from, i), bundle);
        ok = webhook != NULL && fx_tree_append_take(webhooks, webhook);
    }
    ok = ok && fx_tree_set_take(frame, FX_TEXT("webhooks"), json_incref(webhooks));
    json_decref(webhooks);
    if (!ok) {
        json_decref(frame);
        return NULL;
    }
    return frame;
}
