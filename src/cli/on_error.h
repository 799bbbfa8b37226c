/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/on_error.h - the option --on-error.
 */
#ifndef FX_CLI_ON_ERROR_H
#define FX_CLI_ON_ERROR_H

#include "admission/review.h"
#include "cli/options.h"

/* The values of the option, by enum fx_on_error; NULL ends. */
#define FX_ON_ERROR_WORD(name, text) [FX_ON_ERROR_##name] = (text),
#define FX_ON_ERROR_WORDS            ((const char *const[]){FX_ON_ERRORS(FX_ON_ERROR_WORD) NULL})

#define FX_ON_ERROR_OPTION(type)                                                         \
    FX_OPTION_ROW("on-error", '\0', CHOICE, offsetof(type, on_error), "WHAT",            \
                  FX_ON_ERROR_WORDS,                                                     \
                  "if a mutation fails: deny (default), defer (HTTP 500, failurePolicy " \
                  "decides) or allow (unchanged, with a warning)")

#endif
