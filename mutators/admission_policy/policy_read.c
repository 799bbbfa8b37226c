/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/admission_policy/policy_read.c - compiles a MutatingAdmissionPolicy
 * (spec/mutating-admission-policy.md section 1). All faults are found at once, in the
 * order and words of an API server.
 */
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "mutators/admission_policy/configuration.h"
#include "mutators/admission_policy/environment.h"
#include "mutators/admission_policy/policy_reading.h"
#include "value/tree.h"

#define MOST_CONDITIONS 64u

void fx_map_policy_finish(struct map_policy *policy) {
    for (size_t i = 0; i < policy->n_variables; i++) {
        fx_cel_destroy(policy->variables[i].expression.program);
    }
    for (size_t i = 0; i < policy->n_conditions; i++) {
        fx_cel_destroy(policy->conditions[i].expression.program);
    }
    for (size_t i = 0; i < policy->n_mutations; i++) {
        fx_cel_destroy(policy->mutations[i].expression.program);
        json_decref(policy->mutations[i].constant);
    }
    free(policy->variables);
    free(policy->variable_fields);
    free(policy->conditions);
    free(policy->mutations);
    fx_map_match_finish(&policy->match);
    for (size_t i = 0; i < MAP_VIEWS; i++) {
        fx_map_match_finish(&policy->view_matches[i]);
        json_decref(policy->view_constraints[i]);
    }
    fx_arena_finish(&policy->arena);
    json_decref(policy->document);
}

static void destroy_policy(struct fx_linkable *self) {
    struct map_policy *policy = (struct map_policy *)self; /* its first member */
    fx_map_policy_finish(policy);
    free(policy);
}

/* ---- words ------------------------------------------------------------------------ */

void fx_map_read_failure_policy(struct map_policy_reading *of) {
    static const char *const words[] = {"Fail", "Ignore", NULL};
    of->policy->ignores_failure =
        fx_map_read_word(&of->reading, of->spec, "failurePolicy", words) == 1;
}

static void read_reinvocation(struct map_policy_reading *of) {
    static const char *const words[] = {"IfNeeded", "Never", NULL};
    const json_t *given = fx_tree_view_key(of->spec, "reinvocationPolicy");
    if (given == NULL || json_is_null(given) ||
        (json_is_string(given) && json_string_length(given) == 0)) {
        fx_map_require(&of->reading, of->spec, "reinvocationPolicy", NULL);
        return;
    }
    of->policy->reinvokes =
        fx_map_read_word(&of->reading, of->spec, "reinvocationPolicy", words) == 0;
}

/* The annotation of Fixpoint for mutationValidationPolicy. */
static void read_validation(struct map_policy_reading *of) {
    static const char *const words[] = {"Fail", "Skip", "Warn", NULL};
    static const enum map_validation values[] = {MAP_VALIDATION_FAIL, MAP_VALIDATION_SKIP,
                                                 MAP_VALIDATION_WARN,
                                                 MAP_VALIDATION_SKIP};
    const json_t *metadata = fx_tree_view_key(of->policy->document, "metadata");
    const json_t *annotations = fx_tree_view_key(metadata, "annotations");
    const size_t mark = fx_map_enter(&of->reading, "metadata.annotations");
    of->policy->validation = values[fx_map_read_word(&of->reading, annotations,
                                                     MAP_VALIDATION_ANNOTATION, words)];
    fx_map_leave(&of->reading, mark);
}

/* ---- paramKind -------------------------------------------------------------------- */

static void read_param_version(struct map_policy_reading *of, const json_t *kind) {
    struct fx_named_kind *named = &of->policy->param_kind;
    const json_t *node = fx_map_read_string(&of->reading, kind, "apiVersion");
    struct fx_text rest = fx_tree_text(node);
    if (rest.len == 0) {
        if (node != NULL || fx_tree_view_key(kind, "apiVersion") == NULL) {
            fx_map_require(&of->reading, kind, "apiVersion", NULL);
        }
        return;
    }
    if (fx_text_contains(rest, FX_TEXT("/"))) {
        named->group = fx_text_cut(&rest, '/');
    }
    named->version = rest;
    if (fx_text_contains(rest, FX_TEXT("/"))) {
        fx_map_refuse(&of->reading, node, "apiVersion",
                      "unexpected GroupVersion string: %s", json_string_value(node));
    } else if (rest.len == 0) {
        fx_map_refuse(&of->reading, node, "apiVersion", "version must be specified");
    }
}

