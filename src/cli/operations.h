/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/operations.h - `--operation` (spec section 9): which functions of the
 * webhook a process serves. Values without a counterpart are accepted, as existing
 * manifests have them.
 */
#ifndef FX_CLI_OPERATIONS_H
#define FX_CLI_OPERATIONS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/macros.h"
#include "cli/options.h"

#define FX_OPERATIONS_KNOWN 7

struct fx_operations {
    bool mutates; /* mutation-webhook: POST /v1/mutate */
    bool admits;  /* webhook: POST /v1/admit and /v1/admitlabel */
    bool reports; /* mutation-status: status.byPod of mutators */
    /* The operations that a status reports: those given, or else all that are served;
     * sorted.
     */
    const char *words[FX_OPERATIONS_KNOWN];
    size_t n_words;
};

/* Reads the words, each of which may be several with commas between them. None: all
 * that are done here. Errors: FX_EINVALID for a word that is no operation. */
bool fx_operations_read(const struct fx_strings *words,
                        struct fx_operations *ret_operations,
                        struct fx_err *err) FX_MUST_USE;

#endif
