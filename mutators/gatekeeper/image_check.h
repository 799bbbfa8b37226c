/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/image_check.h - private: checks the parts of an image reference
 * (spec section 3.5). Each function accepts the same texts as Gatekeeper's regular
 * expression, which is written above it in image_check.c.
 */
#ifndef FX_MUTATORS_GATEKEEPER_IMAGE_CHECK_H
#define FX_MUTATORS_GATEKEEPER_IMAGE_CHECK_H

#include <stdbool.h>

#include "base/text.h"

/* A host name with a dot in it, or `localhost`; with a port or without. */
bool fx_image_is_domain(struct fx_text text);

bool fx_image_is_path(struct fx_text text);

/* A tag after `:`, or a digest after `@`. */
bool fx_image_is_tag(struct fx_text text);

#endif
