/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/previous.c - what is in force now, and what of it stays.
 */
#include <string.h>

#include "policy/build.h"
#include "value/equal.h"
#include "value/tree.h"

static bool same_place(const struct fx_origin *a, const struct fx_origin *b) {
    return a->file != NULL && b->file != NULL && a->line == b->line &&
           strcmp(a->file, b->file) == 0;
}

struct fx_mutator *fx_build_find_same(const struct fx_build *build,
                                      const struct fx_mutator *made) {
    if (build->previous == NULL) {
        return NULL;
    }
    const struct fx_snapshot *snapshot = build->previous->snapshot;
    size_t low = 0;
    size_t high = snapshot->n_mutators;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        struct fx_mutator *there = snapshot->mutators[middle];
        const int order = fx_mutator_compare(there, made);
        if (order == 0) {
            const bool same = same_place(&there->origin, &made->origin) &&
                              fx_equal(there->source, made->source);
            return same ? there : NULL;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

struct fx_resource *fx_build_find_same_resource(const struct fx_build *build,
                                                const struct fx_resource *made) {
    if (build->previous == NULL) {
        return NULL;
    }
    const struct fx_snapshot *snapshot = build->previous->snapshot;
    size_t low = 0;
    size_t high = snapshot->n_resources;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        struct fx_resource *there = snapshot->resources[middle];
        const int order = fx_resource_compare(there, made);
        if (order == 0) {
            const bool same = same_place(&there->origin, &made->origin) &&
                              fx_equal(there->source, made->source);
            return same ? there : NULL;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
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

static const struct fx_policy_file *find_file(const struct fx_policies *policies,
                                              const char *name) {
    for (size_t i = 0; policies != NULL && i < policies->n_files; i++) {
        if (strcmp(policies->files[i].file, name) == 0) {
            return &policies->files[i];
        }
    }
    return NULL;
}

bool fx_build_fall_back_file(struct fx_build *build, bool *ret_stays) {
    *ret_stays = false;
    const struct fx_policy_file *before = find_file(build->previous, build->input->file);
    if (before == NULL) {
        return true;
    }
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
    *ret_stays = before->n_mutators + before->n_resources + before->n_namespaces > 0;
    return true;
}
