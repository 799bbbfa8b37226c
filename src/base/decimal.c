/* SPDX-License-Identifier: Apache-2.0
 *
 * decimal.c - exact decimal numbers of any size.
 */
#include "base/decimal.h"

#include <assert.h>
#include <string.h>

#include "base/limits.h"

#define LIMB        UINT32_C(1000000000)
#define LIMB_DIGITS 9u

static const uint32_t powers[LIMB_DIGITS + 1] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, LIMB,
};

/* ---- limbs ------------------------------------------------------------------------- */

static size_t count_digits(uint32_t limb) {
    size_t n = 0;
    while (n < LIMB_DIGITS && limb >= powers[n]) {
        n++;
    }
    return n;
}

/* The digits of the integer; 0 for zero. */
static size_t length(const struct fx_decimal *number) {
    return number->n == 0 ? 0
                          : (number->n - 1) * LIMB_DIGITS +
                                count_digits(number->limbs[number->n - 1]);
}

static bool check_length(size_t digits, struct fx_err *err) {
    return digits <= FX_LIMIT_DECIMAL_DIGITS ||
           fx_fail(err, FX_ELIMIT, "number has more than %u digits",
                   FX_LIMIT_DECIMAL_DIGITS);
}

static uint32_t *new_limbs(struct fx_arena *arena, size_t n, struct fx_err *err) {
    uint32_t *limbs = fx_arena_alloc(arena, n * sizeof *limbs);
    if (limbs == NULL) {
        (void)fx_fail_nomem(err);
    }
    return limbs;
}

/* The number without the limbs at its end that are 0. */
static struct fx_decimal trim(struct fx_decimal number) {
    while (number.n > 0 && number.limbs[number.n - 1] == 0) {
        number.n--;
    }
    return number;
}

struct fx_decimal fx_decimal_of_integer(int64_t value, int64_t scale,
                                        uint32_t room[FX_DECIMAL_INTEGER_LIMBS]) {
    uint64_t size = value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value;
    for (size_t i = 0; i < FX_DECIMAL_INTEGER_LIMBS; i++) {
        room[i] = (uint32_t)(size % LIMB);
        size /= LIMB;
    }
    return trim((struct fx_decimal){value < 0, FX_DECIMAL_INTEGER_LIMBS, room, scale});
}

/* Writes the digits of the text from digit `at` of the limbs on, the last one first. */
static void put_digits(uint32_t *limbs, size_t at, struct fx_text digits) {
    for (size_t i = digits.len; i > 0; i--, at++) {
        limbs[at / LIMB_DIGITS] +=
            fx_digit_of(digits.data[i - 1]) * powers[at % LIMB_DIGITS];
    }
}

bool fx_decimal_parse(struct fx_arena *arena, struct fx_text whole,
                      struct fx_text fraction, int64_t exponent,
                      struct fx_decimal *ret_number, struct fx_err *err) {
    const size_t digits = whole.len + fraction.len;
    const size_t n = digits / LIMB_DIGITS + 1;
    uint32_t *limbs = check_length(digits, err) ? new_limbs(arena, n, err) : NULL;
    if (limbs == NULL) {
        return false;
    }
    put_digits(limbs, 0, fraction);
    put_digits(limbs, fraction.len, whole);
    *ret_number = trim((struct fx_decimal){
        .n = n,
        .limbs = limbs,
        .scale = (int64_t)fraction.len - exponent,
    });
    return true;
}

/* ---- arithmetic -------------------------------------------------------------------- */

