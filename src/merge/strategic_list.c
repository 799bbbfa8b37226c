/* SPDX-License-Identifier: Apache-2.0
 *
 * strategic_list.c - merges a list with a merge strategy: by one key, by two keys, or as
 * a set of scalars (spec/kyverno.md section 9.5).
 *
 * With two keys, elements that lack one of them compare as in the original, which can
 * lose elements: a missing key is the same as any key.
 */
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "merge/strategic_internal.h"
#include "value/number.h"
#include "value/tree.h"

/* An element of the merged list: one of the object, or one that is added. */
struct merged_element {
    bool is_live;
    size_t live;         /* the index in the object's list, if it is one of the object */
    json_t *added;       /* counted, if it is added */
    const json_t *keyed; /* has the keys of the element; borrowed */
};

/* Two lists that are merged. */
struct list_merge {
    const struct strategic_merge *merge;
    struct fx_schema schema;
    struct strategic_slot *slot;
    const json_t *patch;
    size_t n_patch, n_live;
    size_t n_keys;  /* those that count; 0 for a list of scalars */
    bool *is_alive; /* for each element of the object: it is not removed */
    struct merged_element *merged;
    size_t n_merged;
};

/* ---- keys ----------------------------------------------------------------------------
 */

/* The key of an element; a scalar is its own key. NULL: it has none. */
static const json_t *key_of(const struct list_merge *lists, const json_t *element,
                            size_t key) {
    const json_t *found =
        lists->n_keys == 0
            ? element
            : fx_tree_view_text(element, fx_schema_key(lists->schema, key));
    return json_is_null(found) ? NULL : found;
}

static size_t count_keys(const struct list_merge *lists) {
    return lists->n_keys == 0 ? 1 : lists->n_keys;
}

static struct fx_text text_of(const json_t *scalar, char space[FX_NUMBER_SIZE]) {
    if (json_is_number(scalar)) {
        return (struct fx_text){space, fx_number_print(scalar, space)};
    }
    return json_is_boolean(scalar) ? fx_text_of(json_is_true(scalar) ? "true" : "false")
                                   : fx_tree_text(scalar);
}

/* Compares keys by their text, as YAML has it. */
static bool is_same_key(const json_t *a, const json_t *b) {
    char number[2][FX_NUMBER_SIZE];
    if (json_is_integer(a) && json_is_integer(b)) {
        return json_integer_value(a) == json_integer_value(b);
    }
    return a != NULL && b != NULL &&
           fx_text_equal(text_of(a, number[0]), text_of(b, number[1]));
}

/* Has `element` the keys that `wanted` has? A key that `wanted` lacks may have any value,
 * or be missing. */
static bool matches(const struct list_merge *lists, const json_t *element,
                    const json_t *wanted) {
    for (size_t i = 0; i < count_keys(lists); i++) {
        const json_t *key = key_of(lists, wanted, i);
        if (key != NULL && !is_same_key(key_of(lists, element, i), key)) {
            return false;
        }
    }
    return true;
}

static bool list_has_key(const struct list_merge *lists, const json_t *list, size_t key) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!fx_spend(1) || key_of(lists, json_array_get(list, i), key) != NULL) {
            return true;
        }
    }
    return false;
}

/* Finds the keys that count. Of two, the second counts if any element has it. */
static void choose_keys(struct list_merge *lists) {
    lists->n_keys = fx_schema_node(lists->schema)->n;
    if (lists->n_keys > 1 && !list_has_key(lists, lists->patch, 1) &&
        !list_has_key(lists, lists->slot->node, 1)) {
        lists->n_keys = 1;
    }
}

static size_t count_present(const struct list_merge *lists, const json_t *element) {
    size_t n = 0;
    for (size_t i = 0; i < count_keys(lists); i++) {
        n += key_of(lists, element, i) != NULL ? 1 : 0;
    }
    return n;
}

/* Checks that an element of the patch can be merged by key. */
static bool check_element(const struct list_merge *lists, const json_t *element) {
    const bool is_container = json_is_object(element) || json_is_array(element);
    if (lists->n_keys == 0) {
        return !is_container || fx_fail_in(lists->merge->err, element, FX_EMUTATE,
                                           "wrong node kind: expected a single value");
    }
    if (!json_is_object(element)) {
        return fx_fail_in(lists->merge->err, element, FX_EMUTATE,
                          "wrong node kind: expected a map");
    }
    const struct fx_text key = fx_schema_key(lists->schema, 0);
    return count_present(lists, element) > 0 ||
           fx_fail_in(lists->merge->err, element, FX_EMUTATE,
                      "an element of this list has no key: its elements are merged by "
                      "their field \"%.*s\"",
                      FX_TEXT_ARG(key));
}

