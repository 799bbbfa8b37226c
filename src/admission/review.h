/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/review.h - one AdmissionReview from bytes to bytes (spec section 8). Pure: it
 * runs on a loop, on a pool thread, in the command line, in a fuzzer.
 *
 * The journey is a list of steps; it may pause where other objects have to be fetched
 * (its Namespace, a Node), and where providers are to be asked, and goes on when it was
 * given what it waits for.
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

/* Another object that a review needs. */
enum fx_reference_type {
    FX_REFERENCE_LABELS,    /* a Namespace; its name and labels are enough */
    FX_REFERENCE_NAMESPACE, /* a Namespace, all of it */
    FX_REFERENCE_NODE,
};

struct fx_reference {
    enum fx_reference_type type;
    struct fx_text name; /* borrowed from the review; of a Node, always a name that can be
                          * one (base/dns_name.h) */
};

/* The answer of a look-up. Of a failure err says why. That there is no such object is
 * FX_EMUTATE: of a Namespace it is answered as a policy's failure is (denied with these
 * words, code 500, unless on_error says else); of a Node it is a warning, and policies
 * see none. Where the failure is ours (FX_EIO, FX_ENOMEM, FX_EDEADLINE): HTTP 5xx. */
enum fx_lookup {
    FX_LOOKUP_FOUND, /* *ret_object is a new reference */
    FX_LOOKUP_WAIT,  /* not here; fx_review_give() will bring it */
    FX_LOOKUP_FAILED,
};

/* What reviews share; borrowed, and outlives each. */
struct fx_admission {
    enum fx_on_error on_error;
    bool annotates;      /* objects are to say who changed them (admission/annotate.h) */
    bool reports_passes; /* result->outcome is to list who applied in each pass */
    bool collects_stats; /* result->outcome is to tell how each mutator fared */
    bool skims;          /* only the patch is asked for: what no policy reads of the
                          * AdmissionReview may be left out of the tree */
    unsigned share_percent;       /* fx_request.share_percent */
    struct fx_activity *activity; /* or NULL: who watches the loop (engine/activity.h) */
    struct fx_trace *trace;       /* or NULL: what each mutator did (engine/trace.h) */
    const struct fx_dialect_settings
        *settings;             /* of policies that are looked at; NULL: their defaults */
    const char *own_namespace; /* the namespace Fixpoint runs in; NULL: a dialect's
                                * default (fx_webhook.skips_user) */
    /* NULL: none is known, and none is missed. */
    enum fx_lookup (*find_object)(void *user, const struct fx_reference *reference,
                                  json_t **ret_object, struct fx_err *err);
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
    FX_REVIEW_WANTS_OBJECT, /* fx_review_wanted() names it; give it, run again */
    FX_REVIEW_WANTS_DATA,   /* answer each of fx_review_calls(), run again */
};

/* Goes on as far as it can. Never fails: failures are answers. */
enum fx_review_state fx_review_run(struct fx_review *review);

/* The object it waits for, and giving it: the object (reference taken over), or NULL and
 * the reason (see enum fx_lookup). */
const struct fx_reference *fx_review_wanted(const struct fx_review *review);
void fx_review_give(struct fx_review *review, json_t *object_take,
                    const struct fx_err *failure);

/* The requests to providers it waits for: each is to be answered with fx_external_give()
 * or fx_external_fail() and the arena (admission/external.h), all before
 * `*ret_deadline_ns` (0: none), which leaves the time to write the answer. */
struct fx_external_calls *fx_review_calls(struct fx_review *review,
                                          struct fx_arena **ret_arena,
                                          uint64_t *ret_deadline_ns);

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
