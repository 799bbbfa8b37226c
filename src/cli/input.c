/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/input.c - reads policies and namespaces.
 */
#include "cli/input.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "cli/schemas.h"
#include "engine/policy_text.h"
#include "engine/schemas.h"
#include "engine/unit.h"
#include "value/documents.h"

const char *fx_input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* ---- policies -------------------------------------------------------------------- */

/* The files of policies, in memory. */
struct sources {
    const struct fx_file_list *files;
    struct fx_buf *texts; /* one for each file */
    struct fx_provider_inputs providers;
    struct fx_policy_input *inputs; /* the files, the providers, the parameters */
    size_t n_inputs, cap_inputs;
    size_t n_parameters; /* whose objects are counted */
};

static void sources_finish(struct sources *sources) {
    for (size_t i = 0; i < sources->n_parameters; i++) {
        fx_policy_text_unref(sources->inputs[sources->n_inputs - 1 - i].object);
    }
    fx_provider_inputs_finish(&sources->providers);
    for (size_t i = 0; sources->texts != NULL && i < sources->files->n_paths; i++) {
        fx_buf_finish(&sources->texts[i]);
    }
    free(sources->texts);
    free(sources->inputs);
}

static bool add_input(struct sources *sources, const struct fx_policy_input *input,
                      struct fx_err *err) {
    if (!FX_VEC_GROW(sources->inputs, sources->n_inputs, sources->cap_inputs)) {
        return fx_fail_nomem(err);
    }
    sources->inputs[sources->n_inputs++] = *input;
    return true;
}

static bool read_sources(struct sources *sources, const char *namespace_,
                         struct fx_err *err) {
    const size_t count = sources->files->n_paths;
    sources->texts = calloc(count + 1, sizeof *sources->texts);
    if (sources->texts == NULL) {
        return fx_fail_nomem(err);
    }
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        const char *path = sources->files->paths[i];
        struct fx_buf *text = &sources->texts[i];
        ok = fx_file_read(path, FX_LIMIT_POLICY_FILE_BYTES, text, err);
        const struct fx_policy_input input = {.file = fx_input_name(path),
                                              .text = {text->data, text->len},
                                              .namespace_ = namespace_};
        ok = ok && add_input(sources, &input, err);
    }
    for (size_t i = 0; ok && i < sources->providers.n_items; i++) {
        ok = add_input(sources, &sources->providers.items[i], err);
    }
    return ok;
}

static bool build_policies(const struct sources *sources,
                           const struct fx_dialect_settings *settings,
                           struct fx_policies **ret_policies, struct fx_err *err) {
    const struct fx_policy_sources from = {
        .inputs = sources->inputs,
        .n_inputs = sources->n_inputs,
        .generation = 1,
        .settings = settings,
    };
    return fx_policies_build_from(&from, ret_policies, err);
}

/* Adds the object if it is of a kind that the policies name. */
static bool add_parameter(struct sources *sources, const struct fx_named_kinds *named,
                          const struct fx_input_object *object, const char *namespace_,
                          struct fx_err *err) {
    struct fx_subject subject;
    fx_subject_read(object->root, &subject);
    const struct fx_named_kind kind = {subject.group, subject.version, subject.kind};
    if (!fx_named_kinds_have(named, &kind) || subject.name.len == 0) {
        return true;
    }
    json_t *kept = fx_unit_reduce_object(object->root);
    const struct fx_policy_input input = {
        .file = object->file,
        .object = kept == NULL ? NULL : fx_policy_text_create(kept),
        .namespace_ = namespace_ == NULL ? "default" : namespace_,
        .is_parameter = true,
    };
    json_decref(kept);
    if (input.object == NULL || !add_input(sources, &input, err)) {
        fx_policy_text_unref(input.object);
        return fx_fail_nomem(err);
    }
    sources->n_parameters++;
    return true;
}

/* Builds once more, with the parameters among the objects of -f. */
static enum fx_exit add_parameters(struct sources *sources,
                                   const struct fx_input_policies *input,
                                   struct fx_policies **policies) {
    struct fx_input_objects *objects = input->objects;
    const enum fx_exit status =
        fx_input_read_objects(input->object_paths, input->color, objects);
    struct fx_err err = FX_ERR_INIT;
    bool ok = true;
    for (size_t i = 0; ok && i < objects->n_items; i++) {
        ok = add_parameter(sources, &(*policies)->named, &objects->items[i],
                           input->namespace_, &err);
    }
    if (status == FX_EXIT_DONE && ok && sources->n_parameters > 0) {
        fx_policies_unref(*policies);
        *policies = NULL;
        ok = build_policies(sources, input->settings, policies, &err);
    }
    return ok ? status : fx_say_err(&err);
}

