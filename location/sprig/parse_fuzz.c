/* SPDX-License-Identifier: Apache-2.0
 *
 * location/sprig/parse_fuzz.c - any text gives an error with a span within the text, or
 * a template.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "location/sprig/sprig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_gotemplate *template = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_gotemplate_compile(FX_TEXT("fuzz"), text, &fx_sprig, &template, &err)) {
        assert(template == NULL && err.msg[0] != '\0');
        assert(err.code == FX_ESYNTAX || err.code == FX_EINVALID ||
               err.code == FX_ELIMIT);
        assert(err.off + err.len <= size + 1);
    }
    fx_gotemplate_destroy(template);
    return 0;
}
