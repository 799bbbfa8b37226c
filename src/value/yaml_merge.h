/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_merge.h - the merge key `<<` (inside this room only).
 */
#ifndef FX_VALUE_YAML_MERGE_H
#define FX_VALUE_YAML_MERGE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"

/* Sets in `mapping` every key of `value`: a mapping, or a list of mappings of which the
 * earlier win. A list stands in the text itself: where `aliased`, only a mapping may be
 * meant. As in go-yaml v2, keys that `mapping` already has are overwritten, so what wins
 * is the order of the text. Errors: FX_ESYNTAX in go-yaml's words, FX_ENOMEM. */
bool fx_yaml_merge(json_t *mapping, json_t *value, bool aliased,
                   struct fx_err *err) FX_MUST_USE;

#endif
