/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/kind_pattern.h - reads the kinds of filters (spec/kyverno.md section 3).
 */
#ifndef FX_KYVERNO_KIND_PATTERN_H
#define FX_KYVERNO_KIND_PATTERN_H

#include <stdbool.h>

#include "base/macros.h"
#include "base/text.h"
#include "match.h"

/* Reads "Pod", "v1/Pod", "apps/v1/Deployment", "Pod/exec", "Pod.status". The parts are
 * borrowed from the text, or constants: a missing group or version is "*", a missing
 * subresource is empty. False if the text has more than four parts. */
bool fx_kyverno_kind_parse(struct fx_text text,
                                   struct kyverno_kind_pattern *ret_pattern) FX_MUST_USE;

#endif
