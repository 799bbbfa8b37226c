/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/format_integer.c - integers: %d %b %o %O %x %X, and as runes: %c %q
 * %U.
 */
#include <string.h>

#include "location/gotemplate/format.h"

/* A number being printed: digits are added in front. */
struct digits {
    char room[80]; /* 64 of them, a prefix, a sign */
    size_t at;     /* offset of the first one */
};

static void put(struct digits *digits, char c) {
    digits->room[--digits->at] = c;
}

static size_t count(const struct digits *digits) {
    return sizeof digits->room - digits->at;
}

static void put_number(struct digits *digits, uint64_t number, unsigned base,
                       const char *letters) {
    do {
        put(digits, letters[number % base]);
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
        put(prefix, 'b');
        put(prefix, '0');
    } else if (base == 8 && !starts_with_zero) {
        put(prefix, '0');
    } else if (base == 16) {
        put(prefix, x);
        put(prefix, '0');
    }
}

static void put_sign(struct digits *prefix, const struct format *format, bool negative) {
    if (negative) {
        put(prefix, '-');
    } else if (format->plus) {
        put(prefix, '+');
    } else if (format->space) {
        put(prefix, ' ');
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

static void add_number(struct format_printer *p, const struct digits *prefix, int zeros,
                       const struct digits *digits) {
    const struct format *format = &p->format;
    const size_t len = count(prefix) + (size_t)zeros + count(digits);
    const int missing =
        !format->has_width || len >= (size_t)format->width ? 0 : format->width - (int)len;
    if (!format->minus && missing > 0) {
        fx_buf_fill(p->out, ' ', (size_t)missing);
    }
    fx_buf_add(p->out, prefix->room + prefix->at, count(prefix));
    fx_buf_fill(p->out, '0', (size_t)zeros);
    fx_buf_add(p->out, digits->room + digits->at, count(digits));
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
        format_padded_blank(p, FX_TEXT(""));
        return;
    }
    struct digits digits = {.at = sizeof digits.room};
    struct digits prefix = {.at = sizeof prefix.room};
    put_number(&digits, number, base,
               verb == 'X' ? "0123456789ABCDEF" : "0123456789abcdef");
    const int least = least_digits(format, negative);
    const int n = (int)count(&digits);
    const int zeros = least > n ? least - n : 0;
    put_prefix(&prefix, format, base, zeros > 0 || number == 0, verb == 'X' ? 'X' : 'x');
    if (verb == 'O') {
        put(&prefix, 'o');
        put(&prefix, '0');
    }
    put_sign(&prefix, format, negative);
    add_number(p, &prefix, zeros, &digits);
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
    fx_buf_fail_as(p->out, &text);
    if (!text.failed) {
        format_padded(p, (struct fx_text){text.data, text.len});
    }
    fx_buf_finish(&text);
}

/* True where %q does not escape the rune. */
static bool is_printable(uint32_t rune, struct fx_buf *scratch) {
    format_quote_rune(scratch, rune, false);
    const bool is =
        !scratch->failed && (scratch->data[1] != '\\' || rune == '\\' || rune == '\'');
    fx_buf_reset(scratch);
    return is;
}

/* U+0041, and with `#` also the rune itself. */
static void add_code_point(struct format_printer *p, int64_t integer) {
    const struct format *format = &p->format;
    struct digits digits = {.at = sizeof digits.room};
    put_number(&digits, (uint64_t)integer, 16, "0123456789ABCDEF");
    const int n = (int)count(&digits);
    const int least =
        format->has_precision && format->precision > 4 ? format->precision : 4;
    struct fx_buf text;
    fx_buf_init(&text, p->out->max);
    const bool shown = format->sharp && rune_of(integer) == integer &&
                       is_printable((uint32_t)integer, &text);
    fx_buf_str(&text, "U+");
    fx_buf_fill(&text, '0', least > n ? (size_t)(least - n) : 0);
    fx_buf_add(&text, digits.room + digits.at, count(&digits));
    if (shown) {
        fx_buf_str(&text, " '");
        format_rune(&text, (uint32_t)integer);
        fx_buf_char(&text, '\'');
    }
    fx_buf_fail_as(p->out, &text);
    if (!text.failed) {
        format_padded_blank(p, (struct fx_text){text.data, text.len});
    }
    fx_buf_finish(&text);
}

/* An unsigned one in %#v: 0x1f. */
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
