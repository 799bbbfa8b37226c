/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/kinds.c - the list of what is read as policy.
 */
#include "cluster/policies/kinds.h"

#include <string.h>

#include "base/text.h"

#define GATEKEEPER "mutations.gatekeeper.sh"
#define FIXPOINT   "mutations.fixpoint.dev"
#define PROVIDERS  "externaldata.gatekeeper.sh"
#define CONFIGS    "config.gatekeeper.sh"
#define KUBEMOD    "api.kubemod.io"

#define WAITING(group, plural) "waiting for the list of " plural "." group

/* Gatekeeper serves these in three versions of one schema (spec section 3.1). */
#define THREE(plural, kind)                                   \
    {                                                         \
        .versions = {{GATEKEEPER, "v1", plural, kind},        \
                     {GATEKEEPER, "v1beta1", plural, kind},   \
                     {GATEKEEPER, "v1alpha1", plural, kind}}, \
        .n_versions = 3,                                      \
        .waiting = WAITING(GATEKEEPER, plural),               \
        .is_mutator = true,                                   \
    }
#define ALPHA(group, plural, kind)                       \
    {                                                    \
        .versions = {{group, "v1alpha1", plural, kind}}, \
        .n_versions = 1,                                 \
        .waiting = WAITING(group, plural),               \
        .is_mutator = true,                              \
    }

const struct fx_cluster_kind fx_cluster_kinds[FX_CLUSTER_KINDS] = {
    THREE("assign", "Assign"),
    ALPHA(GATEKEEPER, "assignimage", "AssignImage"),
    THREE("assignmetadata", "AssignMetadata"),
    THREE("modifyset", "ModifySet"),
    /* Words of their own, so that `kubectl get assign` means Gatekeeper's. */
    ALPHA(FIXPOINT, "fixpointassigns", "Assign"),
    ALPHA(FIXPOINT, "fixpointassignimages", "AssignImage"),
    ALPHA(FIXPOINT, "fixpointassignmetadata", "AssignMetadata"),
    ALPHA(FIXPOINT, "fixpointmodifysets", "ModifySet"),
    ALPHA(FIXPOINT, "fixpointremoves", "Remove"),
    {.versions = {{PROVIDERS, "v1beta1", "providers", "Provider"},
                  {PROVIDERS, "v1alpha1", "providers", "Provider"}},
     .n_versions = 2,
     .waiting = WAITING(PROVIDERS, "providers")},
    {.versions = {{CONFIGS, "v1alpha1", "configs", "Config"}},
     .n_versions = 1,
     .waiting = WAITING(CONFIGS, "configs"),
     .is_config = true},
    {.versions = {{KUBEMOD, "v1beta1", "modrules", "ModRule"}},
     .n_versions = 1,
     .waiting = WAITING(KUBEMOD, "modrules"),
     .api = FX_CLUSTER_API_KUBEMOD,
     .is_mutator = true,
     .has_ready = true,
     .is_namespaced = true},
};

/* ---- which of them --------------------------------------------------------------- */

static const char *const api_words[] = {
#define X(name, word) [FX_CLUSTER_API_##name] = (word),
    FX_CLUSTER_APIS(X)
#undef X
};

static bool add_api(struct fx_text word, unsigned *apis) {
    for (size_t i = 0; i < FX_COUNT(api_words); i++) {
        if (fx_text_is(word, api_words[i])) {
            *apis |= FX_CLUSTER_API_BIT(i);
            return true;
        }
    }
    return false;
}

static bool fail_api(struct fx_text word, struct fx_err *err) {
    static const char all[] =
#define X(name, word) ", " word
        FX_CLUSTER_APIS(X);
#undef X
    return fx_fail(err, FX_EINVALID, "`%.*s` is not one of %s", FX_TEXT_ARG(word),
                   all + 2);
}

bool fx_cluster_apis_parse(const char *words, unsigned *ret_apis, struct fx_err *err) {
    unsigned apis = 0;
    const char *at = words;
    for (;;) {
        const struct fx_text word = {at, strcspn(at, ",")};
        if (!add_api(word, &apis)) {
            return fail_api(word, err);
        }
        if (word.data[word.len] == '\0') {
            *ret_apis = apis;
            return true;
        }
        at += word.len + 1;
    }
}
