/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/operand.c - reading and writing the operands of arithmetic.
 */
#include "location/jmespath/operand.h"

#include <math.h>

#include "location/go/time.h"
#include "location/jmespath/functions.h"
#include "value/number.h"
#include "value/tree.h"

/* ---- reading ----------------------------------------------------------------------- */

/* The budget is spent digit by digit: numbers are computed with in base 10^9. */
static bool spend_digits(size_t digits, struct fx_err *err) {
    return fx_spend(1 + digits) || fx_fail_exceeded(err);
}

static bool read_text(struct fx_arena *arena, struct fx_text text,
                      struct jmespath_operand *operand, struct fx_err *err) {
    operand->type = JMESPATH_QUANTITY;
    if (!spend_digits(text.len, err)) {
        return false;
    }
    if (fx_quantity_parse(arena, text, &operand->quantity, err)) {
        return true;
    }
    operand->type = JMESPATH_DURATION;
    return err->code == FX_EMUTATE && fx_go_duration_parse(text, &operand->duration, err);
}

bool jmespath_operand_read(struct fx_arena *arena, const json_t *value,
                           struct jmespath_operand *ret_operand, struct fx_err *err) {
    struct jmespath_operand operand = {.type = JMESPATH_SCALAR, .scalar = value};
    if (!json_is_number(value)) {
        if (json_is_string(value)) {
            if (!read_text(arena, fx_tree_text(value), &operand, err)) {
                return err->code == FX_EMUTATE
                           ? fx_fail(err, FX_EINVALID,
                                     "the operand is neither a quantity nor a duration")
                           : false;
            }
        } else {
            return fx_fail(err, FX_EINVALID,
                           "the operand is no number, quantity or duration");
        }
    }
    *ret_operand = operand;
    return true;
}

bool jmespath_operand_of_double(struct fx_arena *arena, double number,
                                struct fx_quantity *ret_quantity, struct fx_err *err) {
    char text[FX_NUMBER_SIZE];
    const size_t len = fx_number_print_go(number, false, text);
    return fx_quantity_parse(arena, (struct fx_text){text, len}, ret_quantity, err) ||
           jmespath_fail_argument(err);
}

/* ---- prices ------------------------------------------------------------------------ */

static int64_t scale_of(const struct fx_quantity *quantity) {
    return quantity->is_decimal ? quantity->decimal.scale : -(int64_t)quantity->scale;
}

bool jmespath_operand_spend(const struct fx_quantity *a, const struct fx_quantity *b,
                            bool is_product, struct fx_err *err) {
    const size_t a_digits = fx_quantity_length(a);
    const size_t b_digits = fx_quantity_length(b);
    const int64_t distance = scale_of(a) - scale_of(b);
    const uint64_t zeros = (uint64_t)(distance < 0 ? -distance : distance);
    const uint64_t most = FX_LIMIT_DECIMAL_DIGITS;
    const uint64_t products = is_product ? a_digits / 9 * (b_digits / 9) : 0;
    return fx_spend(2 * (a_digits + b_digits) + (zeros < most ? zeros : most) +
                    products) ||
           fx_fail_exceeded(err);
}

/* ---- results ----------------------------------------------------------------------- */

bool jmespath_operand_give_quantity(const struct fx_quantity *quantity,
                                    json_t **ret_value, struct fx_err *err) {
    struct fx_buf buf;
    jmespath_result_init(&buf);
    fx_quantity_print(&buf, quantity);
    return fx_jmespath_give_buf(&buf, ret_value, err);
}

bool jmespath_operand_give_duration(int64_t nanoseconds, json_t **ret_value,
                                    struct fx_err *err) {
    struct fx_buf buf;
    jmespath_result_init(&buf);
    fx_go_duration_print(&buf, nanoseconds);
    return fx_jmespath_give_buf(&buf, ret_value, err);
}

#define MOST_NANOSECONDS 9223372036854775808.0 /* 2^63 */

bool jmespath_operand_give_seconds(double seconds, json_t **ret_value,
                                   struct fx_err *err) {
    const double nanoseconds = seconds * (double)FX_GO_SECOND;
    if (!(fabs(nanoseconds) < MOST_NANOSECONDS)) {
        return fx_fail(err, FX_EINVALID, "the duration is too long");
    }
    return jmespath_operand_give_duration((int64_t)nanoseconds, ret_value, err);
}

double jmespath_operand_seconds(int64_t nanoseconds) {
    const int64_t seconds = nanoseconds / FX_GO_SECOND;
    const int64_t rest = nanoseconds % FX_GO_SECOND;
    return (double)seconds + (double)rest / 1e9;
}
