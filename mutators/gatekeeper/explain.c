/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/explain.c - the values that the criteria of a mutator require, for
 * `fixpoint explain`.
 */
#include <string.h>

#include "engine/policy_text.h"
#include "mutators/gatekeeper/target.h"
#include "value/tree.h"
#include "value/yaml.h"

/* Appends the separator before all but the first of several items. */
static void add_separator(struct fx_buf *buf, size_t index, const char *separator) {
    fx_buf_str(buf, index > 0 ? separator : "");
}

/* Appends a string without quotes, for fields in which only a string is valid. */
static void add_name(struct fx_buf *buf, const json_t *value) {
    if (json_is_string(value)) {
        fx_buf_text(buf, fx_tree_text(value));
    } else {
        fx_value_print(buf, value);
    }
}

static void add_list(struct fx_buf *buf, const json_t *list, const char *separator) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        add_separator(buf, i, separator);
        add_name(buf, json_array_get(list, i));
    }
}

static void add_text(struct fx_buf *buf, const json_t *object, const char *key) {
    fx_buf_text(buf, fx_tree_view_string(object, key));
}

/* True if the list has only the core group, which has no name. */
static bool is_core(const json_t *groups) {
    return json_array_size(groups) == 1 &&
           fx_tree_text(json_array_get(groups, 0)).len == 0;
}

/* Appends "apps/v1 Deployment, StatefulSet under CREATE". */
static void add_binding(struct fx_buf *buf, const json_t *entry) {
    const json_t *groups = fx_tree_view_key(entry, "groups");
    const json_t *operations = fx_tree_view_key(entry, "operations");
    if (!is_core(groups)) {
        add_list(buf, groups, ",");
        fx_buf_char(buf, '/');
    }
    add_list(buf, fx_tree_view_key(entry, "versions"), ",");
    fx_buf_char(buf, ' ');
    add_list(buf, fx_tree_view_key(entry, "kinds"), ", ");
    if (json_array_size(operations) > 0) {
        fx_buf_str(buf, " under ");
        add_list(buf, operations, ", ");
    }
}

/* Appends "Deployment, StatefulSet of apps". */
static void add_kinds(struct fx_buf *buf, const json_t *entry) {
    const json_t *groups = fx_tree_view_key(entry, "apiGroups");
    const json_t *kinds = fx_tree_view_key(entry, "kinds");
    if (json_array_size(kinds) > 0) {
        add_list(buf, kinds, ", ");
    } else {
        fx_buf_str(buf, "any");
    }
    if (json_array_size(groups) > 0 && !is_core(groups)) {
        fx_buf_str(buf, " of ");
        add_list(buf, groups, ", ");
    }
}

/* Appends "spec.securityContext MustNotExist". */
static void add_path_test(struct fx_buf *buf, const json_t *entry) {
    add_text(buf, entry, "subPath");
    fx_buf_char(buf, ' ');
    add_text(buf, entry, "condition");
}

/* Appends "spec.priority In (1, 2)". */
static void add_condition(struct fx_buf *buf, const json_t *entry) {
    const json_t *values = fx_tree_view_key(entry, "values");
    add_text(buf, entry, "location");
    fx_buf_char(buf, ' ');
    add_text(buf, entry, "operator");
    for (size_t i = 0; i < json_array_size(values); i++) {
        fx_buf_str(buf, i == 0 ? " (" : ", ");
        fx_value_print(buf, json_array_get(values, i));
    }
    fx_buf_str(buf, json_array_size(values) > 0 ? ")" : "");
}

/* Appends "tier in (a, b)", as kubectl writes requirements. */
static void add_requirement(struct fx_buf *buf, const json_t *entry) {
    const struct fx_text operator_ = fx_tree_view_string(entry, "operator");
    fx_buf_str(buf, fx_text_is(operator_, "DoesNotExist") ? "!" : "");
    add_text(buf, entry, "key");
    if (fx_text_is(operator_, "Exists") || fx_text_is(operator_, "DoesNotExist")) {
        return;
    }
    if (fx_text_is(operator_, "In") || fx_text_is(operator_, "NotIn")) {
        fx_buf_str(buf, fx_text_is(operator_, "In") ? " in (" : " notin (");
    } else {
        fx_buf_char(buf, ' ');
        fx_buf_text(buf, operator_);
        fx_buf_str(buf, " (");
    }
    add_list(buf, fx_tree_view_key(entry, "values"), ", ");
    fx_buf_char(buf, ')');
}

