/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/selector.c - label selectors, compiled into requirements that must all be true:
 * each is a key, an operator and values (apimachinery, LabelSelectorAsSelector).
 */
#include "engine/selector.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/unmarshal.h"
#include "value/tree.h"

/* ---- the rules of label keys and values -------------------------------------------- */

/* The messages of apimachinery (k8s.io/apimachinery 0.36, pkg/api/validate/content:
 * IsLabelKey, IsLabelValue; pkg/api/validation: ValidateAnnotations). Each check appends
 * a message for each rule that the text violates, with "; " between them; nothing if the
 * text is valid. */

#define NAME_MAX_BYTES   63u
#define PREFIX_MAX_BYTES 253u

#define NAME_RULE                                                                   \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and " \
    "end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "        \
    "'123-abc', regex used for validation is "                                      \
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define VALUE_RULE                                                                  \
    "a valid label must be an empty string or consist of alphanumeric characters, " \
    "'-', '_' or '.', and must start and end with an alphanumeric character "       \
    "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "   \
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define PREFIX_RULE                                                                  \
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "        \
    "characters, '-' or '.', and must start and end with an alphanumeric character " \
    "(e.g. 'example.com', regex used for validation is "                             \
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

static bool is_lower_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alphanumeric(char c) {
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

/* ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9] */
static bool is_name(struct fx_text text) {
    if (text.len == 0 || !is_alphanumeric(text.data[0]) ||
        !is_alphanumeric(text.data[text.len - 1])) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.') {
            return false;
        }
    }
    return true;
}

/* label ('.' label)*, label := [a-z0-9]([-a-z0-9]*[a-z0-9])?: a letter or digit is at
 * both ends and on both sides of every dot. */
static bool is_subdomain(struct fx_text text, bool (*is_part)(char c)) {
    bool may_end = false; /* the last character was a letter or digit */
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        const bool starts = i == 0 || text.data[i - 1] == '.';
        if (is_part(c)) {
            may_end = true;
        } else if ((c == '-' && !starts) || (c == '.' && may_end)) {
            may_end = false;
        } else {
            return false;
        }
    }
    return may_end;
}

static void complain(struct fx_buf *buf, size_t start, const char *about,
                     const char *message) {
    fx_buf_str(buf, buf->len > start ? "; " : "");
    fx_buf_str(buf, about);
    fx_buf_str(buf, message);
}

static void complain_length(struct fx_buf *buf, size_t start, const char *about,
                            unsigned max) {
    complain(buf, start, about, "must be no more than ");
    fx_buf_printf(buf, "%u bytes", max);
}

static void check_prefix(struct fx_buf *buf, size_t start, struct fx_text prefix,
                         bool (*is_part)(char c)) {
    if (prefix.len == 0) {
        complain(buf, start, "prefix part ", "must be non-empty");
        return;
    }
    if (prefix.len > PREFIX_MAX_BYTES) {
        complain_length(buf, start, "prefix part ", PREFIX_MAX_BYTES);
    }
    if (!is_subdomain(prefix, is_part)) {
        complain(buf, start, "prefix part ", PREFIX_RULE);
    }
}

/* Checks a key. `is_part` tells which characters besides hyphens and dots a prefix may
 * have. */
static void check_key_with(struct fx_buf *buf, struct fx_text key,
                           bool (*is_part)(char c)) {
    const size_t start = buf->len;
    struct fx_text name = key;
    const char *slash = key.len == 0 ? NULL : memchr(key.data, '/', key.len);
    if (slash != NULL) {
        const size_t at = (size_t)(slash - key.data);
        name = (struct fx_text){slash + 1, key.len - at - 1};
        if (fx_text_contains(name, FX_TEXT("/"))) {
            complain(buf, start, "a valid label key ",
                     NAME_RULE " with an optional DNS subdomain prefix and '/' "
                               "(e.g. 'example.com/MyName')");
            return;
        }
        check_prefix(buf, start, (struct fx_text){key.data, at}, is_part);
    }
    if (name.len == 0) {
        complain(buf, start, "name part ", "must be non-empty");
    } else if (name.len > NAME_MAX_BYTES) {
        complain_length(buf, start, "name part ", NAME_MAX_BYTES);
    }
    if (!is_name(name)) {
        complain(buf, start, "name part ", NAME_RULE);
    }
}

void fx_label_key_check(struct fx_buf *buf, struct fx_text key) {
    check_key_with(buf, key, is_lower_or_digit);
}

static void annotation_key_check(struct fx_buf *buf, struct fx_text key) {
    check_key_with(buf, key, is_alphanumeric);
}

