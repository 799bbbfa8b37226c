/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/context_entries.h - `context` of a rule or of an entry of a foreach, compiled
 * (spec/kyverno.md section 6).
 */
#ifndef FX_KYVERNO_CONTEXT_ENTRIES_H
#define FX_KYVERNO_CONTEXT_ENTRIES_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "template.h"

struct kyverno_context_entries; /* opaque, immutable, in an arena */

/*
 * Compiles a list of entries. `path` is its place in the rule; `policy_namespace` is the
 * namespace of a Policy, with data NULL for a ClusterPolicy: a Policy may only read
 * ConfigMaps and other objects of its own namespace. *ret_entries is NULL if `list` is
 * NULL or empty. fx_kyverno_context_entries_finish() frees what is not in the arena.
 * Errors, in with->err: FX_EINVALID with the node of the entry (a field is missing or has
 * the wrong type; a source that Fixpoint does not have: globalReference,
 * imageRegistry, a call that does not read one object), FX_ELIMIT (more than
 * FX_LIMIT_CONTEXT_ENTRIES), FX_EDEADLINE, FX_ENOMEM.
 */
bool fx_kyverno_context_entries_compile(
    const struct kyverno_template_compile *with, json_t *list,
    const struct kyverno_path *path, struct fx_text policy_namespace,
    struct kyverno_context_entries **ret_entries) FX_MUST_USE;
void fx_kyverno_context_entries_finish(
    struct kyverno_context_entries *entries); /* NULL is fine */

/* Does an entry read objects of the cluster? Then the rule declares an input of the type
 * FX_INPUT_OBJECT without `key` (engine/input.h). `entries` may be NULL. */
bool fx_kyverno_context_entries_read_objects(
    const struct kyverno_context_entries *entries);

#endif
