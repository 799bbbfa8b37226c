/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/foreach.h - `mutate.foreach` of a rule: a patch for each element of a list
 * (spec/kyverno.md section 11).
 */
#ifndef FX_KYVERNO_FOREACH_H
#define FX_KYVERNO_FOREACH_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "context.h"
#include "template.h"

struct kyverno_foreach; /* opaque, immutable, in an arena */
struct kyverno_patch;   /* one patch; the rule's code has it */

/* The functions for a patch of an entry: `patchStrategicMerge` or `patchesJson6902`. */
struct kyverno_patch_ops {
    /* Compiles the patch of an entry. `entry` is the whole entry, and `path` its place in
     * the rule. Memory is in the arena of `with`. Errors, in with->err: FX_EINVALID (the
     * entry has no patch), FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM. */
    bool (*compile)(const struct kyverno_template_compile *with, json_t *entry,
                    const struct kyverno_path *path, struct kyverno_patch **ret_patch);
    /* Applies the patch with the variables of the context to *root, copying on write.
     * After a failure *root may be half written. Errors: FX_EMUTATE, FX_EINPUT,
     * FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM. */
    bool (*apply)(const struct kyverno_patch *patch, struct kyverno_context *context,
                  json_t **root, struct fx_err *err);
    /* Frees what is not in the arena. */
    void (*finish)(struct kyverno_patch *patch);
};

/*
 * Compiles the list of entries. `path` is its place, `/mutate/foreach`. `ops` is a
 * constant. `policy_namespace` as in fx_kyverno_context_entries_compile().
 * fx_kyverno_foreach_finish() frees what is not in the arena.
 * Errors, in with->err: FX_EINVALID with the node (no list of objects, an entry without
 * `list`, an unknown `order`; those of contexts, preconditions and patches), FX_ELIMIT
 * (more than FX_LIMIT_FOREACH_DEPTH levels), FX_EDEADLINE, FX_ENOMEM.
 */
bool fx_kyverno_foreach_compile(const struct kyverno_template_compile *with, json_t *list,
                                const struct kyverno_path *path,
                                struct fx_text policy_namespace,
                                const struct kyverno_patch_ops *ops,
                                struct kyverno_foreach **ret_foreach) FX_MUST_USE;
void fx_kyverno_foreach_finish(struct kyverno_foreach *foreach); /* NULL is fine */

/* Does a context in it read objects of the cluster, as in
 * fx_kyverno_context_entries_read_objects()? */
bool fx_kyverno_foreach_reads_objects(const struct kyverno_foreach *foreach);

/*
 * Applies all entries, in order, to *root, copying on write. `request.object` of the
 * context is *root at the start of each entry; on return the context has no object.
 * *ret_changed: an entry changed the object. On failure *root is as it was.
 * Errors: those of queries, contexts, preconditions and patches.
 */
bool fx_kyverno_foreach_apply(const struct kyverno_foreach *foreach,
                              struct kyverno_context *context, json_t **root,
                              bool *ret_changed, struct fx_err *err) FX_MUST_USE;

#endif
