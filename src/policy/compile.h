/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/compile.h - compiles and checks one policy object: by its dialect, and with the
 * checks that a dialect cannot make. Private to this room.
 */
#ifndef FX_POLICY_COMPILE_H
#define FX_POLICY_COMPILE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/dialect.h"

/* Compiles the object, of one of the dialect's kinds and versions, and checks that the
 * certificates of providers are certificates. Errors: those of the dialect; FX_EINVALID
 * with the messages of spec section 7. */
bool fx_policy_compile(const struct fx_dialect *dialect, json_t *object,
                       struct fx_compilation *ret_compilation,
                       struct fx_err *err) FX_MUST_USE;

/* Fails with kubectl's message for a version that no server has. Always false. */
bool fx_policy_fail_version(const json_t *object, struct fx_err *err);

#endif
