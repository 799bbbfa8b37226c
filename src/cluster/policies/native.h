/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/native.h - decides who runs the policies of a group that API servers
 * may run themselves: the API server or Fixpoint, never both. Private to this room. Loop
 * thread only.
 *
 * The evidence is the feature gate (kube/feature_gate.h), else the version of the API
 * server. It is read at the start, when a watch of such policies recovers from a failure,
 * when the version changes, and every ten minutes.
 */
#ifndef FX_CLUSTER_POLICIES_NATIVE_H
#define FX_CLUSTER_POLICIES_NATIVE_H

#include <stdbool.h>

#include <uv.h>

#include "base/macros.h"
#include "cluster/policies/kinds.h"
#include "cluster/policies/policies.h"
#include "kube/client.h"
#include "kube/feature_gate.h"

/* Who runs the policies of an API server with these facts. Pure. */
enum fx_native_state fx_native_decide(const struct fx_native_api *api,
                                      const struct fx_kube_server_facts *facts);

struct fx_native; /* opaque */

/* Starts to find out about the group of the kind, which has a native API. `on_change` is
 * called when the state changes, later, on the loop. NULL without memory. */
struct fx_native *fx_native_create(uv_loop_t *loop, struct fx_kube_client *client,
                                   const struct fx_kind *kind, enum fx_native_mode mode,
                                   void (*on_change)(void *user), void *user) FX_MUST_USE;

/* Reads the evidence again, unless the operator has decided or it is being read. */
void fx_native_check(struct fx_native *native);

enum fx_native_state fx_native_get(const struct fx_native *native);

/* The evidence for the state, or why there is none: "its feature gate X is on". Valid
 * until the loop continues. */
const char *fx_native_reason(const struct fx_native *native);

/* Stops. The memory is freed when the loop has closed the timer. NULL is allowed. */
void fx_native_close(struct fx_native *native);

#endif
