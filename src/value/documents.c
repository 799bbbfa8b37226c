/* SPDX-License-Identifier: Apache-2.0
 *
 * value/documents.c - one file, JSON or YAML, into its objects.
 */
#include "value/documents.h"

#include <stdlib.h>

#include "base/vec.h"
#include "value/json.h"
#include "value/marks.h"
#include "value/tree.h"
#include "value/yaml.h"

/* ---- a document, or the items of a `List`, with their lines ------------------------ */

static bool is_list(const json_t *root) {
    return fx_text_ends(fx_tree_view_string(root, "kind"), FX_TEXT("List")) &&
           json_is_array(fx_tree_view_key(root, "items"));
}

static uint32_t find_line(const struct fx_marks_index *marks, const json_t *node,
                          uint32_t fallback) {
    const struct fx_mark *mark = fx_marks_index_find(marks, node);
    return mark != NULL ? mark->line : fallback;
}

static bool add_document(struct fx_documents *documents, json_t *root, uint32_t line,
                         struct fx_err *err) {
    if (json_is_null(root)) {
        return true;
    }
    if (!FX_VEC_GROW(documents->items, documents->n_items, documents->cap_items)) {
        return fx_fail_nomem(err);
    }
    documents->items[documents->n_items++] =
        (struct fx_document){.root = json_incref(root), .line = line};
    return true;
}

/* Lists may contain lists. Recursion is as deep as the document, which the readers
 * limit; they have also counted the nodes that aliases repeat. */