/* ---- the merged list
 * ------------------------------------------------------------------- */

/* Removes the elements of the merged list that have the keys of `wanted`. */
static void remove_matching(struct list_merge *lists, const json_t *wanted) {
    size_t n = 0;
    for (size_t i = 0; i < lists->n_merged; i++) {
        struct merged_element *element = &lists->merged[i];
        if (matches(lists, element->keyed, wanted)) {
            json_decref(element->added);
        } else {
            lists->merged[n++] = *element;
        }
    }
    lists->n_merged = n;
}

/* Puts an element in the place of those that have its keys, or at the end. */
static void put(struct list_merge *lists, struct merged_element given) {
    bool found = false;
    for (size_t i = 0; i < lists->n_merged; i++) {
        struct merged_element *element = &lists->merged[i];
        if (matches(lists, element->keyed, given.keyed)) {
            json_decref(element->added);
            *element = given;
            (void)json_incref(given.added);
            found = true;
        }
    }
    if (found) {
        json_decref(given.added);
    } else {
        lists->merged[lists->n_merged++] = given;
    }
}

/* The first element of the patch with these keys; NULL: none. */
static json_t *find_patch(const struct list_merge *lists, const json_t *keyed) {
    for (size_t i = 0; i < lists->n_patch; i++) {
        json_t *element = json_array_get(lists->patch, i);
        if (matches(lists, element, keyed)) {
            return element;
        }
    }
    return NULL;
}

/* The index of the first element of the object with these keys; n_live: none. */
static size_t find_live(const struct list_merge *lists, const json_t *keyed) {
    size_t i = 0;
    while (i < lists->n_live &&
           !(lists->is_alive[i] &&
             matches(lists, json_array_get(lists->slot->node, i), keyed))) {
        i++;
    }
    return i;
}

/* Merges an element of the patch into one of the object. `ret->keyed` NULL: nothing is
 * left. */
static bool merge_live(struct list_merge *lists, size_t live, json_t *patch,
                       const json_t *keyed, struct merged_element *ret) {
    const struct fx_schema schema = fx_schema_element(lists->schema);
    struct strategic_slot slot = fx_strategic_element(lists->slot, live);
    *ret = (struct merged_element){.is_live = true, .live = live, .keyed = keyed};
    if (lists->n_keys == 0) {
        return true;
    }
    const enum strategic_directive directive =
        fx_strategic_directive(lists->merge, patch);
    if (directive == STRATEGIC_UNKNOWN) {
        return false;
    }
    if (directive == STRATEGIC_MERGE) {
        return patch == NULL ||
               fx_strategic_merge_map(lists->merge, schema, &slot, patch);
    }
    *ret = (struct merged_element){.keyed = keyed};
    if (!fx_strategic_added(lists->merge, schema, patch, &ret->added)) {
        return false;
    }
    ret->keyed = ret->added == NULL ? NULL : keyed;
    return true;
}

/* Removes the elements of the object that have these keys, and lack none. */
static void remove_live(struct list_merge *lists, const json_t *keyed) {
    for (size_t i = 0; i < lists->n_live; i++) {
        const json_t *live = json_array_get(lists->slot->node, i);
        if (matches(lists, live, keyed) &&
            count_present(lists, live) == count_keys(lists)) {
            lists->is_alive[i] = false;
        }
    }
}

/* Merges what both lists have under the keys of one element. */
static bool merge_keyed(struct list_merge *lists, const json_t *keyed) {
    if (!fx_spend(1 + lists->n_patch + lists->n_live + lists->n_merged)) {
        return fx_fail_exceeded(lists->merge->err);
    }
    json_t *patch = find_patch(lists, keyed);
    const size_t live = find_live(lists, keyed);
    struct merged_element element = {.keyed = NULL};
    if (live < lists->n_live) {
        if (!merge_live(lists, live, patch, keyed, &element)) {
            return false;
        }
    } else if (patch != NULL) {
        if (!fx_strategic_added(lists->merge, fx_schema_element(lists->schema), patch,
                                &element.added)) {
            return false;
        }
        element.keyed = element.added == NULL ? NULL : keyed;
    }
    if (element.keyed != NULL) {
        put(lists, element);
        return true;
    }
    remove_live(lists, keyed);
    return true;
}

