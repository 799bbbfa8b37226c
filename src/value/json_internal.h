/* SPDX-License-Identifier: Apache-2.0
 *
 * value/json_internal.h - the pieces of the JSON writer that the patch writer shares;
 * private to this room.
 */
#ifndef FX_VALUE_JSON_INTERNAL_H
#define FX_VALUE_JSON_INTERNAL_H

#include <jansson.h>

#include "base/buf.h"

/* Appends the value as it stands `depth` levels within another. */
void fx_json_write_nested(struct fx_buf *buf, const json_t *value, unsigned style,
                          unsigned depth);

/* A new line indented to `depth`, where the style has lines. */
void fx_json_write_break(struct fx_buf *buf, unsigned style, unsigned depth);

/* ":" or ": ". */
void fx_json_write_colon(struct fx_buf *buf, unsigned style);

#endif
