/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status_lists.h - how the installed CRDs keep `status.byPod`: as a list keyed by
 * `id`, in which each replica owns its entry, or as one atomic value. Private to this
 * room. Loop thread only.
 */
#ifndef FX_CLUSTER_STATUS_LISTS_H
#define FX_CLUSTER_STATUS_LISTS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "cluster/kinds.h"
#include "kube/client.h"

struct fx_status_lists; /* opaque */

/* Asks for the CRD of each mutator kind, and again every ten minutes. `on_known` is told
 * when all have been asked for once. Errors: FX_ENOMEM. */
struct fx_status_lists *fx_status_lists_create(uv_loop_t *loop,
                                               struct fx_kube_client *client,
                                               void (*on_known)(void *user), void *user,
                                               struct fx_err *err) FX_MUST_USE;

bool fx_status_lists_known(const struct fx_status_lists *lists);

/* Is it keyed in that version of the resource? False, which always works, where the CRD
 * may not be read. */
bool fx_status_lists_is_keyed(const struct fx_status_lists *lists,
                              const struct fx_kube_resource *resource);

/* The same of a CRD object. Pure. */
bool fx_status_list_is_keyed(const json_t *crd, const char *version);

void fx_status_lists_close(struct fx_status_lists *lists); /* NULL is fine */

#endif
