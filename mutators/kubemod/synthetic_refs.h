/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/synthetic_refs.h - private: the object view of rules: the field that
 * is added, and the fields that are hidden (spec sections 2 and 6).
 */
#ifndef FX_MUTATORS_KUBEMOD_SYNTHETIC_REFS_H
#define FX_MUTATORS_KUBEMOD_SYNTHETIC_REFS_H

#include "engine/dialect.h"
#include "engine/input.h"
#include "engine/mutator.h"

#define SYNTHETIC_REFS "syntheticRefs"

/* Adds `syntheticRefs` with the namespace and the node, if the request has them. Hides
 * metadata.managedFields. */
extern const struct fx_object_view fx_synthetic_refs;

/* The inputs of rules that read `syntheticRefs`: first the namespace, then the node. */
extern const struct fx_input fx_synthetic_inputs[2];

/* The annotations by which a Pod requests its Node, and that contain its name. */
extern const struct fx_node_annotations fx_synthetic_node;

#endif
