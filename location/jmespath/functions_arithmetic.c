/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/functions_arithmetic.c - Kyverno's arithmetic on scalars, quantities
 * and durations.
 */
#include <math.h>

#include "location/jmespath/functions.h"
#include "location/jmespath/operand.h"

/* One operation. Gives a new reference. */
typedef bool operation(struct fx_arena *arena, const struct jmespath_operand *a,
                       const struct jmespath_operand *b, json_t **ret_value,
                       struct fx_err *err);

static bool fail_types(struct fx_err *err) {
    return fx_fail(err, FX_EINVALID, "operands of these types do not go together");
}

static bool fail_zero(struct fx_err *err) {
    return fx_fail(err, FX_EINVALID, "division by zero");
}

static double double_of(const struct jmespath_operand *scalar) {
    return json_number_value(scalar->scalar);
}

/* ---- sums and differences ---------------------------------------------------------- */

/* a + b or a - b; false if it does not fit. */
static bool combine_integers(int64_t a, int64_t b, bool subtracts, int64_t *ret_result) {
    if (subtracts ? (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
                  : (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)) {
        return false;
    }
    *ret_result = subtracts ? a - b : a + b;
    return true;
}

static bool combine_scalars(const struct jmespath_operand *a,
                            const struct jmespath_operand *b, bool subtracts,
                            json_t **ret_value, struct fx_err *err) {
    int64_t integer = 0;
    if (json_is_integer(a->scalar) && json_is_integer(b->scalar) &&
        combine_integers(json_integer_value(a->scalar), json_integer_value(b->scalar),
                         subtracts, &integer)) {
        return fx_jmespath_give_take(json_integer(integer), ret_value, err);
    }
    return fx_jmespath_give_number(
        double_of(a) + (subtracts ? -double_of(b) : double_of(b)), ret_value, err);
}

static bool combine_quantities(struct fx_arena *arena, const struct jmespath_operand *a,
                               const struct jmespath_operand *b, bool subtracts,
                               json_t **ret_value, struct fx_err *err) {
    struct fx_quantity result;
    if (!jmespath_operand_spend(&a->quantity, &b->quantity, false, err)) {
        return false;
    }
    return ((subtracts
                 ? fx_quantity_subtract(arena, &a->quantity, &b->quantity, &result, err)
                 : fx_quantity_add(arena, &a->quantity, &b->quantity, &result, err)) ||
            jmespath_fail_argument(err)) &&
           jmespath_operand_give_quantity(&result, ret_value, err);
}

static bool combine(struct fx_arena *arena, const struct jmespath_operand *a,
                    const struct jmespath_operand *b, bool subtracts, json_t **ret_value,
                    struct fx_err *err) {
    int64_t duration = 0;
    if (a->type != b->type) {
        return fail_types(err);
    }
    if (a->type == JMESPATH_SCALAR) {
        return combine_scalars(a, b, subtracts, ret_value, err);
    }
    if (a->type == JMESPATH_QUANTITY) {
        return combine_quantities(arena, a, b, subtracts, ret_value, err);
    }
    return combine_integers(a->duration, b->duration, subtracts, &duration)
               ? jmespath_operand_give_duration(duration, ret_value, err)
               : fx_fail(err, FX_EINVALID, "the duration is too long");
}

static bool add(struct fx_arena *arena, const struct jmespath_operand *a,
                const struct jmespath_operand *b, json_t **ret_value,
                struct fx_err *err) {
    return combine(arena, a, b, false, ret_value, err);
}

static bool subtract(struct fx_arena *arena, const struct jmespath_operand *a,
                     const struct jmespath_operand *b, json_t **ret_value,
                     struct fx_err *err) {
    return combine(arena, a, b, true, ret_value, err);
}

/* ---- products and quotients -------------------------------------------------------- */

/* A quantity times a scalar, or divided by one. */
static bool scale_quantity(struct fx_arena *arena, const struct fx_quantity *quantity,
                           double scalar, bool divides, json_t **ret_value,
                           struct fx_err *err) {
    struct fx_quantity by;
    struct fx_quantity result;
    if (!jmespath_operand_of_double(arena, scalar, &by, err) ||
        !jmespath_operand_spend(quantity, &by, !divides, err)) {
        return false;
    }
    return ((divides ? fx_quantity_divide(arena, quantity, &by, &result, err)
                     : fx_quantity_multiply(arena, quantity, &by, &result, err)) ||
            jmespath_fail_argument(err)) &&
           jmespath_operand_give_quantity(&result, ret_value, err);
}

/* The product of integers; false if a double has to hold it. */
static bool multiply_integers(const json_t *a, const json_t *b, int64_t *ret_product) {
    const double product = json_number_value(a) * json_number_value(b);
    if (!json_is_integer(a) || !json_is_integer(b) ||
        fabs(product) >= (double)(INT64_MAX / 2)) {
        return false;
    }
    *ret_product = json_integer_value(a) * json_integer_value(b);
    return true;
}

static bool multiply(struct fx_arena *arena, const struct jmespath_operand *a,
                     const struct jmespath_operand *b, json_t **ret_value,
                     struct fx_err *err) {
    int64_t product = 0;
    const struct jmespath_operand *scalar = a->type == JMESPATH_SCALAR ? a : b;
    const struct jmespath_operand *other = scalar == a ? b : a;
    if (scalar->type != JMESPATH_SCALAR) {
        return fail_types(err);
    }
    if (other->type == JMESPATH_QUANTITY) {
        return scale_quantity(arena, &other->quantity, double_of(scalar), false,
                              ret_value, err);
    }
    if (other->type == JMESPATH_DURATION) {
        return jmespath_operand_give_seconds(jmespath_operand_seconds(other->duration) *
                                                 double_of(scalar),
                                             ret_value, err);
    }
    return multiply_integers(a->scalar, b->scalar, &product)
               ? fx_jmespath_give_take(json_integer(product), ret_value, err)
               : fx_jmespath_give_number(double_of(a) * double_of(b), ret_value, err);
}

/* Kubernetes' approximate doubles of both quantities. */
static bool approximate(const struct fx_quantity *a, const struct fx_quantity *b,
                        double *ret_a, double *ret_b, struct fx_err *err) {
    if (!jmespath_operand_spend(a, b, false, err)) {
        return false;
    }
    return (fx_quantity_double(a, ret_a) && fx_quantity_double(b, ret_b)) ||
           fx_fail_nomem(err);
}

static bool divide_by_scalar(struct fx_arena *arena, const struct jmespath_operand *a,
                             double by, json_t **ret_value, struct fx_err *err) {
    if (by == 0) {
        return fail_zero(err);
    }
    switch (a->type) {
    case JMESPATH_QUANTITY:
        return scale_quantity(arena, &a->quantity, by, true, ret_value, err);
    case JMESPATH_DURATION:
        return jmespath_operand_give_seconds(jmespath_operand_seconds(a->duration) / by,
                                             ret_value, err);
    case JMESPATH_SCALAR: break;
    }
    return fx_jmespath_give_number(double_of(a) / by, ret_value, err);
}

static bool divide(struct fx_arena *arena, const struct jmespath_operand *a,
                   const struct jmespath_operand *b, json_t **ret_value,
                   struct fx_err *err) {
    double dividend = 0;
    double divisor = 0;
    if (b->type == JMESPATH_SCALAR) {
        return divide_by_scalar(arena, a, double_of(b), ret_value, err);
    }
    if (a->type != b->type) {
        return fail_types(err);
    }
    if (a->type == JMESPATH_DURATION) {
        dividend = jmespath_operand_seconds(a->duration);
        divisor = jmespath_operand_seconds(b->duration);
    } else if (!approximate(&a->quantity, &b->quantity, &dividend, &divisor, err)) {
        return false;
    }
    return divisor == 0 ? fail_zero(err)
                        : fx_jmespath_give_number(dividend / divisor, ret_value, err);
}

/* ---- remainders -------------------------------------------------------------------- */

#define INTEGERS 9223372036854775808.0 /* 2^63 */

/* The double as an integer. FX_EINVALID if it is none, or does not fit. */
static bool integer_of(double number, int64_t *ret_integer, struct fx_err *err) {
    if (!(fabs(number) < INTEGERS) || trunc(number) != number) {
        return fx_fail(err, FX_EINVALID, "the operands have to be integers");
    }
    *ret_integer = (int64_t)number;
    return true;
}

static bool remainder_of(int64_t a, int64_t b, int64_t *ret_rest, struct fx_err *err) {
    if (b == 0) {
        return fail_zero(err);
    }
    *ret_rest = b == -1 ? 0 : a % b; /* the quotient of the least integer overflows */
    return true;
}

static bool read_integer(const json_t *number, int64_t *ret_integer, struct fx_err *err) {
    if (json_is_integer(number)) {
        *ret_integer = json_integer_value(number);
        return true;
    }
    return integer_of(json_real_value(number), ret_integer, err);
}

static bool modulo_quantities(const struct fx_quantity *a, const struct fx_quantity *b,
                              json_t **ret_value, struct fx_err *err) {
    double a_double = 0;
    double b_double = 0;
    int64_t left = 0;
    int64_t right = 0;
    int64_t rest = 0;
    if (!approximate(a, b, &a_double, &b_double, err) ||
        !integer_of(a_double, &left, err) || !integer_of(b_double, &right, err) ||
        !remainder_of(left, right, &rest, err)) {
        return false;
    }
    const struct fx_quantity result = {.format = a->format, .value = rest};
    return jmespath_operand_give_quantity(&result, ret_value, err);
}

static bool modulo(struct fx_arena *arena, const struct jmespath_operand *a,
                   const struct jmespath_operand *b, json_t **ret_value,
                   struct fx_err *err) {
    int64_t left = 0;
    int64_t right = 0;
    int64_t rest = 0;
    (void)arena;
    if (a->type != b->type) {
        return fail_types(err);
    }
    if (a->type == JMESPATH_QUANTITY) {
        return modulo_quantities(&a->quantity, &b->quantity, ret_value, err);
    }
    if (a->type == JMESPATH_DURATION) {
        return remainder_of(a->duration, b->duration, &rest, err) &&
               jmespath_operand_give_duration(rest, ret_value, err);
    }
    return read_integer(a->scalar, &left, err) && read_integer(b->scalar, &right, err) &&
           remainder_of(left, right, &rest, err) &&
           fx_jmespath_give_take(json_integer(rest), ret_value, err);
}

/* ---- the functions ----------------------------------------------------------------- */

static bool operate(const struct fx_jmespath_call *call, operation *of, json_t *left,
                    json_t *right, json_t **ret_value, struct fx_err *err) {
    struct jmespath_operand a;
    struct jmespath_operand b;
    return jmespath_operand_read(call->arena, left, &a, err) &&
           jmespath_operand_read(call->arena, right, &b, err) &&
           of(call->arena, &a, &b, ret_value, err);
}

#define OPERATION(operation_)                                                           \
    static bool call_##operation_(const struct fx_jmespath_call *call,                  \
                                  json_t **ret_value, struct fx_err *err) {             \
        return operate(call, operation_, call->args[0], call->args[1], ret_value, err); \
    }

