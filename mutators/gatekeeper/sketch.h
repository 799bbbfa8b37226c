/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/sketch.h - private: the two halves of a sketch (target.h): who the
 * object is, and what stands in it.
 */
#ifndef FX_MUTATORS_GATEKEEPER_SKETCH_H
#define FX_MUTATORS_GATEKEEPER_SKETCH_H

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "mutators/gatekeeper/target.h"

/* The name of what may have any. */
#define SKETCH_NAME "example"

/* Makes an object of a type that the policy of this `spec` wants, with the name,
 * namespace, labels and annotations that it asks for: a new reference; NULL where that
 * cannot be told (no error), or without memory (err says so). */
json_t *fx_sketch_subject(const struct target *target, const json_t *spec,
                          struct fx_err *err) FX_MUST_USE;

#endif
