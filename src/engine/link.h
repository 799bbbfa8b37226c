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
#include "engine/mutator.h"
#include "engine/unit.h"

/* The units of a build that can be looked up. Borrowed: whoever fills the index keeps
 * the units for as long as it is used. */
struct fx_units {
    struct fx_unit **by_name;   /* sorted by kind, namespace, name */
    struct fx_unit **by_target; /* those that have a target, sorted by kind, target,
                                 * namespace, name */
    size_t n_by_name, n_by_target;
};

/* Fills the index (zeroed at first) from units in the order of reading; of several with
 * one id only the last is in it. fx_units_finish() in any case. False without memory. */
bool fx_units_fill(struct fx_units *units, struct fx_unit *const *items,
                   size_t n_items) FX_MUST_USE;
void fx_units_finish(struct fx_units *units); /* NULL and zeroed are fine */

/* The unit of that kind, namespace (empty: none) and name; NULL where there is none.
 * Borrowed. */
struct fx_unit *fx_units_find(const struct fx_units *units, const struct fx_kind *kind,
                              struct fx_text namespace_, struct fx_text name);

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

/* Adds a rule and takes over its reference, also where there is no memory. Past
 * FX_LIMIT_LINKED_RULES rules the policy keeps those that it has, and an error is
 * reported once. */
void fx_link_add_take(struct fx_link *link, struct fx_mutator *rule);

/* Reports a warning (the policy works all the same) or an error about the policy. Of
 * more than FX_LIMIT_FINDINGS the rest is dropped. */
FX_PRINTF(3, 4)
void fx_link_report(struct fx_link *link, bool is_error, const char *fmt, ...);

#endif
