/* SPDX-License-Identifier: Apache-2.0
 *
 * format.c - format(): the verbs %s %d %f %e %b %o %x %X (spec/cel.md section 10).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/strconv.h"
#include "location/cel_library/functions.h"

#define DEFAULT_PRECISION 6u
#define MOST_PRECISION    1100u /* the digits after the point of any double */
#define MOST_DIGITS       (310u + 1 + MOST_PRECISION + 1)

struct formatting {
    struct fx_cel_run *run;
    struct fx_buf *out;
    struct fx_cel_value failure; /* set when a function returns false */
};

/* A clause: `%` [`.` precision] verb. */
struct format_clause {
    uint64_t precision; /* if it has one, */
    bool has_precision;
    char verb;
};

static bool fail_kind(struct formatting *f, struct fx_cel_value value,
                      const char *clause) {
    f->failure = fx_cel_fail(f->run, "error during formatting: %s, was given %s", clause,
                             fx_cel_type_name(value));
    return false;
}

/* ---- integers
 * ---------------------------------------------------------------------------- */

static uint64_t magnitude_of(struct fx_cel_value integer) {
    if (integer.kind == FX_CEL_UINT) {
        return integer.uinteger;
    }
    return integer.integer < 0 ? -(uint64_t)integer.integer : (uint64_t)integer.integer;
}

/* Appends an int or uint with 1, 3 or 4 bits in a digit. */
static void add_bits(struct formatting *f, struct fx_cel_value integer, unsigned bits,
                     const char *digits) {
    char text[64];
    size_t at = sizeof text;
    uint64_t left = magnitude_of(integer);
    do {
        text[--at] = digits[left & ((1u << bits) - 1)];
        left >>= bits;
    } while (left > 0);
    if (integer.kind == FX_CEL_INT && integer.integer < 0) {
        fx_buf_char(f->out, '-');
    }
    fx_buf_add(f->out, text + at, sizeof text - at);
}

static bool is_integer(struct fx_cel_value value) {
    return value.kind == FX_CEL_INT || value.kind == FX_CEL_UINT;
}

static bool add_decimal(struct formatting *f, struct fx_cel_value value) {
    if (value.kind == FX_CEL_INT) {
        fx_buf_integer(f->out, value.integer);
    } else if (value.kind == FX_CEL_UINT) {
        fx_buf_number(f->out, value.uinteger);
    } else {
        return fail_kind(f, value, "decimal clause can only be used on integers");
    }
    return true;
}

static bool add_binary(struct formatting *f, struct fx_cel_value value) {
    if (value.kind == FX_CEL_BOOL) {
        fx_buf_char(f->out, value.boolean ? '1' : '0');
        return true;
    }
    if (!is_integer(value)) {
        return fail_kind(f, value, "only integers and bools can be formatted as binary");
    }
    add_bits(f, value, 1, "01");
    return true;
}

static bool add_octal(struct formatting *f, struct fx_cel_value value) {
    if (!is_integer(value)) {
        return fail_kind(f, value, "octal clause can only be used on integers");
    }
    add_bits(f, value, 3, "01234567");
    return true;
}

static bool add_hex(struct formatting *f, struct fx_cel_value value, const char *digits) {
    if (is_integer(value)) {
        add_bits(f, value, 4, digits);
        return true;
    }
    if (value.kind != FX_CEL_STRING && value.kind != FX_CEL_BYTES) {
        return fail_kind(f, value,
                         "only integers, byte buffers, and strings can be formatted as "
                         "hex");
    }
    if (!fx_cel_spend_bytes(8 * value.text.len)) {
        f->failure = fx_cel_exceeded(f->run);
        return false;
    }
    for (size_t i = 0; i < value.text.len; i++) {
        const unsigned char byte = (unsigned char)value.text.data[i];
        fx_buf_char(f->out, digits[byte >> 4]);
        fx_buf_char(f->out, digits[byte & 0xfu]);
    }
    return true;
}

/* ---- doubles
 * ----------------------------------------------------------------------------- */

/* The names of what is no number are numbers here, as strings, too. False for any other
 * value. */
static bool take_double(struct fx_cel_value value, double *ret_real) {
    if (value.kind == FX_CEL_STRING) {
        *ret_real = fx_text_is(value.text, "Infinity")    ? HUGE_VAL
                    : fx_text_is(value.text, "-Infinity") ? -HUGE_VAL
                                                          : (double)NAN;
        return isinf(*ret_real) || fx_text_is(value.text, "NaN");
    }
    *ret_real = value.kind == FX_CEL_DOUBLE ? value.real : 0;
    return value.kind == FX_CEL_DOUBLE;
}

