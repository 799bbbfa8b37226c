/* SPDX-License-Identifier: Apache-2.0
 *
 * quantities.c - quantity() and its methods.
 */
#include "base/budget.h"
#include "base/quantity.h"
#include "location/cel/cost.h"
#include "location/cel_library/library.h"
#include "location/cel_library/types.h"

FX_CEL_OPAQUE_TYPE(fx_cel_quantity, "kubernetes.Quantity");

/* ---- the values -------------------------------------------------------------------- */

static bool quantity_equal(const void *a, const void *b) {
    return fx_quantity_compare(a, b) == 0;
}

static void quantity_print(const void *self, struct fx_buf *buf) {
    fx_quantity_print(buf, self);
}

static const struct fx_cel_opaque_ops quantity_ops = {
    .type = &fx_cel_quantity,
    .equal = quantity_equal,
    .print = quantity_print,
};

/* Of what add() and sub() return. */
static const struct fx_cel_opaque_ops sum_ops = {
    .type = &fx_cel_quantity,
    .equal = quantity_equal,
    .fits_no_left = true,
    .print = quantity_print,
};

static const struct fx_quantity *quantity_of(struct fx_cel_value value) {
    return value.opaque.data;
}

/* Spends for work with both quantities. */
static bool spend(struct fx_cel_run *run, const struct fx_quantity *a,
                  const struct fx_quantity *b) {
    const size_t digits = fx_quantity_length(a) + fx_quantity_length(b);
    return fx_spend(digits / 8 + 1) || fx_fail_exceeded(run->err);
}

/* ---- reading ----------------------------------------------------------------------- */

static struct fx_cel_value call_quantity(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    struct fx_quantity *quantity = fx_arena_alloc(run->arena, sizeof *quantity);
    if (quantity == NULL) {
        return fx_cel_no_memory(run);
    }
    return fx_cel_spend_text(run, args[0].text) &&
                   fx_quantity_parse(run->arena, args[0].text, quantity, run->err)
               ? fx_cel_make_opaque(&quantity_ops, quantity)
               : fx_cel_fail_read(run);
}

static struct fx_cel_value call_is_quantity(struct fx_cel_run *run,
                                            const struct fx_cel_value *args) {
    struct fx_quantity quantity;
    return fx_cel_make_readable(
        run, fx_cel_spend_text(run, args[0].text) &&
                 fx_quantity_parse(run->arena, args[0].text, &quantity, run->err));
}

/* ---- questions --------------------------------------------------------------------- */

static struct fx_cel_value call_sign(struct fx_cel_run *run,
                                     const struct fx_cel_value *args) {
    (void)run;
    return fx_cel_make_int(fx_quantity_sign(quantity_of(args[0])));
}

static struct fx_cel_value call_is_integer(struct fx_cel_run *run,
                                           const struct fx_cel_value *args) {
    int64_t integer = 0;
    (void)run;
    return fx_cel_make_bool(fx_quantity_integer(quantity_of(args[0]), &integer));
}

static struct fx_cel_value call_as_integer(struct fx_cel_run *run,
                                           const struct fx_cel_value *args) {
    int64_t integer = 0;
    return fx_quantity_integer(quantity_of(args[0]), &integer)
               ? fx_cel_make_int(integer)
               : fx_cel_fail(run, "cannot convert value to integer");
}

static struct fx_cel_value call_as_float(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    const struct fx_quantity *quantity = quantity_of(args[0]);
    double real = 0;
    if (!spend(run, quantity, quantity)) {
        return fx_cel_fatal(run);
    }
    return fx_quantity_double(quantity, &real) ? fx_cel_make_double(real)
                                               : fx_cel_no_memory(run);
}

/* ---- sums -------------------------------------------------------------------------- */

typedef bool operation(struct fx_arena *arena, const struct fx_quantity *a,
                       const struct fx_quantity *b, struct fx_quantity *ret_sum,
                       struct fx_err *err);

static struct fx_cel_value combine(struct fx_cel_run *run, operation *operate,
                                   struct fx_cel_value a, const struct fx_quantity *b) {
    struct fx_quantity *sum = fx_arena_alloc(run->arena, sizeof *sum);
    if (sum == NULL) {
        return fx_cel_no_memory(run);
    }
    return spend(run, quantity_of(a), b) &&
                   operate(run->arena, quantity_of(a), b, sum, run->err)
               ? fx_cel_make_opaque(&sum_ops, sum)
               : fx_cel_fail_read(run);
}

