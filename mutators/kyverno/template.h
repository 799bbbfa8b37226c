/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/template.h - a part of a rule with variables, `{{ request.object.metadata.name
 * }}`, compiled once: what has no variable in it is shared by all its results
 * (spec/kyverno.md section 7).
 *
 * References, `$(./../name)`, are replaced when the template is compiled: they lead to
 * other parts of the rule.
 */
#ifndef FX_KYVERNO_TEMPLATE_H
#define FX_KYVERNO_TEMPLATE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/jmespath/jmespath.h"

/* The way to a part of a rule: each step is on the stack of its caller. */
struct kyverno_path {
    const struct kyverno_path *above; /* NULL: a member of the rule itself */
    struct fx_text key;               /* data NULL: the element `index` of a list */
    size_t index;
};

/* Appends "/mutate/patchStrategicMerge/spec/containers/0". */
void fx_kyverno_path_print(struct fx_buf *buf, const struct kyverno_path *path);

/* Copies a path, whose steps are on the stack of callers, into the arena; the texts of
 * its keys are not copied. NULL without memory, and for NULL. */
const struct kyverno_path *
fx_kyverno_path_keep(struct fx_arena *arena, const struct kyverno_path *path) FX_MUST_USE;

struct kyverno_template; /* opaque, immutable once made */

/* What a rule's templates are compiled with. All is borrowed. */
struct kyverno_template_compile {
    const json_t *document; /* the rule, where references look */
    bool
        has_target; /* `{{@}}` means a part of the rule's target, not of request.object */
    struct fx_arena *arena; /* of the templates */
    struct fx_err *err;
};

/*
 * Compiles a part of a rule. `path` is its place in the rule. The nodes of `tree` are
 * shared by the template, which is in the arena; fx_kyverno_template_finish() frees what
 * is not. An expression that does not compile, or a reference that leads nowhere, fails
 * when the template is evaluated. NULL with FX_ELIMIT, FX_EDEADLINE or FX_ENOMEM.
 */
struct kyverno_template *
fx_kyverno_template_compile(const struct kyverno_template_compile *with, json_t *tree,
                            const struct kyverno_path *path) FX_MUST_USE;
void fx_kyverno_template_finish(struct kyverno_template *compiled); /* NULL is fine */

/* Returns the value of a template without variables, borrowed; NULL if it has any. */
json_t *fx_kyverno_template_constant(const struct kyverno_template *compiled);

/*
 * Gives a new reference to the tree with all variables replaced by their values, which
 * shares the parts without variables. `path` as above. Errors: FX_EMUTATE ("failed to
 * resolve x at path /mutate/…: …"), and those of queries that are not the policy's fault
 * (FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM).
 */
bool fx_kyverno_template_eval(const struct kyverno_template *compiled,
                              const struct kyverno_path *path,
                              const struct fx_jmespath_scope *scope, json_t **ret_tree,
                              struct fx_err *err) FX_MUST_USE;

/* Calls `visit` for each query of the template; stops at the first false, and returns
 * it. */
bool fx_kyverno_template_visit(const struct kyverno_template *compiled,
                               bool (*visit)(void *context,
                                             const struct fx_jmespath *query),
                               void *context);

#endif
