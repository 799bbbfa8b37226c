/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/versions.h - private to the room: versions of fewer parts made
 * whole (spec/cel.md section 10), for semver() and the tests of it.
 */
#ifndef FX_LOCATION_CEL_LIBRARY_VERSIONS_H
#define FX_LOCATION_CEL_LIBRARY_VERSIONS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Appends the version with three parts, and without a `v` in front and leading zeros; the
 * result need not be a version. Errors: FX_EMUTATE (a short version with a prerelease or
 * build). */
bool fx_cel_semver_normalize(struct fx_buf *buf, struct fx_text text,
                             struct fx_err *err) FX_MUST_USE;

#endif
