/* SPDX-License-Identifier: Apache-2.0
 *
 * value/marks.h - the positions of nodes in their source text, and counting of lines and
 * columns.
 */
#ifndef FX_VALUE_MARKS_H
#define FX_VALUE_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

/* Lines and columns count from 1; columns in runes. `off` is the byte offset. For a
 * quoted scalar the mark is the first character after the quote. */
struct fx_mark {
    const json_t *node; /* only compared */
    uint32_t off, line, column;
};

struct fx_marks {
    struct fx_mark *items; /* in the order of reading */
    size_t n_items, cap_items;
};

/* Frees the list. NULL and zeroed lists are fine. */
void fx_marks_finish(struct fx_marks *marks);

/* Appends. Readers do not add singletons (true, false, null), because these cannot be
 * distinguished. False without memory. */
bool fx_marks_add(struct fx_marks *marks, struct fx_mark mark) FX_MUST_USE;

/* The mark of the node, or NULL. If a node was added twice, the last mark counts; readers
 * add a node with aliases once, at its first position. */
const struct fx_mark *fx_marks_find(const struct fx_marks *marks, const void *node);

/* An index for many lookups: the marks by the address of their nodes. */
struct fx_marks_index {
    struct fx_mark *items; /* for the same node, the mark that counts is last */
    size_t n_items;
};

/* Makes an index of the marks from the `first` on; they are copied. False without memory.
 */
bool fx_marks_index_make(const struct fx_marks *marks, size_t first,
                         struct fx_marks_index *ret_index) FX_MUST_USE;
void fx_marks_index_finish(struct fx_marks_index *index); /* zeroed is fine */

/* The mark of the node, or NULL. */
const struct fx_mark *fx_marks_index_find(const struct fx_marks_index *index,
                                          const void *node);

/* ---- positions in a text ----------------------------------------------------------- */

/* A position moves forward: walking all positions of a text in order costs one pass. */
struct fx_position {
    size_t off;
    uint32_t line, column; /* from 1; columns in runes */
};

/* The beginning of the text, after its byte order mark, if any, which has no width. */
struct fx_position fx_position_start(struct fx_text text);

/* Moves on to the byte at `off` (cut to the text's end), which is not before it. A line
 * ends at its line feed. */
void fx_position_advance(struct fx_position *position, struct fx_text text, size_t off);

/* Moves on by one rune; stays at the text's end. */
void fx_position_step(struct fx_position *position, struct fx_text text);

#endif
