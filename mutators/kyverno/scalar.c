/* SPDX-License-Identifier: Apache-2.0
 *
 * scalar.c - reads durations, quantities and ranges.
 */
#include "scalar.h"

#include <ctype.h>
#include <stddef.h>

#include "base/quantity.h"
#include "location/go/time.h"
#include "value/tree.h"

/* A longer text is neither a duration nor a quantity, and is not read as one. */
#define LONGEST_AMOUNT 128u

struct fx_text fx_kyverno_scalar_text(const json_t *scalar, char space[FX_NUMBER_SIZE]) {
    if (json_is_number(scalar)) {
        return (struct fx_text){space, fx_number_print(scalar, space)};
    }
    if (json_is_boolean(scalar)) {
        return json_is_true(scalar) ? FX_TEXT("true") : FX_TEXT("false");
    }
    return json_is_null(scalar) ? FX_TEXT("null") : fx_tree_text(scalar);
}

/* Can the text begin an amount? Most texts cannot, and reading them is not tried. */
static bool may_be_amount(struct fx_text text) {
    return text.len > 0 && text.len <= LONGEST_AMOUNT &&
           (isdigit((unsigned char)text.data[0]) || text.data[0] == '+' ||
            text.data[0] == '-' || text.data[0] == '.');
}

bool fx_kyverno_duration(struct fx_text text, int64_t *ret_nanoseconds) {
    struct fx_err ignored = FX_ERR_INIT;
    return may_be_amount(text) && fx_go_duration_parse(text, ret_nanoseconds, &ignored);
}

static bool read_quantity(struct fx_arena *arena, struct fx_text text,
                          struct fx_quantity *ret_quantity) {
    struct fx_err ignored = FX_ERR_INIT;
    return may_be_amount(text) && fx_quantity_parse(arena, text, ret_quantity, &ignored);
}

bool fx_kyverno_is_quantity(struct fx_arena *arena, struct fx_text text) {
    struct fx_quantity quantity;
    return read_quantity(arena, text, &quantity);
}

bool fx_kyverno_compare_quantities(struct fx_arena *arena, struct fx_text a,
                                   struct fx_text b, int *ret_order) {
    struct fx_quantity first;
    struct fx_quantity second;
    if (!read_quantity(arena, a, &first) || !read_quantity(arena, b, &second)) {
        return false;
    }
    *ret_order = fx_quantity_compare(&first, &second);
    return true;
}

/* ---- ranges --------------------------------------------------------------------------
 */

static size_t skip_digits(struct fx_text text, size_t at) {
    while (at < text.len && isdigit((unsigned char)text.data[at])) {
        at++;
    }
    return at;
}

/* The end of the amount that begins at `from`; `from` if there is none. */
static size_t skip_amount(struct fx_text text, size_t from) {
    size_t at = from;
    if (at < text.len && (text.data[at] == '-' || text.data[at] == '+')) {
        at++;
    }
    const size_t end = skip_digits(text, at);
    if (end == at) {
        return from;
    }
    at = end;
    if (at + 1 < text.len && text.data[at] == '.' && skip_digits(text, at + 1) > at + 1) {
        at = skip_digits(text, at + 1);
    }
    while (at < text.len && isalpha((unsigned char)text.data[at])) {
        at++;
    }
    return at;
}

bool fx_kyverno_split_range(struct fx_text text, struct fx_text *ret_low,
                            struct fx_text *ret_high, bool *ret_is_not) {
    const size_t low = skip_amount(text, 0);
    size_t at = low;
    *ret_is_not = at < text.len && text.data[at] == '!';
    at += *ret_is_not ? 1 : 0;
    if (low == 0 || at >= text.len || text.data[at] != '-') {
        return false;
    }
    at++;
    *ret_low = (struct fx_text){text.data, low};
    *ret_high = fx_text_rest(text, at);
    return at < text.len && skip_amount(text, at) == text.len;
}
