/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/evaluation.h - private: one evaluation of a rule, by its rule.c and
 * existing.c.
 */
#ifndef FX_KYVERNO_EVALUATION_H
#define FX_KYVERNO_EVALUATION_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "context.h"
#include "engine/mutator.h"
#include "rule.h"

#define KYVERNO_EVALUATION_BLOCK 4096u

/* On the stack of its caller, who does not clear it. */
struct kyverno_evaluation {
    const struct kyverno_rule *rule;
    const struct fx_request *request;
    struct fx_arena arena;
    struct kyverno_context context;
    max_align_t block[KYVERNO_EVALUATION_BLOCK / sizeof(max_align_t)];
};

static inline const struct kyverno_rule *
fx_kyverno_rule_of(const struct fx_mutator *mutator) {
    return (const struct kyverno_rule *)mutator; /* its first member */
}

/* Makes the context of the rule with `object` as `request.object`. `entries` is the
 * `context` of the rule; NULL for none. Everything is borrowed. Errors: FX_ENOMEM; then
 * there is nothing to end. */
bool fx_kyverno_evaluation_begin(struct kyverno_evaluation *evaluation,
                                 const struct kyverno_rule *rule,
                                 const struct kyverno_context_entries *entries,
                                 const struct fx_request *request, json_t *object,
                                 struct fx_err *err) FX_MUST_USE;
void fx_kyverno_evaluation_end(struct kyverno_evaluation *evaluation);

/* Finds what keeps the rule from being applied to the object: KYVERNO_BY_PRECONDITIONS,
 * KYVERNO_BY_EXCEPTIONS, or NULL. Errors: those of fx_kyverno_preconditions_eval(). */
bool fx_kyverno_evaluation_criterion(struct kyverno_evaluation *evaluation,
                                     const json_t *object, const char **ret_criterion,
                                     struct fx_err *err) FX_MUST_USE;

/* Applies the patch or the foreach of the rule to *root, copying on write, and sets the
 * effect. If the object is equal afterwards, its nodes stay. Errors: those of
 * fx_kyverno_patch_object(). */
bool fx_kyverno_evaluation_change(struct kyverno_evaluation *evaluation, json_t **root,
                                  struct fx_effect *effect,
                                  struct fx_err *err) FX_MUST_USE;

/* Gives the error the words of Kyverno's webhook for a rule that failed. Always false. */
bool fx_kyverno_evaluation_fail(const struct kyverno_rule *rule, struct fx_err *err);

#endif