/* Checks the types of expressions, with all schemas among the input. */
static enum fx_exit check_types(const struct sources *sources,
                                const struct fx_input_policies *input,
                                const struct fx_policies *policies) {
    assert(input->objects != NULL && input->schemas != NULL);
    enum fx_exit status =
        fx_input_read_objects(input->object_paths, input->color, input->objects);
    if (status == FX_EXIT_DONE) {
        status = fx_input_add_schemas(input->objects, policies, input->schemas);
    }
    const struct fx_policy_sources from = {.inputs = sources->inputs,
                                           .n_inputs = sources->n_inputs};
    struct fx_err err = FX_ERR_INIT;
    return status != FX_EXIT_DONE ||
                   fx_policies_check_types(&from, policies, &input->schemas->all,
                                           input->types, &err)
               ? status
               : fx_say_err(&err);
}

enum fx_exit fx_input_compile(const struct fx_file_list *files,
                              const struct fx_input_policies *input,
                              struct fx_policies **ret_policies) {
    const struct fx_provider_flags none = {.ca = NULL};
    struct sources sources = {.files = files};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_provider_inputs_make(input->flags == NULL ? &none : input->flags,
                                            &sources.providers, &err) &&
                    read_sources(&sources, input->namespace_, &err) &&
                    build_policies(&sources, input->settings, ret_policies, &err);
    enum fx_exit status = !ok ? fx_say_err(&err)
                          : input->objects != NULL && (*ret_policies)->named.n_items > 0
                              ? add_parameters(&sources, input, ret_policies)
                              : FX_EXIT_DONE;
    if (status == FX_EXIT_DONE && input->types != NULL) {
        status = check_types(&sources, input, *ret_policies);
    }
    sources_finish(&sources);
    return status;
}

/* Lists the files of the paths. */
static enum fx_exit list_files(const struct fx_strings *paths,
                               struct fx_file_list *ret_files) {
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < paths->n_items; i++) {
        if (!fx_file_list_add(ret_files, paths->items[i], &err)) {
            return fx_say_err(&err);
        }
    }
    return FX_EXIT_DONE;
}

enum fx_exit fx_input_read_policies(const struct fx_strings *paths,
                                    const struct fx_input_policies *input,
                                    struct fx_policies **ret_policies) {
    struct fx_file_list files = {0};
    enum fx_exit status = list_files(paths, &files);
    if (status == FX_EXIT_DONE) {
        status = fx_input_compile(&files, input, ret_policies);
    }
    fx_file_list_finish(&files);
    return status;
}

enum fx_exit fx_input_say_findings(const struct fx_policies *policies, unsigned color) {
    const struct fx_findings *findings = &policies->findings;
    struct fx_buf text = {0};
    for (size_t i = 0; i < findings->n_items; i++) {
        fx_finding_print(&text, &findings->items[i], fx_color_wanted(color, stderr));
    }
    fx_say_take(&text);
    return fx_findings_count(findings, FX_SEVERITY_ERROR) > 0 ? FX_EXIT_INVALID
                                                              : FX_EXIT_DONE;
}

/* ---- namespaces ------------------------------------------------------------------ */

bool fx_input_namespaces(const struct fx_policies *policies,
                         const struct fx_input_objects *objects,
                         struct fx_namespaces *ret_namespaces, struct fx_err *err) {
    const struct fx_namespaces *given = &policies->namespaces;
    const bool asks = policies->snapshot->asks_for_inputs;
    const size_t n_items = objects == NULL ? 0 : objects->n_items;
    json_t **all = calloc(given->n_objects + n_items + 1, sizeof(json_t *));
    size_t n = 0;
    for (size_t i = 0; all != NULL && i < given->n_objects; i++) {
        all[n++] = given->objects[i];
    }
    for (size_t i = 0; all != NULL && i < n_items; i++) {
        json_t *root = objects->items[i].root;
        if (asks ? fx_namespaces_can_hold(root) : fx_namespaces_is_one(root)) {
            all[n++] = root;
        }
    }
    const bool ok = all != NULL && fx_namespaces_fill(ret_namespaces, all, n);
    free(all);
    return ok || fx_fail_nomem(err);
}

/* ---- objects --------------------------------------------------------------------- */

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

