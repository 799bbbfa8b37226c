/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/texts.h - private: lists of texts that a resource keeps.
 */
#ifndef FX_MUTATORS_GATEKEEPER_TEXTS_H
#define FX_MUTATORS_GATEKEEPER_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* A field that holds a list of texts, as Go names it. */
struct texts_field {
    const char *name;             /* "kinds" */
    const char *owner, *path;     /* "ApplyTo", "spec.applyTo.kinds" */
    const char *type, *type_each; /* "[]string", "string" */
};

/* Reads object[field]: an array to be freed, and with it the texts; where there is
 * nothing, NULL and 0. Errors: FX_EINVALID with Go's words, FX_ENOMEM. */
bool fx_texts_read(const json_t *object, const struct texts_field *field,
                   struct fx_text **ret_texts, size_t *ret_count,
                   struct fx_err *err) FX_MUST_USE;

#endif
