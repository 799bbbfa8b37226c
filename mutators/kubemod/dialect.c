/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dialect.c - KubeMod's ModRule joins the house.
 */
#include "engine/dialect.h"
#include "engine/webhook.h"

#include "mutators/kubemod/defaults.h"
#include "mutators/kubemod/modrule.h"
#include "mutators/kubemod/rule.h"
#include "mutators/kubemod/synthetic_refs.h"

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

/* Where KubeMod's own webhook configurations send to. */
static const struct fx_webhook_path paths[] = {
    {"/podbinding-webhook", FX_ENDPOINT_BINDING},
    {"/dragnet-webhook", FX_ENDPOINT_MUTATE},
    {"/validate-api-kubemod-io-v1beta1-modrule", FX_ENDPOINT_ADMIT},
    {"/mutate-api-kubemod-io-v1beta1-modrule", FX_ENDPOINT_DEFAULTS},
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
    .set_defaults = fx_rule_set_defaults,
};
