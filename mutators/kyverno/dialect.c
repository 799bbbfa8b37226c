/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/dialect.c - the dialect of Kyverno's mutate rules: its kinds and defaults.
 */
#include "engine/dialect.h"

#include "filters.h"
#include "policy.h"
#include "value/tree.h"
#include "webhook.h"

static const char *const versions[] = {"v1", "v2beta1", NULL};
static const char *const exception_versions[] = {"v2", "v2beta1", NULL};

const struct fx_kind fx_kyverno_kinds[] = {
    [KYVERNO_CLUSTER_POLICY] = {.group = KYVERNO_GROUP,
                                .kind = "ClusterPolicy",
                                .resource = "clusterpolicies",
                                .versions = versions,
                                .role = FX_ROLE_POLICY,
                                .keeps = FX_KIND_KEEP_ANNOTATIONS},
    [KYVERNO_POLICY] = {.group = KYVERNO_GROUP,
                        .kind = "Policy",
                        .resource = "policies",
                        .versions = versions,
                        .scope = FX_SCOPE_NAMESPACE,
                        .role = FX_ROLE_POLICY,
                        .keeps = FX_KIND_KEEP_ANNOTATIONS},
    [KYVERNO_EXCEPTION] = {.group = KYVERNO_GROUP,
                           .kind = "PolicyException",
                           .resource = "policyexceptions",
                           .versions = exception_versions,
                           .scope = FX_SCOPE_NAMESPACE,
                           .role = FX_ROLE_PARAMETER},
    [KYVERNO_CONFIG] = KYVERNO_CONFIG_KIND,
    [KYVERNO_KINDS_END] = {.kind = NULL},
};

static bool compile(json_t *document, struct fx_compilation *ret_compilation,
                    struct fx_err *err) {
    const struct fx_text kind = fx_tree_view_string(document, "kind");
    if (fx_text_is(kind, fx_kyverno_kinds[KYVERNO_CONFIG].kind)) {
        return fx_kyverno_filters_compile(document, ret_compilation, err);
    }
    return fx_text_is(kind, fx_kyverno_kinds[KYVERNO_EXCEPTION].kind)
               ? fx_kyverno_exception_compile(document, ret_compilation, err)
               : fx_kyverno_policy_compile(document, ret_compilation, err);
}

static const struct fx_dialect_setting settings[] = {
    {KYVERNO_EXCEPTIONS_SETTING, "NAMESPACE",
     "the namespace whose PolicyExceptions count, or * for all (default none)"},
    {.name = NULL},
};

const struct fx_dialect fx_dialect_kyverno = {
    .name = "kyverno",
    .rank = KYVERNO_RANK,
    .kinds = fx_kyverno_kinds,
    .webhook = &fx_kyverno_webhook,
    .settings = settings,
    .compile = compile,
    .link = fx_kyverno_link,
};
