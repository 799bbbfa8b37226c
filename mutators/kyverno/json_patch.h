/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/json_patch.h - `patchesJson6902` of a rule, and the older `patches`, compiled
 * once (spec/kyverno.md sections 10 and 14).
 *
 * A text without variables is read when the policy is compiled. Otherwise the variables
 * are replaced in the text, and the result is read for each object.
 *
 * It differs from RFC 6902 (value/patch.h): `add` makes missing parents, `remove` ignores
 * what is missing, indexes may be negative, and the text before the first slash of a path
 * is ignored.
 */
#ifndef FX_KYVERNO_JSON_PATCH_H
#define FX_KYVERNO_JSON_PATCH_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "location/jmespath/jmespath.h"
#include "template.h"
#include "value/go_patch.h"

struct kyverno_json_patch; /* opaque, immutable once made, in the arena of `with` */

/*
 * Compiles a JSON patch: the value of `patchesJson6902`, which is a text (JSON or YAML),
 * or of `patches`, a list of operations. A generated rule (autogen.h) may have an object
 * instead, with the text and the place below which it applies. `path` is the place of
 * `patch` in the rule. The nodes of `patch` are shared. A patch that is no list of
 * operations compiles, and fails for each object (fx_kyverno_json_patch_fault()).
 * NULL with FX_ELIMIT, FX_EDEADLINE or FX_ENOMEM.
 */
struct kyverno_json_patch *
fx_kyverno_json_patch_compile(const struct kyverno_template_compile *with, json_t *patch,
                              const struct kyverno_path *path) FX_MUST_USE;

/* Frees what is not in the arena; NULL is fine. */
void fx_kyverno_json_patch_finish(struct kyverno_json_patch *patch);

/* Returns what is wrong with a patch without variables, so that it fails for each object:
 * the text does not parse, or an operation lacks a field. NULL if nothing is known to be
 * wrong. */
const char *fx_kyverno_json_patch_fault(const struct kyverno_json_patch *patch);

/* Calls `visit` for each query of the patch, as fx_kyverno_template_visit(). */
bool fx_kyverno_json_patch_visit(const struct kyverno_json_patch *patch,
                                 bool (*visit)(void *context,
                                               const struct fx_jmespath *query),
                                 void *context);

/* The operations of a patch for one evaluation. All fields are private. */
struct kyverno_operations {
    const struct fx_go_operation *items; /* in an arena */
    size_t n;
    json_t *list; /* counted: has the texts and values of the items; or NULL */
};

/*
 * Replaces the variables, and reads and checks the operations. `path` as above; memory
 * comes from `arena`, which the operations must not outlive. Call
 * fx_kyverno_operations_finish() after a success. Errors: those of
 * fx_kyverno_template_eval(), and FX_EMUTATE ("failed to patch resource: …").
 */
bool fx_kyverno_json_patch_resolve(const struct kyverno_json_patch *patch,
                                   const struct kyverno_path *path,
                                   const struct fx_jmespath_scope *scope,
                                   struct fx_arena *arena,
                                   struct kyverno_operations *ret_operations,
                                   struct fx_err *err) FX_MUST_USE;
void fx_kyverno_operations_finish(struct kyverno_operations *operations);

/*
 * Applies the operations to *root, copying on write. If they change nothing, *root keeps
 * its nodes. After a failure *root may have the changes of the operations before the
 * failed one. Errors: FX_EMUTATE ("failed to patch resource: …", with the path),
 * FX_ELIMIT (value/go_patch.h), FX_EDEADLINE, FX_ENOMEM.
 */
bool fx_kyverno_operations_apply(const struct kyverno_operations *operations,
                                 json_t **root, struct fx_err *err) FX_MUST_USE;

/* fx_kyverno_json_patch_resolve(), then fx_kyverno_operations_apply(). While the second
 * one writes, nothing of this function has a reference to the object; but `scope` may
 * have one. */
bool fx_kyverno_json_patch_apply(const struct kyverno_json_patch *patch,
                                 const struct kyverno_path *path,
                                 const struct fx_jmespath_scope *scope,
                                 struct fx_arena *arena, json_t **root,
                                 struct fx_err *err) FX_MUST_USE;

#endif
