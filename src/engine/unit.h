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

/* What a dialect keeps of a document for its link step: the head of a struct of the
 * dialect's own. Immutable once it is in a unit. */
struct fx_linkable {
    void (*destroy)(struct fx_linkable *self); /* frees the struct and what it owns */
    struct fx_text target; /* the name of the policy that a binding or an exception is
                            * for; empty: none. Owned by the struct */
};

/* Immutable and counted. A unit whose document did not change is shared by the next
 * build. */
struct fx_unit {
    atomic_uint refs;
    /* NULL, both of them: an object of a kind that policies name. */
    const struct fx_dialect *dialect;
    const struct fx_kind *kind;
    struct fx_named_kind named; /* the kind of such an object; else zeroed */
    const char *namespace_;     /* NULL: none. Part of the id, as `kind` and `name` are */
    const char *name;
    /* Of an object that names no namespace: the one where kubectl would create it if its
     * kind lives in namespaces; NULL: none. */
    const char *file_namespace;
    struct fx_origin origin;
    struct fx_policy_text *policy; /* the document; counted */
    struct fx_mutator **rules;     /* those that need no link step; counted */
    size_t n_rules;
    struct fx_resource **resources; /* counted */
    size_t n_resources;
    struct fx_linkable *linkable; /* NULL: nothing to link */
    json_t *labels;               /* of an object; counted; NULL: none */
    _Atomic(json_t *) object;     /* private: fx_unit_get_object() */
};

/* Makes a unit of a compilation and takes over its rules, resources and linkable; the
 * warnings and faults stay with the caller. `subject` gives name and namespace; `policy`
 * (may be NULL) is a text of the same document of another owner, which is shared.
 * NULL without memory; then the compilation keeps what it had. */
struct fx_unit *fx_unit_create(const struct fx_dialect *dialect,
                               const struct fx_kind *kind,
                               const struct fx_subject *subject, const json_t *document,
                               struct fx_policy_text *policy,
                               struct fx_compilation *compilation) FX_MUST_USE;

/* Makes a unit of an object of a kind that policies name. All of it is kept but `status`,
 * `metadata.managedFields` and `metadata.resourceVersion`. `file_namespace`: as above.
 * `policy` (may be NULL) is a text of just that, which is shared. NULL without memory. */
struct fx_unit *fx_unit_create_object(const struct fx_subject *subject,
                                      const char *file_namespace, json_t *object,
                                      struct fx_policy_text *policy) FX_MUST_USE;

/* What is kept of such an object, as a tree: read when it is first asked for, and
 * borrowed from the unit. Not to be written. NULL without memory. Any thread. */
json_t *fx_unit_get_object(struct fx_unit *unit);

/* Removes from an object that has metadata what fx_unit_create_object() does not keep:
 * returns a new object that shares the rest. NULL without memory. */
json_t *fx_unit_reduce_object(json_t *object) FX_MUST_USE;

/* The name of its kind, for messages. */
struct fx_text fx_unit_kind_name(const struct fx_unit *unit);

/* Notes for the unit, its rules and its resources where they were read. Before the unit
 * is shared. False without memory. */
bool fx_unit_set_origin(struct fx_unit *unit, const char *file,
                        uint32_t line) FX_MUST_USE;

struct fx_unit *fx_unit_ref(struct fx_unit *unit);
void fx_unit_unref(struct fx_unit *unit); /* NULL is fine; any thread */

/* Was it made from an equal document, read in the same place? */
bool fx_unit_equal(const struct fx_unit *a, const struct fx_unit *b);

/* Orders units by role, then policies by group, kind, namespace and name, and all others
 * by their row in the table of kinds, namespace and name; objects of kinds that policies
 * name come last, by kind, namespace and name. Bytewise. 0: the same id. */
int fx_unit_compare(const struct fx_unit *a, const struct fx_unit *b);

#endif
