/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/preconditions.h - `preconditions` of a rule, of an entry of a foreach, or
 * `conditions` of a PolicyException: an object with `any` and `all`, or a list, which is
 * an `all` (spec/kyverno.md section 5).
 */
#ifndef FX_KYVERNO_PRECONDITIONS_H
#define FX_KYVERNO_PRECONDITIONS_H

#include <stdbool.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "context.h"
#include "template.h"

struct kyverno_preconditions; /* opaque, immutable, in an arena */

/*
 * Compiles preconditions. `path` is their place in the rule. *ret_preconditions is NULL
 * if `conditions` is NULL, null, or has neither an `any` nor an `all`: they hold always.
 * fx_kyverno_preconditions_finish() frees what is not in the arena.
 * Errors, in with->err: FX_EINVALID with the node (neither an object nor a list; a
 * condition that is no object), FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM. An unknown operator
 * fails when the condition is evaluated.
 */
bool fx_kyverno_preconditions_compile(const struct kyverno_template_compile *with,
                                      json_t *conditions, const struct kyverno_path *path,
                                      struct kyverno_preconditions **ret_preconditions)
    FX_MUST_USE;
void fx_kyverno_preconditions_finish(
    struct kyverno_preconditions *preconditions); /* NULL is fine */

/* A condition that decided that the preconditions do not hold, for `explain`. */
struct kyverno_false_condition {
    const char *part;         /* "any" or "all"; "" in a list; NULL: none */
    size_t index;             /* in its part; of `any` the last one */
    struct fx_text operator_; /* as written, borrowed from the preconditions */
    json_t *key, *value;      /* as evaluated, counted; NULL for an empty `any` */
};
void fx_kyverno_false_condition_finish(
    struct kyverno_false_condition *condition); /* a zeroed one is fine */

/* Appends "all/0: key Equals value", with key and value in JSON. They quote the object,
 * so the text is never logged. */
void fx_kyverno_false_condition_print(struct fx_buf *buf,
                                      const struct kyverno_false_condition *condition);

/*
 * Do they hold? `preconditions` may be NULL. The conditions are evaluated in order, up to
 * the first one that decides. If `ret_false` is not NULL and they do not hold, it gets
 * the condition that decided; the caller zeroes it before and finishes it. Errors:
 * FX_EMUTATE (a variable cannot be resolved, an unknown operator), FX_EINPUT, FX_ELIMIT,
 * FX_EDEADLINE, FX_ENOMEM.
 */
bool fx_kyverno_preconditions_eval(const struct kyverno_preconditions *preconditions,
                                   struct kyverno_context *context, bool *ret_holds,
                                   struct kyverno_false_condition *ret_false,
                                   struct fx_err *err) FX_MUST_USE;

#endif
