/* SPDX-License-Identifier: Apache-2.0
 *
 * quantity_parse.c - reading quantities.
 */
#include "base/quantity.h"

#include "base/strconv.h"

#define NANO              (-9) /* the smallest scale */
#define SMALL_DIGITS      18   /* that surely fit 64 bits */
#define BINARY_DIGITS     14   /* the same, before a binary unit */
#define MOST_UNIT_LETTERS "eEinumkKMGTP"

static const char wrong_form[] = "quantities must match the regular expression "
                                 "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/* The pieces of a quantity. */
struct quantity_text {
    bool is_negative;
    bool has_digits;      /* zeros in front, too */
    struct fx_text whole; /* without zeros in front */
    struct fx_text fraction;
    struct fx_text suffix;
};

/* Removes the digits from the start of the text. */
static struct fx_text take_digits(struct fx_text *text) {
    const size_t n = fx_text_count_digits(*text, SIZE_MAX);
    const struct fx_text digits = {text->data, n};
    *text = fx_text_rest(*text, n);
    return digits;
}

/* suffix := letters [ "-" | "+" ] digits */
static bool check_suffix(struct fx_text suffix, struct fx_err *err) {
    while (fx_is_one_of(fx_text_first(suffix), MOST_UNIT_LETTERS)) {
        suffix = fx_text_rest(suffix, 1);
    }
    if (!fx_text_take(&suffix, '-')) {
        (void)fx_text_take(&suffix, '+');
    }
    return fx_text_is_digits(suffix) || fx_fail(err, FX_EMUTATE, "%s", wrong_form);
}

static bool split(struct fx_text text, struct quantity_text *pieces, struct fx_err *err) {
    *pieces = (struct quantity_text){.is_negative = fx_text_take(&text, '-')};
    if (!pieces->is_negative) {
        (void)fx_text_take(&text, '+');
    }
    pieces->has_digits = text.len == 0; /* a sign alone is 0 */
    while (fx_text_take(&text, '0')) {
        pieces->has_digits = true;
    }
    pieces->whole = take_digits(&text);
    if (fx_text_take(&text, '.')) {
        pieces->fraction = take_digits(&text);
    }
    pieces->has_digits |= pieces->whole.len + pieces->fraction.len > 0;
    pieces->suffix = text;
    return check_suffix(text, err);
}

/* ---- units ------------------------------------------------------------------------- */

/* What a suffix means: a power of 10, or of 2 for the binary format. */
struct quantity_unit {
    enum fx_quantity_format format;
    int32_t exponent;
};

static const struct {
    const char *suffix;
    struct quantity_unit unit;
} units[] = {
    {"", {FX_QUANTITY_DECIMAL, 0}},   {"n", {FX_QUANTITY_DECIMAL, -9}},
    {"u", {FX_QUANTITY_DECIMAL, -6}}, {"m", {FX_QUANTITY_DECIMAL, -3}},
    {"k", {FX_QUANTITY_DECIMAL, 3}},  {"M", {FX_QUANTITY_DECIMAL, 6}},
    {"G", {FX_QUANTITY_DECIMAL, 9}},  {"T", {FX_QUANTITY_DECIMAL, 12}},
    {"P", {FX_QUANTITY_DECIMAL, 15}}, {"E", {FX_QUANTITY_DECIMAL, 18}},
    {"Ki", {FX_QUANTITY_BINARY, 10}}, {"Mi", {FX_QUANTITY_BINARY, 20}},
    {"Gi", {FX_QUANTITY_BINARY, 30}}, {"Ti", {FX_QUANTITY_BINARY, 40}},
    {"Pi", {FX_QUANTITY_BINARY, 50}}, {"Ei", {FX_QUANTITY_BINARY, 60}},
};

static bool fail_suffix(struct fx_err *err) {
    return fx_fail(err, FX_EMUTATE, "unable to parse quantity's suffix");
}

/* Reads the suffix; an exponent that Kubernetes would cut to 32 bits is refused. */
static bool find_unit(struct fx_text suffix, struct quantity_unit *ret_unit,
                      struct fx_err *err) {
    int64_t exponent = 0;
    for (size_t i = 0; i < FX_COUNT(units); i++) {
        if (fx_text_is(suffix, units[i].suffix)) {
            *ret_unit = units[i].unit;
            return true;
        }
    }
    if (suffix.data[0] != 'e' && suffix.data[0] != 'E') {
        return fail_suffix(err);
    }
    if (fx_go_parse_int(fx_text_rest(suffix, 1), 10, &exponent) != FX_GO_NUMBER ||
        exponent > INT32_MAX / 2 || exponent < INT32_MIN / 2) {
        return fail_suffix(err);
    }
    *ret_unit = (struct quantity_unit){FX_QUANTITY_EXPONENT, (int32_t)exponent};
    return true;
}

/* ---- small amounts ----------------------------------------------------------------- */

