/* SPDX-License-Identifier: Apache-2.0
 *
 * configuration.c - merges an Object{…} value into an object.
 */
#include "mutators/admission_policy/configuration.h"

#include "base/limits.h"
#include "merge/typed.h"
#include "mutators/admission_policy/convert.h"
#include "mutators/admission_policy/decode.h"
#include "mutators/admission_policy/policy.h"
#include "value/tree.h"

static json_t *merge_configuration(json_t *live, json_t *patch,
                                   const struct fx_map_target *target,
                                   struct fx_arena *arena, struct fx_map_refusal *refusal,
                                   struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    json_t *merged = fx_typed_merge(target->schema, live, patch, arena, &text, err);
    if (merged == NULL && err->code == FX_EMUTATE) {
        fx_buf_str(&refusal->message, "error applying patch: ");
        fx_buf_text(&refusal->message, fx_buf_view(&text));
        fx_buf_fail_as(&refusal->message, &text);
        (void)fx_map_reject(refusal, 403, err);
    }
    fx_buf_finish(&text);
    return merged;
}

/* Decodes the merged object, which the API server converts to its Go type. */
static json_t *decode_merged(json_t *merged, json_t *live,
                             const struct fx_map_target *target, struct fx_arena *arena,
                             struct fx_map_refusal *refusal, struct fx_err *err) {
    if (!target->is_decoded) {
        return json_incref(merged);
    }
    fx_buf_printf(&refusal->message,
                  "unable to convert unstructured object to %.*s/%.*s, Kind=%.*s: ",
                  (int)target->group.len, target->group.data, (int)target->version.len,
                  target->version.data, (int)target->kind.len, target->kind.data);
    const struct fx_map_decoding decoding = {FX_MAP_MERGED, target->schema, live};
    json_t *decoded = fx_map_decode(&decoding, merged, arena, refusal, err);
    if (decoded != NULL || err->code != FX_EMUTATE) {
        fx_buf_reset(&refusal->message);
    }
    return decoded;
}

/* ---- trees ------------------------------------------------------------------------- */

json_t *fx_map_configuration_read(struct fx_cel_value value,
                                  struct fx_map_refusal *refusal, struct fx_err *err) {
    json_t *tree = fx_map_check_type_names(value, refusal, err)
                       ? fx_map_convert_object(value, refusal, err)
                       : NULL;
    if (tree != NULL) {
        fx_tree_remove_key(tree, FX_TEXT("apiVersion"));
        fx_tree_remove_key(tree, FX_TEXT("kind"));
    }
    return tree;
}

/* The cost up to which an expression is evaluated when its policy is compiled. */
#define MOST_COST_OF_CONSTANT 20000u

/* Did it fail for a reason that is not one of the expression? */
static bool is_internal(const struct fx_err *err) {
    return err->code == FX_ENOMEM || err->code == FX_EDEADLINE;
}

static json_t *read_constant(struct fx_cel_value value, struct fx_err *err) {
    struct fx_map_refusal refusal = {.code = 403};
    fx_buf_init(&refusal.message, 0);
    json_t *tree = value.kind == FX_CEL_STRUCT
                       ? fx_map_configuration_read(value, &refusal, err)
                       : NULL;
    fx_buf_finish(&refusal.message);
    return tree;
}

bool fx_map_configuration_fold(const struct fx_cel_program *program, json_t **ret_tree,
                               struct fx_err *err) {
    struct fx_cel_value none[MAP_SLOTS] = {{.kind = FX_CEL_UNSET}};
    struct fx_arena arena;
    struct fx_cel_run run = {
        .arena = &arena, .variables = none, .cost_limit = MOST_COST_OF_CONSTANT};
    *ret_tree = NULL;
    if (fx_map_slots_of(fx_cel_program_root(program)) != 0) {
        return true;
    }
    fx_err_reset(err);
    fx_arena_init(&arena, FX_LIMIT_ARENA_BYTES);
    const struct fx_cel_value value = fx_cel_eval(program, &run, err);
    *ret_tree = read_constant(value, err);
    fx_arena_finish(&arena);
    if (*ret_tree == NULL && is_internal(err)) {
        return false;
    }
    fx_err_reset(err);
    return true;
}

/* ---- merging ----------------------------------------------------------------------- */

/* Merges, and makes a new object. Returns a new reference, or NULL. */
static json_t *merge_to_new(json_t *tree, const struct fx_map_target *target,
                            json_t *live, struct fx_arena *arena,
                            struct fx_map_refusal *refusal, struct fx_err *err) {
    json_t *result = NULL;
    json_t *patch = json_incref(tree);
    if (fx_tree_own_root(&patch) == NULL) {
        json_decref(patch);
        (void)fx_fail_nomem(err);
        return NULL;
    }
    json_t *merged = fx_map_target_set_kind(target, patch, err)
                         ? merge_configuration(live, patch, target, arena, refusal, err)
                         : NULL;
    if (merged != NULL) {
        result = decode_merged(merged, live, target, arena, refusal, err);
    }
    json_decref(merged);
    json_decref(patch);
    return result;
}

/* The facts about a change in place, which is that of the configuration at most. */
static struct fx_map_change describe_plain(const json_t *tree) {
    struct fx_map_change change = {true, true, true};
    const json_t *metadata = fx_tree_view_key(tree, "metadata");
    void *iter = json_is_object(metadata) ? fx_node_first(metadata) : NULL;
    for (; iter != NULL; iter = fx_node_next(metadata, iter)) {
        const struct fx_text key = fx_node_key(iter);
        if (fx_text_is(key, "labels") || fx_text_is(key, "annotations")) {
            change.keeps_metadata = false;
        } else if (fx_text_is(key, "name") || fx_text_is(key, "namespace") ||
                   fx_text_is(key, "generateName")) {
            change.keeps_names = false;
        }
    }
    return change;
}

/* NOLINTNEXTLINE(readability-function-size): two results. */
bool fx_map_configuration_merge(json_t *tree, const struct fx_map_target *target,
                                json_t **root, struct fx_arena *arena,
                                struct fx_map_refusal *refusal,
                                struct fx_map_change *ret_change, struct fx_err *err) {
    *ret_change = (struct fx_map_change){false, true, true};
    const enum fx_typed_plain how =
        target->has_usual_version
            ? fx_typed_merge_plain(target->schema, root, tree, arena, err)
            : FX_TYPED_NOT_PLAIN;
    switch (how) {
    case FX_TYPED_SAME: return true;
    case FX_TYPED_CHANGED: *ret_change = describe_plain(tree); return true;
    case FX_TYPED_FAILED: return false;
    case FX_TYPED_NOT_PLAIN: break;
    }
    json_t *result = merge_to_new(tree, target, *root, arena, refusal, err);
    return result != NULL && fx_map_replace(root, result, ret_change, err);
}
