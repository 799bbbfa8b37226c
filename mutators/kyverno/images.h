/* SPDX-License-Identifier: Apache-2.0
 *
 * kyverno/images.h - the variable `images` of a rule: the references of images in an
 * object, split (spec/kyverno.md section 7).
 */
#ifndef FX_KYVERNO_IMAGES_H
#define FX_KYVERNO_IMAGES_H

#include <stdbool.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"

/* "true": `imageExtractors` of a rule count for its variable `images`. Kyverno reads them
 * in rules that verify images, and ignores them in rules that mutate. Fixpoint's own. */
#define KYVERNO_IMAGE_EXTRACTORS "policies.fixpoint.dev/image-extractors"

struct kyverno_extractors; /* opaque, immutable, in an arena */

/* Compiles `imageExtractors` of a rule, which is NULL or an object: for each kind a list
 * of {path, name, key, value, jmesPath}. *ret_extractors is NULL if there are none.
 * fx_kyverno_extractors_finish() frees what is not in the arena. Errors: FX_EINVALID (a
 * field is missing or has the wrong type, a query does not compile), FX_ELIMIT,
 * FX_ENOMEM. */
bool fx_kyverno_extractors_compile(const json_t *extractors, struct fx_arena *arena,
                                   struct kyverno_extractors **ret_extractors,
                                   struct fx_err *err) FX_MUST_USE;
void fx_kyverno_extractors_finish(struct kyverno_extractors *extractors); /* NULL: fine */

/*
 * Gives a new object, {containers: {NAME: {registry, path, name, tag, digest, reference,
 * referenceWithTag, jsonPointer}}, …}. *ret_images is NULL if the object has no images:
 * then there is no such variable. `object` is the object of the request, or NULL. The
 * extractors for its kind, if there are any, replace the places where Pods and their
 * controllers have images. Errors: FX_EMUTATE (the text is no reference of an image),
 * FX_EDEADLINE, FX_ELIMIT, FX_ENOMEM.
 */
bool fx_kyverno_images(json_t *object, const struct kyverno_extractors *extractors,
                       json_t **ret_images, struct fx_err *err) FX_MUST_USE;

#endif
