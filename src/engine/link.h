/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/link.h - the link step: a policy unit and the units that it refers to become
 * rules.
 *
 * The lookups of a policy are recorded with what they found. The next build repeats them;
 * if each one finds the same units, the rules of before are kept. So a changed parameter
 * links again only the policies that looked it up.
 */
#ifndef FX_ENGINE_LINK_H
#define FX_ENGINE_LINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/kind.h"
#include "engine/mutator.h"
#include "engine/selector.h"
#include "engine/unit.h"

/* The units of a build that can be looked up. Borrowed: the caller that fills the index
 * keeps the units for as long as it is used. */
struct fx_units {
    struct fx_unit **by_name;   /* sorted by kind, namespace, name; objects of kinds that
                                 * policies name come first */
    struct fx_unit **by_target; /* those that have a target, sorted by kind, target,
                                 * namespace, name */
    size_t n_by_name, n_by_target;
    /* Where objects are watched, what is known of the kinds that are; a kind without a
     * state is not read yet. NULL: the objects are documents of files, all known.
     * Borrowed. */
    const struct fx_kind_state *states;
    size_t n_states;
};

/* Fills the index (zeroed at first, but for the states) from units in the order of
 * reading; of several with one id only the last is in it. fx_units_finish() in any case.
 * False without memory. */
bool fx_units_fill(struct fx_units *units, struct fx_unit *const *items,
                   size_t n_items) FX_MUST_USE;
void fx_units_finish(struct fx_units *units); /* NULL and zeroed are fine */

/* The unit of that kind of a dialect, namespace (empty: none) and name; NULL where there
 * is none. Borrowed. */
struct fx_unit *fx_units_find(const struct fx_units *units, const struct fx_kind *kind,
                              struct fx_text namespace_, struct fx_text name);

/* The unit with the id of this one; NULL where there is none. Borrowed. */
struct fx_unit *fx_units_find_same(const struct fx_units *units,
                                   const struct fx_unit *unit);

struct fx_link_lookup; /* private to link.c */

/* What the link step made of one policy. Immutable and counted. */
struct fx_linked {
    atomic_uint refs;
    struct fx_unit *policy;    /* counted */
    struct fx_mutator **rules; /* counted, in the order in which they were added */
    size_t n_rules, cap_rules;
    struct fx_link_report {
        bool is_error; /* else a warning */
        char *text;
    } *reports;
    size_t n_reports, cap_reports;
    struct fx_link_lookup *lookups;
    size_t n_lookups, cap_lookups;
};

struct fx_linked *fx_linked_ref(struct fx_linked *linked);
void fx_linked_unref(struct fx_linked *linked); /* NULL is fine; any thread */

/* The one of that policy among some that are sorted by policy, in the order of
 * fx_units.by_name; NULL where there is none. Borrowed. */
struct fx_linked *fx_linked_find(struct fx_linked *const *linked, size_t n_linked,
                                 const struct fx_unit *policy);

/* Runs the link step of the unit's dialect, which must have one. NULL without memory. */
struct fx_linked *fx_link_policy(const struct fx_units *units,
                                 struct fx_unit *policy) FX_MUST_USE;

/* Would each lookup find the same units among these? */
bool fx_linked_is_current(const struct fx_linked *linked, const struct fx_units *units);

/* May the link step have looked up this object, by the name or by others? */
bool fx_linked_concerns(const struct fx_linked *linked, const struct fx_named_kind *kind,
                        struct fx_text namespace_, struct fx_text name);

/* Adds the kinds of the objects that the link step looked up, as long as the set has
 * fewer than FX_LIMIT_NAMED_KINDS. False without memory. */
bool fx_linked_list_kinds(const struct fx_linked *linked,
                          struct fx_named_kinds *kinds) FX_MUST_USE;

/* ---- for the link step of a dialect ---------------------------------------------- */

/* A link step under way. After any call has found no memory, the others do nothing; the
 * link step need not check in between. */
struct fx_link {
    const struct fx_units *units;
    struct fx_linked *linked;
    bool failed;  /* no memory */
    bool is_full; /* a rule too many was added */
};

/* The unit of that kind, namespace (empty: none) and name; NULL where there is none.
 * Borrowed: rules count what they need of it (fx_unit_ref()). */
struct fx_unit *fx_link_find(struct fx_link *link, const struct fx_kind *kind,
                             struct fx_text namespace_, struct fx_text name);

/* The units of that kind whose target is `target`, or, where its data is NULL, all units
 * of the kind; sorted by namespace and name. Borrowed, valid as long
 * as what the link step makes. */
struct fx_unit *const *fx_link_list(struct fx_link *link, const struct fx_kind *kind,
                                    struct fx_text target, size_t *ret_n);

/* Why no policy can name Secrets. */
#define FX_SECRETS_ARE_NOT_READ "Fixpoint does not read Secrets for policies"

/* Which objects of a kind. */
struct fx_object_query {
    struct fx_named_kind kind;
    struct fx_text namespace_; /* data NULL: of all namespaces; empty: those that are in
                                * none */
    struct fx_text name;       /* data NULL: of any name */
    /* NULL: any labels. It belongs to the policy's unit, or to one that this link step
     * found. */
    const struct fx_selector *selector;
};

/* What was found; valid as long as what the link step makes. */
struct fx_objects_found {
    struct fx_unit *const *items; /* sorted by namespace and name */
    size_t n_items;
    const char *unavailable; /* why objects of the kind cannot be read; NULL: they can */
};

/* Looks up objects of a kind that the policy names (parameters), which need not be a kind
 * of a dialect. The kind is watched from now on as long as a policy looks it up. Where
 * its objects cannot be read, a warning about the policy says why; what else that means,
 * the link step decides. An object whose labels the selector cannot be compared with is
 * not found. Secrets are never read. */
struct fx_objects_found fx_link_find_objects(struct fx_link *link,
                                             const struct fx_object_query *query);

/* Adds a rule and takes over its reference, also where there is no memory. Past
 * FX_LIMIT_LINKED_RULES rules the policy keeps those that it has, and an error is
 * reported once. */
void fx_link_add_take(struct fx_link *link, struct fx_mutator *rule);

/* Reports a warning (the policy works all the same) or an error about the policy. Of
 * more than FX_LIMIT_FINDINGS the rest is dropped. */
FX_PRINTF(3, 4)
void fx_link_report(struct fx_link *link, bool is_error, const char *fmt, ...);

#endif
