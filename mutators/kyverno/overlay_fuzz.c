/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kyverno/overlay_fuzz.c - an object, an overlay, and the text of the annotation
 * for lists, with line breaks between them. Neither tree is written; the second also is a
 * patch whose lists are merged as the annotation says. The images of the object are
 * found, too.
 */
#include <assert.h>
#include <stdint.h>

#include "base/budget.h"
#include "merge/strategic.h"
#include "mutators/kyverno/images.h"
#include "mutators/kyverno/merge_options.h"
#include "mutators/kyverno/overlay.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_UNITS  (1u << 20)
#define ARENA_BYTES ((size_t)16 << 20)

static bool is_expected(bool ok, const struct fx_err *err) {
    return ok || err->code == FX_EMUTATE || err->code == FX_ELIMIT ||
           err->code == FX_EINVALID || err->code == FX_ENOMEM;
}

static void overlay_object(json_t *object, json_t *overlay, struct fx_arena *arena) {
    struct fx_err err = FX_ERR_INIT;
    json_t *root = json_incref(object);
    const bool ok = fx_kyverno_overlay_apply(overlay, &root, arena, &err);
    assert(is_expected(ok, &err) && (ok || root == object));
    json_decref(root);
}

static void merge_object(json_t *object, json_t *given, struct fx_text lists,
                         struct fx_arena *arena) {
    static const struct fx_schema none = {NULL, 0};
    struct fx_err err = FX_ERR_INIT;
    struct kyverno_merge_options *options = NULL;
    json_t *annotations = json_object();
    json_t *patch = json_incref(given);
    json_t *root = json_incref(object);
    (void)json_object_set_new(annotations, KYVERNO_MERGE_LISTS,
                              fx_tree_new_string(lists));
    (void)json_object_set_new(annotations, KYVERNO_MERGE_WILDCARDS, json_string("true"));
    const bool ok =
        fx_kyverno_merge_options_compile(annotations, arena, &options, &err) &&
        fx_kyverno_merge_options_apply(options, &patch, object, &err) &&
        fx_strategic_merge(none, &root, patch, NULL, &err);
    assert(is_expected(ok, &err));
    json_decref(root);
    json_decref(patch);
    json_decref(annotations);
}

static void find_images(json_t *object) {
    struct fx_err err = FX_ERR_INIT;
    json_t *images = NULL;
    const bool ok = fx_kyverno_images(object, NULL, &images, &err);
    assert(is_expected(ok, &err) && (ok || images == NULL));
    json_decref(images);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_err err = FX_ERR_INIT;
    struct fx_text rest = {(const char *)data, size};
    json_t *object = fx_json_read(fx_text_cut(&rest, '\n'), NULL, &err);
    json_t *overlay = fx_json_read(fx_text_cut(&rest, '\n'), NULL, &err);
    if (json_is_object(object) && json_is_object(overlay) && fx_text_is_utf8(rest)) {
        json_t *before[] = {fx_tree_deep_copy(object), fx_tree_deep_copy(overlay)};
        struct fx_arena arena;
        fx_arena_init(&arena, ARENA_BYTES);
        const struct fx_bound bound = fx_budget_narrow(MOST_UNITS, 0);
        overlay_object(object, overlay, &arena);
        merge_object(object, overlay, rest, &arena);
        find_images(object);
        (void)fx_budget_widen(bound);
        fx_arena_finish(&arena);
        assert(fx_equal(before[0], object) && fx_equal(before[1], overlay));
        json_decref(before[0]);
        json_decref(before[1]);
    }
    json_decref(object);
    json_decref(overlay);
    return 0;
}
