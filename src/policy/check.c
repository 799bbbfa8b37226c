/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/check.c - one object for the webhook that validates policies.
 */
#include "policy/check.h"

#include "engine/request.h"
#include "engine/webhook.h"
#include "policy/compile.h"

static bool check(const struct fx_dialect *dialect, const struct fx_kind *kind,
                  json_t *object, struct fx_compilation *made, struct fx_err *err) {
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
    return fx_policy_groups_dialect(group, kind, &found) != NULL &&
           found->role != FX_ROLE_PARAMETER;
}

bool fx_policy_check(json_t *object, struct fx_compilation *ret_compilation,
                     bool *ret_is_policy, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    const struct fx_kind *kind = NULL;
    const struct fx_dialect *dialect =
        fx_policy_groups_dialect(subject.group, subject.kind, &kind);
    *ret_is_policy = dialect != NULL;
    return dialect == NULL || check(dialect, kind, object, ret_compilation, err);
}

bool fx_policy_set_defaults(json_t **object, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(*object, &subject);
    const struct fx_kind *kind = NULL;
    const struct fx_dialect *dialect =
        fx_policy_groups_dialect(subject.group, subject.kind, &kind);
    return dialect == NULL || dialect->set_defaults == NULL ||
           !fx_kind_has_version(kind, subject.version) ||
           dialect->set_defaults(object, err);
}
