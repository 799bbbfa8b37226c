/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/plain.h - sanitizes texts of others (names, paths, lines of a source) for a
 * terminal: one line, one direction, no control sequences.
 */
#ifndef FX_POLICY_PLAIN_H
#define FX_POLICY_PLAIN_H

#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"

/* Appends the rune. A control character is replaced: a tab by a blank; other ASCII ones
 * by their Unicode pictures (U+2400 and following); the others (C1, separators of lines,
 * and marks of direction) by U+FFFD. */
void fx_plain_add_rune(struct fx_buf *buf, uint32_t rune);

/* Appends the text, rune by rune; malformed bytes become U+FFFD. */
void fx_plain_add(struct fx_buf *buf, struct fx_text text);

#endif
