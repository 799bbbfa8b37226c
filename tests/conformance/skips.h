/* SPDX-License-Identifier: Apache-2.0
 *
 * skips.h - the cases that are not run, with reasons.
 */
#ifndef FX_CONFORMANCE_SKIPS_H
#define FX_CONFORMANCE_SKIPS_H

#include <jansson.h>

#include "base/err.h"

/* Returns the reason why the case with these policies (an array, or NULL) is not run;
 * NULL if it is run. */
const char *fx_case_skip_reason(const json_t *row, const json_t *policies);

/* Returns the same for a case of KubeMod's ModRules. */
const char *fx_case_kubemod_skip_reason(const json_t *row);

/* Returns the same for a case of KubeMod's templates. `err` is the error of its
 * compilation, or FX_OK. */
const char *fx_case_gotemplate_skip_reason(const json_t *row, const struct fx_err *err);

/* The same for a case of a CEL expression. */
const char *fx_case_cel_skip_reason(const json_t *row);

/* The same for a case of a query of Kyverno. */
const char *fx_case_jmespath_skip_reason(const json_t *row);

/* The same for a condition of Kyverno. */
const char *fx_case_condition_skip_reason(const json_t *row);

/* The reason why a case of Kyverno's rules may differ; NULL if it may not. `err` is the
 * error of the answer, or FX_OK. */
const char *fx_case_kyverno_rules_skip_reason(const json_t *row,
                                              const struct fx_err *err);

/* Does a rule of the case fail whose policy says Ignore? Fixpoint skips the other rules
 * of the policy, where the original runs them and drops what they do. */
bool fx_case_kyverno_ignores_failure(const json_t *row);

#endif
