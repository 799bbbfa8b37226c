/* SPDX-License-Identifier: Apache-2.0
 *
 * skips.h - which Gatekeeper cases are not run, and why.
 */
#ifndef FX_CONFORMANCE_SKIPS_H
#define FX_CONFORMANCE_SKIPS_H

#include <jansson.h>

/* Why the case with these policies (an array, or NULL) is not run; NULL: it is. */
const char *fx_case_skip_reason(const json_t *row, const json_t *policies);

#endif
