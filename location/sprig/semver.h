/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/semver.h - private: semantic versions (semver.org 2.0.0) as the library
 * behind Sprig reads them, with an optional `v` in front and optional parts; and the
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

/* A version. All texts are borrowed from the text that was parsed. */
struct semantic_version {
    uint64_t major, minor, patch;
    struct fx_text prerelease; /* "alpha.1", or empty */
    struct fx_text metadata;   /* the part after the `+`, or empty */
    struct fx_text original;
};

/* Appends `1.2.3-alpha.1+build`. */
void version_print(struct fx_buf *buf, const void *object);

/* Parses a version. Errors: FX_EMUTATE with the library's messages. */
bool version_parse(struct fx_text text, struct semantic_version *ret_version,
                   struct fx_err *err) FX_MUST_USE;

/* Checks the part of a version after its `-`. Errors: as above. */
bool version_check_prerelease(struct fx_text text, struct fx_err *err) FX_MUST_USE;

/* Removes identifiers such as `x.y.z` from the start of the text. They consist of
 * letters, digits and `-`; there is at least one, and none is empty. False if there are
 * none. */
bool version_take_identifiers(struct fx_text *text,
                              struct fx_text *ret_identifiers) FX_MUST_USE;

/* Compares by precedence, without metadata. Returns a negative number, 0 or a positive
 * one. */
int version_compare(const struct semantic_version *a, const struct semantic_version *b);

/* Compares the prereleases alone. */
int version_compare_prereleases(const struct semantic_version *a,
                                const struct semantic_version *b);

/* True if the version meets the constraint, such as `>=1.20-0, <2 || ^3.1`. A version
 * with a prerelease meets only comparisons that name a prerelease. Errors: FX_EMUTATE
 * with the library's messages if the text is not a constraint. */
bool version_check(const struct semantic_version *version, struct fx_text constraint,
                   bool *ret_meets, struct fx_err *err) FX_MUST_USE;

#endif
