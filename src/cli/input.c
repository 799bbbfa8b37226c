/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/input.c - reads policies and namespaces.
 */
#include "cli/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

const char *fx_input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* ---- policies -------------------------------------------------------------------- */

/* The files of policies, in memory. */
struct sources {
    struct fx_file_list files;
    struct fx_buf *texts; /* one for each */
    struct fx_provider_inputs providers;
    struct fx_policy_input *inputs; /* the files, then the providers */
};

static void sources_finish(struct sources *sources) {
    fx_provider_inputs_finish(&sources->providers);
    for (size_t i = 0; sources->texts != NULL && i < sources->files.n_paths; i++) {
        fx_buf_finish(&sources->texts[i]);
    }
    free(sources->texts);
    free(sources->inputs);
    fx_file_list_finish(&sources->files);
}

static bool read_sources(struct sources *sources, const struct fx_strings *paths,
                         const char *namespace_, struct fx_err *err) {
    for (size_t i = 0; i < paths->n_items; i++) {
        if (!fx_file_list_add(&sources->files, paths->items[i], err)) {
            return false;
        }
    }
    const size_t count = sources->files.n_paths;
    const struct fx_provider_inputs *providers = &sources->providers;
    sources->texts = calloc(count + 1, sizeof *sources->texts);
    sources->inputs = calloc(count + providers->n_items + 1, sizeof *sources->inputs);
    if (sources->texts == NULL || sources->inputs == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < count; i++) {
        const char *path = sources->files.paths[i];
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

static bool build(const struct sources *sources,
                  const struct fx_dialect_settings *settings,
                  struct fx_policies **ret_policies, struct fx_err *err) {
    const struct fx_policy_sources from = {
        .inputs = sources->inputs,
        .n_inputs = sources->files.n_paths + sources->providers.n_items,
        .generation = 1,
        .settings = settings,
    };
    return fx_policies_build_from(&from, ret_policies, err);
}

enum fx_exit fx_input_read_policies(const struct fx_strings *paths,
                                    const struct fx_provider_flags *flags,
                                    const struct fx_dialect_settings *settings,
                                    const char *namespace_,
                                    struct fx_policies **ret_policies) {
    const struct fx_provider_flags none = {.ca = NULL};
    struct sources sources = {0};
    struct fx_err err = FX_ERR_INIT;
    const bool ok = fx_provider_inputs_make(flags == NULL ? &none : flags,
                                            &sources.providers, &err) &&
                    read_sources(&sources, paths, namespace_, &err) &&
                    build(&sources, settings, ret_policies, &err);
    sources_finish(&sources);
    return ok ? FX_EXIT_DONE : fx_say_err(&err);
}

enum fx_exit fx_input_say_findings(const struct fx_policies *policies, unsigned color) {
    const struct fx_findings *findings = &policies->findings;
    struct fx_buf words = {0};
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
