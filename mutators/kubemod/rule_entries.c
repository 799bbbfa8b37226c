/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule_entries.c - reads the entries of `spec.match` and `spec.patch`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutators/kubemod/rule.h"
#include "mutators/kubemod/select_path.h"
#include "value/tree.h"

/* One entry of a list; `path` is that of the entry, "spec.match[0]". */
struct rule_entry {
    struct rule_reading *reading;
    const json_t *node;
    const char *path;
    char field[64]; /* the path of a field */
    struct match_item *item;
    struct patch_operation *operation;
};

static const char *name(struct rule_entry *entry, const char *field) {
    (void)snprintf(entry->field, sizeof entry->field, "%s.%s", entry->path, field);
    return entry->field;
}

static json_t *view_field(struct rule_entry *entry, const char *field, const char *type) {
    return fx_reading_field(entry->reading, entry->node, field, name(entry, field), type);
}

/* Returns a string, which must not be missing. */
static json_t *require_string(struct rule_entry *entry, const char *field) {
    json_t *node = view_field(entry, field, "string");
    if (node == NULL && fx_reading_view(entry->node, field) == NULL) {
        fx_reading_require(entry->reading, entry->node, name(entry, field), NULL);
    }
    return node;
}

/* Compiles `select`, which may be NULL. KubeMod's webhook accepts some selects that its
 * store refuses without a message; here they are errors. */
static void read_select(struct rule_entry *entry, const json_t *select,
                        enum fx_jsonpath_use use, struct fx_jsonpath **ret_select) {
    const char *path = name(entry, "select");
    struct fx_err err = FX_ERR_INIT;
    if (select == NULL) {
        return;
    }
    if (fx_tree_text(select).len == 0) {
        fx_reading_fault(entry->reading, entry->node, select, path, NULL,
                         "spec.%s[].select in body must be non-empty string",
                         use == FX_JSONPATH_PATH ? "patch" : "match");
    } else if (!fx_jsonpath_compile(fx_tree_text(select), use, ret_select, &err)) {
        fx_reading_compile_fault(entry->reading, select, path, &err);
    } else {
        fx_reading_warn_of_calls(entry->reading, select, path, *ret_select);
    }
}

/* Reads each entry of the list `spec.<list_name>`. */
static void read_entries(struct rule_reading *reading, const json_t *list,
                         const char *list_name, struct modrule *rule,
                         void (*read)(struct rule_entry *entry, struct modrule *rule)) {
    size_t index = 0;
    const json_t *node = NULL;
    json_array_foreach (list, index, node) {
        char path[48];
        (void)snprintf(path, sizeof path, "spec.%s[%zu]", list_name, index);
        struct rule_entry entry = {.reading = reading, .node = node, .path = path};
        if (json_is_object(node)) {
            read(&entry, rule);
        } else {
            fx_reading_fault(reading, node, node, path, NULL,
                             "%s in body must be of type object", path);
        }
    }
}

/* ---- match ----------------------------------------------------------------------- */

static const char *const item_fields[] = {
    "select", "matchFor", "matchValue", "matchValues", "matchRegex", "negate", NULL,
};

static void read_match_for(struct rule_entry *entry) {
    const json_t *match_for = view_field(entry, "matchFor", "string");
    const struct fx_text text = fx_tree_text(match_for);
    entry->item->for_all = fx_text_is(text, "All");
    if (text.len > 0 && !entry->item->for_all && !fx_text_is(text, "Any")) {
        fx_reading_fault(entry->reading, entry->node, match_for, name(entry, "matchFor"),
                         NULL, "unrecognized matchFor value");
    }
}

static void read_values(struct rule_entry *entry) {
    json_t *values = view_field(entry, "matchValues", "array");
    size_t index = 0;
    const json_t *value = NULL;
    json_array_foreach (values, index, value) {
        if (!json_is_string(value)) {
            fx_reading_fault(entry->reading, values, value, name(entry, "matchValues"),
                             NULL, "matchValues in body must be of type string");
        }
    }
    if (json_array_size(values) > 0) {
        entry->item->values = json_incref(values);
    }
}

