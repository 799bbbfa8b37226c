/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/pattern.h - the language of patterns: what the value of a condition must be
 * (spec/kyverno.md section 9.3).
 */
#ifndef FX_KYVERNO_PATTERN_H
#define FX_KYVERNO_PATTERN_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/text.h"

/* Does a value match a scalar pattern? A map as a pattern matches any map; a list matches
 * nothing. Spends from the thread's budget; false if that is exceeded. Memory of the
 * work comes from `arena`. */
bool fx_kyverno_match_scalar(const json_t *value, const json_t *pattern,
                             struct fx_arena *arena);

/* The same for a text as a pattern. */
bool fx_kyverno_match_text(const json_t *value, struct fx_text pattern,
                           struct fx_arena *arena);

/* The same for two texts. */
bool fx_kyverno_match_texts(struct fx_text value, struct fx_text pattern,
                            struct fx_arena *arena);

/* Does the value of the field `name` match a pattern, a tree of maps and lists with
 * anchors? `value` NULL: the object does not have the field. Both are trees whose depth
 * the readers limit. */
bool fx_kyverno_match_pattern(struct fx_text name, const json_t *value,
                              const json_t *pattern, struct fx_arena *arena);

#endif