OPERATION(add)
OPERATION(subtract)
OPERATION(multiply)
OPERATION(divide)
OPERATION(modulo)

/* Adds element by element. A sum of quantities takes on the format in which it prints, as
 * Kyverno reads it again for the next element. */
static bool call_sum(const struct fx_jmespath_call *call, json_t **ret_value,
                     struct fx_err *err) {
    const json_t *list = call->args[0];
    const size_t n = json_array_size(list);
    if (n == 0) {
        return fx_fail(err, FX_EINVALID, "the list is empty");
    }
    json_t *sum = json_incref(json_array_get(list, 0));
    for (size_t i = 1; i < n; i++) {
        json_t *next = NULL;
        const bool ok = jmespath_spend_bytes(0, err) &&
                        operate(call, add, sum, json_array_get(list, i), &next, err);
        json_decref(sum);
        if (!ok) {
            return false;
        }
        sum = next;
    }
    *ret_value = sum;
    return true;
}

/* Rounds half away from zero. A double has no more digits than its limit of 10^308. */
static bool call_round(const struct fx_jmespath_call *call, json_t **ret_value,
                       struct fx_err *err) {
    const double number = jmespath_argument_number(call, 0);
    const double digits = jmespath_argument_number(call, 1);
    if (digits < 0 || trunc(digits) != digits) {
        return fx_fail(err, FX_EINVALID,
                       "the number of digits has to be an integer that is not negative");
    }
    const double shifted = number * pow(10, digits);
    if (json_is_integer(call->args[0]) || !isfinite(shifted)) {
        return fx_jmespath_give_take(json_incref(call->args[0]), ret_value, err);
    }
    return fx_jmespath_give_number(round(shifted) / pow(10, digits), ret_value, err);
}

#define BINARY_ROW(name, call) \
    FX_JMESPATH_ROW(name, call, {.types = FX_JMESPATH_ANY}, {.types = FX_JMESPATH_ANY})

const struct fx_jmespath_function fx_jmespath_arithmetic_functions[] = {
    BINARY_ROW("add", call_add),
    BINARY_ROW("subtract", call_subtract),
    BINARY_ROW("multiply", call_multiply),
    BINARY_ROW("divide", call_divide),
    BINARY_ROW("modulo", call_modulo),
    FX_JMESPATH_ROW("sum", call_sum, {.types = FX_JMESPATH_ARRAY}),
    FX_JMESPATH_ROW("round", call_round, {.types = FX_JMESPATH_NUMBER},
                    {.types = FX_JMESPATH_NUMBER}),
    {.name = NULL},
};
