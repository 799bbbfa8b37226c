/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/image.h - private: the parts of an image reference. The functions
 * neither add nor remove `docker.io/library/` and `:latest`.
 */
#ifndef FX_MUTATORS_GATEKEEPER_IMAGE_H
#define FX_MUTATORS_GATEKEEPER_IMAGE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/text.h"

/* The parts of a reference, borrowed from it. A missing part is empty. */
struct image {
    struct fx_text domain; /* without the `/` after it */
    struct fx_text path;
    struct fx_text tag; /* with its `:` or `@`; `:1@sha256:…` is one tag */
};

/* Splits any text (spec section 3.5). fx_image_print() of the parts gives the same
 * text. */
struct image fx_image_split(struct fx_text reference);

/* Returns `image` with those parts of `parts` that are not empty. */
struct image fx_image_replace(struct image image, const struct image *parts);

/* True if the parts are the same. Then the references are the same, but equal references
 * may have different parts. */
bool fx_image_equal(const struct image *a, const struct image *b);

/* Appends the reference. A failure is kept in `buf`. */
void fx_image_print(struct fx_buf *buf, const struct image *image);

/* True for a host name with a dot in it, or `localhost`, with or without a port. */
bool fx_image_is_domain(struct fx_text text);

bool fx_image_is_path(struct fx_text text);

/* True for a tag after `:`, or a digest after `@`. */
bool fx_image_is_tag(struct fx_text text);

#endif