static void label_value_check(struct fx_buf *buf, struct fx_text value) {
    const size_t start = buf->len;
    if (value.len > NAME_MAX_BYTES) {
        complain_length(buf, start, "", NAME_MAX_BYTES);
    }
    if (value.len > 0 && !is_name(value)) {
        complain(buf, start, "", VALUE_RULE);
    }
}

/* ---- selectors --------------------------------------------------------------------- */

#define OPERATORS(X)    \
    X(IN, "In")         \
    X(NOT_IN, "NotIn")  \
    X(EXISTS, "Exists") \
    X(DOES_NOT_EXIST, "DoesNotExist")

enum operator{
#define X(name, text) OPERATOR_##name,
    OPERATORS(X)
#undef X
        OPERATOR_UNKNOWN,
};

static const char *const operator_names[] = {
#define X(name, text) [OPERATOR_##name] = text,
    OPERATORS(X)
#undef X
};

struct requirement {
    struct fx_text key, operator_text;
    enum operator operator;
    struct fx_text_list values;
};

struct fx_selector {
    enum fx_selector_over over;
    json_t *labels, *expressions; /* counted; texts are borrowed from them */
    struct requirement *requirements;
    size_t n_requirements;
    char *error;              /* why Kubernetes rejects it; NULL if it does not */
    const json_t *error_node; /* the invalid part of one of the above */
};

#define PATH_BYTES 128

void fx_selector_destroy(struct fx_selector *selector) {
    if (selector == NULL) {
        return;
    }
    for (size_t i = 0; i < selector->n_requirements; i++) {
        fx_text_list_finish(&selector->requirements[i].values);
    }
    free(selector->requirements);
    free(selector->error);
    json_decref(selector->labels);
    json_decref(selector->expressions);
    free(selector);
}

static enum operator parse_operator(struct fx_text text) {
    for (size_t i = 0; i < FX_COUNT(operator_names); i++) {
        if (fx_text_is(text, operator_names[i])) {
            return (enum operator)i;
        }
    }
    return OPERATOR_UNKNOWN;
}

/* Adds an entry of matchLabels: the label must have this value. */
static bool read_label(struct fx_text key, json_t *value, const char *path,
                       struct requirement *ret, struct fx_err *err) {
    const struct fx_go_field field = {"LabelSelector", path, "string"};
    json_t *text = NULL;
    if (!fx_unmarshal_string(value, &field, &text, err)) {
        return false;
    }
    struct fx_text *one = malloc(sizeof *one);
    if (one == NULL) {
        return fx_fail_nomem(err);
    }
    *one = text == NULL ? FX_TEXT("") : fx_tree_text(text);
    *ret = (struct requirement){
        .key = key, .operator= OPERATOR_IN, .values = {.items = one, .n_items = 1}};
    return true;
}

static bool read_labels(struct fx_selector *selector, const char *path,
                        struct fx_err *err) {
    const char *key = NULL;
    size_t key_len = 0;
    json_t *value = NULL;
    json_object_keylen_foreach(selector->labels, key, key_len, value) {
        if (!read_label((struct fx_text){key, key_len}, value, path,
                        &selector->requirements[selector->n_requirements], err)) {
            return false;
        }
        selector->n_requirements++;
    }
    return true;
}

/* Paths consist of constants and numbers, so they fit. */
static void join_path(char out[PATH_BYTES], const char *path, const char *field) {
    const int length = snprintf(out, PATH_BYTES, "%s.%s", path, field);
    assert(length > 0 && length < PATH_BYTES);
}

static bool read_expression_text(json_t *expression, const char *name, const char *path,
                                 const char *type, struct fx_text *ret_text,
                                 struct fx_err *err) {
    char field_path[PATH_BYTES];
    join_path(field_path, path, name);
    const struct fx_go_field field = {"LabelSelectorRequirement", field_path, type};
    json_t *text = NULL;
    if (!fx_unmarshal_string(fx_tree_view_key(expression, name), &field, &text, err)) {
        return false;
    }
    *ret_text = text == NULL ? FX_TEXT("") : fx_tree_text(text);
    return true;
}

/* Adds an entry of matchExpressions. */
static bool read_expression(json_t *node, const char *path, struct requirement *ret,
                            struct fx_err *err) {
    const struct fx_go_field whole = {"LabelSelector", path,
                                      "v1.LabelSelectorRequirement"};
    char values_path[PATH_BYTES];
    join_path(values_path, path, "values");
    const struct fx_go_field values = {"LabelSelectorRequirement", values_path,
                                       "[]string"};
    json_t *expression = NULL;
    struct requirement made = {0};
    if (!fx_unmarshal_object(node, &whole, &expression, err) ||
        !read_expression_text(expression, "key", path, "string", &made.key, err) ||
        !read_expression_text(expression, "operator", path, "v1.LabelSelectorOperator",
                              &made.operator_text, err) ||
        !fx_text_list_read(fx_tree_view_key(expression, "values"), &values, "string",
                           &made.values, err)) {
        return false;
    }
    made.operator= parse_operator(made.operator_text);
    *ret = made;
    return true;
}

