/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/request.h - an admission request: the object, and its context.
 */
#ifndef FX_ENGINE_REQUEST_H
#define FX_ENGINE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

#define FX_OPERATIONS(X) \
    X(CREATE, "CREATE")  \
    X(UPDATE, "UPDATE")  \
    X(DELETE, "DELETE")  \
    X(CONNECT, "CONNECT")

/* NONE stands for a request that is not from an API server (audit, expansion). */
enum fx_operation {
    FX_OPERATION_NONE,
#define X(name, text) FX_OPERATION_##name,
    FX_OPERATIONS(X)
#undef X
};

/* Convert between an operation and its wire name. Unknown texts give NONE; NONE gives
 * "". */
enum fx_operation fx_operation_parse(struct fx_text text);
const char *fx_operation_name(enum fx_operation operation);

/* A set of operations is a bit mask. */
#define FX_OPERATION_BIT(operation) (1u << (operation))

/* The origin of the object: a user (Original) or an expansion (Generated). Policies for
 * both say All. NONE if the caller does not know; policies that ask for a source then
 * fail. */
#define FX_SOURCES(X)       \
    X(ALL, "All")           \
    X(ORIGINAL, "Original") \
    X(GENERATED, "Generated")

enum fx_source {
    FX_SOURCE_NONE,
#define X(name, text) FX_SOURCE_##name,
    FX_SOURCES(X)
#undef X
        FX_SOURCE_INVALID, /* any other text */
};

/* Returns the source of a wire name: NONE for the empty text, INVALID for an unknown
 * text. */
enum fx_source fx_source_parse(struct fx_text text);

struct fx_mutator;

/* Which rules run in a review: those for which the function, of a dialect, is true. The
 * argument is what it is asked with (fx_webhook_path.selects); borrowed. */
struct fx_rule_choice {
    bool (*selects)(const struct fx_mutator *mutator, struct fx_text argument);
    struct fx_text argument;
};

struct fx_activity;     /* engine/activity.h */
struct fx_failures;     /* engine/failures.h */
struct fx_inputs;       /* engine/input.h */
struct fx_placeholders; /* engine/external.h */
struct fx_request_memo; /* engine/request_memo.h */
struct fx_schemas;      /* engine/schemas.h */

/* Everything is borrowed, and outlives the loop. */
struct fx_request {
    enum fx_operation operation;
    enum fx_source source;
    struct fx_text source_text; /* of an INVALID source, for the message */
    struct fx_text namespace_; /* of the request; empty if cluster-scoped; data NULL if it
                                * is taken from the object */
    json_t *namespace_object;  /* the object's Namespace, or NULL. It has name and labels,
                                * and everything if it is an input of a mutator */
    struct fx_inputs *inputs; /* what mutators need besides the object; NULL if nothing is
                               * given, and nothing can be fetched */
    const struct fx_schemas *schemas; /* of kinds, for mutators that merge; NULL: only the
                                       * built-in ones are known */
    /* Values of variables by name, which take the place of what policies would read from
     * a cluster (an object); NULL, as in every request of a server, for none. */
    json_t *variables;
    const struct fx_rule_choice *choice; /* NULL: all rules run */
    bool only_validators; /* nothing is mutated (DELETE): only validators run */
    bool everywhere;      /* policies of a namespace count in all namespaces, and for
                           * cluster-scoped objects; for trying policies out */
    bool annotates;       /* mutated objects get annotations that name mutators */
    bool reports_passes;  /* sets fx_outcome.passes */
    bool collects_stats;  /* sets fx_outcome.stats */
    /* Every mutator has a step in every pass. Otherwise a step that would have the result
     * of the last one is skipped. The outcome is the same, and tests check that. */
    bool plain;
    struct fx_placeholders *placeholders; /* for values of providers; may be NULL */
    const char *mutation_id;              /* a UUID for messages; NULL for a new one */
    /* The time that all mutators with `has_share` together may take, in per cent of the
     * time between the start of the loop and the deadline. 0 and 100 mean all of it. */
    unsigned share_percent;
    struct fx_activity *activity; /* receives the current mutator; may be NULL */
    /* The bytes that all mutators with templates together may still write into the
     * object. If NULL, only the limit of each mutator counts. */
    size_t *text_left;
    /* Set by the loop: failures that mutators report and that do not end their step. */
    struct fx_failures *failures;
    /* Set by the loop: what rules found out, for those after them. NULL: they find it out
     * each time. */
    struct fx_request_memo *memo;
    const json_t *user_info; /* request.userInfo of the AdmissionReview, or NULL; it may
                              * be NULL, too, if no mutator has an access review or an
                              * input after convergence */
    /* The roles and cluster roles that the user has: arrays of names ("namespace/name" is
     * written "namespace:name"). NULL: none, or they are not known. */
    const json_t *roles, *cluster_roles;
    /* Set by the loop: the object as it was before all mutators. */
    json_t *incoming;
    const json_t *old_object; /* may be NULL; it is also NULL if no policy reads it */
    /* The AdmissionRequest without uid, object and oldObject; NULL if there is none, or
     * if no mutator reads it. */
    const json_t *admission;
    struct fx_text uid; /* of the AdmissionReview; empty if there is none */
};

/* The fields of the object that matching reads, as mutated so far. Texts are borrowed
 * from the object, and valid until it is next written. */
struct fx_subject {
    struct fx_text api_version, group, version, kind;
    struct fx_text name, generate_name, namespace_;
    json_t *labels, *annotations; /* objects, or NULL; read-only */
    const json_t *object;
    bool is_namespace; /* kind Namespace of group "" */
};

/* Reads these fields. A field that is missing or has another type is empty. Group and
 * version are the parts of apiVersion before and after its slash, as in apimachinery:
 * without a slash there is no group; with several, both are empty. */
void fx_subject_read(const json_t *object, struct fx_subject *ret_subject);

/* Reads only apiVersion, group, version and kind; other fields are empty. */
void fx_subject_read_type(const json_t *object, struct fx_subject *ret_subject);

/* Reads labels and annotations again, after a write that kept type and names. */
void fx_subject_refresh(const json_t *object, struct fx_subject *subject);

/* Returns the namespace that is compared with `namespaces` of a policy (spec section 4):
 * metadata.name of a Namespace, otherwise the name of request->namespace_object,
 * otherwise metadata.namespace. Its data is NULL only for a cluster-scoped object. */
struct fx_text fx_subject_namespace(const struct fx_subject *subject,
                                    const struct fx_request *request);

/* Returns the namespace of the object; request->namespace_ has precedence. Empty for a
 * cluster-scoped object, such as a Namespace. */
struct fx_text fx_subject_object_namespace(const struct fx_subject *subject,
                                           const struct fx_request *request);

#endif
