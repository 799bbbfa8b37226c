/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/place.c - finding the words at fault in the source.
 */
#include "policy/place.h"

#include <jansson.h>

#include "value/documents.h"
#include "value/tree.h"

/* A line may be a whole file of JSON: this much of it, either side of the caret, is more
 * than is ever shown. */
#define WINDOW_BYTES 400u

/* The number of runes in the text, each malformed byte counted as one. */
static uint32_t count_runes(struct fx_text text) {
    uint32_t count = 0;
    for (size_t at = 0; at < text.len; count++) {
        uint32_t rune = 0;
        at += fx_text_rune((struct fx_text){text.data + at, text.len - at}, &rune);
    }
    return count;
}

static struct fx_text slice(struct fx_text text, size_t from, size_t to) {
    return (struct fx_text){text.data + from, to - from};
}

/* Is this byte within a rune, not at its start? */
static bool splits_rune(struct fx_text text, size_t at) {
    return at < text.len && ((unsigned char)text.data[at] & 0xC0) == 0x80;
}

/* The stretch of the line around `off`, WINDOW_BYTES either side. */
static struct fx_text line_around(struct fx_text source, size_t off, size_t *ret_from) {
    size_t from = off;
    while (from > 0 && source.data[from - 1] != '\n' && off - from < WINDOW_BYTES) {
        from--;
    }
    while (from < off && splits_rune(source, from)) {
        from++;
    }
    size_t to = off;
    while (to < source.len && source.data[to] != '\n' && to - off < WINDOW_BYTES) {
        to++;
    }
    while (to > off && splits_rune(source, to)) {
        to--;
    }
    if (to > off && source.data[to - 1] == '\r') {
        to--;
    }
    *ret_from = from;
    return slice(source, from, to);
}

/* Excerpt and caret for `len` bytes at `off` of the source (0: no more than a point). */
static void point_into(struct fx_place *place, struct fx_text source, size_t off,
                       size_t len) {
    size_t from = 0;
    place->excerpt = line_around(source, off, &from);
    const size_t end = from + place->excerpt.len;
    const size_t to = off >= end ? off : len < end - off ? off + len : end;
    place->caret = count_runes(slice(source, from, off));
    place->caret_len = count_runes(slice(source, off, to));
    if (place->caret_len == 0) {
        place->caret_len = 1;
    }
}

struct fx_place fx_place_of_offset(struct fx_text source, size_t off, size_t len) {
    struct fx_place place = {0};
    if (source.data == NULL) {
        return place;
    }
    const size_t at = off < source.len ? off : source.len;
    fx_documents_position(source, at, &place.line, &place.column);
    point_into(&place, source, at, len);
    return place;
}

/* Does `value` stand in the source at the mark, letter by letter, in one line? */
static bool is_verbatim(struct fx_text source, const struct fx_mark *mark,
                        struct fx_text value) {
    return mark->off <= source.len &&
           fx_text_starts(slice(source, mark->off, source.len), value) &&
           !fx_text_contains(value, FX_TEXT("\n"));
}

/* The span of the fault within the value; the whole value where it has none. */
static struct fx_text span_of(const struct fx_err *fault, struct fx_text value,
                              size_t *ret_off) {
    const size_t off = fault->len == 0          ? 0
                       : fault->off < value.len ? fault->off
                                                : value.len;
    const size_t rest = value.len - off;
    *ret_off = off;
    return (struct fx_text){value.data + off,
                            fault->len == 0 || fault->len > rest ? rest : fault->len};
}

/* The excerpt is the value itself: the source says it in other letters. */
static void point_into_value(struct fx_place *place, struct fx_text value, size_t off,
                             size_t len) {
    size_t from = off < WINDOW_BYTES ? 0 : off - WINDOW_BYTES;
    while (from < off && splits_rune(value, from)) {
        from++;
    }
    size_t to = value.len - off < WINDOW_BYTES ? value.len : off + WINDOW_BYTES;
    while (to > off && splits_rune(value, to)) {
        to--;
    }
    place->excerpt = slice(value, from, to);
    place->caret = count_runes(slice(value, from, off));
    place->caret_len = count_runes(slice(value, off, len < to - off ? off + len : to));
    if (place->caret_len == 0) {
        place->caret_len = 1;
    }
}

struct fx_place fx_place_of_fault(struct fx_text source, const struct fx_marks *marks,
                                  const struct fx_err *fault, uint32_t line) {
    const struct fx_mark *mark =
        fault->node == NULL ? NULL : fx_marks_find(marks, fault->node);
    if (mark == NULL || source.data == NULL) {
        return (struct fx_place){.line = line};
    }
    struct fx_place place = {.line = mark->line, .column = mark->column};
    const struct fx_text value = fx_tree_text(mark->node);
    if (value.data == NULL) { /* no string: the line where it begins */
        const size_t at = mark->off < source.len ? mark->off : source.len;
        point_into(&place, source, at, 0);
        return place;
    }
    size_t off = 0;
    const struct fx_text span = span_of(fault, value, &off);
    if (is_verbatim(source, mark, value)) {
        place.column += count_runes(slice(value, 0, off));
        point_into(&place, source, mark->off + off, span.len);
    } else {
        point_into_value(&place, value, off, span.len);
    }
    return place;
}
