/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/patch_fuzz.c - an object and a patch with anchors, with a line break
 * between them. The patch is resolved and merged as a Pod's: neither text is written,
 * and each value of the object is compared with each value of the patch as a pattern and
 * in each condition.
 */
#include <assert.h>
#include <stdint.h>

#include "base/budget.h"
#include "merge/strategic.h"
#include "mutators/kyverno/condition.h"
#include "mutators/kyverno/pattern.h"
#include "mutators/kyverno/strategic.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_UNITS  (1u << 20)
#define ARENA_BYTES ((size_t)16 << 20)
#define MOST_PAIRS  64

static void compare(const json_t *a, const json_t *b, struct fx_arena *arena) {
    for (unsigned i = 0; i <= KYVERNO_DURATION_LESS_OR_EQUAL; i++) {
        (void)fx_kyverno_condition(a, (enum kyverno_operator)i, b, arena);
    }
    (void)fx_kyverno_match_scalar(a, b, arena);
    (void)fx_kyverno_match_pattern(FX_TEXT("metadata"), a, b, arena);
    assert(json_is_object(a) || json_is_array(a) || json_is_null(a) ||
           !fx_kyverno_condition(a, KYVERNO_EQUALS, b, arena) ||
           !fx_kyverno_condition(a, KYVERNO_NOT_EQUALS, b, arena));
}

/* Compares the members of the object with those of the patch, a few of them. */
static void compare_members(const json_t *object, const json_t *patch,
                            struct fx_arena *arena) {
    int pairs = 0;
    for (void *i = fx_node_first(object); i != NULL; i = fx_node_next(object, i)) {
        for (void *k = fx_node_first(patch); k != NULL; k = fx_node_next(patch, k)) {
            if (pairs++ < MOST_PAIRS) {
                compare(json_object_iter_value(i), json_object_iter_value(k), arena);
            }
        }
    }
}

static void resolve(json_t *object, json_t *given, struct fx_arena *arena) {
    struct fx_err err = FX_ERR_INIT;
    const struct fx_schema pod =
        fx_schema_find(&fx_strategic_builtin, FX_TEXT(""), FX_TEXT("v1"), FX_TEXT("Pod"));
    json_t *patch = json_incref(given);
    json_t *root = json_incref(object);
    const bool ok = fx_kyverno_resolve_anchors(&patch, object, arena, &err) &&
                    fx_strategic_merge(pod, &root, patch, NULL, &err);
    assert(ok || err.code == FX_EMUTATE || err.code == FX_ELIMIT ||
           err.code == FX_ENOMEM);
    json_decref(root);
    json_decref(patch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_text rest = {(const char *)data, size};
    json_t *object = fx_json_read(fx_text_cut(&rest, '\n'), NULL, &err);
    json_t *patch = fx_json_read(rest, NULL, &err);
    if (json_is_object(object) && json_is_object(patch)) {
        json_t *before[] = {fx_tree_deep_copy(object), fx_tree_deep_copy(patch)};
        struct fx_arena arena;
        fx_arena_init(&arena, ARENA_BYTES);
        const struct fx_bound bound = fx_budget_narrow(MOST_UNITS, 0);
        resolve(object, patch, &arena);
        compare_members(object, patch, &arena);
        (void)fx_budget_widen(bound);
        fx_arena_finish(&arena);
        assert(fx_equal(before[0], object) && fx_equal(before[1], patch));
        json_decref(before[0]);
        json_decref(before[1]);
    }
    json_decref(object);
    json_decref(patch);
    return 0;
}
