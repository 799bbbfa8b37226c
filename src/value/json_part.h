/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_part.h - the part of a JSON value that somebody wants: a tree of the keys of
 * objects. Lists are looked through: what holds for a list holds for each of its
 * elements.
 *
 * Reading a part (fx_json_read_part()) costs what the part costs, and a look at the bytes
 * of the rest. An object that has lost members says so: it has a member more, under a key
 * that no JSON text can hold, whose value is the place where the object was read. So no
 * such object is equal to another one, and none is written without being noticed
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

/* The key of the member more: one byte that is never part of UTF-8. */
#define FX_JSON_PARTIAL_KEY FX_TEXT("\xFF")

/* A node of the tree. A zeroed one wants all of its value. */
struct fx_json_part {
    struct fx_text key;
    bool omits_rest;    /* of its members, only those below are wanted */
    bool is_list;       /* that holds of the elements of a list there; what else stands
                         * there is wanted whole */
    unsigned n_below;   /* parts */
    uint64_t rules_out; /* bits of keys (json_part.c) that none of them has */
    struct fx_json_part *first, *next;
};

/* The part of the member, NULL where none is named. */
const struct fx_json_part *fx_json_part_find(const struct fx_json_part *of,
                                             struct fx_text key);

/* Frees all parts below the root, which wants all then. */
void fx_json_part_finish(struct fx_json_part *root);

/* A place in such a tree, to extend it step by step. The root is zeroed at first, and has
 * `omits_rest` set. The texts of keys are borrowed, and outlive the tree. Nothing is
 * freed until fx_json_part_prune(), so that places stay valid. */
struct fx_json_place {
    struct fx_json_part *part; /* NULL: in something else, of which nothing is wanted */
    unsigned depth;            /* below the root; 0 at first */
    bool is_element;           /* not what stands there, but what is in that */
};

/* Goes on to the member. That it is there, and what it is, is wanted from here on, and so
 * is a value that has no members. Past FX_LIMIT_JSON_PARTS and FX_LIMIT_JSON_PART_DEPTH
 * the place stays where it is, and all of it is wanted. False without memory. */
bool fx_json_place_member(struct fx_json_place *place, struct fx_text key) FX_MUST_USE;

/* Goes on to some element of the list that stands there. An object is wanted whole in
 * its stead: which of its members would be gone on to is not known. */
void fx_json_place_element(struct fx_json_place *place);

/* How many elements or members there are is wanted. */
void fx_json_place_count(struct fx_json_place place);

/* All that stands there is wanted. */
void fx_json_place_all(struct fx_json_place place);

/* Frees what lies within parts that are wanted whole, when all is said. */
void fx_json_part_prune(struct fx_json_part *root);

/* Has nothing in the value lost members? NULL has not. */
bool fx_json_is_whole(const json_t *value);

#endif
