/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/merge_options.h - how strategic merge patches of a policy are merged beyond
 * what Kyverno does. Annotations of Fixpoint's own on the policy say so
 * (docs/kyverno-extensions.md).
 */
#ifndef FX_KYVERNO_MERGE_OPTIONS_H
#define FX_KYVERNO_MERGE_OPTIONS_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"

/* YAML, a map from paths of lists ("spec.template.spec.parts"; elements of lists on the
 * way are not written) to the keys by which elements are merged, `[name]`, or `append`:
 * elements are appended unless an equal one is there. */
#define KYVERNO_MERGE_LISTS "policies.fixpoint.dev/lists"

/* "true": a field of the patch whose value is null and whose name has a wildcard removes
 * all fields that match it. */
#define KYVERNO_MERGE_WILDCARDS "policies.fixpoint.dev/wildcard-keys"

struct kyverno_merge_options; /* opaque, immutable, in an arena */

/* Reads the annotations of a policy, which may be NULL. *ret_options is NULL if none is
 * there. Errors: FX_EINVALID (the YAML does not parse, a path or a key is malformed),
 * FX_ELIMIT, FX_ENOMEM. */
bool fx_kyverno_merge_options_compile(const json_t *annotations, struct fx_arena *arena,
                                      struct kyverno_merge_options **ret_options,
                                      struct fx_err *err) FX_MUST_USE;

/*
 * Replaces *patch, a counted patch without anchors, by one whose plain merge into
 * `object` does what the options say: lists with keys are complete, and each name with a
 * wildcard stands for the fields that it matches. Neither the nodes of the patch nor
 * those of the object are written. Without options, or where they say nothing, *patch
 * stays the same node. Errors: FX_EMUTATE (an element lacks a key of its list, or the
 * patch does not fit the object), FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM; then *patch is
 * still counted.
 */
bool fx_kyverno_merge_options_apply(const struct kyverno_merge_options *options,
                                    json_t **patch, const json_t *object,
                                    struct fx_err *err) FX_MUST_USE;

#endif
