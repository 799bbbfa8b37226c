/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/policies.c - makes the next set of policies from files.
 */
#include "policy/policies.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "policy/build.h"

static void file_finish(struct fx_policy_file *file) {
    for (size_t i = 0; i < file->n_units; i++) {
        fx_unit_unref(file->units[i]);
    }
    for (size_t i = 0; i < file->n_namespaces; i++) {
        json_decref(file->namespaces[i]);
    }
    free(file->units);
    free(file->namespaces);
    fx_policy_text_unref(file->object);
    free(file->file);
}

static void policies_destroy(struct fx_policies *policies) {
    if (policies->base != NULL) { /* otherwise the base owns the rest */
        fx_snapshot_unref(policies->snapshot);
        fx_policies_unref(policies->base);
        free(policies);
        return;
    }
    for (size_t i = 0; i < policies->n_files; i++) {
        file_finish(&policies->files[i]);
    }
    for (size_t i = 0; i < policies->n_linked; i++) {
        fx_linked_unref(policies->linked[i]);
    }
    free(policies->files);
    free(policies->linked);
    fx_units_finish(&policies->units);
    fx_named_kinds_finish(&policies->named);
    fx_snapshot_unref(policies->snapshot);
    fx_namespaces_finish(&policies->namespaces);
    fx_schema_catalog_unref(policies->schemas);
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

bool fx_build_keep_unit(struct fx_build *build, struct fx_unit *unit) {
    struct fx_policy_file *file = build->file;
    if (unit->kind != NULL && unit->n_rules + unit->n_resources == 0 &&
        unit->linkable == NULL) {
        return true; /* a valid document without a result */
    }
    if (!FX_VEC_GROW(file->units, file->n_units, file->cap_units)) {
        return false;
    }
    file->units[file->n_units++] = fx_unit_ref(unit);
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

/* Reports a file that cannot be read at all. */
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

/* Does the result of the file depend on the kinds that policies name? */
static bool depends_on_kinds(const struct fx_build *build,
                             const struct fx_policy_file *file) {
    return file->has_others && !build->input->is_parameter;
}

/* Builds an object from a watch. The same text as in the previous build has the same
 * result. */
static bool build_object(struct fx_build *build) {
    const struct fx_policy_text *object = build->input->object;
    const struct fx_policies *previous = build->previous->policies;
    if (build->before != NULL && build->before->object == object &&
        (!depends_on_kinds(build, build->before) ||
         fx_named_kinds_equal(build->named, &previous->named))) {
        return fx_build_repeat_file(build, previous, build->before);
    }
    struct fx_document document = {.root = fx_policy_text_read(object)};
    const struct fx_documents documents = {.items = &document, .n_items = 1};
    const bool ok = document.root != NULL && build_documents(build, &documents);
    json_decref(document.root);
    return ok;
}

/* Builds a file. If it cannot be parsed, its previous policies stay; if it had none, the
 * documents before the fault count, as in kubectl. */
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

/* One attempt at a build: how it reads its files. */
struct attempt {
    struct fx_policies *policies;
    const struct fx_policy_sources *sources;
    struct fx_previous_index index;
    const struct fx_named_kinds *named;
    const struct fx_policies *before; /* the attempt before this one, or NULL */
};

static bool read_input(struct attempt *attempt, struct fx_build *build, size_t index) {
    const struct fx_policies *before = attempt->before;
    return before != NULL && !depends_on_kinds(build, &before->files[index])
               ? fx_build_repeat_file(build, before, &before->files[index])
               : build_file(build) && fx_build_report_rest(build);
}

static bool build_input(struct attempt *attempt, size_t index) {
    struct fx_policies *policies = attempt->policies;
    const struct fx_policy_input *input = &attempt->sources->inputs[index];
    struct fx_policy_file *file = &policies->files[policies->n_files++];
    struct fx_build build = {
        .next = policies,
        .named = attempt->named,
        .previous = &attempt->index,
        .settings = attempt->sources->settings,
        .input = input,
        .file = file,
    };
    const struct fx_findings *findings = &policies->findings;
    file->file = strdup(input->file);
    if (input->object != NULL) {
        file->object = fx_policy_text_ref(input->object);
    }
    file->first_finding = findings->n_items;
    const bool ok =
        file->file != NULL &&
        fx_previous_index_find_file(&attempt->index, input->file, &build.before) &&
        read_input(attempt, &build, index);
    file->n_findings = findings->n_items - file->first_finding;
    return ok;
}

static bool build_files(struct attempt *attempt) {
    struct fx_policies *policies = attempt->policies;
    const size_t n_inputs = attempt->sources->n_inputs;
    policies->files = calloc(n_inputs + 1, sizeof *policies->files);
    policies->cap_files = n_inputs + 1;
    bool ok = policies->files != NULL;
    for (size_t i = 0; ok && i < n_inputs; i++) {
        ok = build_input(attempt, i);
    }
    fx_previous_index_finish(&attempt->index);
    return ok;
}

/* Collects the Namespaces and other objects of all files, and the schemas among them. */
static bool collect_objects(struct fx_policies *policies) {
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
    struct fx_err fault = FX_ERR_INIT; /* whatever it is, the caller reports FX_ENOMEM */
    const bool ok = fx_namespaces_fill(&policies->namespaces, objects, n) &&
                    fx_schemas_of_crds(objects, n, &policies->schemas, &fault);
    free(objects);
    return ok;
}

/* Returns the units of all files in the order of reading, borrowed, and their number in
 * *ret_n; NULL without memory. */
static struct fx_unit **list_units(const struct fx_policies *policies, size_t *ret_n) {
    size_t n = 0;
    for (size_t i = 0; i < policies->n_files; i++) {
        n += policies->files[i].n_units;
    }
    struct fx_unit **units = calloc(n + 1, sizeof(struct fx_unit *));
    *ret_n = 0;
    for (size_t i = 0; units != NULL && i < policies->n_files; i++) {
        const struct fx_policy_file *file = &policies->files[i];
        for (size_t j = 0; j < file->n_units; j++) {
            units[(*ret_n)++] = file->units[j];
        }
    }
    return units;
}

/* Returns the result of the link step of a policy, with a reference: the previous one if
 * it is current, otherwise a new one. NULL without memory. */
static struct fx_linked *link_policy(const struct fx_policies *policies,
                                     const struct fx_policies *previous,
                                     struct fx_unit *policy) {
    struct fx_linked *before =
        previous == NULL ? NULL
                         : fx_linked_find(previous->linked, previous->n_linked, policy);
    return before != NULL && before->policy == policy &&
                   fx_linked_is_current(before, &policies->units)
               ? fx_linked_ref(before)
               : fx_link_policy(&policies->units, policy);
}

static bool link_all(struct fx_policies *policies, const struct fx_policies *previous) {
    const struct fx_units *units = &policies->units;
    policies->linked = calloc(units->n_by_name + 1, sizeof(struct fx_linked *));
    bool ok = policies->linked != NULL;
    for (size_t i = 0; ok && i < units->n_by_name; i++) {
        struct fx_unit *unit = units->by_name[i];
        if (unit->kind != NULL && unit->kind->role == FX_ROLE_POLICY &&
            unit->dialect->link != NULL) {
            struct fx_linked *linked = link_policy(policies, previous, unit);
            ok = linked != NULL;
            policies->linked[policies->n_linked] = linked;
            policies->n_linked += ok ? 1 : 0;
        }
    }
    return ok;
}

/* The parts of the snapshot; the lists borrow them. */
struct parts {
    struct fx_mutator **mutators;
    struct fx_resource **resources;
    size_t n_mutators, n_resources;
};

static void count_parts(const struct fx_policies *policies, struct parts *parts) {
    for (size_t i = 0; i < policies->units.n_by_name; i++) {
        parts->n_mutators += policies->units.by_name[i]->n_rules;
        parts->n_resources += policies->units.by_name[i]->n_resources;
    }
    for (size_t i = 0; i < policies->n_linked; i++) {
        parts->n_mutators += policies->linked[i]->n_rules;
    }
}

static void add_rules(struct parts *parts, struct fx_mutator *const *rules,
                      size_t n_rules) {
    for (size_t i = 0; i < n_rules; i++) {
        parts->mutators[parts->n_mutators++] = rules[i];
    }
}

static void add_unit(struct parts *parts, const struct fx_unit *unit) {
    add_rules(parts, unit->rules, unit->n_rules);
    for (size_t i = 0; i < unit->n_resources; i++) {
        parts->resources[parts->n_resources++] = unit->resources[i];
    }
}

/* Fills the lists. False without memory. */
static bool list_parts(const struct fx_policies *policies, struct parts *parts) {
    count_parts(policies, parts);
    parts->mutators = calloc(parts->n_mutators + 1, sizeof(struct fx_mutator *));
    parts->resources = calloc(parts->n_resources + 1, sizeof(struct fx_resource *));
    if (parts->mutators == NULL || parts->resources == NULL) {
        return false;
    }
    parts->n_mutators = parts->n_resources = 0;
    for (size_t i = 0; i < policies->units.n_by_name; i++) {
        add_unit(parts, policies->units.by_name[i]);
    }
    for (size_t i = 0; i < policies->n_linked; i++) {
        add_rules(parts, policies->linked[i]->rules, policies->linked[i]->n_rules);
    }
    return true;
}

static bool build_snapshot(struct fx_policies *policies, uint64_t generation) {
    struct parts parts = {0};
    struct fx_err fault = FX_ERR_INIT;
    bool ok = list_parts(policies, &parts);
    const struct fx_snapshot_parts given = {
        .mutators = parts.mutators,
        .n_mutators = parts.n_mutators,
        .resources = parts.resources,
        .n_resources = parts.n_resources,
    };
    ok = ok && fx_snapshot_build(&given, generation, &policies->snapshot, &fault);
    free(parts.mutators);
    free(parts.resources);
    return ok;
}

/* Lists the kinds that the link steps looked up, up to a limit. */
static bool list_kinds(struct fx_policies *policies) {
    bool ok = true;
    for (size_t i = 0;
         ok && i < policies->n_linked && policies->named.n_items < FX_LIMIT_NAMED_KINDS;
         i++) {
        ok = fx_linked_list_kinds(policies->linked[i], &policies->named);
    }
    return ok;
}

/* Reads the files and links their units. Links of `previous` are kept if they are
 * current. */
static bool read_and_link(struct attempt *attempt, const struct fx_policies *previous) {
    struct fx_policies *policies = attempt->policies;
    const struct fx_policy_sources *sources = attempt->sources;
    size_t n_units = 0;
    struct fx_unit **units = build_files(attempt) ? list_units(policies, &n_units) : NULL;
    policies->units.states = sources->kind_states;
    policies->units.n_states = sources->n_kind_states;
    const bool ok = units != NULL && fx_units_fill(&policies->units, units, n_units) &&
                    link_all(policies, previous) && list_kinds(policies);
    policies->units.states = NULL; /* the states belong to the caller */
    policies->units.n_states = 0;
    free(units);
    return ok;
}

static struct fx_policies *create_policies(void) {
    struct fx_policies *policies = calloc(1, sizeof *policies);
    if (policies != NULL) {
        atomic_init(&policies->refs, 1);
    }
    return policies;
}

static bool has_others(const struct fx_policies *policies) {
    for (size_t i = 0; i < policies->n_files; i++) {
        if (policies->files[i].has_others) {
            return true;
        }
    }
    return false;
}

/* Only linking the policies shows which objects are parameters. If these are objects of
 * other kinds than assumed, the files with such objects are read again. That may add
 * policies that name further kinds. NULL without memory. */
static struct fx_policies *attempt_all(const struct fx_policy_sources *sources) {
    static const struct fx_named_kinds none = {0};
    const struct fx_policies *previous = sources->previous;
    struct fx_policies *before = NULL;
    for (unsigned n = 1;; n++) {
        struct attempt attempt = {
            .policies = create_policies(),
            .sources = sources,
            .index = {.policies = previous},
            .named = before != NULL     ? &before->named
                     : previous != NULL ? &previous->named
                                        : &none,
            .before = before,
        };
        if (attempt.policies == NULL ||
            !read_and_link(&attempt, before != NULL ? before : previous)) {
            fx_policies_unref(attempt.policies);
            fx_policies_unref(before);
            return NULL;
        }
        const bool is_final =
            n == FX_LIMIT_LINK_ROUNDS || !has_others(attempt.policies) ||
            fx_named_kinds_equal(attempt.named, &attempt.policies->named);
        fx_policies_unref(before);
        if (is_final) {
            return attempt.policies;
        }
        before = attempt.policies;
    }
}

/* Reports what is known only after linking, and makes the snapshot. */
static bool finish_build(struct fx_policies *policies, uint64_t generation) {
    size_t n_units = 0;
    struct fx_unit **units = list_units(policies, &n_units);
    const bool ok = units != NULL && collect_objects(policies) &&
                    fx_build_report_repeats(policies, units, n_units) &&
                    fx_build_report_links(policies) &&
                    build_snapshot(policies, generation) &&
                    fx_build_report_conflicts(policies) &&
                    fx_build_report_providers(policies) && fx_build_drop_cycles(policies);
    free(units);
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
    struct fx_policies *policies = attempt_all(sources);
    if (policies == NULL || !finish_build(policies, sources->generation)) {
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
    struct fx_policies *made = create_policies();
    if (made == NULL) {
        return fx_fail_nomem(err);
    }
    made->namespaces = base->namespaces;
    made->schemas = base->schemas;
    made->findings = base->findings;
    made->files = base->files;
    made->n_files = base->n_files;
    made->units = base->units;
    made->linked = base->linked;
    made->n_linked = base->n_linked;
    made->named = base->named;
    if (!fx_snapshot_build(&parts, snapshot->generation, &made->snapshot, err)) {
        free(made);
        return false;
    }
    made->base = fx_policies_ref(base);
    *ret_policies = made;
    return true;
}
