/* SPDX-License-Identifier: Apache-2.0
 *
 * value/documents_list.c - a document, or the items of a `List`, with their lines.
 */
#include "value/documents_list.h"

#include "base/vec.h"
#include "value/tree.h"

static bool is_list(const json_t *root) {
    return fx_text_ends(fx_tree_view_string(root, "kind"), FX_TEXT("List")) &&
           json_is_array(fx_tree_view_key(root, "items"));
}

static uint32_t find_line(const struct fx_marks_index *marks, const json_t *node,
                          uint32_t fallback) {
    const struct fx_mark *mark = fx_marks_index_find(marks, node);
    return mark != NULL ? mark->line : fallback;
}

static bool add(struct fx_documents *documents, json_t *root, uint32_t line,
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

/* Lists may hold lists. Recursion is as deep as the document, which the readers bound;
 * what aliases repeat they have counted. */
static bool add_items(struct fx_documents *documents, const struct fx_marks_index *marks,
                      json_t *list, uint32_t line, struct fx_err *err) {
    const json_t *items = fx_tree_view_key(list, "items");
    for (size_t i = 0; i < json_array_size(items); i++) {
        json_t *item = json_array_get(items, i);
        const uint32_t at = find_line(marks, item, line);
        const bool ok = is_list(item) ? add_items(documents, marks, item, at, err)
                                      : add(documents, item, at, err);
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

/* The root's mark is its document's first. */
static uint32_t root_line(const struct fx_documents *documents, const json_t *root,
                          size_t first_mark, uint32_t line) {
    for (size_t i = first_mark; i < documents->marks.n_items; i++) {
        if (documents->marks.items[i].node == root) {
            return documents->marks.items[i].line;
        }
    }
    return line;
}

bool fx_documents_add_take(struct fx_documents *documents, json_t *root,
                           size_t first_mark, uint32_t line, struct fx_err *err) {
    const bool ok =
        is_list(root)
            ? add_list(documents, root, first_mark, line, err)
            : add(documents, root, root_line(documents, root, first_mark, line), err);
    json_decref(root);
    return ok;
}
