/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/review.h - one AdmissionReview from bytes to bytes (spec section 8). Pure: it
 * runs on a loop, on a pool thread, in the command line, in a fuzzer.
 *
 * A review is a list of steps. It pauses while inputs are fetched (engine/input.h):
 * before the loop its Namespace and what rules need, and after the loop the values that
 * replace placeholders.
 */
#ifndef FX_ADMISSION_REVIEW_H
#define FX_ADMISSION_REVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "admission/external.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/converge.h"
#include "engine/input.h"
#include "engine/request.h"
#include "engine/schemas.h"
#include "engine/snapshot.h"
#include "engine/trace.h"
#include "value/patch.h"

/* How a failure of a policy (mutate error, no convergence) is answered. */
#define FX_ON_ERRORS(X)                                                   \
    X(DENY, "deny")   /* allowed false, code 500, the message */          \
    X(DEFER, "defer") /* HTTP 500: the webhook's failurePolicy decides */ \
    X(ALLOW, "allow") /* allowed, unchanged, with a warning */

enum fx_on_error {
#define X(name, text) FX_ON_ERROR_##name,
    FX_ON_ERRORS(X)
#undef X
};

/* The settings that reviews share; borrowed, and must outlive each of them. */
struct fx_admission {
    enum fx_on_error on_error;
    bool annotates;      /* changed objects get the annotations of fx_webhook.annotate */
    bool reports_passes; /* result->outcome lists the mutators of each pass */
    bool collects_stats; /* result->outcome has the stats of each mutator */
    bool partial_decode; /* decode only what policies read; only the patch is needed */
    const struct fx_rule_choice *choice; /* fx_request.choice; may be NULL */
    unsigned share_percent;              /* fx_request.share_percent */
    struct fx_activity *activity; /* for the watchdog (engine/activity.h); may be NULL */
    struct fx_trace *trace; /* what each mutator did (engine/trace.h); may be NULL */
    const struct fx_dialect_settings
        *settings;             /* of the policies that are reviewed; may be NULL */
    const char *own_namespace; /* the namespace of Fixpoint; NULL for a dialect's default
                                * (fx_webhook.skips_user) */
    /* Finds an input that is available (engine/input.h). A Namespace that does not exist
     * (FX_EMUTATE) is answered like a failure of a policy: denied with this message and
     * code 500, unless on_error says otherwise. If a Node does not exist, the user gets a
     * warning, and policies see none. An internal failure (FX_EIO, FX_ENOMEM,
     * FX_EDEADLINE) is answered with HTTP 5xx. NULL if no object is known, and none is
     * fetched. */
    fx_input_find *find_input;
    void *user;
    const struct fx_schemas *schemas;    /* fx_request.schemas; may be NULL */
    json_t *variables;                   /* fx_request.variables; may be NULL */
    const json_t *roles, *cluster_roles; /* fx_request.roles; may be NULL */
};

/* How a review ended, for logs and metrics. */
#define FX_DECISIONS(X)                                                        \
    X(SKIPPED, "skipped")     /* allowed before mutation */                    \
    X(EXCLUDED, "excluded")   /* allowed because of an exclusion */            \
    X(UNCHANGED, "unchanged") /* no mutator changed it */                      \
    X(MUTATED, "mutated")     /* allowed with a patch */                       \
    X(DENIED, "denied")       /* a policy refuses the object */                \
    X(FAILED, "failed")       /* a policy failed: answered as on_error says */ \
    X(REFUSED, "refused")     /* the input is not a review: HTTP 400, 413 */   \
    X(BROKEN, "broken")       /* an internal failure: HTTP 5xx, never a decision */

enum fx_decision {
#define X(name, text) FX_DECISION_##name,
    FX_DECISIONS(X)
#undef X
};

struct fx_review;  /* opaque */
struct fx_trigger; /* engine/trigger.h */

/* Begins a review of the body `text` (borrowed until the end) under `snapshot` (a
 * reference is taken). `deadline_ns` is 0 for none. NULL without memory. */
struct fx_review *fx_review_create(const struct fx_admission *admission,
                                   struct fx_snapshot *snapshot, struct fx_text text,
                                   uint64_t deadline_ns) FX_MUST_USE;
void fx_review_destroy(struct fx_review *review); /* NULL is fine */

enum fx_review_state {
    FX_REVIEW_DONE,         /* fx_review_result() has the answer */
    FX_REVIEW_WANTS_INPUTS, /* answer each of fx_review_inputs(), then run it again */
};

/* Continues until it is done or has to wait. Never fails: failures are answers. */
enum fx_review_state fx_review_run(struct fx_review *review);

/* The review waits for the inputs that are AWAITED. The caller answers each: with
 * fx_inputs_give(), or, if it is a call, with fx_external_give() or fx_external_fail()
 * (admission/external.h). Calls must end by *ret_deadline_ns (0 for no limit), which
 * leaves the time to write the answer. */
struct fx_inputs *fx_review_inputs(struct fx_review *review, uint64_t *ret_deadline_ns);

/* The answer, and facts for logs and metrics. Borrowed from the review. */
struct fx_review_result {
    unsigned status;  /* HTTP: 200; 400, 413, 500 or 503 with a sentence as text/plain */
    bool retry_after; /* a temporary internal failure: send Retry-After */
    struct fx_buf *body; /* the response; may be emptied by the caller */
    enum fx_decision decision;
    struct fx_text uid, operation, group, version, kind, namespace_, name, username;
    bool dry_run;
    const char *mutation_id;          /* a UUID; NULL if it was not mutated */
    const struct fx_outcome *outcome; /* NULL if it was not mutated */
    const struct fx_patch *patch;     /* NULL if nothing changed */
    const struct fx_snapshot *snapshot;
    const struct fx_err *failure; /* NULL if nothing failed or was denied */
};

const struct fx_review_result *fx_review_result(const struct fx_review *review);

/* Has a review that is done triggered rules for existing objects (engine/existing.h)? Not
 * if the request was denied, or is a dry run. */
bool fx_review_has_trigger(const struct fx_review *review);

/* Makes the trigger of such a review. It may be called after the answer was sent, when
 * the body of the request is gone. NULL without memory. */
struct fx_trigger *fx_review_trigger(const struct fx_review *review) FX_MUST_USE;

#endif
