/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/format_text.c - strings, truncated to the precision and padded to
 * the width; quoting, where it differs from fx_text_quote_go(); and integers.
 */
#include "location/gotemplate/format.h"

#include <limits.h>

#include "base/text.h"

/* ---- quotes ------------------------------------------------------------------------ */

#define LAST_RUNE 0x10FFFFu
#define NO_RUNE   0xFFFDu

static bool is_rune(uint32_t rune) {
    return rune <= LAST_RUNE && !(rune >= 0xD800 && rune <= 0xDFFF);
}

void format_rune(struct fx_buf *buf, uint32_t rune) {
    char bytes[4];
    const size_t len = fx_text_encode_rune(is_rune(rune) ? rune : NO_RUNE, bytes);
    fx_buf_add(buf, bytes, len);
}

/* Appends the rune as it is written within quotes. */
static void add_escaped(struct fx_buf *buf, uint32_t rune) {
    char bytes[4];
    const size_t len = fx_text_encode_rune(rune, bytes);
    struct fx_buf quoted;
    fx_buf_init(&quoted, 0);
    fx_text_quote_go(&quoted, (struct fx_text){bytes, len});
    fx_buf_fail_as(buf, &quoted);
    if (!quoted.failed) {
        fx_buf_add(buf, quoted.data + 1, quoted.len - 2);
    }
    fx_buf_finish(&quoted);
}

static void add_number(struct fx_buf *buf, uint32_t rune) {
    if (rune < 0x10000) {
        fx_buf_str(buf, "\\u");
        fx_buf_hex(buf, rune, 4, false);
    } else {
        fx_buf_str(buf, "\\U");
        fx_buf_hex(buf, rune, 8, false);
    }
}

/* Appends the rune between single quotes, as %q of an integer does. `ascii` escapes all
 * other runes. */
static void format_quote_rune(struct fx_buf *buf, uint32_t rune, bool ascii) {
    const uint32_t shown = is_rune(rune) ? rune : NO_RUNE;
    fx_buf_char(buf, '\'');
    if (shown == '\'') {
        fx_buf_str(buf, "\\'");
    } else if (shown == '"') {
        fx_buf_char(buf, '"');
    } else if (ascii && shown >= 0x80) {
        add_number(buf, shown);
    } else {
        add_escaped(buf, shown);
    }
    fx_buf_char(buf, '\'');
}

