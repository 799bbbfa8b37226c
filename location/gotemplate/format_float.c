/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/format_float.c - floating point numbers: %e %E %f %F %g %G %b %x
 * %X.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "location/gotemplate/format.h"
#include "value/go_text.h"

/* Appends the mantissa as an integer, `p`, and the binary exponent. */
static void add_binary(struct fx_buf *text, double magnitude) {
    int exponent = 0;
    double fraction = frexp(magnitude, &exponent);
    exponent -= 53;
    if (magnitude == 0 || exponent < -1074) { /* subnormal: fewer bits, one exponent */
        fraction = ldexp(fraction, exponent + 1074);
        exponent = -1074;
    }
    fx_buf_printf(text, "%.0fp%+d", ldexp(fraction, 53), exponent);
}

/* Appends a form such as 0x1.8p+01, with 1 before the point. `precision` < 0 prints all
 * digits. */
static void add_hexadecimal(struct fx_buf *text, double magnitude, int precision) {
    int exponent = 0;
    const double fraction = 2 * frexp(magnitude, &exponent);
    char digits[32];
    fx_buf_reset(text);
    if (precision < 0) {
        (void)snprintf(digits, sizeof digits, "%a", fraction);
    } else {
        (void)snprintf(digits, sizeof digits, "%.*a", precision > 13 ? 13 : precision,
                       fraction);
    }
    exponent = magnitude == 0 ? 0 : exponent - 1;
    if (digits[2] == '2') { /* rounded up */
        digits[2] = '1';
        exponent++;
    }
    *strchr(digits, 'p') = '\0';
    fx_buf_str(text, digits);
    if (precision > 13) {
        fx_buf_fill(text, '0', (size_t)(precision - 13));
    }
    fx_buf_printf(text, "p%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

/* Appends a rounded number. C's conversion of this name gives the same digits as Go's. */
static void add_rounded(struct fx_buf *text, double magnitude, char verb, int precision) {
    switch (verb) {
    case 'e': fx_buf_printf(text, "%.*e", precision, magnitude); return;
    case 'f': fx_buf_printf(text, "%.*f", precision, magnitude); return;
    default: fx_buf_printf(text, "%.*g", precision, magnitude); return;
    }
}

/* Appends the digits and the exponent of a finite number without its sign, in lower
 * case. */
static void add_magnitude(struct fx_buf *text, double magnitude, char verb,
                          int precision) {
    if (verb == 'b') {
        add_binary(text, magnitude);
    } else if (verb == 'x') {
        add_hexadecimal(text, magnitude, precision);
    } else if (precision < 0) {
        fx_go_text_add_double(text, magnitude);
    } else {
        add_rounded(text, magnitude, verb, precision);
    }
}

/* Returns the offset of the exponent, or the length. */
static size_t mantissa_length(const struct fx_buf *text, char verb) {
    for (size_t i = 0; i < text->len; i++) {
        if (text->data[i] == 'p' || (text->data[i] == 'e' && verb != 'x')) {
            return i;
        }
    }
    return text->len;
}

/* Counts significant digits, from the first that is not 0; a whole `0` counts once. */
static int count_significant(struct fx_text mantissa) {
    int n = 0;
    for (size_t i = 0; i < mantissa.len; i++) {
        if (mantissa.data[i] != '.' && (n > 0 || mantissa.data[i] != '0')) {
            n++;
        }
    }
    return n == 0 && mantissa.len == 1 ? 1 : n;
}

/* Appends the number as the flag `#` requires: with a point and trailing zeros. */
static void add_sharp(struct fx_buf *ret, const struct fx_buf *text, char verb,
                      int precision) {
    const size_t len = mantissa_length(text, verb);
    const struct fx_text mantissa = {text->data, len};
    fx_buf_text(ret, mantissa);
    if (memchr(text->data, '.', len) == NULL) {
        fx_buf_char(ret, '.');
    }
    if (verb == 'g' || verb == 'x') {
        const int wanted = precision < 0 ? 6 : precision;
        const int has = count_significant(mantissa);
        fx_buf_fill(ret, '0', wanted > has ? (size_t)(wanted - has) : 0);
    }
    fx_buf_add(ret, text->data + len, text->len - len);
}

/* Returns the sign to print, or 0. */
static char sign_of(const struct format *format, double number) {
    if (signbit(number) && !isnan(number)) {
        return '-';
    }
    if (format->plus) {
        return '+';
    }
    if (format->space) {
        return ' ';
    }
    return '\0';
}

/* Pads with zeros between the sign and the digits. */
static void add_signed(struct format_printer *p, char sign, struct fx_text digits) {
    const int len = (int)digits.len + 1;
    if (sign != '\0' && p->format.zero && p->format.has_width && p->format.width > len) {
        fx_buf_char(p->out, sign);
        format_fill(p, p->format.width - len);
        fx_buf_text(p->out, digits);
        return;
    }
    struct fx_buf text;
    fx_buf_init(&text, p->out->max);
    if (sign != '\0') {
        fx_buf_char(&text, sign);
    }
    fx_buf_text(&text, digits);
    format_finish(p, &text, false);
}

static void add_no_number(struct format_printer *p, double number) {
    const bool zero = p->format.zero;
    p->format.zero = false;
    if (isnan(number)) {
        add_signed(p, sign_of(&p->format, number), FX_TEXT("NaN"));
    } else {
        char sign = sign_of(&p->format, number);
        if (sign == '\0') {
            sign = '+';
        }
        add_signed(p, sign, FX_TEXT("Inf"));
    }
    p->format.zero = zero;
}

static void make_upper(struct fx_buf *text) {
    for (size_t i = 0; i < text->len; i++) {
        text->data[i] = (char)toupper((unsigned char)text->data[i]);
    }
}

static void add_number(struct format_printer *p, double number, char verb, bool is_upper,
                       int precision) {
    struct fx_buf plain;
    struct fx_buf sharp;
    fx_buf_init(&plain, p->out->max);
    fx_buf_init(&sharp, p->out->max);
    struct fx_buf *text = &plain;
    add_magnitude(text, fabs(number), verb, precision);
    if (p->format.sharp && verb != 'b' && !text->failed) {
        /* %X keeps no trailing zeros. */
        add_sharp(&sharp, &plain, verb, is_upper && verb == 'x' ? 0 : precision);
        text = &sharp;
    }
    fx_buf_fail_as(p->out, text);
    if (!text->failed) {
        if (is_upper) {
            make_upper(text);
        }
        add_signed(p, sign_of(&p->format, number),
                   (struct fx_text){text->data, text->len});
    }
    fx_buf_finish(&plain);
    fx_buf_finish(&sharp);
}

bool format_float(struct format_printer *p, double number, uint32_t verb) {
    if (verb == 'v') {
        verb = 'g';
    }
    if (verb > 0x7F || strchr("eEfFgGbxX", (int)verb) == NULL || verb == '\0') {
        return false;
    }
    if (!isfinite(number)) {
        add_no_number(p, number);
        return true;
    }
    const char lower = (char)tolower((int)verb);
    const int usual = lower == 'e' || lower == 'f' ? 6 : -1;
    const int precision = p->format.has_precision ? p->format.precision : usual;
    add_number(p, number, lower, verb != (uint32_t)lower && verb != 'F', precision);
    return true;
}
