/* SPDX-License-Identifier: Apache-2.0
 *
 * value/place.h - a place in a text that moves forward, counting lines and columns.
 * Walking all of a text's places in order costs one pass.
 */
#ifndef FX_VALUE_PLACE_H
#define FX_VALUE_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct fx_place {
    size_t off;
    uint32_t line, column; /* from 1; columns in runes */
};

/* The beginning of the text: behind its byte order mark, if any, which has no width. */
struct fx_place fx_place_start(struct fx_text text);

/* Moves on to the byte at `off` (cut to the text's end), which is not before it. A line
 * ends at its line feed. */
void fx_place_advance(struct fx_place *place, struct fx_text text, size_t off);

/* Moves on by one rune; stays at the text's end. */
void fx_place_step(struct fx_place *place, struct fx_text text);

#endif
