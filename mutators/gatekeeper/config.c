/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/config.c - kind Config: the namespaces that Gatekeeper's processes
 * leave alone (spec section 8, step 4). What else it can say is for validation and audit.
 */
#include "base/buf.h"
#include "mutators/gatekeeper/exclusion.h"
#include "mutators/gatekeeper/glob.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/shapes.h"
#include "mutators/gatekeeper/texts.h"
#include "value/tree.h"

static const struct field entry_fields[] = {
    FIELD("processes"),
    FIELD("excludedNamespaces"),
    FIELDS_END,
};
static const struct shape entry_shape = {"MatchEntry", entry_fields, false};

static const struct field spec_fields[] = {
    FIELD("sync"),
    FIELD("validation"),
    FIELD("readiness"),
    {"match", FIELD_LIST, "[]@.MatchEntry", "@.MatchEntry", &entry_shape},
    FIELDS_END,
};
static const struct shape spec_shape = {"ConfigSpec", spec_fields, false};

static const struct field root_fields[] = {
    FIELD("apiVersion"), FIELD("kind"),
    FIELD_METADATA,      {"spec", FIELD_OBJECT, "@.ConfigSpec", NULL, &spec_shape},
    FIELD("status"),     FIELDS_END,
};
const struct shape fx_config_shape = {"Config", root_fields, false};

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
    const bool ok = !quoted.failed &&
                    fx_compilation_warn(compilation,
                                        fx_shape_place(json_array_get(list, index), list),
                                        "no process is called %s", quoted.data);
    fx_buf_finish(&quoted);
    return ok;
}

/* What is well formed, and yet not what its author can have meant. */
static bool warn_of_entry(const json_t *node, const struct fx_exclusion_entry *entry,
                          struct fx_compilation *compilation) {
    for (size_t i = 0; i < entry->n_processes; i++) {
        if (!is_process(entry->processes[i]) &&
            !warn_of_process(node, i, entry->processes[i], compilation)) {
            return false;
        }
    }
    const json_t *globs = fx_tree_view_key(node, "excludedNamespaces");
    for (size_t i = 0; i < entry->n_globs; i++) {
        if (fx_glob_has_literal_star(entry->globs[i]) &&
            !fx_compilation_warn(compilation, json_array_get(globs, i),
                                 "\"*\" within a name is taken literally")) {
            return false;
        }
    }
    return (entry->n_processes > 0 && entry->n_globs > 0) ||
           fx_compilation_warn(compilation, node,
                               "without `processes` and `excludedNamespaces` the entry "
                               "has no effect");
}

static bool read_entry(const json_t *node, struct fx_exclusion_entry *entry,
                       struct fx_compilation *compilation, struct fx_err *err) {
    static const struct texts_field processes = {
        "processes", "MatchEntry", "spec.match.processes", "[]string", "string"};
    static const struct texts_field globs = {"excludedNamespaces", "MatchEntry",
                                             "spec.match.excludedNamespaces",
                                             "[]wildcard.Wildcard", "wildcard.Wildcard"};
    return fx_texts_read(node, &processes, &entry->processes, &entry->n_processes, err) &&
           fx_texts_read(node, &globs, &entry->globs, &entry->n_globs, err) &&
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
