/* SPDX-License-Identifier: Apache-2.0
 *
 * skips.h - which cases are not run, and why.
 */
#ifndef FX_CONFORMANCE_SKIPS_H
#define FX_CONFORMANCE_SKIPS_H

#include <jansson.h>

#include "base/err.h"

/* Why the case with these policies (an array, or NULL) is not run; NULL: it is. */
const char *fx_case_skip_reason(const json_t *row, const json_t *policies);

/* The same for a case of KubeMod's ModRules. */
const char *fx_case_kubemod_skip_reason(const json_t *row);

/* The same for a case of KubeMod's templates; `err`: why it does not compile, or FX_OK.
 */
const char *fx_case_gotemplate_skip_reason(const json_t *row, const struct fx_err *err);

#endif
