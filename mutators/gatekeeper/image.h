/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/image.h - private: the parts of an image reference, as they are
 * written: `docker.io/library/` and `:latest` are neither added nor taken away.
 */
#ifndef FX_MUTATORS_GATEKEEPER_IMAGE_H
#define FX_MUTATORS_GATEKEEPER_IMAGE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/text.h"

/* Borrowed from the reference; what it does not have is empty. */
struct image {
    struct fx_text domain; /* without the `/` behind it */
    struct fx_text path;
    struct fx_text tag; /* with its `:` or `@`; `:1@sha256:…` is one tag */
};

/* Splits any text (spec section 3.5). Printed again, the parts are the reference. */
struct image fx_image_split(struct fx_text reference);

/* `image` with those parts of `parts` that are not empty. */
struct image fx_image_replace(struct image image, const struct image *parts);

/* The same parts? Then they are the same reference; not always the other way round. */
bool fx_image_equal(const struct image *a, const struct image *b);

/* Appends the reference. Failure sticks in `buf`. */
void fx_image_print(struct fx_buf *buf, const struct image *image);

#endif