static bool is_ascii(struct fx_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.data[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

/* Appends the text between double quotes. `ascii` as above. */
static void format_quote(struct fx_buf *buf, struct fx_text text, bool ascii) {
    if (!ascii || is_ascii(text)) {
        fx_text_quote_go(buf, text);
        return;
    }
    fx_buf_char(buf, '"');
    for (size_t at = 0; at < text.len;) {
        uint32_t rune = 0;
        const struct fx_text rest = {text.data + at, text.len - at};
        const size_t len = fx_text_rune(rest, &rune);
        if (rune < 0x80) {
            add_escaped(buf, rune);
        } else if (len == 1) { /* not UTF-8 */
            fx_buf_str(buf, "\\x");
            fx_buf_hex(buf, (unsigned char)rest.data[0], 2, false);
        } else {
            add_number(buf, rune);
        }
        at += len;
    }
    fx_buf_char(buf, '"');
}

/* ---- strings ----------------------------------------------------------------------- */

void format_fill(struct format_printer *p, int count) {
    if (count > 0) {
        fx_buf_fill(p->out, p->format.zero ? '0' : ' ', (size_t)count);
    }
}

/* Counts runes; each malformed byte counts as one. */
static size_t count_runes(struct fx_text text) {
    size_t n = 0;
    for (size_t at = 0; at < text.len; n++) {
        uint32_t rune = 0;
        at += fx_text_rune((struct fx_text){text.data + at, text.len - at}, &rune);
    }
    return n;
}

void format_padded(struct format_printer *p, struct fx_text text) {
    const struct format *format = &p->format;
    if (!format->has_width || format->width == 0) {
        fx_buf_text(p->out, text);
        return;
    }
    const size_t n = count_runes(text);
    const int missing = n >= (size_t)format->width ? 0 : format->width - (int)n;
    if (!format->minus) {
        format_fill(p, missing);
    }
    fx_buf_text(p->out, text);
    if (format->minus) {
        format_fill(p, missing);
    }
}

void format_finish(struct format_printer *p, struct fx_buf *text, bool blank) {
    const bool zero = p->format.zero;
    fx_buf_fail_as(p->out, text);
    if (!text->failed) {
        p->format.zero = zero && !blank;
        format_padded(p, (struct fx_text){text->data, text->len});
        p->format.zero = zero;
    }
    fx_buf_finish(text);
}

/* Returns the part of the text that the precision allows, in runes. */
static struct fx_text cut_runes(const struct format *format, struct fx_text text) {
    if (!format->has_precision) {
        return text;
    }
    size_t at = 0;
    for (int n = format->precision; n > 0 && at < text.len; n--) {
        uint32_t rune = 0;
        at += fx_text_rune((struct fx_text){text.data + at, text.len - at}, &rune);
    }
    return (struct fx_text){text.data, at};
}

/* True for a text that can be written between backquotes: one line, no control
 * character but tab, no backquote. */
static bool can_backquote(struct fx_text text) {
    for (size_t at = 0; at < text.len;) {
        uint32_t rune = 0;
        const size_t len =
            fx_text_rune((struct fx_text){text.data + at, text.len - at}, &rune);
        if (rune == '`' || rune == 0x7F || (rune < ' ' && rune != '\t') ||
            rune == 0xFEFF || (rune == 0xFFFD && len == 1)) {
            return false;
        }
        at += len;
    }
    return true;
}

static void add_quoted(struct format_printer *p, struct fx_text text) {
    const struct fx_text shown = cut_runes(&p->format, text);
    struct fx_buf quoted;
    fx_buf_init(&quoted, p->out->max);
    if (p->format.sharp && can_backquote(shown)) {
        fx_buf_char(&quoted, '`');
        fx_buf_text(&quoted, shown);
        fx_buf_char(&quoted, '`');
    } else {
        format_quote(&quoted, shown, p->format.plus);
    }
    format_finish(p, &quoted, false);
}

/* Returns the length of the hexadecimal form of `n` > 0 bytes. */
static size_t hex_length(const struct format *format, size_t n) {
    if (!format->space) {
        return 2 * n + (format->sharp ? 2 : 0);
    }
    return (format->sharp ? 4 : 2) * n + n - 1;
}

static void add_hex_bytes(struct format_printer *p, struct fx_text text,
                          const char *digits) {
    const char prefix[2] = {'0', digits[16]};
    for (size_t i = 0; i < text.len && !p->out->failed; i++) {
        if (p->format.space && i > 0) {
            fx_buf_char(p->out, ' ');
        }
        if (p->format.sharp && (p->format.space || i == 0)) {
            fx_buf_add(p->out, prefix, 2);
        }
        const unsigned char byte = (unsigned char)text.data[i];
        const char pair[2] = {digits[byte >> 4], digits[byte & 15]};
        fx_buf_add(p->out, pair, 2);
    }
}

/* Appends the bytes in hexadecimal. The precision counts bytes. */
static void add_hex(struct format_printer *p, struct fx_text text, const char *digits) {
    const struct format *format = &p->format;
    if (format->has_precision && (size_t)format->precision < text.len) {
        text.len = (size_t)format->precision;
    }
    const size_t len = text.len == 0 ? 0 : hex_length(format, text.len);
    const int missing =
        !format->has_width || len >= (size_t)format->width ? 0 : format->width - (int)len;
    if (!format->minus || text.len == 0) {
        format_fill(p, missing);
    }
    add_hex_bytes(p, text, digits);
    if (format->minus && text.len > 0) {
        format_fill(p, missing);
    }
}

bool format_string(struct format_printer *p, struct fx_text text, uint32_t verb) {
    switch (verb) {
    case 'v':
        if (p->format.sharp_v) {
            add_quoted(p, text);
            return true;
        }
        format_padded(p, cut_runes(&p->format, text));
        return true;
    case 's': format_padded(p, cut_runes(&p->format, text)); return true;
    case 'q': add_quoted(p, text); return true;
    case 'x': add_hex(p, text, "0123456789abcdefx"); return true;
    case 'X': add_hex(p, text, "0123456789ABCDEFX"); return true;
    default: return false;
    }
}

/* ---- integers: %d %b %o %O %x %X, and as runes: %c %q %U --------------------------- */

/* A number being printed: digits are added in front. */
struct digits {
    char room[80]; /* 64 digits, a prefix and a sign */
    size_t at;     /* offset of the first digit */
};

static void put_digit(struct digits *digits, char c) {
    digits->room[--digits->at] = c;
}

static size_t count_digits(const struct digits *digits) {
    return sizeof digits->room - digits->at;
}

static void put_number(struct digits *digits, uint64_t number, unsigned base,
                       const char *letters) {
    do {
        put_digit(digits, letters[number % base]);
        number /= base;
    } while (number > 0);
}

/* Adds the prefix of the base, without padding zeros. */
static void put_prefix(struct digits *prefix, const struct format *format, unsigned base,
                       bool starts_with_zero, char x) {
    if (!format->sharp) {
        return;
    }
    if (base == 2) {
        put_digit(prefix, 'b');
        put_digit(prefix, '0');
    } else if (base == 8 && !starts_with_zero) {
        put_digit(prefix, '0');
    } else if (base == 16) {
        put_digit(prefix, x);
        put_digit(prefix, '0');
    }
}

static void put_sign(struct digits *prefix, const struct format *format, bool negative) {
    if (negative) {
        put_digit(prefix, '-');
    } else if (format->plus) {
        put_digit(prefix, '+');
    } else if (format->space) {
        put_digit(prefix, ' ');
    }
}

/* Returns the minimum number of digits: the precision, or a width that is padded with
 * zeros. */
static int least_digits(const struct format *format, bool negative) {
    if (format->has_precision) {
        return format->precision;
    }
    if (!format->zero || !format->has_width) {
        return 0;
    }
    return format->width - (negative || format->plus || format->space ? 1 : 0);
}

static void add_digits(struct format_printer *p, const struct digits *prefix, int zeros,
                       const struct digits *digits) {
    const struct format *format = &p->format;
    const size_t len = count_digits(prefix) + (size_t)zeros + count_digits(digits);
    const int missing =
        !format->has_width || len >= (size_t)format->width ? 0 : format->width - (int)len;
    if (!format->minus && missing > 0) {
        fx_buf_fill(p->out, ' ', (size_t)missing);
    }
    fx_buf_add(p->out, prefix->room + prefix->at, count_digits(prefix));
    fx_buf_fill(p->out, '0', (size_t)zeros);
    fx_buf_add(p->out, digits->room + digits->at, count_digits(digits));
    if (format->minus && missing > 0) {
        fx_buf_fill(p->out, ' ', (size_t)missing);
    }
}

static void add_in_base(struct format_printer *p, int64_t integer, bool is_signed,
                        unsigned base, uint32_t verb) {
    const struct format *format = &p->format;
    const bool negative = is_signed && integer < 0;
    const uint64_t number = negative ? 0 - (uint64_t)integer : (uint64_t)integer;
    if (format->has_precision && format->precision == 0 && number == 0) {
        fx_buf_fill(p->out, ' ', format->has_width ? (size_t)format->width : 0);
        return;
    }
    struct digits digits = {.at = sizeof digits.room};
    struct digits prefix = {.at = sizeof prefix.room};
    put_number(&digits, number, base,
               verb == 'X' ? "0123456789ABCDEF" : "0123456789abcdef");
    const int least = least_digits(format, negative);
    const int n = (int)count_digits(&digits);
    const int zeros = least > n ? least - n : 0;
    put_prefix(&prefix, format, base, zeros > 0 || number == 0, verb == 'X' ? 'X' : 'x');
    if (verb == 'O') {
        put_digit(&prefix, 'o');
        put_digit(&prefix, '0');
    }
    put_sign(&prefix, format, negative);
    add_digits(p, &prefix, zeros, &digits);
}

/* Converts an integer to a rune; an invalid one becomes U+FFFD. */
static uint32_t rune_of(int64_t integer) {
    const bool is_surrogate = integer >= 0xD800 && integer <= 0xDFFF;
    return integer < 0 || integer > 0x10FFFF || is_surrogate ? 0xFFFD : (uint32_t)integer;
}

static void add_rune(struct format_printer *p, int64_t integer, bool quoted) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    if (quoted) {
        format_quote_rune(&text, rune_of(integer), p->format.plus);
    } else {
        format_rune(&text, rune_of(integer));
    }
    format_finish(p, &text, false);
}

/* True if %q does not escape the rune. */
static bool is_printable(uint32_t rune, struct fx_buf *scratch) {
    format_quote_rune(scratch, rune, false);
    const bool is =
        !scratch->failed && (scratch->data[1] != '\\' || rune == '\\' || rune == '\'');
    fx_buf_reset(scratch);
    return is;
}

/* Appends `U+0041`, and with `#` also the rune itself. */
static void add_code_point(struct format_printer *p, int64_t integer) {
    const struct format *format = &p->format;
    struct digits digits = {.at = sizeof digits.room};
    put_number(&digits, (uint64_t)integer, 16, "0123456789ABCDEF");
    const int n = (int)count_digits(&digits);
    const int least =
        format->has_precision && format->precision > 4 ? format->precision : 4;
    struct fx_buf text;
    fx_buf_init(&text, p->out->max);
    const bool shown = format->sharp && rune_of(integer) == integer &&
                       is_printable((uint32_t)integer, &text);
    fx_buf_str(&text, "U+");
    fx_buf_fill(&text, '0', least > n ? (size_t)(least - n) : 0);
    fx_buf_add(&text, digits.room + digits.at, count_digits(&digits));
    if (shown) {
        fx_buf_str(&text, " '");
        format_rune(&text, (uint32_t)integer);
        fx_buf_char(&text, '\'');
    }
    format_finish(p, &text, true);
}

/* Appends an unsigned integer as %#v prints it: 0x1f. */
static void add_go_syntax(struct format_printer *p, int64_t integer) {
    const bool sharp = p->format.sharp;
    p->format.sharp = true;
    add_in_base(p, integer, false, 16, 'x');
    p->format.sharp = sharp;
}

bool format_integer(struct format_printer *p, int64_t integer, bool is_signed,
                    uint32_t verb) {
    switch (verb) {
    case 'v':
        if (p->format.sharp_v && !is_signed) {
            add_go_syntax(p, integer);
            return true;
        }
        add_in_base(p, integer, is_signed, 10, verb);
        return true;
    case 'd': add_in_base(p, integer, is_signed, 10, verb); return true;
    case 'b': add_in_base(p, integer, is_signed, 2, verb); return true;
    case 'o':
    case 'O': add_in_base(p, integer, is_signed, 8, verb); return true;
    case 'x':
    case 'X': add_in_base(p, integer, is_signed, 16, verb); return true;
    case 'c': add_rune(p, integer, false); return true;
    case 'q': add_rune(p, integer, true); return true;
    case 'U': add_code_point(p, integer); return true;
    default: return false;
    }
}
