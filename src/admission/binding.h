/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/binding.h - the review of a Binding, which assigns a Pod to a Node. It is
 * always allowed unchanged; the server may write the Node's name into the Pod before it
 * answers. A review as those of admission/admit.h.
 */
#ifndef FX_ADMISSION_BINDING_H
#define FX_ADMISSION_BINDING_H

#include <stdint.h>

#include "admission/review.h"
#include "base/macros.h"
#include "base/text.h"

/* The Pod and its Node. All three are valid names (base/dns_name.h). */
struct fx_pod_binding {
    struct fx_text namespace_, pod, node;
};

/* Begins the review of a Binding. Other objects are allowed, too. NULL without memory. */
struct fx_review *fx_binding_create(struct fx_text text,
                                    uint64_t deadline_ns) FX_MUST_USE;

/* The Binding of a review that is done, borrowed from the review; NULL if no Pod is to be
 * annotated: the object is not a Binding to a Node, the request is a dry run or invalid.
 */
const struct fx_pod_binding *fx_binding_view(const struct fx_review *review);

/* Adds a warning to the answer. */
void fx_binding_warn(struct fx_review *review, const char *words);

#endif
