/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/example.h - private: the first half of an example (target.h): the
 * object's type, names and labels.
 */
#ifndef FX_MUTATORS_GATEKEEPER_EXAMPLE_H
#define FX_MUTATORS_GATEKEEPER_EXAMPLE_H

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "mutators/gatekeeper/target.h"

/* The name of the object, if any name is valid. */
#define EXAMPLE_NAME "example"

/* Makes an object that `applyTo` and `match` of this `spec` select: its type, name,
 * namespace, labels and annotations. Returns a new reference. Returns NULL if none can be
 * derived (no error), or if out of memory (*err is set). */
json_t *fx_example_subject(const struct target *target, const json_t *spec,
                           struct fx_err *err) FX_MUST_USE;

#endif
