/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/dialect.c - the dialect of Gatekeeper's mutators (spec section 3),
 * its resources (sections 7, 8 and 10), and the mutators of Fixpoint's own group.
 */
#include "engine/dialect.h"

#include <string.h>

#include "base/text.h"
#include "engine/request.h"
#include "mutators/gatekeeper/expansion.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/webhook.h"
#include "value/tree.h"

static const char *const all_versions[] = {"v1", "v1beta1", "v1alpha1", NULL};
static const char *const beta_versions[] = {"v1beta1", "v1alpha1", NULL};
static const char *const only_v1alpha1[] = {"v1alpha1", NULL};

static const struct fx_kind kinds[] = {
#define X(group_, resource_, kind_, prefix, versions_, scope_, role_)    \
    {                                                                    \
        .group = (group_),                                               \
        .kind = (kind_),                                                 \
        .resource = (resource_),                                         \
        .versions = (versions_),                                         \
        .scope = (scope_),                                               \
        .role = (role_),                                                 \
        .name = (scope_) == FX_SCOPE_OWN ? CONFIG_NAME : NULL,           \
        .status = (role_) == FX_ROLE_POLICY ? FX_KIND_STATUS_BY_POD : 0, \
    },
    KINDS(X)
#undef X
        {.kind = NULL},
};

/* The shape and the compile function of each kind, by the index in `kinds`. */
static const struct {
    const struct shape *shape;
    compile_policy *compile;
} compilers[] = {
#define X(group, resource, kind, prefix, versions, scope, role) \
    {&prefix##_shape, prefix##_compile},
    KINDS(X)
#undef X
};

/* Returns the index in `kinds`; that of the end if there is no such kind. */
static size_t find_kind(const json_t *source) {
    struct fx_subject subject;
    fx_subject_read(source, &subject);
    size_t index = 0;
    while (kinds[index].kind != NULL && !(fx_text_is(subject.group, kinds[index].group) &&
                                          fx_text_is(subject.kind, kinds[index].kind))) {
        index++;
    }
    return index;
}

const json_t *fx_policy_node(const struct policy *policy, const json_t *node) {
    return fx_shape_node(fx_shape_node(node, policy->spec), policy->source);
}

json_t *fx_policy_view_further(const struct policy *policy, const json_t *object,
                               const char *key) {
    return policy->extended ? fx_shape_view(object, key) : NULL;
}

/* Returns the version: the text after the `/` of `mutations.gatekeeper.sh/v1`. */
static const char *version_of(const json_t *source) {
    const struct fx_text version = fx_tree_view_string(source, "apiVersion");
    const char *slash = version.len > 0 ? strchr(version.data, '/') : NULL;
    return slash != NULL ? slash + 1 : "";
}

static bool compile_document(json_t *source, struct fx_compilation *ret_compilation,
                             struct fx_err *err) {
    const size_t index = find_kind(source);
    if (index >= FX_COUNT(compilers)) {
        return fx_fail_in(err, source, FX_EINVALID, "not a kind of Gatekeeper's");
    }
    const bool extended = strcmp(kinds[index].group, FIXPOINT_GROUP) == 0;
    if (!fx_shape_check(compilers[index].shape, source, version_of(source), extended,
                        ret_compilation, err)) {
        return false;
    }
    json_t *spec = fx_shape_view(source, "spec");
    const struct policy policy = {
        .source = source,
        .group = kinds[index].group,
        .kind = kinds[index].kind,
        .name = fx_tree_view_string(fx_tree_view_key(source, "metadata"), "name"),
        .namespace_ =
            fx_tree_view_string(fx_tree_view_key(source, "metadata"), "namespace"),
        .spec = spec,
        .parameters = fx_shape_view(spec, "parameters"),
        .syntax = extended ? FX_LOCATION_EXTENDED : FX_LOCATION_GATEKEEPER,
        .extended = extended,
    };
    return compilers[index].compile(&policy, ret_compilation, err);
}

const struct fx_dialect fx_dialect_gatekeeper = {
    .name = "gatekeeper",
    .rank = GATEKEEPER_RANK,
    .kinds = kinds,
    .webhook = &fx_gatekeeper_webhook,
    .compile = compile_document,
    .find_cycles = fx_expansion_find_cycles,
};
