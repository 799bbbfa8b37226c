/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/steps.h - a running review, and its steps (review.c has the table of them).
 * Private to this room.
 */
#ifndef FX_ADMISSION_STEPS_H
#define FX_ADMISSION_STEPS_H

#include <stddef.h>

#include "admission/admit.h"
#include "admission/envelope.h"
#include "admission/mutation.h"
#include "admission/review.h"
#include "base/budget.h"
#include "base/uuid.h"
#include "engine/dialect.h"

/* The result of a step. */
enum fx_next {
    FX_NEXT,       /* go on with the next step */
    FX_NEXT_WAIT,  /* stop here; run this step again later */
    FX_NEXT_BACK,  /* go on with the step before this one */
    FX_NEXT_AGAIN, /* go on with the first step */
    FX_NEXT_DONE,  /* the answer is written */
};

/* The arena of most reviews needs no more. */
#define FX_REVIEW_SCRATCH_BYTES 4096u
#define FX_REVIEW_INPUT_BYTES   512u /* likewise, of the inputs */

/* The steps of a review are in order; NULL ends. The last one always ends the review. */
typedef enum fx_next fx_step(struct fx_review *review);

struct fx_exemptions;
struct fx_guard;

struct fx_review {
    fx_step *const *steps;
    size_t at; /* the step to be run next */
    bool is_done;
    const struct fx_admission *admission;
    const struct fx_guard *guard;       /* of a review by a guard; else NULL, */
    const struct fx_exemptions *exempt; /* likewise */
    struct fx_snapshot *snapshot;       /* counted; NULL if the review does not mutate */
    struct fx_text text;                /* the request's body */
    struct fx_budget budget;            /* the thread's while the review runs */

    bool partial_decode; /* of the AdmissionReview only what policies look at is read */
    struct fx_envelope envelope; /* all below borrows of it */
    json_t *object;              /* request.object */
    json_t *old_object;
    struct fx_text api_version; /* of the AdmissionReview */
    struct fx_request request;
    struct fx_text matching_namespace; /* empty for a Namespace itself */
    struct fx_text subresource;        /* `status`; empty: the object itself is written */

    /* What it needs besides its object (inputs.c); kept where it starts over. */
    struct fx_inputs inputs;
    const struct fx_input_entry *namespace_; /* one of them; NULL: it is in none */
    char *warning;                           /* to the user; its own; or NULL */

    char mutation_id[FX_UUID_SIZE];

    struct fx_arena arena;
    struct fx_mutation mutation;
    struct fx_compilation compilation; /* of a policy: its faults and warnings */
    json_t *defaulted;                 /* counted: a policy with its defaults set */
    struct fx_patch patch;             /* … and the way to it */
    struct fx_pod_binding binding;     /* of a Binding; borrowed from the envelope */
    struct fx_buf body;
    struct fx_review_result result;

    /* What is not cleared for each review. */
    struct fx_err err;
    max_align_t scratch[FX_REVIEW_SCRATCH_BYTES / sizeof(max_align_t)]; /* the arena's */
    max_align_t input_scratch[FX_REVIEW_INPUT_BYTES / sizeof(max_align_t)];
};

/* review.c: begins a review with these steps. NULL without memory. */
struct fx_review *fx_review_begin(fx_step *const *steps, struct fx_text text,
                                  uint64_t deadline_ns) FX_MUST_USE;

/* review.c: goes on with the object of a DELETE, for validators only. */
enum fx_next fx_review_delete(struct fx_review *review);

/* decode.c: bytes to a checked request. */
fx_step fx_step_decode, fx_step_object;

/* gate.c: users, operations and objects that are not mutated. */
fx_step fx_step_self, fx_step_operation, fx_step_group, fx_step_exclusion;

/* Why objects of this API group are never mutated (a constant); NULL: the group is not
 * reserved by a dialect. */
const char *fx_reserved_group(struct fx_text group);

/* inputs.c: which inputs it needs, and fetching what is missing. */
fx_step fx_step_wants, fx_step_fetch;

/* inputs.c: the object's Namespace, borrowed; NULL: it is in none, or it is not known. */
json_t *fx_review_namespace(const struct fx_review *review);

/* answer.c: the ends of a review. Each writes the answer and says FX_NEXT_DONE. */

/* Allowed unchanged; `message` says why (NULL: no message). */
enum fx_next fx_answer_allow(struct fx_review *review, enum fx_decision decision,
                             const char *message);
/* Allowed with the patch. */
enum fx_next fx_answer_patch(struct fx_review *review);
/* Allowed, with the warnings of the compilation. */
enum fx_next fx_answer_allow_policy(struct fx_review *review);
/* Allowed, with the patch that sets the policy's defaults. */
enum fx_next fx_answer_defaulted(struct fx_review *review);
/* Denied as an API server denies what is invalid: with all faults of the policy. */
enum fx_next fx_answer_invalid(struct fx_review *review);
/* Denied with the message of review->err. Our own failure: as fx_answer_fail(). */
enum fx_next fx_answer_deny(struct fx_review *review, unsigned code);
/* The input is no review: HTTP 400 with review->err. No memory: HTTP 503. */
enum fx_next fx_answer_refuse(struct fx_review *review);
/* Answers the failure in review->err: one of a policy as `on_error` says, our own with
 * HTTP 5xx. */
enum fx_next fx_answer_fail(struct fx_review *review);

#endif
