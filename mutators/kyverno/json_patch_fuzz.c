/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/json_patch_fuzz.c - an object, and the text of a JSON patch, with a
 * line break between them. The shared object is never written, and what is wrong with the
 * text is known before it is applied.
 */
#include <assert.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/limits.h"
#include "location/jmespath/scope_testing.h"
#include "mutators/kyverno/json_patch.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/measure.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_UNITS  (1u << 20)
#define ARENA_BYTES ((size_t)16 << 20)

static void apply(json_t *object, json_t *text, struct fx_arena *arena) {
    struct fx_err err = FX_ERR_INIT;
    size_t nodes = (size_t)64 << 20;
    json_t *root = json_incref(object);
    const struct fx_jmespath_scope scope = jmespath_scope_of(object);
    const struct kyverno_template_compile with = {
        .document = text, .arena = arena, .err = &err};
    struct kyverno_json_patch *patch = fx_kyverno_json_patch_compile(&with, text, NULL);
    if (patch != NULL) {
        const bool ok =
            fx_kyverno_json_patch_apply(patch, NULL, &scope, arena, &root, &err);
        assert(!ok || fx_kyverno_json_patch_fault(patch) == NULL);
        assert(ok || err.code == FX_EMUTATE || err.code == FX_ELIMIT ||
               err.code == FX_EINVALID);
        assert(!ok || fx_budget_exceeded() != FX_EXCEEDED_NOTHING ||
               fx_tree_measure(root, FX_LIMIT_JSON_DEPTH, &nodes) ||
               fx_budget_exceeded() != FX_EXCEEDED_NOTHING);
    }
    fx_kyverno_json_patch_finish(patch);
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_text rest = {(const char *)data, size};
    json_t *object = fx_json_read(fx_text_cut(&rest, '\n'), NULL, &err);
    if (json_is_object(object) && fx_text_is_utf8(rest)) {
        json_t *before = fx_tree_deep_copy(object);
        json_t *text = fx_tree_new_string(rest);
        struct fx_arena arena;
        fx_arena_init(&arena, ARENA_BYTES);
        const struct fx_bound bound = fx_budget_narrow(MOST_UNITS, 0);
        apply(object, text, &arena);
        (void)fx_budget_widen(bound);
        fx_arena_finish(&arena);
        assert(fx_equal(before, object));
        json_decref(text);
        json_decref(before);
    }
    json_decref(object);
    return 0;
}
