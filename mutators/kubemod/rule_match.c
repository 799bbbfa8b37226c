/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/rule_match.c - `spec.match`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "mutators/kubemod/rule.h"
#include "value/tree.h"

static const char *const item_fields[] = {
    "select", "matchFor", "matchValue", "matchValues", "matchRegex", "negate", NULL,
};

/* One item under way: `path` is its own, "spec.match[0]". */
struct item {
    struct reading *reading;
    const json_t *node;
    const char *path;
    struct match_item *made;
    char field[64]; /* the path of a field */
};

static const char *name(struct item *item, const char *field) {
    (void)snprintf(item->field, sizeof item->field, "%s.%s", item->path, field);
    return item->field;
}

static json_t *view(struct item *item, const char *field, const char *type) {
    return fx_reading_field(item->reading, item->node, field, name(item, field), type);
}

static void read_select(struct item *item) {
    json_t *select = view(item, "select", "string");
    const char *path = name(item, "select");
    struct fx_err err = FX_ERR_INIT;
    if (select == NULL) {
        if (fx_reading_view(item->node, "select") == NULL) {
            fx_reading_require(item->reading, item->node, path, NULL);
        }
    } else if (fx_tree_text(select).len == 0) {
        fx_reading_fault(item->reading, item->node, select, path, NULL,
                         "spec.match[].select in body must be non-empty string");
    } else if (!fx_jsonpath_compile(fx_tree_text(select), FX_JSONPATH_EXPRESSION,
                                    &item->made->select, &err)) {
        fx_reading_compile_fault(item->reading, select, path, &err);
    } else {
        fx_reading_warn_of_calls(item->reading, select, path, item->made->select);
    }
}

static void read_match_for(struct item *item) {
    const json_t *match_for = view(item, "matchFor", "string");
    const struct fx_text words = fx_tree_text(match_for);
    item->made->for_all = fx_text_is(words, "All");
    if (words.len > 0 && !item->made->for_all && !fx_text_is(words, "Any")) {
        fx_reading_fault(item->reading, item->node, match_for, name(item, "matchFor"),
                         NULL, "unrecognized matchFor value");
    }
}

static void read_values(struct item *item) {
    json_t *values = view(item, "matchValues", "array");
    size_t index = 0;
    const json_t *value = NULL;
    json_array_foreach (values, index, value) {
        if (!json_is_string(value)) {
            fx_reading_fault(item->reading, values, value, name(item, "matchValues"),
                             NULL, "matchValues in body must be of type string");
        }
    }
    if (json_array_size(values) > 0) {
        item->made->values = json_incref(values);
    }
}

static void read_regex(struct item *item) {
    json_t *regex = view(item, "matchRegex", "string");
    struct fx_err err = FX_ERR_INIT;
    item->made->pattern = json_incref(regex);
    if (regex != NULL &&
        !fx_regex_compile(fx_tree_text(regex), &item->made->regex, &err)) {
        (void)fx_err_prefix(&err, "error parsing regexp: ");
        fx_reading_compile_fault(item->reading, regex, name(item, "matchRegex"), &err);
    }
}

static void warn_idle(struct item *item, const char *idle, const char *counts) {
    const json_t *node = fx_reading_view(item->node, idle);
    if (!fx_compilation_warn(item->reading->compilation, node,
                             "%s is ignored because of `%s`", name(item, idle), counts)) {
        item->reading->is_out_of_memory = true;
    }
}

/* The first one given counts (section 4). */
static void warn_of_tests(struct item *item) {
    const struct match_item *made = item->made;
    if (made->value != NULL && made->values != NULL) {
        warn_idle(item, "matchValues", "matchValue");
    }
    if (made->regex != NULL && (made->value != NULL || made->values != NULL)) {
        warn_idle(item, "matchRegex", made->value != NULL ? "matchValue" : "matchValues");
    }
}

static void read_item(struct item *item) {
    if (!json_is_object(item->node)) {
        fx_reading_fault(item->reading, item->node, item->node, item->path, NULL,
                         "%s in body must be of type object", item->path);
        return;
    }
    read_select(item);
    read_match_for(item);
    item->made->value = json_incref(view(item, "matchValue", "string"));
    read_values(item);
    read_regex(item);
    item->made->negate = json_is_true(view(item, "negate", "boolean"));
    warn_of_tests(item);
    fx_reading_warn_unknown(item->reading, item->node, item->path, item_fields);
}

static bool make_items(struct modrule *rule, const json_t *list) {
    rule->items = calloc(json_array_size(list), sizeof *rule->items);
    return rule->items != NULL;
}

void fx_reading_match(struct reading *reading, const json_t *spec, struct modrule *rule) {
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
    if (!make_items(rule, list)) {
        reading->is_out_of_memory = true;
        return;
    }
    size_t index = 0;
    const json_t *node = NULL;
    json_array_foreach (list, index, node) {
        char path[48];
        (void)snprintf(path, sizeof path, "spec.match[%zu]", index);
        struct item item = {
            .reading = reading,
            .node = node,
            .path = path,
            .made = &rule->items[rule->n_items++],
        };
        item.made->criterion = strdup(path + strlen("spec."));
        reading->is_out_of_memory =
            reading->is_out_of_memory || item.made->criterion == NULL;
        read_item(&item);
    }
}
