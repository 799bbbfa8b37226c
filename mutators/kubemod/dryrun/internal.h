/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/internal.h - private: the parts of a dry run. It reads the
 * request, compiles the rules into policies, tries the policies on the object, and writes
 * the result as JSON.
 */
#ifndef FX_MUTATORS_KUBEMOD_DRYRUN_INTERNAL_H
#define FX_MUTATORS_KUBEMOD_DRYRUN_INTERNAL_H

#include <stdbool.h>

#include <jansson.h>

#include "admission/mutation.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "base/uuid.h"
#include "engine/dialect.h"
#include "engine/request.h"
#include "engine/trace.h"
#include "policy/policies.h"

/* ---- request.c ------------------------------------------------------------------- */

/* The namespace of rules and objects if the request names none. */
#define FX_DRYRUN_NAMESPACE "dryrun-namespace"

/* A request. A member that it does not have is NULL. Everything is borrowed from
 * `root`. */
struct fx_dryrun_request {
    json_t *root; /* counted */
    json_t *object, *rules, *policies, *namespace_object, *node;
    enum fx_operation operation;
    struct fx_text namespace_; /* the namespace of the object; empty if it has none */
    bool has_namespace;        /* the request names the namespace of the object */
    const struct fx_dialect_settings *settings; /* for the rules; the caller's */
};

/* Reads the request. `ret_request` is zeroed except for its settings; the caller finishes
 * it in any case. Errors: FX_ESYNTAX, FX_EINVALID, FX_ELIMIT, FX_ENOMEM. */
bool fx_dryrun_request_read(struct fx_text text, struct fx_dryrun_request *ret_request,
                            struct fx_err *err) FX_MUST_USE;
void fx_dryrun_request_finish(struct fx_dryrun_request *request); /* NULL is fine */

/* True if a request may have a member of that name. */
bool fx_dryrun_request_knows(const char *key);

/* ---- rules.c --------------------------------------------------------------------- */

/* Sets the defaults and the namespace of each rule, and compiles all policies. Modifies
 * the rules of the request. Errors: FX_EINVALID if some rules are invalid; then `faults`
 * has all their errors, one a line. FX_ENOMEM. */
bool fx_dryrun_build(struct fx_dryrun_request *request, struct fx_policies **ret_policies,
                     struct fx_buf *faults, struct fx_err *err) FX_MUST_USE;

/* Appends "modRules[0]: ModRule/ns/name: message". */
void fx_dryrun_print_finding(struct fx_buf *buf, const struct fx_finding *finding);

/* ---- dryrun.c -------------------------------------------------------------------- */

struct fx_dryrun_trial {
    /* Set by the caller, and borrowed. */
    const struct fx_dryrun_request *request;
    const struct fx_policies *policies;
    struct fx_activity *activity; /* or NULL (engine/activity.h) */

    struct fx_arena arena;
    struct fx_trace trace; /* the trace of all rules */
    /* The mutation by all rules. It has no result if one of them rejects the object. */
    struct fx_mutation mutation;
    /* Only in that case: the mutation by all other rules. */
    struct fx_mutation patched;
    const struct fx_mutation *result; /* the one of the two that has the patch */

    /* Used only in dryrun.c. */
    size_t text_left;
    struct fx_snapshot *acting; /* of `patched`; counted, or NULL */
    struct fx_inputs inputs;    /* has the Node of the request */
    json_t *namespace_object;   /* counted, or NULL */
    char mutation_id[FX_UUID_SIZE];
};

/* ---- report.c -------------------------------------------------------------------- */

/* Appends the result of the trial as JSON. A failure is kept in `body`. Errors:
 * FX_ENOMEM. */
bool fx_dryrun_report(const struct fx_dryrun_trial *trial, struct fx_buf *body,
                      struct fx_err *err) FX_MUST_USE;

#endif
