/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/fill_in.c - the way from an object to the dialect that knows what is left out.
 */
#include "policy/fill_in.h"

#include "engine/request.h"
#include "policy/groups.h"

bool fx_policy_fill_in(json_t **object, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(*object, &subject);
    const struct fx_kind *kind = NULL;
    const struct fx_dialect *dialect =
        fx_policy_groups_dialect(subject.group, subject.kind, &kind);
    return dialect == NULL || dialect->fill_in == NULL ||
           !fx_kind_has_version(kind, subject.version) || dialect->fill_in(object, err);
}