/* Does one of the first `n` elements of a list have the same keys, or any element more
 * keys than `keyed`? Then the keys of `keyed` do not count on their own. */
static bool is_covered(const struct list_merge *lists, const json_t *list, size_t n,
                       const json_t *keyed) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *other = json_array_get(list, i);
        if (matches(lists, other, keyed) && (i < n || !matches(lists, keyed, other))) {
            return true;
        }
    }
    return false;
}

/* Merges for the keys of each element: of the patch, then of the object. */
static bool merge_all(struct list_merge *lists) {
    bool ok = true;
    for (size_t i = 0; ok && i < lists->n_patch; i++) {
        const json_t *element = json_array_get(lists->patch, i);
        ok = check_element(lists, element) &&
             (is_covered(lists, lists->patch, i, element) ||
              is_covered(lists, lists->slot->node, 0, element) ||
              merge_keyed(lists, element));
    }
    for (size_t i = 0; ok && i < lists->n_live; i++) {
        const json_t *live = lists->slot->node;
        const json_t *element = json_array_get(live, i);
        ok = count_present(lists, element) == 0 ||
             is_covered(lists, lists->patch, lists->n_patch, element) ||
             is_covered(lists, live, i, element) || merge_keyed(lists, element);
    }
    return ok;
}

/* Puts the elements of the object into the merged list: with one key, into the place
 * that they have there; with two keys, to the end. */
static bool put_live(struct list_merge *lists) {
    const json_t *live = lists->slot->node;
    for (size_t i = 0; i < lists->n_live; i++) {
        const json_t *element = json_array_get(live, i);
        if (!fx_spend(1 + lists->n_merged)) {
            return fx_fail_exceeded(lists->merge->err);
        }
        if (!lists->is_alive[i]) {
            continue;
        }
        if (lists->n_keys > 1) {
            remove_matching(lists, element);
        }
        put(lists, (struct merged_element){.is_live = true, .live = i, .keyed = element});
    }
    return true;
}

/* ---- writing
 * --------------------------------------------------------------------------- */

static json_t *node_of(const struct list_merge *lists,
                       const struct merged_element *element) {
    return element->is_live ? json_array_get(lists->slot->node, element->live)
                            : element->added;
}

static bool changes(const struct list_merge *lists) {
    bool changes_ = lists->n_merged != lists->n_live;
    for (size_t i = 0; i < lists->n_merged && !changes_; i++) {
        changes_ = !lists->merged[i].is_live || lists->merged[i].live != i;
    }
    return changes_;
}

/* Puts the merged list into the object, if it has other elements or another order. */
static bool write_list(const struct list_merge *lists) {
    if (!lists->merge->writes || !changes(lists)) {
        return true;
    }
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < lists->n_merged; i++) {
        ok = json_array_append(list, node_of(lists, &lists->merged[i])) == 0;
    }
    if (!ok) {
        json_decref(list);
        return fx_fail_nomem(lists->merge->err);
    }
    return fx_strategic_put_take(lists->merge, lists->slot, list);
}

static void finish_elements(struct list_merge *lists) {
    for (size_t i = 0; i < lists->n_merged; i++) {
        json_decref(lists->merged[i].added);
    }
    free(lists->merged);
    free(lists->is_alive);
}

static bool merge_elements(struct list_merge *lists) {
    lists->n_patch = json_array_size(lists->patch);
    lists->n_live = json_array_size(lists->slot->node);
    const size_t most = lists->n_patch + 2 * lists->n_live;
    lists->merged = calloc(most + 1, sizeof *lists->merged);
    lists->is_alive = calloc(lists->n_live + 1, sizeof *lists->is_alive);
    if (lists->merged == NULL || lists->is_alive == NULL) {
        finish_elements(lists);
        return fx_fail_nomem(lists->merge->err);
    }
    memset(lists->is_alive, true, lists->n_live);
    choose_keys(lists);
    const bool ok = merge_all(lists) && put_live(lists) && write_list(lists);
    finish_elements(lists);
    return ok;
}

/* ---- a directive for the whole list
 * ---------------------------------------------------- */

/* Finds the first element that consists of a directive only: json_array_size() if there
 * is none. */
