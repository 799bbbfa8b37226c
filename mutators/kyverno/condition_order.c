/* SPDX-License-Identifier: Apache-2.0
 *
 * condition_order.c - the operators that compare amounts: as durations, quantities,
 * numbers, or semantic versions.
 */
#include "base/semver.h"
#include "base/strconv.h"
#include "condition.h"
#include "scalar.h"
#include "value/tree.h"

static bool is_ordered(enum kyverno_operator operator_, int order) {
    if (operator_ == KYVERNO_GREATER || operator_ == KYVERNO_DURATION_GREATER) {
        return order > 0;
    }
    if (operator_ == KYVERNO_LESS || operator_ == KYVERNO_DURATION_LESS) {
        return order < 0;
    }
    return operator_ == KYVERNO_GREATER_OR_EQUAL ||
                   operator_ == KYVERNO_DURATION_GREATER_OR_EQUAL
               ? order >= 0
               : order <= 0;
}

static bool is_old(enum kyverno_operator operator_) {
    return operator_ >= KYVERNO_DURATION_GREATER;
}

/* The number of a node: of a number, or of a text with one. */
static bool read_number(const json_t *node, double *ret_number) {
    if (json_is_number(node)) {
        *ret_number = json_number_value(node);
        return true;
    }
    return json_is_string(node) &&
           fx_go_parse_float(fx_tree_text(node), ret_number) == FX_GO_NUMBER;
}

static bool compare_numbers(const json_t *key, const json_t *value, int *ret_order) {
    double a;
    double b;
    if (!read_number(key, &a) || !read_number(value, &b)) {
        return false;
    }
    *ret_order = (a > b) - (a < b);
    return true;
}

static bool compare_versions(const json_t *key, const json_t *value, int *ret_order) {
    struct fx_semver a;
    struct fx_semver b;
    struct fx_err ignored = FX_ERR_INIT;
    if (!json_is_string(key) || !json_is_string(value) ||
        !fx_semver_parse(fx_tree_text(key), &a, &ignored) ||
        !fx_semver_parse(fx_tree_text(value), &b, &ignored)) {
        return false;
    }
    *ret_order = fx_semver_compare(&a, &b);
    return true;
}

/* A duration, also "0", or a number of seconds. */
static bool read_old(const json_t *node, int64_t *ret_nanoseconds) {
    return json_is_string(node) ? fx_kyverno_duration(fx_tree_text(node), ret_nanoseconds)
                                : fx_kyverno_seconds(node, ret_nanoseconds);
}

/* The old operators for durations take numbers of seconds on both sides. */
static bool compare_old(const json_t *key, const json_t *value, int *ret_order) {
    int64_t a;
    int64_t b;
    if (!read_old(key, &a) || !read_old(value, &b)) {
        return false;
    }
    *ret_order = (a > b) - (a < b);
    return true;
}

bool fx_kyverno_condition_order(const json_t *key, enum kyverno_operator operator_,
                                const json_t *value, struct fx_arena *arena) {
    int order = 0;
    if (is_old(operator_)) {
        return compare_old(key, value, &order) && is_ordered(operator_, order);
    }
    int64_t a;
    int64_t b;
    if (fx_kyverno_durations(key, value, &a, &b)) {
        return is_ordered(operator_, (a > b) - (a < b));
    }
    const bool are_texts = json_is_string(key) && json_is_string(value);
    return ((are_texts && fx_kyverno_compare_quantities(arena, fx_tree_text(key),
                                                        fx_tree_text(value), &order)) ||
            compare_numbers(key, value, &order) ||
            compare_versions(key, value, &order)) &&
           is_ordered(operator_, order);
}
