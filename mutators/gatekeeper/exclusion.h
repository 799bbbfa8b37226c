/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/exclusion.h - private: the namespaces that a Config excludes (spec
 * section 8, step 4).
 */
#ifndef FX_MUTATORS_GATEKEEPER_EXCLUSION_H
#define FX_MUTATORS_GATEKEEPER_EXCLUSION_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"
#include "engine/resource.h"

/* One entry of `spec.match`; the texts are borrowed from the source. */
struct fx_exclusion_entry {
    struct fx_text *processes; /* "mutation-webhook", "*", … */
    size_t n_processes;
    struct fx_text *globs; /* of namespaces, as in `match` (spec section 4) */
    size_t n_globs;
};

struct fx_exclusion {
    struct fx_resource resource; /* first; FX_RESOURCE_EXCLUSION */
    struct fx_exclusion_entry *entries;
    size_t n_entries;
};

/* Makes one with so many empty entries, to be filled: their lists are arrays of their own
 * that it frees, the texts in them those of `source`. NULL without memory. */
struct fx_exclusion *fx_exclusion_create(struct fx_text name, json_t *source,
                                         size_t n_entries) FX_MUST_USE;

/* Does it exclude the namespace from the process? A cluster-scoped object is asked for
 * with the empty name, which only `*` holds. */
bool fx_exclusion_covers(const struct fx_exclusion *exclusion, const char *process,
                         struct fx_text namespace_);

#endif
