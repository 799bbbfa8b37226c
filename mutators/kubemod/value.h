/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/value.h - private: the value of a patch operation: a template whose
 * output is YAML (spec section 5.3).
 */
#ifndef FX_MUTATORS_KUBEMOD_VALUE_H
#define FX_MUTATORS_KUBEMOD_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gotemplate/gotemplate.h"

struct patch_value {
    json_t *constant; /* counted; NULL if the value depends on the object */
    size_t weight;    /* the nodes of the constant, and the bytes of its texts */
    struct fx_gotemplate *template;
};

/* Compiles the text; NULL stands for null. `name` is the name of the template. Errors:
 * those of fx_gotemplate_compile(). Their span is within the text as written, or
 * empty. */
bool fx_patch_value_compile(struct fx_text name, const json_t *text,
                            struct patch_value *ret_value,
                            struct fx_err *err) FX_MUST_USE;
void fx_patch_value_finish(struct patch_value *value); /* zeroed is fine */

/* Returns the value for this context, a new reference, or NULL on failure. `*bytes_left`
 * is the number of bytes that may still be written. It is reduced by the size of the text
 * or of the value, whichever is larger, because an anchor can make a large value of a
 * short text. Errors: FX_EMUTATE, FX_ELIMIT, FX_ENOMEM. */
json_t *fx_patch_value_eval(const struct patch_value *value,
                            const struct fx_gotemplate_context *context,
                            size_t *bytes_left, struct fx_err *err) FX_MUST_USE;

/* Returns the value of a constant, like fx_patch_value_eval(). */
json_t *fx_patch_value_repeat(const struct patch_value *value, size_t *bytes_left,
                              struct fx_err *err) FX_MUST_USE;

/* Reads the first document of a YAML text as the value of a patch; an empty text is null.
 * Returns a new reference, or NULL on failure. Errors: FX_EMUTATE, FX_ENOMEM. */
json_t *fx_patch_value_read(struct fx_text yaml, struct fx_err *err) FX_MUST_USE;

#endif
