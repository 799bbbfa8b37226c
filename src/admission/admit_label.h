/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/admit_label.h - the validating webhook of Namespaces, `/v1/admitlabel`: who
 * may carry the label `admission.gatekeeper.sh/ignore`, which exempts a namespace from
 * everything (spec section 8). A review as those of admission/admit.h.
 */
#ifndef FX_ADMISSION_ADMIT_LABEL_H
#define FX_ADMISSION_ADMIT_LABEL_H

#include <stddef.h>
#include <stdint.h>

#include "admission/review.h"
#include "base/macros.h"
#include "base/text.h"

/* The namespaces that may: by name, or by how it begins or ends. */
struct fx_exemptions {
    const char *const *names, *const *prefixes, *const *suffixes;
    size_t n_names, n_prefixes, n_suffixes;
};

/* Begins the review of a Namespace: one that carries the label, and may not, is denied
 * with code 403. A write of a subresource is denied only where it adds the label.
 * `exempt` is borrowed and outlives the review. NULL without memory. */
struct fx_review *fx_admit_label_create(const struct fx_exemptions *exempt,
                                        struct fx_text text,
                                        uint64_t deadline_ns) FX_MUST_USE;

#endif
