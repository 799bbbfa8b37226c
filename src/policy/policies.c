/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/policies.c - files in, the next set of policies out.
 */
#include "policy/policies.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "policy/build.h"

static void file_finish(struct fx_policy_file *file) {
    for (size_t i = 0; i < file->n_mutators; i++) {
        fx_mutator_unref(file->mutators[i]);
    }
    for (size_t i = 0; i < file->n_resources; i++) {
        fx_resource_unref(file->resources[i]);
    }
    for (size_t i = 0; i < file->n_namespaces; i++) {
        json_decref(file->namespaces[i]);
    }
    free(file->mutators);
    free(file->resources);
    free(file->namespaces);
    fx_policy_text_unref(file->object);
    free(file->file);
}

static void policies_destroy(struct fx_policies *policies) {
    if (policies->base != NULL) { /* the rest is its own */
        fx_snapshot_unref(policies->snapshot);
        fx_policies_unref(policies->base);
        free(policies);
        return;
    }
    for (size_t i = 0; i < policies->n_files; i++) {
        file_finish(&policies->files[i]);
    }
    free(policies->files);
    fx_snapshot_unref(policies->snapshot);
    fx_namespaces_finish(&policies->namespaces);
    fx_findings_finish(&policies->findings);
    free(policies);
}

struct fx_policies *fx_policies_ref(struct fx_policies *policies) {
    atomic_fetch_add_explicit(&policies->refs, 1, memory_order_relaxed);
    return policies;
}

void fx_policies_unref(struct fx_policies *policies) {
    if (policies != NULL &&
        atomic_fetch_sub_explicit(&policies->refs, 1, memory_order_acq_rel) == 1) {
        policies_destroy(policies);
    }
}

bool fx_build_keep_mutator(struct fx_build *build, struct fx_mutator *mutator) {
    struct fx_policy_file *file = build->file;
    if (!FX_VEC_GROW(file->mutators, file->n_mutators, file->cap_mutators)) {
        return false;
    }
    file->mutators[file->n_mutators++] = fx_mutator_ref(mutator);
    return true;
}

bool fx_build_keep_resource(struct fx_build *build, struct fx_resource *resource) {
    struct fx_policy_file *file = build->file;
    if (!FX_VEC_GROW(file->resources, file->n_resources, file->cap_resources)) {
        return false;
    }
    file->resources[file->n_resources++] = fx_resource_ref(resource);
    return true;
}

bool fx_build_keep_namespace(struct fx_build *build, json_t *object) {
    struct fx_policy_file *file = build->file;
    if (!FX_VEC_GROW(file->namespaces, file->n_namespaces, file->cap_namespaces)) {
        return false;
    }
    file->namespaces[file->n_namespaces++] = json_incref(object);
    return true;
}

/* A file that cannot be read at all. */
static bool report_unreadable(struct fx_build *build) {
    struct fx_err fault = FX_ERR_INIT;
    bool stays = false;
    (void)fx_fail(&fault, FX_EIO, "%s", build->input->failure);
    return fx_build_fall_back_file(build, &stays) &&
           fx_build_report(build, FX_SEVERITY_ERROR, &fault, stays);
}

static bool build_documents(struct fx_build *build,
                            const struct fx_documents *documents) {
    build->documents = documents;
    bool ok = true;
    for (size_t i = 0; ok && i < documents->n_items; i++) {
        ok = fx_build_document(build, &documents->items[i]);
    }
    build->documents = NULL;
    return ok;
}

/* The same text as in the previous build gives the same. */
static bool build_object(struct fx_build *build) {
    const struct fx_policy_text *object = build->input->object;
    if (build->before != NULL && build->before->object == object) {
        return fx_build_repeat_file(build);
    }
    struct fx_document document = {.root = fx_policy_text_read(object)};
    const struct fx_documents documents = {.items = &document, .n_items = 1};
    const bool ok = document.root != NULL && build_documents(build, &documents);
    json_decref(document.root);
    return ok;
}

/* Where the file breaks off and gave something before, that stays; where not, what comes
 * before the fault counts, as kubectl would have it. */
static bool build_file(struct fx_build *build) {
    if (build->input->failure != NULL) {
        return report_unreadable(build);
    }
    if (build->input->object != NULL) {
        return build_object(build);
    }
    struct fx_documents documents = {0};
    struct fx_err fault = FX_ERR_INIT;
    const bool parsed = fx_documents_read(build->input->text, &documents, &fault);
    bool stays = false;
    bool ok =
        parsed || (fault.code != FX_ENOMEM && fx_build_fall_back_file(build, &stays) &&
                   fx_build_report_syntax(build, &fault, stays));
    ok = ok && (stays || build_documents(build, &documents));
    fx_documents_finish(&documents);
    return ok;
}

static bool build_input(struct fx_build *build) {
    struct fx_policy_file *file = build->file;
    const struct fx_findings *findings = &build->next->findings;
    file->file = strdup(build->input->file);
    if (build->input->object != NULL) {
        file->object = fx_policy_text_ref(build->input->object);
    }
    file->first_finding = findings->n_items;
    const bool ok =
        file->file != NULL && build_file(build) && fx_build_report_rest(build);
    file->n_findings = findings->n_items - file->first_finding;
    return ok;
}

static bool build_next(struct fx_policies *policies, struct fx_previous_index *previous,
                       const struct fx_dialect_settings *settings,
                       const struct fx_policy_input *input) {
    struct fx_build build = {
        .next = policies,
        .previous = previous,
        .settings = settings,
        .input = input,
        .file = &policies->files[policies->n_files++],
    };
    return fx_previous_index_find_file(previous, input->file, &build.before) &&
           build_input(&build);
}

