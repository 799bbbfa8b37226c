/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/expansion_template.c - kind ExpansionTemplate: the objects that are
 * expanded, and the objects that are generated from them (spec section 10).
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "mutators/gatekeeper/expansion.h"
#include "mutators/gatekeeper/match.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/shape.h"
#include "value/tree.h"

SHAPE(target, "ApplyTo", FIELD("groups"), FIELD("versions"), FIELD("kinds"));

SHAPE(generated, "GeneratedGVK", FIELD_TEXT("group", "string"),
      FIELD_TEXT("version", "string"), FIELD_TEXT("kind", "string"));

POLICY_SHAPE(fx_expansion_template_shape, "ExpansionTemplate",
             {"applyTo", FIELD_LIST, "[]match.ApplyTo", "match.ApplyTo", &target_shape},
             FIELD_TEXT("templateSource", "string"),
             FIELD_STRUCT("generatedGVK", "@.GeneratedGVK", generated_shape),
             FIELD_TEXT("enforcementAction", "string"));

#define NAME_MAX_BYTES 63

static const json_t *spec_node(const struct policy *policy, const char *key) {
    return fx_policy_node(policy, fx_shape_view(policy->spec, key));
}

static bool is_empty(const struct fx_expansion *expansion) {
    return expansion->group.len + expansion->version.len + expansion->kind.len == 0;
}

static bool check_name(const struct policy *policy, struct fx_err *err) {
    if (policy->name.len == 0) {
        return fx_fail_in(err, policy->source, FX_EINVALID,
                          "ExpansionTemplate has empty name field");
    }
    if (policy->name.len > NAME_MAX_BYTES) {
        const json_t *metadata = fx_tree_view_key(policy->source, "metadata");
        return fx_fail_in(err, fx_tree_view_key(metadata, "name"), FX_EINVALID,
                          "ExpansionTemplate name must be less than 64 characters");
    }
    return true;
}

/* Checks the required fields, in Gatekeeper's order. */
static bool check_fields(const struct policy *policy,
                         const struct fx_expansion *expansion, struct fx_err *err) {
    const char *missing = NULL;
    const char *field = NULL;
    if (fx_tree_view_string(policy->spec, "templateSource").len == 0) {
        field = "templateSource";
        missing = "has empty source field";
    } else if (is_empty(expansion)) {
        field = "generatedGVK";
        missing = "has empty generatedGVK field";
    } else if (expansion->n_targets == 0) {
        field = "applyTo";
        missing = "must specify ApplyTo";
    }
    return field == NULL ||
           fx_fail_in(err, spec_node(policy, field), FX_EINVALID,
                      "ExpansionTemplate %.*s %s", FX_TEXT_ARG(policy->name), missing);
}

/* Checks that a template does not expand the type that it generates. */
static bool check_cycle(const struct policy *policy, const struct fx_expansion *expansion,
                        struct fx_err *err) {
    if (!fx_expansion_holds(expansion, expansion->group, expansion->version,
                            expansion->kind)) {
        return true;
    }
    return fx_fail_in(err, spec_node(policy, "generatedGVK"), FX_EINVALID,
                      "ExpansionTemplate %.*s generates GVK %.*s/%.*s, Kind=%.*s, but "
                      "also applies to that same GVK",
                      FX_TEXT_ARG(policy->name), FX_TEXT_ARG(expansion->group),
                      FX_TEXT_ARG(expansion->version), FX_TEXT_ARG(expansion->kind));
}

static bool read_target(const json_t *node, struct fx_expansion_target *target,
                        struct fx_err *err) {
    static const struct fx_go_field groups = {"ApplyTo", "spec.applyTo.groups",
                                              "[]string"};
    static const struct fx_go_field kinds = {"ApplyTo", "spec.applyTo.kinds", "[]string"};
    static const struct fx_go_field versions = {"ApplyTo", "spec.applyTo.versions",
                                                "[]string"};
    return fx_text_list_read(fx_tree_view_key(node, "groups"), &groups, "string",
                             &target->groups, err) &&
           fx_text_list_read(fx_tree_view_key(node, "kinds"), &kinds, "string",
                             &target->kinds, err) &&
           fx_text_list_read(fx_tree_view_key(node, "versions"), &versions, "string",
                             &target->versions, err);
}

