/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/rule_compare.c - compares a mutated object with its counterpart in a file.
 */
#include "suite/rule_session.h"
#include "value/tree.h"

/* Is it nothing, as far as comparisons are concerned? */
static bool is_empty(const json_t *value) {
    return value == NULL || json_is_null(value) ||
           (json_is_object(value) && json_object_size(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

/* A copy of the value without the fields that are null, {} or []. Recursive: as deep as
 * the value, whose depth the readers limit. NULL without memory. */
static json_t *tidy(const json_t *value) {
    if (!json_is_object(value) && !json_is_array(value)) {
        return json_incref(fx_node_unconst(value));
    }
    json_t *made = json_is_object(value) ? json_object() : json_array();
    bool ok = made != NULL;
    for (size_t i = 0; ok && i < json_array_size(value); i++) {
        ok = fx_tree_append_take(made, tidy(json_array_get(value, i)));
    }
    for (void *iter = ok && json_is_object(value) ? fx_node_first(value) : NULL;
         ok && iter != NULL; iter = fx_node_next(value, iter)) {
        json_t *child = tidy(json_object_iter_value(iter));
        ok = child != NULL &&
             (is_empty(child) ||
              fx_tree_set_take(made, fx_node_key(iter), json_incref(child)));
        json_decref(child);
    }
    return fx_tree_keep_if(ok, made);
}

static bool is_same_object(const json_t *a, const json_t *b) {
    const json_t *left = fx_tree_view_key(a, "metadata");
    const json_t *right = fx_tree_view_key(b, "metadata");
    return fx_text_equal(fx_tree_view_string(a, "kind"),
                         fx_tree_view_string(b, "kind")) &&
           fx_text_equal(fx_tree_view_string(left, "name"),
                         fx_tree_view_string(right, "name")) &&
           fx_text_equal(fx_tree_view_string(left, "namespace"),
                         fx_tree_view_string(right, "namespace"));
}

/* The counterpart of the object; the only object of a file is one in any case. NULL if
 * there is none, or without memory (then *ret_ok is false). */
static json_t *find_expected(struct fx_objects *expected, const json_t *object,
                             bool *ret_ok) {
    json_t *found = expected->n_items == 1 ? expected->items[0] : NULL;
    for (size_t i = 0; i < expected->n_items; i++) {
        const bool is_found = found == expected->items[i];
        if (!fx_rule_set_namespace(&expected->items[i])) {
            *ret_ok = false;
            return NULL;
        }
        if (is_found || is_same_object(expected->items[i], object)) {
            found = expected->items[i];
        }
    }
    return found;
}

bool fx_rule_compare(const struct fx_rule_comparison *comparison, bool *ret_same,
                     struct fx_buf *diff, struct fx_err *err) {
    bool ok = true;
    const json_t *found = find_expected(comparison->expected, comparison->object, &ok);
    json_t *expected = found != NULL ? tidy(found) : json_object();
    json_t *got = tidy(comparison->object);
    struct fx_objects left = {&expected, 1, 1};
    struct fx_objects right = {&got, 1, 1};
    const struct fx_expectation expectation = {
        .expected = &left,
        .got = &right,
        .expected_name = comparison->expected_name,
        .got_name = "mutated",
        .colour = comparison->colour,
    };
    ok = ok && expected != NULL && got != NULL
             ? fx_expect_compare(&expectation, ret_same, diff, err)
             : fx_fail_nomem(err);
    json_decref(expected);
    json_decref(got);
    return ok;
}
