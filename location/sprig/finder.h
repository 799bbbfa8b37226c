/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/finder.h - private: looking for a text in another one, in time
 * linear in both, however they repeat themselves (Knuth, Morris and Pratt, 1977).
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
    size_t *borders; /* of each start of the needle: how much of it also begins it */
};

#define FINDER_NONE SIZE_MAX

/* The needle is borrowed, and not empty. */
bool finder_init(struct text_finder *finder, struct template_run *run,
                 struct fx_text needle) FX_MUST_USE;

/* Where it stands next in the text, from `from` on; FINDER_NONE: nowhere. */
size_t finder_next(const struct text_finder *finder, struct fx_text text, size_t from);

#endif
