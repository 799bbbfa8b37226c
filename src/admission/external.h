/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/external.h - external data (spec section 7): the calls for an object's
 * placeholders, which are inputs after convergence (engine/input.h), the answers to them,
 * and the values that replace the placeholders. Does no I/O: the caller sends the
 * requests.
 */
#ifndef FX_ADMISSION_EXTERNAL_H
#define FX_ADMISSION_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/external.h"
#include "engine/input.h"
#include "engine/resource.h"
#include "engine/snapshot.h"

/* The calls of an object: one input of type CALL for each provider. The caller POSTs
 * `key.body` to `key.provider->url` as application/json. */
struct fx_external_calls {
    struct fx_input_entry **items; /* memory of the inputs; ordered by the provider's
                                    * name */
    size_t n_items;
    size_t n_places; /* number of placeholders found */
};

/* Finds the placeholders in the tree and adds one call for each of their providers to
 * `inputs`, with each key once, sorted bytewise. A provider that is not in the snapshot
 * gets no call. If `placeholders` is empty, the tree is not searched, and `inputs` may be
 * NULL. Errors: FX_ELIMIT (nested deeper than any object that was read and mutated),
 * FX_EMUTATE (too many inputs), FX_ENOMEM. */
bool fx_external_collect(const struct fx_placeholders *placeholders, json_t *root,
                         const struct fx_snapshot *snapshot, struct fx_inputs *inputs,
                         struct fx_external_calls *ret_calls,
                         struct fx_err *err) FX_MUST_USE;

/* Answers the call with the body of the HTTP response, which may have any status. `body`
 * is borrowed for the call. The value of the input is the items of the answer by their
 * keys; of several items with one key the last one counts. An invalid body makes the
 * input fail, and the failure policies of the placeholders apply. */
void fx_external_give(struct fx_input_entry *call, struct fx_text body);

/* Answers the call with a failure. `why` ("connection refused") is copied. */
void fx_external_fail(struct fx_input_entry *call, const char *why);

/* Replaces the placeholders by their values, copying on write. Every call must be
 * answered. Errors: FX_EMUTATE with the messages of spec section 7 (`failed to resolve
 * external data placeholders: …`), FX_ELIMIT, FX_ENOMEM. */
bool fx_external_resolve(const struct fx_external_calls *calls,
                         const struct fx_placeholders *placeholders, json_t **root,
                         struct fx_err *err) FX_MUST_USE;

#endif
