/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/body.h - the frame of an apply configuration. Private to this room. Pure.
 */
#ifndef FX_KUBE_BODY_H
#define FX_KUBE_BODY_H

#include <stdbool.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"
#include "kube/resource.h"

/* A new object with apiVersion and kind of `object`, and of its metadata name, namespace,
 * uid and resourceVersion: which object is meant, and in which state; whatever is no
 * longer so makes a conflict (409), and never a new object. `*ret_metadata` is borrowed
 * from it. NULL without memory. */
json_t *fx_kube_body_for(const json_t *object, json_t **ret_metadata) FX_MUST_USE;

/* object[key] = a string; false without memory. */
bool fx_kube_body_set_text(json_t *object, const char *key,
                           struct fx_text value) FX_MUST_USE;

/* Which object is meant: its name, its namespace, where it has one, and its uid, so that
 * no other one of its name is. False without memory. */
bool fx_kube_body_set_identity(json_t *metadata, struct fx_text namespace_,
                               struct fx_text name, struct fx_text uid) FX_MUST_USE;

/* apiVersion and kind of a resource that has a group; false without memory. */
bool fx_kube_body_set_type(json_t *object,
                           const struct fx_kube_resource *type) FX_MUST_USE;

/* into[key] = from[key], shared, where there is one; false without memory. */
bool fx_kube_body_share(json_t *into, const json_t *from, const char *key) FX_MUST_USE;

#endif
