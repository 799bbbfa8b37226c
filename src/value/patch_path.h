/* SPDX-License-Identifier: Apache-2.0
 *
 * value/patch_path.h - where two trees are compared: a chain on the stack, from a value
 * up to the root, which becomes a JSON Pointer (RFC 6901) only where it is asked for;
 * private to this room.
 */
#ifndef FX_VALUE_PATCH_PATH_H
#define FX_VALUE_PATCH_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/macros.h"
#include "base/text.h"

/* One token of the pointer; NULL stands for the root. */
struct fx_patch_path {
    const struct fx_patch_path *parent;
    struct fx_text key; /* of a member; data NULL: an element */
    size_t index;
    size_t length; /* of the pointer that ends here */
};

size_t fx_patch_path_length(const struct fx_patch_path *path);

/* The place of the member, or the element, below. */
struct fx_patch_path fx_patch_path_key(const struct fx_patch_path *parent,
                                       struct fx_text key);
struct fx_patch_path fx_patch_path_index(const struct fx_patch_path *parent,
                                         size_t index);

/* Writes the pointer into the arena, with a NUL behind it. False without memory. */
bool fx_patch_path_write(const struct fx_patch_path *path, struct fx_arena *arena,
                         struct fx_text *ret_pointer) FX_MUST_USE;

#endif
