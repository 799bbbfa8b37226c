/* SPDX-License-Identifier: Apache-2.0
 *
 * base/printable.h - which runes print as they are.
 */
#ifndef FX_BASE_PRINTABLE_H
#define FX_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Does Go's strconv.IsPrint() accept the rune? These are the letters, marks, numbers,
 * punctuation and symbols of Unicode 13, and the space of ASCII. */
bool fx_rune_is_printable(uint32_t rune);

#endif
