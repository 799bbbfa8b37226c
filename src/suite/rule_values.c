/* SPDX-License-Identifier: Apache-2.0
 *
 * suite/rule_values.c - reads the values of variables and the user of a Test.
 */
#include <string.h>

#include "base/limits.h"
#include "suite/rule_results.h"
#include "value/tree.h"

static const char *const values_names[] = {
    "apiVersion",        "kind",       "metadata",     "globalValues", "policies",
    "namespaceSelector", "namespaces", "subresources", "variables",    NULL,
};
static const char *const policy_names[] = {"name", "rules", "resources", NULL};
static const char *const rule_names[] = {"name", "values", "foreachValues", NULL};
static const char *const object_names[] = {"name", "values", NULL};
static const char *const selector_names[] = {"name", "labels", NULL};
static const char *const user_names[] = {"apiVersion",   "kind",     "metadata", "roles",
                                         "clusterRoles", "userInfo", NULL};

/* ---- reading ----------------------------------------------------------------------- */

static void check_object(const struct fx_suite_fields *fields, const char *key) {
    json_t *value = fx_suite_fields_get(fields, key);
    if (value != NULL && !json_is_object(value)) {
        fx_suite_fields_fail(fields, key, value, "must be an object, not %s",
                             fx_suite_fields_type(value));
    }
}

static void warn_if_given(const struct fx_suite_fields *fields, const char *key) {
    if (fx_suite_fields_get(fields, key) != NULL) {
        fx_suite_fields_warn(fields, key, "this field is not read");
    }
}

/* Checks a list of objects with a name and an object in the field `key`. */
static void check_named(const struct fx_suite_fields *fields, const char *list_key,
                        const char *const *names, const char *key) {
    const json_t *list = fx_suite_fields_list(fields, list_key);
    struct fx_suite_fields below;
    for (size_t i = 0; fx_suite_fields_next(fields, list_key, list, &i, &below);) {
        fx_suite_fields_check_names(&below, names);
        check_object(&below, key);
        warn_if_given(&below, "foreachValues");
        if (fx_suite_fields_string(&below, "name") == NULL &&
            fx_suite_fields_get(&below, "name") == NULL) {
            fx_suite_fields_fail(&below, NULL, NULL, "expected `name`");
        }
    }
}

static void check_values(const struct fx_suite_fields *fields) {
    fx_suite_fields_check_names(fields, values_names);
    check_object(fields, "globalValues");
    warn_if_given(fields, "subresources");
    warn_if_given(fields, "variables");
    check_named(fields, "namespaceSelector", selector_names, "labels");
    (void)fx_suite_fields_list(fields, "namespaces");
    const json_t *list = fx_suite_fields_list(fields, "policies");
    struct fx_suite_fields below;
    for (size_t i = 0; fx_suite_fields_next(fields, "policies", list, &i, &below);) {
        fx_suite_fields_check_names(&below, policy_names);
        (void)fx_suite_fields_string(&below, "name");
        check_named(&below, "rules", rule_names, "values");
        check_named(&below, "resources", object_names, "values");
    }
}

static void check_user(const struct fx_suite_fields *fields) {
    fx_suite_fields_check_names(fields, user_names);
    size_t count = 0;
    (void)fx_suite_fields_strings(fields, "roles", &count);
    (void)fx_suite_fields_strings(fields, "clusterRoles", &count);
    check_object(fields, "userInfo");
}

/* The object in the text of the file. NULL if that is invalid, which is reported, or
 * without memory. */
