/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/admit.h - the reviews that are not mutation by policies: the two webhooks of
 * policies, the guards of dialects, and Bindings.
 *
 * They are created here, and then run and destroyed like other reviews
 * (admission/review.h). They never pause, and have neither snapshot nor outcome. Their
 * decisions are UNCHANGED (allowed), MUTATED (defaults only), FAILED (denied; `failure`
 * has the message), SKIPPED, REFUSED and BROKEN. The parameters `text` and `deadline_ns`
 * are those of fx_review_create(). Each create function returns NULL without memory.
 */
#ifndef FX_ADMISSION_ADMIT_H
#define FX_ADMISSION_ADMIT_H

#include <stdint.h>

#include "admission/review.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/webhook.h"

/* Begins the validation of a policy, `/v1/admit` (spec section 8). Objects that are not
 * policies are allowed, and so are policies that compile, with the warnings of their
 * dialect. A policy that does not compile is denied with the messages of spec section 3.2
 * and code 422, or 500 if it has values of wrong types. If its dialect reports all
 * faults, the response has all of them, as an API server reports those of any object. In
 * reserved groups (engine/webhook.h) the old object is checked on DELETE; other policies
 * may be deleted. Of `admission`, only `own_namespace` and `settings` are read. */
struct fx_review *fx_admit_create(const struct fx_admission *admission,
                                  struct fx_text text, uint64_t deadline_ns) FX_MUST_USE;

/* Begins a review that sets the defaults of a policy that is created or updated. It does
 * not check whether the policy is valid. Other requests are allowed unchanged. */
struct fx_review *fx_defaults_create(struct fx_text text,
                                     uint64_t deadline_ns) FX_MUST_USE;

/* Returns the guard that answers this path of the webhook; NULL if there is none. */
const struct fx_guard *fx_guard_find(struct fx_text path);

/* Begins the review of an object by the guard of a dialect (engine/webhook.h): objects
 * that the guard does not allow are denied with code 403. `guard` and `exempt` are
 * borrowed and outlive the review. */
struct fx_review *fx_guard_create(const struct fx_guard *guard,
                                  const struct fx_exemptions *exempt, struct fx_text text,
                                  uint64_t deadline_ns) FX_MUST_USE;

/* A Pod and its Node. All three are valid names (base/dns_name.h). */
struct fx_pod_binding {
    struct fx_text namespace_, pod, node;
};

/* Begins the review of a Binding, which assigns a Pod to a Node. Bindings and all other
 * objects are always allowed unchanged. The server may write the Node's name into the Pod
 * before it answers. */
struct fx_review *fx_binding_create(struct fx_text text,
                                    uint64_t deadline_ns) FX_MUST_USE;

/* Returns the Binding of a finished review, borrowed from the review. NULL if no Pod
 * shall be annotated: the object is not a Binding to a Node, or the request is a dry run
 * or invalid. */
const struct fx_pod_binding *fx_binding_view(const struct fx_review *review);

/* Adds a warning to the answer. */
void fx_binding_warn(struct fx_review *review, const char *message);

#endif
