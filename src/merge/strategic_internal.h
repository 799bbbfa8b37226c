/* SPDX-License-Identifier: Apache-2.0
 *
 * merge/strategic_internal.h - private: the parts of fx_strategic_merge().
 */
#ifndef FX_MERGE_STRATEGIC_INTERNAL_H
#define FX_MERGE_STRATEGIC_INTERNAL_H

#include "merge/strategic.h"

/* A node of the object, and the way to it from the root: each slot is on the stack of
 * its caller. The nodes on the way are made writable when the first of them is
 * written. */
struct strategic_slot {
    struct strategic_slot *above; /* NULL: the root */
    struct fx_text key;           /* of a member; data NULL: the element `index` */
    size_t index;
    json_t **root; /* of the root */
    json_t *node;  /* borrowed */
    bool is_owned;
};

/* A merge in progress. It runs twice: first it only checks, so that a patch that does not
 * fit changes nothing, then it writes. */
struct strategic_merge {
    bool writes;
    bool *changed; /* set when a node is written; NULL: nobody asks */
    struct fx_err *err;
};

/* What `$patch` of a map or of an element of a list says. */
enum strategic_directive {
    STRATEGIC_MERGE,
    STRATEGIC_REPLACE,
    STRATEGIC_DELETE,
    STRATEGIC_UNKNOWN, /* an error was set */
};

enum strategic_directive fx_strategic_directive(const struct strategic_merge *merge,
                                                const json_t *patch);

/* The slot of a member of a map, or of an element of a list. */
struct strategic_slot fx_strategic_member(struct strategic_slot *map, struct fx_text key);
struct strategic_slot fx_strategic_element(struct strategic_slot *list, size_t index);

/* Puts a node into the place of a slot. */
bool fx_strategic_put_take(const struct strategic_merge *merge,
                           struct strategic_slot *slot, json_t *node) FX_MUST_USE;

/* Removes the member of a slot of a map, if there is one; empties a list that is the
 * root. */
bool fx_strategic_remove(const struct strategic_merge *merge,
                         struct strategic_slot *slot) FX_MUST_USE;

/* Merges a map into the map of the slot, without its own `$patch`. */
bool fx_strategic_merge_map(const struct strategic_merge *merge, struct fx_schema schema,
                            struct strategic_slot *slot, json_t *patch) FX_MUST_USE;

/* Merges a list into the list of the slot (strategic_list.c). */
bool fx_strategic_merge_list(const struct strategic_merge *merge, struct fx_schema schema,
                             struct strategic_slot *slot, json_t *patch) FX_MUST_USE;

/* Merges nothing into the lists with two keys in and below the slot. The original walks
 * them, too, whatever the patch has, and loses an element that lacks a key which another
 * one has. */
bool fx_strategic_settle(const struct strategic_merge *merge, struct fx_schema schema,
                         struct strategic_slot *slot) FX_MUST_USE;

/* What a patch becomes where the object has nothing: `patch` without the nulls and
 * `$patch` of its maps. A new reference, to `patch` itself if it has none. *ret_node is
 * NULL if nothing is left: the patch is null, or deletes. */
bool fx_strategic_added(const struct strategic_merge *merge, struct fx_schema schema,
                        json_t *patch, json_t **ret_node) FX_MUST_USE;

#endif
