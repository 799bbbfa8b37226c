/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/bindings.h - Pods that are being bound are told their Node: where a
 * Pod asks for it, by an annotation that a dialect knows, the Node's name is written into
 * another one (cluster/references/binding_patch.h). The change comes back as a Pod's
 * UPDATE, whose review then sees the Node.
 *
 * Written is a merge patch of that annotation alone, so that nobody else's change is in
 * its way; what fails and may pass is tried again until the deadline. Loop thread only.
 */
#ifndef FX_CLUSTER_REFERENCES_BINDINGS_H
#define FX_CLUSTER_REFERENCES_BINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "kube/client.h"

struct fx_cluster_bindings; /* opaque */

/* NULL without memory. Close it before the client. */
struct fx_cluster_bindings *
fx_cluster_bindings_create(uv_loop_t *loop, struct fx_kube_client *client) FX_MUST_USE;

/* Which Pod goes where. Borrowed for the call. */
struct fx_cluster_binding {
    struct fx_text namespace_, pod, node;
    uint64_t deadline_ns;
};

/* What came of it: whether the Pod was told (it may not have asked), and otherwise, where
 * it should have been, why it was not. */
typedef void fx_cluster_on_bound(bool told, const struct fx_err *failure, void *user);

/* Begins. `on_done` is called once, later, on the loop, by the deadline; not any more
 * when all is closed. False without memory, or where too many are under way. */
bool fx_cluster_bindings_start(struct fx_cluster_bindings *bindings,
                               const struct fx_cluster_binding *binding,
                               fx_cluster_on_bound *on_done, void *user) FX_MUST_USE;

/* Gives up what is under way. The memory goes when the loop has closed its handles. NULL
 * is fine. */
void fx_cluster_bindings_close(struct fx_cluster_bindings *bindings);

#endif
