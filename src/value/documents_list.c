/* SPDX-License-Identifier: Apache-2.0
 *
 * value/documents_list.c - a document, or the items of a `List`, with their lines.
 */
#include "value/documents_list.h"

#include <stdlib.h>

#include "base/vec.h"
#include "value/tree.h"

/* The lines of one document's nodes, by address; of marks of the same address (a node
 * was freed and another took its place) the last counts. */
struct lines {
    struct fx_mark *marks;
    size_t n_marks;
};

static int compare_marks(const void *left, const void *right) {
    const struct fx_mark *a = left;
    const struct fx_mark *b = right;
    if (a->node != b->node) {
        return (uintptr_t)a->node < (uintptr_t)b->node ? -1 : 1;
    }
    return a->off < b->off ? -1 : a->off > b->off;
}

static bool is_list(const json_t *root) {
    return fx_text_ends(fx_tree_view_string(root, "kind"), FX_TEXT("List")) &&
           json_is_array(fx_tree_view_key(root, "items"));
}

static bool copy_marks(struct lines *lines, const struct fx_marks *marks, size_t first) {
    const size_t n_marks = marks->n_items - first;
    lines->marks = malloc((n_marks + 1) * sizeof *lines->marks);
    if (lines->marks == NULL) {
        return false;
    }
    for (size_t i = 0; i < n_marks; i++) {
        lines->marks[i] = marks->items[first + i];
    }
    lines->n_marks = n_marks;
    qsort(lines->marks, n_marks, sizeof *lines->marks, compare_marks);
    return true;
}

/* Invariant: marks below `low` have a lower address or the same, those from `high` on a
 * higher one. */
static uint32_t find_line(const struct lines *lines, const json_t *node,
                          uint32_t fallback) {
    size_t low = 0;
    size_t high = lines->n_marks;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)lines->marks[middle].node <= (uintptr_t)node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool found = low > 0 && lines->marks[low - 1].node == node;
    return found ? lines->marks[low - 1].line : fallback;
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
static bool add_items(struct fx_documents *documents, const struct lines *lines,
                      json_t *list, uint32_t line, struct fx_err *err) {
    const json_t *items = fx_tree_view_key(list, "items");
    for (size_t i = 0; i < json_array_size(items); i++) {
        json_t *item = json_array_get(items, i);
        const uint32_t at = find_line(lines, item, line);
        const bool ok = is_list(item) ? add_items(documents, lines, item, at, err)
                                      : add(documents, item, at, err);
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool add_list(struct fx_documents *documents, json_t *root, size_t first_mark,
                     uint32_t line, struct fx_err *err) {
    struct lines lines = {0};
    if (!copy_marks(&lines, &documents->marks, first_mark)) {
        return fx_fail_nomem(err);
    }
    const bool ok =
        add_items(documents, &lines, root, find_line(&lines, root, line), err);
    free(lines.marks);
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
