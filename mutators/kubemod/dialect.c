/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dialect.c - KubeMod's dialect: the kind ModRule, its defaults, and the
 * paths of its webhooks.
 */
#include "engine/dialect.h"
#include "engine/webhook.h"
#include "mutators/kubemod/modrule.h"
#include "mutators/kubemod/rule.h"
#include "mutators/kubemod/synthetic_refs.h"
#include "value/tree.h"

/* ---- defaults --------------------------------------------------------------------- */

#define SPEC_KEY       FX_TEXT("spec")
#define OPERATIONS_KEY FX_TEXT("admissionOperations")
#define MATCH_KEY      FX_TEXT("match")
#define MATCH_FOR_KEY  FX_TEXT("matchFor")

static json_t *view_spec(const json_t *policy) {
    return fx_tree_view_text(policy, SPEC_KEY);
}

/* Returns the spec, which must exist, writable; NULL if out of memory. */
static json_t *own_spec(json_t **policy) {
    json_t *own = fx_tree_own_root(policy);
    return own == NULL ? NULL : fx_tree_own_key(own, SPEC_KEY);
}

static bool lacks_operations(const json_t *spec) {
    const json_t *list = fx_reading_view(spec, "admissionOperations");
    return list == NULL || (json_is_array(list) && json_array_size(list) == 0);
}

static bool set_default_operations(json_t **policy) {
    json_t *spec = own_spec(policy);
    return spec != NULL &&
           fx_tree_set_take(spec, OPERATIONS_KEY, json_pack("[ss]", "CREATE", "UPDATE"));
}

/* True if `matchFor` is missing. An empty text counts as missing, as in KubeMod. */
static bool lacks_match_for(const json_t *item) {
    const json_t *match_for = fx_reading_view(item, "matchFor");
    return json_is_object(item) &&
           (match_for == NULL ||
            (json_is_string(match_for) && json_string_length(match_for) == 0));
}

static bool set_default_of_item(json_t **policy, size_t index) {
    json_t *spec = own_spec(policy);
    json_t *match = spec == NULL ? NULL : fx_tree_own_key(spec, MATCH_KEY);
    json_t *item = match == NULL ? NULL : fx_tree_own_index(match, index);
    return item != NULL && fx_tree_set_take(item, MATCH_FOR_KEY, json_string("Any"));
}

/* Sets the defaults of KubeMod's mutating webhook, copying on write:
 * `admissionOperations` if it is missing or empty, and `matchFor` of the entries of
 * `match`. Fields of a wrong type do not change; the validation reports them. */
static bool set_defaults(json_t **policy, struct fx_err *err) {
    if (!json_is_object(view_spec(*policy))) {
        return true;
    }
    if (lacks_operations(view_spec(*policy)) && !set_default_operations(policy)) {
        return fx_fail_nomem(err);
    }
    const json_t *match = fx_tree_view_text(view_spec(*policy), MATCH_KEY);
    const size_t n = json_is_array(match) ? json_array_size(match) : 0;
    for (size_t i = 0; i < n; i++) {
        match = fx_tree_view_text(view_spec(*policy), MATCH_KEY);
        if (lacks_match_for(json_array_get(match, i)) &&
            !set_default_of_item(policy, i)) {
            return fx_fail_nomem(err);
        }
    }
    return true;
}

static const char *const versions[] = {"v1beta1", NULL};

static const struct fx_kind kinds[] = {
    {
        .group = KUBEMOD_GROUP,
        .kind = "ModRule",
        .resource = "modrules",
        .versions = versions,
        .scope = FX_SCOPE_NAMESPACE,
        .role = FX_ROLE_POLICY,
        .status = FX_KIND_STATUS_BY_POD | FX_KIND_STATUS_READY,
    },
    {.kind = NULL},
};

static const struct fx_dialect_setting settings[] = {
    {CLUSTER_NAMESPACE_SETTING, "NAME",
     "the namespace whose ModRules count for the whole cluster (default kubemod-system)"},
    {.name = NULL},
};

/* The paths of KubeMod's own webhook configurations. */
static const struct fx_webhook_path paths[] = {
    {.path = "/podbinding-webhook", .endpoint = FX_ENDPOINT_BINDING},
    {.path = "/dragnet-webhook", .endpoint = FX_ENDPOINT_MUTATE},
    {.path = "/validate-api-kubemod-io-v1beta1-modrule", .endpoint = FX_ENDPOINT_ADMIT},
    {.path = "/mutate-api-kubemod-io-v1beta1-modrule", .endpoint = FX_ENDPOINT_DEFAULTS},
    {.path = NULL},
};

static const struct fx_webhook webhook = {.paths = paths};

const struct fx_dialect fx_dialect_kubemod = {
    .name = "kubemod",
    .rank = KUBEMOD_RANK,
    .kinds = kinds,
    .node_annotations = &fx_synthetic_node,
    .webhook = &webhook,
    .settings = settings,
    .compile = fx_rule_compile,
    .set_defaults = set_defaults,
};
