/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/operations.h - `--operation` (spec section 9): which of its jobs a
 * process does. Some have no counterpart here; they are accepted, since they stand in
 * manifests that exist.
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
    /* What a status tells: those that were given, or those that are done; sorted. */
    const char *words[FX_OPERATIONS_KNOWN];
    size_t n_words;
};

/* Reads the words, each of which may be several with commas between them. None: all
 * that are done here. Errors: FX_EINVALID for a word that is no operation. */
bool fx_operations_read(const struct fx_strings *words,
                        struct fx_operations *ret_operations,
                        struct fx_err *err) FX_MUST_USE;

#endif
