/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/question.h - private: the request of a dry run.
 */
#ifndef FX_MUTATORS_KUBEMOD_DRYRUN_QUESTION_H
#define FX_MUTATORS_KUBEMOD_DRYRUN_QUESTION_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"
#include "engine/request.h"

/* Where rules and object are that nobody has placed. */
#define FX_DRYRUN_NAMESPACE "dryrun-namespace"

/* What is not given is NULL. Everything is borrowed from `root`. */
struct fx_dryrun_question {
    json_t *root; /* counted */
    json_t *object, *rules, *policies, *namespace_object, *node;
    enum fx_operation operation;
    struct fx_text namespace_;                  /* the object's; empty: none */
    bool is_placed;                             /* somebody said where it is */
    const struct fx_dialect_settings *settings; /* of the rules; the asker's own */
};

/* Reads it. `ret_question` is zeroed but for its settings, and to be finished in any
 * case. Errors: FX_ESYNTAX, FX_EINVALID, FX_ELIMIT, FX_ENOMEM. */
bool fx_dryrun_question_read(struct fx_text text, struct fx_dryrun_question *ret_question,
                             struct fx_err *err) FX_MUST_USE;
void fx_dryrun_question_finish(struct fx_dryrun_question *question); /* NULL is fine */

/* Is a member of that name known? */
bool fx_dryrun_question_knows(const char *key);

#endif
