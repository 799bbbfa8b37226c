/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/unit.h - one policy document as its dialect compiled it, or one object of a kind
 * that policies name, for the link step (engine/link.h).
 */
#ifndef FX_ENGINE_UNIT_H
#define FX_ENGINE_UNIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/kind.h"
#include "engine/mutator.h"
#include "engine/request.h"
#include "engine/resource.h"

struct fx_compilation;
struct fx_dialect;
struct fx_policy_text;

/* What a dialect keeps of a document for its link step: the first member of a struct of
 * the dialect. Immutable when it is in a unit. */
struct fx_linkable {
    void (*destroy)(struct fx_linkable *self); /* frees the struct and what it owns */
    struct fx_text target; /* the name of the policy to which a binding or an exception
                            * belongs; empty if there is none. The struct owns it */
};

/* One unit, immutable and counted. The next build shares the units of unchanged
 * documents. */
struct fx_unit {
    atomic_uint refs;
    /* Both are NULL for an object of a kind that policies name. */
    const struct fx_dialect *dialect;
    const struct fx_kind *kind;
    struct fx_named_kind named; /* the kind of such an object; otherwise zeroed */
    const char *namespace_; /* NULL if there is none. Part of the id, as `kind` and `name`
                             * are */
    const char *name;
    /* Of an object without a namespace: the namespace in which kubectl would create it if
     * its kind is namespaced; NULL if there is none. */
    const char *file_namespace;
    struct fx_origin origin;
    struct fx_policy_text *policy; /* the document; counted */
    struct fx_mutator **rules;     /* those that need no link step; counted */
    size_t n_rules;
    struct fx_resource **resources; /* counted */
    size_t n_resources;
    struct fx_linkable *linkable; /* NULL if there is nothing to link */
    json_t *labels;               /* of an object; counted; NULL if there are none */
    _Atomic(json_t *) object;     /* private: fx_unit_get_object() */
};

/* Makes a unit from a compilation and takes over its rules, resources and linkable; the
 * warnings and faults stay with the caller. `subject` gives name and namespace. `policy`
 * (may be NULL) is a text of the same document from another owner, which is shared. NULL
 * without memory; then the compilation keeps everything. */
struct fx_unit *fx_unit_create(const struct fx_dialect *dialect,
                               const struct fx_kind *kind,
                               const struct fx_subject *subject, const json_t *document,
                               struct fx_policy_text *policy,
                               struct fx_compilation *compilation) FX_MUST_USE;

/* Makes a unit of an object of a kind that policies name. All of the object is kept
 * except `status`, `metadata.managedFields` and `metadata.resourceVersion`.
 * `file_namespace` is that of struct fx_unit. `policy` (may be NULL) is a text of exactly
 * this, which is shared. NULL without memory. */
struct fx_unit *fx_unit_create_object(const struct fx_subject *subject,
                                      const char *file_namespace, json_t *object,
                                      struct fx_policy_text *policy) FX_MUST_USE;

/* Returns the kept part of such an object as a tree, which is read on the first call.
 * Borrowed from the unit and read-only. NULL without memory. Any thread may call it. */
json_t *fx_unit_get_object(struct fx_unit *unit);

/* Removes from an object that has metadata the fields that fx_unit_create_object() does
 * not keep. Returns a new object that shares the rest. NULL without memory. */
json_t *fx_unit_reduce_object(json_t *object) FX_MUST_USE;

/* Returns the name of its kind, for messages. */
struct fx_text fx_unit_kind_name(const struct fx_unit *unit);

/* Sets where the unit, its rules and its resources were read. Call it before the unit is
 * shared. False without memory. */
bool fx_unit_set_origin(struct fx_unit *unit, const char *file,
                        uint32_t line) FX_MUST_USE;

struct fx_unit *fx_unit_ref(struct fx_unit *unit);
void fx_unit_unref(struct fx_unit *unit); /* NULL is fine; any thread */

/* Do both units have equal documents that were read in the same place? */
bool fx_unit_equal(const struct fx_unit *a, const struct fx_unit *b);

/* Compares by role, then policies by group, kind, namespace and name, and all others by
 * their row in the table of kinds, namespace and name. Objects of kinds that policies
 * name come last, by kind, namespace and name. The order is bytewise. 0 means the same
 * id. */
int fx_unit_compare(const struct fx_unit *a, const struct fx_unit *b);

#endif