/* Appends the digits before the point in groups of three. */
static void add_groups(struct fx_buf *out, const char *digits, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) {
            fx_buf_char(out, ',');
        }
        fx_buf_char(out, digits[i]);
    }
}

/* Digits after the exact ones are zeros. */
static bool add_zeros(struct formatting *f, uint64_t n) {
    if (n > FX_LIMIT_CEL_TEXT_BYTES || !fx_cel_spend_bytes((size_t)n)) {
        f->failure = n > FX_LIMIT_CEL_TEXT_BYTES
                         ? fx_cel_fail(f->run,
                                       "error during formatting: precision %" PRIu64
                                       " is too large",
                                       n)
                         : fx_cel_exceeded(f->run);
        return false;
    }
    fx_buf_fill(f->out, '0', (size_t)n);
    return true;
}

/* The exact value, rounded half to even. -0.0 has no sign, but -0.1 has one if it is
 * rounded to 0. */
static bool add_fixed(struct formatting *f, struct fx_cel_value value,
                      const struct format_clause *clause) {
    char text[MOST_DIGITS];
    double real = 0;
    if (!take_double(value, &real)) {
        return fail_kind(f, value, "fixed-point clause can only be used on doubles");
    }
    if (isnan(real)) {
        fx_buf_str(f->out, "NaN");
        return true;
    }
    if (real < 0) {
        fx_buf_char(f->out, '-');
    }
    if (isinf(real)) {
        fx_buf_str(f->out, "\xe2\x88\x9e");
        return true;
    }
    const uint64_t precision =
        clause->has_precision ? clause->precision : DEFAULT_PRECISION;
    const uint64_t exact = precision < MOST_PRECISION ? precision : MOST_PRECISION;
    if (!fx_spend(exact + 32)) {
        f->failure = fx_cel_exceeded(f->run);
        return false;
    }
    const int len = snprintf(text, sizeof text, "%.*f", (int)exact, fabs(real));
    if (len < 0) {
        f->failure = fx_cel_no_memory(f->run);
        return false;
    }
    const size_t whole = exact == 0 ? (size_t)len : (size_t)len - (size_t)exact - 1;
    add_groups(f->out, text, whole);
    fx_buf_add(f->out, text + whole, (size_t)len - whole);
    return add_zeros(f, precision - exact);
}

static void add_superscript(struct fx_buf *out, const char *exponent) {
    static const char *const digits[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9",
    };
    for (; *exponent != '\0'; exponent++) {
        if (fx_is_digit(*exponent)) {
            fx_buf_str(out, digits[*exponent - '0']);
        } else if (*exponent == '-') {
            fx_buf_str(out, "\xe2\x81\xbb");
        }
    }
}

/* The text of a double in %e, and its code points. */
static size_t print_scientific(struct fx_buf *out, double real) {
    char text[32];
    const size_t sign = real < 0 ? 1 : 0;
    if (isnan(real)) {
        fx_buf_str(out, "NaN");
        return 3;
    }
    fx_buf_str(out, sign == 1 ? "-" : "");
    if (isinf(real)) {
        fx_buf_str(out, "\xe2\x88\x9e");
        return sign + 1;
    }
    (void)snprintf(text, sizeof text, "%.6e", fabs(real));
    const char *exponent = strchr(text, 'e');
    fx_buf_add(out, text, (size_t)(exponent - text));
    fx_buf_str(out, "\xc3\x97"
                    "10");
    add_superscript(out, exponent + 1);
    return sign + strlen(text) + (exponent[1] == '-' ? 2 : 1);
}

/* In this version the precision is the least width; digits after the point are always
 * six. */
static bool add_scientific(struct formatting *f, struct fx_cel_value value,
                           const struct format_clause *clause) {
    struct fx_buf text;
    double real = 0;
    if (!take_double(value, &real)) {
        return fail_kind(f, value, "scientific clause can only be used on doubles");
    }
    const uint64_t width = clause->has_precision ? clause->precision : DEFAULT_PRECISION;
    fx_buf_init(&text, 0);
    const size_t n = print_scientific(&text, real);
    if (width > n) {
        const uint64_t blanks = width - n;
        if (blanks > FX_LIMIT_CEL_TEXT_BYTES || !fx_cel_spend_bytes((size_t)blanks)) {
            fx_buf_finish(&text);
            return add_zeros(f, blanks);
        }
        fx_buf_fill(f->out, ' ', (size_t)blanks);
    }
    fx_buf_text(f->out, fx_buf_view(&text));
    fx_buf_finish_part(f->out, &text);
    return true;
}

