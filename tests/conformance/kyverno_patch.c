/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno_patch.c - the parts of Kyverno's patches: conditions of preconditions, patterns
 * of values, anchors that are decided for an object.
 */
#include "base/arena.h"
#include "kinds.h"
#include "mutators/kyverno/condition.h"
#include "mutators/kyverno/pattern.h"
#include "mutators/kyverno/strategic.h"
#include "skips.h"
#include "value/tree.h"

#define ARENA_BYTES ((size_t)1 << 20)

void fx_case_condition(json_t *row, struct fx_case_result *result) {
    enum kyverno_operator operator_;
    struct fx_arena arena;
    result->skipped = fx_case_condition_skip_reason(row);
    if (result->skipped != NULL) {
        return;
    }
    if (!fx_kyverno_operator(fx_tree_view_string(row, "operator"), &operator_)) {
        fx_case_fail(result, "operator", "one of Kyverno's", "an unknown one");
        return;
    }
    fx_arena_init(&arena, ARENA_BYTES);
    fx_case_expect_bool(result, "the condition",
                        json_is_true(fx_tree_view_key(row, "expect")),
                        fx_kyverno_condition(fx_tree_view_key(row, "key"), operator_,
                                             fx_tree_view_key(row, "value"), &arena));
    fx_arena_finish(&arena);
}

void fx_case_pattern(json_t *row, struct fx_case_result *result) {
    struct fx_arena arena;
    fx_arena_init(&arena, ARENA_BYTES);
    fx_case_expect_bool(
        result, "the match", json_is_true(fx_tree_view_key(row, "expect")),
        fx_kyverno_match_scalar(fx_tree_view_key(row, "value"),
                                fx_tree_view_key(row, "pattern"), &arena));
    fx_arena_finish(&arena);
}

/* Checks how many elements some lists of the patch have: {"/containers": 2}. */
static void expect_lengths(struct fx_case_result *result, const json_t *lengths,
                           const json_t *patch) {
    for (void *iter = fx_node_first(lengths); iter != NULL;
         iter = fx_node_next(lengths, iter)) {
        json_t *length = json_integer((json_int_t)json_array_size(
            fx_tree_view_text(patch, fx_text_rest(fx_node_key(iter), 1))));
        fx_case_expect_json(result, "the length", json_object_iter_value(iter), length);
        json_decref(length);
    }
}

/* A condition that fails leaves a patch that changes nothing. */
static void expect_patch(struct fx_case_result *result, const json_t *expect,
                         const json_t *patch) {
    const json_t *whole = fx_tree_view_key(expect, "patch");
    if (whole != NULL) {
        fx_case_expect_json(result, "the patch", whole, patch);
    } else if (fx_tree_view_key(expect, "conditionFailed") != NULL) {
        fx_case_expect_bool(result, "the patch is empty", true,
                            json_object_size(patch) == 0);
    } else {
        expect_lengths(result, fx_tree_view_key(expect, "listLength"), patch);
    }
}

void fx_case_preprocess(json_t *row, struct fx_case_result *result) {
    struct fx_arena arena;
    struct fx_err err = FX_ERR_INIT;
    fx_arena_init(&arena, ARENA_BYTES);
    json_t *patch = json_incref(fx_tree_view_key(row, "pattern"));
    if (fx_kyverno_resolve_anchors(&patch, fx_tree_view_key(row, "resource"), &arena,
                                   &err)) {
        expect_patch(result, fx_tree_view_key(row, "expect"), patch);
    } else {
        fx_case_fail(result, "the patch", "one", err.msg);
    }
    json_decref(patch);
    fx_arena_finish(&arena);
}
