/* SPDX-License-Identifier: Apache-2.0
 *
 * base/image_reference.h - references of images, such as "ghcr.io/org/app:1.2", as
 * Kyverno splits them (Kyverno spec section 7; the grammar is that of the OCI
 * distribution project).
 */
#ifndef FX_BASE_IMAGE_REFERENCE_H
#define FX_BASE_IMAGE_REFERENCE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* The texts are borrowed from the reference, or constants. */
struct fx_image_reference {
    struct fx_text registry; /* "docker.io" if the reference has none; rarely empty */
    struct fx_text path;     /* "library/nginx"; nothing is added to it */
    struct fx_text name;     /* the last part of the path: "nginx" */
    struct fx_text tag;      /* "latest" if there is neither a tag nor a digest */
    struct fx_text digest;   /* "sha256:…", or empty */
};

/* Splits a reference. Takes linear time, for which the caller spends. Errors:
 * FX_EINVALID.
 */
bool fx_image_reference_parse(struct fx_text reference,
                              struct fx_image_reference *ret_image,
                              struct fx_err *err) FX_MUST_USE;

/* Appends "registry/path:tag", or "registry/path@digest" if there is a digest. */
void fx_image_reference_print(struct fx_buf *buf, const struct fx_image_reference *image);

#endif
