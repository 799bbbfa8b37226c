/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/schemas.c - reads the files of --schema into one catalog.
 */
#include "cli/schemas.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "policy/findings.h"
#include "value/documents.h"
#include "value/tree.h"

void fx_input_schemas_finish(struct fx_input_schemas *schemas) {
    fx_schema_catalog_unref(schemas->read);
    fx_schema_catalog_unref(schemas->of_objects);
    *schemas = (struct fx_input_schemas){.read = NULL};
}

/* ---- one document ---------------------------------------------------------------- */

/* The state of reading all files. */
struct schema_reading {
    struct fx_schema_builder *builder;
    unsigned color;
    bool is_file;   /* the path is a file, not a folder */
    size_t n_found; /* documents of the path that have schemas */
};

/* The same for a document that has no schemas. */
static bool refuse_document(const json_t *root, struct fx_err *err) {
    const json_t *swagger = fx_tree_view_key(root, "swagger");
    if (swagger != NULL) {
        return fx_fail_in(err, swagger, FX_EINVALID,
                          "an OpenAPI v2 document; version 3 is needed, as in `kubectl "
                          "get --raw /openapi/v3/apis/apps/v1`");
    }
    return fx_fail_in(err, root, FX_EINVALID,
                      "neither an OpenAPI v3 document nor a CustomResourceDefinition "
                      "(apiextensions.k8s.io/v1)");
}

static bool add_document(struct schema_reading *reading, const json_t *root,
                         struct fx_err *err) {
    const bool is_crd = fx_schemas_is_crd(root);
    if (!is_crd && fx_tree_view_key(root, "openapi") == NULL) {
        return !reading->is_file || refuse_document(root, err);
    }
    reading->n_found++;
    return is_crd ? fx_schema_add_crd(reading->builder, root, err)
                  : fx_schema_add_openapi(reading->builder, root, err);
}

/* ---- files ----------------------------------------------------------------------- */

static enum fx_exit add_documents(struct schema_reading *reading, const char *file,
                                  struct fx_text text,
                                  const struct fx_documents *documents) {
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < documents->n_items; i++) {
        const struct fx_document *document = &documents->items[i];
        if (add_document(reading, document->root, &err)) {
            continue;
        }
        if (err.code == FX_ENOMEM) {
            return fx_say_nomem();
        }
        const struct fx_source_position place =
            fx_source_position_of_fault(text, &documents->marks, &err, document->line);
        return fx_input_say_fault(file, &place, err.msg, reading->color);
    }
    return FX_EXIT_DONE;
}

static enum fx_exit read_file(struct schema_reading *reading, const char *path) {
    const char *name = fx_input_name(path);
    struct fx_err err = FX_ERR_INIT;
    struct fx_documents documents = {0};
    struct fx_buf bytes = {0};
    enum fx_exit status = FX_EXIT_DONE;
    if (!fx_file_read(path, FX_LIMIT_OBJECT_FILE_BYTES, &bytes, &err)) {
        status = fx_say_err(&err);
    } else if (!fx_documents_read(fx_buf_view(&bytes), &documents, &err)) {
        status = fx_input_say_syntax(name, fx_buf_view(&bytes), &err, reading->color);
    } else {
        status = add_documents(reading, name, fx_buf_view(&bytes), &documents);
    }
    fx_documents_finish(&documents);
    fx_buf_finish(&bytes);
    return status;
}

static enum fx_exit read_path(struct schema_reading *reading, const char *path) {
    struct fx_file_list files = {0};
    struct fx_err err = FX_ERR_INIT;
    enum fx_exit status =
        fx_file_list_add(&files, path, &err) ? FX_EXIT_DONE : fx_say_err(&err);
    reading->is_file = files.n_paths == 1 && strcmp(files.paths[0], path) == 0;
    reading->n_found = 0;
    for (size_t i = 0; status == FX_EXIT_DONE && i < files.n_paths; i++) {
        status = read_file(reading, files.paths[i]);
    }
    if (status == FX_EXIT_DONE && reading->n_found == 0) {
        fx_say("%s: no OpenAPI v3 document and no CustomResourceDefinition",
               fx_input_name(path));
        status = FX_EXIT_INVALID;
    }
    fx_file_list_finish(&files);
    return status;
}

enum fx_exit fx_input_read_schemas(const struct fx_strings *paths, unsigned color,
                                   struct fx_input_schemas *ret_schemas) {
    if (paths->n_items == 0) {
        return FX_EXIT_DONE;
    }
    struct schema_reading reading = {.builder = fx_schema_builder_create(),
                                     .color = color};
    enum fx_exit status = reading.builder == NULL ? fx_say_nomem() : FX_EXIT_DONE;
    for (size_t i = 0; status == FX_EXIT_DONE && i < paths->n_items; i++) {
        status = read_path(&reading, paths->items[i]);
    }
    if (status != FX_EXIT_DONE) {
        fx_schema_builder_destroy(reading.builder);
        return status;
    }
    ret_schemas->read = fx_schema_catalog_create(reading.builder);
    ret_schemas->all.given[0] = ret_schemas->read;
    return ret_schemas->read == NULL ? fx_say_nomem() : FX_EXIT_DONE;
}

/* ---- CustomResourceDefinitions among the input ----------------------------------- */

static bool read_objects(const struct fx_input_objects *objects,
                         struct fx_input_schemas *schemas, struct fx_err *err) {
    json_t **roots = calloc(objects->n_items + 1, sizeof(json_t *));
    if (roots == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < objects->n_items; i++) {
        roots[i] = objects->items[i].root;
    }
    const bool ok =
        fx_schemas_of_crds(roots, objects->n_items, &schemas->of_objects, err);
    free(roots);
    return ok;
}

enum fx_exit fx_input_add_schemas(const struct fx_input_objects *objects,
                                  const struct fx_policies *policies,
                                  struct fx_input_schemas *schemas) {
    struct fx_err err = FX_ERR_INIT;
    if (objects != NULL && !read_objects(objects, schemas, &err)) {
        return fx_say_err(&err);
    }
    schemas->all.given[1] = schemas->of_objects;
    schemas->all.given[2] = policies == NULL ? NULL : policies->schemas;
    return FX_EXIT_DONE;
}