static void read_param_kind(struct map_policy_reading *of) {
    static const char *const known[] = {"apiVersion", "kind", NULL};
    struct map_reading *reading = &of->reading;
    const json_t *kind = fx_map_read_object(reading, of->spec, "paramKind");
    if (kind == NULL) {
        return;
    }
    const size_t mark = fx_map_enter(reading, "paramKind");
    of->policy->has_params = true;
    of->policy->param_kind.group = FX_TEXT("");
    fx_map_warn_unknown(reading, kind, known);
    read_param_version(of, kind);
    const json_t *name = fx_map_read_string(reading, kind, "kind");
    of->policy->param_kind.kind = fx_tree_text(name);
    if (of->policy->param_kind.kind.len == 0 &&
        (name != NULL || fx_tree_view_key(kind, "kind") == NULL)) {
        fx_map_require(reading, kind, "kind", NULL);
    }
    fx_map_leave(reading, mark);
}

/* ---- matchConstraints ------------------------------------------------------------- */

/* Adds a fault for DELETE: a policy never sees such a request. */
static void refuse_deletes(struct map_policy_reading *of, const json_t *constraints) {
    static const char *const words[] = {"*", "CONNECT", "CREATE", "UPDATE", NULL};
    const json_t *rules = fx_tree_view_key(constraints, "resourceRules");
    const size_t mark = fx_map_enter(&of->reading, "resourceRules");
    for (size_t i = 0; i < of->policy->match.n_rules; i++) {
        const json_t *list = fx_tree_view_key(json_array_get(rules, i), "operations");
        size_t index = 0;
        const json_t *word = NULL;
        json_array_foreach (list, index, word) {
            if (fx_text_is(fx_tree_text(word), "DELETE")) {
                fx_map_refuse_word(&of->reading, word, "operations", words);
            }
        }
    }
    fx_map_leave(&of->reading, mark);
}

void fx_map_read_constraints(struct map_policy_reading *of) {
    struct map_reading *reading = &of->reading;
    const json_t *given = fx_tree_view_key(of->spec, "matchConstraints");
    const json_t *constraints = fx_map_read_object(reading, of->spec, "matchConstraints");
    if (constraints == NULL) {
        if (given == NULL || json_is_null(given)) {
            fx_map_require(reading, of->spec, "matchConstraints", NULL);
        }
        return;
    }
    const size_t mark = fx_map_enter(reading, "matchConstraints");
    fx_map_match_read_in(reading, constraints, &of->policy->match);
    given = fx_tree_view_key(constraints, "resourceRules");
    if (given == NULL || json_is_null(given) ||
        (json_is_array(given) && json_array_size(given) == 0)) {
        fx_map_require(reading, constraints, "resourceRules", NULL);
    }
    if (!of->policy->is_kyverno) {
        refuse_deletes(of, constraints);
    }
    fx_map_leave(reading, mark);
}

/* ---- lists of expressions --------------------------------------------------------- */

/* Reads a list of objects and makes room for what they become, `size` bytes each. */
static json_t *read_items(struct map_policy_reading *of, const char *key, size_t most,
                          size_t size, void **ret_items, size_t *ret_n) {
    json_t *list = fx_map_read_objects(&of->reading, of->spec, key);
    const size_t n = json_array_size(list);
    if (n > most) {
        fx_map_refuse_many(&of->reading, list, key, most);
        return NULL;
    }
    *ret_items = n == 0 ? NULL : calloc(n, size);
    fx_map_need(&of->reading, n == 0 || *ret_items != NULL);
    *ret_n = *ret_items == NULL ? 0 : n;
    return *ret_items == NULL ? NULL : list;
}

