/* SPDX-License-Identifier: Apache-2.0
 *
 * strategic_list.c - merges a list with a merge strategy: by one key, by two keys, or as
 * a set of scalars (spec/kyverno.md section 9.5).
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/budget.h"
#include "merge/strategic_internal.h"
#include "value/number.h"
#include "value/tree.h"

/* What becomes of an element of the patch. */
enum element_fate {
    ELEMENT_NEW,     /* it is added */
    ELEMENT_MERGED,  /* it is merged into an element of the object */
    ELEMENT_IGNORED, /* it has no effect */
};

struct patch_element {
    enum element_fate fate;
    size_t live;   /* of ELEMENT_MERGED: the index in the object's list */
    json_t *added; /* of ELEMENT_NEW: counted; NULL: nothing is added */
};

/* Two lists that are merged. */
struct list_merge {
    const struct strategic_merge *merge;
    struct fx_schema schema;
    struct strategic_slot *slot;
    const json_t *patch;
    size_t n_patch, n_live, n_keys;
    struct patch_element *elements; /* one for each of the patch */
    bool *is_taken;                 /* one for each of the object: merged or removed */
    bool moves; /* merged elements move to the front, in the order of the patch */
};

/* ---- keys ---------------------------------------------------------------------------- */

/* Compares scalars by their text, as YAML has it. */
static bool is_same_text(const json_t *a, const json_t *b) {
    char number[2][FX_NUMBER_SIZE];
    struct fx_text text[2];
    const json_t *nodes[2] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        if (json_is_number(nodes[i])) {
            text[i] =
                (struct fx_text){number[i], fx_number_print(nodes[i], number[i])};
        } else if (json_is_boolean(nodes[i])) {
            text[i] = fx_text_of(json_is_true(nodes[i]) ? "true" : "false");
        } else {
            text[i] = fx_tree_text(nodes[i]);
        }
    }
    return text[0].data != NULL && text[1].data != NULL && fx_text_equal(text[0], text[1]);
}

/* The key of an element of a list of maps; NULL: it has none. */
static const json_t *key_of(const struct list_merge *lists, const json_t *element,
                            size_t key) {
    const json_t *found =
        fx_tree_view_text(element, fx_schema_key(lists->schema, key));
    return json_is_null(found) ? NULL : found;
}

static bool list_has_key(const struct list_merge *lists, const json_t *list, size_t key) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!fx_spend(1) || key_of(lists, json_array_get(list, i), key) != NULL) {
            return true;
        }
    }
    return false;
}

/* Have two elements the same keys, all of them? */
static bool has_same_keys(const struct list_merge *lists, const json_t *live,
                          const json_t *patch) {
    if (lists->n_keys == 0) {
        return is_same_text(live, patch);
    }
    for (size_t i = 0; i < lists->n_keys; i++) {
        const json_t *a = key_of(lists, live, i);
        const json_t *b = key_of(lists, patch, i);
        if ((a == NULL) != (b == NULL) || (a != NULL && !is_same_text(a, b))) {
            return false;
        }
    }
    return true;
}

/* Of elements with two keys: do they agree on one, while one of them lacks the other? The
 * original takes them for the same element, and drops that of the patch. */
static bool is_alike(const struct list_merge *lists, const json_t *live,
                     const json_t *patch) {
    bool agrees = false;
    bool lacks = false;
    for (size_t i = 0; i < lists->n_keys; i++) {
        const json_t *a = key_of(lists, live, i);
        const json_t *b = key_of(lists, patch, i);
        agrees = agrees || (a != NULL && b != NULL && is_same_text(a, b));
        lacks = lacks || (a == NULL) != (b == NULL);
    }
    return agrees && lacks;
}

/* ---- which elements are the same ------------------------------------------------------- */

/* Finds the element of the object for an element of the patch. */
static bool find_live(struct list_merge *lists, const json_t *patch,
                      struct patch_element *ret) {
    *ret = (struct patch_element){.fate = ELEMENT_NEW};
    if (!fx_spend(1 + lists->n_live)) {
        return fx_fail_exceeded(lists->merge->err);
    }
    bool is_alike_one = false;
    for (size_t i = lists->n_live; i-- > 0;) {
        const json_t *live = json_array_get(lists->slot->node, i);
        if (has_same_keys(lists, live, patch)) {
            *ret = (struct patch_element){.fate = ELEMENT_MERGED, .live = i};
            return true;
        }
        is_alike_one = is_alike_one || is_alike(lists, live, patch);
    }
    if (is_alike_one) {
        ret->fate = ELEMENT_IGNORED;
    }
    return true;
}

/* Does an earlier element of the patch have the same keys? */
static bool is_repeated(const struct list_merge *lists, size_t at) {
    for (size_t i = 0; i < at; i++) {
        if (has_same_keys(lists, json_array_get(lists->patch, i),
                          json_array_get(lists->patch, at))) {
            return true;
        }
    }
    return false;
}

/* Checks that an element of the patch can be merged by key. */
static bool check_element(const struct list_merge *lists, const json_t *element) {
    if (lists->n_keys == 0) {
        return (!json_is_object(element) && !json_is_array(element)) ||
               fx_fail_in(lists->merge->err, element, FX_EMUTATE,
                          "wrong node kind: expected a list of single values");
    }
    if (!json_is_object(element)) {
        return fx_fail_in(lists->merge->err, element, FX_EMUTATE,
                          "wrong node kind: expected a list of maps");
    }
    for (size_t i = 0; i < lists->n_keys; i++) {
        if (key_of(lists, element, i) != NULL) {
            return true;
        }
    }
    const struct fx_text key = fx_schema_key(lists->schema, 0);
    return fx_fail_in(lists->merge->err, element, FX_EMUTATE,
                      "an element of this list has no key: its elements are merged by "
                      "their field \"%.*s\"",
                      FX_TEXT_ARG(key));
}

