/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/glob.h - globs of names and namespaces: `*x*` matches names that
 * contain x, `*x` names that end in it, `x*` names that start with it, and any other glob
 * is exact (spec section 4, globs).
 */
#ifndef FX_MUTATORS_GATEKEEPER_GLOB_H
#define FX_MUTATORS_GATEKEEPER_GLOB_H

#include <stdbool.h>

#include "base/text.h"
#include "engine/unmarshal.h"

/* True if the pattern matches the text. */
bool fx_glob_matches(struct fx_text pattern, struct fx_text text);

/* True if one of the patterns matches the text. */
bool fx_glob_any_matches(const struct fx_text_list *patterns, struct fx_text text);

/* True if the pattern has no star at either end, so that it matches only itself. */
bool fx_glob_is_exact(struct fx_text pattern);

/* True if the pattern has a star that is not at an end. Such a star matches only
 * itself. */
bool fx_glob_has_literal_star(struct fx_text pattern);

/* True if the pattern matches every name that begins with `generate_name`. This is never
 * so for an exact pattern or `*x`. */
bool fx_glob_matches_generate_name(struct fx_text pattern, struct fx_text generate_name);

#endif
