/* SPDX-License-Identifier: Apache-2.0
 *
 * value/documents_fuzz.c - any bytes as a file of objects: no failure without a reason,
 * no document or mark outside the text, no null among the documents.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "value/documents.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_places(const struct fx_documents *documents, struct fx_text text) {
    uint32_t last_line = 0;
    uint32_t column = 0;
    fx_documents_position(text, text.len, &last_line, &column);
    for (size_t i = 0; i < documents->n_items; i++) {
        const struct fx_document *document = &documents->items[i];
        assert(document->root != NULL && !json_is_null(document->root));
        assert(document->line >= 1 && document->line <= last_line);
    }
    for (size_t i = 0; i < documents->marks.n_items; i++) {
        const struct fx_mark *mark = &documents->marks.items[i];
        uint32_t line = 0;
        fx_documents_position(text, mark->off, &line, &column);
        assert(mark->off <= text.len && mark->line == line && mark->column == column);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_documents documents;
    struct fx_err err = FX_ERR_INIT;
    if (!fx_documents_read(text, &documents, &err)) {
        assert(err.code == FX_ESYNTAX || err.code == FX_ELIMIT);
        assert(err.msg[0] != '\0' && err.off <= size);
    }
    check_places(&documents, text);
    fx_documents_finish(&documents);
    return 0;
}
