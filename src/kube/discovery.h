/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/discovery.h - finds the resource of a kind. GET /apis/GROUP/VERSION, or
 * /api/VERSION for the core group, lists the resources of one version. Loop thread
 * only.
 */
#ifndef FX_KUBE_DISCOVERY_H
#define FX_KUBE_DISCOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"
#include "kube/client.h"
#include "kube/failure.h"
#include "kube/resource.h"

struct fx_kube_discovery; /* opaque: one request in progress */

/* The result; borrowed for the callback. */
struct fx_kube_discovered {
    /* NULL after success. The reason is UNKNOWN if the server does not have the version
     * of the group, or the version does not have the kind. */
    const struct fx_kube_failure *failure;
    struct fx_kube_resource resource; /* set only after success */
    bool is_namespaced;
};
typedef void fx_kube_on_discovered(const struct fx_kube_discovered *discovered,
                                   void *user);

/* Asks the server for the resource of a kind. `wanted` has group, version and kind, which
 * are copied. `timeout_ms` 0 stands for 30 s. `on_done` is called exactly once, later, on
 * the loop. NULL only without memory. */
struct fx_kube_discovery *fx_kube_discovery_start(struct fx_kube_client *client,
                                                  const struct fx_kube_resource *wanted,
                                                  uint64_t timeout_ms,
                                                  fx_kube_on_discovered *on_done,
                                                  void *user) FX_MUST_USE;

/* Cancels the request: `on_done` is not called. Not allowed after `on_done`. NULL is
 * allowed. */
void fx_kube_discovery_cancel(struct fx_kube_discovery *discovery);

/* Finds the kind in the answer, an APIResourceList: the name of its resource, borrowed
 * from the list, and whether its objects are namespaced. Subresources do not count. False
 * if the list does not have the kind, or the name cannot be one. Pure. */
bool fx_kube_discovery_read(const json_t *list, struct fx_text kind,
                            struct fx_text *ret_plural,
                            bool *ret_is_namespaced) FX_MUST_USE;

#endif
