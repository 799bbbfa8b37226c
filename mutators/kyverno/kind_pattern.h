/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/kind_pattern.h - how policies and resource filters name kinds: "Pod",
 * "apps/v1/Deployment", "Pod/exec" (spec/kyverno.md section 3, kinds).
 */
#ifndef FX_KYVERNO_KIND_PATTERN_H
#define FX_KYVERNO_KIND_PATTERN_H

#include <stdbool.h>

#include "base/macros.h"
#include "base/text.h"
#include "engine/request.h"

/* A pattern for each part, with wildcards (spec/kyverno.md section 4). The texts are
 * borrowed from the text that was read, or constants. */
struct kyverno_kind_pattern {
    struct fx_text group, version, kind, subresource;
};

/* Reads one to four parts. A group or version that is not given is "*", a subresource
 * that is not given is empty, which stands for the object itself. False if the text has
 * more parts; then all patterns are empty, and match no object. */
bool fx_kyverno_kind_parse(struct fx_text text,
                           struct kyverno_kind_pattern *ret_pattern) FX_MUST_USE;

/* The kind of a request: that of its resource, so of a subresource that of the object to
 * which it belongs. */
struct kyverno_request_kind {
    struct fx_text group, version, kind, subresource;
    bool is_ephemeral; /* pods/ephemeralcontainers, which every subresource matches */
};

/* The texts are borrowed from the request and the subject. */
void fx_kyverno_request_kind(const struct fx_request *request,
                             const struct fx_subject *subject,
                             struct kyverno_request_kind *ret_kind);

/* Does the pattern match? Spends from the thread's budget; false if that is exceeded. */
bool fx_kyverno_kind_matches(const struct kyverno_kind_pattern *pattern,
                             const struct kyverno_request_kind *kind);

#endif
