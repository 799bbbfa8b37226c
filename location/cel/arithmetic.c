/* SPDX-License-Identifier: Apache-2.0
 *
 * arithmetic.c - `+ - * / %` and the unary operators, checked for overflow.
 */
#include "location/cel/operators.h"

static struct fx_cel_value error_of(const char *message) {
    return (struct fx_cel_value){.kind = FX_CEL_ERROR, .error = message};
}

struct fx_cel_value fx_cel_int_overflow(void) {
    return error_of("integer overflow");
}

static struct fx_cel_value uint_overflow(void) {
    return error_of("unsigned integer overflow");
}

struct fx_cel_value fx_cel_operator_unfit(struct fx_cel_run *run,
                                          struct fx_cel_value left, bool has_it,
                                          const char *name) {
    return has_it || left.kind == FX_CEL_STRING || left.kind == FX_CEL_TIMESTAMP ||
                   left.kind == FX_CEL_DURATION
               ? fx_cel_no_overload()
               : fx_cel_no_overload_for(run, name);
}

/* Has the kind `*` and `/`? */
static bool is_factor(struct fx_cel_value value) {
    return value.kind == FX_CEL_INT || value.kind == FX_CEL_UINT ||
           value.kind == FX_CEL_DOUBLE;
}

static struct fx_cel_value add_ints(int64_t a, int64_t b) {
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? fx_cel_int_overflow()
                                              : fx_cel_make_int(sum);
}

static struct fx_cel_value add_uints(uint64_t a, uint64_t b) {
    uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? uint_overflow() : fx_cel_make_uint(sum);
}

struct fx_cel_value fx_cel_add(struct fx_cel_run *run, const struct fx_cel_value *args) {
    const struct fx_cel_value left = args[0];
    const struct fx_cel_value right = args[1];
    const bool is_time = left.kind == FX_CEL_DURATION || left.kind == FX_CEL_TIMESTAMP;
    const bool has_parts = left.kind == FX_CEL_STRING || left.kind == FX_CEL_BYTES ||
                           left.kind == FX_CEL_LIST;
    if (is_time) {
        return fx_cel_add_times(run, args);
    }
    if (left.kind != right.kind || !(is_factor(left) || has_parts)) {
        return fx_cel_operator_unfit(run, left, is_factor(left) || has_parts, "_+_");
    }
    return left.kind == FX_CEL_INT    ? add_ints(left.integer, right.integer)
           : left.kind == FX_CEL_UINT ? add_uints(left.uinteger, right.uinteger)
           : has_parts                ? fx_cel_concatenate(run, args)
                                      : fx_cel_make_double(left.real + right.real);
}

static struct fx_cel_value subtract_ints(int64_t a, int64_t b) {
    int64_t difference = 0;
    return __builtin_sub_overflow(a, b, &difference) ? fx_cel_int_overflow()
                                                     : fx_cel_make_int(difference);
}

struct fx_cel_value fx_cel_subtract(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    const struct fx_cel_value left = args[0];
    const struct fx_cel_value right = args[1];
    if (left.kind == FX_CEL_DURATION || left.kind == FX_CEL_TIMESTAMP) {
        return fx_cel_subtract_times(run, args);
    }
    if (left.kind != right.kind || !is_factor(left)) {
        return fx_cel_operator_unfit(run, left, is_factor(left), "_-_");
    }
    if (left.kind == FX_CEL_UINT) {
        return left.uinteger < right.uinteger
                   ? uint_overflow()
                   : fx_cel_make_uint(left.uinteger - right.uinteger);
    }
    return left.kind == FX_CEL_INT ? subtract_ints(left.integer, right.integer)
                                   : fx_cel_make_double(left.real - right.real);
}

static struct fx_cel_value multiply_ints(int64_t a, int64_t b) {
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? fx_cel_int_overflow()
                                                  : fx_cel_make_int(product);
}

static struct fx_cel_value multiply_uints(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? uint_overflow()
                                                  : fx_cel_make_uint(product);
}