static int64_t number_of(int64_t number, struct fx_text digits) {
    for (size_t i = 0; i < digits.len; i++) {
        number = number * 10 + (int64_t)fx_digit_of(digits.data[i]);
    }
    return number;
}

/* The product with 2^bits; false if it does not fit. */
static bool shift(int64_t number, unsigned bits, int64_t *ret_product) {
    if (number > INT64_MAX >> bits) {
        return false;
    }
    *ret_product = (int64_t)((uint64_t)number << bits);
    return true;
}

/* Reads an amount that Kubernetes keeps in 64 bits; false if it does not do so. */
static bool read_small(const struct quantity_text *pieces, struct quantity_unit unit,
                       struct fx_quantity *quantity) {
    const size_t whole = pieces->whole.len == 0 ? 1 : pieces->whole.len;
    const size_t digits = whole + pieces->fraction.len;
    int64_t value = 0;
    if (unit.format == FX_QUANTITY_BINARY) {
        const size_t used = (size_t)unit.exponent * 3 / 10; /* the digits of the unit */
        if (pieces->fraction.len > 0 || digits + used > BINARY_DIGITS ||
            !shift(number_of(0, pieces->whole), (unsigned)unit.exponent, &value)) {
            return false;
        }
    } else {
        if (digits > SMALL_DIGITS ||
            unit.exponent - (int32_t)pieces->fraction.len < NANO) {
            return false;
        }
        value = number_of(number_of(0, pieces->whole), pieces->fraction);
        quantity->scale = unit.exponent - (int32_t)pieces->fraction.len;
    }
    quantity->value = pieces->is_negative ? -value : value;
    quantity->format = unit.format;
    return true;
}

/* ---- others ------------------------------------------------------------------------ */

/* Binary amounts are at most INT64_MAX; a binary amount below 1 is written as a decimal
 * one. */
static void bound_binary(struct fx_quantity *quantity,
                         uint32_t most_limbs[FX_DECIMAL_INTEGER_LIMBS]) {
    uint32_t room[FX_DECIMAL_INTEGER_LIMBS];
    const struct fx_decimal most = fx_decimal_of_integer(INT64_MAX, 0, most_limbs);
    const struct fx_decimal one = fx_decimal_of_integer(1, 0, room);
    if (fx_decimal_compare(&quantity->decimal, &most) > 0) {
        quantity->decimal = most;
    } else if (quantity->decimal.n > 0 &&
               fx_decimal_compare(&quantity->decimal, &one) < 0) {
        quantity->format = FX_QUANTITY_DECIMAL;
    }
}

static bool read_decimal(struct fx_arena *arena, const struct quantity_text *pieces,
                         struct quantity_unit unit, struct fx_quantity *quantity,
                         struct fx_err *err) {
    const bool is_binary = unit.format == FX_QUANTITY_BINARY;
    struct fx_decimal *decimal = &quantity->decimal;
    quantity->is_decimal = true;
    quantity->format = unit.format;
    if (!fx_decimal_parse(arena, pieces->whole, pieces->fraction,
                          is_binary ? 0 : unit.exponent, decimal, err) ||
        (is_binary &&
         !fx_decimal_shift(arena, decimal, (unsigned)unit.exponent, decimal, err)) ||
        !fx_decimal_rescale(arena, decimal, -NANO, decimal, err)) {
        return false;
    }
    if (is_binary) {
        uint32_t *limbs = fx_arena_alloc(arena, FX_DECIMAL_INTEGER_LIMBS * sizeof *limbs);
        if (limbs == NULL) {
            return fx_fail_nomem(err);
        }
        bound_binary(quantity, limbs);
    }
    decimal->is_negative = pieces->is_negative;
    return true;
}

/* A number that is too long is a fault of the text. */
static bool fail_long(struct fx_err *err) {
    err->code = err->code == FX_ELIMIT ? FX_EMUTATE : err->code;
    return false;
}

bool fx_quantity_parse(struct fx_arena *arena, struct fx_text text,
                       struct fx_quantity *ret_quantity, struct fx_err *err) {
    struct fx_quantity quantity = {.format = FX_QUANTITY_EXPONENT};
    struct quantity_text pieces;
    struct quantity_unit unit = {.exponent = 0};
    if (fx_text_is(text, "0")) { /* it takes on the format of what is added to it */
        *ret_quantity = quantity;
        return true;
    }
    if (text.len == 0) {
        return fx_fail(err, FX_EMUTATE, "%s", wrong_form);
    }
    if (!split(text, &pieces, err) || !find_unit(pieces.suffix, &unit, err)) {
        return false;
    }
    if (!read_small(&pieces, unit, &quantity)) {
        if (!pieces.has_digits) {
            return fx_fail(err, FX_EMUTATE, "unable to parse numeric part of quantity");
        }
        if (!read_decimal(arena, &pieces, unit, &quantity, err)) {
            return fail_long(err);
        }
    }
    *ret_quantity = quantity;
    return true;
}