static bool build_files(struct fx_policies *policies,
                        const struct fx_policy_sources *sources) {
    struct fx_previous_index index = {.policies = sources->previous};
    policies->files = calloc(sources->n_inputs + 1, sizeof *policies->files);
    policies->cap_files = sources->n_inputs + 1;
    bool ok = policies->files != NULL;
    for (size_t i = 0; ok && i < sources->n_inputs; i++) {
        ok = build_next(policies, &index, sources->settings, &sources->inputs[i]);
    }
    fx_previous_index_finish(&index);
    return ok;
}

static bool collect_namespaces(struct fx_policies *policies) {
    size_t n = 0;
    for (size_t i = 0; i < policies->n_files; i++) {
        n += policies->files[i].n_namespaces;
    }
    json_t **objects = calloc(n + 1, sizeof(json_t *));
    if (objects == NULL) {
        return false;
    }
    n = 0;
    for (size_t i = 0; i < policies->n_files; i++) {
        const struct fx_policy_file *file = &policies->files[i];
        for (size_t j = 0; j < file->n_namespaces; j++) {
            objects[n++] = file->namespaces[j];
        }
    }
    const bool ok = fx_namespaces_fill(&policies->namespaces, objects, n);
    free(objects);
    return ok;
}

/* All that the files gave, in the order of reading. */
struct given {
    struct fx_mutator **mutators;
    struct fx_resource **resources;
    size_t n_mutators, n_resources;
};

static void given_add(struct given *given, const struct fx_policy_file *file) {
    for (size_t i = 0; i < file->n_mutators; i++) {
        given->mutators[given->n_mutators++] = file->mutators[i];
    }
    for (size_t i = 0; i < file->n_resources; i++) {
        given->resources[given->n_resources++] = file->resources[i];
    }
}

/* Fills the lists, which borrow; false without memory. */
static bool given_list(const struct fx_policies *policies, struct given *given) {
    size_t n_mutators = 0;
    size_t n_resources = 0;
    for (size_t i = 0; i < policies->n_files; i++) {
        n_mutators += policies->files[i].n_mutators;
        n_resources += policies->files[i].n_resources;
    }
    given->mutators = calloc(n_mutators + 1, sizeof(struct fx_mutator *));
    given->resources = calloc(n_resources + 1, sizeof(struct fx_resource *));
    if (given->mutators == NULL || given->resources == NULL) {
        return false;
    }
    for (size_t i = 0; i < policies->n_files; i++) {
        given_add(given, &policies->files[i]);
    }
    return true;
}

static bool build_snapshot(struct fx_policies *policies, uint64_t generation) {
    struct given given = {0};
    struct fx_err fault = FX_ERR_INIT;
    bool ok = given_list(policies, &given);
    const struct fx_snapshot_parts parts = {
        .mutators = given.mutators,
        .n_mutators = given.n_mutators,
        .resources = given.resources,
        .n_resources = given.n_resources,
    };
    ok = ok && fx_build_report_repeats(policies, &parts) &&
         fx_snapshot_build(&parts, generation, &policies->snapshot, &fault) &&
         fx_build_report_conflicts(policies) && fx_build_report_providers(policies) &&
         fx_build_drop_cycles(policies);
    free(given.mutators);
    free(given.resources);
    return ok;
}

bool fx_policies_build(const struct fx_policy_input *inputs, size_t n_inputs,
                       const struct fx_policies *previous, uint64_t generation,
                       struct fx_policies **ret_policies, struct fx_err *err) {
    const struct fx_policy_sources sources = {
        .inputs = inputs,
        .n_inputs = n_inputs,
        .previous = previous,
        .generation = generation,
    };
    return fx_policies_build_from(&sources, ret_policies, err);
}

bool fx_policies_build_from(const struct fx_policy_sources *sources,
                            struct fx_policies **ret_policies, struct fx_err *err) {
    struct fx_policies *policies = calloc(1, sizeof *policies);
    if (policies == NULL) {
        return fx_fail_nomem(err);
    }
    atomic_init(&policies->refs, 1);
    if (!build_files(policies, sources) || !collect_namespaces(policies) ||
        !build_snapshot(policies, sources->generation)) {
        fx_policies_unref(policies);
        return fx_fail_nomem(err);
    }
    *ret_policies = policies;
    return true;
}

bool fx_policies_quarantine(struct fx_policies *policies,
                            struct fx_quarantine *quarantine,
                            struct fx_policies **ret_policies, struct fx_err *err) {
    struct fx_policies *base = policies->base != NULL ? policies->base : policies;
    const struct fx_snapshot *snapshot = base->snapshot;
    const struct fx_snapshot_parts parts = {
        .mutators = snapshot->mutators,
        .n_mutators = snapshot->n_mutators,
        .resources = snapshot->resources,
        .n_resources = snapshot->n_resources,
        .quarantine = quarantine,
    };
    struct fx_policies *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fx_fail_nomem(err);
    }
    atomic_init(&made->refs, 1);
    made->namespaces = base->namespaces;
    made->findings = base->findings;
    made->files = base->files;
    made->n_files = base->n_files;
    if (!fx_snapshot_build(&parts, snapshot->generation, &made->snapshot, err)) {
        free(made);
        return false;
    }
    made->base = fx_policies_ref(base);
    *ret_policies = made;
    return true;
}
