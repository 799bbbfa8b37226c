/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/providers.h - makes a Provider document from each `--provider NAME=URL`, which is
 * then read, checked and reported like those of a file; and calls providers for the
 * command line.
 */
#ifndef FX_CLI_PROVIDERS_H
#define FX_CLI_PROVIDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "admission/external.h"
#include "base/err.h"
#include "base/macros.h"
#include "cli/options.h"
#include "policy/policies.h"

struct fx_provider_flags {
    struct fx_strings providers; /* "NAME=URL" */
    const char *ca;              /* a file of certificates, PEM; or NULL */
};

struct fx_provider_inputs {
    struct fx_buf *texts;
    struct fx_policy_input *items;
    size_t n_items;
};

/* The message of what is wrong with the flags; or NULL. */
const char *fx_provider_flags_fault(const struct fx_provider_flags *flags);

/* Makes the documents. Errors: FX_EIO, FX_ELIMIT (the file), FX_ENOMEM. */
bool fx_provider_inputs_make(const struct fx_provider_flags *flags,
                             struct fx_provider_inputs *ret_inputs,
                             struct fx_err *err) FX_MUST_USE;
void fx_provider_inputs_finish(struct fx_provider_inputs *inputs); /* zeroed is fine */

/* The table rows for values that have a struct fx_provider_flags. */
#define FX_PROVIDER_OPTIONS(type, member)                                               \
    FX_OPTION_ROW("provider", '\0', LIST, offsetof(type, member.providers), "NAME=URL", \
                  NULL, "additional provider of external data (repeats)"),              \
        FX_OPTION_ROW("provider-ca", '\0', TEXT, offsetof(type, member.ca), "FILE",     \
                      NULL, "CA certificates (PEM) for the providers of --provider")

/* ---- calls ----------------------------------------------------------------------- */

/* The client of the webhook (server/external_calls.h) on an event loop of its own. Zeroed
 * before the first call. */
struct fx_provider_loop {
    struct fx_provider_loop_state *state; /* opaque; made by the first call */
};

void fx_provider_loop_finish(struct fx_provider_loop *loop);

/* Makes all missing calls of the inputs at once, and waits until each has a response or
 * has failed. A call takes at most its provider's timeout. Errors: FX_ENOMEM, FX_EIO (no
 * event loop). */
bool fx_provider_loop_run(struct fx_provider_loop *loop, struct fx_inputs *inputs,
                          struct fx_err *err) FX_MUST_USE;

#endif