/* ---- clauses
 * ----------------------------------------------------------------------------- */

static bool fail_clause(struct formatting *f, const char *what) {
    f->failure = fx_cel_fail(f->run, "could not parse formatting clause: %s", what);
    return false;
}

/* Removes `.digits` from the start of the text. */
static bool take_precision(struct formatting *f, struct fx_text *text,
                           struct format_clause *clause) {
    if (!fx_text_take(text, '.')) {
        return true;
    }
    const size_t n = fx_text_count_digits(*text, text->len);
    const struct fx_text digits = {text->data, n};
    if (n == text->len) {
        return fail_clause(f, "error while parsing precision: could not find end of "
                              "precision specifier");
    }
    const enum fx_go_number how = fx_go_parse_uint(digits, 10, &clause->precision);
    if (how != FX_GO_NUMBER || clause->precision > INT64_MAX) {
        f->failure = fx_cel_fail(
            f->run,
            "could not parse formatting clause: error while parsing precision: error "
            "while converting precision to integer: strconv.Atoi: parsing \"%.*s\": %s",
            FX_TEXT_ARG(digits),
            how == FX_GO_SYNTAX ? "invalid syntax" : "value out of range");
        return false;
    }
    clause->has_precision = true;
    *text = fx_text_rest(*text, n);
    return true;
}

static bool add_clause(struct formatting *f, const struct format_clause *clause,
                       struct fx_cel_value value) {
    char character[5] = "";
    switch (clause->verb) {
    case 's': return cel_format_value(f->run, f->out, value, &f->failure);
    case 'd': return add_decimal(f, value);
    case 'f': return add_fixed(f, value, clause);
    case 'e': return add_scientific(f, value, clause);
    case 'b': return add_binary(f, value);
    case 'o': return add_octal(f, value);
    case 'x': return add_hex(f, value, "0123456789abcdef");
    case 'X': return add_hex(f, value, "0123456789ABCDEF");
    default: break;
    }
    /* A byte is taken for a code point. */
    character[fx_text_encode_rune((unsigned char)clause->verb, character)] = '\0';
    f->failure = fx_cel_fail(f->run,
                             "could not parse formatting clause: unrecognized formatting "
                             "clause \"%s\"",
                             character);
    return false;
}

/* Formats the argument with this number by the clause after the `%`, which is removed. */
static bool take_clause(struct formatting *f, struct fx_text *format,
                        struct fx_cel_value list, size_t number) {
    struct format_clause clause = {0};
    if (format->len == 0) {
        f->failure = fx_cel_fail(f->run, "unexpected end of string");
        return false;
    }
    if (number >= fx_cel_list_size(list)) {
        f->failure = fx_cel_fail(f->run, "index %zu out of range", number);
        return false;
    }
    if (!take_precision(f, format, &clause)) {
        return false;
    }
    clause.verb = format->data[0];
    *format = fx_text_rest(*format, 1);
    if (!fx_spend(4)) {
        f->failure = fx_cel_exceeded(f->run);
        return false;
    }
    return add_clause(f, &clause, fx_cel_list_at(list, number));
}

static bool add_all(struct formatting *f, struct fx_text format,
                    struct fx_cel_value list) {
    size_t number = 0;
    while (format.len > 0 && !f->out->failed) {
        const char *percent = memchr(format.data, '%', format.len);
        if (percent == NULL) {
            fx_buf_text(f->out, format);
            break;
        }
        const size_t len = (size_t)(percent - format.data);
        fx_buf_add(f->out, format.data, len);
        format = fx_text_rest(format, len + 1);
        if (fx_text_take(&format, '%')) {
            fx_buf_char(f->out, '%');
        } else if (!take_clause(f, &format, list, number++)) {
            return false;
        }
    }
    return true;
}

struct fx_cel_value cel_format(struct fx_cel_run *run, const struct fx_cel_value *args) {
    struct fx_buf out;
    struct formatting f = {.run = run, .out = &out};
    if (!fx_cel_spend_bytes(2 * args[0].text.len)) {
        return fx_cel_exceeded(run);
    }
    fx_buf_init(&out, FX_LIMIT_CEL_TEXT_BYTES);
    if (!add_all(&f, args[0].text, args[1])) {
        fx_buf_finish(&out);
        return f.failure;
    }
    return fx_cel_take_buf(run, &out);
}
