/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/plain.h - words of others (names, paths, lines of a source) made harmless for
 * whoever reads them in a terminal: one line, in one direction, that steers nothing.
 */
#ifndef FX_POLICY_PLAIN_H
#define FX_POLICY_PLAIN_H

#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"

/* Appends the rune; for a control character what stands for it: a blank for a tab, its
 * Unicode picture (U+2400 on) for the others of ASCII, U+FFFD for the rest, which are C1,
 * the separators of lines and the marks of direction. */
void fx_plain_add_rune(struct fx_buf *buf, uint32_t rune);

/* Appends the text, rune by rune; malformed bytes become U+FFFD. */
void fx_plain_add(struct fx_buf *buf, struct fx_text text);

#endif
