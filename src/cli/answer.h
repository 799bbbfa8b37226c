/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/answer.h - asks for one object what the webhook would be asked, in process, and
 * keeps what it answers: so that what a pipeline sees is what the cluster does. Providers
 * of external data are really asked.
 */
#ifndef FX_CLI_ANSWER_H
#define FX_CLI_ANSWER_H

#include <stdbool.h>

#include <jansson.h>

#include "admission/review.h"
#include "base/err.h"
#include "base/macros.h"
#include "cli/options.h"
#include "cli/outside.h"
#include "policy/namespaces.h"

/* The row of `--timeout`, for a member of uint64_t. */
#define FX_TIMEOUT_OPTION(type, member)                                   \
    {                                                                     \
        "timeout",                                                        \
        '\0',                                                             \
        FX_OPTION_DURATION,                                               \
        offsetof(type, member),                                           \
        "TIME",                                                           \
        NULL,                                                             \
        "the longest that policies may take for one object (default 1m)", \
    }

/* The deadline (base/clock.h) of work on an object that begins now; 0 ms: the default. */
uint64_t fx_answer_deadline(uint64_t timeout_ms);

/* The circumstances; everything is borrowed. */
struct fx_question {
    struct fx_snapshot *snapshot;
    const struct fx_namespaces *namespaces;
    const char *operation;           /* "CREATE" */
    const char *namespace_;          /* of what names none and may live in one; or NULL */
    const char *user;                /* or NULL: kubernetes-admin */
    const struct fx_strings *groups; /* of the user */
    json_t *old_object;              /* or NULL */
    struct fx_trace *trace;          /* or NULL: what each mutator did goes here */
    struct fx_outside *outside;      /* who asks providers */
    uint64_t timeout_ms;             /* for one object; 0: the default */
};

struct fx_resultant; /* opaque */

struct fx_answer {
    struct fx_review *review;              /* the owner of what is below, */
    struct fx_resultant *resultant;        /* or this */
    const struct fx_review_result *result; /* of the webhook; NULL of a resultant */
    const struct fx_patch *patch;          /* NULL where nothing changed */
    json_t *object;                        /* after mutation, counted; NULL on failure */
    struct fx_buf request;                 /* the AdmissionReview that was asked */
};

void fx_answer_finish(struct fx_answer *answer); /* NULL, zeroed are fine */

/* Asks. On failure of the mutation (FX_EMUTATE, FX_ENOCONVERGE, FX_EDENIED, FX_EDEADLINE)
 * `ret_answer->result` is there all the same. Other errors: FX_EINVALID, FX_ENOMEM,
 * FX_EINTERNAL. */
bool fx_answer_ask(const struct fx_question *question, json_t *object,
                   struct fx_answer *ret_answer, struct fx_err *err) FX_MUST_USE;

/* Does nobody say which namespace the object is sent to, though it may live in one? It is
 * asked about as if it were in none, then. */
bool fx_question_lacks_namespace(const struct fx_question *question,
                                 const json_t *object);

/* Asks about an object that nobody sends, but that some controller will make of one: a
 * resultant (spec section 10). It is mutated as Generated, and without an operation; the
 * question's is not looked at. Errors: the same. */
bool fx_answer_generate(const struct fx_question *question, json_t *object,
                        struct fx_answer *ret_answer, struct fx_err *err) FX_MUST_USE;

/* Runs the review to its end. Errors: those of fx_outside_ask(). */
bool fx_answer_run(struct fx_review *review, struct fx_outside *outside,
                   struct fx_err *err) FX_MUST_USE;

/* For struct fx_admission: finds among the namespaces and Nodes that `user` points to. */
enum fx_lookup fx_answer_find_object(void *user, const struct fx_reference *reference,
                                     json_t **ret_object, struct fx_err *err);

#endif