static struct fx_cel_value call_add(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    return combine(run, fx_quantity_add, args[0], quantity_of(args[1]));
}

static struct fx_cel_value call_add_integer(struct fx_cel_run *run,
                                            const struct fx_cel_value *args) {
    const struct fx_quantity integer = fx_quantity_of(args[1].integer);
    return combine(run, fx_quantity_add, args[0], &integer);
}

static struct fx_cel_value call_subtract(struct fx_cel_run *run,
                                         const struct fx_cel_value *args) {
    return combine(run, fx_quantity_subtract, args[0], quantity_of(args[1]));
}

static struct fx_cel_value call_subtract_integer(struct fx_cel_run *run,
                                                 const struct fx_cel_value *args) {
    const struct fx_quantity integer = fx_quantity_of(args[1].integer);
    return combine(run, fx_quantity_subtract, args[0], &integer);
}

/* ---- comparisons ------------------------------------------------------------------- */

/* Compares the quantities; false with run->err if the budget is exceeded. */
static bool compare(struct fx_cel_run *run, const struct fx_cel_value *args,
                    int *ret_order) {
    const struct fx_quantity *a = quantity_of(args[0]);
    const struct fx_quantity *b = quantity_of(args[1]);
    if (!spend(run, a, b)) {
        return false;
    }
    *ret_order = fx_quantity_compare(a, b);
    return true;
}

static struct fx_cel_value call_compare(struct fx_cel_run *run,
                                        const struct fx_cel_value *args) {
    int order = 0;
    return compare(run, args, &order) ? fx_cel_make_int(order) : fx_cel_fatal(run);
}

static struct fx_cel_value call_is_less(struct fx_cel_run *run,
                                        const struct fx_cel_value *args) {
    int order = 0;
    return compare(run, args, &order) ? fx_cel_make_bool(order < 0) : fx_cel_fatal(run);
}

static struct fx_cel_value call_is_greater(struct fx_cel_run *run,
                                           const struct fx_cel_value *args) {
    int order = 0;
    return compare(run, args, &order) ? fx_cel_make_bool(order > 0) : fx_cel_fatal(run);
}

/* ---- the overloads ----------------------------------------------------------------- */

#define METHOD(name, result_, call_, ...)          \
    {.function = (name),                           \
     FX_CEL_METHOD(&fx_cel_quantity, __VA_ARGS__), \
     .result = (result_),                          \
     .call = (call_)}
#define QUESTION(name, result_, call_) \
    {.function = (name),               \
     FX_CEL_METHOD(&fx_cel_quantity),  \
     .result = (result_),              \
     .call = (call_)}

const struct fx_cel_overload fx_cel_quantities[] = {
    {.function = "quantity",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &fx_cel_quantity,
     .call = call_quantity,
     .cost = fx_cel_cost_text,
     .always_costs = true},
    {.function = "isQuantity",
     FX_CEL_FUNCTION(&fx_cel_string),
     .result = &fx_cel_bool,
     .call = call_is_quantity,
     .cost = fx_cel_cost_text,
     .always_costs = true},
    {.function = "sign",
     FX_CEL_FUNCTION(&fx_cel_quantity),
     .result = &fx_cel_int,
     .call = call_sign},
    QUESTION("isInteger", &fx_cel_bool, call_is_integer),
    QUESTION("asInteger", &fx_cel_int, call_as_integer),
    QUESTION("asApproximateFloat", &fx_cel_double, call_as_float),
    METHOD("add", &fx_cel_quantity, call_add, &fx_cel_quantity),
    METHOD("add", &fx_cel_quantity, call_add_integer, &fx_cel_int),
    METHOD("sub", &fx_cel_quantity, call_subtract, &fx_cel_quantity),
    METHOD("sub", &fx_cel_quantity, call_subtract_integer, &fx_cel_int),
    METHOD("compareTo", &fx_cel_int, call_compare, &fx_cel_quantity),
    METHOD("isLessThan", &fx_cel_bool, call_is_less, &fx_cel_quantity),
    METHOD("isGreaterThan", &fx_cel_bool, call_is_greater, &fx_cel_quantity),
    {.function = NULL},
};
