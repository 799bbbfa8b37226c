/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/rules.h - private: the rules of a request, made into policies.
 */
#ifndef FX_MUTATORS_KUBEMOD_DRYRUN_RULES_H
#define FX_MUTATORS_KUBEMOD_DRYRUN_RULES_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "mutators/kubemod/dryrun/question.h"
#include "policy/policies.h"

/* Gives each rule what it leaves out, moves it where it is to live, and compiles all. The
 * rules in the question are written to. Where some are invalid, FX_EINVALID, and all of
 * their faults, a line each, are in `faults`. Other errors: FX_ENOMEM. */
bool fx_dryrun_build(struct fx_dryrun_question *question,
                     struct fx_policies **ret_policies, struct fx_buf *faults,
                     struct fx_err *err) FX_MUST_USE;

/* Appends "modRules[0]: ModRule/ns/name: words". */
void fx_dryrun_print_finding(struct fx_buf *buf, const struct fx_finding *finding);

#endif
