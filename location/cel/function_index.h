/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/function_index.h - the overloads of an environment by the name of their
 * function. Private to the room.
 */
#ifndef FX_LOCATION_CEL_FUNCTION_INDEX_H
#define FX_LOCATION_CEL_FUNCTION_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/cel/cel.h"

#define FX_CEL_NO_OVERLOAD UINT32_MAX

/* One overload, and the next one of its function or FX_CEL_NO_OVERLOAD. */
struct fx_cel_indexed_overload {
    const struct fx_cel_overload *overload;
    uint32_t next, last; /* last: of the first one of a function only */
};

/* Immutable once it is made, and valid as long as its arena. */
struct fx_cel_function_index {
    struct fx_cel_indexed_overload *items;
    uint32_t *slots; /* a hash table of the first overload of each function */
    size_t n_slots;
};

/* Indexes all libraries of the environment. False without memory. */
bool fx_cel_function_index_init(struct fx_cel_function_index *index,
                                const struct fx_cel_env *env,
                                struct fx_arena *arena) FX_MUST_USE;

/* Returns the position of the first overload of this function, in the order of the
 * libraries, or FX_CEL_NO_OVERLOAD. */
uint32_t fx_cel_function_index_find(const struct fx_cel_function_index *index,
                                    struct fx_text name);

#endif
