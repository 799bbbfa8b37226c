/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/check.c - one object for the webhook that validates policies.
 */
#include "policy/check.h"

#include "engine/request.h"
#include "policy/compile.h"
#include "policy/groups.h"
#include "value/tree.h"

/* Gatekeeper reads the one Config called so, and lets its users store no other. */
static bool check_config(const struct fx_subject *subject, struct fx_err *err) {
    if (!fx_text_is(subject->group, "config.gatekeeper.sh") ||
        !fx_text_is(subject->kind, "Config") || fx_text_is(subject->name, "config")) {
        return true;
    }
    const json_t *metadata = fx_tree_view_key(subject->object, "metadata");
    return fx_fail_in(err, fx_tree_view_key(metadata, "name"), FX_EINVALID,
                      "config resource must have name 'config'");
}

static bool check(const struct fx_dialect *dialect, const struct fx_kind *kind,
                  json_t *object, struct fx_compilation *made, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    if (!fx_kind_has_version(kind, subject.version)) {
        return fx_policy_fail_version(object, err);
    }
    return check_config(&subject, err) && fx_policy_compile(dialect, object, made, err);
}

bool fx_policy_is_kind(struct fx_text group, struct fx_text kind) {
    const struct fx_kind *found = NULL;
    return fx_policy_groups_dialect(group, kind, &found) != NULL;
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
