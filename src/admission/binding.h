/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/binding.h - the review of a Binding, by which a Pod comes to its Node,
 * `/podbinding-webhook`. It is always allowed, as it is; who serves it may have something
 * to tell the Pod. A review as those of admission/admit.h.
 */
#ifndef FX_ADMISSION_BINDING_H
#define FX_ADMISSION_BINDING_H

#include <stdint.h>

#include "admission/review.h"
#include "base/macros.h"
#include "base/text.h"

/* Which Pod comes to which Node: names that can be names (base/dns_name.h), and nothing
 * else. */
struct fx_pod_binding {
    struct fx_text namespace_, pod, node;
};

/* Begins the review of a Binding; of all else, too, which is allowed. NULL without
 * memory. */
struct fx_review *fx_binding_create(struct fx_text text,
                                    uint64_t deadline_ns) FX_MUST_USE;

/* What was reviewed, once that is done, borrowed from the review; NULL where nobody is to
 * be told of anything: it is no Binding to a Node, or a dry run, or no review at all. */
const struct fx_pod_binding *fx_binding_view(const struct fx_review *review);

/* Has the answer say this, too. */
void fx_binding_warn(struct fx_review *review, const char *words);

#endif
