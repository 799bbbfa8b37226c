/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_part.c - the tree of wanted keys.
 */
#include "value/json_part.h"

#include <stdlib.h>

#include "base/limits.h"
#include "value/tree.h"

/* Returns one of 64 bits, chosen by the first byte and the length, which differ for most
 * keys. */
static uint64_t bit_of(struct fx_text key) {
    const size_t first = key.len == 0 ? 0 : (unsigned char)key.data[0];
    return UINT64_C(1) << ((first + 8 * key.len) % 64);
}

static struct fx_json_part *find_part(const struct fx_json_part *of, struct fx_text key) {
    struct fx_json_part *part = (of->rules_out & bit_of(key)) != 0 ? NULL : of->first;
    while (part != NULL && !fx_text_equal(part->key, key)) {
        part = part->next;
    }
    return part;
}

const struct fx_json_part *fx_json_part_find(const struct fx_json_part *of,
                                             struct fx_text key) {
    return find_part(of, key);
}

static struct fx_json_part *add_part(struct fx_json_part *to, struct fx_text key) {
    struct fx_json_part *part = malloc(sizeof *part);
    if (part != NULL) {
        *part = (struct fx_json_part){.key = key, .omits_rest = true, .next = to->first};
        to->rules_out = to->first == NULL ? ~bit_of(key) : to->rules_out & ~bit_of(key);
        to->first = part;
        to->n_below++;
    }
    return part;
}

/* Recursion is as deep as the longest path. */
void fx_json_part_finish(struct fx_json_part *root) {
    for (struct fx_json_part *part = root->first; part != NULL;) {
        struct fx_json_part *next = part->next;
        fx_json_part_finish(part);
        free(part);
        part = next;
    }
    root->first = NULL;
    root->n_below = 0;
    root->rules_out = 0;
    root->omits_rest = false;
    root->is_list = false;
}

void fx_json_cursor_all(struct fx_json_cursor cursor) {
    if (cursor.part != NULL) {
        cursor.part->omits_rest = false;
    }
}

bool fx_json_cursor_member(struct fx_json_cursor *cursor, struct fx_text key) {
    struct fx_json_part *part = cursor->part;
    cursor->is_element = false;
    if (part == NULL || !part->omits_rest) {
        return true;
    }
    struct fx_json_part *below = find_part(part, key);
    if (below == NULL && (part->n_below == FX_LIMIT_JSON_PARTS ||
                          cursor->depth == FX_LIMIT_JSON_PART_DEPTH)) {
        fx_json_cursor_all(*cursor);
        return true;
    }
    cursor->part = below != NULL ? below : add_part(part, key);
    cursor->depth++;
    return cursor->part != NULL;
}

void fx_json_cursor_element(struct fx_json_cursor *cursor) {
    if (cursor->is_element) {
        fx_json_cursor_all(*cursor);
    } else if (cursor->part != NULL) {
        cursor->part->is_list = true;
        cursor->is_element = true;
    }
}

void fx_json_cursor_count(struct fx_json_cursor cursor) {
    fx_json_cursor_element(&cursor);
}

void fx_json_part_prune(struct fx_json_part *root) {
    if (!root->omits_rest) {
        fx_json_part_finish(root);
    }
    for (struct fx_json_part *part = root->first; part != NULL; part = part->next) {
        fx_json_part_prune(part);
    }
}

/* ---- complete values -------------------------------------------------------------- */

static bool members_are_whole(const json_t *object) {
    if (fx_tree_view_text(object, FX_JSON_PARTIAL_KEY) != NULL) {
        return false;
    }
    void *iter = fx_node_first(object);
    while (iter != NULL && fx_json_is_whole(json_object_iter_value(iter))) {
        iter = fx_node_next(object, iter);
    }
    return iter == NULL;
}

bool fx_json_is_whole(const json_t *value) {
    if (json_is_object(value)) {
        return members_are_whole(value);
    }
    size_t i = 0;
    while (i < json_array_size(value) && fx_json_is_whole(json_array_get(value, i))) {
        i++;
    }
    return i == json_array_size(value);
}
