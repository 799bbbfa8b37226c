/* SPDX-License-Identifier: Apache-2.0
 *
 * base/shapes_testing.h - for tests of cost: texts of any length, each of a shape that is
 * dear to some function.
 */
#ifndef FX_BASE_SHAPES_TESTING_H
#define FX_BASE_SHAPES_TESTING_H

#include <stddef.h>

#include "base/buf.h"

/* Name, what stands before all, what is repeated, what stands behind all. */
#define FX_SHAPES(X)                                                          \
    X(DIGITS, "", "1", "")                                                    \
    X(ZEROS, "", "0", "")                                                     \
    X(NINES, "", "9", "")                                                     \
    X(LETTERS, "", "a", "")                                                   \
    X(CAPITALS, "", "A", "")                                                  \
    X(HUMPS, "", "aB1", "")                                                   \
    X(COMMAS, "", ",", "")                                                    \
    X(POINTS, "", ".", "")                                                    \
    X(SPACES, "", " ", "")                                                    \
    X(LINES, "", "\n", "")                                                    \
    X(WORDS, "", "ab c\tde ", "")                                             \
    X(MARKS, "", "<&>\"'\\", "")                                              \
    X(INVALID, "", "\xff\xc3\xe2\x82", "")                                    \
    X(RUNES, "", "\xc3\xa9\xe6\x97\xa5\xf0\x90\x90\x80\xe2\x80\xa8", "")      \
    X(CONTROLS, "", "\x01\x7f", "")                                           \
    X(PERCENTS, "", "%41", "")                                                \
    X(SLASHES, "", "a/../", "")                                               \
    X(UNDERSCORES, "1", "_1", "")                                             \
    X(EXPONENT, "1e", "9", "")                                                \
    X(FRACTION, "0.", "7", "")                                                \
    X(OFFSETS, "GMT+", "0", "3")                                              \
    X(LAYOUT, "", "2006-01-02T15:04:05.000Z07:00 Mon Jan _2 002 MST PM ", "") \
    X(ELEMENTS, "", "1", "2")                                                 \
    X(FRACTIONS, "", ".0", "")                                                \
    X(YEARS, "", "2006", "")                                                  \
    X(DURATIONS, "", "1h2.5m3us", "s")                                        \
    X(VERSION, "1.2.3-a", ".b1", "")                                          \
    X(CONSTRAINTS, "1", " || >=1.2.3-a.1, <2", "")                            \
    X(URL, "http://u:p@h/%41", "/b?c=d&e", "#f")                              \
    X(HOST, "http://", "%c3", "/")                                            \
    X(BASE64, "", "QUJD", "")                                                 \
    X(BASE32, "", "MFRGG===", "")                                             \
    X(PATTERN, "a", "(b|c)*", "")                                             \
    X(REPLACEMENT, "", "${1}$1", "")                                          \
    X(FLOAT_VERBS, "", "%60.60f%g", "")                                       \
    X(INTEGER_VERBS, "", "%d%#U%q", "")                                       \
    X(VALUE_VERBS, "", "%v%+v%#v", "")                                        \
    X(TEXT_VERBS, "", "%q%x% #x%s", "")                                       \
    X(INDEXES, "", "%[1]*.[2]*[3]f", "")                                      \
    X(WIDTHS, "", "%9999d", "")                                               \
    X(BRACKETS, "", "%[", "")                                                 \
    X(TEMPLATES, "", "{{.}}", "")                                             \
    X(JSON_NUMBERS, "[1", ",5e-324", "]")                                     \
    X(JSON_INTEGERS, "[1", ",123456789", "]")                                 \
    X(JSON_TEXTS, "[\"\"", ",\"\\u00e9\\n\"", "]")                            \
    X(JSON_LISTS, "[[]", ",[[[]]]", "]")                                      \
    X(JSON_ESCAPES, "\"", "\\ud83d\\u0001", "\"")                             \
    X(JSON_SAME_KEYS, "{\"a\":1", ",\"a\":2", "}")

enum fx_shape {
#define X(name, before, middle, behind) FX_SHAPE_##name,
    FX_SHAPES(X)
#undef X
        FX_N_SHAPES,
};

static const struct fx_shape_text {
    const char *name, *before, *middle, *behind;
} fx_shape_texts[] = {
#define X(name, before, middle, behind) {#name, before, middle, behind},
    FX_SHAPES(X)
#undef X
};

/* Appends a text of about that many bytes: one repetition too many at most. */
static inline void fx_shape_add(struct fx_buf *buf, enum fx_shape shape, size_t size) {
    const struct fx_shape_text *text = &fx_shape_texts[shape];
    const struct fx_text middle = fx_text_of(text->middle);
    const struct fx_text before = fx_text_of(text->before);
    const struct fx_text behind = fx_text_of(text->behind);
    fx_buf_text(buf, before);
    for (size_t at = before.len + behind.len; at < size; at += middle.len) {
        fx_buf_text(buf, middle);
    }
    fx_buf_text(buf, behind);
}

#endif
