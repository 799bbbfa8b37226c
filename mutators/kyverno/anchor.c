/* SPDX-License-Identifier: Apache-2.0
 *
 * anchor.c - reads the marks of keys, and finds them in a tree.
 */
#include "anchor.h"

#include "base/budget.h"
#include "value/tree.h"

/* The anchor of a mark, the text before the parenthesis. */
static bool find_anchor(struct fx_text mark, enum kyverno_anchor *ret_anchor) {
    static const char marks[] = {[KYVERNO_ANCHOR_ADD] = '+',
                                 [KYVERNO_ANCHOR_GLOBAL] = '<',
                                 [KYVERNO_ANCHOR_EQUALITY] = '=',
                                 [KYVERNO_ANCHOR_NEGATION] = 'X',
                                 [KYVERNO_ANCHOR_EXISTENCE] = '^'};
    *ret_anchor = KYVERNO_ANCHOR_CONDITION;
    if (mark.len == 0) {
        return true;
    }
    for (unsigned i = KYVERNO_ANCHOR_ADD; i < sizeof marks; i++) {
        if (mark.len == 1 && mark.data[0] == marks[i]) {
            *ret_anchor = (enum kyverno_anchor)i;
            return true;
        }
    }
    return false;
}

struct kyverno_key fx_kyverno_key(struct fx_text key) {
    const struct kyverno_key plain = {KYVERNO_ANCHOR_NONE, key};
    const struct fx_text text = fx_text_trim_space(key);
    size_t open = 0;
    while (open < 2 && open < text.len && text.data[open] != '(') {
        open++;
    }
    if (open + 2 >= text.len || text.data[open] != '(' ||
        text.data[text.len - 1] != ')') {
        return plain;
    }
    struct kyverno_key found;
    found.name = (struct fx_text){text.data + open + 1, text.len - open - 2};
    return find_anchor((struct fx_text){text.data, open}, &found.anchor) ? found : plain;
}

bool fx_kyverno_is_patch_anchor(enum kyverno_anchor anchor) {
    return anchor == KYVERNO_ANCHOR_CONDITION || anchor == KYVERNO_ANCHOR_GLOBAL ||
           anchor == KYVERNO_ANCHOR_ADD;
}

static bool map_has_anchor(const json_t *map) {
    for (void *iter = fx_node_first(map); iter != NULL; iter = fx_node_next(map, iter)) {
        if (fx_kyverno_is_patch_anchor(fx_kyverno_key(fx_node_key(iter)).anchor) ||
            fx_kyverno_has_anchor(json_object_iter_value(iter))) {
            return true;
        }
    }
    return false;
}

bool fx_kyverno_has_anchor(const json_t *value) {
    if (!fx_spend(1)) {
        return false;
    }
    if (json_is_object(value)) {
        return map_has_anchor(value);
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (fx_kyverno_has_anchor(json_array_get(value, i))) {
            return true;
        }
    }
    return json_is_string(value) &&
           fx_kyverno_key(fx_tree_text(value)).anchor == KYVERNO_ANCHOR_CONDITION;
}
