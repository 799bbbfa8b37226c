/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/existing.h - rules that mutate objects that already exist: the targets. A review
 * decides only whether such a rule matches its object, the trigger (FX_ACTION_EXISTING in
 * engine/mutator.h), and never changes the trigger by it. What the rule does is a job
 * that runs later: it selects the targets, and mutates each of them.
 *
 * Pure: the caller finds the targets and writes them.
 */
#ifndef FX_ENGINE_EXISTING_H
#define FX_ENGINE_EXISTING_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/mutator.h"
#include "engine/request.h"

struct fx_selector;

/* ---- which objects ---------------------------------------------------------------- */

/* The objects of one kind that a rule asks for. `namespace_` and `name` may have
 * wildcards (base/wildcard.h). An empty namespace means any namespace, and objects
 * without one; an empty name means any name. */
struct fx_existing_query {
    struct fx_text group, version, kind, namespace_, name;
    struct fx_selector *selector; /* of labels; NULL for any labels */
    char *texts;                  /* private: the memory of the texts of a list */
};

/* A list of queries, which owns them. Zeroed is empty. */
struct fx_existing_queries {
    struct fx_existing_query *items;
    size_t n_items, cap_items;
};

/* Adds a copy of the query, without `query->selector`. `selector` is a LabelSelector, or
 * NULL; parts of it are kept, so it must not be written any more. Errors: FX_EINVALID (no
 * valid selector; no version or kind), FX_ELIMIT (FX_LIMIT_EXISTING_QUERIES), FX_ENOMEM.
 */
bool fx_existing_queries_add(struct fx_existing_queries *queries,
                             const struct fx_existing_query *query, json_t *selector,
                             struct fx_err *err) FX_MUST_USE;

void fx_existing_queries_finish(struct fx_existing_queries *queries);

/* Does the query name one object, so that it can be read instead of a list? */
bool fx_existing_query_is_exact(const struct fx_existing_query *query);

/* Is this an object that the query asks for? Errors: those of fx_selector_eval(). */
bool fx_existing_query_fits(const struct fx_existing_query *query, const json_t *object,
                            bool *ret_fits, struct fx_err *err) FX_MUST_USE;

/* ---- the functions of a rule ------------------------------------------------------ */

/* In both, `request` is that of the trigger, and `trigger` its object, as the review left
 * it (of a DELETE the deleted object). Both may ask for inputs (FX_EINPUT). Other errors:
 * FX_EMUTATE, FX_ENOMEM, FX_EDEADLINE, FX_ELIMIT. */
struct fx_existing_ops {
    /* Adds the queries of the targets of this trigger. */
    bool (*select)(const struct fx_mutator *self, const struct fx_request *request,
                   json_t *trigger, struct fx_existing_queries *queries,
                   struct fx_err *err);

    /* Mutates one target, copying on write, like fx_mutator_ops.apply. It checks the
     * rule's conditions on the target, too (ret_effect->unmatched). */
    bool (*apply)(const struct fx_mutator *self, const struct fx_request *request,
                  json_t *trigger, json_t **target, struct fx_effect *ret_effect,
                  struct fx_err *err);

    /* Adds queries for objects that may be triggers, for a rule that also runs when its
     * policy changes. NULL if no rule of the dialect does. */
    bool (*triggers)(const struct fx_mutator *self, struct fx_existing_queries *queries,
                     struct fx_err *err);
};

/* ---- one target ------------------------------------------------------------------- */

enum fx_existing_result {
    FX_EXISTING_SAME,      /* the rule changes nothing */
    FX_EXISTING_CHANGED,   /* the rule has run once, or changes nothing any more */
    FX_EXISTING_UNSETTLED, /* each further application changes the target again */
};

/* Applies the rule to one target: once if run.once says so, else until it changes
 * nothing, at most FX_LIMIT_EXISTING_PASSES times. *target is one reference. If the
 * result is not CHANGED, or after an error, it is the given object. Errors: those of
 * `apply`. */
bool fx_existing_apply(const struct fx_mutator *rule, const struct fx_request *request,
                       json_t *trigger, json_t **target,
                       enum fx_existing_result *ret_result,
                       struct fx_err *err) FX_MUST_USE;

#endif
