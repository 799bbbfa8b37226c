/* SPDX-License-Identifier: Apache-2.0
 *
 * base/runes.h - case and class of runes, as Go's package unicode knows them (Unicode 13;
 * simple mappings, one rune to one).
 */
#ifndef FX_BASE_RUNES_H
#define FX_BASE_RUNES_H

#include <stdbool.h>
#include <stdint.h>

uint32_t fx_rune_to_upper(uint32_t rune);
uint32_t fx_rune_to_lower(uint32_t rune);
uint32_t fx_rune_to_title(uint32_t rune);

bool fx_rune_is_letter(uint32_t rune); /* category L */
bool fx_rune_is_upper(uint32_t rune);  /* category Lu */
bool fx_rune_is_lower(uint32_t rune);  /* category Ll */
bool fx_rune_is_title(uint32_t rune);  /* category Lt */
bool fx_rune_is_digit(uint32_t rune);  /* category Nd */
bool fx_rune_is_number(uint32_t rune); /* category N */
bool fx_rune_is_punct(uint32_t rune);  /* category P */
bool fx_rune_is_space(uint32_t rune);  /* property White_Space */

/* Does Go's strconv.IsPrint() accept the rune? These are letters, marks, numbers,
 * punctuation and symbols, and the space of ASCII. */
bool fx_rune_is_printable(uint32_t rune);

#endif
