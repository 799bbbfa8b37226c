/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/bindings.h - writes the name of the Node into Pods that are being
 * bound. If a Pod asks for it with an annotation that a dialect defines (node_annotations
 * in engine/dialect.h), the name of the Node is written into another annotation. This
 * change is an UPDATE of the Pod, whose review then has the Node.
 *
 * The write is a merge patch of only that annotation, so it does not conflict with other
 * changes. Temporary failures are retried until the deadline. Loop thread only.
 */
#ifndef FX_CLUSTER_REFERENCES_BINDINGS_H
#define FX_CLUSTER_REFERENCES_BINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <uv.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "kube/client.h"

struct fx_cluster_bindings; /* opaque */

/* NULL without memory. Close the bindings before the client. */
struct fx_cluster_bindings *
fx_cluster_bindings_create(uv_loop_t *loop, struct fx_kube_client *client) FX_MUST_USE;

/* A Pod and its Node. Borrowed for the call. */
struct fx_cluster_binding {
    struct fx_text namespace_, pod, node;
    uint64_t deadline_ns;
};

/* Reports whether the annotation was written. If not, `failure` is the reason, or NULL if
 * the Pod needs no annotation. */
typedef void fx_cluster_on_bound(bool written, const struct fx_err *failure, void *user);

/* Starts to write. `on_done` is called once, later, on the loop, before the deadline, but
 * never after fx_cluster_bindings_close(). False without memory, or if too many bindings
 * are in progress. */
bool fx_cluster_bindings_start(struct fx_cluster_bindings *bindings,
                               const struct fx_cluster_binding *binding,
                               fx_cluster_on_bound *on_done, void *user) FX_MUST_USE;

/* Cancels everything in progress. The memory is freed when the loop has closed its
 * handles. NULL is allowed. */
void fx_cluster_bindings_close(struct fx_cluster_bindings *bindings);

/* The merge patch that writes the name of the Node into exactly this Pod (by its uid).
 * NULL if the Pod does not ask for it, already has it, or is already bound: an API server
 * never binds a Pod twice, so such a Binding is not genuine. False without memory. Pure;
 * private to this room. */
bool fx_binding_patch_make(const json_t *pod, struct fx_text node,
                           json_t **ret_patch) FX_MUST_USE;

#endif
