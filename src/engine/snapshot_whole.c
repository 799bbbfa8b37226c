/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/snapshot_whole.c - which objects are decoded whole, because a mutator that
 * reads all of an object may match them.
 */
#include "engine/snapshot_whole.h"

#include <string.h>

#include "base/vec.h"
#include "engine/access.h"

/* With more kinds than this, all objects are decoded whole. */
#define MOST_KINDS 64u

static bool is_same(const struct fx_binding *a, const struct fx_binding *b) {
    return a->any_group == b->any_group && a->any_version == b->any_version &&
           a->any_kind == b->any_kind &&
           (a->any_group || fx_text_equal(a->group, b->group)) &&
           (a->any_version || fx_text_equal(a->version, b->version)) &&
           (a->any_kind || fx_text_equal(a->kind, b->kind));
}

static bool has_binding(const struct fx_snapshot *snapshot,
                        const struct fx_binding *binding) {
    for (size_t i = 0; i < snapshot->n_whole; i++) {
        if (is_same(&snapshot->whole[i], binding)) {
            return true;
        }
    }
    return false;
}

/* Adds the kinds of the mutator, each once. */
static bool add_kinds(struct fx_snapshot *snapshot, size_t *cap,
                      const struct fx_mutator *mutator) {
    for (size_t i = 0; i < mutator->n_bindings && snapshot->n_whole <= MOST_KINDS; i++) {
        if (has_binding(snapshot, &mutator->bindings[i])) {
            continue;
        }
        if (!FX_VEC_GROW(snapshot->whole, snapshot->n_whole, *cap)) {
            return false;
        }
        snapshot->whole[snapshot->n_whole++] = mutator->bindings[i];
    }
    return true;
}

/* May a mutator that sees a part of an object give it another kind? */
static bool may_change_kinds(const struct fx_snapshot *snapshot) {
    for (size_t i = 0; i < snapshot->n_acting; i++) {
        if (!fx_mutator_reads_whole_kinds(snapshot->mutators[i]) &&
            !snapshot->mutators[i]->keeps_names) {
            return true;
        }
    }
    return false;
}

bool fx_snapshot_find_reads(struct fx_snapshot *snapshot) {
    size_t cap = 0;
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        if (fx_mutator_reads_whole_kinds(snapshot->mutators[i]) &&
            !add_kinds(snapshot, &cap, snapshot->mutators[i])) {
            return false;
        }
    }
    const bool by_kind = snapshot->n_whole > 0 && snapshot->n_whole <= MOST_KINDS &&
                         !may_change_kinds(snapshot);
    snapshot->n_whole = by_kind ? snapshot->n_whole : 0;
    return fx_access_add_parts(snapshot->mutators, snapshot->n_mutators, by_kind,
                               &snapshot->reads);
}

const struct fx_json_part *fx_snapshot_part(const struct fx_snapshot *snapshot,
                                            struct fx_text group, struct fx_text version,
                                            struct fx_text kind) {
    for (size_t i = 0; i < snapshot->n_whole; i++) {
        const struct fx_binding *binding = &snapshot->whole[i];
        if (kind.len == 0 ||
            ((binding->any_group || fx_text_equal(binding->group, group)) &&
             (binding->any_version || fx_text_equal(binding->version, version)) &&
             (binding->any_kind || fx_text_equal(binding->kind, kind)))) {
            return NULL;
        }
    }
    return &snapshot->reads;
}
