/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/check.h - is this object a policy, and a valid one? For the webhook that is
 * asked before a cluster stores it (spec section 8, /v1/admit).
 */
#ifndef FX_POLICY_CHECK_H
#define FX_POLICY_CHECK_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"

/* Is this the kind of a policy that a dialect speaks, whatever its version? */
bool fx_policy_is_kind(struct fx_text group, struct fx_text kind);

/*
 * Takes the object as files of policies are taken: the same checks, and those of its
 * dialect's webhook (fx_webhook.check). *ret_is_policy: is it of a
 * kind that a dialect speaks? Objects of all other kinds pass.
 *
 * `ret_compilation` (zeroed at first but for its settings) gets what the policy yields
 * and the warnings about it, whose nodes are those of `object`; the caller finishes it. A
 * valid policy may yield nothing. After a failure only the faults in it count: there are
 * some where the dialect tells them one by one.
 *
 * Errors, *ret_is_policy then being true: FX_EINVALID, FX_ESYNTAX, FX_ELIMIT, all in the
 * words of the dialect and faults of the user; FX_ENOMEM. Not looked at here: how long
 * the name of the request is.
 */
bool fx_policy_check(json_t *object, struct fx_compilation *ret_compilation,
                     bool *ret_is_policy, struct fx_err *err) FX_MUST_USE;

#endif
