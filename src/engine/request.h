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

/* NONE: not a request of an API server (audit, expansion). */
enum fx_operation {
    FX_OPERATION_NONE,
#define X(name, text) FX_OPERATION_##name,
    FX_OPERATIONS(X)
#undef X
};

/* The operation of a wire name, and its wire name. NONE for unknown texts, "" for NONE.
 */
enum fx_operation fx_operation_parse(struct fx_text text);
const char *fx_operation_name(enum fx_operation operation);

/* A set of operations is a bit mask. */
#define FX_OPERATION_BIT(operation) (1u << (operation))

/* Where the object comes from: a user (Original) or an expansion (Generated). Policies
 * for both say All. NONE: the caller does not know; policies that ask for a source then
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

/* The source of a wire name; NONE for the empty text, INVALID for any other text. */
enum fx_source fx_source_parse(struct fx_text text);

struct fx_activity;     /* engine/activity.h */
struct fx_inputs;       /* engine/input.h */
struct fx_placeholders; /* engine/external.h */

/* Everything in it is borrowed, and outlives the loop. */
struct fx_request {
    enum fx_operation operation;
    enum fx_source source;
    struct fx_text source_text; /* of an INVALID source, for the message */
    struct fx_text namespace_;  /* of the request; empty: cluster-scoped; data NULL: taken
                                 * from the object */
    json_t *namespace_object;   /* the object's Namespace, or NULL: name and labels; all
                                 * of it if it is an input of a mutator */
    struct fx_inputs *inputs;   /* what mutators need besides the object; NULL: nothing
                                 * is given, and nothing can be fetched */
    bool only_validators;       /* nothing is mutated (DELETE): only validators run */
    bool everywhere;     /* policies of a namespace count in all namespaces, and for
                          * cluster-scoped objects: for trying policies out */
    bool annotates;      /* mutated objects get annotations that name the mutators */
    bool reports_passes; /* fx_outcome.passes is wanted */
    bool collects_stats; /* fx_outcome.stats is wanted */
    /* Every mutator has a step in every pass. Otherwise steps are skipped that would have
     * the result of the last one. The outcome is the same: for tests of that. */
    bool plain;
    struct fx_placeholders *placeholders; /* for values of providers; NULL: no mutator
                                           * asks for any */
    const char *mutation_id;              /* a UUID, for messages; NULL: a new one */
    /* Per cent of the time between the start of the loop and the deadline that all
     * mutators with `has_share` may take in total; 0 or 100: all of it. */
    unsigned share_percent;
    struct fx_activity *activity; /* for the current mutator; NULL: not published */
    /* Bytes that mutators with templates may still write into the object, in total;
     * NULL: only the bound of each mutator counts. */
    size_t *text_left;
    const json_t *user_info;  /* AdmissionReview's request.userInfo, or NULL; it may also
                               * be NULL if no mutator has an access review or an input
                               * after convergence */
    const json_t *old_object; /* or NULL; it is also NULL if no policy reads it */
};

/* The fields of the object, as mutated so far, that matching reads. Texts are borrowed
 * from the object, and valid until it is next written. */
struct fx_subject {
    struct fx_text api_version, group, version, kind;
    struct fx_text name, generate_name, namespace_;
    json_t *labels, *annotations; /* objects, or NULL; read-only */
    const json_t *object;
    bool is_namespace; /* kind Namespace of group "" */
};

/* Reads these fields. One that is missing or has another type is empty. Group and version
 * are the parts of apiVersion before and after its slash, as apimachinery reads it: no
 * slash, no group; several, both are empty. */
void fx_subject_read(const json_t *object, struct fx_subject *ret_subject);

/* Reads labels and annotations again, after a write that kept type and names. */
void fx_subject_refresh(const json_t *object, struct fx_subject *subject);

/* The namespace that the `namespaces` of a policy are compared with (spec section 4):
 * metadata.name of a Namespace, else the name of request->namespace_object, else
 * metadata.namespace. Its data is NULL for a cluster-scoped object only. */
struct fx_text fx_subject_namespace(const struct fx_subject *subject,
                                    const struct fx_request *request);

/* The namespace that the object is in; request->namespace_ has precedence. Empty for a
 * cluster-scoped object, such as a Namespace. */
struct fx_text fx_subject_object_namespace(const struct fx_subject *subject,
                                           const struct fx_request *request);

#endif
