/* SPDX-License-Identifier: Apache-2.0
 *
 * quantity.c - computing with quantities, and writing them.
 */
#include "base/quantity.h"

#include <math.h>

#include "base/strconv.h"

struct fx_quantity fx_quantity_of(int64_t integer) {
    return (struct fx_quantity){.format = FX_QUANTITY_EXPONENT, .value = integer};
}

/* The amount as a decimal, whose limbs may be in `room`. */
static struct fx_decimal decimal_of(const struct fx_quantity *quantity,
                                    uint32_t room[FX_DECIMAL_INTEGER_LIMBS]) {
    return quantity->is_decimal
               ? quantity->decimal
               : fx_decimal_of_integer(quantity->value, -(int64_t)quantity->scale, room);
}

int fx_quantity_sign(const struct fx_quantity *quantity) {
    if (!quantity->is_decimal) {
        return (quantity->value > 0) - (quantity->value < 0);
    }
    if (fx_decimal_is_zero(&quantity->decimal)) {
        return 0;
    }
    return quantity->decimal.is_negative ? -1 : 1;
}

int fx_quantity_compare(const struct fx_quantity *a, const struct fx_quantity *b) {
    uint32_t a_room[FX_DECIMAL_INTEGER_LIMBS];
    uint32_t b_room[FX_DECIMAL_INTEGER_LIMBS];
    const struct fx_decimal left = decimal_of(a, a_room);
    const struct fx_decimal right = decimal_of(b, b_room);
    const int order = fx_decimal_compare(&left, &right);
    return (order > 0) - (order < 0);
}

size_t fx_quantity_length(const struct fx_quantity *quantity) {
    return quantity->is_decimal ? quantity->decimal.n * 9 : 19;
}

/* ---- sums -------------------------------------------------------------------------- */

/* value × 10^digits; false if it does not fit. */
static bool scale_up(int64_t value, int64_t digits, int64_t *ret_value) {
    for (; digits > 0 && value != 0; digits--) {
        if (value > INT64_MAX / 10 || value < INT64_MIN / 10) {
            return false;
        }
        value *= 10;
    }
    *ret_value = value;
    return true;
}

static bool add_integers(int64_t a, int64_t b, int64_t *ret_sum) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) {
        return false;
    }
    *ret_sum = a + b;
    return true;
}

/* a + b in 64 bits; false if a number does not fit. The scale is the smaller one, but
 * that of the other number where one is 0. */
static bool add_small(const struct fx_quantity *a, int64_t b, int32_t b_scale,
                      struct fx_quantity *sum) {
    if (b == 0) {
        return true;
    }
    if (a->value == 0) {
        sum->value = b;
        sum->scale = b_scale;
        return true;
    }
    const int32_t scale = a->scale < b_scale ? a->scale : b_scale;
    int64_t left = 0;
    int64_t right = 0;
    int64_t value = 0;
    if (!scale_up(a->value, (int64_t)a->scale - scale, &left) ||
        !scale_up(b, (int64_t)b_scale - scale, &right) ||
        !add_integers(left, right, &value)) {
        return false;
    }
    sum->value = value;
    sum->scale = scale;
    return true;
}

/* A number that is too long is a fault of the operands. */
static bool fail_long(struct fx_err *err) {
    err->code = err->code == FX_ELIMIT ? FX_EMUTATE : err->code;
    return false;
}

/* a + b, or a - b. */
static bool combine(struct fx_arena *arena, const struct fx_quantity *a,
                    const struct fx_quantity *b, bool subtracts,
                    struct fx_quantity *ret_sum, struct fx_err *err) {
    struct fx_quantity sum = *a;
    if (fx_quantity_sign(a) == 0) {
        sum.format = b->format;
    }
    const bool is_small = !a->is_decimal && !b->is_decimal &&
                          (!subtracts || b->value != INT64_MIN) &&
                          add_small(a, subtracts ? -b->value : b->value, b->scale, &sum);
    if (!is_small) {
        uint32_t a_room[FX_DECIMAL_INTEGER_LIMBS];
        uint32_t b_room[FX_DECIMAL_INTEGER_LIMBS];
        const struct fx_decimal left = decimal_of(a, a_room);
        struct fx_decimal right = decimal_of(b, b_room);
        right.is_negative = right.is_negative != subtracts;
        if (!fx_decimal_add(arena, &left, &right, &sum.decimal, err)) {
            return fail_long(err);
        }
        sum.is_decimal = true;
    }
    *ret_sum = sum;
    return true;
}

