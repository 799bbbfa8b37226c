/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/request.h - what is asked: one object, and the circumstances it comes in.
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

/* Reads and prints the wire name; NONE for unknown words, "" for NONE. */
enum fx_operation fx_operation_parse(struct fx_text text);
const char *fx_operation_name(enum fx_operation operation);

/* A set of operations is a bit mask. */
#define FX_OPERATION_BIT(operation) (1u << (operation))

/* Where the object comes from: a user (Original) or an expansion (Generated); All is what
 * policies say that want both. The empty source is one that the caller does not know;
 * policies that ask for one then fail. */
#define FX_SOURCES(X)       \
    X(ALL, "All")           \
    X(ORIGINAL, "Original") \
    X(GENERATED, "Generated")

enum fx_source {
    FX_SOURCE_NONE,
#define X(name, text) FX_SOURCE_##name,
    FX_SOURCES(X)
#undef X
        FX_SOURCE_INVALID, /* any other words */
};

/* Reads the wire name; NONE for the empty text, INVALID for any other words. */
enum fx_source fx_source_parse(struct fx_text text);

struct fx_activity;     /* engine/activity.h */
struct fx_inputs;       /* engine/input.h */
struct fx_placeholders; /* engine/external.h */

/* Everything in it is borrowed and outlives the evaluation. */
struct fx_request {
    enum fx_operation operation;
    enum fx_source source;
    struct fx_text source_text; /* of an INVALID source, for the message */
    struct fx_text namespace_;  /* that of the request, empty for what is in none; data
                                 * NULL: as the object says */
    json_t *namespace_object;   /* the object's namespace, or NULL: name and labels at
                                 * least, and all of it where a mutator wants that */
    struct fx_inputs *inputs;   /* what rules need besides the object; NULL: nothing is
                                 * given, and nothing can be fetched */
    bool only_validators; /* there is nothing to change (DELETE): nobody but validators is
                             asked */
    bool everywhere; /* policies that live in a namespace count in every one, and for what
                      * is in none: for trying them out */
    bool annotates;  /* the object is to say who changed it */
    bool reports_passes; /* the outcome is to list who applied in each pass */
    bool collects_stats; /* the outcome is to tell how each mutator fared */
    /* Every mutator is to have its turn in every pass. Otherwise those turns are left out
     * that would come out as the last one did. What comes of it is the same: for tests
     * that see to it. */
    bool plain;
    /* Where mutators may ask for values from outside, or NULL where nobody would. */
    struct fx_placeholders *placeholders;
    const char *mutation_id; /* a UUID, for messages */
    /* Of the time between the begin of the loop and the deadline, the per cent that all
     * mutators with a share (fx_mutator.has_share) may take together; 0 or 100: all. */
    unsigned share_percent;
    /* Where the loop tells whose turn it is, or NULL: nobody watches it. */
    struct fx_activity *activity;
    /* Bytes that mutators with templates may still write into the object, all together;
     * NULL: each has a bound of its own alone. */
    size_t *text_left;
    const json_t *user_info;  /* AdmissionReview's request.userInfo, or NULL */
    const json_t *old_object; /* or NULL; also where no policy reads it */
};

/* The object as mutated so far, as far as matching asks. Texts are borrowed from it and
 * valid until it is next written. */
struct fx_subject {
    struct fx_text api_version, group, version, kind;
    struct fx_text name, generate_name, namespace_;
    json_t *labels, *annotations; /* objects, or NULL; only to be read */
    const json_t *object;
    bool is_namespace; /* kind Namespace of group "" */
};

/* Reads the facts. Fields that are missing or of another type are empty. Group and
 * version are the halves of apiVersion at its one slash (none: no group; several: both
 * are empty), as apimachinery reads it. */
void fx_subject_read(const json_t *object, struct fx_subject *ret_subject);

/* The same after a write that left the object's type and its names as they were. */
void fx_subject_refresh(const json_t *object, struct fx_subject *subject);

/* The name of the namespace that counts for `namespaces` (spec section 4): metadata.name
 * of a Namespace, else the accompanying namespace's name, else metadata.namespace. Its
 * data is NULL for a cluster-scoped object only. */
struct fx_text fx_subject_namespace(const struct fx_subject *subject,
                                    const struct fx_request *request);

/* The namespace that the object lives in, that of the request where it tells: empty for
 * what is in none, a Namespace included. */
struct fx_text fx_subject_object_namespace(const struct fx_subject *subject,
                                           const struct fx_request *request);

#endif
