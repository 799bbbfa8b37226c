/* SPDX-License-Identifier: Apache-2.0
 *
 * value/number_fuzz.c - eight bytes as a double and as an integer: the text of each reads
 * as the same number, and that of a double has no digit too many. The text itself, where
 * it is a number, comes back as one that is equal.
 */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value/equal.h"
#include "value/json.h"
#include "value/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Digits of the text, without the zeros before and behind. */
static int count_digits(const char *text) {
    int count = 0;
    int significant = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9') {
            continue;
        }
        count += count > 0 || *text != '0';
        significant = *text != '0' ? count : significant;
    }
    return significant;
}

static void check_double(double value) {
    char text[FX_NUMBER_SIZE];
    char shorter[64];
    assert(fx_number_print_double(value, text) == strlen(text));
    assert(strtod(text, NULL) == value);
    const int digits = count_digits(text);
    assert(digits <= 17);
    if (digits > 1) {
        (void)snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
        assert(strtod(shorter, NULL) != value);
    }
}

static void check_integer(int64_t value) {
    char text[FX_NUMBER_SIZE];
    bool overflow = true;
    json_t *node = json_integer(value);
    assert(node != NULL);
    const size_t length = fx_number_print(node, text);
    assert(length == strlen(text) && strtoll(text, NULL, 10) == value);
    json_t *again = fx_number_parse((struct fx_text){text, length}, &overflow);
    assert(!overflow && json_is_integer(again) && json_integer_value(again) == value);
    json_decref(node);
    json_decref(again);
}

static void check_text(struct fx_text text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *node = fx_json_read(text, NULL, &err);
    if (json_is_number(node)) {
        char copy[FX_NUMBER_SIZE];
        bool overflow = true;
        const size_t length = fx_number_print(node, copy);
        json_t *again = fx_number_parse((struct fx_text){copy, length}, &overflow);
        assert(!overflow && json_number_value(again) == json_number_value(node));
        assert(!json_is_integer(node) || fx_equal(node, again));
        json_decref(again);
    }
    json_decref(node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size >= sizeof(double)) {
        double real = 0;
        int64_t integer = 0;
        memcpy(&real, data, sizeof real);
        memcpy(&integer, data, sizeof integer);
        if (isfinite(real)) {
            check_double(real);
        }
        check_integer(integer);
    }
    check_text((struct fx_text){(const char *)data, size});
    return 0;
}
