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

/* Appends the rune, or a replacement for a control character: a blank for a tab, the
 * Unicode picture (U+2400 on) for the others of ASCII, U+FFFD for the rest, which are C1,
 * the separators of lines and the marks of direction. */
void fx_plain_add_rune(struct fx_buf *buf, uint32_t rune);

/* Appends the text, rune by rune; malformed bytes become U+FFFD. */
void fx_plain_add(struct fx_buf *buf, struct fx_text text);

#endif