/* ---- merging ------------------------------------------------------------------------- */

/* Merges an element of the patch into that of the object, or replaces or removes that. */
static bool merge_element(struct list_merge *lists, struct patch_element *element,
                          json_t *patch) {
    const enum strategic_directive directive =
        fx_strategic_directive(lists->merge, patch);
    if (directive == STRATEGIC_UNKNOWN) {
        return false;
    }
    if (directive != STRATEGIC_MERGE) {
        lists->is_taken[element->live] = true;
        element->fate = ELEMENT_NEW;
        return fx_strategic_added(lists->merge, fx_schema_element(lists->schema), patch,
                                  &element->added);
    }
    lists->is_taken[element->live] = lists->moves;
    struct strategic_slot slot = fx_strategic_element(lists->slot, element->live);
    return fx_strategic_merge_map(lists->merge, fx_schema_element(lists->schema), &slot,
                                  patch);
}

static bool merge_one(struct list_merge *lists, size_t at) {
    json_t *patch = json_array_get(lists->patch, at);
    struct patch_element *element = &lists->elements[at];
    if (!check_element(lists, patch) || !find_live(lists, patch, element)) {
        return false;
    }
    if (element->fate == ELEMENT_MERGED && lists->n_keys > 0) {
        return merge_element(lists, element, patch);
    }
    if (element->fate == ELEMENT_MERGED) {
        /* Of a scalar that is there already, the element of the object is kept. */
        lists->is_taken[element->live] = true;
        return true;
    }
    return element->fate == ELEMENT_IGNORED || is_repeated(lists, at) ||
           fx_strategic_added(lists->merge, fx_schema_element(lists->schema), patch,
                              &element->added);
}

/* Appends an element to the merged list. An empty map is left out. */
static bool append(json_t *merged, json_t *element) {
    return (json_is_object(element) && json_object_size(element) == 0) ||
           json_array_append(merged, element) == 0;
}

/* Appends the elements in their new order: those of the patch, then the others. */
static bool arrange(const struct list_merge *lists, json_t *merged) {
    const json_t *live = lists->slot->node;
    for (size_t i = 0; i < lists->n_patch; i++) {
        const struct patch_element *element = &lists->elements[i];
        json_t *node = element->fate == ELEMENT_MERGED && lists->moves
                           ? json_array_get(live, element->live)
                           : element->added;
        if (node != NULL && !append(merged, node)) {
            return false;
        }
    }
    for (size_t i = 0; i < lists->n_live; i++) {
        if (!lists->is_taken[i] && !append(merged, json_array_get(live, i))) {
            return false;
        }
    }
    return true;
}

static bool has_same_elements(const json_t *a, const json_t *b) {
    bool same = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; same && i < json_array_size(a); i++) {
        same = json_array_get(a, i) == json_array_get(b, i);
    }
    return same;
}

/* Puts the merged list into the object, if its order or its length differs. */
static bool write_order(const struct list_merge *lists) {
    json_t *merged = json_array();
    if (merged == NULL || !arrange(lists, merged)) {
        json_decref(merged);
        return fx_fail_nomem(lists->merge->err);
    }
    if (has_same_elements(lists->slot->node, merged)) {
        json_decref(merged);
        return true;
    }
    return fx_strategic_put_take(lists->merge, lists->slot, merged);
}

/* Finds the keys that count. Of two, the second counts if any element has it; then merged
 * elements keep their places. */
static void choose_keys(struct list_merge *lists) {
    const size_t declared = fx_schema_node(lists->schema)->n;
    const bool has_second = declared > 1 && (list_has_key(lists, lists->patch, 1) ||
                                             list_has_key(lists, lists->slot->node, 1));
    lists->n_keys = has_second || declared == 0 ? declared : 1;
    lists->moves = !has_second;
}

static bool merge_elements(struct list_merge *lists) {
    lists->n_patch = json_array_size(lists->patch);
    lists->n_live = json_array_size(lists->slot->node);
    choose_keys(lists);
    lists->elements = calloc(lists->n_patch + 1, sizeof *lists->elements);
    lists->is_taken = calloc(lists->n_live + 1, sizeof *lists->is_taken);
    bool ok = (lists->elements != NULL && lists->is_taken != NULL) ||
              fx_fail_nomem(lists->merge->err);
    for (size_t i = 0; ok && i < lists->n_patch; i++) {
        ok = merge_one(lists, i);
    }
    ok = ok && (!lists->merge->writes || write_order(lists));
    for (size_t i = 0; lists->elements != NULL && i < lists->n_patch; i++) {
        json_decref(lists->elements[i].added);
    }
    free(lists->elements);
    free(lists->is_taken);
    return ok;
}

/* ---- a directive for the whole list ---------------------------------------------------- */

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
    const bool ok =
        none == NULL ? fx_fail_nomem(merge->err) : merge_elements(&lists);
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
    json_t *rest = json_copy(patch);
    if (rest == NULL) {
        return fx_fail_nomem(merge->err);
    }
    fx_tree_remove_index(rest, at);
    bool ok = directive != STRATEGIC_UNKNOWN;
    if (directive == STRATEGIC_MERGE) {
        ok = fx_strategic_merge_list(merge, schema, slot, rest);
    } else if (directive != STRATEGIC_UNKNOWN) {
        if (directive == STRATEGIC_DELETE) {
            (void)json_array_clear(rest);
        }
        ok = replace_list(merge, schema, slot, rest);
    }
    json_decref(rest);
    return ok;
}
