/* SPDX-License-Identifier: Apache-2.0
 *
 * admission/external.h - asking providers (spec section 7): which requests an object's
 * placeholders make, what the answers mean, and the values put in their places. Pure:
 * somebody else carries the bytes.
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

    /* Private: what came of it. */
    bool is_answered;
    bool lacks_memory;    /* it could not be kept: our failure, whatever the policy */
    json_t *items;        /* by key, counted; or NULL and */
    struct fx_text fault; /* the words of a failure of the whole response */
};

struct fx_external_calls {
    struct fx_external_call *items; /* the arena's; ordered by the provider's name */
    size_t n_items;
    size_t n_places; /* placeholders that were found */
};

/* Walks the tree and lists one call for each provider that its placeholders name, the
 * keys sorted bytewise and each once. A provider that the snapshot does not know has
 * none. Where no placeholder was ever made, nothing is walked. Errors: FX_ELIMIT (nested
 * deeper than any object that was read and mutated), FX_ENOMEM. */
bool fx_external_collect(const struct fx_placeholders *placeholders, json_t *root,
                         const struct fx_snapshot *snapshot, struct fx_arena *arena,
                         struct fx_external_calls *ret_calls,
                         struct fx_err *err) FX_MUST_USE;

/* The answer has come: the body of the HTTP response, whatever its status (read, not
 * kept). What is wrong with it is kept, for the placeholders' failure policies. Its types
 * are those of Go's decoder; of several items with one key the last counts. */
void fx_external_give(struct fx_external_call *call, struct fx_arena *arena,
                      struct fx_text body);

/* No answer will come: `why` is copied; "connection refused". */
void fx_external_fail(struct fx_external_call *call, struct fx_arena *arena,
                      const char *why);

/* Have all been answered? */
bool fx_external_is_answered(const struct fx_external_calls *calls);

/* Puts the values in the places, copying on write. Errors: FX_EMUTATE with the words of
 * spec section 7 (`failed to resolve external data placeholders: …`), FX_ELIMIT,
 * FX_ENOMEM. */
bool fx_external_resolve(const struct fx_external_calls *calls,
                         const struct fx_placeholders *placeholders, json_t **root,
                         struct fx_err *err) FX_MUST_USE;

/* Drops the references that the calls hold. Zeroed ones are fine. */
void fx_external_calls_finish(struct fx_external_calls *calls);

#endif
