/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_wanted_fuzz.c - any bytes behind --field: they are read, or refused with a
 * reason.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/explain_wanted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_wanted *wanted = NULL;
    struct fx_err err = FX_ERR_INIT;
    struct fx_field root = {.parent = NULL};
    if (fx_wanted_parse((struct fx_text){(const char *)data, size}, &wanted, &err)) {
        assert(fx_wanted_has(wanted, &root)); /* all that is wanted is in the object */
        fx_wanted_destroy(wanted);
    } else {
        assert(wanted == NULL && err.code != FX_OK && err.msg[0] != '\0');
    }
    return 0;
}
