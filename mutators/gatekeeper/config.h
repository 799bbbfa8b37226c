/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/config.h - private: kind Config: the namespaces that it excludes
 * from each process (spec section 8, step 4).
 */
#ifndef FX_MUTATORS_GATEKEEPER_CONFIG_H
#define FX_MUTATORS_GATEKEEPER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"
#include "engine/resource.h"
#include "engine/unmarshal.h"

/* One entry of `spec.match`. */
struct fx_exclusion_entry {
    struct fx_text_list processes; /* "mutation-webhook", "*", … */
    struct fx_text_list globs;     /* of namespaces, as in `match` (spec section 4) */
};

struct fx_exclusion {
    struct fx_resource resource; /* first; FX_RESOURCE_EXCLUSION */
    struct fx_exclusion_entry *entries;
    size_t n_entries;
};

/* Makes an exclusion with `n_entries` empty entries, which the caller fills. NULL if out
 * of memory. */
struct fx_exclusion *fx_exclusion_create(struct fx_text name, json_t *source,
                                         size_t n_entries) FX_MUST_USE;

/* True if the namespace is excluded for the process ("mutation-webhook"). A
 * cluster-scoped object has the empty name, which only the glob `*` matches. */
bool fx_exclusion_covers(const struct fx_exclusion *exclusion, const char *process,
                         struct fx_text namespace_);

#endif
