/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/sketch.h - private: the two parts of a sketch (target.h): the type
 * and metadata of the object, and its fields.
 */
#ifndef FX_MUTATORS_GATEKEEPER_SKETCH_H
#define FX_MUTATORS_GATEKEEPER_SKETCH_H

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "mutators/gatekeeper/target.h"

/* The name of an object that may have any name. */
#define SKETCH_NAME "example"

/* Creates an object of a type that the policy of this `spec` matches, with a matching
 * name, namespace, labels and annotations. Returns a new reference, or NULL if there is
 * no simple answer (no error), or without memory (then `err` is set). */
json_t *fx_sketch_subject(const struct target *target, const json_t *spec,
                          struct fx_err *err) FX_MUST_USE;

#endif
