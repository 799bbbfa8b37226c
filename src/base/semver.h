/* SPDX-License-Identifier: Apache-2.0
 *
 * base/semver.h - semantic versions read, printed, and their precedence
 * (semver.org 2.0.0, section 11). Languages whose libraries read versions more loosely
 * have readers of their own.
 */
#ifndef FX_BASE_SEMVER_H
#define FX_BASE_SEMVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* All texts are borrowed from the one that was read. */
struct fx_semver {
    uint64_t major, minor, patch;
    struct fx_text prerelease; /* "alpha.1", or empty */
    struct fx_text build;      /* after the `+`, or empty */
};

/* Reads a version of three parts, strictly, as the library does that Kubernetes and
 * Kyverno use (spec/cel.md section 10). Its texts are borrowed. Errors: FX_EMUTATE with
 * the library's message, FX_ENOMEM. */
bool fx_semver_parse(struct fx_text text, struct fx_semver *ret_version,
                     struct fx_err *err) FX_MUST_USE;

/* Appends "1.2.3-alpha.1+build". */
void fx_semver_print(struct fx_buf *buf, const struct fx_semver *version);

/* By precedence: negative, 0, positive; the build does not count. */
int fx_semver_compare(const struct fx_semver *a, const struct fx_semver *b);

/* The same of two prereleases: lists of identifiers of which no number has a leading 0.
 * The empty one is that of the release. */
int fx_semver_compare_prereleases(struct fx_text a, struct fx_text b);

#endif
