/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/sweep_plan.h - which entries of `status.byPod` nobody will ever write
 * again, and how each is removed. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_STATUS_SWEEP_PLAN_H
#define FX_CLUSTER_STATUS_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"
#include "kube/object.h"

/* Names, each once, sorted. Zeroed is empty. */
struct fx_sweep_names {
    char **items;
    size_t n_items, cap_items;
};

void fx_sweep_names_finish(struct fx_sweep_names *names);

/* Adds it; false without memory, or where there are too many. Cheap for names that come
 * in their order, as an API server gives them. */
bool fx_sweep_names_add(struct fx_sweep_names *names, struct fx_text name) FX_MUST_USE;

bool fx_sweep_names_has(const struct fx_sweep_names *names, struct fx_text name);
bool fx_sweep_names_hold_all(const struct fx_sweep_names *names,
                             const struct fx_sweep_names *others);

/* Adds the names of a page of a list, of whatever items have one. */
bool fx_sweep_names_add_page(struct fx_sweep_names *names,
                             const json_t *list) FX_MUST_USE;

enum fx_sweep_method {
    FX_SWEEP_NONE,  /* its id is no name of a Pod, or of our own */
    FX_SWEEP_APPLY, /* its Pod's field manager owns it in a list keyed by `id`: when that
                     * one applies nothing, it goes */
    FX_SWEEP_DROP,  /* it is of a Pod of our Deployment: the object is written without it
                     */
    FX_SWEEP_FOREIGN, /* of another program, as of its replicas: the object is written
                       * without it, in the end */
};

/* How the entry of that id can be removed from this object, which has its managedFields.
 */
enum fx_sweep_method fx_sweep_method_of(const json_t *object, struct fx_text id,
                                        const char *own_pod);

/* Are both Pods of one Deployment: the same name but for the last two parts? */
bool fx_sweep_is_sibling(struct fx_text id, const char *own_pod);

/* What a manager applies that has nothing more to say of the object: `apiVersion` and
 * `kind` are those of the resource that is asked. NULL without memory. */
json_t *fx_sweep_body(const char *api_version, const char *kind,
                      const struct fx_kube_identity *which) FX_MUST_USE;

#endif
