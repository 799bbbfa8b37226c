/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/references/binding_patch.h - what a Pod is to be told of the Node that it is
 * bound to, as the dialects have it (engine/dialect.h). Private to this room. Pure.
 */
#ifndef FX_CLUSTER_REFERENCES_BINDING_PATCH_H
#define FX_CLUSTER_REFERENCES_BINDING_PATCH_H

#include <stdbool.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

/* The merge patch that writes the name of the Node into this Pod, and into no other one
 * of its name; NULL where the Pod does not ask for it, has it, or is on a Node already:
 * no API server binds it again, so whoever says so is none. False without memory. */
bool fx_binding_patch_make(const json_t *pod, struct fx_text node,
                           json_t **ret_patch) FX_MUST_USE;

#endif
