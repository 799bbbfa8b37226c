/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_words.h - values and criteria in one line each. What comes out is as it
 * stands in the sources: printing makes it plain (policy/plain.h).
 */
#ifndef FX_CLI_EXPLAIN_WORDS_H
#define FX_CLI_EXPLAIN_WORDS_H

#include <jansson.h>

#include "base/buf.h"
#include "base/macros.h"
#include "engine/external.h"
#include "engine/mutator.h"

/* The value with words in place of the placeholders in it: `<value of provider "p" for
 * "nginx">`. A new reference, to the value itself where there are none. NULL for NULL,
 * and without memory. `placeholders` may be NULL. */
json_t *fx_words_reveal(const struct fx_placeholders *placeholders,
                        json_t *value) FX_MUST_USE;

/* Appends the value: texts as YAML writes them, lists and objects as JSON; "(absent)" for
 * NULL. */
void fx_words_value(struct fx_buf *buf, const json_t *value);

/* Appends where in `spec` the policy has the criterion ("match.namespaces",
 * "parameters.pathTests", "applyTo"); where it has none, the criterion. */
void fx_words_place(struct fx_buf *buf, const struct fx_mutator *mutator,
                    const char *criterion);

/* Appends what the policy says there: `prod, staging`; `app=web, tier in (a, b)`. */
void fx_words_criterion(struct fx_buf *buf, const struct fx_mutator *mutator,
                        const char *criterion);

#endif
