/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/objects.c - reads the objects of -f and --old.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "base/vec.h"
#include "cli/input.h"
#include "policy/findings_internal.h"
#include "policy/place.h"
#include "value/documents.h"

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

/* ---- faults ---------------------------------------------------------------------- */

/* Prints a fault of an object file, and returns its exit status. */
static enum fx_exit say_fault(const char *file, const struct fx_place *place,
                              const char *message, unsigned color) {
    struct fx_findings findings = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!fx_findings_add(&findings, FX_SEVERITY_ERROR, file, NULL, place, message)) {
        (void)fx_fail_nomem(&err);
        return fx_say_err(&err);
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_finding_print(&text, &findings.items[0], fx_color_wanted(color, stderr));
    fx_say_words(&text);
    fx_buf_finish(&text);
    fx_findings_finish(&findings);
    return FX_EXIT_INVALID;
}

/* The same of a text that does not parse. */
static enum fx_exit say_syntax_fault(const char *file, struct fx_text text,
                                     struct fx_err *fault, unsigned color) {
    if (fault->code != FX_ESYNTAX) {
        (void)fx_err_prefix(fault, "%s: ", file);
        return fx_say_err(fault);
    }
    const struct fx_place place = fx_place_of_offset(text, fault->off, fault->len);
    return say_fault(file, &place, fault->msg, color);
}

/* ---- reading --------------------------------------------------------------------- */

static enum fx_exit take_document(struct fx_input_objects *objects, const char *file,
                                  const struct fx_document *document, unsigned color) {
    struct fx_err err = FX_ERR_INIT;
    const char *fault = fx_document_fault(document);
    if (fault != NULL) {
        const struct fx_place place = {.line = document->line};
        return say_fault(file, &place, fault, color);
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
                     : say_syntax_fault(name, text, &err, color);
    }
    fx_documents_finish(&documents);
    fx_buf_finish(&bytes);
    return status;
}

enum fx_exit fx_input_read_objects(const struct fx_strings *paths, unsigned color,
                                   struct fx_input_objects *ret_objects) {
    struct fx_err err = FX_ERR_INIT;
    if (ret_objects->is_read) {
        return FX_EXIT_DONE;
    }
    ret_objects->is_read = true;
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
