/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/image_check.h - private: which texts may be a part of an image
 * reference (spec section 3.5). Each takes exactly the texts that Gatekeeper's regular
 * expression takes, which stands above it in image_check.c.
 */
#ifndef FX_MUTATORS_GATEKEEPER_IMAGE_CHECK_H
#define FX_MUTATORS_GATEKEEPER_IMAGE_CHECK_H

#include <stdbool.h>

#include "base/text.h"

/* A host name with a dot in it, or `localhost`; with a port or without. */
bool fx_image_is_domain(struct fx_text text);

bool fx_image_is_path(struct fx_text text);

/* A tag behind `:`, or a digest behind `@`. */
bool fx_image_is_tag(struct fx_text text);

#endif
