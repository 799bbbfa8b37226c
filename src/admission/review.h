/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/review.h - one AdmissionReview from bytes to bytes (spec section 8). Pure: it
 * runs on a loop, on a pool thread, in the command line, in a fuzzer.
 *
 * A review is a list of steps. It pauses while inputs are fetched (engine/input.h):
 * its Namespace and what rules need before the loop, and what replaces placeholders after
 * it.
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
#include "engine/snapshot.h"
#include "engine/trace.h"
#include "value/patch.h"

/* What a policy's failure (mutate error, no convergence) is answered with. */
#define FX_ON_ERRORS(X)                                                   \
    X(DENY, "deny")   /* allowed false, code 500, the message */          \
    X(DEFER, "defer") /* HTTP 500: the webhook's failurePolicy decides */ \
    X(ALLOW, "allow") /* allowed, unchanged, with a warning */

enum fx_on_error {
#define X(name, text) FX_ON_ERROR_##name,
    FX_ON_ERRORS(X)
#undef X
};

/* What reviews share; borrowed, and outlives each. */
struct fx_admission {
    enum fx_on_error on_error;
    bool annotates;      /* changed objects get the annotations of fx_webhook.annotate */
    bool reports_passes; /* result->outcome lists the mutators of each pass */
    bool collects_stats; /* result->outcome has the stats of each mutator */
    bool partial_decode; /* only the patch is needed: what no policy reads is not
                          * decoded */
    unsigned share_percent;       /* fx_request.share_percent */
    struct fx_activity *activity; /* for the watchdog (engine/activity.h); or NULL */
    struct fx_trace *trace;       /* or NULL: what each mutator did (engine/trace.h) */
    const struct fx_dialect_settings
        *settings; /* of the policies that are reviewed; NULL: their defaults */
    const char *own_namespace; /* the namespace Fixpoint runs in; NULL: a dialect's
                                * default (fx_webhook.skips_user) */
    /* Finds an input that is at hand (engine/input.h). A Namespace that does not exist
     * (FX_EMUTATE) is answered like a policy's failure: denied with this message and code
     * 500, unless on_error says otherwise. If a Node does not exist, the user gets a
     * warning, and policies see none. Our own failure (FX_EIO, FX_ENOMEM, FX_EDEADLINE):
     * HTTP 5xx. NULL: no object is known, and none is fetched. */
    fx_input_find *find_input;
    void *user;
};

/* How a review ended, for logs and metrics. */
#define FX_DECISIONS(X)                                                           \
    X(SKIPPED, "skipped")     /* allowed before mutation was tried */             \
    X(EXCLUDED, "excluded")   /* the same, by an exclusion (engine/resource.h) */ \
    X(UNCHANGED, "unchanged") /* no mutator changed it */                         \
    X(MUTATED, "mutated")     /* allowed with a patch */                          \
    X(DENIED, "denied")       /* a policy refuses the object */                   \
    X(FAILED, "failed")       /* a policy's failure: answered as on_error says */ \
    X(REFUSED, "refused")     /* the input is no review: HTTP 400, 413 */         \
    X(BROKEN, "broken")       /* our own failure: HTTP 5xx, never a verdict */

enum fx_decision {
#define X(name, text) FX_DECISION_##name,
    FX_DECISIONS(X)
#undef X
};

struct fx_review; /* opaque */

/* Begins a review of the body `text` (borrowed until the end) under `snapshot` (a
 * reference is taken). `deadline_ns` 0: none. NULL without memory. */
struct fx_review *fx_review_create(const struct fx_admission *admission,
                                   struct fx_snapshot *snapshot, struct fx_text text,
                                   uint64_t deadline_ns) FX_MUST_USE;
void fx_review_destroy(struct fx_review *review); /* NULL is fine */

enum fx_review_state {
    FX_REVIEW_DONE,         /* fx_review_result() has the answer */
    FX_REVIEW_WANTS_INPUTS, /* answer each of fx_review_inputs(), run again */
};

/* Goes on as far as it can. Never fails: failures are answers. */
enum fx_review_state fx_review_run(struct fx_review *review);

/* The inputs that it waits for are those that are AWAITED. Each is to be answered: with
 * fx_inputs_give(), or, a call, with fx_external_give() or fx_external_fail()
 * (admission/external.h). Calls are to end by `*ret_deadline_ns` (0: no limit), which
 * leaves the time to write the answer. */
struct fx_inputs *fx_review_inputs(struct fx_review *review, uint64_t *ret_deadline_ns);

/* What to answer, and what to say of it. Borrowed from the review. */
struct fx_review_result {
    unsigned status;     /* HTTP: 200, or 400 413 500 503 with a sentence as text/plain */
    bool retry_after;    /* our own passing failure: say Retry-After */
    struct fx_buf *body; /* the response; may be emptied by the caller */
    enum fx_decision decision;
    struct fx_text uid, operation, group, version, kind, namespace_, name, username;
    bool dry_run;
    const char *mutation_id;          /* a UUID; NULL where mutation was not tried */
    const struct fx_outcome *outcome; /* NULL where mutation was not tried */
    const struct fx_patch *patch;     /* NULL where nothing changed */
    const struct fx_snapshot *snapshot;
    const struct fx_err *failure; /* NULL where nothing failed, nor was denied */
};

const struct fx_review_result *fx_review_result(const struct fx_review *review);

#endif