/* number × factor × 10^(9 × low), the scale unchanged; `factor` is at most 2^20. */
static bool multiply(struct fx_arena *arena, const struct fx_decimal *number,
                     uint32_t factor, size_t low, struct fx_decimal *ret_product,
                     struct fx_err *err) {
    const size_t n = number->n + low + 1;
    uint32_t *limbs = new_limbs(arena, n, err);
    uint64_t carry = 0;
    if (limbs == NULL) {
        return false;
    }
    for (size_t i = 0; i < number->n; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        limbs[low + i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
    limbs[n - 1] = (uint32_t)carry;
    *ret_product =
        trim((struct fx_decimal){number->is_negative, n, limbs, number->scale});
    return true;
}

/* The same value with a scale that is larger by `digits`. */
static bool add_zeros(struct fx_arena *arena, const struct fx_decimal *number,
                      int64_t digits, struct fx_decimal *ret_number, struct fx_err *err) {
    struct fx_decimal same = *number;
    if (digits > 0 && number->n > 0) {
        const bool is_long = digits > (int64_t)FX_LIMIT_DECIMAL_DIGITS;
        const size_t zeros = is_long ? FX_LIMIT_DECIMAL_DIGITS : (size_t)digits;
        const uint32_t factor = powers[zeros % LIMB_DIGITS];
        const uint32_t half = factor > powers[4] ? powers[4] : 1; /* both are small */
        if (!check_length(length(number) + zeros, err) ||
            !multiply(arena, number, half, zeros / LIMB_DIGITS, &same, err) ||
            !multiply(arena, &same, factor / half, 0, &same, err)) {
            return false;
        }
    }
    same.scale = number->scale + digits;
    *ret_number = same;
    return true;
}

static int compare_limbs(const struct fx_decimal *a, const struct fx_decimal *b) {
    if (a->n != b->n) {
        return a->n < b->n ? -1 : 1;
    }
    for (size_t i = a->n; i > 0; i--) {
        if (a->limbs[i - 1] != b->limbs[i - 1]) {
            return a->limbs[i - 1] < b->limbs[i - 1] ? -1 : 1;
        }
    }
    return 0;
}

static uint32_t limb_at(const struct fx_decimal *number, size_t i) {
    return i < number->n ? number->limbs[i] : 0;
}

/* |a| + |b| or |a| - |b|, of which |a| is the larger one, into n limbs. */
static void combine(const struct fx_decimal *a, const struct fx_decimal *b,
                    bool subtracts, uint32_t *limbs, size_t n) {
    int64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t other = limb_at(b, i);
        int64_t limb = (int64_t)limb_at(a, i) + (subtracts ? -other : other) + carry;
        carry = limb < 0 ? -1 : limb >= (int64_t)LIMB ? 1 : 0;
        limb -= carry * (int64_t)LIMB;
        limbs[i] = (uint32_t)limb;
    }
}

/* a + b for numbers of one scale. */
static bool add_aligned(struct fx_arena *arena, const struct fx_decimal *a,
                        const struct fx_decimal *b, struct fx_decimal *ret_sum,
                        struct fx_err *err) {
    const bool swaps = compare_limbs(a, b) < 0;
    const struct fx_decimal *larger = swaps ? b : a;
    const struct fx_decimal *smaller = swaps ? a : b;
    const size_t n = larger->n + 1;
    uint32_t *limbs = check_length(length(larger), err) ? new_limbs(arena, n, err) : NULL;
    if (limbs == NULL) {
        return false;
    }
    combine(larger, smaller, a->is_negative != b->is_negative, limbs, n);
    *ret_sum = trim((struct fx_decimal){larger->is_negative, n, limbs, a->scale});
    return true;
}

bool fx_decimal_add(struct fx_arena *arena, const struct fx_decimal *a,
                    const struct fx_decimal *b, struct fx_decimal *ret_sum,
                    struct fx_err *err) {
    const int64_t scale = a->scale > b->scale ? a->scale : b->scale;
    struct fx_decimal left;
    struct fx_decimal right;
    return add_zeros(arena, a, scale - a->scale, &left, err) &&
           add_zeros(arena, b, scale - b->scale, &right, err) &&
           add_aligned(arena, &left, &right, ret_sum, err);
}

bool fx_decimal_shift(struct fx_arena *arena, const struct fx_decimal *number,
                      unsigned bits, struct fx_decimal *ret_product, struct fx_err *err) {
    struct fx_decimal product = *number;
    while (bits > 0) {
        const unsigned step = bits < 20 ? bits : 20;
        if (!multiply(arena, &product, UINT32_C(1) << step, 0, &product, err)) {
            return false;
        }
        bits -= step;
    }
    *ret_product = product;
    return true;
}

/* ---- digits ------------------------------------------------------------------------ */

/* Digit `i` of the integer, counted from its end. */
static unsigned digit_at(const struct fx_decimal *number, size_t i) {
    return limb_at(number, i / LIMB_DIGITS) / powers[i % LIMB_DIGITS] % 10;
}

size_t fx_decimal_count_zeros(const struct fx_decimal *number) {
    size_t zeros = 0;
    while (zeros < length(number) && digit_at(number, zeros) == 0) {
        zeros++;
    }
    return zeros;
}

void fx_decimal_print_digits(struct fx_buf *buf, const struct fx_decimal *number) {
    size_t left = length(number);
    if (left == 0) {
        fx_buf_char(buf, '0');
    }
    for (; left > 0; left--) {
        fx_buf_char(buf, (char)('0' + digit_at(number, left - 1)));
    }
}

/* |a| <=> |b|: by the place of the first digit, then digit by digit. */
static int compare_sizes(const struct fx_decimal *a, const struct fx_decimal *b) {
    const size_t a_len = length(a);
    const size_t b_len = length(b);
    const int64_t a_top = (int64_t)a_len - a->scale;
    const int64_t b_top = (int64_t)b_len - b->scale;
    if (a_len == 0 || b_len == 0) {
        return (a_len > 0) - (b_len > 0);
    }
    if (a_top != b_top) {
        return a_top < b_top ? -1 : 1;
    }
    for (size_t i = 1; i <= a_len || i <= b_len; i++) {
        const unsigned left = i <= a_len ? digit_at(a, a_len - i) : 0;
        const unsigned right = i <= b_len ? digit_at(b, b_len - i) : 0;
        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    return 0;
}

int fx_decimal_compare(const struct fx_decimal *a, const struct fx_decimal *b) {
    const bool a_is_negative = a->is_negative && a->n > 0;
    const bool b_is_negative = b->is_negative && b->n > 0;
    if (a_is_negative != b_is_negative) {
        return a_is_negative ? -1 : 1;
    }
    return a_is_negative ? compare_sizes(b, a) : compare_sizes(a, b);
}

/* Removes `digits` digits from the end, fewer than there are. */
static bool cut_digits(struct fx_arena *arena, const struct fx_decimal *number,
                       size_t digits, struct fx_decimal *ret_number, struct fx_err *err) {
    const size_t kept = length(number) - digits;
    const size_t n = kept / LIMB_DIGITS + 1;
    uint32_t *limbs = new_limbs(arena, n, err);
    if (limbs == NULL) {
        return false;
    }
    for (size_t i = 0; i < kept; i++) {
        limbs[i / LIMB_DIGITS] += digit_at(number, digits + i) * powers[i % LIMB_DIGITS];
    }
    *ret_number = trim((struct fx_decimal){
        .is_negative = number->is_negative,
        .n = n,
        .limbs = limbs,
        .scale = number->scale - (int64_t)digits,
    });
    return true;
}

bool fx_decimal_rescale(struct fx_arena *arena, const struct fx_decimal *number,
                        int64_t scale, struct fx_decimal *ret_number,
                        struct fx_err *err) {
    const int64_t lost = number->scale - scale;
    struct fx_decimal cut = {.scale = scale};
    if (lost <= 0) {
        return add_zeros(arena, number, -lost, ret_number, err);
    }
    if (lost < (int64_t)length(number) &&
        !cut_digits(arena, number, (size_t)lost, &cut, err)) {
        return false;
    }
    static const uint32_t one = 1;
    const struct fx_decimal unit = {number->is_negative, 1, &one, scale};
    const bool is_exact =
        number->n == 0 || (int64_t)fx_decimal_count_zeros(number) >= lost;
    if (is_exact) {
        *ret_number = cut;
        return true;
    }
    cut.is_negative = number->is_negative;
    return add_aligned(arena, &cut, &unit, ret_number, err);
}

/* ---- products and quotients -------------------------------------------------------- */

/* limbs += number × factor × 10^(9 × at) */
static void add_product(const struct fx_decimal *number, uint32_t factor, uint32_t *limbs,
                        size_t at) {
    uint64_t carry = 0;
    for (size_t i = 0; i < number->n; i++) {
        carry += (uint64_t)number->limbs[i] * factor + limbs[at + i];
        limbs[at + i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
    limbs[at + number->n] = (uint32_t)carry;
}

bool fx_decimal_multiply(struct fx_arena *arena, const struct fx_decimal *a,
                         const struct fx_decimal *b, struct fx_decimal *ret_product,
                         struct fx_err *err) {
    const size_t n = a->n + b->n;
    uint32_t *limbs =
        check_length(length(a) + length(b), err) ? new_limbs(arena, n, err) : NULL;
    if (limbs == NULL) {
        return false;
    }
    for (size_t i = 0; i < b->n; i++) {
        add_product(a, b->limbs[i], limbs, i);
    }
    *ret_product = trim((struct fx_decimal){
        .is_negative = a->is_negative != b->is_negative,
        .n = n,
        .limbs = limbs,
        .scale = a->scale + b->scale,
    });
    return true;
}

/* The integer without `zeros` zeros at its end; false if it has too many digits. */
static bool read_divisor(const struct fx_decimal *number, size_t zeros,
                         uint64_t *ret_divisor, struct fx_err *err) {
    uint64_t divisor = 0;
    if (length(number) - zeros > FX_DECIMAL_DIVISOR_DIGITS) {
        return fx_fail(err, FX_ELIMIT, "divisor has more than %d digits",
                       FX_DECIMAL_DIVISOR_DIGITS);
    }
    for (size_t i = length(number); i > zeros; i--) {
        divisor = divisor * 10 + digit_at(number, i - 1);
    }
    *ret_divisor = divisor;
    return true;
}

/* The integer × 10^digits, rounded toward zero. */
static bool move_point(struct fx_arena *arena, const struct fx_decimal *number,
                       int64_t digits, struct fx_decimal *ret_number,
                       struct fx_err *err) {
    if (digits >= 0) {
        return add_zeros(arena, number, digits, ret_number, err);
    }
    if (-digits >= (int64_t)length(number)) {
        *ret_number = (struct fx_decimal){.n = 0};
        return true;
    }
    return cut_digits(arena, number, (size_t)-digits, ret_number, err);
}

/* Writes the digits of number / divisor into as many limbs as the number has. */
static void divide_digits(const struct fx_decimal *number, uint64_t divisor,
                          uint32_t *limbs) {
    uint64_t rest = 0; /* below the divisor, so ten times it fits */
    assert(divisor > 0);
    for (size_t i = length(number); i > 0; i--) {
        rest = rest * 10 + digit_at(number, i - 1);
        limbs[(i - 1) / LIMB_DIGITS] +=
            (uint32_t)(rest / divisor) * powers[(i - 1) % LIMB_DIGITS];
        rest %= divisor;
    }
}

bool fx_decimal_divide(struct fx_arena *arena, const struct fx_decimal *a,
                       const struct fx_decimal *b, int64_t scale,
                       struct fx_decimal *ret_quotient, struct fx_err *err) {
    const size_t zeros = fx_decimal_count_zeros(b);
    const int64_t digits = scale - a->scale + b->scale - (int64_t)zeros;
    uint64_t divisor = 1;
    struct fx_decimal dividend;
    if (!read_divisor(b, zeros, &divisor, err) ||
        !move_point(arena, a, digits, &dividend, err)) {
        return false;
    }
    uint32_t *limbs = new_limbs(arena, dividend.n, err);
    if (limbs == NULL) {
        return false;
    }
    divide_digits(&dividend, divisor, limbs);
    *ret_quotient = trim((struct fx_decimal){
        .is_negative = a->is_negative != b->is_negative,
        .n = dividend.n,
        .limbs = limbs,
        .scale = scale,
    });
    return true;
}

bool fx_decimal_divide_by_1024(struct fx_arena *arena, const struct fx_decimal *number,
                               struct fx_decimal *ret_quotient, struct fx_err *err) {
    uint32_t *limbs = new_limbs(arena, number->n, err);
    uint64_t rest = 0;
    if (limbs == NULL) {
        return false;
    }
    for (size_t i = number->n; i > 0; i--) {
        rest = rest * LIMB + number->limbs[i - 1];
        limbs[i - 1] = (uint32_t)(rest / 1024);
        rest %= 1024;
    }
    if (rest != 0) {
        return false;
    }
    *ret_quotient = trim((struct fx_decimal){number->is_negative, number->n, limbs, 0});
    return true;
}
