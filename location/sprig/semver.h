/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/semver.h - private: semantic versions (semver.org 2.0.0) as the
 * library behind Sprig reads them: a `v` in front and missing parts are fine; and the
 * constraints that select among them.
 */
#ifndef FX_LOCATION_SPRIG_SEMVER_H
#define FX_LOCATION_SPRIG_SEMVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* All texts are borrowed from the one that was read. */
struct semantic_version {
    uint64_t major, minor, patch;
    struct fx_text prerelease; /* "alpha.1", or empty */
    struct fx_text metadata;   /* behind the `+`, or empty */
    struct fx_text original;
};

/* Appends `1.2.3-alpha.1+build`. */
void version_print(struct fx_buf *buf, const void *object);

/* Errors: FX_EMUTATE with the library's messages. */
bool version_parse(struct fx_text text, struct semantic_version *ret_version,
                   struct fx_err *err) FX_MUST_USE;

/* Reads only what stands behind a `-` of a version. Errors: as above. */
bool version_check_prerelease(struct fx_text text, struct fx_err *err) FX_MUST_USE;

/* Takes `x.y.z` identifiers of letters, digits and `-` off the text: one at least, none
 * empty. False where there are none. */
bool version_take_identifiers(struct fx_text *text,
                              struct fx_text *ret_identifiers) FX_MUST_USE;

/* By precedence: negative, 0, positive; metadata does not count. */
int version_compare(const struct semantic_version *a, const struct semantic_version *b);

/* Compares the prereleases alone. */
int version_compare_prereleases(const struct semantic_version *a,
                                const struct semantic_version *b);

/* Does the version meet the constraint, such as `>=1.20-0, <2 || ^3.1`? A version with a
 * prerelease meets only comparisons that name one. Errors: FX_EMUTATE where it is no
 * constraint, with the library's messages. */
bool version_check(const struct semantic_version *version, struct fx_text constraint,
                   bool *ret_meets, struct fx_err *err) FX_MUST_USE;

#endif