/* [_a-zA-Z][_a-zA-Z0-9]*, and not a reserved word. */
static bool is_identifier(struct fx_text name) {
    static const char *const reserved[] = {
        "true",     "false",   "null",      "in",       "as",  "break",  "const",
        "continue", "else",    "for",       "function", "if",  "import", "let",
        "loop",     "package", "namespace", "return",   "var", "void",   "while",
    };
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.data[i];
        if (c != '_' && !fx_is_letter(c) && (i == 0 || !fx_is_digit(c))) {
            return false;
        }
    }
    for (size_t i = 0; i < FX_COUNT(reserved); i++) {
        if (fx_text_is(name, reserved[i])) {
            return false;
        }
    }
    return true;
}

/* A name that occurs twice would make it unclear which of the variables is meant. */
static bool is_repeated(const struct map_policy *policy, size_t index) {
    for (size_t i = 0; i < index && fx_spend(1); i++) {
        if (policy->variables[i].name != NULL &&
            strcmp(policy->variables[i].name, policy->variables[index].name) == 0) {
            return true;
        }
    }
    return false;
}

static void read_variable_name(struct map_policy_reading *of, const json_t *node,
                               size_t index) {
    struct map_reading *reading = &of->reading;
    const json_t *name = fx_map_read_string(reading, node, "name");
    const struct fx_text text = fx_tree_text(name);
    if (fx_text_trim_space(text).len == 0) {
        fx_map_require(reading, node, "name", "name is not specified");
        return;
    }
    if (!is_identifier(text)) {
        fx_map_refuse(reading, name, "name", "name is not a valid CEL identifier");
        return;
    }
    of->policy->variables[index].name = json_string_value(name);
    if (is_repeated(of->policy, index)) {
        fx_map_refuse_repeat(reading, name, "name");
    }
}

void fx_map_read_variables(struct map_policy_reading *of) {
    static const char *const known[] = {"name", "expression", NULL};
    struct map_policy *policy = of->policy;
    struct map_reading *reading = &of->reading;
    void *items = NULL;
    const json_t *list =
        read_items(of, "variables", FX_LIMIT_POLICY_EXPRESSIONS,
                   sizeof *policy->variables, &items, &policy->n_variables);
    policy->variables = items;
    fx_map_need(reading, fx_map_env_init(policy));
    const size_t mark = fx_map_enter(reading, "variables");
    for (size_t i = 0; i < policy->n_variables && !reading->failed; i++) {
        const json_t *node = json_array_get(list, i);
        const size_t at = fx_map_enter_index(reading, i);
        fx_map_warn_unknown(reading, node, known);
        policy->variables[i].name = "";
        read_variable_name(of, node, i);
        fx_map_compile(reading, &policy->variable_env, node, NULL,
                       &policy->variables[i].expression);
        fx_map_need(reading, fx_map_env_declare(policy, i));
        fx_map_leave(reading, at);
    }
    fx_map_leave(reading, mark);
}

/* ---- matchConditions -------------------------------------------------------------- */

static void read_condition_name(struct map_policy_reading *of, const json_t *node,
                                size_t index) {
    struct map_reading *reading = &of->reading;
    struct map_condition *conditions = of->policy->conditions;
    const json_t *name = fx_map_read_string(reading, node, "name");
    const struct fx_text text = fx_tree_text(name);
    struct fx_buf wrong;
    if (text.len == 0) {
        fx_map_require(reading, node, "name", NULL);
        return;
    }
    fx_buf_init(&wrong, 0);
    if (!of->policy->is_kyverno) { /* which takes any text */
        fx_label_key_check(&wrong, text);
    }
    if (wrong.len > 0) {
        fx_map_refuse(reading, name, "name", "%s", wrong.data);
    }
    fx_map_need(reading, !wrong.failed);
    fx_buf_finish(&wrong);
    conditions[index].name = text;
    for (size_t i = 0; i < index; i++) {
        if (fx_text_equal(conditions[i].name, text)) {
            fx_map_refuse_repeat(reading, name, "name");
            return;
        }
    }
}

