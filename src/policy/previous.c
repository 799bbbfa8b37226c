/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/previous.c - what is in force now, and what of it stays.
 */
#include <stdlib.h>
#include <string.h>

#include "policy/build.h"
#include "policy/findings_internal.h"
#include "value/equal.h"
#include "value/tree.h"

static bool same_place(const struct fx_origin *a, const struct fx_origin *b) {
    return a->file != NULL && b->file != NULL && a->line == b->line &&
           strcmp(a->file, b->file) == 0;
}

static bool is_same(const struct fx_origin *a, const json_t *a_source,
                    const struct fx_origin *b, const json_t *b_source) {
    return same_place(a, b) && fx_equal(a_source, b_source);
}

static int compare_mutators(const void *made, const void *element) {
    struct fx_mutator *const *there = element;
    return fx_mutator_compare(made, *there);
}

struct fx_mutator *fx_build_find_same(const struct fx_build *build,
                                      const struct fx_mutator *made) {
    if (build->previous == NULL) {
        return NULL;
    }
    const struct fx_snapshot *snapshot = build->previous->snapshot;
    struct fx_mutator **there = bsearch(made, snapshot->mutators, snapshot->n_mutators,
                                        sizeof(struct fx_mutator *), compare_mutators);
    return there != NULL && is_same(&(*there)->origin, (*there)->source, &made->origin,
                                    made->source)
               ? *there
               : NULL;
}

static int compare_resources(const void *made, const void *element) {
    struct fx_resource *const *there = element;
    return fx_resource_compare(made, *there);
}

struct fx_resource *fx_build_find_same_resource(const struct fx_build *build,
                                                const struct fx_resource *made) {
    if (build->previous == NULL) {
        return NULL;
    }
    const struct fx_snapshot *snapshot = build->previous->snapshot;
    struct fx_resource **there = bsearch(made, snapshot->resources, snapshot->n_resources,
                                         sizeof(struct fx_resource *), compare_resources);
    return there != NULL && is_same(&(*there)->origin, (*there)->source, &made->origin,
                                    made->source)
               ? *there
               : NULL;
}

/* Was it compiled from a version of this policy? A policy may give several. */
static bool comes_from(const json_t *source, const struct fx_subject *subject) {
    struct fx_subject before;
    fx_subject_read(source, &before);
    return fx_text_equal(before.group, subject->group) &&
           fx_text_equal(before.kind, subject->kind) &&
           fx_text_equal(before.name, subject->name);
}

bool fx_build_fall_back(struct fx_build *build, const struct fx_subject *subject,
                        bool *ret_stays) {
    *ret_stays = false;
    if (build->previous == NULL || subject->name.len == 0) {
        return true;
    }
    const struct fx_snapshot *snapshot = build->previous->snapshot;
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        if (comes_from(snapshot->mutators[i]->source, subject)) {
            if (!fx_build_keep_mutator(build, snapshot->mutators[i])) {
                return false;
            }
            *ret_stays = true;
        }
    }
    for (size_t i = 0; i < snapshot->n_resources; i++) {
        if (comes_from(snapshot->resources[i]->source, subject)) {
            if (!fx_build_keep_resource(build, snapshot->resources[i])) {
                return false;
            }
            *ret_stays = true;
        }
    }
    return true;
}

const struct fx_policy_file *fx_build_find_file(const struct fx_policies *policies,
                                                const char *name, size_t *cursor) {
    const size_t n_files = policies == NULL ? 0 : policies->n_files;
    for (size_t i = 0; i < n_files; i++) {
        const size_t at = (*cursor + i) % n_files;
        if (strcmp(policies->files[at].file, name) == 0) {
            *cursor = at + 1;
            return &policies->files[at];
        }
    }
    return NULL;
}

static bool keep_file(struct fx_build *build, const struct fx_policy_file *before) {
    for (size_t i = 0; i < before->n_mutators; i++) {
        if (!fx_build_keep_mutator(build, before->mutators[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < before->n_resources; i++) {
        if (!fx_build_keep_resource(build, before->resources[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < before->n_namespaces; i++) {
        if (!fx_build_keep_namespace(build, before->namespaces[i])) {
            return false;
        }
    }
    return true;
}

bool fx_build_fall_back_file(struct fx_build *build, bool *ret_stays) {
    const struct fx_policy_file *before = build->before;
    *ret_stays = before != NULL &&
                 before->n_mutators + before->n_resources + before->n_namespaces > 0;
    return before == NULL || keep_file(build, before);
}

bool fx_build_repeat_file(struct fx_build *build) {
    const struct fx_policy_file *before = build->before;
    const struct fx_finding *found = build->previous->findings.items;
    for (size_t i = 0; i < before->n_findings; i++) {
        if (!fx_findings_copy(&build->next->findings,
                              &found[before->first_finding + i])) {
            return false;
        }
    }
    return keep_file(build, before);
}
