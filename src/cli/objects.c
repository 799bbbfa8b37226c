/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/objects.c - reads the objects of -f and --old.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "cli/input.h"
#include "policy/findings.h"
#include "value/documents.h"
#include "value/tree.h"

#define MAX_EXCERPT 4096 /* a longer line is not shown */

void fx_input_objects_finish(struct fx_input_objects *objects) {
    if (objects == NULL) {
        return;
    }
    for (size_t i = 0; i < objects->n_items; i++) {
        json_decref(objects->items[i].root);
    }
    free(objects->items);
    fx_file_list_finish(&objects->files);
    *objects = (struct fx_input_objects){0};
}

/* ---- faults of the text ---------------------------------------------------------- */

/* Says a fault of an object file: `finding` without its file. */
static enum fx_exit say_finding(const char *file, struct fx_finding *finding,
                                unsigned color) {
    struct fx_err err = FX_ERR_INIT;
    finding->severity = FX_SEVERITY_ERROR;
    finding->file = strdup(file);
    if (finding->file == NULL) {
        (void)fx_fail_nomem(&err);
        return fx_say_err(&err);
    }
    struct fx_buf words;
    fx_buf_init(&words, 0);
    fx_finding_print(&words, finding, fx_color_wanted(color, stderr));
    fx_say_words(&words);
    fx_buf_finish(&words);
    free(finding->file);
    return FX_EXIT_INVALID;
}

/* The line of `text` that holds `off`, as a string of its own; NULL where there is none
 * that can be shown. */
static char *line_at(struct fx_text text, size_t off) {
    size_t start = off;
    while (start > 0 && text.data[start - 1] != '\n') {
        start--;
    }
    size_t end = off;
    while (end < text.len && text.data[end] != '\n' && text.data[end] != '\r') {
        end++;
    }
    return end > start && end - start <= MAX_EXCERPT
               ? strndup(text.data + start, end - start)
               : NULL;
}

static enum fx_exit say_fault(const char *file, struct fx_text text, struct fx_err *fault,
                              unsigned color) {
    if (fault->code != FX_ESYNTAX) {
        (void)fx_err_prefix(fault, "%s: ", file);
        return fx_say_err(fault);
    }
    const size_t off = fault->off < text.len ? fault->off : text.len;
    struct fx_finding finding = {.text = fault->msg,
                                 .excerpt = line_at(text, off),
                                 .caret_len = fault->len > 0 ? fault->len : 1};
    fx_documents_position(text, off, &finding.line, &finding.column);
    finding.caret = finding.column - 1;
    const enum fx_exit status = say_finding(file, &finding, color);
    free(finding.excerpt);
    return status;
}

/* Is the document a Kubernetes object? Errors: FX_EINVALID. */
static bool is_object(const json_t *root, struct fx_err *err) {
    if (!json_is_object(root)) {
        return fx_fail(err, FX_EINVALID, "the document is no Kubernetes object");
    }
    if (fx_tree_view_string(root, "kind").len == 0) {
        return fx_fail(err, FX_EINVALID, "`kind` is missing");
    }
    if (fx_tree_view_string(root, "apiVersion").len == 0) {
        return fx_fail(err, FX_EINVALID, "`apiVersion` is missing");
    }
    return true;
}

/* ---- reading --------------------------------------------------------------------- */

static enum fx_exit take_document(struct fx_input_objects *objects, const char *file,
                                  const struct fx_document *document, unsigned color) {
    struct fx_err err = FX_ERR_INIT;
    if (!is_object(document->root, &err)) {
        struct fx_finding finding = {.text = err.msg, .line = document->line};
        return say_finding(file, &finding, color);
    }
    if (!FX_VEC_GROW(objects->items, objects->n_items, objects->cap_items)) {
        (void)fx_fail_nomem(&err);
        return fx_say_err(&err);
    }
    objects->items[objects->n_items++] =
        (struct fx_input_object){file, document->line, json_incref(document->root)};
    return FX_EXIT_DONE;
}

static enum fx_exit take_documents(struct fx_input_objects *objects, const char *file,
                                   const struct fx_documents *documents, unsigned color) {
    enum fx_exit status = FX_EXIT_DONE;
    for (size_t i = 0; status == FX_EXIT_DONE && i < documents->n_items; i++) {
        status = take_document(objects, file, &documents->items[i], color);
    }
    return status;
}

static enum fx_exit read_file(struct fx_input_objects *objects, const char *path,
                              unsigned color) {
    const char *name = fx_input_name(path);
    struct fx_err err = FX_ERR_INIT;
    struct fx_documents documents = {0};
    struct fx_buf bytes;
    fx_buf_init(&bytes, 0);
    enum fx_exit status = FX_EXIT_DONE;
    if (!fx_file_read(path, FX_LIMIT_OBJECT_FILE_BYTES, &bytes, &err)) {
        status = fx_say_err(&err);
    } else {
        const struct fx_text text = {bytes.data, bytes.len};
        status = fx_documents_read(text, &documents, &err)
                     ? take_documents(objects, name, &documents, color)
                     : say_fault(name, text, &err, color);
    }
    fx_documents_finish(&documents);
    fx_buf_finish(&bytes);
    return status;
}

enum fx_exit fx_input_read_objects(const struct fx_strings *paths, unsigned color,
                                   struct fx_input_objects *ret_objects) {
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < paths->n_items; i++) {
        if (!fx_file_list_add(&ret_objects->files, paths->items[i], &err)) {
            return fx_say_err(&err);
        }
    }
    enum fx_exit status = FX_EXIT_DONE;
    for (size_t i = 0; status == FX_EXIT_DONE && i < ret_objects->files.n_paths; i++) {
        status = read_file(ret_objects, ret_objects->files.paths[i], color);
    }
    return status;
}
