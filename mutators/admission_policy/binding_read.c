/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/binding_read.c - compiles a MutatingAdmissionPolicyBinding
 * (spec/mutating-admission-policy.md section 1).
 */
#include <stdlib.h>

#include "base/dns_name.h"
#include "mutators/admission_policy/policy.h"
#include "mutators/admission_policy/reading.h"
#include "value/tree.h"

#define NAME_RULE                                                             \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric " \
    "characters, '-' or '.', and must start and end with an alphanumeric "    \
    "character (e.g. 'example.com', regex used for validation is "            \
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

static void destroy_binding(struct fx_linkable *self) {
    struct map_binding *binding = (struct map_binding *)self; /* its first member */
    fx_map_match_finish(&binding->match);
    fx_selector_destroy(binding->param_selector);
    json_decref(binding->document);
    free(binding);
}

static void read_policy_name(struct map_reading *reading, const json_t *spec,
                             struct map_binding *binding) {
    const json_t *name = fx_map_read_string(reading, spec, "policyName");
    const json_t *given = fx_tree_view_key(spec, "policyName");
    const struct fx_text text = fx_tree_text(name);
    binding->head.target = text;
    if (text.len > 0) {
        if (!fx_dns_is_subdomain(text)) {
            fx_map_refuse(reading, name, "policyName", NAME_RULE);
        }
    } else if (name != NULL || given == NULL || json_is_null(given)) {
        fx_map_require(reading, spec, "policyName", NULL);
    }
}

/* Reads a name; empty counts as missing (data NULL). */
static struct fx_text read_name(struct map_reading *reading, const json_t *object,
                                const char *key) {
    const struct fx_text text = fx_tree_text(fx_map_read_string(reading, object, key));
    return text.len == 0 ? (struct fx_text){0} : text;
}

/* What path.ValidatePathSegmentName refuses: the name is a part of a URL. */
static void check_name(struct map_reading *reading, const json_t *ref,
                       struct fx_text name) {
    const json_t *node = fx_tree_view_key(ref, "name");
    if (fx_text_is(name, ".") || fx_text_is(name, "..")) {
        fx_map_refuse(reading, node, "name", "may not be '%.*s'", FX_TEXT_ARG(name));
    }
    if (fx_text_contains(name, FX_TEXT("/"))) {
        fx_map_refuse(reading, node, "name", "may not contain '/'");
    }
    if (fx_text_contains(name, FX_TEXT("%"))) {
        fx_map_refuse(reading, node, "name", "may not contain '%%'");
    }
}

static void read_selector(struct map_reading *reading, const json_t *ref,
                          struct map_binding *binding) {
    static const char *const both = "name and selector are mutually exclusive";
    binding->param_selector = fx_map_read_selector(reading, ref, "selector");
    const json_t *given = fx_tree_view_key(ref, "selector");
    const bool has_selector = given != NULL && !json_is_null(given);
    if (has_selector && binding->param_name.data != NULL) {
        fx_map_forbid(reading, fx_tree_view_key(ref, "name"), "name", both);
        fx_map_forbid(reading, given, "selector", both);
    } else if (!has_selector && binding->param_name.data == NULL) {
        fx_map_require(reading, ref, NULL, "one of name or selector must be specified");
    }
}

static void read_param_ref(struct map_reading *reading, const json_t *spec,
                           struct map_binding *binding) {
    static const char *const known[] = {"name", "namespace", "selector",
                                        "parameterNotFoundAction", NULL};
    static const char *const actions[] = {"Allow", "Deny", NULL};
    const json_t *ref = fx_map_read_object(reading, spec, "paramRef");
    if (ref == NULL) {
        return;
    }
    const size_t mark = fx_map_enter(reading, "paramRef");
    binding->has_param_ref = true;
    fx_map_warn_unknown(reading, ref, known);
    binding->param_name = read_name(reading, ref, "name");
    binding->param_namespace = read_name(reading, ref, "namespace");
    if (binding->param_name.data != NULL) {
        check_name(reading, ref, binding->param_name);
    }
    read_selector(reading, ref, binding);
    binding->denies_missing =
        fx_map_read_word(reading, ref, "parameterNotFoundAction", actions) != 0;
    fx_map_leave(reading, mark);
}

static void read_spec(struct map_reading *reading, const json_t *spec,
                      struct map_binding *binding) {
    static const char *const known[] = {"policyName", "paramRef", "matchResources", NULL};
    const size_t mark = fx_map_enter(reading, "spec");
    fx_map_warn_unknown(reading, spec, known);
    read_policy_name(reading, spec, binding);
    read_param_ref(reading, spec, binding);
    const json_t *resources = fx_map_read_object(reading, spec, "matchResources");
    if (resources != NULL) {
        const size_t at = fx_map_enter(reading, "matchResources");
        binding->has_match = true;
        fx_map_match_read_in(reading, resources, &binding->match);
        fx_map_leave(reading, at);
    }
    fx_map_leave(reading, mark);
}

static void read_binding(struct map_reading *reading, struct map_binding *binding) {
    static const char *const known[] = {"apiVersion", "kind", "metadata", "spec", NULL};
    const json_t *given = fx_tree_view_key(binding->document, "spec");
    const json_t *spec = fx_map_read_object(reading, binding->document, "spec");
    fx_map_warn_unknown(reading, binding->document, known);
    if (spec != NULL) {
        read_spec(reading, spec, binding);
    } else if (given == NULL || json_is_null(given)) {
        fx_map_require(reading, binding->document, "spec", NULL);
    }
}

bool fx_map_binding_compile(json_t *document, struct fx_compilation *ret_compilation,
                            struct fx_err *err) {
    struct map_reading reading;
    struct map_binding *binding = calloc(1, sizeof *binding);
    if (binding == NULL) {
        return fx_fail_nomem(err);
    }
    binding->head.destroy = destroy_binding;
    binding->document = json_incref(document);
    ret_compilation->linkable = &binding->head;
    fx_map_reading_init(&reading, ret_compilation, "");
    read_binding(&reading, binding);
    const bool ok = fx_map_reading_check(&reading, document, err);
    fx_map_reading_finish(&reading);
    return ok;
}
