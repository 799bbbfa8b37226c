/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/compile.c - what a dialect makes of a policy, and the last checks.
 */
#include "policy/compile.h"

#include "engine/provider.h"
#include "engine/request.h"
#include "net/tls.h"
#include "value/tree.h"

static bool check_resource(const struct fx_resource *resource, struct fx_err *err) {
    if (resource->ops->type != FX_RESOURCE_PROVIDER) {
        return true;
    }
    const struct fx_provider *provider = (const struct fx_provider *)resource;
    if (fx_tls_check_ca((struct fx_text){provider->ca_pem, provider->ca_pem_len}, err)) {
        return true;
    }
    err->node = fx_tree_view_key(fx_tree_view_key(resource->source, "spec"), "caBundle");
    return false;
}

bool fx_policy_compile(const struct fx_dialect *dialect, json_t *object,
                       struct fx_compilation *ret_compilation, struct fx_err *err) {
    if (!dialect->compile(object, ret_compilation, err)) {
        return false;
    }
    for (size_t i = 0; i < ret_compilation->n_resources; i++) {
        if (!check_resource(ret_compilation->resources[i], err)) {
            return false;
        }
    }
    return true;
}

bool fx_policy_fail_version(const json_t *object, struct fx_err *err) {
    const struct fx_text version = fx_tree_view_string(object, "apiVersion");
    const struct fx_text kind = fx_tree_view_string(object, "kind");
    return fx_fail_in(err, fx_tree_view_key(object, "apiVersion"), FX_EINVALID,
                      "no matches for kind \"%.*s\" in version \"%.*s\"",
                      FX_TEXT_ARG(kind), FX_TEXT_ARG(version));
}
