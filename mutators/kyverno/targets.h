/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/targets.h - `mutate.targets`: the existing objects that a rule mutates
 * (spec/kyverno.md section 15).
 */
#ifndef FX_KYVERNO_TARGETS_H
#define FX_KYVERNO_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "context.h"
#include "context_entries.h"
#include "engine/existing.h"
#include "preconditions.h"
#include "template.h"

/* One entry of the list. */
struct kyverno_target {
    struct kyverno_template *selector; /* what names the objects, with variables */
    const struct kyverno_path *path;
    /* The entries of the rule and then those of the target; NULL: those of the rule. */
    struct kyverno_context_entries *context;
    struct kyverno_preconditions *preconditions; /* NULL: none */
};

/* Immutable, in the arena with which it was compiled. */
struct kyverno_targets {
    struct kyverno_target *items;
    size_t n;
    struct fx_text policy_namespace; /* data NULL: of a ClusterPolicy */
};

/*
 * Compiles the list at `mutate.targets` of with->document. *ret is zeroed if there is
 * none. A Policy has targets in its own namespace only. fx_kyverno_targets_finish() frees
 * what is not in the arena, also after a failure. Errors, in with->err: FX_EINVALID with
 * the node (a target is no object, or has no `apiVersion` or `kind`), FX_ELIMIT (more
 * than FX_LIMIT_EXISTING_QUERIES), FX_EDEADLINE, FX_ENOMEM.
 */
bool fx_kyverno_targets_compile(const struct kyverno_template_compile *with, json_t *list,
                                struct fx_text policy_namespace,
                                struct kyverno_targets *ret) FX_MUST_USE;
void fx_kyverno_targets_finish(struct kyverno_targets *targets); /* zeroed is fine */

/* Do the entries of a target read objects of the cluster? */
bool fx_kyverno_targets_read_objects(const struct kyverno_targets *targets);

/* Adds the query; if its group or version has wildcards, one for each stable kind of
 * Kubernetes that it means. Errors: FX_EMUTATE (Kubernetes has no such kind), those of
 * fx_existing_queries_add(). */
bool fx_kyverno_add_queries(struct fx_existing_queries *queries,
                            const struct fx_existing_query *query, json_t *selector,
                            struct fx_err *err) FX_MUST_USE;

/* Adds the queries of one target of the list, several if its apiVersion has wildcards.
 * Errors: FX_EMUTATE (a variable cannot be resolved; the target is in another namespace
 * than its Policy; a field has the wrong type), those of fx_existing_queries_add(),
 * FX_EINPUT, FX_EDEADLINE, FX_ENOMEM. */
bool fx_kyverno_target_select(const struct kyverno_targets *targets, size_t at,
                              struct kyverno_context *context,
                              struct fx_existing_queries *queries,
                              struct fx_err *err) FX_MUST_USE;

#endif