static json_t *read_document(struct fx_suite_reader *reader, struct fx_err *fault,
                             void (*check)(const struct fx_suite_fields *fields)) {
    const struct fx_suite_source *source = reader->source;
    const struct fx_documents *documents = &source->documents;
    const struct fx_suite_text text = {.file = source->file,
                                       .text = {source->text.data, source->text.len}};
    if (fault->code == FX_OK &&
        (documents->n_items != 1 || !json_is_object(documents->items[0].root))) {
        (void)fx_fail(fault, FX_EINVALID, "expected one object in this file");
    }
    if (fault->code != FX_OK) {
        struct fx_err err = FX_ERR_INIT;
        reader->nomem =
            !fx_suites_keep_fault(reader->suites, &text, fault, &reader->fault, &err);
        return NULL;
    }
    json_t *root = documents->items[0].root;
    const struct fx_suite_fields fields = fx_suite_fields_document(reader, root);
    check(&fields);
    fx_suite_fields_report_rest(&fields);
    return reader->fault.reason == NULL && !reader->nomem ? root : NULL;
}

static bool keep_bad(const struct fx_suite_reading *reading,
                     const struct fx_suite_fault *fault) {
    *reading->bad = (struct fx_suite_bad_file){strdup(fault->file), strdup(fault->reason),
                                               fault->line};
    return (reading->bad->file != NULL && reading->bad->reason != NULL) ||
           fx_fail_nomem(reading->err);
}

/* Reads the file, and stores its object in *ret_object. */
static bool read_file(struct fx_rule_values *values, const struct fx_suite_path *path,
                      const struct fx_suite_source *named_by,
                      const struct fx_suite_reading *reading,
                      void (*check)(const struct fx_suite_fields *fields),
                      const json_t **ret_object) {
    if (path->path == NULL || reading->bad->reason != NULL) {
        return true;
    }
    struct fx_buf text = {0};
    const bool ok = fx_suite_read_text(reading, path, named_by, &text);
    if (!ok || reading->bad->reason != NULL) {
        fx_buf_finish(&text);
        return ok;
    }
    struct fx_err fault = FX_ERR_INIT;
    struct fx_suite_reader reader = {.suites = &values->files, .strict = true};
    reader.source = fx_suites_new_source(&values->files, path->path, &text, &fault);
    if (reader.source == NULL) {
        return fx_fail_nomem(reading->err);
    }
    *ret_object = read_document(&reader, &fault, check);
    if (reader.nomem) {
        return fx_fail_nomem(reading->err);
    }
    return *ret_object != NULL || keep_bad(reading, &reader.fault);
}

bool fx_rule_values_read(const struct fx_rule_inputs *inputs,
                         const struct fx_suite_reading *reading,
                         struct fx_rule_values *ret_values) {
    fx_suites_init(&ret_values->files, reading->host);
    ret_values->specs[1] = inputs->inline_values;
    return read_file(ret_values, &inputs->values, inputs->source, reading, check_values,
                     &ret_values->specs[0]) &&
           read_file(ret_values, &inputs->user, inputs->source, reading, check_user,
                     &ret_values->user_info);
}

void fx_rule_values_finish(struct fx_rule_values *values) {
    if (values == NULL) {
        return;
    }
    fx_suites_finish(&values->files);
    *values = (struct fx_rule_values){.specs = {NULL}};
}

/* ---- values of variables ----------------------------------------------------------- */

/* Adds the value at the path, whose keys are separated by dots. */
static bool set_value(json_t *root, struct fx_text path, json_t *value) {
    for (;;) {
        const char *dot = memchr(path.data, '.', path.len);
        if (dot == NULL) {
            return fx_tree_set_take(root, path, json_incref(value));
        }
        const struct fx_text key = {path.data, (size_t)(dot - path.data)};
        if (!json_is_object(fx_tree_view_text(root, key)) &&
            !fx_tree_set_take(root, key, json_object())) {
            return false;
        }
        root = fx_tree_own_key(root, key);
        if (root == NULL) {
            return false;
        }
        path = (struct fx_text){dot + 1, path.len - key.len - 1};
    }
}