static size_t find_directive(const json_t *patch) {
    size_t i = 0;
    while (i < json_array_size(patch)) {
        const json_t *element = json_array_get(patch, i);
        if (json_object_size(element) == 1 && fx_tree_view_key(element, "$patch")) {
            break;
        }
        i++;
    }
    return i;
}

/* Replaces the list of the object by what the patch has beside the directive. */
static bool replace_list(const struct strategic_merge *merge, struct fx_schema schema,
                         struct strategic_slot *slot, const json_t *rest) {
    json_t *none = json_array();
    struct strategic_slot empty = {.root = &none, .node = none, .is_owned = true};
    struct list_merge lists = {
        .merge = &(struct strategic_merge){.writes = true, .err = merge->err},
        .schema = schema,
        .slot = &empty,
        .patch = rest};
    const bool ok = none == NULL ? fx_fail_nomem(merge->err) : merge_elements(&lists);
    if (!ok || !merge->writes) {
        json_decref(none);
        return ok;
    }
    return fx_strategic_put_take(merge, slot, none);
}

bool fx_strategic_merge_list(const struct strategic_merge *merge, struct fx_schema schema,
                             struct strategic_slot *slot, json_t *patch) {
    const size_t at = find_directive(patch);
    if (at == json_array_size(patch)) {
        struct list_merge lists = {
            .merge = merge, .schema = schema, .slot = slot, .patch = patch};
        return merge_elements(&lists);
    }
    const enum strategic_directive directive =
        fx_strategic_directive(merge, json_array_get(patch, at));
    if (directive == STRATEGIC_UNKNOWN) {
        return false;
    }
    if (directive == STRATEGIC_DELETE) {
        return fx_strategic_remove(merge, slot);
    }
    json_t *rest = fx_tree_copy(patch);
    if (rest == NULL) {
        return fx_fail_nomem(merge->err);
    }
    fx_tree_remove_index(rest, at);
    const bool ok = directive == STRATEGIC_MERGE
                        ? fx_strategic_merge_list(merge, schema, slot, rest)
                        : replace_list(merge, schema, slot, rest);
    json_decref(rest);
    return ok;
}

/* ---- lists that the patch does not have
 * ------------------------------------------------ */

/* Has the schema a list with two keys, here or below? */
static bool has_two_keys(struct fx_schema schema) {
    return schema.set->two_keys != NULL && schema.set->two_keys[schema.node];
}

/* Does the merge of nothing leave the list as it is? It does if no element lacks a key,
 * and no two have the same keys, as in all lists that an API server accepts. */
static bool is_settled(const struct list_merge *lists) {
    const json_t *list = lists->slot->node;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *element = json_array_get(list, i);
        if (count_present(lists, element) < lists->n_keys || !fx_spend(1 + i)) {
            return false;
        }
        for (size_t j = 0; j < i; j++) {
            if (matches(lists, json_array_get(list, j), element)) {
                return false;
            }
        }
    }
    return true;
}

static bool settle_list(const struct strategic_merge *merge, struct fx_schema schema,
                        struct strategic_slot *list) {
    const size_t n_keys = fx_schema_node(schema)->n;
    if (n_keys > 1) {
        struct list_merge lists = {
            .merge = merge, .schema = schema, .slot = list, .n_keys = n_keys};
        return is_settled(&lists) || merge_elements(&lists);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(list->node); i++) {
        struct strategic_slot element = fx_strategic_element(list, i);
        ok = fx_strategic_settle(merge, fx_schema_element(schema), &element);
    }
    return ok;
}

bool fx_strategic_settle(const struct strategic_merge *merge, struct fx_schema schema,
                         struct strategic_slot *slot) {
    const struct fx_schema_node *node = fx_schema_node(schema);
    if (json_is_array(slot->node)) {
        return node->type != FX_SCHEMA_LIST || settle_list(merge, schema, slot);
    }
    bool ok = fx_spend(1) || fx_fail_exceeded(merge->err);
    for (size_t i = 0; ok && node->type == FX_SCHEMA_STRUCT && i < node->n; i++) {
        const struct fx_schema_field *field = &schema.set->fields[node->first + i];
        const struct fx_schema below = {schema.set, field->node};
        if (has_two_keys(below)) {
            struct strategic_slot member =
                fx_strategic_member(slot, fx_text_of(schema.set->texts + field->name));
            ok = member.node == NULL || fx_strategic_settle(merge, below, &member);
        }
    }
    return ok;
}
