/* SPDX-License-Identifier: Apache-2.0
 *
 * value/pointer_internal.h - one step of a JSON Pointer; private to this room.
 */
#ifndef FX_VALUE_POINTER_INTERNAL_H
#define FX_VALUE_POINTER_INTERNAL_H

#include <stdbool.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

/* The child that the unescaped token names, borrowed, or NULL. */
json_t *fx_pointer_child(const json_t *node, struct fx_text token);

/* Splits "/a~1b/c" into the token as it is written, "a~1b", and "/c". False where there
 * is none. */
bool fx_pointer_split(struct fx_text *rest, struct fx_text *ret_raw) FX_MUST_USE;

#endif
