/* SPDX-License-Identifier: Apache-2.0
 *
 * condition_in.c - the operators that look for values in lists.
 */
#include "base/budget.h"
#include "base/wildcard.h"
#include "condition.h"
#include "pattern.h"
#include "scalar.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

/* What is looked for in a value. */
struct set_match {
    const json_t *value; /* a list, a text, or a number or boolean */
    json_t *list;        /* counted: the JSON array that a text has; else NULL */
    bool is_other_json;  /* the text is JSON, but not an array of texts */
    bool is_range;       /* the text is a range: "1-5" */
    bool is_old;         /* In or NotIn, with a list as the key: no wildcards */
    struct fx_arena *arena;
};

/* Reads a text that is a JSON array of texts. *ret_is_other: it is other JSON. */
static json_t *read_list(const json_t *value, bool *ret_is_other) {
    struct fx_err ignored = FX_ERR_INIT;
    json_t *list =
        json_is_string(value) ? fx_json_read(fx_tree_text(value), NULL, &ignored) : NULL;
    bool ok = json_is_array(list);
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        ok = json_is_string(json_array_get(list, i));
    }
    *ret_is_other = list != NULL && !ok;
    return fx_tree_keep_if(ok, list);
}

/* Do two elements match, either of them as a wildcard pattern? */
static bool elements_match(const struct set_match *set, const json_t *key,
                           const json_t *element) {
    char number[2][FX_NUMBER_SIZE];
    if (!fx_spend(1)) {
        return false;
    }
    const struct fx_text a = fx_kyverno_scalar_text(key, number[0]);
    const struct fx_text b = fx_kyverno_scalar_text(element, number[1]);
    if (a.data == NULL || b.data == NULL) {
        return fx_equal(key, element);
    }
    return set->is_old ? fx_text_equal(a, b)
                       : fx_wildcard_match(a, b) || fx_wildcard_match(b, a);
}

static bool is_in_list(const struct set_match *set, const json_t *key,
                       const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (elements_match(set, key, json_array_get(list, i))) {
            return true;
        }
    }
    return false;
}

/* Is one key, or an element of the key, in the value? */
static bool is_in(const struct set_match *set, const json_t *key) {
    if (json_is_array(set->value)) {
        return is_in_list(set, key, set->value);
    }
    if (set->list != NULL && is_in_list(set, key, set->list)) {
        return true;
    }
    if (set->is_range) {
        return fx_kyverno_match_text(key, fx_tree_text(set->value), set->arena);
    }
    return set->list == NULL && elements_match(set, key, set->value);
}

/* Of the elements of a list: how many are in the value? */
static size_t count_in(const struct set_match *set, const json_t *keys) {
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(keys); i++) {
        n += is_in(set, json_array_get(keys, i)) ? 1 : 0;
    }
    return n;
}

static bool list_holds(const struct set_match *set, enum kyverno_operator operator_,
                       const json_t *keys) {
    const size_t n = json_array_size(keys);
    const size_t in = count_in(set, keys);
    if (operator_ == KYVERNO_ANY_IN) {
        return in > 0;
    }
    if (operator_ == KYVERNO_IN || operator_ == KYVERNO_ALL_IN) {
        return in == n;
    }
    return operator_ == KYVERNO_ALL_NOT_IN ? in == 0 : in < n;
}

/* Has a list this text, without wildcards? */
static bool has_text(const json_t *list, struct fx_text text) {
    for (size_t i = 0; i < json_array_size(list) && fx_spend(1); i++) {
        if (fx_text_equal(fx_tree_text(json_array_get(list, i)), text)) {
            return true;
        }
    }
    return false;
}

static bool is_positive(enum kyverno_operator operator_) {
    return operator_ == KYVERNO_IN || operator_ == KYVERNO_ANY_IN ||
           operator_ == KYVERNO_ALL_IN;
}

/* A scalar key and a text, which is a pattern for the key, a range, or an array of texts.
 * With other JSON no operator holds. */
static bool scalar_holds_text(const struct set_match *set,
                              enum kyverno_operator operator_, const json_t *key) {
    char number[FX_NUMBER_SIZE];
    const struct fx_text text = fx_kyverno_scalar_text(key, number);
    const struct fx_text value = fx_tree_text(set->value);
    if (fx_wildcard_match(value, text)) {
        return is_positive(operator_);
    }
    if (set->is_range) {
        return fx_kyverno_match_text(key, value, set->arena) == is_positive(operator_);
    }
    return !set->is_other_json && has_text(set->list, text) == is_positive(operator_);
}

/* A scalar key: In, AnyIn and AllIn are the same, and so are the negations. */
static bool scalar_holds(const struct set_match *set, enum kyverno_operator operator_,
                         const json_t *key) {
    return is_in(set, key) == is_positive(operator_);
}

/* Can the operator compare this key with this value? */
static bool is_comparable(const json_t *key, enum kyverno_operator operator_,
                          const json_t *value) {
    if (json_is_null(key) || json_is_object(key)) {
        return false;
    }
    const bool takes_scalars = json_is_array(key) && (operator_ == KYVERNO_ANY_IN ||
                                                      operator_ == KYVERNO_ANY_NOT_IN);
    return json_is_array(value) || json_is_string(value) ||
           (takes_scalars && (json_is_number(value) || json_is_boolean(value)));
}

/* The old pair with a text as the value: a key that is not in it makes both false, and a
 * list of one element that equals it makes both true. */
static bool old_text_holds(const struct set_match *set, enum kyverno_operator operator_,
                           const json_t *key) {
    if (json_is_array(key)) {
        if (json_array_size(key) == 1 && fx_equal(json_array_get(key, 0), set->value)) {
            return true;
        }
        return set->list != NULL && list_holds(set, operator_, key);
    }
    char number[FX_NUMBER_SIZE];
    const struct fx_text text = fx_kyverno_scalar_text(key, number);
    if (fx_wildcard_match(fx_tree_text(set->value), text)) {
        return operator_ == KYVERNO_IN;
    }
    return set->list != NULL && scalar_holds(set, operator_, key);
}

bool fx_kyverno_condition_in(const json_t *key, enum kyverno_operator operator_,
                             const json_t *value, struct fx_arena *arena) {
    if (!is_comparable(key, operator_, value)) {
        return false;
    }
    const bool is_old = operator_ == KYVERNO_IN || operator_ == KYVERNO_NOT_IN;
    struct fx_text low;
    struct fx_text high;
    bool is_not;
    bool is_other_json;
    struct set_match set = {
        .value = value,
        .list = read_list(value, &is_other_json),
        .is_range = !is_old && json_is_string(value) &&
                    fx_kyverno_split_range(fx_tree_text(value), &low, &high, &is_not),
        .is_old = is_old && json_is_array(key),
        .arena = arena};
    bool holds;
    set.is_other_json = is_other_json;
    if (is_old && json_is_string(value)) {
        holds = old_text_holds(&set, operator_, key);
    } else if (json_is_array(key)) {
        holds = list_holds(&set, operator_, key);
    } else if (json_is_string(value)) {
        holds = scalar_holds_text(&set, operator_, key);
    } else {
        holds = scalar_holds(&set, operator_, key);
    }
    json_decref(set.list);
    return holds;
}
