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

/* A field with a list of texts, and its names in Go. */
struct texts_field {
    const char *name;             /* "kinds" */
    const char *owner, *path;     /* "ApplyTo", "spec.applyTo.kinds" */
    const char *type, *type_each; /* "[]string", "string" */
};

/* Reads object[field]: gives an array that the caller frees together with the texts; NULL
 * and 0 if the field is absent. Errors: FX_EINVALID with Go's messages, FX_ENOMEM. */
bool fx_texts_read(const json_t *object, const struct texts_field *field,
                   struct fx_text **ret_texts, size_t *ret_count,
                   struct fx_err *err) FX_MUST_USE;

#endif
