/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/check.h - is this object a policy, and a valid one, and what are its
 * defaults? For the webhooks that are called before a cluster stores it (spec section 8,
 * /v1/admit).
 */
#ifndef FX_POLICY_CHECK_H
#define FX_POLICY_CHECK_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"

/* Is this a kind of a dialect, whatever its version? Not its parameters: objects of such
 * kinds (ConfigMap) have other uses, too. */
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

/* Sets the fields that the author of a policy left out to their defaults, copying on
 * write. Objects that are not policies, and policies of an unknown version, stay as they
 * are; an invalid policy is not refused. Errors: FX_ENOMEM. */
bool fx_policy_set_defaults(json_t **object, struct fx_err *err) FX_MUST_USE;

#endif
