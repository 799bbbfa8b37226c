/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/config.c - kind Config: the namespaces that Gatekeeper's processes
 * skip (spec section 8, step 4). Its other fields are for validation and audit.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "mutators/gatekeeper/config.h"
#include "mutators/gatekeeper/glob.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/shape.h"
#include "value/tree.h"

/* ---- the resource ----------------------------------------------------------------- */

static void destroy_exclusion(struct fx_resource *self) {
    struct fx_exclusion *exclusion = (struct fx_exclusion *)self; /* its first member */
    for (size_t i = 0; exclusion->entries != NULL && i < exclusion->n_entries; i++) {
        fx_text_list_finish(&exclusion->entries[i].processes);
        fx_text_list_finish(&exclusion->entries[i].globs);
    }
    free(exclusion->entries);
    fx_resource_finish(self);
    free(exclusion);
}

static bool holds_process(const struct fx_exclusion_entry *entry, const char *process) {
    return fx_text_list_has(&entry->processes, FX_TEXT("*")) ||
           fx_text_list_has(&entry->processes, fx_text_of(process));
}

bool fx_exclusion_covers(const struct fx_exclusion *exclusion, const char *process,
                         struct fx_text namespace_) {
    for (size_t i = 0; i < exclusion->n_entries; i++) {
        if (holds_process(&exclusion->entries[i], process) &&
            fx_glob_any_matches(&exclusion->entries[i].globs, namespace_)) {
            return true;
        }
    }
    return false;
}

static const char *exclusion_excludes(const struct fx_resource *self,
                                      struct fx_text namespace_) {
    const struct fx_exclusion *exclusion = (const struct fx_exclusion *)self;
    return fx_exclusion_covers(exclusion, "mutation-webhook", namespace_)
               ? "Namespace is set to be ignored by Gatekeeper config"
               : NULL;
}

static const struct fx_resource_ops ops = {
    .type = FX_RESOURCE_EXCLUSION,
    .kind = "Config",
    .destroy = destroy_exclusion,
    .excludes = exclusion_excludes,
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
        destroy_exclusion(&exclusion->resource);
        return NULL;
    }
    exclusion->n_entries = n_entries;
    return exclusion;
}

SHAPE(entry, "MatchEntry", FIELD("processes"), FIELD("excludedNamespaces"));

POLICY_SHAPE(fx_config_shape, "Config", FIELD("sync"), FIELD("validation"),
             FIELD("readiness"),
             {"match", FIELD_LIST, "[]@.MatchEntry", "@.MatchEntry", &entry_shape});

static bool is_process(struct fx_text text) {
    static const char *const known[] = {"audit", "sync", "webhook", "mutation-webhook",
                                        "*"};
    for (size_t i = 0; i < FX_COUNT(known); i++) {
        if (fx_text_is(text, known[i])) {
            return true;
        }
    }
    return false;
}

static bool warn_of_process(const json_t *entry, size_t index, struct fx_text process,
                            struct fx_compilation *compilation) {
    const json_t *list = fx_tree_view_key(entry, "processes");
    struct fx_buf quoted;
    fx_buf_init(&quoted, 0);
    fx_text_quote_go(&quoted, process);
    const bool ok =
        !quoted.failed &&
        fx_compilation_warn(compilation, fx_shape_node(json_array_get(list, index), list),
                            "no process is called %s", quoted.data);
    fx_buf_finish(&quoted);
    return ok;
}

/* Warns about an entry that is well formed but unlikely to be intended. */
static bool warn_of_entry(const json_t *node, const struct fx_exclusion_entry *entry,
                          struct fx_compilation *compilation) {
    for (size_t i = 0; i < entry->processes.n_items; i++) {
        if (!is_process(entry->processes.items[i]) &&
            !warn_of_process(node, i, entry->processes.items[i], compilation)) {
            return false;
        }
    }
    const json_t *globs = fx_tree_view_key(node, "excludedNamespaces");
    for (size_t i = 0; i < entry->globs.n_items; i++) {
        if (fx_glob_has_literal_star(entry->globs.items[i]) &&
            !fx_compilation_warn(compilation, json_array_get(globs, i),
                                 "\"*\" within a name is taken literally")) {
            return false;
        }
    }
    return (entry->processes.n_items > 0 && entry->globs.n_items > 0) ||
           fx_compilation_warn(compilation, node,
                               "without `processes` and `excludedNamespaces` the entry "
                               "has no effect");
}

static bool read_entry(const json_t *node, struct fx_exclusion_entry *entry,
                       struct fx_compilation *compilation, struct fx_err *err) {
    static const struct fx_go_field processes = {"MatchEntry", "spec.match.processes",
                                                 "[]string"};
    static const struct fx_go_field globs = {
        "MatchEntry", "spec.match.excludedNamespaces", "[]wildcard.Wildcard"};
    return fx_text_list_read(fx_tree_view_key(node, "processes"), &processes, "string",
                             &entry->processes, err) &&
           fx_text_list_read(fx_tree_view_key(node, "excludedNamespaces"), &globs,
                             "wildcard.Wildcard", &entry->globs, err) &&
           (warn_of_entry(node, entry, compilation) || fx_fail_nomem(err));
}

static bool read_entries(struct fx_exclusion *exclusion, const json_t *match,
                         struct fx_compilation *compilation, struct fx_err *err) {
    for (size_t i = 0; i < exclusion->n_entries; i++) {
        const json_t *node = json_array_get(match, i);
        if (!json_is_null(node) &&
            !read_entry(node, &exclusion->entries[i], compilation, err)) {
            return false;
        }
    }
    return true;
}

static bool warn_of_name(const struct policy *policy,
                         struct fx_compilation *compilation) {
    const json_t *name =
        fx_tree_view_key(fx_tree_view_key(policy->source, "metadata"), "name");
    return fx_compilation_warn(compilation, fx_policy_node(policy, name),
                               "only the Config named `" CONFIG_NAME "` has any effect");
}

bool fx_config_compile(const struct policy *policy,
                       struct fx_compilation *ret_compilation, struct fx_err *err) {
    const json_t *match = fx_shape_view(policy->spec, "match");
    struct fx_exclusion *exclusion =
        fx_exclusion_create(policy->name, policy->source, json_array_size(match));
    if (exclusion == NULL) {
        return fx_fail_nomem(err);
    }
    if (!read_entries(exclusion, match, ret_compilation, err)) {
        fx_resource_unref(&exclusion->resource);
        return false;
    }
    if (fx_text_is(policy->name, CONFIG_NAME)) {
        return fx_compilation_add_resource_take(ret_compilation, &exclusion->resource) ||
               fx_fail_nomem(err);
    }
    fx_resource_unref(&exclusion->resource);
    return warn_of_name(policy, ret_compilation) || fx_fail_nomem(err);
}
