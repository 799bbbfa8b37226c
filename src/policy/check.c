/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/check.c - the dialect of a kind; one policy, compiled and checked.
 */
#include "policy/check.h"

#include "base/macros.h"
#include "engine/request.h"
#include "engine/resource.h"
#include "engine/webhook.h"
#include "net/tls.h"
#include "value/tree.h"

/* ---- the dialect of a kind ------------------------------------------------------- */

/* API groups of policies of other systems, which may have other objects, too: the group,
 * and the prefix of its kinds of policies ("" for every kind). */
#define OTHER_GROUPS(X)          \
    X("kyverno.io", "")          \
    X("policies.kyverno.io", "") \
    X("admissionregistration.k8s.io", "MutatingAdmissionPolicy")

/* Is it a group of policies of a dialect? Groups of parameters and bindings do not count,
 * because they may have other objects, too. */
static bool is_dialect_group(struct fx_text group) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        for (const struct fx_kind *k = fx_dialects[i]->kinds; k->kind != NULL; k++) {
            if ((k->role == FX_ROLE_POLICY || k->role == FX_ROLE_RESOURCE) &&
                fx_text_is(group, k->group)) {
                return true;
            }
        }
    }
    return false;
}

bool fx_policy_is_any_kind(struct fx_text group, struct fx_text kind) {
    static const struct {
        const char *group, *kind_prefix;
    } others[] = {
#define X(name, prefix) {name, prefix},
        OTHER_GROUPS(X)
#undef X
    };
    for (size_t i = 0; i < FX_COUNT(others); i++) {
        if (fx_text_is(group, others[i].group)) {
            return fx_text_starts(kind, fx_text_of(others[i].kind_prefix));
        }
    }
    return is_dialect_group(group);
}

/* Returns the first entry of that kind, of the group or, if that is NULL, of any
 * group. */
static const struct fx_kind *find_kind(const struct fx_dialect *dialect,
                                       const struct fx_text *group, struct fx_text kind) {
    for (const struct fx_kind *k = dialect->kinds; k->kind != NULL; k++) {
        if (fx_text_is(kind, k->kind) &&
            (group == NULL || fx_text_is(*group, k->group))) {
            return k;
        }
    }
    return NULL;
}

static const struct fx_dialect *find_dialect(struct fx_text group, struct fx_text kind,
                                             const struct fx_kind **ret_kind) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        const struct fx_kind *found = find_kind(fx_dialects[i], &group, kind);
        if (found != NULL) {
            *ret_kind = found;
            return fx_dialects[i];
        }
    }
    return NULL;
}

const struct fx_dialect *fx_policy_dialect(const struct fx_subject *subject,
                                           const struct fx_kind **ret_kind) {
    const struct fx_kind *found = NULL;
    const struct fx_dialect *dialect =
        find_dialect(subject->group, subject->kind, &found);
    if (dialect != NULL && found->role == FX_ROLE_PARAMETER && found->name != NULL &&
        !fx_text_is(subject->name, found->name)) {
        return NULL;
    }
    *ret_kind = found;
    return dialect;
}

const struct fx_kind *fx_policy_find_kind(struct fx_text kind) {
    const struct fx_kind *found = NULL;
    for (size_t i = 0; found == NULL && fx_dialects[i] != NULL; i++) {
        found = find_kind(fx_dialects[i], NULL, kind);
    }
    return found;
}

/* ---- one policy ------------------------------------------------------------------ */

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

/* ---- the webhooks of policies ------------------------------------------------------ */

static bool check_policy(const struct fx_dialect *dialect, const struct fx_kind *kind,
                         json_t *object, struct fx_compilation *made,
                         struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    if (!fx_kind_has_version(kind, subject.version)) {
        return fx_policy_fail_version(object, err);
    }
    const struct fx_webhook *webhook = dialect->webhook;
    return (webhook == NULL || webhook->check == NULL || webhook->check(&subject, err)) &&
           fx_policy_compile(dialect, object, made, err);
}

bool fx_policy_is_kind(struct fx_text group, struct fx_text kind) {
    const struct fx_kind *found = NULL;
    return find_dialect(group, kind, &found) != NULL && found->role != FX_ROLE_PARAMETER;
}

bool fx_policy_check(json_t *object, struct fx_compilation *ret_compilation,
                     bool *ret_is_policy, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    const struct fx_kind *kind = NULL;
    const struct fx_dialect *dialect = fx_policy_dialect(&subject, &kind);
    *ret_is_policy = dialect != NULL;
    return dialect == NULL || check_policy(dialect, kind, object, ret_compilation, err);
}

bool fx_policy_set_defaults(json_t **object, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(*object, &subject);
    const struct fx_kind *kind = NULL;
    const struct fx_dialect *dialect = fx_policy_dialect(&subject, &kind);
    return dialect == NULL || dialect->set_defaults == NULL ||
           !fx_kind_has_version(kind, subject.version) ||
           dialect->set_defaults(object, err);
}