static void read_regex(struct rule_entry *entry) {
    json_t *regex = view_field(entry, "matchRegex", "string");
    struct fx_err err = FX_ERR_INIT;
    entry->item->pattern = json_incref(regex);
    if (regex != NULL &&
        !fx_regex_compile(fx_tree_text(regex), &entry->item->regex, &err)) {
        (void)fx_err_prefix(&err, "error parsing regexp: ");
        fx_reading_compile_fault(entry->reading, regex, name(entry, "matchRegex"), &err);
    }
}

static void warn_idle(struct rule_entry *entry, const char *idle, const char *counts) {
    const json_t *node = fx_reading_view(entry->node, idle);
    fx_reading_need(entry->reading, fx_compilation_warn(entry->reading->compilation, node,
                                                        "%s is ignored because of `%s`",
                                                        name(entry, idle), counts));
}

/* Warns about further tests. Only the first test is used (section 4). */
static void warn_of_tests(struct rule_entry *entry) {
    const struct match_item *made = entry->item;
    if (made->value != NULL && made->values != NULL) {
        warn_idle(entry, "matchValues", "matchValue");
    }
    if (made->regex != NULL && (made->value != NULL || made->values != NULL)) {
        warn_idle(entry, "matchRegex",
                  made->value != NULL ? "matchValue" : "matchValues");
    }
}

static void read_item(struct rule_entry *entry, struct modrule *rule) {
    struct match_item *item = &rule->items[rule->n_items++];
    entry->item = item;
    item->criterion = strdup(entry->path + strlen("spec."));
    fx_reading_need(entry->reading, item->criterion != NULL);
    read_select(entry, require_string(entry, "select"), FX_JSONPATH_EXPRESSION,
                &item->select);
    read_match_for(entry);
    item->value = json_incref(view_field(entry, "matchValue", "string"));
    read_values(entry);
    read_regex(entry);
    item->negate = json_is_true(view_field(entry, "negate", "boolean"));
    warn_of_tests(entry);
    fx_reading_warn_unknown(entry->reading, entry->node, entry->path, item_fields);
}

void fx_reading_match(struct rule_reading *reading, const json_t *spec,
                      struct modrule *rule) {
    const json_t *list = fx_reading_field(reading, spec, "match", "spec.match", "array");
    if (list == NULL) {
        if (fx_reading_view(spec, "match") == NULL) {
            fx_reading_require(reading, spec, "spec.match", NULL);
        }
        return;
    }
    if (json_array_size(list) == 0) {
        fx_reading_fault(reading, spec, list, "spec.match", NULL,
                         "spec.match in body should have at least 1 items");
        return;
    }
    if (fx_reading_is_too_long(reading, list, "spec.match")) {
        return;
    }
    rule->items = calloc(json_array_size(list), sizeof *rule->items);
    fx_reading_need(reading, rule->items != NULL);
    if (rule->items != NULL) {
        read_entries(reading, list, "match", rule, read_item);
    }
}

/* ---- patch ----------------------------------------------------------------------- */

static const char *const operation_fields[] = {"op", "path", "select", "value", NULL};

static void read_op(struct rule_entry *entry) {
    const json_t *op = require_string(entry, "op");
    if (op == NULL) {
        return;
    }
    for (unsigned i = OPERATION_ADD; i <= OPERATION_REMOVE; i++) {
        if (fx_text_is(fx_tree_text(op), fx_operation_text((enum operation)i))) {
            entry->operation->operation = (enum operation)i;
            return;
        }
    }
    fx_reading_fault(entry->reading, entry->node, op, name(entry, "op"), NULL,
                     "supported values: \"add\", \"replace\", \"remove\"");
}

static void read_path(struct rule_entry *entry) {
    fx_reading_need(entry->reading,
                    fx_patch_operation_set_path(
                        entry->operation, fx_tree_text(require_string(entry, "path"))));
}

/* Warns about a `#N` for which the select has no part N. */
static void warn_of_parts(struct rule_entry *entry) {
    const struct fx_text path = {entry->operation->path, entry->operation->path_len};
    const struct fx_jsonpath *select = entry->operation->select;
    size_t highest = 0;
    size_t count = 0;
    bool ok = true;
    if (!fx_select_path_highest(path, &highest)) {
        return;
    }
    const json_t *node = fx_reading_view(entry->node, "path");
    if (fx_reading_view(entry->node, "select") == NULL) {
        ok = fx_compilation_warn(
            entry->reading->compilation, node,
            "%s: `#%zu` is taken literally, because there is no `select`",
            name(entry, "path"), highest);
    } else if (select != NULL && fx_jsonpath_count_parts(select, &count) &&
               highest >= count) {
        ok = fx_compilation_warn(entry->reading->compilation, node,
                                 "%s: there is no `#%zu`, so the rule is skipped each "
                                 "time: `select` has %zu key parts, counted from 0",
                                 name(entry, "path"), highest, count);
    }
    fx_reading_need(entry->reading, ok);
}

