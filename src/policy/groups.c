/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/groups.c - the list of policy API groups, and the way to a dialect.
 */
#include "policy/groups.h"

#include "base/macros.h"

/* Group, and how the names of its kinds of policies begin ("": every kind). */
#define FX_POLICY_GROUPS(X)             \
    X("mutations.fixpoint.dev", "")     \
    X("mutations.gatekeeper.sh", "")    \
    X("externaldata.gatekeeper.sh", "") \
    X("expansion.gatekeeper.sh", "")    \
    X("config.gatekeeper.sh", "")       \
    X("api.kubemod.io", "")             \
    X("kyverno.io", "")                 \
    X("policies.kyverno.io", "")        \
    X("admissionregistration.k8s.io", "MutatingAdmissionPolicy")

bool fx_policy_groups_hold(struct fx_text group, struct fx_text kind) {
    static const struct {
        const char *group, *kind_start;
    } groups[] = {
#define X(name, start) {name, start},
        FX_POLICY_GROUPS(X)
#undef X
    };
    for (size_t i = 0; i < FX_COUNT(groups); i++) {
        if (fx_text_is(group, groups[i].group) &&
            fx_text_starts(kind, fx_text_of(groups[i].kind_start))) {
            return true;
        }
    }
    return false;
}

/* The first entry of that kind, of the group or, where that is NULL, of any. */
static const struct fx_kind *find(const struct fx_dialect *dialect,
                                  const struct fx_text *group, struct fx_text kind) {
    for (const struct fx_kind *k = dialect->kinds; k->kind != NULL; k++) {
        if (fx_text_is(kind, k->kind) &&
            (group == NULL || fx_text_is(*group, k->group))) {
            return k;
        }
    }
    return NULL;
}

const struct fx_dialect *fx_policy_groups_dialect(struct fx_text group,
                                                  struct fx_text kind,
                                                  const struct fx_kind **ret_kind) {
    for (size_t i = 0; fx_dialects[i] != NULL; i++) {
        const struct fx_kind *found = find(fx_dialects[i], &group, kind);
        if (found != NULL) {
            *ret_kind = found;
            return fx_dialects[i];
        }
    }
    return NULL;
}

const struct fx_kind *fx_policy_groups_find_kind(struct fx_text kind) {
    const struct fx_kind *found = NULL;
    for (size_t i = 0; found == NULL && fx_dialects[i] != NULL; i++) {
        found = find(fx_dialects[i], NULL, kind);
    }
    return found;
}
