/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/images_extractor.h - private: where objects of a kind have images.
 */
#ifndef FX_KYVERNO_IMAGES_EXTRACTOR_H
#define FX_KYVERNO_IMAGES_EXTRACTOR_H

#include <stddef.h>

#include "base/text.h"
#include "location/jmespath/jmespath.h"

struct kyverno_extractor {
    struct fx_text kind;
    struct fx_text *steps; /* to the maps that hold an image; "*" is each child */
    size_t n_steps;
    struct fx_text name;  /* of the list, "containers" */
    struct fx_text key;   /* the field with the key of an image; empty: its pointer */
    struct fx_text value; /* the field with the reference */
    struct fx_jmespath *query; /* makes the reference of the text; or NULL */
};

struct kyverno_extractors {
    struct kyverno_extractor *items;
    size_t n;
};

#endif
