/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/json_patch_index.h - private: indexes of lists, as Go's
 * strconv.Atoi reads them.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_JSON_PATCH_INDEX_H
#define FX_MUTATORS_ADMISSION_POLICY_JSON_PATCH_INDEX_H

#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"

/* What Go's strconv.Atoi says about a text. */
enum fx_map_index_fault { FX_MAP_INDEX_OK, FX_MAP_INDEX_SYNTAX, FX_MAP_INDEX_RANGE };

/* Reads an index: a sign and leading zeros are allowed. */
enum fx_map_index_fault fx_map_read_index(struct fx_text text, int64_t *ret_index);

/* Appends why the text is no index: `strconv.Atoi: parsing "a": invalid syntax`. */
void fx_map_print_index_fault(struct fx_buf *buf, struct fx_text text,
                              enum fx_map_index_fault fault);

#endif
