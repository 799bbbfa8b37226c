/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/intern.h - equal trees as one tree. Policies are much alike: thousands say
 * `applyTo: [{groups: [""], versions: [v1], kinds: [Pod]}]`, and what is never written
 * again need be in memory only once. Private to this room. Pure.
 */
#ifndef FX_CLUSTER_INTERN_H
#define FX_CLUSTER_INTERN_H

#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"

/* Holds a reference on each tree that was made. Zeroed is empty. */
struct fx_intern {
    json_t **slots;                 /* open addressing; NULL: free */
    size_t n_slots, n_used, n_next; /* n_next: so many are too many, look who is unused */
};

void fx_intern_finish(struct fx_intern *intern); /* NULL, zeroed are fine */

/* A tree equal to `tree`, the order of its keys included, whose every part is the one
 * part of its content: a new reference, never to be written. Without memory for the
 * table a tree of its own, and NULL without memory for that. */
json_t *fx_intern_tree(struct fx_intern *intern, json_t *tree) FX_MUST_USE;

#endif
