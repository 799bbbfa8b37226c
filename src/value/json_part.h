/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_part.h - partial decoding: a tree of the keys of the parts of a JSON value
 * that are needed. The tree has no lists: a node for a list applies to each of its
 * elements.
 *
 * Reading a part (fx_json_read_part()) decodes only this part, and checks the syntax of
 * the rest. An object without all of its members has an additional member as a mark: its
 * key cannot occur in a JSON text, and its value is the position where the object was
 * read. So such an object is not equal to any other, and writing it is detected
 * (fx_json_is_whole()).
 */
#ifndef FX_VALUE_JSON_PART_H
#define FX_VALUE_JSON_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

/* The key of the additional member: a byte that never occurs in UTF-8. */
#define FX_JSON_PARTIAL_KEY FX_TEXT("\xFF")

/* A node of the tree. A zeroed node needs the whole value. */
struct fx_json_part {
    struct fx_text key;
    bool omits_rest; /* only the parts below are needed */
    bool is_list;    /* this applies only to elements of a list; any other value is needed
                      * whole */
    unsigned n_below;   /* number of parts below */
    uint64_t rules_out; /* bits (json_part.c) that no key of the parts below has */
    struct fx_json_part *first, *next;
};

/* Returns the part of the member; NULL if the tree does not contain it. */
const struct fx_json_part *fx_json_part_find(const struct fx_json_part *of,
                                             struct fx_text key);

/* Frees all parts below the root, which then needs the whole value. */
void fx_json_part_finish(struct fx_json_part *root);

/* A cursor in such a tree, which extends it step by step. At first the root is zeroed
 * except for `omits_rest`, which is set. The texts of keys are borrowed, and must outlive
 * the tree. Nothing is freed before fx_json_part_prune(), so cursors stay valid. */
struct fx_json_cursor {
    struct fx_json_part *part; /* NULL in a value of which nothing is needed */
    unsigned depth;            /* levels below the root; 0 at first */
    bool is_element;           /* at the elements of the value, not at the value */
};

/* Moves to the member. Its existence and type are needed from now on, and its value if it
 * has no members. Beyond FX_LIMIT_JSON_PARTS and FX_LIMIT_JSON_PART_DEPTH the cursor
 * does not move, and the whole value is needed. False without memory. */
bool fx_json_cursor_member(struct fx_json_cursor *cursor, struct fx_text key) FX_MUST_USE;

/* Moves to an element of the list. If the value is an object instead, it is needed whole,
 * because the member is not known. */
void fx_json_cursor_element(struct fx_json_cursor *cursor);

/* Makes the number of elements or members needed. */
void fx_json_cursor_count(struct fx_json_cursor cursor);

/* Makes the whole value needed. */
void fx_json_cursor_all(struct fx_json_cursor cursor);

/* Frees nodes within parts that are needed whole. Call it after the last part is
 * added. */
void fx_json_part_prune(struct fx_json_part *root);

/* Are all objects in the value complete? True for NULL. */
bool fx_json_is_whole(const json_t *value);

#endif
