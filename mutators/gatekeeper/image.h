/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/image.h - private: the parts of an image reference. It neither adds
 * nor removes `docker.io/library/` and `:latest`.
 */
#ifndef FX_MUTATORS_GATEKEEPER_IMAGE_H
#define FX_MUTATORS_GATEKEEPER_IMAGE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/text.h"

/* Borrowed from the reference; a missing part is empty. */
struct image {
    struct fx_text domain; /* without the `/` after it */
    struct fx_text path;
    struct fx_text tag; /* with its `:` or `@`; `:1@sha256:…` is one tag */
};

/* Splits any text (spec section 3.5). fx_image_print() of the parts gives the same
 * text. */
struct image fx_image_split(struct fx_text reference);

/* `image` with those parts of `parts` that are not empty. */
struct image fx_image_replace(struct image image, const struct image *parts);

/* Are the parts the same? Then the references are the same; equal references may have
 * different parts. */
bool fx_image_equal(const struct image *a, const struct image *b);

/* Appends the reference. Failure sticks in `buf`. */
void fx_image_print(struct fx_buf *buf, const struct image *image);

/* A host name with a dot in it, or `localhost`; with a port or without. */
bool fx_image_is_domain(struct fx_text text);

bool fx_image_is_path(struct fx_text text);

/* A tag after `:`, or a digest after `@`. */
bool fx_image_is_tag(struct fx_text text);

#endif
