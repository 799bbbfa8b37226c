/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule_patch.c - `spec.patch`.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mutators/kubemod/rule.h"
#include "mutators/kubemod/select_path.h"
#include "value/tree.h"

static const char *const operation_fields[] = {"op", "path", "select", "value", NULL};

/* One entry under way: `path` is its own, "spec.patch[0]". */
struct entry {
    struct reading *reading;
    const json_t *node;
    const char *path;
    struct patch_operation *made;
    char field[64]; /* the path of a field */
};

static const char *name(struct entry *entry, const char *field) {
    (void)snprintf(entry->field, sizeof entry->field, "%s.%s", entry->path, field);
    return entry->field;
}

static json_t *view(struct entry *entry, const char *field) {
    return fx_reading_field(entry->reading, entry->node, field, name(entry, field),
                            "string");
}

/* The same for one that must be there. */
static json_t *demand(struct entry *entry, const char *field) {
    json_t *node = view(entry, field);
    if (node == NULL && fx_reading_view(entry->node, field) == NULL) {
        fx_reading_require(entry->reading, entry->node, name(entry, field), NULL);
    }
    return node;
}

static void read_op(struct entry *entry) {
    const json_t *op = demand(entry, "op");
    if (op == NULL) {
        return;
    }
    for (unsigned i = OPERATION_ADD; i <= OPERATION_REMOVE; i++) {
        if (fx_text_is(fx_tree_text(op), fx_operation_text((enum operation)i))) {
            entry->made->operation = (enum operation)i;
            return;
        }
    }
    fx_reading_fault(entry->reading, entry->node, op, name(entry, "op"), NULL,
                     "supported values: \"add\", \"replace\", \"remove\"");
}

static void read_path(struct entry *entry) {
    if (!fx_patch_operation_set_path(entry->made, fx_tree_text(demand(entry, "path")))) {
        entry->reading->is_out_of_memory = true;
    }
}

/* What KubeMod's webhook takes and its store refuses without a word is refused here. */
static void read_select(struct entry *entry) {
    const json_t *select = view(entry, "select");
    struct fx_err err = FX_ERR_INIT;
    if (select == NULL) {
        return;
    }
    if (fx_tree_text(select).len == 0) {
        fx_reading_fault(entry->reading, entry->node, select, name(entry, "select"), NULL,
                         "spec.patch[].select in body must be non-empty string");
    } else if (!fx_jsonpath_compile(fx_tree_text(select), FX_JSONPATH_PATH,
                                    &entry->made->select, &err)) {
        fx_reading_compile_fault(entry->reading, select, name(entry, "select"), &err);
    } else {
        fx_reading_warn_of_calls(entry->reading, select, name(entry, "select"),
                                 entry->made->select);
    }
}

/* A `#N` that has no part N: of a slip in the select, or of none. */
static void warn_of_parts(struct entry *entry) {
    const struct fx_text path = {entry->made->path, entry->made->path_len};
    const struct fx_jsonpath *select = entry->made->select;
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
    entry->reading->is_out_of_memory = entry->reading->is_out_of_memory || !ok;
}

/* A text without a template in it that is no YAML fails each time. */
static void warn_of_value(struct entry *entry, const json_t *text) {
    struct fx_err err = FX_ERR_INIT;
    if (entry->made->value.constant != NULL ||
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

/* One of a patch has these. */
static void warn_of_fields(struct entry *entry, const json_t *text) {
    static const char *const fields[] = {"Namespace", "Target", "SelectKeyParts",
                                         "SelectedItem", NULL};
    const struct fx_gotemplate *template = entry->made->value.template;
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

static void read_value(struct entry *entry) {
    const json_t *text = view(entry, "value");
    struct fx_err err = FX_ERR_INIT;
    const struct fx_text path = {entry->made->path, entry->made->path_len};
    if (!fx_patch_value_compile(path, text, &entry->made->value, &err)) {
        fx_reading_compile_fault(entry->reading, text, name(entry, "value"), &err);
    } else if (text != NULL) {
        warn_of_value(entry, text);
        warn_of_fields(entry, text);
    }
}

static void read_entry(struct entry *entry) {
    if (!json_is_object(entry->node)) {
        fx_reading_fault(entry->reading, entry->node, entry->node, entry->path, NULL,
                         "%s in body must be of type object", entry->path);
        return;
    }
    read_op(entry);
    read_path(entry);
    read_select(entry);
    if (entry->made->path != NULL) {
        warn_of_parts(entry);
        read_value(entry);
    }
    fx_reading_warn_unknown(entry->reading, entry->node, entry->path, operation_fields);
}

static void read_list(struct reading *reading, const json_t *list, struct modrule *rule) {
    rule->patch = calloc(json_array_size(list), sizeof *rule->patch);
    if (rule->patch == NULL) {
        reading->is_out_of_memory = true;
        return;
    }
    size_t index = 0;
    const json_t *node = NULL;
    json_array_foreach (list, index, node) {
        char path[48];
        (void)snprintf(path, sizeof path, "spec.patch[%zu]", index);
        struct entry entry = {
            .reading = reading,
            .node = node,
            .path = path,
            .made = &rule->patch[rule->n_patch++],
        };
        read_entry(&entry);
    }
}

void fx_reading_patch(struct reading *reading, const json_t *spec, struct modrule *rule) {
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
        read_list(reading, list, rule);
    }
}