static bool add_values(json_t *root, const json_t *values) {
    for (void *iter = json_is_object(values) ? fx_node_first(values) : NULL; iter != NULL;
         iter = fx_node_next(values, iter)) {
        if (!set_value(root, fx_node_key(iter), json_object_iter_value(iter))) {
            return false;
        }
    }
    return true;
}

/* Adds the values of the items with the name; with `others`, of those without it. */
static bool add_named_values(json_t *root, const json_t *list, struct fx_text name,
                             bool others) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const bool is_named = fx_text_equal(fx_tree_view_string(item, "name"), name);
        if (is_named != others && !add_values(root, fx_tree_view_key(item, "values"))) {
            return false;
        }
    }
    return true;
}

static bool add_policy_values(json_t *root, const json_t *policy, struct fx_text rule,
                              const json_t *object) {
    const json_t *rules = fx_tree_view_key(policy, "rules");
    const json_t *objects = fx_tree_view_key(policy, "resources");
    const struct fx_text name =
        fx_tree_view_string(fx_tree_view_key(object, "metadata"), "name");
    return add_named_values(root, rules, rule, true) &&
           add_named_values(root, rules, rule, false) &&
           add_named_values(root, objects, name, false);
}

static bool add_spec(json_t *root, const json_t *spec, struct fx_text policy,
                     struct fx_text rule, const json_t *object) {
    bool ok = add_values(root, fx_tree_view_key(spec, "globalValues"));
    const json_t *policies = fx_tree_view_key(spec, "policies");
    for (size_t i = 0; ok && i < json_array_size(policies); i++) {
        const json_t *item = json_array_get(policies, i);
        if (fx_text_equal(fx_tree_view_string(item, "name"), policy)) {
            ok = add_policy_values(root, item, rule, object);
        }
    }
    return ok;
}

json_t *fx_rule_values_of(const struct fx_rule_values *values, struct fx_text policy,
                          struct fx_text rule, const json_t *object) {
    json_t *root = json_object();
    bool ok = root != NULL;
    for (size_t i = 0; ok && i < FX_COUNT(values->specs); i++) {
        ok = add_spec(root, values->specs[i], policy, rule, object);
    }
    return fx_tree_keep_if(ok, root);
}

/* ---- namespaces -------------------------------------------------------------------- */

/* A Namespace with the name, and with the labels if they are an object. */
static json_t *new_namespace(struct fx_text name, json_t *labels) {
    json_t *metadata = json_object();
    json_t *made = json_pack("{s:s,s:s,s:o}", "apiVersion", "v1", "kind", "Namespace",
                             "metadata", metadata);
    const bool ok =
        made != NULL &&
        fx_tree_set_take(metadata, FX_TEXT("name"), fx_tree_new_string(name)) &&
        (!json_is_object(labels) ||
         fx_tree_set_take(metadata, FX_TEXT("labels"), json_incref(labels)));
    return fx_tree_keep_if(ok, made);
}

static bool add_selected(const json_t *list, struct fx_namespaces *namespaces) {
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        json_t *made = new_namespace(fx_tree_view_string(item, "name"),
                                     fx_tree_view_key(item, "labels"));
        ok = made != NULL && fx_namespaces_add(namespaces, made);
        json_decref(made);
    }
    return ok;
}

static bool add_given(const json_t *list, struct fx_namespaces *namespaces) {
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(list); i++) {
        json_t *item = json_array_get(list, i);
        ok = !fx_namespaces_can_hold(item) || fx_namespaces_add(namespaces, item);
    }
    return ok;
}

bool fx_rule_values_add_namespaces(const struct fx_rule_values *values,
                                   struct fx_namespaces *namespaces) {
    bool ok = true;
    for (size_t i = 0; ok && i < FX_COUNT(values->specs); i++) {
        const json_t *spec = values->specs[i];
        ok = add_given(fx_tree_view_key(spec, "namespaces"), namespaces) &&
             add_selected(fx_tree_view_key(spec, "namespaceSelector"), namespaces);
    }
    return ok;
}
