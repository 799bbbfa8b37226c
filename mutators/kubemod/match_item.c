/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/match_item.c - evaluates one entry of `match`.
 */
#include "mutators/kubemod/match_item.h"

#include <stdlib.h>

#include "base/budget.h"
#include "value/go_text.h"
#include "value/tree.h"

void fx_match_item_finish(struct match_item *item) {
    free(item->criterion);
    fx_jsonpath_destroy(item->select);
    json_decref(item->value);
    json_decref(item->values);
    fx_regex_destroy(item->regex);
    json_decref(item->pattern);
    *item = (struct match_item){0};
}

bool fx_match_item_tests(const struct match_item *item) {
    return item->value != NULL || item->values != NULL || item->regex != NULL;
}

static bool is_one_of(struct fx_text text, const json_t *values) {
    size_t index = 0;
    const json_t *value = NULL;
    json_array_foreach (values, index, value) {
        if (fx_text_equal(text, fx_tree_text(value))) {
            return true;
        }
    }
    return false;
}

/* Applies the first test: matchValue, matchValues, matchRegex. */
static bool test_text(const struct match_item *item, struct fx_text text,
                      bool *ret_passes, struct fx_err *err) {
    if (item->regex != NULL && item->value == NULL && item->values == NULL) {
        return fx_regex_match(item->regex, text, ret_passes, err);
    }
    *ret_passes = item->value != NULL ? fx_text_equal(text, fx_tree_text(item->value))
                                      : is_one_of(text, item->values);
    return true;
}

/* Fails because the value could not be printed. Always false. */
static bool fail_text(struct fx_err *err) {
    return fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_fail_exceeded(err)
                                                       : fx_fail_nomem(err);
}

/* Tests an entry. A value that is not a string is tested as Go's %v prints it, numbers as
 * doubles. */
static bool test_entry(const struct match_item *item, json_t *entry, bool *ret_passes,
                       struct fx_err *err) {
    if (!fx_match_item_tests(item)) {
        *ret_passes = true;
        return true;
    }
    if (json_is_string(entry)) {
        return test_text(item, fx_tree_text(entry), ret_passes, err);
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_go_text_add(&text, entry, FX_GO_DOUBLES);
    const bool ok = text.failed ? fail_text(err)
                                : test_text(item, fx_buf_view(&text), ret_passes, err);
    fx_buf_finish(&text);
    return ok;
}

/* The selected values. */
struct selected_entries {
    /* One of the two: a list of the object, or the values of an expression. */
    const json_t *list;
    const struct fx_jsonpath_result *selected;
    size_t n;
};

static json_t *entry_at(const struct selected_entries *entries, size_t i) {
    return entries->list != NULL ? json_array_get(entries->list, i)
                                 : entries->selected->values[i];
}

/* Tests the entries. An undefined entry never passes, so All fails for it. An empty list
 * does not match. */
static bool test_entries(const struct match_item *item,
                         const struct selected_entries *entries, bool *ret_matched,
                         struct fx_err *err) {
    size_t n_defined = 0;
    size_t n_passed = 0;
    for (size_t i = 0; i < entries->n; i++) {
        json_t *entry = entry_at(entries, i);
        bool passes = false;
        if (entry == NULL) {
            continue;
        }
        if (!test_entry(item, entry, &passes, err)) {
            return false;
        }
        n_defined++;
        n_passed += passes ? 1 : 0;
        if (passes != item->for_all) {
            break; /* the result is known */
        }
    }
    *ret_matched = item->for_all ? n_defined > 0 && n_passed == entries->n : n_passed > 0;
    return true;
}

/* Tests one value, which is NULL if none is selected. */
static bool test_value(const struct match_item *item, json_t *value, bool *ret_matched,
                       struct fx_err *err) {
    *ret_matched = false;
    if (value == NULL || json_is_null(value)) {
        return true;
    }
    if (json_is_array(value)) {
        const struct selected_entries entries = {.list = value,
                                                 .n = json_array_size(value)};
        return test_entries(item, &entries, ret_matched, err);
    }
    if (json_is_boolean(value)) {
        *ret_matched = json_is_true(value);
        return true;
    }
    return test_entry(item, value, ret_matched, err);
}

static bool test_result(const struct match_item *item,
                        const struct fx_jsonpath_result *result, bool *ret_matched,
                        struct fx_err *err) {
    if (result->shape == FX_JSONPATH_LIST) {
        const struct selected_entries entries = {.selected = result,
                                                 .n = result->n_values};
        return test_entries(item, &entries, ret_matched, err);
    }
    return test_value(item, result->shape == FX_JSONPATH_VALUE ? result->values[0] : NULL,
                      ret_matched, err);
}

/* Evaluates the item. An expression that fails on this object does not match. */
static bool eval_item(const struct match_item *item, json_t *root, bool *ret_matched,
                      struct fx_err *err) {
    struct fx_jsonpath_result result = {0};
    *ret_matched = false;
    if (!fx_jsonpath_eval(item->select, root, &result, err)) {
        const bool is_of_object = err->code == FX_EMUTATE;
        if (is_of_object) {
            fx_err_reset(err);
        }
        return is_of_object;
    }
    const bool ok = test_result(item, &result, ret_matched, err);
    fx_jsonpath_result_finish(&result);
    return ok;
}

bool fx_match_item_eval(const struct match_item *item, json_t *root, bool *ret_holds,
                        struct fx_err *err) {
    bool matched = false;
    if (fx_jsonpath_is_field_path(item->select)) {
        if (!test_value(item, fx_jsonpath_view(item->select, root), &matched, err)) {
            return false;
        }
    } else if (!eval_item(item, root, &matched, err)) {
        return false;
    }
    *ret_holds = matched != item->negate;
    return true;
}
