/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/map.h - private to the room: the table behind the maps that expressions
 * build.
 */
#ifndef FX_LOCATION_CEL_MAP_H
#define FX_LOCATION_CEL_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/macros.h"
#include "location/cel/run.h"
#include "location/cel/value.h"

/* The entry of a key of the same kind: 1, 1u and 1.0 are three keys. NULL: none. */
struct fx_cel_map_entry *fx_cel_map_entry_of(const struct fx_cel_map *map,
                                             struct fx_cel_value key);

/* Adds an entry, or replaces the value of the entry that has the key. False without
 * memory. */
bool fx_cel_map_put(struct fx_arena *arena, struct fx_cel_map *map,
                    struct fx_cel_value key, struct fx_cel_value value) FX_MUST_USE;

/* Removes the entry of the key, if there is one; the others keep their order. */
void fx_cel_map_drop(struct fx_cel_map *map, struct fx_cel_value key);

/* The fields of a struct, to be read. */
static inline struct fx_cel_value fx_cel_fields(const struct fx_cel_struct *structure) {
    const union {
        const struct fx_cel_map *in;
        struct fx_cel_map *out;
    } fields = {.in = &structure->fields};
    return (struct fx_cel_value){.kind = FX_CEL_MAP, .map = fields.out};
}

/* The Go type of a key that the original fails to hash (bytes, some opaque values); NULL:
 * any other key. */
const char *fx_cel_unhashable(struct fx_cel_value key);

/* The error of such a key; nothing absorbs it. */
struct fx_cel_value fx_cel_fail_unhashable(struct fx_cel_run *run, const char *go_type);

#endif
