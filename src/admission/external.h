/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/external.h - external data (spec section 7): the requests for an object's
 * placeholders, the answers to them, and the values in place of the placeholders. Does no
 * I/O: the caller sends the requests.
 */
#ifndef FX_ADMISSION_EXTERNAL_H
#define FX_ADMISSION_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "engine/external.h"
#include "engine/provider.h"
#include "engine/snapshot.h"

/* One request to one provider: POST `body` to provider->url as application/json. */
struct fx_external_call {
    const struct fx_provider *provider; /* lives in the snapshot */
    struct fx_text body;                /* of the provider's protocol; the arena's */

    /* Private: the result. */
    bool is_answered;
    bool lacks_memory;    /* no memory to keep the answer: fails the review, whatever the
                             policy */
    json_t *items;        /* by key, counted; or NULL, and … */
    struct fx_text fault; /* … the message of the failure of the whole request */
};

struct fx_external_calls {
    struct fx_external_call *items; /* the arena's; ordered by the provider's name */
    size_t n_items;
    size_t n_places; /* placeholders that were found */
};

/* Finds the placeholders in the tree and makes one call for each of their providers, with
 * each key once, sorted bytewise. A provider that is not in the snapshot gets no call. If
 * `placeholders` is empty, the tree is not searched. Errors: FX_ELIMIT (nested deeper
 * than any object that was read and mutated), FX_ENOMEM. */
bool fx_external_collect(const struct fx_placeholders *placeholders, json_t *root,
                         const struct fx_snapshot *snapshot, struct fx_arena *arena,
                         struct fx_external_calls *ret_calls,
                         struct fx_err *err) FX_MUST_USE;

/* Answers the call with the body of the HTTP response, whatever its status. `body` is
 * borrowed for the call. An invalid body is no error here: the failure policies of the
 * placeholders apply. Of several items with one key the last one counts. */
void fx_external_give(struct fx_external_call *call, struct fx_arena *arena,
                      struct fx_text body);

/* Answers the call with a failure: `why` ("connection refused") is copied. */
void fx_external_fail(struct fx_external_call *call, struct fx_arena *arena,
                      const char *why);

/* Are all calls answered? */
bool fx_external_is_answered(const struct fx_external_calls *calls);

/* Replaces the placeholders by their values, copying on write. Errors: FX_EMUTATE with
 * the messages of spec section 7 (`failed to resolve external data placeholders: …`),
 * FX_ELIMIT, FX_ENOMEM. */
bool fx_external_resolve(const struct fx_external_calls *calls,
                         const struct fx_placeholders *placeholders, json_t **root,
                         struct fx_err *err) FX_MUST_USE;

/* Drops the references that the calls hold. Zeroed ones are fine. */
void fx_external_calls_finish(struct fx_external_calls *calls);

#endif
