/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/place.h - the position of an error for people: line, column and excerpt, from
 * its node and span. For this room, and for higher rooms that report findings about texts
 * of their own.
 */
#ifndef FX_POLICY_PLACE_H
#define FX_POLICY_PLACE_H

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "value/marks.h"

/* Like the fields of struct fx_finding; `excerpt` is borrowed from the source or from the
 * node, a part of a line around the caret at most. */
struct fx_place {
    uint32_t line, column;
    struct fx_text excerpt; /* data NULL: none */
    uint32_t caret, caret_len;
};

/* The position of the byte at `off` of the source, and of `len` bytes from there. */
struct fx_place fx_place_of_offset(struct fx_text source, size_t off, size_t len);

/*
 * The position of the error's node and span. If the source contains the node's text
 * verbatim, the excerpt is the source line, and the caret points at the character; if the
 * text has escapes or is folded, the excerpt is the text itself. If the error has no
 * node, or a node without a mark, the position is only the line `line`.
 */
struct fx_place fx_place_of_fault(struct fx_text source, const struct fx_marks *marks,
                                  const struct fx_err *fault, uint32_t line);

#endif
