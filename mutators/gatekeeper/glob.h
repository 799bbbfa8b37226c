/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/glob.h - globs of names and namespaces: `*x*` contains, `*x` ends,
 * `x*` starts, any other is exact (spec section 4, globs).
 */
#ifndef FX_MUTATORS_GATEKEEPER_GLOB_H
#define FX_MUTATORS_GATEKEEPER_GLOB_H

#include <stdbool.h>

#include "base/text.h"
#include "engine/unmarshal.h"

/* Does the pattern match the text? */
bool fx_glob_matches(struct fx_text pattern, struct fx_text text);

/* Does one of the patterns match the text? */
bool fx_glob_any_matches(const struct fx_text_list *patterns, struct fx_text text);

/* Does the pattern match only itself: has it no star at either end? */
bool fx_glob_is_exact(struct fx_text pattern);

/* Does the pattern have a star that is not at an end? Such a star matches only itself. */
bool fx_glob_has_literal_star(struct fx_text pattern);

/* Does the pattern match every name that begins with `generate_name`? An exact pattern
 * and `*x` never do. */
bool fx_glob_matches_generate_name(struct fx_text pattern, struct fx_text generate_name);

#endif
