/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/disable.h - disables a webhook configuration, so that it matches
 * nothing, with a record of the user, the reason and the end; and enables it again. Pure:
 * makes the bodies of writes, which are sent as the field manager FX_DISABLE_MANAGER.
 *
 * A manager that changes a field owns it from then on, and an apply of another manager
 * with another value is a conflict. So the record also says which manager owned the
 * selectors, and enabling takes two writes: the values, and their owners.
 */
#ifndef FX_CLUSTER_WEBHOOKS_DISABLE_H
#define FX_CLUSTER_WEBHOOKS_DISABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"

#define FX_DISABLE_MANAGER "fixpoint-disable"

/* The record. Texts are borrowed from the configuration; NULL: not given. */
struct fx_disable_record {
    bool recorded; /* there is a record */
    /* A webhook has the selector that matches no object, even if the record was
     * removed; false if another client (`helm upgrade`) has written other selectors
     * since. */
    bool disabled;
    const char *at, *by, *reason, *until;
    bool has_end;
    int64_t end; /* `until` in seconds since 1970 */
};

/* Reads the annotations `fixpoint.dev/disabled-…` of a configuration. An invalid date in
 * `until` counts as no end. */
void fx_disable_read(const json_t *configuration, struct fx_disable_record *ret_record);

/* The content of a new record. */
struct fx_disable_request {
    const char *by, *reason; /* NULL: not given */
    int64_t now, end;        /* seconds since 1970; end 0: until it is enabled */
};

/* The apply configuration that disables: it replaces each webhook's objectSelector by one
 * that matches no object, and keeps the old ones in an annotation. If the configuration
 * is disabled already, the selectors of its record are kept, unless the record is
 * invalid. A new tree, or NULL: FX_EINVALID (not a webhook configuration, or no
 * webhooks), FX_ENOMEM. */
json_t *fx_disable_apply(const json_t *configuration,
                         const struct fx_disable_request *request,
                         struct fx_err *err) FX_MUST_USE;

/* The apply configuration that enables: it restores the selectors, except those that
 * another client has written since. The record stays. A new tree, or NULL: FX_EINVALID
 * (as above; or not disabled, or no record), FX_ESYNTAX (the annotation with the
 * selectors is invalid: delete it, and set objectSelector by hand), FX_ENOMEM. */
json_t *fx_enable_apply(const json_t *configuration, struct fx_err *err) FX_MUST_USE;

/* The merge patch that follows fx_enable_apply(), for the configuration after it (with
 * managedFields): it removes the record and gives the selectors back to their owners.
 * Until it is written both writes can be repeated. A new tree, or NULL: FX_ENOMEM. */
json_t *fx_enable_hand_over(const json_t *configuration, struct fx_err *err) FX_MUST_USE;

#endif
