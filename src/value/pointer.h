/* SPDX-License-Identifier: Apache-2.0
 *
 * value/pointer.h - JSON Pointer (RFC 6901).
 */
#ifndef FX_VALUE_POINTER_H
#define FX_VALUE_POINTER_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Appends "/" and the token with ~ and / escaped (section 4). */
void fx_pointer_push(struct fx_buf *buf, struct fx_text token);
void fx_pointer_push_index(struct fx_buf *buf, size_t index);

/* Removes the next token from *rest ("/a/b" -> "a", "/b") and writes it, unescaped, into
 * `token`, which is reset first. False if *rest does not begin with "/" or has an invalid
 * escape. */
bool fx_pointer_next(struct fx_text *rest, struct fx_buf *token) FX_MUST_USE;

/* Reads an array index: digits without leading zeros, less than 2^32. False for other
 * texts, such as "-". */
bool fx_pointer_index(struct fx_text token, size_t *ret_index) FX_MUST_USE;

/* Returns the node of the pointer within `root`, borrowed. NULL if there is none, if the
 * pointer is malformed, or without memory to unescape a token. "" is the root. */
json_t *fx_pointer_view(json_t *root, struct fx_text pointer);

/* Returns the child with the unescaped token as its key or index, borrowed, or NULL. */
json_t *fx_pointer_child(const json_t *node, struct fx_text token);

/* Splits "/a~1b/c" into the escaped token "a~1b" and "/c". False if there is no token. */
bool fx_pointer_split(struct fx_text *rest, struct fx_text *ret_raw) FX_MUST_USE;

#endif
