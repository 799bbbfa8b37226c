/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/match_item.c - what `select` yields, entry by entry.
 */
#include "mutators/kubemod/match_item.h"

#include <stdlib.h>

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

/* Only one of them counts. */
static bool test_text(const struct match_item *item, struct fx_text text) {
    if (item->value != NULL) {
        return fx_text_equal(text, fx_tree_text(item->value));
    }
    if (item->values != NULL) {
        return is_one_of(text, item->values);
    }
    return fx_regex_matches(item->regex, text);
}

/* What is no string is tested as Go's %v prints it, its numbers as doubles. */
static bool test_entry(const struct match_item *item, json_t *entry, bool *ret_passes) {
    if (item->value == NULL && item->values == NULL && item->regex == NULL) {
        *ret_passes = true;
        return true;
    }
    if (json_is_string(entry)) {
        *ret_passes = test_text(item, fx_tree_text(entry));
        return true;
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_go_text_add(&text, entry, FX_GO_DOUBLES);
    *ret_passes = !text.failed && test_text(item, (struct fx_text){text.data, text.len});
    const bool ok = !text.failed;
    fx_buf_finish(&text);
    return ok;
}

/* An undefined entry counts for nothing, but it is not as All wants it. No entries at all
 * match neither way. */
static bool test_entries(const struct match_item *item,
                         const struct fx_jsonpath_result *entries, bool *ret_matched) {
    size_t n_defined = 0;
    size_t n_passed = 0;
    for (size_t i = 0; i < entries->n_values; i++) {
        json_t *entry = entries->values[i];
        bool passes = false;
        if (entry == NULL) {
            continue;
        }
        if (!test_entry(item, entry, &passes)) {
            return false;
        }
        n_defined++;
        n_passed += passes ? 1 : 0;
        if (passes != item->for_all) {
            break; /* that decides it */
        }
    }
    *ret_matched =
        item->for_all ? n_defined > 0 && n_passed == entries->n_values : n_passed > 0;
    return true;
}

static bool test(const struct match_item *item, const struct fx_jsonpath_result *result,
                 bool *ret_matched) {
    *ret_matched = false;
    if (result->shape == FX_JSONPATH_LIST) {
        return test_entries(item, result, ret_matched);
    }
    json_t *const one = result->shape == FX_JSONPATH_VALUE ? result->values[0] : NULL;
    if (one == NULL || json_is_null(one)) {
        return true;
    }
    if (json_is_boolean(one)) {
        *ret_matched = json_is_true(one);
        return true;
    }
    return test_entry(item, one, ret_matched);
}

bool fx_match_item_eval(const struct match_item *item, json_t *root, bool *ret_holds,
                        struct fx_err *err) {
    struct fx_jsonpath_result result = {0};
    bool matched = false;
    if (fx_jsonpath_eval(item->select, root, &result, err)) {
        const bool ok = test(item, &result, &matched);
        fx_jsonpath_result_finish(&result);
        if (!ok) {
            return fx_fail_nomem(err);
        }
    } else if (err->code != FX_EMUTATE) {
        return false;
    } else {
        fx_err_reset(err); /* it fails on this object: that is no match */
    }
    *ret_holds = matched != item->negate;
    return true;
}
