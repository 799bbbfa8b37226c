/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/namespace_field.h - metadata.namespace of an object, which need not stand in
 * it: the request says in which namespace it is. Private to this room.
 */
#ifndef FX_ADMISSION_NAMESPACE_FIELD_H
#define FX_ADMISSION_NAMESPACE_FIELD_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Puts the namespace into the object (spec section 8, step 6), copying on write. Nothing
 * is written where it stands there already, where it is empty, and where the object
 * cannot hold one. Errors: FX_ENOMEM. */
bool fx_namespace_enter(json_t **root, struct fx_text namespace_,
                        struct fx_err *err) FX_MUST_USE;

/* Gives *root the namespace that `object` has, perhaps none, so that no patch from the
 * one to the other ever touches it. Errors: FX_ENOMEM. */
bool fx_namespace_restore(json_t **root, const json_t *object,
                          struct fx_err *err) FX_MUST_USE;

#endif
