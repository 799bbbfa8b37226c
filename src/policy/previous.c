/* SPDX-License-Identifier: Apache-2.0
 *
 * policy/previous.c - what is in force now, and what of it stays.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/policy_text.h"
#include "policy/build.h"
#include "policy/findings_internal.h"
#include "value/equal.h"

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
    if (build->previous->policies == NULL) {
        return NULL;
    }
    const struct fx_snapshot *snapshot = build->previous->policies->snapshot;
    struct fx_mutator **there = bsearch(made, snapshot->mutators, snapshot->n_mutators,
                                        sizeof(struct fx_mutator *), compare_mutators);
    return there != NULL && same_place(&(*there)->origin, &made->origin) &&
                   fx_policy_text_equal((*there)->policy, made->policy)
               ? *there
               : NULL;
}

static int compare_resources(const void *made, const void *element) {
    struct fx_resource *const *there = element;
    return fx_resource_compare(made, *there);
}

struct fx_resource *fx_build_find_same_resource(const struct fx_build *build,
                                                const struct fx_resource *made) {
    if (build->previous->policies == NULL) {
        return NULL;
    }
    const struct fx_snapshot *snapshot = build->previous->policies->snapshot;
    struct fx_resource **there = bsearch(made, snapshot->resources, snapshot->n_resources,
                                         sizeof(struct fx_resource *), compare_resources);
    return there != NULL && is_same(&(*there)->origin, (*there)->source, &made->origin,
                                    made->source)
               ? *there
               : NULL;
}

static bool keep_item(struct fx_build *build, const struct fx_previous_item *item) {
    return item->mutator != NULL ? fx_build_keep_mutator(build, item->mutator)
                                 : fx_build_keep_resource(build, item->resource);
}

bool fx_build_fall_back(struct fx_build *build, const struct fx_subject *subject,
                        bool *ret_stays) {
    const struct fx_previous_item *items = NULL;
    size_t n_items = 0;
    *ret_stays = false;
    if (subject->name.len == 0) {
        return true;
    }
    if (!fx_previous_index_find(build->previous, subject, &items, &n_items)) {
        return false;
    }
    for (size_t i = 0; i < n_items; i++) {
        if (!keep_item(build, &items[i])) {
            return false;
        }
    }
    *ret_stays = n_items > 0;
    return true;
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
    const struct fx_finding *found = build->previous->policies->findings.items;
    for (size_t i = 0; i < before->n_findings; i++) {
        if (!fx_findings_copy(&build->next->findings,
                              &found[before->first_finding + i])) {
            return false;
        }
    }
    return keep_file(build, before);
}
