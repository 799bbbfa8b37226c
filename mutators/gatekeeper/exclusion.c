/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/exclusion.c - the excluded namespaces of each process.
 */
#include "mutators/gatekeeper/exclusion.h"

#include <stdlib.h>

#include "mutators/gatekeeper/glob.h"

static void destroy(struct fx_resource *self) {
    struct fx_exclusion *exclusion = (struct fx_exclusion *)self; /* its first member */
    for (size_t i = 0; exclusion->entries != NULL && i < exclusion->n_entries; i++) {
        free(exclusion->entries[i].processes);
        free(exclusion->entries[i].globs);
    }
    free(exclusion->entries);
    fx_resource_finish(self);
    free(exclusion);
}

static bool holds_process(const struct fx_exclusion_entry *entry, const char *process) {
    for (size_t i = 0; i < entry->n_processes; i++) {
        if (fx_text_is(entry->processes[i], "*") ||
            fx_text_is(entry->processes[i], process)) {
            return true;
        }
    }
    return false;
}

static bool holds_namespace(const struct fx_exclusion_entry *entry,
                            struct fx_text namespace_) {
    for (size_t i = 0; i < entry->n_globs; i++) {
        if (fx_glob_matches(entry->globs[i], namespace_)) {
            return true;
        }
    }
    return false;
}

bool fx_exclusion_covers(const struct fx_exclusion *exclusion, const char *process,
                         struct fx_text namespace_) {
    for (size_t i = 0; i < exclusion->n_entries; i++) {
        if (holds_process(&exclusion->entries[i], process) &&
            holds_namespace(&exclusion->entries[i], namespace_)) {
            return true;
        }
    }
    return false;
}

static const char *excludes(const struct fx_resource *self, struct fx_text namespace_) {
    const struct fx_exclusion *exclusion = (const struct fx_exclusion *)self;
    return fx_exclusion_covers(exclusion, "mutation-webhook", namespace_)
               ? "Namespace is set to be ignored by Gatekeeper config"
               : NULL;
}

static const struct fx_resource_ops ops = {
    .type = FX_RESOURCE_EXCLUSION,
    .kind = "Config",
    .destroy = destroy,
    .excludes = excludes,
};

struct fx_exclusion *fx_exclusion_create(struct fx_text name, json_t *source,
                                         size_t n_entries) {
    struct fx_exclusion *exclusion = calloc(1, sizeof *exclusion);
    if (exclusion == NULL) {
        return NULL;
    }
    const bool ok = fx_resource_init(&exclusion->resource, &ops, name, source);
    exclusion->entries = calloc(n_entries + 1, sizeof *exclusion->entries);
    if (!ok || exclusion->entries == NULL) {
        destroy(&exclusion->resource);
        return NULL;
    }
    exclusion->n_entries = n_entries;
    return exclusion;
}
