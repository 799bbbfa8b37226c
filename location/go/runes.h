/* SPDX-License-Identifier: Apache-2.0
 *
 * location/go/runes.h - private: case and class of runes, as Go's package unicode
 * knows them (Unicode 13; simple mappings, one rune to one).
 */
#ifndef FX_LOCATION_GO_RUNES_H
#define FX_LOCATION_GO_RUNES_H

#include <stdbool.h>
#include <stdint.h>

uint32_t rune_to_upper(uint32_t rune);
uint32_t rune_to_lower(uint32_t rune);
uint32_t rune_to_title(uint32_t rune);

bool rune_is_letter(uint32_t rune); /* category L */
bool rune_is_upper(uint32_t rune);  /* Lu */
bool rune_is_lower(uint32_t rune);  /* Ll */
bool rune_is_title(uint32_t rune);  /* Lt */
bool rune_is_digit(uint32_t rune);  /* Nd */
bool rune_is_number(uint32_t rune); /* N */
bool rune_is_punct(uint32_t rune);  /* P */
bool rune_is_space(uint32_t rune);  /* property White_Space */

#endif