void fx_map_read_conditions(struct map_policy_reading *of) {
    static const char *const known[] = {"name", "expression", NULL};
    struct map_policy *policy = of->policy;
    struct map_reading *reading = &of->reading;
    void *items = NULL;
    const json_t *list =
        read_items(of, "matchConditions", MOST_CONDITIONS, sizeof *policy->conditions,
                   &items, &policy->n_conditions);
    policy->conditions = items;
    const size_t mark = fx_map_enter(reading, "matchConditions");
    for (size_t i = 0; i < policy->n_conditions && !reading->failed; i++) {
        const json_t *node = json_array_get(list, i);
        const size_t at = fx_map_enter_index(reading, i);
        fx_map_warn_unknown(reading, node, known);
        read_condition_name(of, node, i);
        fx_map_compile(reading, &policy->condition_env, node, &fx_cel_bool,
                       &policy->conditions[i].expression);
        fx_map_leave(reading, at);
    }
    fx_map_leave(reading, mark);
}

/* ---- mutations -------------------------------------------------------------------- */

/* The member that goes with each patch type. */
static const struct {
    const char *patch_type, *key;
    const struct fx_cel_type *wanted;
} patch_types[] = {
    [MAP_APPLY_CONFIGURATION] = {"ApplyConfiguration", "applyConfiguration",
                                 &fx_cel_object},
    [MAP_JSON_PATCH] = {"JSONPatch", "jsonPatch", &fx_cel_list_json_patch},
};

/* Adds a fault if the mutation has the member of the other patch type. */
static void refuse_other(struct map_reading *reading, const json_t *node,
                         enum map_patch_type type) {
    const char *other =
        patch_types[type == MAP_JSON_PATCH ? MAP_APPLY_CONFIGURATION : MAP_JSON_PATCH]
            .key;
    const json_t *given = fx_tree_view_key(node, other);
    if (given != NULL && !json_is_null(given)) {
        fx_map_refuse_member(reading, given, other, patch_types[type].patch_type);
    }
}

/* An exceeded budget is noticed at the end. */
static void fold_mutation(struct map_reading *reading, struct map_mutation *mutation) {
    struct fx_err err = FX_ERR_INIT;
    if (mutation->type == MAP_APPLY_CONFIGURATION &&
        mutation->expression.program != NULL) {
        fx_map_need(reading, fx_map_configuration_fold(mutation->expression.program,
                                                       &mutation->constant, &err) ||
                                 err.code != FX_ENOMEM);
    }
}

static void read_patch(struct map_policy_reading *of, const json_t *node,
                       struct map_mutation *mutation) {
    static const char *const known[] = {"expression", NULL};
    struct map_reading *reading = &of->reading;
    const char *key = patch_types[mutation->type].key;
    const json_t *given = fx_tree_view_key(node, key);
    const json_t *patch = fx_map_read_object(reading, node, key);
    if (patch != NULL) {
        const size_t mark = fx_map_enter(reading, key);
        fx_map_warn_unknown(reading, patch, known);
        fx_map_compile(reading, &of->policy->mutation_env, patch,
                       patch_types[mutation->type].wanted, &mutation->expression);
        fold_mutation(reading, mutation);
        fx_map_leave(reading, mark);
    } else if (given == NULL || json_is_null(given)) {
        fx_map_require(reading, node, key,
                       mutation->type == MAP_JSON_PATCH
                           ? "must be specified when patchType is JSONPatch"
                           : "must be specified when patchType is ApplyConfiguration");
    }
    refuse_other(reading, node, mutation->type);
}

static void read_mutation(struct map_policy_reading *of, const json_t *node,
                          struct map_mutation *mutation) {
    static const char *const known[] = {"patchType", "applyConfiguration", "jsonPatch",
                                        NULL};
    static const char *const words[] = {"ApplyConfiguration", "JSONPatch", NULL};
    const json_t *given = fx_tree_view_key(node, "patchType");
    fx_map_warn_unknown(&of->reading, node, known);
    if (given == NULL || json_is_null(given) ||
        (json_is_string(given) && json_string_length(given) == 0)) {
        fx_map_require(&of->reading, node, "patchType", NULL);
        return;
    }
    const size_t index = fx_map_read_word(&of->reading, node, "patchType", words);
    if (words[index] != NULL) {
        mutation->type = index == 0 ? MAP_APPLY_CONFIGURATION : MAP_JSON_PATCH;
        read_patch(of, node, mutation);
    }
}

