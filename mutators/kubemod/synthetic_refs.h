/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/synthetic_refs.h - private: what rules are shown besides the object,
 * and what of it they are not shown (spec sections 2 and 6).
 */
#ifndef FX_MUTATORS_KUBEMOD_SYNTHETIC_REFS_H
#define FX_MUTATORS_KUBEMOD_SYNTHETIC_REFS_H

#include "engine/guise.h"

#define SYNTHETIC_REFS "syntheticRefs"

/* The annotation that names the Node of a Pod. */
#define NODE_NAME "ref.kubemod.io/nodename"

/* `syntheticRefs` with the namespace and the node, as far as the request has them; no
 * metadata.managedFields. */
extern const struct fx_guise fx_synthetic_refs;

#endif