static bool read_targets(const struct policy *policy, struct fx_expansion *expansion,
                         struct fx_err *err) {
    const json_t *apply_to = fx_shape_view(policy->spec, "applyTo");
    for (size_t i = 0; i < expansion->n_targets; i++) {
        if (!read_target(json_array_get(apply_to, i), &expansion->targets[i], err)) {
            return false;
        }
    }
    return true;
}

/* Limits the product of groups, versions and kinds, because the search for cycles goes
 * through all of them. */
static bool check_size(const struct policy *policy, const struct fx_expansion *expansion,
                       struct fx_err *err) {
    const size_t max = FX_LIMIT_APPLY_TO_BINDINGS;
    size_t total = 0;
    for (size_t i = 0; i < expansion->n_targets && total <= max; i++) {
        const struct fx_expansion_target *target = &expansion->targets[i];
        total += fx_apply_to_count(&target->groups, &target->versions, &target->kinds);
    }
    return total <= max ||
           fx_fail_in(err, spec_node(policy, "applyTo"), FX_ELIMIT,
                      "applyTo of ExpansionTemplate %.*s names more than %u kinds of "
                      "objects",
                      FX_TEXT_ARG(policy->name), FX_LIMIT_APPLY_TO_BINDINGS);
}

/* path := field *( "." field ); a field is any text without a dot */
static bool split_source(const struct policy *policy, struct fx_expansion *expansion,
                         struct fx_err *err) {
    struct fx_text rest = fx_tree_view_string(policy->spec, "templateSource");
    if (rest.len > FX_LIMIT_LOCATION_BYTES) {
        return fx_fail_in(err, spec_node(policy, "templateSource"), FX_ELIMIT,
                          "templateSource is longer than %u bytes",
                          FX_LIMIT_LOCATION_BYTES);
    }
    expansion->source_path = calloc(rest.len + 1, sizeof *expansion->source_path);
    if (expansion->source_path == NULL) {
        return fx_fail_nomem(err);
    }
    for (const char *dot = NULL; (dot = memchr(rest.data, '.', rest.len)) != NULL;) {
        const size_t len = (size_t)(dot - rest.data);
        expansion->source_path[expansion->n_source_path++] =
            (struct fx_text){rest.data, len};
        rest = (struct fx_text){dot + 1, rest.len - len - 1};
    }
    expansion->source_path[expansion->n_source_path++] = rest;
    return true;
}

static bool fill_template(const struct policy *policy, struct fx_expansion *expansion,
                          struct fx_err *err) {
    const json_t *generated = fx_shape_view(policy->spec, "generatedGVK");
    expansion->group = fx_tree_view_string(generated, "group");
    expansion->version = fx_tree_view_string(generated, "version");
    expansion->kind = fx_tree_view_string(generated, "kind");
    return read_targets(policy, expansion, err) && check_name(policy, err) &&
           check_fields(policy, expansion, err) && check_cycle(policy, expansion, err) &&
           check_size(policy, expansion, err) && split_source(policy, expansion, err);
}

bool fx_expansion_template_compile(const struct policy *policy,
                                   struct fx_compilation *ret_compilation,
                                   struct fx_err *err) {
    struct fx_expansion *expansion =
        fx_expansion_create(policy->name, policy->source,
                            json_array_size(fx_shape_view(policy->spec, "applyTo")));
    if (expansion == NULL) {
        return fx_fail_nomem(err);
    }
    if (!fill_template(policy, expansion, err)) {
        fx_resource_unref(&expansion->resource);
        return false;
    }
    return fx_compilation_add_resource_take(ret_compilation, &expansion->resource) ||
           fx_fail_nomem(err);
}
