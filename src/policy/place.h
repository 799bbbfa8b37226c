/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/place.h - from what an error knows (a node, a span) to what people look for: the
 * line, the column, the words there and which of them. For this room, and for those above
 * it that tell of texts of their own.
 */
#ifndef FX_POLICY_PLACE_H
#define FX_POLICY_PLACE_H

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "value/marks.h"

/* As the fields of struct fx_finding; `excerpt` is borrowed from the source or from the
 * node, a part of a line around the caret at most. */
struct fx_place {
    uint32_t line, column;
    struct fx_text excerpt; /* data NULL: none */
    uint32_t caret, caret_len;
};

/* The place of the byte at `off` of the source, and of `len` bytes from there. */
struct fx_place fx_place_of_offset(struct fx_text source, size_t off, size_t len);

/*
 * The place that the error's node and span name. Where the node's text stands verbatim in
 * the source, the excerpt is the source line and the caret points at the very character;
 * where it was written with escapes or folded, the excerpt is the text itself. Where the
 * error names no node, or one that has no mark: the line `line` alone.
 */
struct fx_place fx_place_of_fault(struct fx_text source, const struct fx_marks *marks,
                                  const struct fx_err *fault, uint32_t line);

#endif
