/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/envelope.h - decodes an AdmissionReview: the fields around the object as
 * spans of the text, the objects as trees, and nothing else. Private to this room.
 */
#ifndef FX_ADMISSION_ENVELOPE_H
#define FX_ADMISSION_ENVELOPE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/snapshot.h"

/* A member that was read. */
struct fx_field {
    bool is_there; /* it exists and is not null, which is the same as absent */
    json_type type;
    struct fx_text text; /* the value of a string */
    json_t *node;        /* counted; set if the value itself is wanted */
};

/* The fields of an AdmissionReview. If a key is repeated, the last value counts, with
 * everything in it. */
struct fx_envelope {
    struct fx_field kind, api_version, request;
    struct fx_request_fields {
        struct fx_field uid, operation, namespace_, name, subresource, dry_run;
        struct fx_field kind, user_info, username, object, old_object;
        json_t *whole; /* counted; all but uid, object and oldObject, if it is wanted */
        struct fx_kind_fields {
            struct fx_field group, version, kind;
        } of_kind;
    } of_request;
};

/* Selects the parts that become trees. */
struct fx_envelope_options {
    bool partial_decode;   /* do not decode oldObject, and of userInfo only the name */
    bool reads_user;       /* decode all of userInfo even so */
    bool reads_old_object; /* decode oldObject even so */
    bool reads_request;    /* decode all members of the request, beside the objects */
    const struct fx_snapshot *snapshot; /* whose part of the object is read; NULL for all
                                         * of it */
};

/* Reads the text, which is borrowed, to its end. Texts with escapes are copied into the
 * arena. Errors: those of fx_json_read(). Finish the envelope in any case. */
bool fx_envelope_read(struct fx_envelope *envelope, struct fx_text text,
                      const struct fx_envelope_options *options, struct fx_arena *arena,
                      struct fx_err *err) FX_MUST_USE;
void fx_envelope_finish(struct fx_envelope *envelope); /* zeroed is fine */

#endif
