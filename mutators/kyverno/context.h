/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/context.h - the variables of one evaluation of a rule (spec/kyverno.md sections
 * 6, 7 and 11): `request`, `images`, the service account, `target`, `element`, and the
 * entries of `context` (context_entries.h).
 *
 * A context is on the stack of its caller and belongs to one thread. Variables are made
 * when a query first reads them. An entry is evaluated at most once in a frame.
 */
#ifndef FX_KYVERNO_CONTEXT_H
#define FX_KYVERNO_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/request.h"
#include "images.h"
#include "location/jmespath/jmespath.h"

struct kyverno_context_entries; /* context_entries.h */
struct kyverno_entry_state;     /* private */
struct kyverno_loading;         /* private */

/* Variables that end together: those of the rule, or those of an entry of `foreach`,
 * which are on top of them. */
struct kyverno_frame {
    struct kyverno_frame *above; /* the frame of what is around this one; or NULL */
    const struct kyverno_context_entries *entries; /* or NULL */
    struct kyverno_entry_state *states;            /* one for each entry */
    json_t *element; /* counted; NULL: the frame has no element */
    size_t index;    /* of the element in its list */
    unsigned level;  /* 0 for the rule, 1 for the outermost foreach */
};

struct kyverno_merge_options;

struct kyverno_context {
    const struct fx_request *request;
    /* Values for `request.roles` and `request.clusterRoles`, and what `images` needs. The
     * caller sets these fields after fx_kyverno_context_init(); NULL if there are none.
     * All is borrowed. */
    json_t *roles, *cluster_roles;
    json_t *incoming; /* the object as the request brought it, which `images` reads; if it
                       * is NULL, `images` is made from the object of that time */
    const struct kyverno_extractors *extractors;
    const struct kyverno_merge_options *merge_options; /* of its strategic patches */
    /* The names for templates: fx_kyverno_template_eval() gets it. On DELETE it reads
     * `request.object` as `request.oldObject`. */
    struct fx_jmespath_scope scope;

    /* Private. */
    struct fx_arena *arena;
    struct kyverno_frame rule, *top;
    struct kyverno_loading *loading; /* the entry under evaluation; or NULL */
    json_t *object;                  /* counted, or NULL */
    json_t *target;                  /* the same, in a rule with targets */
    bool has_target;
    json_t *request_value;  /* `request`, counted; NULL: not made yet, or out of date */
    json_t *variable_value; /* on DELETE: `request` as variables see it */
    json_t *images;         /* counted; NULL: none */
    bool has_images;        /* `images` is made */
    bool is_query;          /* a query of the policy is evaluated, no variable */
    size_t bytes_left;      /* of the values of entries */
};

/* Makes a context for one evaluation of a rule, without an object. `entries`, the
 * compiled `context` of the rule, may be NULL. Everything is borrowed and outlives the
 * context. Memory comes from `arena`. Errors: FX_ENOMEM; then there is nothing to
 * finish. */
bool fx_kyverno_context_init(struct kyverno_context *context,
                             const struct fx_request *request,
                             const struct kyverno_context_entries *entries,
                             struct fx_arena *arena, struct fx_err *err) FX_MUST_USE;
void fx_kyverno_context_finish(struct kyverno_context *context);

/* Sets `request.object`; NULL for none. The context takes a reference of its own. Entries
 * that were evaluated keep their values. */
void fx_kyverno_context_set_object(struct kyverno_context *context, json_t *object);

/* Sets `target`, the object under mutation of a rule with targets, and the object that
 * the two functions below mean. The context takes a reference of its own. */
void fx_kyverno_context_set_target(struct kyverno_context *context, json_t *target);

/* Sets the object under mutation: `target`, or `request.object`. */
void fx_kyverno_context_set_mutated(struct kyverno_context *context, json_t *object);

/* Drops the references to the object under mutation, so that it can be written without a
 * copy. Values
 * that variables gave may still share its nodes. Until the object is set again, there is
 * no such object. */
void fx_kyverno_context_release_mutated(struct kyverno_context *context);

/* Evaluates a query of the policy that is no variable, such as `list` of a foreach. The
 * value is a new reference. Errors: FX_EMUTATE ("failed to query x: …", also if the query
 * ends in a missing key), and those of the query that are not the policy's fault
 * (FX_EINPUT, FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM). */
bool fx_kyverno_context_query(struct kyverno_context *context,
                              const struct fx_jmespath *query, json_t **ret_value,
                              struct fx_err *err) FX_MUST_USE;

/* ---- frames of foreach ---------------------------------------------------------------
 */

/* Puts a frame with the `context` of an entry of a foreach on top; `entries` may be NULL.
 * The frame is on the stack of the caller. Errors: FX_ENOMEM; then nothing changes. */
bool fx_kyverno_frame_push(struct kyverno_context *context, struct kyverno_frame *frame,
                           const struct kyverno_context_entries *entries,
                           struct fx_err *err) FX_MUST_USE;

/* Sets the element: a counted reference of its own. No entry of the frame is evaluated
 * any more. */
void fx_kyverno_frame_set_element(struct kyverno_context *context, json_t *element,
                                  size_t index);

/* Removes the frame on top. */
void fx_kyverno_frame_pop(struct kyverno_context *context);

#endif
