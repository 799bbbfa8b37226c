/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/expansion.h - private: objects that controllers will make:
 * `ExpansionTemplate` (spec section 10). A Deployment's Pod is seen before any controller
 * makes it.
 */
#ifndef FX_MUTATORS_GATEKEEPER_EXPANSION_H
#define FX_MUTATORS_GATEKEEPER_EXPANSION_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/resource.h"

/* One entry of `spec.applyTo`; the texts are borrowed from the source. */
struct fx_expansion_target {
    struct fx_text *groups, *versions, *kinds;
    size_t n_groups, n_versions, n_kinds;
};

struct fx_expansion {
    struct fx_resource resource; /* first; FX_RESOURCE_EXPANSION */
    struct fx_expansion_target *targets;
    size_t n_targets;
    struct fx_text *source_path; /* the fields of `spec.templateSource` */
    size_t n_source_path;
    struct fx_text group, version, kind; /* `spec.generatedGVK` */
};

/* Makes one with so many empty targets, to be filled: their lists are arrays of their own
 * that it frees, as is `source_path`; the texts are those of `source`. NULL without
 * memory. */
struct fx_expansion *fx_expansion_create(struct fx_text name, json_t *source,
                                         size_t n_targets) FX_MUST_USE;

/* Is the resource a template of this kind? */
bool fx_expansion_is(const struct fx_resource *resource);

/* Does the template expand objects of this type? */
bool fx_expansion_holds(const struct fx_expansion *expansion, struct fx_text group,
                        struct fx_text version, struct fx_text kind);

/* Is the object (its own apiVersion and kind) one that the template expands? */
bool fx_expansion_applies(const struct fx_expansion *expansion, const json_t *object);

/* Makes the object that `generator` will bring about: a copy of what stands at the source
 * path, with the generated type, the namespace of the generator (or `namespace_` where
 * that has none), the name `<generator's>-<kind>` in lower case, and the generator as an
 * owner, unless it has no name. A new reference; the copy shares with `generator` what it
 * does not change. Errors: FX_EINVALID in Gatekeeper's words (no such field, no object
 * there), FX_ENOMEM. */
json_t *fx_expansion_expand(const struct fx_expansion *expansion, const json_t *generator,
                            struct fx_text namespace_, struct fx_err *err) FX_MUST_USE;

/* Which of the `n_resources` are templates of a cycle, each of which makes what the next
 * one expands? Sets those of `ret_in_cycle`, which has as many places; the others are
 * left as they are. False without memory. */
bool fx_expansion_find_cycles(struct fx_resource *const *resources, size_t n_resources,
                              bool *ret_in_cycle) FX_MUST_USE;

#endif
