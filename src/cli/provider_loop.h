/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/provider_loop.h - calls of providers on the command line: the client of the webhook
 * (server/external_calls.h) on an event loop of its own.
 */
#ifndef FX_CLI_PROVIDER_LOOP_H
#define FX_CLI_PROVIDER_LOOP_H

#include <stdbool.h>

#include "admission/external.h"
#include "base/err.h"
#include "base/macros.h"

/* Zeroed: nothing was called yet, and nothing is open. */
struct fx_provider_loop {
    struct fx_provider_loop_state *state; /* opaque; made by the first call */
};

void fx_provider_loop_finish(struct fx_provider_loop *loop);

/* Makes all calls among the inputs that are missing at once, and waits until each has a
 * response or has failed; a call ends by its provider's timeout. Errors: FX_ENOMEM,
 * FX_EIO (no event loop). */
bool fx_provider_loop_run(struct fx_provider_loop *loop, struct fx_inputs *inputs,
                          struct fx_err *err) FX_MUST_USE;

#endif
