/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/autogen_rule.h - private: makes one rule for controllers from a rule for Pods.
 */
#ifndef FX_KYVERNO_AUTOGEN_RULE_H
#define FX_KYVERNO_AUTOGEN_RULE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Where a controller has the template of its Pods. One rule is made for each form. */
enum kyverno_autogen_form {
    KYVERNO_AUTOGEN_TEMPLATE, /* spec.template */
    KYVERNO_AUTOGEN_CRON_JOB, /* spec.jobTemplate.spec.template */
    KYVERNO_AUTOGEN_FORMS,
};

#define KYVERNO_CONTROLLERS 7u

struct kyverno_controller {
    const char *kind, *full_kind;
    enum kyverno_autogen_form form;
};
extern const struct kyverno_controller fx_kyverno_controllers[KYVERNO_CONTROLLERS];

/* Is it the kind of a controller, as the table has it? */
bool fx_kyverno_is_controller(struct fx_text kind);

/* Is one of the kinds, which may be written with group, version and subresource, that of
 * Pods? */
bool fx_kyverno_lists_pod(const json_t *kinds);

/* Makes the rule. `kinds` takes the place of the kinds in each filter that has Pods.
 * *ret_rule is NULL, without an error, if the rule does not match Pods, or has nothing
 * that can be applied to their template. Errors: FX_ENOMEM, FX_EDEADLINE, FX_ELIMIT. */
bool fx_kyverno_autogen_rule(const json_t *rule, enum kyverno_autogen_form form,
                             json_t *kinds, json_t **ret_rule,
                             struct fx_err *err) FX_MUST_USE;

#endif
