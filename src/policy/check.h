/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/check.h - the dialect of a kind; one policy object, compiled by its dialect and
 * checked; and its validation and defaults for the webhooks that are called before a
 * cluster stores it (spec section 8, /v1/admit).
 */
#ifndef FX_POLICY_CHECK_H
#define FX_POLICY_CHECK_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/dialect.h"

/* Is this the kind of a policy? True also if no dialect supports it, because users would
 * believe a policy to be active that is silently ignored. */
bool fx_policy_is_any_kind(struct fx_text group, struct fx_text kind);

/* Returns the dialect that reads the object, by its kind and, if the kind is that of a
 * parameter, by its name (fx_kind.name); and the entry in its table. NULL if there is
 * none. */
const struct fx_dialect *fx_policy_dialect(const struct fx_subject *subject,
                                           const struct fx_kind **ret_kind);

/* Returns a kind of that name, of any dialect and group; NULL if there is none. */
const struct fx_kind *fx_policy_find_kind(struct fx_text kind);

/* Compiles the object, of one of the dialect's kinds and versions, and checks that the
 * certificates of providers are certificates. Errors: those of the dialect; FX_EINVALID
 * with the messages of spec section 7. */
bool fx_policy_compile(const struct fx_dialect *dialect, json_t *object,
                       struct fx_compilation *ret_compilation,
                       struct fx_err *err) FX_MUST_USE;

/* Fails with kubectl's message for an unknown version. Always false. */
bool fx_policy_fail_version(const json_t *object, struct fx_err *err);

/* Is this a kind of a dialect, in any version? Kinds of parameters do not count: their
 * objects (ConfigMap) have other uses, too. */
bool fx_policy_is_kind(struct fx_text group, struct fx_text kind);

/*
 * Checks the object like a document of a file, and also with its dialect's webhook check
 * (fx_webhook.check). *ret_is_policy: its kind is a kind of a dialect. Objects of other
 * kinds pass.
 *
 * `ret_compilation` (zeroed at first except for its settings) gets the result of the
 * policy and the warnings about it, whose nodes are those of `object`; the caller
 * finishes it. A valid policy may have no result. After a failure only its faults are
 * valid, if the dialect reports them one by one.
 *
 * Errors, with *ret_is_policy true: FX_EINVALID, FX_ESYNTAX, FX_ELIMIT, all with the
 * dialect's messages, and errors of the user; FX_ENOMEM. The length of the request's name
 * is not checked.
 */
bool fx_policy_check(json_t *object, struct fx_compilation *ret_compilation,
                     bool *ret_is_policy, struct fx_err *err) FX_MUST_USE;

/* Sets the missing fields of a policy to their defaults, copying on write. Objects that
 * are not policies, and policies of an unknown version, do not change. An invalid policy
 * is not rejected. Errors: FX_ENOMEM. */
bool fx_policy_set_defaults(json_t **object, struct fx_err *err) FX_MUST_USE;

#endif
