/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/object.h - the identity of an object, and removing unused parts.
 */
#ifndef FX_KUBE_OBJECT_H
#define FX_KUBE_OBJECT_H

#include <stdbool.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"
#include "kube/resource.h"

/* An object and its version. Borrowed from the object. */
struct fx_kube_identity {
    struct fx_text namespace_; /* empty if cluster-scoped */
    struct fx_text name;
    struct fx_text uid;     /* empty if there is none */
    struct fx_text version; /* metadata.resourceVersion */
};

/* Reads the identity. False if the object has no name or resourceVersion, or if one of
 * the four fields cannot be from an API server: it is too long, or has a character that
 * is not allowed in a path. */
bool fx_kube_object_identify(const json_t *object,
                             struct fx_kube_identity *ret_identity) FX_MUST_USE;

/* Returns metadata.resourceVersion of an object or a list; empty if it is missing or
 * invalid. */
struct fx_text fx_kube_object_version(const json_t *object);

/* Is version `a` certainly older than `b`? Versions are decimal counters (KEP-5504);
 * false if one of them is not. */
bool fx_kube_version_is_before(struct fx_text a, struct fx_text b);

/* The nodes `kind` and `apiVersion` that all objects of one resource share. */
struct fx_kube_type_meta {
    json_t *kind, *api_version;
};

/* Makes the nodes. False without memory. */
bool fx_kube_type_meta_init(struct fx_kube_type_meta *type,
                            const struct fx_kube_resource *resource) FX_MUST_USE;
void fx_kube_type_meta_finish(struct fx_kube_type_meta *type); /* zeroed is allowed */

/* Prepares a new object, which is not shared yet, for its readers: removes
 * metadata.managedFields and the annotation last-applied-configuration, and adds kind and
 * apiVersion, which items of a list may lack (API conventions, "lists"). With
 * `metadata_only` everything but kind, apiVersion and metadata is removed, and kind and
 * apiVersion are those of the resource, even if the server sent a PartialObjectMetadata.
 * False without memory. */
bool fx_kube_object_strip(json_t *object, const struct fx_kube_type_meta *type,
                          bool metadata_only) FX_MUST_USE;

#endif