/* Appends "app=web, tier in (a, b)". */
static void add_selector(struct fx_buf *buf, json_t *selector) {
    json_t *labels = fx_tree_view_key(selector, "matchLabels");
    const json_t *requirements = fx_tree_view_key(selector, "matchExpressions");
    size_t count = 0;
    for (void *iter = json_object_iter(labels); iter != NULL;
         iter = json_object_iter_next(labels, iter)) {
        add_separator(buf, count++, ", ");
        fx_buf_add(buf, json_object_iter_key(iter), json_object_iter_key_len(iter));
        fx_buf_char(buf, '=');
        add_name(buf, json_object_iter_value(iter));
    }
    for (size_t i = 0; i < json_array_size(requirements); i++) {
        add_separator(buf, count++, ", ");
        add_requirement(buf, json_array_get(requirements, i));
    }
}

/* The criteria in the order in which reports list them: the criterion that is checked
 * last comes first. `add` writes the field of the policy, `add_entry` each entry of a
 * list. A field without either is a text or a list of texts. */
static const struct form {
    const char *criterion;
    void (*add)(struct fx_buf *buf, json_t *value);
    void (*add_entry)(struct fx_buf *buf, const json_t *entry);
} forms[] = {
    {"pathTests", NULL, add_path_test},
    {"conditions", NULL, add_condition},
    {"source", NULL, NULL},
    {"name", NULL, NULL},
    {"namespaceSelector", add_selector, NULL},
    {"annotationSelector", add_selector, NULL},
    {"labelSelector", add_selector, NULL},
    {"excludedNamespaces", NULL, NULL},
    {"namespaces", NULL, NULL},
    {"scope", NULL, NULL},
    {"kinds", NULL, add_kinds},
    {"operations", NULL, NULL},
    {"applyTo", NULL, add_binding},
};

/* Returns the rank of a criterion. It is 0 for a criterion of the location or of the
 * value at the location. */
static size_t find_form(const char *criterion) {
    size_t rank = FX_COUNT(forms) - 1;
    while (rank > 0 && strcmp(forms[rank].criterion, criterion) != 0) {
        rank--;
    }
    return rank;
}

static void add_wanted(struct fx_buf *buf, const struct form *form, json_t *value) {
    if (form->add != NULL) {
        form->add(buf, value);
        return;
    }
    if (!json_is_array(value)) {
        add_name(buf, value);
        return;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        add_separator(buf, i, form->add_entry != NULL ? "; " : ", ");
        if (form->add_entry != NULL) {
            form->add_entry(buf, json_array_get(value, i));
        } else {
            add_name(buf, json_array_get(value, i));
        }
    }
}

/* Appends the path of the field in the policy, and returns the value of the field,
 * borrowed from `spec`. */
static json_t *find_field(struct fx_buf *buf, json_t *spec, const char *criterion) {
    static const char *const parents[] = {"match", "parameters"};
    for (size_t i = 0; i < FX_COUNT(parents); i++) {
        json_t *value = fx_tree_view_key(fx_tree_view_key(spec, parents[i]), criterion);
        if (value != NULL) {
            fx_buf_printf(buf, "%s.%s", parents[i], criterion);
            return value;
        }
    }
    fx_buf_str(buf, criterion);
    return fx_tree_view_key(spec, criterion);
}

void fx_target_explain(const struct fx_mutator *self, const char *criterion,
                       struct fx_criterion *ret_criterion) {
    const struct target *target = (const struct target *)self; /* its first member */
    const size_t rank = find_form(criterion);
    const bool has_form = strcmp(criterion, forms[rank].criterion) == 0;
    static const struct form plain = {NULL, NULL, NULL};
    json_t *policy = fx_policy_text_read(self->policy);
    json_t *spec = fx_tree_view_key(policy, "spec");
    json_t *value = find_field(&ret_criterion->field, spec, criterion);
    if (value != NULL) {
        add_wanted(&ret_criterion->wanted, has_form ? &forms[rank] : &plain, value);
    }
    ret_criterion->wanted.failed = ret_criterion->wanted.failed || policy == NULL;
    ret_criterion->rank = (unsigned)rank;
    ret_criterion->asks_namespace = strcmp(criterion, "namespaceSelector") == 0;
    ret_criterion->needs_namespace = strcmp(criterion, "scope") == 0;
    /* AssignMetadata has no path tests of its own; it tests that the field is absent. */
    ret_criterion->keeps_present =
        strcmp(criterion, "pathTests") == 0 && !target->has_path_tests;
    json_decref(policy);
}
