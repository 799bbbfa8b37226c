/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_source.c - places of runes, and of scalars' contents.
 */
#include "value/yaml_source.h"

#include <stdbool.h>

void fx_yaml_source_init(struct fx_yaml_source *source, struct fx_text text) {
    const struct fx_place start = fx_place_start(text);
    *source = (struct fx_yaml_source){.text = text, .start = start, .at = start};
}

struct fx_text fx_yaml_source_body(const struct fx_yaml_source *source) {
    const size_t off = source->start.off;
    return (struct fx_text){off == 0 ? source->text.data : source->text.data + off,
                            source->text.len - off};
}

struct fx_place fx_yaml_source_place(struct fx_yaml_source *source, size_t rune) {
    if (rune < source->rune) { /* an error may point back; nodes come in order */
        source->at = source->start;
        source->rune = 0;
    }
    while (source->rune < rune && source->at.off < source->text.len) {
        fx_place_step(&source->at, source->text);
        source->rune++;
    }
    return source->at;
}

/* The byte there, NUL behind the end. */
static char peek(struct fx_text text, size_t off) {
    if (off >= text.len) {
        return '\0';
    }
    return text.data[off];
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t skip_line(struct fx_text text, size_t off) {
    while (off < text.len && text.data[off] != '\n') {
        off++;
    }
    return off;
}

static size_t skip_separation(struct fx_text text, size_t off) {
    while (is_blank(peek(text, off)) || peek(text, off) == '#') {
        off = peek(text, off) == '#' ? skip_line(text, off) : off + 1;
    }
    return off;
}

/* Skips `&anchor` and `!tag`, in either order, and what separates them. */
static size_t skip_properties(struct fx_text text, size_t off) {
    while (peek(text, off) == '&' || peek(text, off) == '!') {
        while (off < text.len && !is_blank(text.data[off])) {
            off++;
        }
        off = skip_separation(text, off);
    }
    return off;
}

static size_t count_spaces(struct fx_text text, size_t off) {
    size_t n = 0;
    while (peek(text, off + n) == ' ') {
        n++;
    }
    return n;
}

/* The first line of a block scalar's content, behind its indentation: those of its
 * spaces that are not the value's own. */
static size_t block_content(struct fx_text text, size_t off, struct fx_text value) {
    const size_t line = skip_line(text, off);
    if (line == text.len) {
        return off;
    }
    const size_t there = count_spaces(text, line + 1);
    const size_t own = count_spaces(value, 0);
    return line + 1 + (there > own ? there - own : 0);
}

struct fx_place fx_yaml_source_content(struct fx_yaml_source *source,
                                       const yaml_event_t *scalar) {
    struct fx_place place = fx_yaml_source_place(source, scalar->start_mark.index);
    const yaml_scalar_style_t style = scalar->data.scalar.style;
    const struct fx_text value = {(const char *)scalar->data.scalar.value,
                                  scalar->data.scalar.length};
    size_t off = place.off;
    if (style != YAML_PLAIN_SCALAR_STYLE || value.len > 0) {
        off = skip_properties(source->text, off);
    }
    if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
        style == YAML_DOUBLE_QUOTED_SCALAR_STYLE) {
        off++;
    } else if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE) {
        off = block_content(source->text, off, value);
    }
    fx_place_advance(&place, source->text, off);
    return place;
}
