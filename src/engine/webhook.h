/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/webhook.h - what a dialect adds to the admission webhook: paths, requests that
 * are allowed unchanged, checks of objects that are not its policies, annotations.
 */
#ifndef FX_ENGINE_WEBHOOK_H
#define FX_ENGINE_WEBHOOK_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/text.h"
#include "engine/converge.h"
#include "engine/request.h"
#include "engine/snapshot.h"

/* The answer of a path of the webhook. */
enum fx_endpoint {
    FX_ENDPOINT_MUTATE,   /* the patch for an object */
    FX_ENDPOINT_ADMIT,    /* is this policy valid? */
    FX_ENDPOINT_DEFAULTS, /* the patch that sets the defaults of a policy */
    FX_ENDPOINT_BINDING,  /* the Binding of a Pod to a Node */
    FX_ENDPOINT_GUARD,    /* the decision of struct fx_guard */
};

/* A path of the dialect's own webhook configurations. */
struct fx_webhook_path {
    const char *path; /* "/v1/admitlabel"; NULL ends a list. If it ends in "/", it stands
                       * for all longer paths, and the rest is an argument */
    enum fx_endpoint endpoint;
    /* Of FX_ENDPOINT_MUTATE: which rules run (fx_rule_choice); NULL for all. */
    bool (*selects)(const struct fx_mutator *mutator, struct fx_text argument);
};

/* The namespaces that a guard exempts: by name, by prefix or by suffix of the name. */
struct fx_exemptions {
    const char *const *names, *const *prefixes, *const *suffixes;
    size_t n_names, n_prefixes, n_suffixes;
};

/* A request that a guard decides. Everything is borrowed. */
struct fx_guard_request {
    enum fx_operation operation;
    struct fx_text group, kind;
    struct fx_text subresource;        /* "status"; empty for the object itself */
    const json_t *object, *old_object; /* NULL if the request has none */
    const struct fx_exemptions *exempt;
};

/* A validating check of objects that are not policies. */
struct fx_guard {
    /* Is the request allowed, whatever its object is? Returns the message of the answer
     * (a constant), or NULL if `allows` decides. The request may have no object. */
    const char *(*passes)(const struct fx_guard_request *request);

    /* Is the request allowed? Otherwise it is denied with code 403. Appends the message
     * of the answer in both cases. The request has an object. */
    bool (*allows)(const struct fx_guard_request *request, struct fx_buf *message);
};

struct fx_webhook {
    const struct fx_webhook_path *paths; /* NULL if there are none */
    const struct fx_guard *guard; /* of the paths with FX_ENDPOINT_GUARD; may be NULL */

    /* Is a request of this user allowed unchanged? Returns the message (a constant), or
     * NULL. `own_namespace` is the namespace of Fixpoint; NULL for the dialect's default.
     * The function is NULL if there are no such users. */
    const char *(*skips_user)(struct fx_text username, const char *own_namespace);

    /* Objects of the API groups of the dialect's kinds, and of `reserved_groups` (ends
     * with NULL; may be NULL), are allowed unchanged, with this message. Names of such
     * objects have at most 63 bytes, and they are checked on DELETE, too. NULL if no
     * group is reserved. */
    const char *reserved_message;
    const char *const *reserved_groups;

    /* Checks a policy that a cluster is about to store, before `compile`. `policy` is of
     * a kind of the dialect. Errors: FX_EINVALID. May be NULL. */
    bool (*check)(const struct fx_subject *policy, struct fx_err *err);

    /* Writes annotations into *root that name the mutators that changed it, copying on
     * write. An object whose metadata is not an object does not change. Errors:
     * FX_ENOMEM. May be NULL. */
    bool (*annotate)(const struct fx_snapshot *snapshot, const struct fx_outcome *outcome,
                     const char *mutation_id, struct fx_arena *arena, json_t **root,
                     struct fx_err *err);
};

#endif
