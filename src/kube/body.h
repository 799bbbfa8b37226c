/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/body.h - parts of the bodies of writes: apply configurations, patches, new
 * objects. Pure. All functions fail only without memory.
 */
#ifndef FX_KUBE_BODY_H
#define FX_KUBE_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"
#include "kube/resource.h"

/* Returns a new object with apiVersion and kind of `object`, and of its metadata name,
 * namespace, uid and resourceVersion. A write with it changes only this version of this
 * object, or fails with a conflict (409), and never creates an object. `*ret_metadata` is
 * borrowed from the result. NULL without memory. */
json_t *fx_kube_body_for(const json_t *object, json_t **ret_metadata) FX_MUST_USE;

/* Returns a new object with the apiVersion and kind of a resource that has a group, and
 * with metadata as fx_kube_body_set_identity() sets it. NULL without memory. */
json_t *fx_kube_body_new(const struct fx_kube_resource *type, struct fx_text namespace_,
                         struct fx_text name, struct fx_text uid) FX_MUST_USE;

/* Sets object[key] to a string. */
bool fx_kube_body_set_text(json_t *object, const char *key,
                           struct fx_text value) FX_MUST_USE;

/* Sets object[key] to a date (RFC 3339) from seconds since 1970. */
bool fx_kube_body_set_date(json_t *object, const char *key, int64_t seconds) FX_MUST_USE;

/* Sets name, namespace (if it is not empty) and uid of `metadata`, so that no other
 * object of this name is written. */
bool fx_kube_body_set_identity(json_t *metadata, struct fx_text namespace_,
                               struct fx_text name, struct fx_text uid) FX_MUST_USE;

/* Sets apiVersion and kind from a resource that has a group. */
bool fx_kube_body_set_type(json_t *object,
                           const struct fx_kube_resource *type) FX_MUST_USE;

/* Sets into[key] to the node from[key], shared, if there is one. */
bool fx_kube_body_share(json_t *into, const json_t *from, const char *key) FX_MUST_USE;

#endif
