/* SPDX-License-Identifier: Apache-2.0
 *
 * base/text.h - spans of UTF-8 text that need no NUL.
 */
#ifndef FX_BASE_TEXT_H
#define FX_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

struct fx_buf;

/* Borrowed bytes. `data` may be NULL only if `len` is 0. */
struct fx_text {
    const char *data;
    size_t len;
};

#define FX_TEXT(literal) ((struct fx_text){literal, sizeof(literal) - 1})
/* The arguments of "%.*s". */
#define FX_TEXT_ARG(text) (int)(text).len, (text).data

/* Returns the text of a C string; NULL gives the empty text. */
struct fx_text fx_text_of(const char *string);

/* Returns a copy as a C string, which the caller frees. It ends at a NUL in the text.
 * NULL without memory. */
char *fx_text_dup(struct fx_text text) FX_MUST_USE;

/* Do both have the same bytes? */
bool fx_text_equal(struct fx_text a, struct fx_text b);

/* Does the text have the same bytes as the C string? */
bool fx_text_is(struct fx_text text, const char *string);

/* Compares bytewise and returns a negative number, 0 or a positive one. A prefix comes
 * first. */
int fx_text_compare(struct fx_text a, struct fx_text b);

/* Does `text` start with, end with, or contain `part`? True for the empty part. */
bool fx_text_starts(struct fx_text text, struct fx_text part);
bool fx_text_ends(struct fx_text text, struct fx_text part);
bool fx_text_contains(struct fx_text text, struct fx_text part);

/* Returns the first byte of the text, or NUL. */
static inline char fx_text_first(struct fx_text text) {
    return (char)(text.len > 0 ? text.data[0] : '\0');
}

/* Returns the text from byte `from` on, which is at most its length. */
static inline struct fx_text fx_text_rest(struct fx_text text, size_t from) {
    const struct fx_text rest = {from == 0 ? text.data : text.data + from,
                                 text.len - from};
    return rest;
}

static inline bool fx_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool fx_is_letter(char c) { /* Is it an ASCII letter? */
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

#define FX_NO_DIGIT 99u

/* Returns the value of a decimal or hexadecimal digit; FX_NO_DIGIT for others. */
static inline unsigned fx_digit_of(char c) {
    const char lower = (char)(c | 0x20);
    return fx_is_digit(c)                 ? (unsigned)(c - '0')
           : lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10
                                          : FX_NO_DIGIT;
}

/* Is the byte, other than NUL, one of the string's? */
bool fx_is_one_of(char c, const char *set);

/* Returns the number of decimal digits at the start of the text, at most `most`. Reads no
 * byte after them. */
size_t fx_text_count_digits(struct fx_text text, size_t most);

/* Does the text consist of decimal digits only? True for the empty text. */
bool fx_text_is_digits(struct fx_text text);

/* Removes the byte from the start of the text. False if it does not start with it. */
bool fx_text_take(struct fx_text *text, char wanted);

/* Removes `least` to `most` (9 at most) digits from the start of the text. False, with
 * the text unchanged, if it has fewer. */
bool fx_text_take_number(struct fx_text *text, size_t least, size_t most,
                         int *ret_number) FX_MUST_USE;

/* Removes the text before the first `separator`, and the separator, from `rest`, and
 * returns that text; without a separator, all of it. */
struct fx_text fx_text_cut(struct fx_text *rest, char separator);

/* Decodes the rune at the start of `text` into `ret_rune` and returns its length in
 * bytes. Malformed UTF-8 gives U+FFFD and 1, as Go decodes it. `text` is not empty. */
size_t fx_text_rune(struct fx_text text, uint32_t *ret_rune);

/* Is the whole text well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms)? */
bool fx_text_is_utf8(struct fx_text text);

/* Writes the rune as UTF-8 into `out` (4 bytes at most) and returns the length. */
size_t fx_text_encode_rune(uint32_t rune, char out[4]);

/* Returns the largest offset <= `at` in `text` that does not split a rune. */
size_t fx_text_rune_floor(const char *text, size_t at);

/* Returns `text` without the white space of Unicode at both ends, as Go's
 * strings.TrimSpace. */
struct fx_text fx_text_trim_space(struct fx_text text);

/* Appends `text` quoted as Go's %q writes a string: "…", with the escapes \n \t \" \\
 * \x.. \u.... for unprintable runes. */
void fx_text_quote_go(struct fx_buf *buf, struct fx_text text);

/* The same for the message of an error (base/err.h): of a long text only as many bytes as
 * a message can have. Spends from the thread's budget (base/budget.h). */
void fx_text_quote_in_error(struct fx_buf *buf, struct fx_text text);

/* Appends `text` with U+FFFD in the place of each byte that is not UTF-8. */
void fx_text_repair(struct fx_buf *buf, struct fx_text text);

#endif
