/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/check.h - validation and defaults of one policy object, for the webhooks that
 * are called before a cluster stores it (spec section 8, /v1/admit).
 */
#ifndef FX_POLICY_CHECK_H
#define FX_POLICY_CHECK_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"

/* Is this a kind of a dialect, in any version? Kinds of parameters do not count: their
 * objects (ConfigMap) have other uses, too. */
bool fx_policy_is_kind(struct fx_text group, struct fx_text kind);

/*
 * Checks the object like a document of a file, and with its dialect's webhook check
 * (fx_webhook.check). *ret_is_policy: is its kind a kind of a dialect? Objects of other
 * kinds pass.
 *
 * `ret_compilation` (zeroed at first but for its settings) gets the result of the policy
 * and the warnings about it, whose nodes are those of `object`; the caller finishes it. A
 * valid policy may have no result. After a failure only the errors in it are valid, if
 * the dialect reports them one by one.
 *
 * Errors, *ret_is_policy then being true: FX_EINVALID, FX_ESYNTAX, FX_ELIMIT, all with
 * the dialect's messages, and errors of the user; FX_ENOMEM. It does not check the length
 * of the request's name.
 */
bool fx_policy_check(json_t *object, struct fx_compilation *ret_compilation,
                     bool *ret_is_policy, struct fx_err *err) FX_MUST_USE;

/* Sets the fields that the author of a policy left out to their defaults, copying on
 * write. Objects that are not policies, and policies of an unknown version, stay as they
 * are; an invalid policy is not refused. Errors: FX_ENOMEM. */
bool fx_policy_set_defaults(json_t **object, struct fx_err *err) FX_MUST_USE;

#endif
