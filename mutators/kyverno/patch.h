/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/patch.h - one patch of a rule or of an entry of a foreach, of any method.
 */
#ifndef FX_KYVERNO_PATCH_H
#define FX_KYVERNO_PATCH_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "context.h"
#include "effect.h"
#include "foreach.h"
#include "json_patch.h"
#include "template.h"

enum kyverno_method {
    KYVERNO_METHOD_STRATEGIC, /* patchStrategicMerge */
    KYVERNO_METHOD_JSON,      /* patchesJson6902, or the old `patches` */
    KYVERNO_METHOD_OVERLAY,   /* the old `overlay` */
};

/* Immutable, in the arena with which it was compiled. */
struct kyverno_patch {
    enum kyverno_method method;
    const char *field;               /* "patchStrategicMerge", "patchesJson6902", … */
    const struct kyverno_path *path; /* its place in the rule */
    union {
        struct kyverno_template *tree; /* STRATEGIC, OVERLAY */
        struct kyverno_json_patch *json;
    } as;
    json_t *plain; /* counted: what the anchors of `tree` give if it has neither anchors
                    * nor variables; otherwise NULL */
};

/* Compiles the patch of `holder`, `mutate` of a rule or an entry of a foreach at `path`:
 * struct kyverno_patch_ops.compile. If it has several methods, the first one of enum
 * kyverno_method counts. Errors, in with->err: FX_EINVALID (there is no patch, or it has
 * the wrong type), FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM. */
bool fx_kyverno_patch_compile(const struct kyverno_template_compile *with, json_t *holder,
                              const struct kyverno_path *path,
                              struct kyverno_patch **ret_patch) FX_MUST_USE;
void fx_kyverno_patch_finish(struct kyverno_patch *patch); /* NULL is fine */

/* Applies the patch with the variables of the context to *root, copying on write: struct
 * kyverno_patch_ops.apply. If nothing changes, *root keeps its nodes. The context keeps
 * its references to the object. After a failure *root may be half written. Errors:
 * FX_EMUTATE (a variable cannot be resolved, the patch does not fit the object, the
 * result has no `kind`), FX_EINPUT, FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM. */
bool fx_kyverno_apply_patch(const struct kyverno_patch *patch,
                            struct kyverno_context *context, json_t **root,
                            struct fx_err *err) FX_MUST_USE;

/* The same for the patch of a rule, whose context is not used again. Sets the effect.
 * On failure *root is as it was, unless the error is ours (fx_err_is_ours()). */
bool fx_kyverno_patch_object(const struct kyverno_patch *patch,
                             struct kyverno_context *context, json_t **root,
                             struct fx_effect *effect, struct fx_err *err) FX_MUST_USE;

/* The functions above, for entries of a foreach. */
extern const struct kyverno_patch_ops fx_kyverno_patch_ops;

#endif
