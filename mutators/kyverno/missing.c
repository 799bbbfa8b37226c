/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/missing.c - what is not built yet.
 */
#include "images.h"
#include "overlay.h"

bool fx_kyverno_extractors_compile(const json_t *extractors, struct fx_arena *arena,
                                   struct kyverno_extractors **ret_extractors,
                                   struct fx_err *err) {
    (void)arena;
    *ret_extractors = NULL;
    return extractors == NULL ||
           fx_fail_in(err, extractors, FX_EINVALID, "imageExtractors: not built yet");
}

void fx_kyverno_extractors_finish(struct kyverno_extractors *extractors) {
    (void)extractors;
}

bool fx_kyverno_images(json_t *object, const struct kyverno_extractors *extractors,
                       json_t **ret_images, struct fx_err *err) {
    (void)object;
    (void)extractors;
    (void)err;
    *ret_images = NULL;
    return true;
}

bool fx_kyverno_overlay_apply(json_t *overlay, json_t **root, struct fx_arena *arena,
                              struct fx_err *err) {
    (void)overlay;
    (void)root;
    (void)arena;
    return fx_fail(err, FX_EMUTATE, "overlay: not built yet");
}
