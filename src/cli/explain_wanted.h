/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_wanted.h - the field that --field asks about. It is written as
 *   - a location, `spec.containers[name: web].image`, with `*` for any element;
 *   - a location as `explain` prints it, with `[0]` for an element without a name (and
 *     `[*]` for any);
 *   - a JSON pointer, `/spec/containers/0/image`.
 */
#ifndef FX_CLI_EXPLAIN_WANTED_H
#define FX_CLI_EXPLAIN_WANTED_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "cli/explain_fields.h"
#include "location/gatekeeper/location.h"

struct fx_wanted; /* opaque */

/* Errors: FX_ESYNTAX, FX_ELIMIT, in the words of locations; FX_ENOMEM. */
bool fx_wanted_parse(struct fx_text text, struct fx_wanted **ret_wanted,
                     struct fx_err *err) FX_MUST_USE;
void fx_wanted_destroy(struct fx_wanted *wanted); /* NULL is fine */

/* Is the field what is wanted, or below it, or above it? */
bool fx_wanted_has(const struct fx_wanted *wanted, const struct fx_field *field);

/* Could what the location names be what is wanted, or below it, or above it? */
bool fx_wanted_meets(const struct fx_wanted *wanted, const struct fx_location *location);

/* The same of a JSON pointer, in which `*` is any step. */
bool fx_wanted_meets_pointer(const struct fx_wanted *wanted, struct fx_text pointer);

#endif
