/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/on_error.h - the option --on-error, whose words are those of the webhook.
 */
#ifndef FX_CLI_ON_ERROR_H
#define FX_CLI_ON_ERROR_H

#include "admission/review.h"
#include "cli/options.h"

extern const char *const fx_on_error_words[]; /* by enum fx_on_error; NULL ends */

#define FX_ON_ERROR_OPTION(type)                                                        \
    {                                                                                   \
        "on-error",                                                                     \
        '\0',                                                                           \
        FX_OPTION_CHOICE,                                                               \
        offsetof(type, on_error),                                                       \
        "WHAT",                                                                         \
        fx_on_error_words,                                                              \
        "if a mutation fails: deny (default), defer (HTTP 500, failurePolicy decides) " \
        "or allow (unchanged, with a warning)",                                         \
    }

#endif
