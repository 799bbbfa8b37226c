/* SPDX-License-Identifier: Apache-2.0
 *
 * base/regex_fuzz.c - any pattern up to the first newline, any text behind it: either a
 * reason, or an answer, the same each time.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *bytes = (const char *)data;
    const char *newline = size == 0 ? NULL : memchr(bytes, '\n', size);
    const size_t n_pattern = newline == NULL ? size : (size_t)(newline - bytes);
    const size_t n_skipped = newline == NULL ? size : n_pattern + 1;
    struct fx_regex *regex = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_regex_compile((struct fx_text){bytes, n_pattern}, &regex, &err)) {
        assert(regex == NULL && err.msg[0] != '\0');
        assert(err.code == FX_ESYNTAX || err.code == FX_ELIMIT);
        return 0;
    }
    const struct fx_text text = {bytes + n_skipped, size - n_skipped};
    bool matches = false;
    bool again = false;
    if (fx_regex_match(regex, text, &matches, &err)) {
        assert(fx_regex_match(regex, text, &again, &err) && again == matches);
    } else {
        assert(err.code == FX_ELIMIT);
    }
    fx_regex_destroy(regex);
    return 0;
}
