/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/compile.h - one policy object, compiled and checked to the end: by its dialect,
 * and by those whom no dialect may know. Private to this room.
 */
#ifndef FX_POLICY_COMPILE_H
#define FX_POLICY_COMPILE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/dialect.h"

/* Compiles the object, of one of the dialect's kinds and versions, and looks whether the
 * certificates of providers are some. Errors: those of the dialect; FX_EINVALID in the
 * words of spec section 7. */
bool fx_policy_compile(const struct fx_dialect *dialect, json_t *object,
                       struct fx_compilation *ret_compilation,
                       struct fx_err *err) FX_MUST_USE;

/* The words of kubectl for a version that no server has. Always false. */
bool fx_policy_fail_version(const json_t *object, struct fx_err *err);

#endif
