/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/finder.h - private: searches for a text in linear time, also where the
 * texts are repetitive (Knuth, Morris and Pratt, 1977).
 */
#ifndef FX_LOCATION_SPRIG_FINDER_H
#define FX_LOCATION_SPRIG_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/run.h"

struct text_finder {
    struct fx_text needle;
    size_t *borders; /* of each prefix of the needle: the length of its longest border */
};

#define FINDER_NONE SIZE_MAX

/* The needle is borrowed, and not empty. */
bool finder_init(struct text_finder *finder, struct template_run *run,
                 struct fx_text needle) FX_MUST_USE;

/* Returns the offset of the next occurrence in the text at or after `from`, or
 * FINDER_NONE. */
size_t finder_next(const struct text_finder *finder, struct fx_text text, size_t from);

#endif