static bool read_expressions(struct fx_selector *selector, const char *path,
                             struct fx_err *err) {
    for (size_t i = 0; i < json_array_size(selector->expressions); i++) {
        if (!read_expression(json_array_get(selector->expressions, i), path,
                             &selector->requirements[selector->n_requirements], err)) {
            return false;
        }
        selector->n_requirements++;
    }
    return true;
}

/* An aggregate of field errors, as Kubernetes prints it: several are in brackets. Each
 * error starts with begin_error(). */
struct complaints {
    enum fx_selector_over over;
    struct fx_buf buf;
    unsigned n;
};

static struct fx_buf *begin_error(struct complaints *complaints) {
    if (complaints->n++ > 0) {
        fx_buf_str(&complaints->buf, ", ");
    }
    return &complaints->buf;
}

static void check_key(struct complaints *complaints, struct fx_text key) {
    struct fx_buf message;
    fx_buf_init(&message, 0);
    if (complaints->over == FX_SELECTOR_OVER_LABELS) {
        fx_label_key_check(&message, key);
    } else {
        annotation_key_check(&message, key);
    }
    if (message.len > 0) {
        struct fx_buf *buf = begin_error(complaints);
        fx_buf_str(buf, "key: Invalid value: ");
        fx_text_quote_go(buf, key);
        fx_buf_str(buf, ": ");
        fx_buf_str(buf, message.data);
    }
    complaints->buf.failed |= message.failed;
    fx_buf_finish(&message);
}

static void check_value(struct complaints *complaints, struct fx_text key, size_t index,
                        struct fx_text value) {
    if (complaints->over == FX_SELECTOR_OVER_ANNOTATIONS) {
        return;
    }
    struct fx_buf message;
    fx_buf_init(&message, 0);
    label_value_check(&message, value);
    if (message.len > 0) {
        struct fx_buf *buf = begin_error(complaints);
        fx_buf_printf(buf, "values[%zu][%.*s]: Invalid value: ", index, FX_TEXT_ARG(key));
        fx_text_quote_go(buf, value);
        fx_buf_str(buf, ": ");
        fx_buf_str(buf, message.data);
    }
    complaints->buf.failed |= message.failed;
    fx_buf_finish(&message);
}

/* Checks the number of values: the operator needs some, or must have none. */
static void check_count(struct complaints *complaints,
                        const struct requirement *requirement) {
    const struct fx_text_list *values = &requirement->values;
    const bool wants_some =
        requirement->operator== OPERATOR_IN || requirement->operator== OPERATOR_NOT_IN;
    if (wants_some == (values->n_items > 0)) {
        return;
    }
    struct fx_buf *buf = begin_error(complaints);
    if (wants_some) {
        fx_buf_str(buf, "values: Invalid value: []string(nil): for 'in', 'notin' "
                        "operators, values set can't be empty");
        return;
    }
    fx_buf_str(buf, "values: Invalid value: []string{");
    for (size_t i = 0; i < values->n_items; i++) {
        fx_buf_str(buf, i > 0 ? ", " : "");
        fx_text_quote_go(buf, values->items[i]);
    }
    fx_buf_str(buf, "}: values set must be empty for exists and does not exist");
}

/* Appends the reason why Kubernetes rejects the requirement; nothing if it is valid. */
static void check_requirement(struct fx_buf *buf, const struct requirement *requirement,
                              enum fx_selector_over over) {
    if (requirement->operator== OPERATOR_UNKNOWN) {
        fx_text_quote_go(buf, requirement->operator_text);
        fx_buf_str(buf, " is not a valid label selector operator");
        return;
    }
    struct complaints complaints = {.over = over};
    fx_buf_init(&complaints.buf, 0);
    check_key(&complaints, requirement->key);
    check_count(&complaints, requirement);
    for (size_t i = 0; i < requirement->values.n_items; i++) {
        check_value(&complaints, requirement->key, i, requirement->values.items[i]);
    }
    if (complaints.n > 0) {
        fx_buf_str(buf, complaints.n > 1 ? "[" : "");
        fx_buf_add(buf, complaints.buf.data, complaints.buf.len);
        fx_buf_str(buf, complaints.n > 1 ? "]" : "");
    }
    buf->failed |= complaints.buf.failed;
    fx_buf_finish(&complaints.buf);
}

/* Returns the node of a requirement. Those of matchLabels come first. A null expression
 * has no node of its own. */
