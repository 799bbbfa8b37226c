/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/convert.c - text is read here as Go's package strconv reads it.
 */
#include "location/sprig/convert.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/err.h"
#include "location/gotemplate/print.h"

/* A number being taken apart from its start. */
struct digits {
    const char *at, *end;
    unsigned base;
    bool is_parted; /* `_` between digits is fine */
};

static bool take_sign(struct digits *d) {
    const bool negative = d->at < d->end && *d->at == '-';
    if (d->at < d->end && (*d->at == '-' || *d->at == '+')) {
        d->at++;
    }
    return negative;
}

/* 16 and more: none. */
static unsigned digit_of(char c) {
    if (c >= '0' && c <= '9') {
        return (unsigned)(c - '0');
    }
    const int lower = tolower((unsigned char)c);
    return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10 : 16;
}

/* The base that `0x`, `0b`, `0o` or `0` says; 10 where there is none of them. */
static void take_prefix(struct digits *d) {
    d->base = 10;
    if (d->at == d->end || *d->at != '0') {
        return;
    }
    const int mark = d->end - d->at >= 3 ? tolower((unsigned char)d->at[1]) : 0;
    d->base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    d->at += mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1;
}

/* Digits as far as they go, UINT64_MAX where the number is larger; false where they do
 * not go to the end. `follows`: there was a prefix before them. */
static bool take_magnitude(struct digits *d, bool follows, uint64_t *ret_magnitude) {
    uint64_t magnitude = 0;
    bool overflows = false;
    for (; d->at < d->end; d->at++) {
        if (*d->at == '_' && d->is_parted && follows) {
            follows = false; /* a digit must come now */
            continue;
        }
        const unsigned digit = digit_of(*d->at);
        if (digit >= d->base) {
            return false;
        }
        follows = true;
        overflows = overflows || __builtin_mul_overflow(magnitude, d->base, &magnitude) ||
                    __builtin_add_overflow(magnitude, digit, &magnitude);
    }
    *ret_magnitude = overflows ? UINT64_MAX : magnitude;
    return follows;
}

bool parse_int64(struct fx_text text, unsigned base, int64_t *ret_integer) {
    struct digits d = {.at = text.data, .end = text.data + text.len, .base = base};
    *ret_integer = 0;
    if (text.len == 0) {
        return false;
    }
    const bool negative = take_sign(&d);
    const char *first = d.at;
    if (base == 0) {
        d.is_parted = true;
        take_prefix(&d);
    }
    uint64_t magnitude = 0;
    if (!take_magnitude(&d, d.at > first, &magnitude)) {
        return false;
    }
    const uint64_t most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    const uint64_t near = magnitude > most ? most : magnitude;
    *ret_integer = (int64_t)(negative ? 0 - near : near);
    return magnitude <= most;
}

/* As the hardware does it that KubeMod runs on: what has no int64 is the lowest. */
static int64_t truncate(double number) {
    return number >= -0x1p63 && number < 0x1p63 ? (int64_t)number : INT64_MIN;
}

int64_t value_to_int64(const struct value *value) {
    int64_t integer = 0;
    switch (value->kind) {
    case VALUE_BOOL: return value->boolean ? 1 : 0;
    case VALUE_INT:
    case VALUE_INT64:
    case VALUE_UINT64: return value->integer;
    case VALUE_FLOAT64: return truncate(value->number);
    case VALUE_STRING: return parse_int64(value->string, 0, &integer) ? integer : 0;
    case VALUE_MISSING:
    case VALUE_NIL:
    case VALUE_LIST:
    case VALUE_MAP:
    case VALUE_OBJECT:
    case VALUE_STRUCT: break;
    }
    return 0;
}

/* float := sign ( "inf" | "infinity" ), or "nan"
 *        | sign digits [ '.' digits ] [ 'e' sign digits ]
 *        | sign "0x" hex [ '.' hex ] 'p' sign digits
 * with one digit at least, in either case, and `_` between digits. */
struct float_reader {
    const char *at, *end;
    struct fx_buf plain; /* the text without `_` */
};

static bool is_word(const struct float_reader *r, const char *word) {
    const size_t len = strlen(word);
    return (size_t)(r->end - r->at) == len && strncasecmp(r->at, word, len) == 0;
}

