/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/standard_order.c - functions of JMESPath that sort, or find the least
 * or greatest value, of a list or by a key of each element. Keys are all numbers, or all
 * strings, which compare bytewise.
 */
#include <stdlib.h>

#include "base/budget.h"
#include "location/jmespath/eval.h"
#include "location/jmespath/standard.h"
#include "value/tree.h"

struct query_sorted {
    json_t *key;     /* counted, or borrowed if it is the element */
    json_t *element; /* borrowed from the list */
    size_t at;       /* its index there, for a stable order */
};

struct query_order {
    struct query_sorted *items;
    size_t n;
    bool owns_keys;
};

static int compare_keys(const json_t *a, const json_t *b) {
    if (json_is_string(a)) {
        return fx_text_compare(fx_tree_text(a), fx_tree_text(b));
    }
    return fx_jmespath_compare_numbers(a, b);
}

static int compare_items(const void *a, const void *b) {
    const struct query_sorted *left = a;
    const struct query_sorted *right = b;
    const int order = compare_keys(left->key, right->key);
    return order != 0 ? order : left->at < right->at ? -1 : 1;
}

/* ---- keys -------------------------------------------------------------------------- */

/* Checks that the key of an element has the type of the first. */
static bool check_key(const struct query_order *order, const json_t *key,
                      struct fx_err *err) {
    if (!json_is_number(key) && !json_is_string(key)) {
        return fx_fail(err, FX_EINVALID,
                       "the expression has to give a number or a string for each "
                       "element");
    }
    return json_is_string(key) == json_is_string(order->items[0].key) ||
           fx_fail(err, FX_EINVALID,
                   "the expression gives numbers and strings, which have no order");
}

static bool find_key(const struct fx_jmespath_call *call, struct query_order *order,
                     struct query_sorted *item, struct fx_err *err) {
    if (!order->owns_keys) {
        item->key = item->element;
        return true;
    }
    return fx_jmespath_call_expression(call, item->element, &item->key, err) &&
           check_key(order, item->key, err);
}

static void finish_order(struct query_order *order) {
    for (size_t i = 0; order->owns_keys && i < order->n; i++) {
        json_decref(order->items[i].key);
    }
}

/* Finds the keys of all elements of the first argument. One element has an order without
 * a key: its key is not evaluated. */
static bool begin_order(const struct fx_jmespath_call *call, struct query_order *order,
                        struct fx_err *err) {
    const json_t *list = call->args[0];
    const size_t n = json_array_size(list);
    *order = (struct query_order){.owns_keys = call->expression != NULL && n > 1};
    order->items = fx_arena_alloc(call->arena, n * sizeof *order->items);
    if (order->items == NULL) {
        return fx_fail_nomem(err);
    }
    bool ok = fx_spend(n) || fx_fail_exceeded(err);
    for (size_t i = 0; ok && i < n; i++) {
        struct query_sorted *item = &order->items[order->n++];
        *item = (struct query_sorted){.element = json_array_get(list, i), .at = i};
        ok = find_key(call, order, item, err);
    }
    return ok;
}

/* The bytes of keys for a unit: comparing is faster than reading. */
#define KEY_BYTES_OF_A_UNIT 128u

/* Spends for comparing each key so many times. */
static bool spend_order(const struct query_order *order, size_t times,
                        struct fx_err *err) {
    size_t units = 0;
    for (size_t i = 0; i < order->n; i++) {
        units += 1 + json_string_length(order->items[i].key) / KEY_BYTES_OF_A_UNIT;
    }
    return fx_spend(units * times) || fx_fail_exceeded(err);
}

/* ---- sorting ----------------------------------------------------------------------- */

static bool sort_items(struct query_order *order, struct fx_err *err) {
    size_t bits = 1;
    while (order->n >> bits != 0) {
        bits++;
    }
    if (!spend_order(order, bits, err)) {
        return false;
    }
    qsort(order->items, order->n, sizeof *order->items, compare_items);
    return true;
}

static bool give_sorted(const struct query_order *order, json_t **ret_value,
                        struct fx_err *err) {
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < order->n; i++) {
        ok = fx_tree_append_take(list, json_incref(order->items[i].element));
    }
    return fx_jmespath_give_take(fx_tree_keep_if(ok, list), ret_value, err);
}

static bool sort(const struct fx_jmespath_call *call, json_t **ret_value,
                 struct fx_err *err) {
    struct query_order order;
    const bool ok = begin_order(call, &order, err) && sort_items(&order, err) &&
                    give_sorted(&order, ret_value, err);
    finish_order(&order);
    return ok;
}

bool fx_jmespath_sort(const struct fx_jmespath_call *call, json_t **ret_value,
                      struct fx_err *err) {
    return sort(call, ret_value, err);
}

bool fx_jmespath_sort_by(const struct fx_jmespath_call *call, json_t **ret_value,
                         struct fx_err *err) {
    return sort(call, ret_value, err);
}

/* ---- the least and the greatest ---------------------------------------------------- */

/* Gives the first element with the greatest key, or with `sign` -1 the least; null for an
 * empty list. */
static bool find_extreme(const struct fx_jmespath_call *call, int sign,
                         json_t **ret_value, struct fx_err *err) {
    struct query_order order;
    const bool ok = begin_order(call, &order, err) && spend_order(&order, 1, err);
    const struct query_sorted *best = order.items;
    for (size_t i = 1; ok && i < order.n; i++) {
        const int difference = compare_keys(order.items[i].key, best->key);
        best = difference * sign > 0 ? &order.items[i] : best;
    }
    if (ok) {
        *ret_value = order.n == 0 ? json_null() : json_incref(best->element);
    }
    finish_order(&order);
    return ok;
}

bool fx_jmespath_max(const struct fx_jmespath_call *call, json_t **ret_value,
                     struct fx_err *err) {
    return find_extreme(call, 1, ret_value, err);
}

bool fx_jmespath_max_by(const struct fx_jmespath_call *call, json_t **ret_value,
                        struct fx_err *err) {
    return find_extreme(call, 1, ret_value, err);
}

bool fx_jmespath_min(const struct fx_jmespath_call *call, json_t **ret_value,
                     struct fx_err *err) {
    return find_extreme(call, -1, ret_value, err);
}

bool fx_jmespath_min_by(const struct fx_jmespath_call *call, json_t **ret_value,
                        struct fx_err *err) {
    return find_extreme(call, -1, ret_value, err);
}
