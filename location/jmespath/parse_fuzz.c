/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/parse_fuzz.c - any text gives an error with a span within the text,
 * or a query, whose properties can be found without data.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "location/jmespath/jmespath.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct fx_err *err, size_t text_len) {
    assert(err->msg[0] != '\0');
    assert((size_t)err->off + err->len <= text_len + 1);
}

/* A query that reads nothing of its root is constant, but not the other way round: the
 * root may be read where nothing depends on it. */
static void check_reads(const struct fx_jmespath *query) {
    struct fx_json_part root = {.omits_rest = true};
    struct fx_json_cursor cursor;
    assert(fx_jmespath_reads(query, &root, &cursor));
    if (fx_jmespath_is_constant(query)) {
        assert(fx_jmespath_is_deterministic(query));
        assert(root.omits_rest && root.first == NULL);
    }
    fx_json_part_prune(&root);
    fx_json_part_finish(&root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_jmespath *query = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_jmespath_compile(text, &query, &err)) {
        assert(err.code == FX_ESYNTAX || err.code == FX_ELIMIT);
        check_error(&err, size);
        return 0;
    }
    assert(fx_text_equal(fx_jmespath_text(query), text));
    if (!fx_jmespath_check_calls(query, &err)) {
        assert(err.code == FX_EINVALID && err.len > 0);
        check_error(&err, size);
    }
    check_reads(query);
    fx_jmespath_destroy(query);
    return 0;
}
