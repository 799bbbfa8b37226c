/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/parse_fuzz.c - any text gives an error with a span within the text,
 * or an expression that prints as one that prints the same. A path for a patch is an
 * expression, too.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "location/jsonpath/jsonpath.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct fx_err *err, size_t text_len) {
    assert(err->code == FX_ESYNTAX || err->code == FX_ELIMIT);
    assert(err->msg[0] != '\0');
    assert((size_t)err->off + err->len <= text_len + 1);
}

/* It may be too long or too deep, since operators are printed with spaces and
 * parentheses are levels; other errors are not allowed. */
static void read_back(const struct fx_jsonpath *path, enum fx_jsonpath_use use) {
    struct fx_buf printed;
    struct fx_buf again;
    struct fx_jsonpath *second = NULL;
    struct fx_err err = FX_ERR_INIT;
    fx_buf_init(&printed, 0);
    fx_buf_init(&again, 0);
    fx_jsonpath_print(&printed, path);
    if (fx_jsonpath_compile((struct fx_text){printed.data, printed.len}, use, &second,
                            &err)) {
        fx_jsonpath_print(&again, second);
        assert(again.len == printed.len &&
               memcmp(again.data, printed.data, printed.len) == 0);
    } else {
        assert(err.code == FX_ELIMIT);
    }
    fx_jsonpath_destroy(second);
    fx_buf_finish(&printed);
    fx_buf_finish(&again);
}

static bool try_use(struct fx_text text, enum fx_jsonpath_use use) {
    struct fx_jsonpath *path = NULL;
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_jsonpath_compile(text, use, &path, &err);
    if (ok) {
        read_back(path, use);
        fx_jsonpath_destroy(path);
    } else {
        check_error(&err, text.len);
    }
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    const bool is_place = try_use(text, FX_JSONPATH_PATH);
    const bool is_expression = try_use(text, FX_JSONPATH_EXPRESSION);
    assert(is_expression || !is_place);
    return 0;
}
