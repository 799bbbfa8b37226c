/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/rule_results_read.c - reads documents of kind Test.
 */
#include <string.h>

#include "suite/rule_results.h"
#include "value/tree.h"

const char fx_rule_left[] = "rules that validate, generate or verify images are left to "
                            "Kyverno";

static const char *const test_names[] = {
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "policies",
    "resources",
    "targetResources",
    "variables",
    "userinfo",
    "results",
    "checks",
    "values",
    "exceptions",
    "context",
    "clusterResources",
    "paramResources",
    "jsonPayload",
    "jsonPayloads",
    NULL,
};
static const char *const result_names[] = {
    "policy",
    "rule",
    "resources",
    "resource",
    "resourceSpecs",
    "patchedResources",
    "patchedResource",
    "generatedResource",
    "cloneSourceResource",
    "kind",
    "namespace",
    "result",
    "status",
    "isMutatingPolicy",
    "isMutatingAdmissionPolicy",
    "isValidatingPolicy",
    "isValidatingAdmissionPolicy",
    "isImageValidatingPolicy",
    "isGeneratingPolicy",
    "isDeletingPolicy",
    NULL,
};
/* The names of `result_names` from here on say that the rule does not mutate. */
#define FIRST_OTHER 15

static const char *const spec_names[] = {"group",       "version", "kind", "namespace",
                                         "subresource", "name",    NULL};

static const char *const status_names[] = {
#define X(name, text) [FX_RULE_##name] = text,
    FX_RULE_STATUSES(X)
#undef X
};

const char *fx_rule_status_name(enum fx_rule_status status) {
    return status_names[status];
}

/* ---- which documents are Tests ----------------------------------------------------- */

static bool has_test_name(const char *file) {
    return fx_text_is(fx_suite_stem_of(file), FX_RULE_RESULTS_STEM);
}

bool fx_rule_results_mentioned(const char *file, struct fx_text text) {
    return has_test_name(file) ||
           (fx_text_contains(text, FX_TEXT(FX_RULE_RESULTS_GROUP "/")) &&
            fx_text_contains(text, FX_TEXT("Test")));
}

bool fx_rule_results_is_test(const char *file, const json_t *document) {
    if (fx_tree_view_key(document, "apiVersion") == NULL &&
        fx_tree_view_key(document, "kind") == NULL) {
        return has_test_name(file) &&
               json_is_array(fx_tree_view_key(document, "policies")) &&
               json_is_array(fx_tree_view_key(document, "results"));
    }
    return fx_text_is(fx_tree_view_string(document, "kind"), "Test") &&
           fx_text_starts(fx_tree_view_string(document, "apiVersion"),
                          FX_TEXT(FX_RULE_RESULTS_GROUP "/"));
}

/* ---- a result ---------------------------------------------------------------------- */

static void *allocate(const struct fx_suite_fields *fields, size_t size) {
    void *made = fx_arena_alloc(&fields->reader->suites->arena, size);
    if (made == NULL) {
        fields->reader->nomem = true;
    } else {
        memset(made, 0, size);
    }
    return made;
}

static const char *print_name(const struct fx_suite_fields *fields, const char *first,
                              const char *between, const char *second) {
    const char *made =
        fx_arena_printf(&fields->reader->suites->arena, "%s%s%s", first, between, second);
    fields->reader->nomem = fields->reader->nomem || made == NULL;
    return made;
}

static enum fx_rule_status read_status(const struct fx_suite_fields *fields) {
    const char *key = fx_suite_fields_get(fields, "result") != NULL ? "result" : "status";
    const char *text = fx_suite_fields_string(fields, key);
    for (size_t i = 0; text != NULL && i < FX_RULE_N_STATUSES; i++) {
        if (strcmp(status_names[i], text) == 0) {
            return (enum fx_rule_status)i;
        }
    }
    if (text != NULL || fx_suite_fields_get(fields, key) == NULL) {
        fx_suite_fields_fail(fields, text != NULL ? key : NULL,
                             fx_suite_fields_get(fields, key),
                             text != NULL ? "must be pass, skip, fail, error or warn"
                                          : "expected `result`: pass, skip, fail, error "
                                            "or warn");
    }
    return FX_RULE_PASS;
}