bool fx_quantity_add(struct fx_arena *arena, const struct fx_quantity *a,
                     const struct fx_quantity *b, struct fx_quantity *ret_sum,
                     struct fx_err *err) {
    return combine(arena, a, b, false, ret_sum, err);
}

bool fx_quantity_subtract(struct fx_arena *arena, const struct fx_quantity *a,
                          const struct fx_quantity *b, struct fx_quantity *ret_difference,
                          struct fx_err *err) {
    return combine(arena, a, b, true, ret_difference, err);
}

/* ---- products and quotients -------------------------------------------------------- */

bool fx_quantity_multiply(struct fx_arena *arena, const struct fx_quantity *a,
                          const struct fx_quantity *b, struct fx_quantity *ret_product,
                          struct fx_err *err) {
    uint32_t a_room[FX_DECIMAL_INTEGER_LIMBS];
    uint32_t b_room[FX_DECIMAL_INTEGER_LIMBS];
    const struct fx_decimal left = decimal_of(a, a_room);
    const struct fx_decimal right = decimal_of(b, b_room);
    struct fx_quantity product = {.format = a->format, .is_decimal = true};
    if (!fx_decimal_multiply(arena, &left, &right, &product.decimal, err)) {
        return fail_long(err);
    }
    *ret_product = product;
    return true;
}

bool fx_quantity_divide(struct fx_arena *arena, const struct fx_quantity *a,
                        const struct fx_quantity *b, struct fx_quantity *ret_quotient,
                        struct fx_err *err) {
    uint32_t a_room[FX_DECIMAL_INTEGER_LIMBS];
    uint32_t b_room[FX_DECIMAL_INTEGER_LIMBS];
    const struct fx_decimal left = decimal_of(a, a_room);
    const struct fx_decimal right = decimal_of(b, b_room);
    struct fx_quantity quotient = {.format = a->format, .is_decimal = true};
    int64_t scale = left.scale > right.scale ? left.scale : right.scale;
    scale = scale > 0 ? scale : 0;
    if (!fx_decimal_divide(arena, &left, &right, scale, &quotient.decimal, err)) {
        return fail_long(err);
    }
    *ret_quotient = quotient;
    return true;
}

/* ---- numbers ----------------------------------------------------------------------- */

bool fx_quantity_integer(const struct fx_quantity *quantity, int64_t *ret_integer) {
    return !quantity->is_decimal && quantity->scale >= 0 &&
           scale_up(quantity->value, quantity->scale, ret_integer);
}

#define POWERS 32 /* of ten, between two entries of the tables */

/* Go's math.Pow10, whose results are products or quotients of two tables. */
static double power_of_ten(int64_t exponent) {
    static const double small[POWERS] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10,
        1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
        1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31,
    };
    static const double large[] = {
        1e0, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288,
    };
    static const double inverse[] = {
        1e0, 1e-32, 1e-64, 1e-96, 1e-128, 1e-160, 1e-192, 1e-224, 1e-256, 1e-288, 1e-320,
    };
    if (exponent > 308) {
        return (double)INFINITY;
    }
    if (exponent >= 0) {
        return large[exponent / POWERS] * small[exponent % POWERS];
    }
    return exponent < -323 ? 0 : inverse[-exponent / POWERS] / small[-exponent % POWERS];
}

/* The double that is nearest to the integer of the decimal. */
static bool nearest_double(const struct fx_decimal *decimal, double *ret_double) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_decimal_print_digits(&buf, decimal);
    const enum fx_go_number result =
        buf.failed ? FX_GO_NOMEM : fx_go_parse_float(fx_buf_view(&buf), ret_double);
    fx_buf_finish(&buf);
    if (result == FX_GO_RANGE) {
        *ret_double = (double)INFINITY;
    }
    if (decimal->is_negative && decimal->n > 0) {
        *ret_double = -*ret_double;
    }
    return result != FX_GO_NOMEM;
}

