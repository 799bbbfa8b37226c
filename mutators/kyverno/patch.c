/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/patch.c - compiles and applies one patch of a rule.
 */
#include "patch.h"

#include "anchor.h"
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

/* Makes the plain patch that is the same for all objects. */
static bool make_constant(const struct kyverno_template_compile *with,
                          struct kyverno_patch *patch) {
    json_t *constant = fx_kyverno_template_constant(patch->as.tree);
    if (constant == NULL || fx_kyverno_has_anchor(constant)) {
        return true;
    }
    patch->plain = json_incref(constant);
    return fx_kyverno_resolve_anchors(&patch->plain, NULL, with->arena, with->err);
}

static bool compile_tree(const struct kyverno_template_compile *with, json_t *node,
                         struct kyverno_patch *patch) {
    if (!json_is_object(node)) {
        return fx_fail_in(with->err, node, FX_EINVALID, "%s: expected an object",
                          patch->field);
    }
    patch->as.tree = fx_kyverno_template_compile(with, node, patch->path);
    return patch->as.tree != NULL &&
           (patch->method != KYVERNO_METHOD_STRATEGIC || make_constant(with, patch));
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
        json_decref(patch->plain);
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

/* Makes the plain patch for this object, a new reference. */
static bool make_plain(const struct kyverno_patch *patch, struct kyverno_context *context,
                       const json_t *root, json_t **ret_plain, struct fx_err *err) {
    *ret_plain = json_incref(patch->plain);
    const bool ok = *ret_plain != NULL ||
                    (resolve_tree(patch, context, ret_plain, err) &&
                     fx_kyverno_resolve_anchors(ret_plain, root, context->arena, err));
    return ok &&
           fx_kyverno_merge_options_apply(context->merge_options, ret_plain, root, err);
}

static bool merge(json_t *plain, json_t **root, bool *ret_changed, struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read_type(*root, &subject);
    const struct fx_schema schema = fx_schema_find(&fx_strategic_builtin, subject.group,
                                                   subject.version, subject.kind);
    return fx_strategic_merge(schema, root, plain, ret_changed, err);
}

static bool apply_tree(const struct kyverno_patch *patch, struct kyverno_context *context,
                       json_t **root, struct fx_err *err) {
    json_t *tree = NULL;
    const bool ok = patch->method == KYVERNO_METHOD_STRATEGIC
                        ? make_plain(patch, context, *root, &tree, err) &&
                              merge(tree, root, NULL, err)
                        : resolve_tree(patch, context, &tree, err) &&
                              fx_kyverno_overlay_apply(tree, root, context->arena, err);
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

static bool has_kind(const json_t *root) {
    return fx_tree_view_string(root, "kind").len > 0;
}

static bool check_kind(const json_t *root, struct fx_err *err) {
    return has_kind(root) ||
           fx_fail(err, FX_EMUTATE,
                   "the patch gives an object without a kind: Object 'Kind' is missing");
}

bool fx_kyverno_apply_patch(const struct kyverno_patch *patch,
                            struct kyverno_context *context, json_t **root,
                            struct fx_err *err) {
    const bool ok = patch->method == KYVERNO_METHOD_JSON
                        ? apply_json(patch, context, root, err)
                        : apply_tree(patch, context, root, err);
    return ok && check_kind(*root, err);
}

/* ---- the patch of a rule -------------------------------------------------------------
 */

/* Ends a patch that kept the object before it. */
static bool end(bool ok, json_t *before, json_t **root, struct fx_effect *effect) {
    if (ok) {
        fx_kyverno_effect_compare(before, root, effect);
        return true;
    }
    json_decref(*root);
    *root = before;
    return false;
}

/* Merges the tree. A second reference to the object would cost a copy of each node that
 * is written, so there is none if the patch says what it changes. */
static bool merge_object(struct kyverno_context *context, json_t *plain, json_t **root,
                         struct fx_effect *effect, struct fx_err *err) {
    if (fx_kyverno_effect_foresee(plain, effect) && has_kind(*root)) {
        fx_kyverno_context_release_mutated(context);
        return merge(plain, root, &effect->changed, err);
    }
    json_t *before = json_incref(*root);
    const bool ok = merge(plain, root, NULL, err) && check_kind(*root, err);
    return end(ok, before, root, effect);
}

bool fx_kyverno_patch_object(const struct kyverno_patch *patch,
                             struct kyverno_context *context, json_t **root,
                             struct fx_effect *effect, struct fx_err *err) {
    json_t *tree = NULL;
    if (patch->method != KYVERNO_METHOD_STRATEGIC) {
        json_t *before = json_incref(*root);
        const bool ok = fx_kyverno_apply_patch(patch, context, root, err);
        return end(ok, before, root, effect);
    }
    const bool ok = make_plain(patch, context, *root, &tree, err) &&
                    merge_object(context, tree, root, effect, err);
    json_decref(tree);
    return ok;
}

const struct kyverno_patch_ops fx_kyverno_patch_ops = {
    .compile = fx_kyverno_patch_compile,
    .apply = fx_kyverno_apply_patch,
    .finish = fx_kyverno_patch_finish,
};
