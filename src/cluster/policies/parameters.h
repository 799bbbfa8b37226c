/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/policies/parameters.h - the objects of the kinds that policies name. Asks the
 * API server for the resource of each kind, watches it, and keeps its objects as text.
 * Private to this room. Loop thread only.
 *
 * A kind is settled when its objects have been listed, or when it is known why they
 * cannot be read, or after FX_PARAMETERS_WAIT_MS. Failed reads are repeated after growing
 * pauses.
 */
#ifndef FX_CLUSTER_POLICIES_PARAMETERS_H
#define FX_CLUSTER_POLICIES_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

#include "base/macros.h"
#include "engine/kind.h"
#include "kube/client.h"
#include "kube/reflector.h"

#define FX_PARAMETERS_WAIT_MS 10000u

struct fx_parameters; /* opaque */

struct fx_parameters_events {
    /* An object was added, changed or removed. */
    void (*on_object)(const struct fx_named_kind *kind, struct fx_text namespace_,
                      struct fx_text name, void *user);
    /* A kind has settled, or the reason why its objects cannot be read has changed. */
    void (*on_kind)(void *user);
};

/* NULL without memory. */
struct fx_parameters *fx_parameters_create(uv_loop_t *loop, struct fx_kube_client *client,
                                           const struct fx_parameters_events *events,
                                           void *user) FX_MUST_USE;

/* Watches these kinds from now on; if `only`, stops watching all others. False without
 * memory: then some kinds are not watched until the next call. */
bool fx_parameters_watch(struct fx_parameters *parameters,
                         const struct fx_named_kinds *kinds, bool only) FX_MUST_USE;

/* The settled kinds, copied for a build on another thread. */
struct fx_parameter_states {
    struct fx_kind_state *items;
    char **texts; /* the memory of the items' texts; private */
    struct fx_named_kinds names;
    size_t n_items;
};

/* Copies the states into `ret_states` (zeroed), which the caller finishes in any case.
 * False without memory. */
bool fx_parameters_copy_states(const struct fx_parameters *parameters,
                               struct fx_parameter_states *ret_states) FX_MUST_USE;
void fx_parameter_states_finish(struct fx_parameter_states *states);

/* A parameter object. Borrowed. */
struct fx_parameter {
    char *key; /* unique: "widgets.example.com/v1/NAMESPACE/NAME" */
    struct fx_policy_text *object;
};

/* All objects, sorted by key; valid until the loop continues. */
const struct fx_parameter *fx_parameters_list(const struct fx_parameters *parameters,
                                              size_t *ret_n);

/* The number of kinds, and the status of the kind at an index. False: its resource is not
 * known, or is not watched. The resource is valid until the loop continues. */
size_t fx_parameters_count(const struct fx_parameters *parameters);
bool fx_parameters_get_status(const struct fx_parameters *parameters, size_t index,
                              const struct fx_kube_resource **ret_resource,
                              struct fx_kube_reflector_status *ret_status);

/* Stops. The memory is freed when the loop has closed its handles. NULL is allowed. */
void fx_parameters_close(struct fx_parameters *parameters);

#endif