static bool add_items(struct fx_documents *documents, const struct fx_marks_index *marks,
                      json_t *list, uint32_t line, struct fx_err *err) {
    const json_t *items = fx_tree_view_key(list, "items");
    for (size_t i = 0; i < json_array_size(items); i++) {
        json_t *item = json_array_get(items, i);
        const uint32_t at = find_line(marks, item, line);
        const bool ok = is_list(item) ? add_items(documents, marks, item, at, err)
                                      : add_document(documents, item, at, err);
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool add_list(struct fx_documents *documents, json_t *root, size_t first_mark,
                     uint32_t line, struct fx_err *err) {
    struct fx_marks_index marks;
    if (!fx_marks_index_make(&documents->marks, first_mark, &marks)) {
        return fx_fail_nomem(err);
    }
    const bool ok =
        add_items(documents, &marks, root, find_line(&marks, root, line), err);
    fx_marks_index_finish(&marks);
    return ok;
}

/* Returns the line of the root, whose mark is the first one of its document. */
static uint32_t root_line(const struct fx_documents *documents, const json_t *root,
                          size_t first_mark, uint32_t line) {
    for (size_t i = first_mark; i < documents->marks.n_items; i++) {
        if (documents->marks.items[i].node == root) {
            return documents->marks.items[i].line;
        }
    }
    return line;
}

/* Adds a document: the items of a `List` one by one, nothing for null. Its marks begin at
 * `first_mark`; a node without a mark gets `line`. Consumes `root`. Errors: FX_ENOMEM. */
static bool add_take(struct fx_documents *documents, json_t *root, size_t first_mark,
                     uint32_t line, struct fx_err *err) {
    const bool ok = is_list(root)
                        ? add_list(documents, root, first_mark, line, err)
                        : add_document(documents, root,
                                       root_line(documents, root, first_mark, line), err);
    json_decref(root);
    return ok;
}

/* ---- reading ----------------------------------------------------------------------- */

void fx_documents_finish(struct fx_documents *documents) {
    if (documents == NULL) {
        return;
    }
    for (size_t i = 0; i < documents->n_items; i++) {
        json_decref(documents->items[i].root);
    }
    free(documents->items);
    fx_marks_finish(&documents->marks);
    *documents = (struct fx_documents){0};
}

void fx_documents_position(struct fx_text text, size_t off, uint32_t *ret_line,
                           uint32_t *ret_column) {
    struct fx_position position = fx_position_start(text);
    fx_position_advance(&position, text, off);
    *ret_line = position.line;
    *ret_column = position.column;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t skip_space(struct fx_text text, size_t off) {
    while (off < text.len && is_space(text.data[off])) {
        off++;
    }
    return off;
}

/* Returns the end of the string that begins at `off`. */
static size_t skip_string(struct fx_text text, size_t off) {
    for (off++; off < text.len && text.data[off] != '"'; off++) {
        off += text.data[off] == '\\';
    }
    return off < text.len ? off + 1 : text.len;
}

/* Finds the end of the JSON value that begins at `off` by its brackets. Returns the end
 * of the text if the value has no brackets, or does not close them. */
static size_t skip_value(struct fx_text text, size_t off) {
    size_t depth = 0;
    while (off < text.len) {
        const char c = text.data[off];
        off = c == '"' ? skip_string(text, off) : off + 1;
        if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
            if (depth == 0) {
                return off;
            }
        }
    }
    return text.len;
}

/* Changes the marks of a value to positions in the whole text. */
static void move_marks(struct fx_marks *marks, size_t first,
                       const struct fx_position *position) {
    for (size_t i = first; i < marks->n_items; i++) {
        struct fx_mark *mark = &marks->items[i];
        mark->off += (uint32_t)position->off;
        mark->column += mark->line == 1 ? position->column - 1 : 0;
        mark->line += position->line - 1;
    }
}

/* Reads a sequence of values, with or without space between them. *ret_end is the start
 * of the value that failed. */
static bool read_json(struct fx_text text, struct fx_documents *documents,
                      size_t *ret_end, struct fx_err *err) {
    struct fx_position position = fx_position_start(text);
    fx_position_advance(&position, text, skip_space(text, 0));
    while (position.off < text.len) {
        *ret_end = position.off;
        const size_t end = skip_value(text, position.off);
        const size_t first = documents->marks.n_items;
        const struct fx_text value = {text.data + position.off, end - position.off};
        json_t *root = fx_json_read(value, &documents->marks, err);
        if (root == NULL) {
            err->off += (uint32_t)position.off;
            return false;
        }
        move_marks(&documents->marks, first, &position);
        if (!add_take(documents, root, first, position.line, err)) {
            return false;
        }
        fx_position_advance(&position, text, skip_space(text, end));
    }
    return true;
}

static bool read_stream(struct fx_yaml_reader *reader, struct fx_documents *documents,
                        struct fx_err *err) {
    for (;;) {
        const size_t first = documents->marks.n_items;
        json_t *root = NULL;
        if (!fx_yaml_next(reader, &documents->marks, &root, err)) {
            return false;
        }
        if (root == NULL) {
            return true;
        }
        if (!add_take(documents, root, first, 1, err)) {
            return false;
        }
    }
}

static bool read_yaml(struct fx_text text, struct fx_documents *documents,
                      struct fx_err *err) {
    struct fx_yaml_reader *reader = fx_yaml_open(text);
    if (reader == NULL) {
        return fx_fail_nomem(err);
    }
    const bool ok = read_stream(reader, documents, err);
    fx_yaml_close(reader);
    return ok;
}

/* Does a text that begins with `{` resemble JSON? It does not if reading it as JSON ended
 * at a line that separates YAML documents. */
static bool resembles_json(struct fx_text text, size_t json_end) {
    const struct fx_text rest = {text.data + json_end, text.len - json_end};
    const size_t off = skip_space(text, skip_space(text, 0) + 1);
    return !fx_text_starts(rest, FX_TEXT("---")) &&
           (off >= text.len || text.data[off] == '"' || text.data[off] == '}');
}

/* Reads a text that is not valid JSON as YAML. If that fails too, reports the error of
 * JSON if the text resembles JSON and no more documents could be read as YAML. */
static bool retry_yaml(struct fx_text text, size_t json_end,
                       struct fx_documents *documents, struct fx_err *err) {
    struct fx_documents yaml = {0};
    struct fx_err yaml_err = FX_ERR_INIT;
    const bool ok = read_yaml(text, &yaml, &yaml_err);
    if (!ok && !fx_err_is_ours(&yaml_err) && resembles_json(text, json_end) &&
        yaml.n_items <= documents->n_items) {
        fx_documents_finish(&yaml);
        return false;
    }
    fx_documents_finish(documents);
    *documents = yaml;
    if (!ok) {
        *err = yaml_err;
    }
    return ok;
}

bool fx_documents_read(struct fx_text text, struct fx_documents *ret_documents,
                       struct fx_err *err) {
    *ret_documents = (struct fx_documents){0};
    const size_t off = skip_space(text, 0);
    if (off == text.len || text.data[off] != '{') {
        return read_yaml(text, ret_documents, err);
    }
    size_t end = 0;
    if (read_json(text, ret_documents, &end, err)) {
        return true;
    }
    return err->code == FX_ESYNTAX ? retry_yaml(text, end, ret_documents, err) : false;
}

const char *fx_document_fault(const struct fx_document *document) {
    if (!json_is_object(document->root)) {
        return "the document is not a Kubernetes object";
    }
    if (fx_tree_view_string(document->root, "kind").len == 0) {
        return "`kind` is missing";
    }
    return fx_tree_view_string(document->root, "apiVersion").len == 0
               ? "`apiVersion` is missing"
               : NULL;
}
