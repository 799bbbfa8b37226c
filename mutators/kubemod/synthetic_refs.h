/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/synthetic_refs.h - private: what rules are shown besides the object,
 * and what of it they are not shown (spec sections 2 and 6).
 */
#ifndef FX_MUTATORS_KUBEMOD_SYNTHETIC_REFS_H
#define FX_MUTATORS_KUBEMOD_SYNTHETIC_REFS_H

#include "engine/dialect.h"
#include "engine/input.h"
#include "engine/object_view.h"

#define SYNTHETIC_REFS "syntheticRefs"

/* `syntheticRefs` with the namespace and the node, as far as the request has them; no
 * metadata.managedFields. */
extern const struct fx_object_view fx_synthetic_refs;

/* The inputs of rules that read `syntheticRefs`: first the namespace, then the node. */
extern const struct fx_input fx_synthetic_inputs[2];

/* How a Pod asks for its Node, and where the name of it stands. */
extern const struct fx_node_annotations fx_synthetic_node;

#endif