struct fx_cel_value fx_cel_multiply(struct fx_cel_run *run,
                                    const struct fx_cel_value *args) {
    const struct fx_cel_value left = args[0];
    const struct fx_cel_value right = args[1];
    if (left.kind != right.kind || !is_factor(left)) {
        return fx_cel_operator_unfit(run, left, is_factor(left), "_*_");
    }
    return left.kind == FX_CEL_INT    ? multiply_ints(left.integer, right.integer)
           : left.kind == FX_CEL_UINT ? multiply_uints(left.uinteger, right.uinteger)
                                      : fx_cel_make_double(left.real * right.real);
}

/* Truncates; the remainder has the sign of the dividend. */
static struct fx_cel_value divide_ints(int64_t a, int64_t b, bool for_remainder) {
    if (b == 0) {
        return error_of(for_remainder ? "modulus by zero" : "division by zero");
    }
    if (a == INT64_MIN && b == -1) {
        return fx_cel_int_overflow();
    }
    return fx_cel_make_int(for_remainder ? a % b : a / b);
}

static struct fx_cel_value divide_uints(uint64_t a, uint64_t b, bool for_remainder) {
    if (b == 0) {
        return error_of(for_remainder ? "modulus by zero" : "division by zero");
    }
    return fx_cel_make_uint(for_remainder ? a % b : a / b);
}

/* Defined for all doubles, as IEEE 754 says. */
static double divide_doubles(double a, double b) {
    return a / b;
}

struct fx_cel_value fx_cel_divide(struct fx_cel_run *run,
                                  const struct fx_cel_value *args) {
    const struct fx_cel_value left = args[0];
    const struct fx_cel_value right = args[1];
    if (left.kind != right.kind || !is_factor(left)) {
        return fx_cel_operator_unfit(run, left, is_factor(left), "_/_");
    }
    return left.kind == FX_CEL_INT ? divide_ints(left.integer, right.integer, false)
           : left.kind == FX_CEL_UINT
               ? divide_uints(left.uinteger, right.uinteger, false)
               : fx_cel_make_double(divide_doubles(left.real, right.real));
}

struct fx_cel_value fx_cel_modulo(struct fx_cel_run *run,
                                  const struct fx_cel_value *args) {
    const struct fx_cel_value left = args[0];
    const struct fx_cel_value right = args[1];
    const bool has_it = left.kind == FX_CEL_INT || left.kind == FX_CEL_UINT;
    if (left.kind != right.kind || !has_it) {
        return fx_cel_operator_unfit(run, left, has_it, "_%_");
    }
    return left.kind == FX_CEL_INT ? divide_ints(left.integer, right.integer, true)
                                   : divide_uints(left.uinteger, right.uinteger, true);
}

/* The kinds that can be negated, with `-` or with `!`, in the original. */
static bool is_negatable(struct fx_cel_value value) {
    return value.kind == FX_CEL_BOOL || value.kind == FX_CEL_INT ||
           value.kind == FX_CEL_DOUBLE || value.kind == FX_CEL_DURATION;
}

struct fx_cel_value fx_cel_negate(struct fx_cel_run *run,
                                  const struct fx_cel_value *args) {
    const struct fx_cel_value value = args[0];
    if (value.kind == FX_CEL_INT) {
        return subtract_ints(0, value.integer);
    }
    if (value.kind == FX_CEL_DOUBLE) {
        return fx_cel_make_double(-value.real);
    }
    if (value.kind == FX_CEL_DURATION) {
        return value.duration == INT64_MIN ? fx_cel_int_overflow()
                                           : fx_cel_make_duration(-value.duration);
    }
    return fx_cel_operator_unfit(run, value, is_negatable(value), "-_");
}

struct fx_cel_value fx_cel_not(struct fx_cel_run *run, const struct fx_cel_value *args) {
    return args[0].kind == FX_CEL_BOOL
               ? fx_cel_make_bool(!args[0].boolean)
               : fx_cel_operator_unfit(run, args[0], is_negatable(args[0]), "!_");
}
