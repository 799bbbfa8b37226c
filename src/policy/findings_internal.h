/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/findings_internal.h - adding to the list of findings. For this room, and for
 * higher rooms that report findings about texts of their own.
 */
#ifndef FX_POLICY_FINDINGS_INTERNAL_H
#define FX_POLICY_FINDINGS_INTERNAL_H

#include <stdbool.h>

#include "base/macros.h"
#include "policy/findings.h"
#include "policy/place.h"

/* Appends a finding; everything is copied. `id` may be NULL. False without memory. */
bool fx_findings_add(struct fx_findings *findings, enum fx_severity severity,
                     const char *file, const char *id, const struct fx_place *place,
                     const char *text) FX_MUST_USE;

/* Appends a copy of the finding. False without memory. */
bool fx_findings_copy(struct fx_findings *findings,
                      const struct fx_finding *finding) FX_MUST_USE;

#endif