void fx_map_read_mutations(struct map_policy_reading *of) {
    struct map_policy *policy = of->policy;
    struct map_reading *reading = &of->reading;
    const json_t *given = fx_tree_view_key(of->spec, "mutations");
    void *items = NULL;
    if (given == NULL || json_is_null(given) ||
        (json_is_array(given) && json_array_size(given) == 0)) {
        fx_map_require(reading, of->spec, "mutations",
                       "mutations must contain at least one item");
        return;
    }
    const json_t *list =
        read_items(of, "mutations", FX_LIMIT_POLICY_EXPRESSIONS,
                   sizeof *policy->mutations, &items, &policy->n_mutations);
    policy->mutations = items;
    const size_t mark = fx_map_enter(reading, "mutations");
    for (size_t i = 0; i < policy->n_mutations && !reading->failed; i++) {
        const size_t at = fx_map_enter_index(reading, i);
        read_mutation(of, json_array_get(list, i), &policy->mutations[i]);
        fx_map_leave(reading, at);
    }
    fx_map_leave(reading, mark);
}

/* ---- the policy ------------------------------------------------------------------- */

static void read_spec(struct map_policy_reading *of) {
    static const char *const known[] = {
        "paramKind",     "matchConstraints", "variables",          "mutations",
        "failurePolicy", "matchConditions",  "reinvocationPolicy", NULL,
    };
    const size_t mark = fx_map_enter(&of->reading, "spec");
    fx_map_warn_unknown(&of->reading, of->spec, known);
    fx_map_read_failure_policy(of);
    read_param_kind(of);
    fx_map_read_constraints(of);
    fx_map_read_variables(of);
    fx_map_read_conditions(of);
    fx_map_read_mutations(of);
    read_reinvocation(of);
    fx_map_leave(&of->reading, mark);
}

static void read_document(struct map_policy_reading *of, fx_map_read_fields *read) {
    static const char *const known[] = {"apiVersion", "kind",   "metadata",
                                        "spec",       "status", NULL};
    const json_t *document = of->policy->document;
    const json_t *given = fx_tree_view_key(document, "spec");
    fx_map_warn_unknown(&of->reading, document, known);
    of->spec = fx_map_read_object(&of->reading, document, "spec");
    if (of->spec != NULL) {
        read(of);
    } else if (given == NULL || json_is_null(given)) {
        fx_map_require(&of->reading, document, "spec", NULL);
    }
}

bool fx_map_policy_compile_as(json_t *document, bool is_kyverno, fx_map_read_fields *read,
                              struct fx_compilation *ret_compilation,
                              struct fx_err *err) {
    struct map_policy_reading of = {.policy = calloc(1, sizeof *of.policy)};
    if (of.policy == NULL) {
        return fx_fail_nomem(err);
    }
    of.policy->head.destroy = destroy_policy;
    of.policy->document = json_incref(document);
    of.policy->is_kyverno = is_kyverno;
    fx_arena_init(&of.policy->arena, FX_LIMIT_CEL_PROGRAM_BYTES);
    ret_compilation->linkable = &of.policy->head;
    fx_map_reading_init(&of.reading, ret_compilation, "");
    read_document(&of, read);
    const bool ok = fx_map_reading_check(&of.reading, document, err);
    fx_map_reading_finish(&of.reading);
    return ok;
}

static void read_of_server(struct map_policy_reading *of) {
    read_validation(of);
    read_spec(of);
}

bool fx_map_policy_compile(json_t *document, struct fx_compilation *ret_compilation,
                           struct fx_err *err) {
    return fx_map_policy_compile_as(document, false, read_of_server, ret_compilation,
                                    err);
}
