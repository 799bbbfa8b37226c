/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/expect.c - compares objects and prints the differences.
 */
#include "suite/run.h"

#include <stdlib.h>

#include "base/linediff.h"
#include "base/vec.h"
#include "value/equal.h"
#include "value/tree.h"
#include "value/yaml.h"

void fx_objects_finish(struct fx_objects *objects) {
    if (objects == NULL) {
        return;
    }
    for (size_t i = 0; i < objects->n_items; i++) {
        json_decref(objects->items[i]);
    }
    free(objects->items);
    *objects = (struct fx_objects){0};
}

bool fx_objects_add(struct fx_objects *objects, json_t *object) {
    if (!FX_VEC_GROW(objects->items, objects->n_items, objects->cap_items)) {
        return false;
    }
    objects->items[objects->n_items++] = json_incref(object);
    return true;
}

bool fx_objects_equal(const struct fx_objects *a, const struct fx_objects *b) {
    bool same = a->n_items == b->n_items;
    for (size_t i = 0; same && i < a->n_items; i++) {
        same = fx_equal(a->items[i], b->items[i]);
    }
    return same;
}

void fx_objects_print(struct fx_buf *buf, const struct fx_objects *objects) {
    for (size_t i = 0; i < objects->n_items; i++) {
        fx_buf_str(buf, i > 0 ? "---\n" : "");
        fx_yaml_write(buf, objects->items[i]);
    }
}

/* ---- the order of keys ----------------------------------------------------------- */

/* Sets object[key] to the value. Fails if either is NULL (no memory). */
static bool set_key(json_t *object, struct fx_text key, json_t *value_take) {
    return fx_tree_set_take(object, key, value_take);
}

static bool arrange_common(json_t *made, json_t *value, const json_t *like, bool part) {
    for (void *iter = fx_node_first(like); iter != NULL;
         iter = fx_node_next(like, iter)) {
        const struct fx_text key = fx_node_key(iter);
        json_t *child = fx_tree_view_text(value, key);
        if (child != NULL &&
            !set_key(made, key,
                     fx_expect_arrange(child, json_object_iter_value(iter), part))) {
            return false;
        }
    }
    return true;
}

static bool add_rest(json_t *made, json_t *value, const json_t *like) {
    for (void *iter = fx_node_first(value); iter != NULL;
         iter = fx_node_next(value, iter)) {
        const struct fx_text key = fx_node_key(iter);
        if (fx_tree_view_text(like, key) == NULL &&
            !set_key(made, key, json_incref(json_object_iter_value(iter)))) {
            return false;
        }
    }
    return true;
}

static bool arrange_items(json_t *made, json_t *value, const json_t *like, bool part) {
    const size_t n_like = json_array_size(like);
    const bool apart = part && n_like != json_array_size(value);
    for (size_t i = 0; i < json_array_size(value); i++) {
        json_t *item = json_array_get(value, i);
        const json_t *other = i < n_like && !apart ? json_array_get(like, i) : NULL;
        if (!fx_tree_append_take(made, other != NULL
                                           ? fx_expect_arrange(item, other, part)
                                           : json_incref(item))) {
            return false;
        }
    }
    return true;
}

json_t *fx_expect_arrange(json_t *value, const json_t *like, bool part) {
    json_t *made = NULL;
    bool ok = true;
    if (json_is_object(value) && json_is_object(like)) {
        made = json_object();
        ok = made != NULL && arrange_common(made, value, like, part) &&
             (part || add_rest(made, value, like));
    } else if (json_is_array(value) && json_is_array(like)) {
        made = json_array();
        ok = made != NULL && arrange_items(made, value, like, part);
    } else {
        return json_incref(value);
    }
    return fx_tree_keep_if(ok, made);
}

/* ---- comparing ------------------------------------------------------------------- */

static bool arrange_all(const struct fx_expectation *expectation,
                        struct fx_objects *ret_arranged) {
    const struct fx_objects *expected = expectation->expected;
    for (size_t i = 0; i < expectation->got->n_items; i++) {
        json_t *got = expectation->got->items[i];
        json_t *arranged =
            i < expected->n_items
                ? fx_expect_arrange(got, expected->items[i], expectation->part)
                : json_incref(got);
        const bool ok = arranged != NULL && fx_objects_add(ret_arranged, arranged);
        json_decref(arranged);
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool print_diff(const struct fx_expectation *expectation,
                       const struct fx_objects *arranged, struct fx_buf *diff,
                       struct fx_err *err) {
    struct fx_buf expected = {0};
    struct fx_buf got = {0};
    fx_objects_print(&expected, expectation->expected);
    fx_objects_print(&got, arranged);
    const struct fx_linediff_names names = {expectation->expected_name,
                                            expectation->got_name};
    const bool ok =
        (!expected.failed && !got.failed) || fx_fail_nomem(err)
            ? fx_linediff_unified(diff, fx_buf_view(&expected), fx_buf_view(&got), &names,
                                  expectation->colour, err)
            : false;
    fx_buf_finish(&expected);
    fx_buf_finish(&got);
    return ok;
}

bool fx_expect_compare(const struct fx_expectation *expectation, bool *ret_same,
                       struct fx_buf *diff, struct fx_err *err) {
    struct fx_objects arranged = {0};
    bool ok = arrange_all(expectation, &arranged) || fx_fail_nomem(err);
    if (ok) {
        *ret_same = fx_objects_equal(expectation->expected, &arranged);
        ok = *ret_same || print_diff(expectation, &arranged, diff, err);
    }
    fx_objects_finish(&arranged);
    return ok;
}
