/* SPDX-License-Identifier: Apache-2.0
 *
 * base/date_fuzz.c - whatever reads as a date of four-digit years is printed so that it
 * reads as the same one.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/date.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int64_t seconds = 0;
    if (!fx_date_parse((struct fx_text){(const char *)data, size}, &seconds)) {
        return 0;
    }
    char text[FX_DATE];
    int64_t again = 0;
    fx_date_print(seconds, text);
    if (text[0] != '\0') { /* an offset can lead out of those years */
        assert(fx_date_parse(fx_text_of(text), &again));
        assert(again == seconds);
    }
    return 0;
}