static bool take_any(struct float_reader *r, const char *of) {
    if (r->at == r->end || *r->at == '\0' || strchr(of, *r->at) == NULL) {
        return false;
    }
    fx_buf_char(&r->plain, *r->at++);
    return true;
}

/* How many digits there were; `_` must stand between two, or behind a prefix. False where
 * it does not. */
static bool take_digits(struct float_reader *r, unsigned base, bool follows,
                        size_t *ret_n) {
    size_t n = 0;
    bool is_parted = false; /* by the last character */
    for (; r->at < r->end; r->at++) {
        if (*r->at == '_') {
            if (!follows || is_parted) {
                return false;
            }
            is_parted = true;
            continue;
        }
        if (digit_of(*r->at) >= base) {
            break;
        }
        fx_buf_char(&r->plain, *r->at);
        follows = true;
        is_parted = false;
        n++;
    }
    *ret_n = n;
    return !is_parted;
}

/* The digits before the point and those behind it. */
static bool take_mantissa(struct float_reader *r, unsigned base) {
    size_t whole = 0;
    size_t fraction = 0;
    if (!take_digits(r, base, base == 16, &whole)) {
        return false;
    }
    if (take_any(r, ".") && !take_digits(r, base, false, &fraction)) {
        return false;
    }
    return whole + fraction > 0;
}

static bool take_exponent(struct float_reader *r) {
    size_t n = 0;
    (void)take_any(r, "+-");
    return take_digits(r, 10, false, &n) && n > 0;
}

/* Does the text stand for a number that strtod() reads from `plain`? */
static bool take_float(struct float_reader *r) {
    if (is_word(r, "nan")) {
        fx_buf_str(&r->plain, "nan");
        return true;
    }
    (void)take_any(r, "+-");
    if (is_word(r, "inf") || is_word(r, "infinity")) {
        fx_buf_str(&r->plain, "inf");
        return true;
    }
    const bool is_hex =
        r->end - r->at > 2 && r->at[0] == '0' && (r->at[1] == 'x' || r->at[1] == 'X');
    if (is_hex) {
        fx_buf_str(&r->plain, "0x");
        r->at += 2;
    }
    if (!take_mantissa(r, is_hex ? 16 : 10)) {
        return false;
    }
    if (take_any(r, is_hex ? "pP" : "eE")) {
        return take_exponent(r) && r->at == r->end;
    }
    return !is_hex && r->at == r->end;
}

/* strconv.ParseFloat; what is no number, or too large for one, is 0. */
static bool parse_float64(struct run *run, struct fx_text text, double *ret_number) {
    struct float_reader r = {.at = text.data, .end = text.data + text.len};
    fx_buf_init(&r.plain, 0);
    double number = 0;
    if (text.len > 0 && take_float(&r) && !r.plain.failed) {
        number = strtod(r.plain.data, NULL);
        if (isinf(number) && r.plain.data[r.plain.len - 1] != 'f') {
            number = 0; /* too large */
        }
    }
    const bool failed = r.plain.failed;
    fx_buf_finish(&r.plain);
    if (failed) {
        return fx_fail_nomem(run->err);
    }
    *ret_number = number;
    return true;
}

bool value_to_float64(struct run *run, const struct value *value, double *ret_number) {
    switch (value->kind) {
    case VALUE_FLOAT64: *ret_number = value->number; return true;
    case VALUE_STRING: return parse_float64(run, value->string, ret_number);
    case VALUE_MISSING:
    case VALUE_NIL:
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_INT64:
    case VALUE_UINT64:
    case VALUE_LIST:
    case VALUE_MAP:
    case VALUE_OBJECT:
    case VALUE_STRUCT: break;
    }
    *ret_number = (double)value_to_int64(value);
    return true;
}

bool value_to_strings(struct run *run, const struct value *value,
                      struct list **ret_list) {
    const bool is_list = value->kind == VALUE_LIST;
    const struct value *values = is_list ? value->list->values : value;
    size_t n = is_list ? value->list->n : 1;
    struct list *list = value_list_new(run, n);
    if (list == NULL) {
        return false;
    }
    list->type = TYPE_STRINGS;
    list->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (value_is_nil(&values[i])) {
            continue;
        }
        struct fx_text text = {0};
        if (!value_text(run, &values[i], &text)) {
            return false;
        }
        list->values[list->n++] = value_string(text);
    }
    *ret_list = list;
    return true;
}