static const json_t *node_of(const struct fx_selector *selector, size_t requirement) {
    const size_t n_labels = json_object_size(selector->labels);
    if (requirement < n_labels) {
        return selector->labels;
    }
    const json_t *node = json_array_get(selector->expressions, requirement - n_labels);
    return json_is_object(node) ? node : selector->expressions;
}

/* Keeps the message of the first invalid requirement. */
static bool keep_error(struct fx_selector *selector, struct fx_err *err) {
    struct fx_buf buf;
    fx_buf_init(&buf, 0);
    for (size_t i = 0; i < selector->n_requirements && buf.len == 0; i++) {
        check_requirement(&buf, &selector->requirements[i], selector->over);
        selector->error_node = node_of(selector, i);
    }
    if (!buf.failed && buf.len == 0) {
        fx_buf_finish(&buf);
        return true;
    }
    selector->error = fx_buf_steal(&buf);
    fx_buf_finish(&buf);
    return selector->error != NULL || fx_fail_nomem(err);
}

static bool fill_selector(struct fx_selector *selector, json_t *node, const char *path,
                          struct fx_err *err) {
    char labels_path[PATH_BYTES];
    char expressions_path[PATH_BYTES];
    join_path(labels_path, path, "matchLabels");
    join_path(expressions_path, path, "matchExpressions");
    const struct fx_go_field labels_field = {"LabelSelector", labels_path,
                                             "map[string]string"};
    const struct fx_go_field expressions_field = {"LabelSelector", expressions_path,
                                                  "[]v1.LabelSelectorRequirement"};
    json_t *labels = NULL;
    json_t *expressions = NULL;
    if (!fx_unmarshal_object(fx_tree_view_key(node, "matchLabels"), &labels_field,
                             &labels, err) ||
        !fx_unmarshal_array(fx_tree_view_key(node, "matchExpressions"),
                            &expressions_field, &expressions, err)) {
        return false;
    }
    selector->labels = json_incref(labels);
    selector->expressions = json_incref(expressions);
    const size_t n = json_object_size(labels) + json_array_size(expressions);
    selector->requirements = calloc(n == 0 ? 1 : n, sizeof *selector->requirements);
    if (selector->requirements == NULL) {
        return fx_fail_nomem(err);
    }
    return read_labels(selector, labels_path, err) &&
           read_expressions(selector, expressions_path, err) && keep_error(selector, err);
}

bool fx_selector_compile(json_t *selector, const char *path, enum fx_selector_over over,
                         struct fx_selector **ret_selector, struct fx_err *err) {
    /* The owner is the struct of the field that has the selector: Match in the only
     * language that uses this function so far. */
    const struct fx_go_field field = {"Match", path, "v1.LabelSelector"};
    json_t *object = NULL;
    if (!fx_unmarshal_object(selector, &field, &object, err)) {
        return false;
    }
    struct fx_selector *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fx_fail_nomem(err);
    }
    made->over = over;
    if (!fill_selector(made, object, path, err)) {
        fx_selector_destroy(made);
        return false;
    }
    *ret_selector = made;
    return true;
}

/* apimachinery drops all labels if one is neither a string nor null. */
static bool are_labels(json_t *labels) {
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach (labels, key, value) {
        if (!json_is_string(value) && !json_is_null(value)) {
            return false;
        }
    }
    return true;
}

static bool holds(const struct requirement *requirement, const json_t *labels) {
    const json_t *value = fx_tree_view_text(labels, requirement->key);
    switch (requirement->operator) {
    case OPERATOR_IN:
        return value != NULL &&
               fx_text_list_has(&requirement->values, fx_tree_text(value));
    case OPERATOR_NOT_IN:
        return value == NULL ||
               !fx_text_list_has(&requirement->values, fx_tree_text(value));
    case OPERATOR_EXISTS: return value != NULL;
    case OPERATOR_DOES_NOT_EXIST: return value == NULL;
    case OPERATOR_UNKNOWN: break; /* has an error */
    }
    return false;
}

bool fx_selector_check(const struct fx_selector *selector, struct fx_err *err) {
    return selector->error == NULL ||
           fx_fail_in(err, selector->error_node, FX_EMUTATE, "%s", selector->error);
}

bool fx_selector_eval(const struct fx_selector *selector, json_t *labels, bool *ret_fits,
                      struct fx_err *err) {
    if (!fx_selector_check(selector, err)) {
        return false;
    }
    const json_t *usable =
        selector->n_requirements > 0 && are_labels(labels) ? labels : NULL;
    bool fits = true;
    for (size_t i = 0; i < selector->n_requirements && fits; i++) {
        fits = holds(&selector->requirements[i], usable);
    }
    *ret_fits = fits;
    return true;
}
