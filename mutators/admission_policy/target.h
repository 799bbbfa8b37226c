/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/target.h - the object that a mutation changes: its kind and
 * what is known about the kind.
 */
#ifndef FX_MUTATORS_ADMISSION_POLICY_TARGET_H
#define FX_MUTATORS_ADMISSION_POLICY_TARGET_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "merge/schema.h"

/* The texts and the set of schemas are borrowed. */
struct fx_map_target {
    struct fx_text group, version, kind;
    struct fx_schema schema;
    /* A kind of Kubernetes itself: the API server decodes its objects into Go types, so
     * numbers, dates and quantities are checked and written in their usual form. Custom
     * resources stay as they are. */
    bool is_decoded;
    /* The apiVersion that the object has is that of group and version, not another way to
     * write it ("/v1"). False if the caller does not know. */
    bool has_usual_version;
};

/* What a mutation did to the object; the facts save the loop work. */
struct fx_map_change {
    bool changed;
    bool keeps_names;    /* type, name, namespace and generateName are as before */
    bool keeps_metadata; /* labels and annotations are as before */
};

/* Why a mutation failed. The functions of this folder that have such a parameter return
 * false with FX_EMUTATE and fill it, or with another code (FX_ENOMEM, FX_ELIMIT,
 * FX_EDEADLINE), and it is unchanged. */
struct fx_map_refusal {
    struct fx_buf message; /* initialised by the caller; the API server's text */
    /* 403: an error of the policy, which its failurePolicy may ignore. 500, 503: the
     * request is refused with this code and text, whatever the failurePolicy. */
    unsigned code;
};

/* Refuses, with code 503, a kind of which no schema is known: do this before anything of
 * the policy is evaluated. Always false. */
bool fx_map_target_refuse(const struct fx_map_target *target,
                          struct fx_map_refusal *refusal, struct fx_err *err);

/* The kind's "group/version", or "version" of the core group. */
void fx_map_target_print_api_version(struct fx_buf *buf,
                                     const struct fx_map_target *target);

/* Sets apiVersion and kind of an object that no other tree shares. */
bool fx_map_target_set_kind(const struct fx_map_target *target, json_t *object,
                            struct fx_err *err) FX_MUST_USE;

/* Makes the result the new *root, unless they are equal: then *root stays the same node.
 * False, with *root unchanged, if the budget is exceeded. */
bool fx_map_replace(json_t **root, json_t *result_take, struct fx_map_change *ret_change,
                    struct fx_err *err) FX_MUST_USE;

/* Fails with FX_EMUTATE after `refusal->message` was filled; with FX_ENOMEM if that
 * failed. Always false. */
FX_RARE bool fx_map_reject(struct fx_map_refusal *refusal, unsigned code,
                           struct fx_err *err);

/* Fills the message and fails. Always false. */
FX_PRINTF(4, 5)
FX_RARE bool fx_map_reject_with(struct fx_map_refusal *refusal, unsigned code,
                                struct fx_err *err, const char *fmt, ...);

/* Fails because the budget is exceeded, else for lack of memory. Always false. */
FX_RARE bool fx_map_fail_work(struct fx_err *err);

#endif
