/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/input.c - reads policies and namespaces.
 */
#include "cli/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "policy/findings_internal.h"
#include "policy/place.h"
#include "value/documents.h"

const char *fx_input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* ---- policies -------------------------------------------------------------------- */

/* The files of policies, in memory. */
struct sources {
    const struct fx_file_list *files;
    struct fx_buf *texts; /* one for each */
    struct fx_provider_inputs providers;
    struct fx_policy_input *inputs; /* the files, then the providers */
};

static void sources_finish(struct sources *sources) {
    fx_provider_inputs_finish(&sources->providers);
    for (size_t i = 0; sources->texts != NULL && i < sources->files->n_paths; i++) {
        fx_buf_finish(&sources->texts[i]);
    }
    free(sources->texts);
    free(sources->inputs);
}

static bool read_sources(struct sources *sources, const char *namespace_,
                         struct fx_err *err) {
    const size_t count = sources->files->n_paths;
    const struct fx_provider_inputs *providers = &sources->providers;
    sources->texts = calloc(count + 1, sizeof *sources->texts);
    sources->inputs = calloc(count + providers->n_items + 1, sizeof *sources->inputs);
    if (sources->texts == NULL || sources->inputs == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < count; i++) {
        const char *path = sources->files->paths[i];
        struct fx_buf *text = &sources->texts[i];
        if (!fx_file_read(path, FX_LIMIT_POLICY_FILE_BYTES, text, err)) {
            return false;
        }
        sources->inputs[i] = (struct fx_policy_input){.file = fx_input_name(path),
                                                      .text = {text->data, text->len},
                                                      .namespace_ = namespace_};
    }
    for (size_t i = 0; i < providers->n_items; i++) {
        sources->inputs[count + i] = providers->items[i];
    }
    return true;
}

enum fx_exit fx_input_compile(const struct fx_file_list *files,
                              const struct fx_provider_flags *flags,
                              const struct fx_dialect_settings *settings,
                              const char *namespace_, struct fx_policies **ret_policies) {
    const struct fx_provider_flags none = {.ca = NULL};
    struct sources sources = {.files = files};
    struct fx_err err = FX_ERR_INIT;
    bool ok = fx_provider_inputs_make(flags == NULL ? &none : flags, &sources.providers,
                                      &err) &&
              read_sources(&sources, namespace_, &err);
    const struct fx_policy_sources from = {
        .inputs = sources.inputs,
        .n_inputs = files->n_paths + sources.providers.n_items,
        .generation = 1,
        .settings = settings,
    };
    ok = ok && fx_policies_build_from(&from, ret_policies, &err);
    sources_finish(&sources);
    return ok ? FX_EXIT_DONE : fx_say_err(&err);
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
                                    const struct fx_provider_flags *flags,
                                    const struct fx_dialect_settings *settings,
                                    const char *namespace_,
                                    struct fx_policies **ret_policies) {
    struct fx_file_list files = {0};
    enum fx_exit status = list_files(paths, &files);
    if (status == FX_EXIT_DONE) {
        status = fx_input_compile(&files, flags, settings, namespace_, ret_policies);
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

/* Prints a fault of an object file, and returns its exit status. */
static enum fx_exit say_fault(const char *file, const struct fx_place *place,
                              const char *message, unsigned color) {
    struct fx_findings findings = {0};
    if (!fx_findings_add(&findings, FX_SEVERITY_ERROR, file, NULL, place, message)) {
        return fx_say_nomem();
    }
    struct fx_buf text = {0};
    fx_finding_print(&text, &findings.items[0], fx_color_wanted(color, stderr));
    fx_say_take(&text);
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
    const char *fault = fx_document_fault(document);
    if (fault != NULL) {
        const struct fx_place place = {.line = document->line};
        return say_fault(file, &place, fault, color);
    }
    if (!FX_VEC_GROW(objects->items, objects->n_items, objects->cap_items)) {
        return fx_say_nomem();
    }
    objects->items[objects->n_items++] =
        (struct fx_input_object){file, document->line, json_incref(document->root)};
    return FX_EXIT_DONE;
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
    } else if (!fx_documents_read((struct fx_text){bytes.data, bytes.len}, &documents,
                                  &err)) {
        status =
            say_syntax_fault(name, (struct fx_text){bytes.data, bytes.len}, &err, color);
    }
    for (size_t i = 0; status == FX_EXIT_DONE && i < documents.n_items; i++) {
        status = take_document(objects, name, &documents.items[i], color);
    }
    fx_documents_finish(&documents);
    fx_buf_finish(&bytes);
    return status;
}

enum fx_exit fx_input_read_objects(const struct fx_strings *paths, unsigned color,
                                   struct fx_input_objects *ret_objects) {
    enum fx_exit status = list_files(paths, &ret_objects->files);
    for (size_t i = 0; status == FX_EXIT_DONE && i < ret_objects->files.n_paths; i++) {
        status = read_file(ret_objects, ret_objects->files.paths[i], color);
    }
    return status;
}