static bool says_other(const struct fx_suite_fields *fields) {
    bool other = fx_suite_fields_string(fields, "generatedResource") != NULL ||
                 fx_suite_fields_string(fields, "cloneSourceResource") != NULL;
    for (size_t i = FIRST_OTHER; result_names[i] != NULL; i++) {
        other = fx_suite_fields_bool(fields, result_names[i]) || other;
    }
    (void)fx_suite_fields_bool(fields, "isMutatingPolicy");
    (void)fx_suite_fields_bool(fields, "isMutatingAdmissionPolicy");
    return other;
}

static struct fx_suite_path read_patched(const struct fx_suite_fields *fields) {
    const bool is_new = fx_suite_fields_get(fields, "patchedResources") != NULL;
    return fx_suite_fields_path(fields, is_new ? "patchedResources" : "patchedResource");
}

static bool read_head(const struct fx_suite_fields *fields,
                      struct fx_rule_result *ret_result) {
    const char *policy = fx_suite_fields_string(fields, "policy");
    const char *namespace_ = fx_suite_fields_string(fields, "namespace");
    if (policy == NULL || policy[0] == '\0') {
        fx_suite_fields_fail(fields, NULL, NULL,
                             "expected `policy`, the name of a policy");
        return false;
    }
    ret_result->policy = namespace_ != NULL && strchr(policy, '/') == NULL
                             ? print_name(fields, namespace_, "/", policy)
                             : policy;
    ret_result->rule = fx_suite_fields_string(fields, "rule");
    ret_result->kind = fx_suite_fields_string(fields, "kind");
    ret_result->status = read_status(fields);
    ret_result->patched = read_patched(fields);
    ret_result->is_other = says_other(fields);
    return true;
}

/* Adds a case that expects this result. */
static void add_case(const struct fx_suite_fields *fields, struct fx_suite_test *test,
                     const struct fx_rule_result *result) {
    struct fx_rule_result *kept = allocate(fields, sizeof *kept);
    struct fx_suite_case *made = kept != NULL ? fx_suite_new_case(test) : NULL;
    if (made == NULL) {
        fields->reader->nomem = true;
        return;
    }
    *kept = *result;
    made->line = fields->line;
    made->source = fields->reader->source;
    made->rule_result = kept;
    made->name = print_name(fields, result->kind != NULL ? result->kind : "",
                            result->kind != NULL && result->object != NULL ? " " : "",
                            result->object != NULL ? result->object : "");
    if (made->name != NULL && made->name[0] == '\0') {
        made->name = "all";
    }
    made->skip = result->is_other ? fx_rule_left : NULL;
}

static void add_named(const struct fx_suite_fields *fields, struct fx_suite_test *test,
                      struct fx_rule_result *result) {
    size_t count = 0;
    const char **names = fx_suite_fields_strings(fields, "resources", &count);
    for (size_t i = 0; i < count; i++) {
        result->object = names[i];
        add_case(fields, test, result);
    }
    const char *name = fx_suite_fields_string(fields, "resource");
    if (name != NULL) {
        result->object = name;
        add_case(fields, test, result);
    }
}

static void add_specified(const struct fx_suite_fields *fields,
                          struct fx_suite_test *test,
                          const struct fx_rule_result *result) {
    const json_t *list = fx_suite_fields_list(fields, "resourceSpecs");
    struct fx_suite_fields below;
    for (size_t i = 0; fx_suite_fields_next(fields, "resourceSpecs", list, &i, &below);) {
        fx_suite_fields_check_names(&below, spec_names);
        struct fx_rule_result one = *result;
        const char *kind = fx_suite_fields_string(&below, "kind");
        const char *namespace_ = fx_suite_fields_string(&below, "namespace");
        one.kind = kind != NULL ? kind : result->kind;
        one.object = fx_suite_fields_string(&below, "name");
        if (one.object != NULL && namespace_ != NULL) {
            one.object = print_name(&below, namespace_, "/", one.object);
        }
        add_case(&below, test, &one);
    }
}

static void read_result(const struct fx_suite_fields *fields,
                        const struct fx_rule_inputs *inputs,
                        const struct fx_suite_paths *policies, struct fx_suite *suite) {
    struct fx_rule_result result = {.status = FX_RULE_PASS};
    fx_suite_fields_check_names(fields, result_names);
    if (!read_head(fields, &result)) {
        return;
    }
    struct fx_suite_test *test = fx_suite_new_test(suite);
    if (test == NULL) {
        fields->reader->nomem = true;
        return;
    }
    test->name = print_name(fields, result.policy, result.rule != NULL ? "/" : "",
                            result.rule != NULL ? result.rule : "");
    test->line = fields->line;
    test->source = fields->reader->source;
    test->mutators = *policies;
    test->rule_inputs = inputs;
    add_named(fields, test, &result);
    add_specified(fields, test, &result);
    if (test->n_cases == 0) {
        add_case(fields, test, &result);
    }
}

