/* SPDX-License-Identifier: Apache-2.0
 *
 * base/quantity_fuzz.c - two quantities, separated by a line end: each
 * prints as one that is equal to it; a + b - b is a; their order is that of their
 * difference.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/quantity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_failure(const struct fx_err *err) {
    assert(err->code == FX_EMUTATE && err->msg[0] != '\0');
}

static bool read_quantity(struct fx_arena *arena, struct fx_text text,
                          struct fx_quantity *quantity) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_quantity again;
    struct fx_buf buf;
    int64_t integer = 0;
    double real = 0;
    if (!fx_quantity_parse(arena, text, quantity, &err)) {
        check_failure(&err);
        return false;
    }
    fx_buf_init(&buf, 0);
    fx_quantity_print(&buf, quantity);
    /* As it is printed, an amount of 64 bits may have a digit or two more, and then too
     * large an exponent. */
    if (fx_quantity_parse(arena, fx_buf_view(&buf), &again, &err)) {
        assert(fx_quantity_compare(quantity, &again) == 0);
    } else {
        assert(!quantity->is_decimal && quantity->scale > 1000);
    }
    assert(fx_quantity_double(quantity, &real));
    if (fx_quantity_integer(quantity, &integer)) {
        again = fx_quantity_of(integer);
        assert(fx_quantity_compare(quantity, &again) == 0);
    }
    fx_buf_finish(&buf);
    return true;
}

static void check_sums(struct fx_arena *arena, const struct fx_quantity *a,
                       const struct fx_quantity *b) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_quantity sum;
    struct fx_quantity difference;
    struct fx_quantity again;
    assert(fx_quantity_compare(a, b) == -fx_quantity_compare(b, a));
    if (!fx_quantity_subtract(arena, a, b, &difference, &err) ||
        !fx_quantity_add(arena, a, b, &sum, &err) ||
        !fx_quantity_subtract(arena, &sum, b, &again, &err)) {
        check_failure(&err);
        return;
    }
    assert(fx_quantity_sign(&difference) == fx_quantity_compare(a, b));
    assert(fx_quantity_compare(a, &again) == 0);
}

/* The order of factors does not count; a quotient times the divisor is not larger than
 * the dividend. */
static void check_products(struct fx_arena *arena, const struct fx_quantity *a,
                           const struct fx_quantity *b) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_quantity product;
    struct fx_quantity again;
    struct fx_quantity quotient;
    if (!fx_quantity_multiply(arena, a, b, &product, &err) ||
        !fx_quantity_multiply(arena, b, a, &again, &err)) {
        check_failure(&err);
        return;
    }
    assert(fx_quantity_compare(&product, &again) == 0);
    if (fx_quantity_sign(b) == 0) {
        return;
    }
    if (!fx_quantity_divide(arena, &product, b, &quotient, &err) ||
        !fx_quantity_multiply(arena, &quotient, b, &again, &err)) {
        check_failure(&err);
        return;
    }
    const int order = fx_quantity_compare(&again, &product);
    assert(fx_quantity_sign(&product) < 0 ? order >= 0 : order <= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    const char *line = size == 0 ? NULL : memchr(text, '\n', size);
    const size_t len = line == NULL ? size : (size_t)(line - text);
    const size_t used = line == NULL ? size : len + 1;
    struct fx_arena arena;
    struct fx_quantity a;
    struct fx_quantity b;
    fx_arena_init(&arena, (size_t)1 << 20);
    if (read_quantity(&arena, (struct fx_text){text, len}, &a) &&
        read_quantity(&arena, (struct fx_text){text + used, size - used}, &b)) {
        check_sums(&arena, &a, &b);
        check_products(&arena, &a, &b);
    }
    fx_arena_finish(&arena);
    return 0;
}
