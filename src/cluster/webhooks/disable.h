/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/disable.h - a webhook configuration that matches nothing for a while,
 * with a record of who wanted that, why and until when; and back. Pure: objects in,
 * patches out (kube/client.h writes them, as the field manager FX_DISABLE_MANAGER).
 *
 * Whoever changes a field owns it from then on, and an apply of anybody else who wants it
 * to be different is a conflict. So the record says, too, who owned the selectors, and
 * enabling takes two writes: the values, and whose they are.
 */
#ifndef FX_CLUSTER_WEBHOOKS_DISABLE_H
#define FX_CLUSTER_WEBHOOKS_DISABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"

#define FX_DISABLE_MANAGER "fixpoint-disable"

/* What the record says. Texts are borrowed from the configuration; NULL: not said. */
struct fx_disable_record {
    bool recorded; /* there is one */
    bool disabled; /* it is so, also where somebody took the record away: a webhook has
                    * the selector that no object fits; not where somebody (`helm
                    * upgrade`) wrote others since */
    const char *at, *by, *reason, *until;
    bool has_end;
    int64_t end; /* seconds since 1970 */
};

/* Reads the annotations `fixpoint.dev/disabled-…` of a configuration. An end that does
 * not parse is none. */
void fx_disable_read(const json_t *configuration, struct fx_disable_record *ret_record);

/* What to write into a new record. */
struct fx_disable_request {
    const char *by, *reason; /* NULL: not said */
    int64_t now, end;        /* seconds since 1970; end 0: until enabled */
};

/* The apply configuration that disables: each webhook's objectSelector becomes one that
 * no object fits, those of before are kept in an annotation. Of one that is disabled
 * already those are kept that were before the first time, unless their record is spoilt.
 * A new tree, or NULL: FX_EINVALID (no webhook configuration, or one without webhooks),
 * FX_ENOMEM. */
json_t *fx_disable_apply(const json_t *configuration,
                         const struct fx_disable_request *wish,
                         struct fx_err *err) FX_MUST_USE;

/* The apply configuration that enables again: selectors as they were, but for those that
 * somebody wrote since; the record stays. NULL: FX_EINVALID (as above, or it is not
 * disabled, or there is no record), FX_ESYNTAX (the annotation with the
 * selectors was spoilt: delete it, and set objectSelector by hand), FX_ENOMEM. */
json_t *fx_enable_apply(const json_t *configuration, struct fx_err *err) FX_MUST_USE;

/* After it, of the configuration as it is then (with managedFields): a merge patch that
 * takes the record away, and by which those own the selectors who did before. Until it is
 * written the record is there, and both can be done again. NULL: FX_ENOMEM. */
json_t *fx_enable_hand_over(const json_t *configuration, struct fx_err *err) FX_MUST_USE;

#endif
