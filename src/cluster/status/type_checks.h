/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/type_checks.h - checks the expressions of policies against the types of
 * the API server's kinds (fx_dialect.check_types), for the field `typeChecking` of their
 * statuses. Private to this room. Loop thread only.
 *
 * One policy after the other is checked on a worker. The schemas that a check asks for
 * are fetched, and then it runs again. A policy is checked when it is new or changed, and
 * all of them again after ten minutes: definitions of custom resources change, too.
 */
#ifndef FX_CLUSTER_STATUS_TYPE_CHECKS_H
#define FX_CLUSTER_STATUS_TYPE_CHECKS_H

#include <jansson.h>
#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/status/status.h"
#include "policy/policies.h"

struct fx_type_checks; /* opaque */

/* `on_checked` reports the key (fx_cluster_object.key) of a policy whose warnings
 * changed. Returns NULL on failure; errors: FX_ENOMEM. */
struct fx_type_checks *
fx_type_checks_create(uv_loop_t *loop, const struct fx_type_source *source,
                      void (*on_checked)(const char *key, void *user), void *user,
                      struct fx_err *err) FX_MUST_USE;

/* Checks the policies of this build; NULL: none. Those that have not changed since the
 * build before keep their results. */
void fx_type_checks_set(struct fx_type_checks *checks, const struct fx_policies *built);

/* The warnings of exactly this version of a policy as status.typeChecking has them, an
 * object; borrowed until the next call or callback. NULL: they are not known. */
json_t *fx_type_checks_find(const struct fx_type_checks *checks,
                            const struct fx_cluster_object *object);

/* Stops. No callback follows. Fetches of the source that are under way must end without
 * a report. NULL is allowed. */
void fx_type_checks_close(struct fx_type_checks *checks);

#endif
