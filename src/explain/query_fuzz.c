/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/query_fuzz.c - any bytes behind --field: they are read, or refused with a
 * reason.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fx_query *query = NULL;
    struct fx_err err = FX_ERR_INIT;
    struct fx_explain_field root = {.parent = NULL};
    if (fx_query_parse((struct fx_text){(const char *)data, size}, &query, &err)) {
        assert(fx_query_covers(query, &root)); /* all that is wanted is in the object */
        fx_query_destroy(query);
    } else {
        assert(query == NULL && err.code != FX_OK && err.msg[0] != '\0');
    }
    return 0;
}
