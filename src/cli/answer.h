/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/answer.h - runs the review of one object in process, as the webhook would, and
 * keeps the response. Providers of external data are called.
 */
#ifndef FX_CLI_ANSWER_H
#define FX_CLI_ANSWER_H

#include <stdbool.h>

#include <jansson.h>

#include "admission/review.h"
#include "base/err.h"
#include "base/macros.h"
#include "cli/options.h"
#include "cli/providers.h"
#include "engine/request.h"
#include "engine/schemas.h"
#include "policy/namespaces.h"

/* The table row of `--timeout`, for a member of type uint64_t. */
#define FX_TIMEOUT_OPTION(type, member)                                            \
    FX_OPTION_ROW("timeout", '\0', DURATION, offsetof(type, member), "TIME", NULL, \
                  "time limit for mutating one object (default 1m)")

/* The deadline (base/clock.h) of a review that begins now. 0: the default timeout. */
uint64_t fx_answer_deadline(uint64_t timeout_ms);

/* The request; everything is borrowed. */
struct fx_question {
    struct fx_snapshot *snapshot;
    const struct fx_namespaces *namespaces;
    const struct fx_schemas *schemas; /* of kinds; or NULL */
    const char *operation;            /* "CREATE" */
    const char *namespace_; /* for namespaced objects without a namespace; or NULL */
    const char *user;       /* or NULL: kubernetes-admin */
    const struct fx_strings *groups;     /* of the user */
    json_t *old_object;                  /* or NULL */
    json_t *variables;                   /* fx_request.variables, or NULL */
    const json_t *roles, *cluster_roles; /* fx_request.roles; or NULL */
    struct fx_trace *trace;              /* or NULL: records what each mutator did */
    struct fx_provider_loop *providers;  /* calls the providers */
    uint64_t timeout_ms;                 /* for one object; 0: the default */
};

/* The `user` with which fx_namespaces_look_up_input() reads the Namespaces and objects of
 * the question. */
void *fx_question_find_user(const struct fx_question *question);

struct fx_resultant; /* opaque */

struct fx_answer {
    struct fx_review *review;              /* owns the members below; or NULL */
    struct fx_resultant *resultant;        /* owns them instead; or NULL */
    const struct fx_review_result *result; /* the webhook's; NULL for a resultant */
    const struct fx_patch *patch;          /* NULL if nothing changed */
    json_t *object;                        /* after mutation, counted; NULL on failure */
    struct fx_buf request;                 /* the AdmissionReview that was sent */
};

void fx_answer_finish(struct fx_answer *answer); /* NULL and zeroed are fine */

/* Runs the review. If the mutation fails (FX_EMUTATE, FX_ENOCONVERGE, FX_EDENIED,
 * FX_EDEADLINE) `ret_answer->result` is set as well. Other errors: FX_EINVALID,
 * FX_ENOMEM, FX_EINTERNAL. */
bool fx_answer_ask(const struct fx_question *question, json_t *object,
                   struct fx_answer *ret_answer, struct fx_err *err) FX_MUST_USE;

/* Is the object namespaced (unknown kinds count), and is its namespace unknown? Then it
 * is reviewed without a namespace. */
bool fx_question_lacks_namespace(const struct fx_question *question,
                                 const json_t *object);

/* Mutates a resultant: an object that a controller creates from another one (spec section
 * 10). Its source is Generated, and it has no operation: `question->operation` is
 * ignored. Errors: those of fx_answer_ask(). */
bool fx_answer_generate(const struct fx_question *question, json_t *object,
                        struct fx_answer *ret_answer, struct fx_err *err) FX_MUST_USE;

/* Runs the review to its end. Errors: those of fx_provider_loop_run(). */
bool fx_answer_run(struct fx_review *review, struct fx_provider_loop *providers,
                   struct fx_err *err) FX_MUST_USE;

#endif
