/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/object.h - what a reflector must know of an object, and the object without what
 * nobody reads.
 */
#ifndef FX_KUBE_OBJECT_H
#define FX_KUBE_OBJECT_H

#include <stdbool.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"
#include "kube/resource.h"

/* Which object, and which of its states. Borrowed from the object. */
struct fx_kube_identity {
    struct fx_text namespace_; /* empty: of the cluster */
    struct fx_text name;
    struct fx_text uid;     /* empty where there is none */
    struct fx_text version; /* metadata.resourceVersion */
};

/* Reads it. False where the object has no name or resourceVersion, or one of the four is
 * nothing that an API server gives: too long, or with a character that no path may hold.
 */
bool fx_kube_object_identify(const json_t *object,
                             struct fx_kube_identity *ret_identity) FX_MUST_USE;

/* metadata.resourceVersion of an object or a list; empty where there is none that could
 * be one. */
struct fx_text fx_kube_object_version(const json_t *object);

/* Is version `a` surely before `b`? They are counters in decimal, whose order is that of
 * time (KEP-5504); of what is none nobody knows. */
bool fx_kube_version_is_before(struct fx_text a, struct fx_text b);

/* What the objects of one resource share: two nodes for thousands of them. */
struct fx_kube_type_meta {
    json_t *kind, *api_version;
};

/* False without memory. */
bool fx_kube_type_meta_init(struct fx_kube_type_meta *kind,
                            const struct fx_kube_resource *resource) FX_MUST_USE;
void fx_kube_type_meta_finish(struct fx_kube_type_meta *kind); /* zeroed is fine */

/* Makes an object that nobody else sees yet what is told of it: without
 * metadata.managedFields and kubectl's copy of the whole object in an annotation; with
 * kind and apiVersion, which items of a list may lack (API conventions, "lists"). With
 * `metadata_only` it has nothing else but its metadata, and kind and apiVersion are those
 * of the resource, whether the server made it a PartialObjectMetadata or not. False
 * without memory. */
bool fx_kube_object_strip(json_t *object, const struct fx_kube_type_meta *kind,
                          bool metadata_only) FX_MUST_USE;

#endif