/* ---- the document ------------------------------------------------------------------ */

/* The files of both fields. */
static struct fx_suite_paths join_paths(const struct fx_suite_fields *fields,
                                        const char *key, const char *more) {
    const struct fx_suite_paths first = fx_suite_fields_paths(fields, key);
    const struct fx_suite_paths second = fx_suite_fields_paths(fields, more);
    struct fx_suite_paths all = {NULL, 0};
    if (first.n_items + second.n_items == 0) {
        return all;
    }
    all.items = allocate(fields, (first.n_items + second.n_items) * sizeof *all.items);
    for (size_t i = 0; all.items != NULL && i < first.n_items; i++) {
        all.items[all.n_items++] = first.items[i];
    }
    for (size_t i = 0; all.items != NULL && i < second.n_items; i++) {
        all.items[all.n_items++] = second.items[i];
    }
    return all;
}

static void read_inputs(const struct fx_suite_fields *fields,
                        struct fx_rule_inputs *ret_inputs) {
    ret_inputs->objects = fx_suite_fields_paths(fields, "resources");
    ret_inputs->targets = fx_suite_fields_paths(fields, "targetResources");
    ret_inputs->others = join_paths(fields, "clusterResources", "paramResources");
    ret_inputs->values = fx_suite_fields_path(fields, "variables");
    ret_inputs->user = fx_suite_fields_path(fields, "userinfo");
    ret_inputs->source = fields->reader->source;
    ret_inputs->has_exceptions = fx_suite_fields_get(fields, "exceptions") != NULL;
    json_t *values = fx_suite_fields_get(fields, "values");
    if (values != NULL && !json_is_object(values)) {
        fx_suite_fields_fail(fields, "values", values, "must be an object, not %s",
                             fx_suite_fields_type(values));
        return;
    }
    ret_inputs->inline_values = values;
}

static void warn_of_unread(const struct fx_suite_fields *fields) {
    static const char *const unread[] = {"checks", "context", "jsonPayload",
                                         "jsonPayloads"};
    for (size_t i = 0; i < FX_COUNT(unread); i++) {
        if (fx_suite_fields_get(fields, unread[i]) != NULL) {
            fx_suite_fields_warn(fields, unread[i], "this field is not read");
        }
    }
}

static void check_version(const struct fx_suite_fields *fields) {
    const struct fx_text version = fx_tree_view_string(fields->object, "apiVersion");
    if (version.data != NULL && !fx_text_is(version, FX_RULE_RESULTS_GROUP "/v1alpha1")) {
        fx_suite_fields_fail(fields, "apiVersion",
                             fx_suite_fields_get(fields, "apiVersion"),
                             "expected " FX_RULE_RESULTS_GROUP "/v1alpha1");
    }
}

void fx_rule_results_read(struct fx_suite_reader *reader, json_t *document,
                          struct fx_suite *suite) {
    reader->strict = true;
    const struct fx_suite_fields fields = fx_suite_fields_document(reader, document);
    const char *name = fx_suite_fields_string(&fields, "name");
    suite->path = reader->source->file;
    suite->name = name != NULL && name[0] != '\0' ? name : fx_suite_fields_name(&fields);
    struct fx_rule_inputs *inputs = allocate(&fields, sizeof *inputs);
    if (inputs == NULL) {
        return;
    }
    check_version(&fields);
    fx_suite_fields_check_names(&fields, test_names);
    warn_of_unread(&fields);
    read_inputs(&fields, inputs);
    const struct fx_suite_paths policies = join_paths(&fields, "policies", "exceptions");
    const json_t *list = fx_suite_fields_list(&fields, "results");
    struct fx_suite_fields below;
    for (size_t i = 0; fx_suite_fields_next(&fields, "results", list, &i, &below);) {
        read_result(&below, inputs, &policies, suite);
    }
    if (policies.n_items == 0 && suite->n_tests > 0) {
        fx_suite_fields_fail(&fields, NULL, NULL,
                             "expected `policies`, the files of the policies");
    }
    fx_suite_fields_report_rest(&fields);
    suite->fault = reader->fault;
}
