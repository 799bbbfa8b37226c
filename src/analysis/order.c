/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis/order.c - checks whether the result depends on the order of the mutators.
 *
 * Dialects and their tiers have a fixed order, so only mutators of one dialect and tier
 * are swapped. The reverse order swaps every pair at once. Swapping neighbours, one pair
 * after the other, leads from the order to its reverse. If the first and the last order
 * give different results, two consecutive orders on the way do, too, and these differ in
 * one pair. Bisection finds it in a few runs.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyzer.h"
#include "base/text.h"
#include "value/equal.h"
#include "value/pointer.h"
#include "value/tree.h"

/* ---- comparing results, list order ignored --------------------------------------- */

#define LIST_MAX 64u /* of longer lists, only the length is compared */
#define COMPARISONS_MAX \
    1000000u /* the most values compared in one comparison of results */

static bool same(const json_t *a, const json_t *b, size_t *comparisons);

static bool same_objects(const json_t *a, const json_t *b, size_t *comparisons) {
    if (json_object_size(a) != json_object_size(b)) {
        return false;
    }
    for (void *at = fx_node_first(a); at != NULL; at = fx_node_next(a, at)) {
        const struct fx_text key = fx_node_key(at);
        if (!same(json_object_iter_value(at), fx_tree_view_text(b, key), comparisons)) {
            return false;
        }
    }
    return true;
}

/* Pairs each element of `a` with an equal element of `b`. Bit i of the sets: a[i], b[i]
 * has a partner. Any equal partner will do, as equality is transitive. */
static void pair_off(const json_t *a, const json_t *b, uint64_t *ret_a, uint64_t *ret_b,
                     size_t *comparisons) {
    *ret_a = 0;
    *ret_b = 0;
    for (size_t i = 0; i < json_array_size(a); i++) {
        for (size_t k = 0; k < json_array_size(b); k++) {
            if ((*ret_b >> k & 1u) == 0 &&
                same(json_array_get(a, i), json_array_get(b, k), comparisons)) {
                *ret_a |= UINT64_C(1) << i;
                *ret_b |= UINT64_C(1) << k;
                break;
            }
        }
    }
}

static bool is_long(const json_t *list) {
    return json_array_size(list) > LIST_MAX;
}

static bool same_lists(const json_t *a, const json_t *b, size_t *comparisons) {
    if (json_array_size(a) != json_array_size(b)) {
        return false;
    }
    if (is_long(a)) {
        return true;
    }
    uint64_t left = 0;
    uint64_t right = 0;
    pair_off(a, b, &left, &right, comparisons);
    const size_t n = json_array_size(a);
    return n == 0 || left == UINT64_MAX >> (LIST_MAX - n);
}

static bool same(const json_t *a, const json_t *b, size_t *comparisons) {
    if (a == b || *comparisons == 0) {
        return true;
    }
    --*comparisons;
    if (json_is_object(a) && json_is_object(b)) {
        return same_objects(a, b, comparisons);
    }
    if (json_is_array(a) && json_is_array(b)) {
        return same_lists(a, b, comparisons);
    }
    return fx_equal(a, b);
}

bool fx_same(const json_t *a, const json_t *b) {
    size_t comparisons = COMPARISONS_MAX;
    return same(a, b, &comparisons);
}

/* Two values that differ, and the number of comparisons left. */
struct difference {
    json_t *a, *b;
    struct fx_buf *pointer;
    size_t comparisons;
};

/* Continues in the first field that differs. */
static bool enter_object(struct difference *at) {
    json_t *const sides[] = {at->a, at->b};
    for (size_t i = 0; i < 2; i++) {
        for (void *field = fx_node_first(sides[i]); field != NULL;
             field = fx_node_next(sides[i], field)) {
            const struct fx_text key = fx_node_key(field);
            json_t *a = fx_tree_view_text(at->a, key);
            json_t *b = fx_tree_view_text(at->b, key);
            if (!same(a, b, &at->comparisons)) {
                fx_pointer_push(at->pointer, key);
                at->a = a;
                at->b = b;
                return true;
            }
        }
    }
    return false;
}

static size_t first_unset(uint64_t set, size_t n) {
    size_t index = 0;
    while (index < n && (set >> index & 1u) != 0) {
        index++;
    }
    return index;
}

/* Continues in the first element of each list without a partner, if the lists have the
 * same length. */
static bool enter_list(struct difference *at) {
    const size_t n = json_array_size(at->a);
    if (n != json_array_size(at->b) || is_long(at->a)) {
        return false;
    }
    uint64_t left = 0;
    uint64_t right = 0;
    pair_off(at->a, at->b, &left, &right, &at->comparisons);
    const size_t i = first_unset(left, n);
    const size_t k = first_unset(right, n);
    if (i == n || k == n) {
        return false;
    }
    fx_pointer_push_index(at->pointer, i);
    at->a = json_array_get(at->a, i);
    at->b = json_array_get(at->b, k);
    return true;
}

