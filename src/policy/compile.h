/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/compile.h - the dialect of a kind; one policy object, compiled by its dialect
 * and checked for what no dialect knows. Private to this room.
 */
#ifndef FX_POLICY_COMPILE_H
#define FX_POLICY_COMPILE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"

/* Is this the kind of a policy, also if no dialect supports it? A policy that is silently
 * ignored would be believed to be active. */
bool fx_policy_groups_hold(struct fx_text group, struct fx_text kind);

/* The dialect that supports the kind, and the entry in its table; NULL if there is
 * none. */
const struct fx_dialect *fx_policy_groups_dialect(struct fx_text group,
                                                  struct fx_text kind,
                                                  const struct fx_kind **ret_kind);

/* A kind of that name of any dialect and group; NULL if there is none. */
const struct fx_kind *fx_policy_groups_find_kind(struct fx_text kind);

/* Compiles the object, of one of the dialect's kinds and versions, and checks that the
 * certificates of providers are certificates. Errors: those of the dialect; FX_EINVALID
 * with the messages of spec section 7. */
bool fx_policy_compile(const struct fx_dialect *dialect, json_t *object,
                       struct fx_compilation *ret_compilation,
                       struct fx_err *err) FX_MUST_USE;

/* Fails with kubectl's message for a version that no server has. Always false. */
bool fx_policy_fail_version(const json_t *object, struct fx_err *err);

#endif
