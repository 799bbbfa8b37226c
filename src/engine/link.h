/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/link.h - the link step: a policy unit and the units that it refers to become
 * rules.
 *
 * The lookups of a policy are recorded with their results. The next build repeats them.
 * If each one finds the same units, the policy keeps its rules. So a changed parameter
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

/* The units of a build that can be looked up. They are borrowed: the caller that fills
 * the index keeps them as long as the index is used. */
struct fx_units {
    struct fx_unit **by_name;   /* sorted by kind, namespace, name; objects of kinds that
                                 * policies name come first */
    struct fx_unit **by_target; /* those with a target, sorted by kind, target, namespace,
                                 * name */
    size_t n_by_name, n_by_target;
    /* If objects are watched: the states of their kinds. A kind without a state has not
     * been read yet. NULL if the objects are documents of files, which are all known.
     * Borrowed. */
    const struct fx_kind_state *states;
    size_t n_states;
};

/* Fills the index, which is zeroed at first except for the states, with units in the
 * order of reading. Of several units with one id only the last is in it. Call
 * fx_units_finish() in any case. False without memory. */
bool fx_units_fill(struct fx_units *units, struct fx_unit *const *items,
                   size_t n_items) FX_MUST_USE;
void fx_units_finish(struct fx_units *units); /* NULL and zeroed are fine */

/* Returns the unit of that kind of a dialect, namespace (empty for none) and name; NULL
 * if there is none. Borrowed. */
struct fx_unit *fx_units_find(const struct fx_units *units, const struct fx_kind *kind,
                              struct fx_text namespace_, struct fx_text name);

/* Returns the unit with the same id; NULL if there is none. Borrowed. */
struct fx_unit *fx_units_find_same(const struct fx_units *units,
                                   const struct fx_unit *unit);

struct fx_link_lookup; /* private to link.c */

/* The objects that a link step found. */
struct fx_objects_found {
    struct fx_unit *const *items; /* sorted by namespace and name */
    size_t n_items;
    const char *unavailable; /* why objects of the kind cannot be read; NULL if they
                              * can */
};

/* What the link step of a policy found about one of its bindings, for the status of the
 * binding. */
struct fx_link_binding {
    struct fx_unit *unit;
    bool has_parameters; /* the policy has parameters, and the binding names some */
    struct fx_objects_found parameters; /* valid as long as the result of the link step */
    char *fault; /* why requests that the binding matches fail; NULL if they do not */
};

/* The result of the link step of one policy. Immutable and counted. */
struct fx_linked {
    atomic_uint refs;
    struct fx_unit *policy;    /* counted */
    struct fx_mutator **rules; /* counted, in the order in which they were added */
    size_t n_rules, cap_rules;
    struct fx_link_report {
        bool is_error; /* otherwise a warning */
        char *text;
    } *reports;
    size_t n_reports, cap_reports;
    struct fx_link_lookup *lookups;
    size_t n_lookups, cap_lookups;
    struct fx_link_binding *bindings; /* their units are counted, their faults owned */
    size_t n_bindings, cap_bindings;
};

struct fx_linked *fx_linked_ref(struct fx_linked *linked);
void fx_linked_unref(struct fx_linked *linked); /* NULL is fine; any thread */

/* Returns the result for that policy, from a list that is sorted by policy in the order
 * of fx_units.by_name; NULL if there is none. Borrowed. */
struct fx_linked *fx_linked_find(struct fx_linked *const *linked, size_t n_linked,
                                 const struct fx_unit *policy);

/* Returns what the link step found about the binding; NULL if it reported nothing about
 * it. Borrowed. */
const struct fx_link_binding *fx_linked_find_binding(const struct fx_linked *linked,
                                                     const struct fx_unit *binding);

/* Runs the link step of the unit's dialect, which must have one. NULL without memory. */
struct fx_linked *fx_link_policy(const struct fx_units *units,
                                 struct fx_unit *policy) FX_MUST_USE;

/* Would each lookup find the same units in this index? */
bool fx_linked_is_current(const struct fx_linked *linked, const struct fx_units *units);

/* May the link step have looked up this object, by its name or otherwise? */
bool fx_linked_concerns(const struct fx_linked *linked, const struct fx_named_kind *kind,
                        struct fx_text namespace_, struct fx_text name);

/* Adds the kinds of the objects that the link step looked up, as long as the set has
 * fewer than FX_LIMIT_NAMED_KINDS. False without memory. */
bool fx_linked_list_kinds(const struct fx_linked *linked,
                          struct fx_named_kinds *kinds) FX_MUST_USE;

/* ---- for the link step of a dialect ---------------------------------------------- */

/* A running link step. After one call without memory, all others do nothing, so the link
 * step need not check each of them. */
struct fx_link {
    const struct fx_units *units;
    struct fx_linked *linked;
    bool failed;  /* there was no memory */
    bool is_full; /* there were too many rules */
};

/* Returns the unit of that kind, namespace (empty for none) and name; NULL if there is
 * none. Borrowed: rules count the units that they need (fx_unit_ref()). */
struct fx_unit *fx_link_find(struct fx_link *link, const struct fx_kind *kind,
                             struct fx_text namespace_, struct fx_text name);

/* Returns the units of that kind whose target is `target`, or, if its data is NULL, all
 * units of the kind, sorted by namespace and name. Borrowed, valid as long as the result
 * of the link step. */
struct fx_unit *const *fx_link_list(struct fx_link *link, const struct fx_kind *kind,
                                    struct fx_text target, size_t *ret_n);

/* The reason why policies cannot read Secrets. */
#define FX_SECRETS_ARE_NOT_READ "Fixpoint does not read Secrets for policies"

/* Selects objects of a kind. */
struct fx_object_query {
    struct fx_named_kind kind;
    struct fx_text namespace_; /* data NULL for all namespaces; empty for objects in no
                                * namespace */
    struct fx_text name;       /* data NULL for any name */
    /* NULL for any labels. It belongs to the policy's unit, or to one that this link step
     * found. */
    const struct fx_selector *selector;
};

/* Looks up objects of a kind that the policy names (parameters). It need not be a kind of
 * a dialect. From now on the kind is watched as long as a policy looks it up. If its
 * objects cannot be read, a warning about the policy has the reason, and the link step
 * decides what else follows. An object whose labels cannot be compared with the selector
 * is not found. Secrets are never read. The result is valid as long as that of the link
 * step. */
struct fx_objects_found fx_link_find_objects(struct fx_link *link,
                                             const struct fx_object_query *query);

/* Adds a rule and takes over its reference, also without memory. Beyond
 * FX_LIMIT_LINKED_RULES rules the policy keeps those that it has, and an error is
 * reported once. */
void fx_link_add_take(struct fx_link *link, struct fx_mutator *rule);

/* Reports a warning (the policy still works) or an error about the policy. Beyond
 * FX_LIMIT_FINDINGS reports are dropped. */
FX_PRINTF(3, 4)
void fx_link_report(struct fx_link *link, bool is_error, const char *fmt, ...);

/* Reports what was found about a binding, once for each and in the order of
 * fx_link_list(). `parameters` is NULL if the policy or the binding has none. The unit is
 * counted; the fault (NULL: there is none) is copied. */
void fx_link_report_binding(struct fx_link *link, struct fx_unit *binding,
                            const struct fx_objects_found *parameters, const char *fault);

#endif
