/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/patch.c - compiles and applies one patch of a rule.
 */
#include "patch.h"

#include "engine/request.h"
#include "merge/schema.h"
#include "merge/strategic.h"
#include "merge_options.h"
#include "overlay.h"
#include "strategic.h"
#include "value/tree.h"

/* ---- compiling ----------------------------------------------------------------------
 */

/* The fields of a patch; of several the first one counts. */
static const struct {
    const char *name;
    enum kyverno_method method;
} fields[] = {
    {"patchStrategicMerge", KYVERNO_METHOD_STRATEGIC},
    {"patchesJson6902", KYVERNO_METHOD_JSON},
    {"patches", KYVERNO_METHOD_JSON},
    {"overlay", KYVERNO_METHOD_OVERLAY},
};

/* Copies a path, whose steps are on the stack of the caller, and adds a last step. */
static const struct kyverno_path *
copy_path(struct fx_arena *arena, const struct kyverno_path *above, const char *key) {
    struct kyverno_path *copy = fx_arena_alloc(arena, sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    *copy = (struct kyverno_path){.key = fx_text_of(key)};
    struct kyverno_path *below = copy;
    for (; above != NULL; above = above->above) {
        struct kyverno_path *step = fx_arena_alloc(arena, sizeof *step);
        if (step == NULL) {
            return NULL;
        }
        *step = *above;
        below->above = step;
        below = step;
    }
    return copy;
}

static bool compile_tree(const struct kyverno_template_compile *with, json_t *node,
                         struct kyverno_patch *patch) {
    if (!json_is_object(node)) {
        return fx_fail_in(with->err, node, FX_EINVALID, "%s: expected an object",
                          patch->field);
    }
    patch->as.tree = fx_kyverno_template_compile(with, node, patch->path);
    return patch->as.tree != NULL;
}

static bool compile_field(const struct kyverno_template_compile *with, json_t *node,
                          struct kyverno_patch *patch) {
    if (patch->method != KYVERNO_METHOD_JSON) {
        return compile_tree(with, node, patch);
    }
    patch->as.json = fx_kyverno_json_patch_compile(with, node, patch->path);
    return patch->as.json != NULL;
}

bool fx_kyverno_patch_compile(const struct kyverno_template_compile *with, json_t *holder,
                              const struct kyverno_path *path,
                              struct kyverno_patch **ret_patch) {
    for (size_t i = 0; i < FX_COUNT(fields); i++) {
        json_t *node = fx_tree_view_key(holder, fields[i].name);
        if (node == NULL || (json_is_null(node) && i + 1 < FX_COUNT(fields))) {
            continue;
        }
        struct kyverno_patch *patch = fx_arena_alloc(with->arena, sizeof *patch);
        if (patch == NULL) {
            return fx_fail_nomem(with->err);
        }
        *patch = (struct kyverno_patch){
            .method = fields[i].method,
            .field = fields[i].name,
            .path = copy_path(with->arena, path, fields[i].name),
        };
        if (patch->path == NULL) {
            return fx_fail_nomem(with->err);
        }
        *ret_patch = patch;
        return compile_field(with, node, patch);
    }
    return fx_fail_in(with->err, holder, FX_EINVALID,
                      "expected one of patchStrategicMerge, patchesJson6902, foreach");
}

void fx_kyverno_patch_finish(struct kyverno_patch *patch) {
    if (patch == NULL) {
        return;
    }
    if (patch->method == KYVERNO_METHOD_JSON) {
        fx_kyverno_json_patch_finish(patch->as.json);
    } else {
        fx_kyverno_template_finish(patch->as.tree);
    }
}

/* ---- applying -----------------------------------------------------------------------
 */

/* Gives the tree of the patch for this object, a new reference. */
static bool resolve_tree(const struct kyverno_patch *patch,
                         struct kyverno_context *context, json_t **ret_tree,
                         struct fx_err *err) {
    json_t *constant = fx_kyverno_template_constant(patch->as.tree);
    if (constant != NULL) {
        *ret_tree = json_incref(constant);
        return true;
    }
    return fx_kyverno_template_eval(patch->as.tree, patch->path, &context->scope,
                                    ret_tree, err);
}

static bool merge(struct kyverno_context *context, json_t **tree, json_t **root,
                  struct fx_err *err) {
    if (!fx_kyverno_resolve_anchors(tree, *root, context->arena, err) ||
        !fx_kyverno_merge_options_apply(context->merge_options, tree, *root, err)) {
        return false;
    }
    struct fx_subject subject;
    fx_subject_read_type(*root, &subject);
    const struct fx_schema schema = fx_schema_find(&fx_strategic_builtin, subject.group,
                                                   subject.version, subject.kind);
    return fx_strategic_merge(schema, root, *tree, err);
}

static bool apply_tree(const struct kyverno_patch *patch, struct kyverno_context *context,
                       json_t **root, struct fx_err *err) {
    json_t *tree = NULL;
    if (!resolve_tree(patch, context, &tree, err)) {
        return false;
    }
    bool ok = false;
    if (patch->method == KYVERNO_METHOD_STRATEGIC) {
        ok = merge(context, &tree, root, err);
    } else {
        ok = fx_kyverno_overlay_apply(tree, root, context->arena, err);
    }
    json_decref(tree);
    return ok;
}

static bool apply_json(const struct kyverno_patch *patch, struct kyverno_context *context,
                       json_t **root, struct fx_err *err) {
    struct kyverno_operations operations;
    if (!fx_kyverno_json_patch_resolve(patch->as.json, patch->path, &context->scope,
                                       context->arena, &operations, err)) {
        return false;
    }
    const bool ok = fx_kyverno_operations_apply(&operations, root, err);
    fx_kyverno_operations_finish(&operations);
    return ok;
}

bool fx_kyverno_apply_patch(const struct kyverno_patch *patch,
                            struct kyverno_context *context, json_t **root,
                            struct fx_err *err) {
    const bool ok = patch->method == KYVERNO_METHOD_JSON
                        ? apply_json(patch, context, root, err)
                        : apply_tree(patch, context, root, err);
    return ok && (fx_tree_view_string(*root, "kind").len > 0 ||
                  fx_fail(err, FX_EMUTATE,
                          "the patch gives an object without a kind: Object 'Kind' is "
                          "missing"));
}

const struct kyverno_patch_ops fx_kyverno_patch_ops = {
    .compile = fx_kyverno_patch_compile,
    .apply = fx_kyverno_apply_patch,
    .finish = fx_kyverno_patch_finish,
};