/* Warns about a text that is neither a template nor valid YAML. It fails each time. */
static void warn_of_value(struct rule_entry *entry, const json_t *text) {
    struct fx_err err = FX_ERR_INIT;
    if (entry->operation->value.constant != NULL ||
        fx_text_contains(fx_tree_text(text), FX_TEXT("{{")) ||
        fx_text_contains(fx_tree_text(text), FX_TEXT(".#"))) {
        return;
    }
    json_t *value = fx_patch_value_read(fx_tree_text(text), &err);
    json_decref(value);
    if (value == NULL &&
        (err.code == FX_ENOMEM ||
         !fx_compilation_warn(
             entry->reading->compilation, text,
             "%s is not valid YAML, so the rule is skipped each time: %s",
             name(entry, "value"), err.msg))) {
        entry->reading->is_out_of_memory = true;
    }
}

static void warn_of_fields(struct rule_entry *entry, const json_t *text) {
    static const char *const fields[] = {"Namespace", "Target", "SelectKeyParts",
                                         "SelectedItem", NULL};
    const struct fx_gotemplate *template = entry->operation->value.template;
    const struct fx_text unknown = template == NULL
                                       ? (struct fx_text){0}
                                       : fx_gotemplate_find_unknown(template, fields);
    if (unknown.len > 0 &&
        !fx_compilation_warn(
            entry->reading->compilation, text,
            "%s: there is no `.%.*s`, so the rule is skipped when its template reaches "
            "it: the fields are .Namespace, .Target, .SelectKeyParts and .SelectedItem",
            name(entry, "value"), FX_TEXT_ARG(unknown))) {
        entry->reading->is_out_of_memory = true;
    }
}

static void read_value(struct rule_entry *entry) {
    const json_t *text = view_field(entry, "value", "string");
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text path = {entry->operation->path, entry->operation->path_len};
    if (!fx_patch_value_compile(path, text, &entry->operation->value, &err)) {
        fx_reading_compile_fault(entry->reading, text, name(entry, "value"), &err);
    } else if (text != NULL) {
        warn_of_value(entry, text);
        warn_of_fields(entry, text);
    }
}

static void read_operation(struct rule_entry *entry, struct modrule *rule) {
    entry->operation = &rule->patch[rule->n_patch++];
    read_op(entry);
    read_path(entry);
    read_select(entry, view_field(entry, "select", "string"), FX_JSONPATH_PATH,
                &entry->operation->select);
    if (entry->operation->path != NULL) {
        warn_of_parts(entry);
        read_value(entry);
    }
    fx_reading_warn_unknown(entry->reading, entry->node, entry->path, operation_fields);
}

void fx_reading_patch(struct rule_reading *reading, const json_t *spec,
                      struct modrule *rule) {
    const json_t *list = fx_reading_field(reading, spec, "patch", "spec.patch", "array");
    const struct fx_text type = fx_tree_view_string(spec, "type");
    const bool is_patch = fx_text_is(type, "Patch");
    if (is_patch && json_array_size(list) == 0) {
        fx_reading_require(reading, spec, "spec.patch",
                           "field 'patch' cannot be empty for ModRules of type Patch");
    } else if (!is_patch && json_array_size(list) > 0) {
        fx_reading_fault(
            reading, spec, list, "spec.patch", NULL,
            "field 'patch' should be present only for ModRules of type Patch");
    }
    if (json_array_size(list) > 0 &&
        !fx_reading_is_too_long(reading, list, "spec.patch")) {
        rule->patch = calloc(json_array_size(list), sizeof *rule->patch);
        fx_reading_need(reading, rule->patch != NULL);
        if (rule->patch != NULL) {
            read_entries(reading, list, "patch", rule, read_operation);
        }
    }
}