void fx_same_find(json_t *a, json_t *b, struct fx_buf *pointer, json_t **ret_a,
                  json_t **ret_b) {
    struct difference at = {a, b, pointer, COMPARISONS_MAX};
    bool goes_on = true;
    while (goes_on) {
        if (json_is_object(at.a) && json_is_object(at.b)) {
            goes_on = enter_object(&at);
        } else {
            goes_on = json_is_array(at.a) && json_is_array(at.b) && enter_list(&at);
        }
    }
    *ret_a = at.a;
    *ret_b = at.b;
}

#define PAIRS_MAX 8u /* the most pairs reported for one object */

/* One trial whose order is checked. */
struct order_check {
    struct analyzer *analyzer;
    const struct trial_case *tcase;
    uint32_t *order;   /* a copy without the mutators already reported */
    uint32_t *swapped; /* room for another order */
    size_t n_order;
    json_t *result; /* of `order`, counted */
};

/* A part of the order in which only names decide which mutator comes first. */
struct order_span {
    size_t first, n;
};

static struct order_span span_at(const struct order_check *check, size_t first) {
    struct fx_mutator *const *mutators = check->analyzer->snapshot->mutators;
    const struct fx_mutator *one = mutators[check->order[first]];
    struct order_span span = {first, 0};
    while (first + span.n < check->n_order) {
        const struct fx_mutator *other = mutators[check->order[first + span.n]];
        if (other->rank != one->rank || other->tier != one->tier ||
            other->tier_order != one->tier_order) {
            break;
        }
        span.n++;
    }
    return span;
}

static size_t swaps_of(struct order_span span) {
    return span.n * (span.n - 1) / 2;
}

static size_t count_swaps(const struct order_check *check) {
    size_t count = 0;
    for (struct order_span span = {0, 0}; span.first < check->n_order;
         span.first += span.n) {
        span = span_at(check, span.first);
        count += swaps_of(span);
    }
    return count;
}

/* The span of the last of *n_swaps swaps; all spans before it are reversed. *n_swaps
 * becomes the number of swaps within the span. */
static struct order_span find_span(const struct order_check *check, size_t *n_swaps) {
    struct order_span span = span_at(check, 0);
    while (*n_swaps >= swaps_of(span) && span.first + span.n < check->n_order) {
        *n_swaps -= swaps_of(span);
        span = span_at(check, span.first + span.n);
    }
    return span;
}

static void reverse(const struct order_check *check, size_t first, size_t n) {
    for (size_t i = 0; i < n; i++) {
        check->swapped[first + i] = check->order[first + n - 1 - i];
    }
}

/* How many of the first of n mutators *n_swaps swaps have reversed. *n_swaps becomes the
 * number of them that the next mutator has passed. */
static size_t count_reversed(size_t n, size_t *n_swaps) {
    size_t n_reversed = 1;
    while (*n_swaps >= n_reversed && n_reversed < n) {
        *n_swaps -= n_reversed++;
    }
    return n_reversed;
}

/* Sets `swapped` to the order after n_swaps swaps: span by span, the second mutator moves
 * before the first, then the third to the front, and so on. */
static void swap(const struct order_check *check, size_t n_swaps) {
    memcpy(check->swapped, check->order, check->n_order * sizeof *check->order);
    const struct order_span last = find_span(check, &n_swaps);
    for (struct order_span span = {0, 0}; span.first < last.first; span.first += span.n) {
        span = span_at(check, span.first);
        reverse(check, span.first, span.n);
    }
    const size_t n_reversed = count_reversed(last.n, &n_swaps);
    reverse(check, last.first, n_reversed);
    /* The next mutator has passed some of them. */
    for (size_t i = last.first + n_reversed; n_swaps > 0; i--, n_swaps--) {
        const uint32_t passed = check->swapped[i - 1];
        check->swapped[i - 1] = check->swapped[i];
        check->swapped[i] = passed;
    }
}

/* The two mutators of the next swap, as positions in `order`. */
static void next_pair(const struct order_check *check, size_t n_swaps, size_t *ret_a,
                      size_t *ret_b) {
    const struct order_span span = find_span(check, &n_swaps);
    const size_t n_reversed = count_reversed(span.n, &n_swaps);
    *ret_a = span.first + n_swaps;
    *ret_b = span.first + n_reversed;
}

/* Runs the order after n_swaps swaps. *ret_result is counted; NULL if the steps ran
 * out. */
