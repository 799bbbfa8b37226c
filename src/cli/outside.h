/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/outside.h - providers of external data, asked from the command line: the webhook's
 * own client (server/external_calls.h), waited for.
 */
#ifndef FX_CLI_OUTSIDE_H
#define FX_CLI_OUTSIDE_H

#include <stdbool.h>

#include "admission/external.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"

/* Zeroed: nothing was called yet, and nothing is open. */
struct fx_outside {
    struct fx_outside_loop *loop; /* opaque; made by the first call */
};

void fx_outside_finish(struct fx_outside *outside);

/* Makes all calls at once and waits until each has a response or has failed; a call ends
 * by its provider's timeout. Errors: FX_ENOMEM, FX_EIO (no event loop). */
bool fx_outside_ask(struct fx_outside *outside, struct fx_external_calls *calls,
                    struct fx_arena *arena, struct fx_err *err) FX_MUST_USE;

#endif
