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

/* The position of a node in its text. Lines and columns count from 1, columns in runes;
 * `off` is the offset in bytes. The position of a quoted scalar is that of the first
 * character after the quote. */
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

/* Appends a mark. Readers do not add singletons (true, false, null), because their
 * addresses are all the same. False without memory. */
bool fx_marks_add(struct fx_marks *marks, struct fx_mark mark) FX_MUST_USE;

/* Returns the mark of the node, or NULL. If a node was added twice, the last mark counts.
 * Readers add a node with aliases once, with its first position. */
const struct fx_mark *fx_marks_find(const struct fx_marks *marks, const void *node);

/* An index for many lookups: the marks, sorted by the address of their nodes. */
struct fx_marks_index {
    struct fx_mark *items; /* of several marks for one node the last one counts */
    size_t n_items;
};

/* Makes an index of copies of the marks from `first` on. False without memory. */
bool fx_marks_index_make(const struct fx_marks *marks, size_t first,
                         struct fx_marks_index *ret_index) FX_MUST_USE;
void fx_marks_index_finish(struct fx_marks_index *index); /* zeroed is fine */

/* Returns the mark of the node, or NULL. */
const struct fx_mark *fx_marks_index_find(const struct fx_marks_index *index,
                                          const void *node);

/* ---- positions in a text ----------------------------------------------------------- */

/* A position that moves forward: visiting all positions of a text in order costs one
 * pass. */
struct fx_position {
    size_t off;
    uint32_t line, column; /* from 1; columns in runes */
};

/* Returns the beginning of the text, after its byte order mark, if it has one. The mark
 * has no width. */
struct fx_position fx_position_start(struct fx_text text);

/* Moves on to the byte at `off`, or to the text's end if `off` is beyond it. `off` is not
 * before the position. A line ends at its line feed. */
void fx_position_advance(struct fx_position *position, struct fx_text text, size_t off);

/* Moves on by one rune, except at the text's end. */
void fx_position_step(struct fx_position *position, struct fx_text text);

#endif