static bool run_swapped(const struct order_check *check, size_t n_swaps,
                        json_t **ret_result, struct fx_err *err) {
    struct trial_outcome outcome;
    swap(check, n_swaps);
    const struct trial trial =
        fx_analyzer_trial(check->analyzer, check->tcase, check->swapped, check->n_order);
    if (!fx_trial_run(&trial, check->tcase->object, &outcome, err)) {
        return false;
    }
    *ret_result = outcome.exhausted ? NULL : json_incref(outcome.object);
    fx_trial_finish(&outcome);
    return true;
}

/* Bisects between the first order and one with another result, *ret_other, which is
 * replaced on the way. *ret_same: the number of swaps to the last order with the first
 * result. *ret_other is NULL if the steps ran out. */
static bool bisect(const struct order_check *check, size_t n_swaps, size_t *ret_same,
                   json_t **ret_other, struct fx_err *err) {
    size_t low = 0;
    size_t high = n_swaps;
    while (high - low > 1 && *ret_other != NULL) {
        const size_t middle = low + (high - low) / 2;
        json_t *result = NULL;
        if (!run_swapped(check, middle, &result, err)) {
            return false;
        }
        if (result != NULL && fx_same(check->result, result)) {
            low = middle;
            json_decref(result);
        } else {
            high = middle;
            json_decref(*ret_other);
            *ret_other = result;
        }
    }
    *ret_same = low;
    return true;
}

static bool report_order(const struct order_check *check, uint32_t a, uint32_t b,
                         json_t *other, struct fx_err *err) {
    struct analyzer *analyzer = check->analyzer;
    if (fx_analyzer_has_undo(analyzer, a, b)) {
        return true;
    }
    struct fx_analysis_finding finding = {
        .rule = FX_ANALYSIS_ORDER, .mutators = {a, b}, .n_mutators = 2, .n_values = 2};
    struct fx_buf text = {0};
    struct fx_buf path = {0};
    fx_buf_str(&text, "the result depends on which of ");
    fx_analyzer_print_id(&text, analyzer, a);
    fx_buf_str(&text, " and ");
    fx_analyzer_print_id(&text, analyzer, b);
    fx_buf_str(&text, " comes first");
    fx_same_find(check->result, other, &path, &finding.values[0], &finding.values[1]);
    fx_buf_fail_as(&text, &path);
    const bool ok =
        fx_analyzer_report(analyzer, check->tcase, &finding, &text,
                           (struct fx_text){path.data, path.failed ? 0 : path.len}, err);
    fx_buf_finish(&path);
    return ok;
}

/* Removes the mutator at this position, and runs the rest. */
static bool remove_mutator(struct order_check *check, size_t at, struct fx_err *err) {
    check->n_order--;
    memmove(check->order + at, check->order + at + 1,
            (check->n_order - at) * sizeof *check->order);
    json_decref(check->result);
    check->result = NULL;
    return run_swapped(check, 0, &check->result, err);
}

/* Finds and reports one pair. *ret_found: there may be more. */
static bool find_pair(struct order_check *check, bool *ret_found, struct fx_err *err) {
    const size_t n_swaps = count_swaps(check);
    json_t *other = NULL;
    size_t same = 0;
    *ret_found = false;
    if (n_swaps == 0) {
        return true;
    }
    if (!run_swapped(check, n_swaps, &other, err)) {
        return false;
    }
    bool ok = true;
    if (other != NULL && !fx_same(check->result, other)) {
        ok = bisect(check, n_swaps, &same, &other, err);
        *ret_found = ok && other != NULL;
    }
    if (*ret_found) {
        size_t a = 0;
        size_t b = 0;
        next_pair(check, same, &a, &b);
        ok = report_order(check, check->order[a], check->order[b], other, err) &&
             remove_mutator(check, b, err);
    }
    json_decref(other);
    return ok;
}

bool fx_analyzer_check_order(struct analyzer *analyzer, const struct trial_case *tcase,
                             const struct trial *trial,
                             const struct trial_outcome *outcome, struct fx_err *err) {
    struct order_check check = {
        .analyzer = analyzer,
        .tcase = tcase,
        .order = calloc(2 * trial->n_order + 1, sizeof *check.order),
        .n_order = trial->n_order,
        .result = json_incref(outcome->object),
    };
    bool ok = check.order != NULL || fx_fail_nomem(err);
    if (ok) {
        memcpy(check.order, trial->order, trial->n_order * sizeof *trial->order);
        check.swapped = check.order + trial->n_order;
    }
    bool found = true;
    for (size_t i = 0;
         ok && found && i < PAIRS_MAX && check.n_order > 1 && check.result != NULL; i++) {
        ok = find_pair(&check, &found, err);
    }
    json_decref(check.result);
    free(check.order);
    return ok;
}
