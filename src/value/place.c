/* SPDX-License-Identifier: Apache-2.0
 *
 * value/place.c - moving a place through its text.
 */
#include "value/place.h"

#include <stdbool.h>

struct fx_place fx_place_start(struct fx_text text) {
    const struct fx_text bom = FX_TEXT("\xEF\xBB\xBF");
    const size_t off = fx_text_starts(text, bom) ? bom.len : 0;
    return (struct fx_place){.off = off, .line = 1, .column = 1};
}

static bool is_continuation(char byte) {
    return ((unsigned char)byte & 0xC0u) == 0x80u;
}

void fx_place_step(struct fx_place *place, struct fx_text text) {
    if (place->off == text.len) {
        return;
    }
    if (text.data[place->off] == '\n') {
        place->line++;
        place->column = 1;
    } else {
        place->column++;
    }
    do {
        place->off++;
    } while (place->off < text.len && is_continuation(text.data[place->off]));
}

void fx_place_advance(struct fx_place *place, struct fx_text text, size_t off) {
    const size_t end = off < text.len ? off : text.len;
    while (place->off < end) {
        fx_place_step(place, text);
    }
}