/* What is wrong in a file, and where. */
struct input_fault {
    enum fx_severity severity;
    const char *file;
    const struct fx_source_position *place;
    const char *message;
};

static enum fx_exit print_fault(const struct input_fault *fault, unsigned color) {
    struct fx_findings findings = {0};
    if (!fx_findings_add(&findings, fault->severity, fault->file, NULL, fault->place,
                         fault->message)) {
        return fx_say_nomem();
    }
    struct fx_buf text = {0};
    fx_finding_print(&text, &findings.items[0], fx_color_wanted(color, stderr));
    fx_say_take(&text);
    fx_findings_finish(&findings);
    return fault->severity == FX_SEVERITY_ERROR ? FX_EXIT_INVALID : FX_EXIT_DONE;
}

enum fx_exit fx_input_say_fault(const char *file, const struct fx_source_position *place,
                                const char *message, unsigned color) {
    const struct input_fault fault = {FX_SEVERITY_ERROR, file, place, message};
    return print_fault(&fault, color);
}

enum fx_exit fx_input_say_syntax(const char *file, struct fx_text text,
                                 struct fx_err *fault, unsigned color) {
    if (fault->code != FX_ESYNTAX) {
        (void)fx_err_prefix(fault, "%s: ", file);
        return fx_say_err(fault);
    }
    const struct fx_source_position place =
        fx_source_position_of_offset(text, fault->off, fault->len);
    return fx_input_say_fault(file, &place, fault->msg, color);
}

/* ---- reading --------------------------------------------------------------------- */

static enum fx_exit take_document(struct fx_input_objects *objects, const char *file,
                                  const struct fx_document *document, unsigned color) {
    const char *fault = fx_document_fault(document);
    if (fault != NULL) {
        const struct fx_source_position place = {.line = document->line};
        return fx_input_say_fault(file, &place, fault, color);
    }
    if (!FX_VEC_GROW(objects->items, objects->n_items, objects->cap_items)) {
        return fx_say_nomem();
    }
    objects->items[objects->n_items++] =
        (struct fx_input_object){file, document->line, json_incref(document->root)};
    return FX_EXIT_DONE;
}

/* Warns if the document is a CustomResourceDefinition whose schemas cannot be read. */
static enum fx_exit check_crd(const char *file, struct fx_text text,
                              const struct fx_documents *documents,
                              const struct fx_document *document, unsigned color) {
    struct fx_err err = FX_ERR_INIT;
    if (!fx_schemas_is_crd(document->root) ||
        fx_schemas_check_crd(document->root, &err)) {
        return FX_EXIT_DONE;
    }
    if (err.code == FX_ENOMEM) {
        return fx_say_nomem();
    }
    const struct fx_source_position place =
        fx_source_position_of_fault(text, &documents->marks, &err, document->line);
    const struct input_fault fault = {FX_SEVERITY_WARNING, file, &place, err.msg};
    return print_fault(&fault, color);
}

static enum fx_exit read_file(struct fx_input_objects *objects, const char *path,
                              unsigned color) {
    const char *name = fx_input_name(path);
    struct fx_err err = FX_ERR_INIT;
    struct fx_documents documents = {0};
    struct fx_buf bytes = {0};
    enum fx_exit status = FX_EXIT_DONE;
    if (!fx_file_read(path, FX_LIMIT_OBJECT_FILE_BYTES, &bytes, &err)) {
        status = fx_say_err(&err);
    } else if (!fx_documents_read(fx_buf_view(&bytes), &documents, &err)) {
        status = fx_input_say_syntax(name, fx_buf_view(&bytes), &err, color);
    }
    for (size_t i = 0; status == FX_EXIT_DONE && i < documents.n_items; i++) {
        status = take_document(objects, name, &documents.items[i], color);
        status = status != FX_EXIT_DONE ? status
                                        : check_crd(name, fx_buf_view(&bytes), &documents,
                                                    &documents.items[i], color);
    }
    fx_documents_finish(&documents);
    fx_buf_finish(&bytes);
    return status;
}

enum fx_exit fx_input_read_objects(const struct fx_strings *paths, unsigned color,
                                   struct fx_input_objects *ret_objects) {
    if (ret_objects->is_read) {
        return FX_EXIT_DONE;
    }
    ret_objects->is_read = true;
    enum fx_exit status = list_files(paths, &ret_objects->files);
    for (size_t i = 0; status == FX_EXIT_DONE && i < ret_objects->files.n_paths; i++) {
        status = read_file(ret_objects, ret_objects->files.paths[i], color);
    }
    return status;
}
