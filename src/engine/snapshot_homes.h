/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_homes.h - what mutators say of a namespace by its name
 * (fx_mutator_ops.wants_home), asked once for each name; private to the index.
 *
 * Any number of threads read it and add to it. Nothing is taken out: past its bound what
 * is not in it is asked each time.
 */
#ifndef FX_ENGINE_SNAPSHOT_HOMES_H
#define FX_ENGINE_SNAPSHOT_HOMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/text.h"

struct fx_homes; /* opaque */

struct fx_homes *fx_homes_create(void) FX_MUST_USE; /* NULL without memory */
void fx_homes_destroy(struct fx_homes *homes);      /* NULL is fine */

/* An entry of the index, for objects of these names: where they are listed, and where
 * they live. */
struct fx_home_key {
    uint32_t entry;
    struct fx_text namespace_, home;
};

struct fx_home_list {
    const uint32_t *mutators; /* ascending */
    size_t n;
};

/* The list under the key; NULL where there is none. */
const struct fx_home_list *fx_homes_find(const struct fx_homes *homes,
                                         const struct fx_home_key *key);

/* Keeps a copy of the list, if there is room for it. False without memory. */
bool fx_homes_add(struct fx_homes *homes, const struct fx_home_key *key,
                  const uint32_t *mutators, size_t n) FX_MUST_USE;

#endif
