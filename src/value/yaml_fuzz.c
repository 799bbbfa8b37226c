/* SPDX-License-Identifier: Apache-2.0
 *
 * value/yaml_fuzz.c - any bytes as a stream of YAML documents: no failure without a
 * reason, no mark outside the text, and what was read, written and read again is equal.
 * The bytes themselves, as a string, survive writing and reading too.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "value/documents.h"
#include "value/equal.h"
#include "value/tree.h"
#include "value/yaml.h"

#define LONGEST_WRITTEN (1u << 20) /* aliases and indentation may make a little much */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct fx_err *err, size_t size) {
    assert(err->code == FX_ESYNTAX || err->code == FX_ELIMIT);
    assert(err->msg[0] != '\0');
    assert(err->off <= size && err->off + err->len <= size);
}

static void check_marks(const struct fx_marks *marks, struct fx_text text) {
    for (size_t i = 0; i < marks->n_items; i++) {
        const struct fx_mark *mark = &marks->items[i];
        assert(mark->off <= text.len && mark->line >= 1 && mark->column >= 1);
    }
    if (marks->n_items > 0) {
        const struct fx_mark *last = &marks->items[marks->n_items - 1];
        uint32_t line = 0;
        uint32_t column = 0;
        fx_documents_position(text, last->off, &line, &column);
        assert(line == last->line && column == last->column);
    }
}

static void check_round_trip(const json_t *document) {
    struct fx_buf buf;
    fx_buf_init(&buf, LONGEST_WRITTEN);
    fx_yaml_write(&buf, document);
    if (!buf.failed) {
        struct fx_yaml_reader *reader = fx_yaml_open((struct fx_text){buf.data, buf.len});
        assert(reader != NULL);
        struct fx_err err = FX_ERR_INIT;
        json_t *again = NULL;
        const bool ok = fx_yaml_next(reader, NULL, &again, &err);
        assert(ok && fx_equal(document, again));
        json_decref(again);
        fx_yaml_close(reader);
    }
    fx_buf_finish(&buf);
}

/* As a key, a value, and an item. */
static void check_string(struct fx_text text) {
    if (!fx_text_is_utf8(text)) {
        return;
    }
    json_t *list = json_array();
    json_t *object = json_object();
    const bool ok = fx_tree_set_take(object, text, fx_tree_new_string(text)) &&
                    fx_tree_append_take(list, object) &&
                    fx_tree_append_take(list, fx_tree_new_string(text));
    assert(ok);
    check_round_trip(list);
    json_decref(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct fx_text text = {(const char *)data, size};
    struct fx_yaml_reader *reader = fx_yaml_open(text);
    assert(reader != NULL);
    struct fx_marks marks = {0};
    struct fx_err err = FX_ERR_INIT;
    json_t *document = NULL;
    bool ok = true;
    do {
        document = NULL;
        ok = fx_yaml_next(reader, &marks, &document, &err);
        if (!ok) {
            check_error(&err, size);
        } else if (document != NULL) {
            check_round_trip(document);
        }
        json_decref(document);
    } while (ok && document != NULL);
    ok = fx_yaml_next(reader, &marks, &document, &err);
    assert(ok && document == NULL);
    check_marks(&marks, text);
    check_string(text);
    fx_marks_finish(&marks);
    fx_yaml_close(reader);
    return 0;
}
