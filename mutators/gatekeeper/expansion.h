/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/expansion.h - private: `ExpansionTemplate` (spec section 10):
 * objects that controllers will make, such as the Pod of a Deployment. They can be
 * checked before a controller makes them.
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
#include "engine/unmarshal.h"

/* One entry of `spec.applyTo`. */
struct fx_expansion_target {
    struct fx_text_list groups, versions, kinds;
};

struct fx_expansion {
    struct fx_resource resource; /* first; FX_RESOURCE_EXPANSION */
    struct fx_expansion_target *targets;
    size_t n_targets;
    struct fx_text *source_path; /* the fields of `spec.templateSource` */
    size_t n_source_path;
    struct fx_text group, version, kind; /* `spec.generatedGVK` */
};

/* Makes an expansion with `n_targets` empty targets, which the caller fills, as it fills
 * `source_path`, an array whose texts belong to `source`. NULL if out of memory. */
struct fx_expansion *fx_expansion_create(struct fx_text name, json_t *source,
                                         size_t n_targets) FX_MUST_USE;

/* True if the resource is a template of this kind. */
bool fx_expansion_is(const struct fx_resource *resource);

/* True if the template expands objects of this type. */
bool fx_expansion_holds(const struct fx_expansion *expansion, struct fx_text group,
                        struct fx_text version, struct fx_text kind);

/* True if the template expands the object, according to its own apiVersion and kind. */
bool fx_expansion_applies(const struct fx_expansion *expansion, const json_t *object);

/* Makes the object that a controller will make of `generator`: a copy of the object at
 * the source path, with the generated type, the namespace of the generator (or
 * `namespace_` if it has none), and the name `<name of the generator>-<kind>` in lower
 * case. If the generator has a name, it is an owner of the object. Returns a new
 * reference, which shares unchanged parts with `generator`. Errors: FX_EINVALID with
 * Gatekeeper's message (no such field, not an object), FX_ENOMEM. */
json_t *fx_expansion_expand(const struct fx_expansion *expansion, const json_t *generator,
                            struct fx_text namespace_, struct fx_err *err) FX_MUST_USE;

/* Finds the templates that form a cycle: each makes an object that the next one expands.
 * `ret_in_cycle` has one element for each resource; sets the elements of these templates,
 * and leaves the others. False if out of memory. */
bool fx_expansion_find_cycles(struct fx_resource *const *resources, size_t n_resources,
                              bool *ret_in_cycle) FX_MUST_USE;

#endif
