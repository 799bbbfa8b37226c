/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dialect.c - KubeMod's ModRule joins the house.
 */
#include "engine/dialect.h"

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

const struct fx_dialect fx_dialect_kubemod = {
    .name = "kubemod",
    .rank = KUBEMOD_RANK,
    .kinds = kinds,
    .node_annotations = &fx_synthetic_node,
    .compile = fx_rule_compile,
    .fill_in = fx_rule_fill_in,
};
