/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/input.c - reads policies and namespaces.
 */
#include "cli/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "engine/policy_text.h"
#include "engine/unit.h"

const char *fx_input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* ---- policies -------------------------------------------------------------------- */

/* The files of policies, in memory. */
struct sources {
    struct fx_file_list files;
    struct fx_buf *texts; /* one for each */
    struct fx_provider_inputs providers;
    struct fx_policy_input *inputs; /* the files, the providers, the parameters */
    size_t n_inputs, cap_inputs;
    size_t n_parameters; /* whose texts are counted */
};

static void sources_finish(struct sources *sources) {
    for (size_t i = sources->n_inputs - sources->n_parameters; i < sources->n_inputs;
         i++) {
        fx_policy_text_unref(sources->inputs[i].object);
    }
    fx_provider_inputs_finish(&sources->providers);
    for (size_t i = 0; sources->texts != NULL && i < sources->files.n_paths; i++) {
        fx_buf_finish(&sources->texts[i]);
    }
    free(sources->texts);
    free(sources->inputs);
    fx_file_list_finish(&sources->files);
}

static bool add_input(struct sources *sources, const struct fx_policy_input *input,
                      struct fx_err *err) {
    if (!FX_VEC_GROW(sources->inputs, sources->n_inputs, sources->cap_inputs)) {
        return fx_fail_nomem(err);
    }
    sources->inputs[sources->n_inputs++] = *input;
    return true;
}

static bool read_file(struct sources *sources, size_t index, const char *namespace_,
                      struct fx_err *err) {
    const char *path = sources->files.paths[index];
    struct fx_buf *text = &sources->texts[index];
    if (!fx_file_read(path, FX_LIMIT_POLICY_FILE_BYTES, text, err)) {
        return false;
    }
    const struct fx_policy_input input = {.file = fx_input_name(path),
                                          .text = {text->data, text->len},
                                          .namespace_ = namespace_};
    return add_input(sources, &input, err);
}

static bool read_sources(struct sources *sources, const struct fx_input_policies *input,
                         struct fx_err *err) {
    for (size_t i = 0; i < input->paths->n_items; i++) {
        if (!fx_file_list_add(&sources->files, input->paths->items[i], err)) {
            return false;
        }
    }
    const size_t count = sources->files.n_paths;
    sources->texts = calloc(count + 1, sizeof *sources->texts);
    bool ok = sources->texts != NULL || fx_fail_nomem(err);
    for (size_t i = 0; ok && i < count; i++) {
        ok = read_file(sources, i, input->namespace_, err);
    }
    for (size_t i = 0; ok && i < sources->providers.n_items; i++) {
        ok = add_input(sources, &sources->providers.items[i], err);
    }
    return ok;
}

static bool build(const struct sources *sources,
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
    if (!fx_named_kinds_have(named, &kind)) {
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
    const struct fx_named_kinds *named = &(*policies)->named;
    struct fx_input_objects *objects = input->objects;
    const enum fx_exit status =
        fx_input_read_objects(input->object_paths, input->color, objects);
    struct fx_err err = FX_ERR_INIT;
    bool ok = true;
    if (status != FX_EXIT_DONE) {
        return status;
    }
    for (size_t i = 0; ok && i < objects->n_items; i++) {
        ok = add_parameter(sources, named, &objects->items[i], input->namespace_, &err);
    }
    if (ok && sources->n_parameters > 0) {
        fx_policies_unref(*policies);
        *policies = NULL;
        ok = build(sources, input->settings, policies, &err);
    }
    return ok ? FX_EXIT_DONE : fx_say_err(&err);
}

enum fx_exit fx_input_read_policies(const struct fx_input_policies *input,
                                    struct fx_policies **ret_policies) {
    const struct fx_provider_flags none = {.ca = NULL};
    struct sources sources = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_provider_inputs_make(input->flags == NULL ? &none : input->flags,
                                            &sources.providers, &err) &&
                    read_sources(&sources, input, &err) &&
                    build(&sources, input->settings, ret_policies, &err);
    enum fx_exit status = ok ? FX_EXIT_DONE : fx_say_err(&err);
    if (ok && input->objects != NULL && (*ret_policies)->named.n_items > 0) {
        status = add_parameters(&sources, input, ret_policies);
    }
    sources_finish(&sources);
    return status;
}

enum fx_exit fx_input_say_findings(const struct fx_policies *policies, unsigned color) {
    const struct fx_findings *findings = &policies->findings;
    struct fx_buf words;
    fx_buf_init(&words, 0);
    for (size_t i = 0; i < findings->n_items; i++) {
        fx_finding_print(&words, &findings->items[i], fx_color_wanted(color, stderr));
    }
    fx_say_words(&words);
    fx_buf_finish(&words);
    return fx_findings_count(findings, FX_SEVERITY_ERROR) > 0 ? FX_EXIT_INVALID
                                                              : FX_EXIT_DONE;
}

/* ---- namespaces ------------------------------------------------------------------ */

bool fx_input_namespaces(const struct fx_policies *policies,
                         const struct fx_input_objects *objects,
                         struct fx_namespaces *ret_namespaces, struct fx_err *err) {
    const struct fx_namespaces *given = &policies->namespaces;
    bool ok = true;
    for (size_t i = 0; ok && i < given->n_objects; i++) {
        ok = fx_namespaces_add(ret_namespaces, given->objects[i]);
    }
    for (size_t i = 0; ok && objects != NULL && i < objects->n_items; i++) {
        json_t *root = objects->items[i].root;
        ok = !fx_namespaces_is_one(root) || fx_namespaces_add(ret_namespaces, root);
    }
    return ok || fx_fail_nomem(err);
}
