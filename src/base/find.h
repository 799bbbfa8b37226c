/* SPDX-License-Identifier: Apache-2.0
 *
 * base/find.h - where a text occurs in another one, in linear time and without memory.
 */
#ifndef FX_BASE_FIND_H
#define FX_BASE_FIND_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define FX_NOT_FOUND SIZE_MAX

/* Returns the offset of the first (last) occurrence of `part` in `text`, or FX_NOT_FOUND.
 * The empty part is at the start (the end). The caller spends for the bytes of both. */
size_t fx_text_find(struct fx_text text, struct fx_text part);
size_t fx_text_find_last(struct fx_text text, struct fx_text part);

#endif
