/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/on_error.c - the words of --on-error.
 */
#include "cli/on_error.h"

const char *const fx_on_error_words[] = {
#define X(name, text) [FX_ON_ERROR_##name] = text,
    FX_ON_ERRORS(X)
#undef X
        NULL,
};
