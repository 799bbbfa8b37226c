/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_words.c - a value, and what a policy asks for, in a line.
 */
#include "cli/explain_words.h"

#include <string.h>

#include "base/text.h"
#include "engine/policy_text.h"
#include "value/json.h"
#include "value/tree.h"
#include "value/yaml.h"

/* ---- values ---------------------------------------------------------------------- */

static json_t *words_of(const struct fx_placeholder *placeholder) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    fx_buf_str(&buf, "<value of provider ");
    fx_text_quote_go(&buf, placeholder->external->provider);
    fx_buf_str(&buf, " for ");
    fx_text_quote_go(&buf, placeholder->key);
    fx_buf_char(&buf, '>');
    json_t *words =
        buf.failed ? NULL : fx_tree_new_string((struct fx_text){buf.data, buf.len});
    fx_buf_finish(&buf);
    return words;
}

json_t *fx_words_reveal(const struct fx_placeholders *placeholders, json_t *value) {
    return fx_placeholders_reveal(placeholders, value, words_of);
}

static bool has_line_end(struct fx_text text) {
    return text.len > 0 && memchr(text.data, '\n', text.len) != NULL;
}

void fx_words_value(struct fx_buf *buf, const json_t *value) {
    if (value == NULL) {
        fx_buf_str(buf, "(absent)");
    } else if (json_is_object(value) || json_is_array(value) ||
               has_line_end(fx_tree_text(value))) {
        fx_json_write(buf, value, FX_JSON_COMPACT);
    } else {
        fx_yaml_write(buf, value);
        if (!buf->failed && buf->len > 0 && buf->data[buf->len - 1] == '\n') {
            buf->len--; /* a scalar ends its document's only line */
            buf->data[buf->len] = '\0';
        }
    }
}

/* Appends what stands before the second, third and later of several things. */
static void part(struct fx_buf *buf, size_t index, const char *separator) {
    fx_buf_str(buf, index > 0 ? separator : "");
}

/* A text as it stands, where only a text makes sense. */
static void add_name(struct fx_buf *buf, const json_t *value) {
    if (json_is_string(value)) {
        fx_buf_text(buf, fx_tree_text(value));
    } else {
        fx_words_value(buf, value);
    }
}

static void add_list(struct fx_buf *buf, const json_t *list, const char *separator) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        part(buf, i, separator);
        add_name(buf, json_array_get(list, i));
    }
}

static void add_text(struct fx_buf *buf, const json_t *object, const char *key) {
    fx_buf_text(buf, fx_tree_view_string(object, key));
}

/* ---- criteria -------------------------------------------------------------------- */

/* Is it only the core group, which has no name? */
static bool is_core(const json_t *groups) {
    return json_array_size(groups) == 1 &&
           fx_tree_text(json_array_get(groups, 0)).len == 0;
}

/* "apps/v1 Deployment, StatefulSet under CREATE" */
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

/* "Deployment, StatefulSet of apps" */
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

/* "spec.securityContext MustNotExist" */
static void add_path_test(struct fx_buf *buf, const json_t *entry) {
    add_text(buf, entry, "subPath");
    fx_buf_char(buf, ' ');
    add_text(buf, entry, "condition");
}

/* "spec.priority In (1, 2)" */
static void add_condition(struct fx_buf *buf, const json_t *entry) {
    const json_t *values = fx_tree_view_key(entry, "values");
    add_text(buf, entry, "location");
    fx_buf_char(buf, ' ');
    add_text(buf, entry, "operator");
    for (size_t i = 0; i < json_array_size(values); i++) {
        fx_buf_str(buf, i == 0 ? " (" : ", ");
        fx_words_value(buf, json_array_get(values, i));
    }
    fx_buf_str(buf, json_array_size(values) > 0 ? ")" : "");
}

/* "tier in (a, b)", as kubectl writes requirements */
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

/* "app=web, tier in (a, b)" */
static void add_selector(struct fx_buf *buf, json_t *selector) {
    json_t *labels = fx_tree_view_key(selector, "matchLabels");
    const json_t *requirements = fx_tree_view_key(selector, "matchExpressions");
    size_t count = 0;
    for (void *iter = json_object_iter(labels); iter != NULL;
         iter = json_object_iter_next(labels, iter)) {
        part(buf, count++, ", ");
        fx_buf_add(buf, json_object_iter_key(iter), json_object_iter_key_len(iter));
        fx_buf_char(buf, '=');
        add_name(buf, json_object_iter_value(iter));
    }
    for (size_t i = 0; i < json_array_size(requirements); i++) {
        part(buf, count++, ", ");
        add_requirement(buf, json_array_get(requirements, i));
    }
}

/* The criteria that are more than a text or a list of them: how the whole is written, or
 * each entry of the list. */
static const struct {
    const char *criterion;
    void (*add)(struct fx_buf *buf, json_t *value);
    void (*add_entry)(struct fx_buf *buf, const json_t *entry);
} forms[] = {
    {"applyTo", NULL, add_binding},
    {"kinds", NULL, add_kinds},
    {"pathTests", NULL, add_path_test},
    {"conditions", NULL, add_condition},
    {"labelSelector", add_selector, NULL},
    {"annotationSelector", add_selector, NULL},
    {"namespaceSelector", add_selector, NULL},
};

static void add_criterion(struct fx_buf *buf, const char *criterion, json_t *value) {
    size_t at = 0;
    while (at < FX_COUNT(forms) && strcmp(forms[at].criterion, criterion) != 0) {
        at++;
    }
    if (at < FX_COUNT(forms) && forms[at].add != NULL) {
        forms[at].add(buf, value);
        return;
    }
    if (!json_is_array(value)) {
        add_name(buf, value);
        return;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        part(buf, i, at < FX_COUNT(forms) ? "; " : ", ");
        if (at < FX_COUNT(forms)) {
            forms[at].add_entry(buf, json_array_get(value, i));
        } else {
            add_name(buf, json_array_get(value, i));
        }
    }
}

/* The value in the policy, a new reference, and the words for the way to it; or NULL. */
static json_t *find(const struct fx_mutator *mutator, const char *criterion,
                    const char **ret_way) {
    static const char *const ways[] = {"match", "parameters"};
    json_t *policy = fx_policy_text_read(mutator->policy);
    json_t *spec = fx_tree_view_key(policy, "spec");
    json_t *value = NULL;
    *ret_way = NULL;
    for (size_t i = 0; value == NULL && i < FX_COUNT(ways); i++) {
        value = fx_tree_view_key(fx_tree_view_key(spec, ways[i]), criterion);
        *ret_way = value != NULL ? ways[i] : NULL;
    }
    value = json_incref(value != NULL ? value : fx_tree_view_key(spec, criterion));
    json_decref(policy);
    return value;
}

void fx_words_place(struct fx_buf *buf, const struct fx_mutator *mutator,
                    const char *criterion) {
    const char *way = NULL;
    json_decref(find(mutator, criterion, &way));
    if (way != NULL) {
        fx_buf_printf(buf, "%s.", way);
    }
    fx_buf_str(buf, criterion);
}

void fx_words_criterion(struct fx_buf *buf, const struct fx_mutator *mutator,
                        const char *criterion) {
    const char *way = NULL;
    json_t *value = find(mutator, criterion, &way);
    if (value != NULL) {
        add_criterion(buf, criterion, value);
    }
    json_decref(value);
}
