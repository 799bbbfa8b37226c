/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/rules.c - completes the rules of a request, and compiles them.
 */
#include "mutators/kubemod/dryrun/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/regex.h"
#include "value/tree.h"

/* The defaults for entries of `modRules` that lack these fields, as in KubeMod. */
#define RULE_API_VERSION FX_TEXT("api.kubemod.io/v1beta1")
#define RULE_KIND        FX_TEXT("ModRule")

#define NAME_BYTES 32 /* bytes of a name such as "modRules[63]" */

/* A policy that will be compiled. */
struct named_policy {
    char name[NAME_BYTES];
    struct fx_policy_text *text;
};

/* ---- missing fields -------------------------------------------------------------- */

static bool set_text(json_t *object, struct fx_text key, struct fx_text value) {
    return fx_tree_set_take(object, key, fx_tree_new_string(value));
}

static bool default_text(json_t *object, struct fx_text key, struct fx_text value) {
    return fx_tree_view_text(object, key) != NULL || set_text(object, key, value);
}

/* Sets the namespace of a rule. If the request does not name the namespace of the object,
 * all rules get the same one. */
static bool set_namespace(const struct fx_dryrun_request *request, json_t *metadata) {
    const struct fx_text key = FX_TEXT("namespace");
    if (!request->has_namespace) {
        return set_text(metadata, key, FX_TEXT(FX_DRYRUN_NAMESPACE));
    }
    return default_text(metadata, key,
                        request->namespace_.len > 0 ? request->namespace_
                                                    : FX_TEXT(FX_DRYRUN_NAMESPACE));
}

/* Completes a rule. Metadata that is not an object does not change; the compiler reports
 * it. */
static bool complete_rule(const struct fx_dryrun_request *request, json_t *rule) {
    if (fx_tree_view_key(rule, "metadata") == NULL &&
        !fx_tree_set_take(rule, FX_TEXT("metadata"), json_object())) {
        return false;
    }
    if (json_is_object(fx_tree_view_key(rule, "metadata"))) {
        json_t *metadata = fx_tree_own_key(rule, FX_TEXT("metadata"));
        if (metadata == NULL || !set_namespace(request, metadata)) {
            return false;
        }
    }
    return default_text(rule, FX_TEXT("apiVersion"), RULE_API_VERSION) &&
           default_text(rule, FX_TEXT("kind"), RULE_KIND);
}

/* Returns the list of rules, writable. NULL if out of memory. */
static json_t *own_rules(struct fx_dryrun_request *request) {
    json_t *root = fx_tree_own_root(&request->root);
    request->rules = root == NULL ? NULL : fx_tree_own_key(root, FX_TEXT("modRules"));
    return request->rules;
}

static bool complete_all(struct fx_dryrun_request *request) {
    json_t *rules = own_rules(request);
    for (size_t i = 0; rules != NULL && i < json_array_size(rules); i++) {
        json_t *rule = fx_tree_own_index(rules, i);
        if (rule == NULL || !complete_rule(request, rule)) {
            return false;
        }
    }
    return rules != NULL;
}

/* ---- compiling ------------------------------------------------------------------- */

/* True for a ModRule. Any other policy among `modRules` is refused, because it would not
 * be compiled as a ModRule. */
static bool is_rule(const json_t *rule) {
    return fx_text_equal(fx_tree_view_string(rule, "kind"), RULE_KIND) &&
           fx_text_equal(fx_tree_view_string(rule, "apiVersion"), RULE_API_VERSION);
}

static void check_kinds(const struct fx_dryrun_request *request, struct fx_buf *faults) {
    size_t index = 0;
    const json_t *rule = NULL;
    json_array_foreach (request->rules, index, rule) {
        if (!is_rule(rule)) {
            fx_buf_printf(faults,
                          "modRules[%zu]: not a ModRule of api.kubemod.io/v1beta1; "
                          "put other policies into `policies`\n",
                          index);
        }
    }
}

static bool write_down(const json_t *list, const char *name, struct named_policy *named) {
    size_t index = 0;
    const json_t *policy = NULL;
    json_array_foreach (list, index, policy) {
        (void)snprintf(named[index].name, NAME_BYTES, "%s[%zu]", name, index);
        named[index].text = fx_policy_text_create(policy);
        if (named[index].text == NULL) {
            return false;
        }
    }
    return true;
}

static bool compile_named(const struct named_policy *named, size_t n_named,
                          const struct fx_dialect_settings *settings,
                          struct fx_policies **ret_policies, struct fx_err *err) {
    struct fx_policy_input *inputs = calloc(n_named + 1, sizeof *inputs);
    if (inputs == NULL) {
        return fx_fail_nomem(err);
    }
    for (size_t i = 0; i < n_named; i++) {
        inputs[i] =
            (struct fx_policy_input){.file = named[i].name, .object = named[i].text};
    }
    struct fx_regex_allowance allowance = {
        .n_left = FX_LIMIT_DRYRUN_PATTERNS,
        .bytes_each = FX_LIMIT_DRYRUN_PATTERN_BYTES,
    };
    fx_regex_allow(&allowance);
    const struct fx_policy_sources sources = {
        .inputs = inputs,
        .n_inputs = n_named,
        .generation = 1,
        .settings = settings,
    };
    const bool ok = fx_policies_build_from(&sources, ret_policies, err);
    fx_regex_allow(NULL);
    free(inputs);
    return ok;
}

static bool build_policies(const struct fx_dryrun_request *request,
                           struct fx_policies **ret_policies, struct fx_err *err) {
    const size_t n_rules = json_array_size(request->rules);
    const size_t n = n_rules + json_array_size(request->policies);
    struct named_policy *named = calloc(n + 1, sizeof *named);
    const bool ok = named != NULL && write_down(request->rules, "modRules", named) &&
                            write_down(request->policies, "policies", named + n_rules)
                        ? compile_named(named, n, request->settings, ret_policies, err)
                        : fx_fail_nomem(err);
    for (size_t i = 0; named != NULL && i < n; i++) {
        fx_policy_text_unref(named[i].text);
    }
    free(named);
    return ok;
}

void fx_dryrun_print_finding(struct fx_buf *buf, const struct fx_finding *finding) {
    fx_buf_str(buf, finding->file);
    fx_buf_str(buf, ": ");
    if (finding->id != NULL) {
        fx_buf_str(buf, finding->id);
        fx_buf_str(buf, ": ");
    }
    fx_buf_str(buf, finding->text);
}

static void print_errors(const struct fx_findings *findings, struct fx_buf *faults) {
    for (size_t i = 0; i < findings->n_items; i++) {
        if (findings->items[i].severity == FX_SEVERITY_ERROR) {
            fx_dryrun_print_finding(faults, &findings->items[i]);
            fx_buf_char(faults, '\n');
        }
    }
}

bool fx_dryrun_build(struct fx_dryrun_request *request, struct fx_policies **ret_policies,
                     struct fx_buf *faults, struct fx_err *err) {
    struct fx_policies *policies = NULL;
    if (request->rules != NULL && !complete_all(request)) {
        return fx_fail_nomem(err);
    }
    check_kinds(request, faults);
    if (faults->len == 0 && !faults->failed) {
        if (!build_policies(request, &policies, err)) {
            return false;
        }
        assert(policies != NULL);
        print_errors(&policies->findings, faults);
    }
    if (faults->len == 0 && !faults->failed) {
        *ret_policies = policies;
        return true;
    }
    fx_policies_unref(policies);
    return faults->failed ? fx_fail_nomem(err)
                          : fx_fail(err, FX_EINVALID, "some of the rules are invalid");
}