/* The integer as a double, times the power of ten: not the nearest double, but what
 * Kubernetes computes. */
bool fx_quantity_double(const struct fx_quantity *quantity, double *ret_double) {
    double base = (double)quantity->value;
    int64_t exponent = quantity->scale;
    if (quantity->is_decimal) {
        base = 0;
        exponent = -quantity->decimal.scale;
        if (!nearest_double(&quantity->decimal, &base)) {
            return false;
        }
    }
    *ret_double = exponent == 0 ? base : base * power_of_ten(exponent);
    return true;
}

/* ---- writing ----------------------------------------------------------------------- */

/* The decimal units from 10^-9 to 10^18. */
static const char *const decimal_units[] = {"n", "u", "m", "",  "k",
                                            "M", "G", "T", "P", "E"};

#define MOST_MEMORY ((size_t)1 << 20) /* for the quotients by units */

#define LEAST_EXPONENT (-9)
#define MOST_EXPONENT  18

/* Writes the integer × 10^exponent with a unit of a power of 1000. */
static void print_decimal(struct fx_buf *buf, const struct fx_decimal *number,
                          bool has_units) {
    const size_t zeros = fx_decimal_count_zeros(number);
    const int64_t whole = (int64_t)zeros - number->scale;
    int64_t exponent = whole - ((whole % 3) + 3) % 3;
    if (has_units && exponent > MOST_EXPONENT) {
        exponent = MOST_EXPONENT;
    }
    fx_decimal_print_digits(buf, number);
    if (buf->failed) {
        return;
    }
    buf->len -= zeros;
    buf->data[buf->len] = '\0';
    fx_buf_fill(buf, '0', (size_t)(whole - exponent));
    if (has_units && exponent >= LEAST_EXPONENT) {
        fx_buf_str(buf, decimal_units[(exponent - LEAST_EXPONENT) / 3]);
    } else if (exponent != 0) {
        fx_buf_char(buf, 'e');
        fx_buf_integer(buf, exponent);
    }
}

/* Writes an integer with the largest binary unit that leaves it an integer. */
static void print_binary(struct fx_buf *buf, const struct fx_decimal *integer) {
    static const char *const binary_units[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct fx_decimal rest = *integer;
    size_t unit = 0;
    fx_arena_init(&arena, MOST_MEMORY);
    while (unit + 1 < FX_COUNT(binary_units) &&
           fx_decimal_divide_by_1024(&arena, &rest, &rest, &err)) {
        unit++;
    }
    fx_decimal_print_digits(buf, &rest);
    fx_buf_str(buf, binary_units[unit]);
    buf->failed |= err.code == FX_ENOMEM;
    fx_arena_finish(&arena);
}

/* Binary units are only for integers of 1024 and more. */
static bool is_for_binary(const struct fx_quantity *quantity,
                          const struct fx_decimal *number) {
    uint32_t room[FX_DECIMAL_INTEGER_LIMBS];
    const struct fx_decimal bound = fx_decimal_of_integer(1024, 0, room);
    struct fx_decimal size = *number;
    size.is_negative = false;
    return quantity->format == FX_QUANTITY_BINARY &&
           (int64_t)fx_decimal_count_zeros(number) >= number->scale &&
           fx_decimal_compare(&size, &bound) >= 0;
}

void fx_quantity_print(struct fx_buf *buf, const struct fx_quantity *quantity) {
    uint32_t room[FX_DECIMAL_INTEGER_LIMBS];
    const struct fx_decimal number = decimal_of(quantity, room);
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    struct fx_decimal integer;
    if (fx_decimal_is_zero(&number)) {
        fx_buf_char(buf, '0');
        return;
    }
    if (number.is_negative) {
        fx_buf_char(buf, '-');
    }
    if (!is_for_binary(quantity, &number)) {
        print_decimal(buf, &number, quantity->format != FX_QUANTITY_EXPONENT);
        return;
    }
    fx_arena_init(&arena, MOST_MEMORY);
    if (fx_decimal_rescale(&arena, &number, 0, &integer, &err)) {
        print_binary(buf, &integer);
    } else if (err.code == FX_ELIMIT) {
        print_decimal(buf, &number, true);
    } else {
        buf->failed = true;
    }
    fx_arena_finish(&arena);
}
