/* SPDX-License-Identifier: Apache-2.0
 *
 * value/pointer_internal.h - one step of a JSON Pointer; private to this room.
 */
#ifndef FX_VALUE_POINTER_INTERNAL_H
#define FX_VALUE_POINTER_INTERNAL_H

#include <jansson.h>

#include "base/text.h"

/* The child that the unescaped token names, borrowed, or NULL. */
json_t *fx_pointer_child(const json_t *node, struct fx_text token);

#endif
