/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/unit.h - one policy document as its dialect compiled it, and all units of a
 * build, sorted for the link step (engine/link.h).
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
#include "engine/mutator.h"
#include "engine/request.h"
#include "engine/resource.h"

struct fx_compilation;
struct fx_dialect;
struct fx_kind;
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
    const struct fx_dialect *dialect;
    const struct fx_kind *kind;
    const char *namespace_; /* NULL: none. Part of the id, as `kind` and `name` are */
    const char *name;
    struct fx_origin origin;
    struct fx_policy_text *policy; /* the document; counted */
    struct fx_mutator **rules;     /* those that need no link step; counted */
    size_t n_rules;
    struct fx_resource **resources; /* counted */
    size_t n_resources;
    struct fx_linkable *linkable; /* NULL: nothing to link */
};

/* Makes a unit of a compilation and takes over its rules, resources and linkable; the
 * warnings and faults stay with the caller. `subject` gives name and namespace; `policy`
 * (may be NULL) is a text of the same document that somebody else keeps, which is shared.
 * NULL without memory; then the compilation keeps what it had. */
struct fx_unit *fx_unit_create(const struct fx_dialect *dialect,
                               const struct fx_kind *kind,
                               const struct fx_subject *subject, const json_t *document,
                               struct fx_policy_text *policy,
                               struct fx_compilation *compilation) FX_MUST_USE;

/* Notes for the unit, its rules and its resources where they were read. Before the unit
 * is shared. False without memory. */
bool fx_unit_set_origin(struct fx_unit *unit, const char *file,
                        uint32_t line) FX_MUST_USE;

struct fx_unit *fx_unit_ref(struct fx_unit *unit);
void fx_unit_unref(struct fx_unit *unit); /* NULL is fine; any thread */

/* Was it made from an equal document, read in the same place? */
bool fx_unit_equal(const struct fx_unit *a, const struct fx_unit *b);

/* Orders units by role, then policies by group, kind, namespace and name, and all others
 * by their row in the table of kinds, namespace and name; bytewise. 0: the same id. */
int fx_unit_compare(const struct fx_unit *a, const struct fx_unit *b);

#endif
