/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/explain.c - why a rule does not match: the required value, in the
 * operators of KubeMod's language, and the value of the object.
 *
 *   $.metadata.labels.app == "web"                     "api"
 *   all of $.spec.containers[*].image =~ ^example\.com/  ["nginx","example.com/a"]
 *   $.spec.replicas > 3                                $.spec.replicas is 1
 */
#include "mutators/kubemod/modrule.h"

#include <string.h>

#include "value/go_text.h"
#include "value/json.h"
#include "value/tree.h"

#define FOUND_BYTES 160u /* the most bytes of one value of the object */
#define MOST_PATHS  4u   /* the most paths of one expression */

/* ---- the required values ---------------------------------------------------------- */

static void add_values(struct fx_buf *buf, const json_t *values) {
    for (size_t i = 0; i < json_array_size(values); i++) {
        fx_buf_str(buf, i == 0 ? "" : ", ");
        fx_text_quote_go(buf, fx_tree_text(json_array_get(values, i)));
    }
}

static void add_test(struct fx_buf *buf, const struct match_item *item) {
    if (item->value != NULL) {
        fx_buf_str(buf, " == ");
        fx_text_quote_go(buf, fx_tree_text(item->value));
    } else if (item->values != NULL) {
        fx_buf_str(buf, " in [");
        add_values(buf, item->values);
        fx_buf_char(buf, ']');
    } else if (item->regex != NULL) {
        fx_buf_str(buf, " =~ ");
        fx_buf_text(buf, fx_tree_text(item->pattern));
    }
}

static void add_item(struct fx_buf *buf, const struct match_item *item) {
    fx_buf_str(buf, item->negate ? "not " : "");
    fx_buf_str(buf, item->for_all ? "all of " : "");
    fx_jsonpath_print(buf, item->select);
    add_test(buf, item);
}

/* ---- the values of the object ----------------------------------------------------- */

static void add_cut(struct fx_buf *buf, const struct fx_buf *whole) {
    const size_t len = whole->len <= FOUND_BYTES
                           ? whole->len
                           : fx_text_rune_floor(whole->data, FOUND_BYTES);
    fx_buf_add(buf, whole->data, len);
    fx_buf_str(buf, len < whole->len ? "…" : "");
    fx_buf_fail_as(buf, whole);
}

/* Appends the text of a number, with which it is compared. It may differ from the JSON
 * form: 1e+06. */
static void add_text_form(struct fx_buf *buf, json_t *value) {
    struct fx_buf text;
    struct fx_buf form;
    fx_buf_init(&text, 0);
    fx_buf_init(&form, 0);
    fx_json_write(&text, value, FX_JSON_COMPACT);
    fx_go_text_add(&form, value, FX_GO_DOUBLES);
    if (!fx_text_equal(fx_buf_view(&text), fx_buf_view(&form))) {
        fx_buf_str(buf, ", which counts as ");
        add_cut(buf, &form);
    }
    fx_buf_fail_as(buf, &text);
    fx_buf_finish(&text);
    fx_buf_finish(&form);
}

static void add_value(struct fx_buf *buf, json_t *value) {
    struct fx_buf whole;
    fx_buf_init(&whole, 0);
    fx_json_write(&whole, value, FX_JSON_COMPACT);
    add_cut(buf, &whole);
    fx_buf_finish(&whole);
}

/* Appends the entries that are not undefined. */
static void add_list(struct fx_buf *buf, const struct fx_jsonpath_result *result) {
    struct fx_buf whole;
    size_t count = 0;
    fx_buf_init(&whole, 0);
    for (size_t i = 0; i < result->n_values && whole.len <= FOUND_BYTES; i++) {
        if (result->values[i] != NULL) {
            fx_buf_str(&whole, count++ == 0 ? "[" : ",");
            fx_json_write(&whole, result->values[i], FX_JSON_COMPACT);
        }
    }
    fx_buf_str(&whole, count == 0 ? "nothing" : "]");
    add_cut(buf, &whole);
    fx_buf_finish(&whole);
}

/* Appends the result of the expression; false if it fails. */
static bool add_result(struct fx_buf *buf, const struct fx_jsonpath *select, json_t *root,
                       bool compares) {
    struct fx_jsonpath_result result = {0};
    struct fx_err err = FX_ERR_INIT;
    if (!fx_jsonpath_eval(select, root, &result, &err)) {
        fx_buf_printf(buf, "an error: %s", err.msg);
        return false;
    }
    switch (result.shape) {
    case FX_JSONPATH_UNDEFINED: fx_buf_str(buf, "nothing"); break;
    case FX_JSONPATH_LIST: add_list(buf, &result); break;
    case FX_JSONPATH_VALUE:
        add_value(buf, result.values[0]);
        if (compares && json_is_number(result.values[0])) {
            add_text_form(buf, result.values[0]);
        }
        break;
    }
    fx_jsonpath_result_finish(&result);
    return true;
}

/* The paths of an expression, and the value of each. */
struct paths {
    struct fx_buf *buf;
    json_t *root;
    size_t count;
};

static void add_path(void *user, const struct fx_jsonpath *part) {
    struct paths *paths = user;
    if (paths->count < MOST_PATHS) {
        fx_buf_str(paths->buf, paths->count == 0 ? "" : ", ");
        fx_jsonpath_print(paths->buf, part);
        fx_buf_str(paths->buf, " is ");
        (void)add_result(paths->buf, part, paths->root, false);
    }
    paths->count++;
}

static void add_found(struct fx_buf *buf, const struct match_item *item, json_t *root) {
    const bool compares = fx_match_item_tests(item);
    if (fx_jsonpath_is_path(item->select)) {
        (void)add_result(buf, item->select, root, compares);
        return;
    }
    if (!add_result(buf, item->select, root, compares)) {
        return;
    }
    struct fx_buf list;
    fx_buf_init(&list, 0);
    struct paths paths = {.buf = &list, .root = root};
    fx_jsonpath_paths(item->select, add_path, &paths);
    if (paths.count > 0) {
        fx_buf_str(buf, ", as ");
        fx_buf_text(buf, fx_buf_view(&list));
        fx_buf_str(buf, paths.count > MOST_PATHS ? ", …" : "");
    }
    fx_buf_fail_as(buf, &list);
    fx_buf_finish(&list);
}

/* ---- the criteria before the items ----------------------------------------------- */

static void add_operations(struct fx_buf *buf, unsigned operations) {
    static const enum fx_operation all[] = {FX_OPERATION_CREATE, FX_OPERATION_UPDATE,
                                            FX_OPERATION_DELETE};
    size_t count = 0;
    for (size_t i = 0; i < FX_COUNT(all); i++) {
        if ((operations & FX_OPERATION_BIT(all[i])) != 0) {
            fx_buf_str(buf, count++ == 0 ? "" : ", ");
            fx_buf_str(buf, fx_operation_name(all[i]));
        }
    }
}

static void add_namespace_wanted(struct fx_buf *buf, const struct modrule *rule) {
    if (!rule->is_cluster) {
        fx_buf_str(buf, rule->head.namespace_);
    } else if (rule->target == NULL) {
        fx_buf_str(buf, "none, so only cluster-scoped objects");
    } else {
        fx_buf_text(buf, fx_tree_text(rule->target_pattern));
    }
}

static void add_namespace_found(struct fx_buf *buf, struct fx_text namespace_) {
    if (namespace_.len == 0) {
        fx_buf_str(buf, "an object in no namespace");
    } else {
        fx_buf_str(buf, "namespace ");
        fx_buf_text(buf, namespace_);
    }
}

static const struct match_item *find_item(const struct modrule *rule,
                                          const char *criterion) {
    for (size_t i = 0; i < rule->n_items; i++) {
        if (strcmp(rule->items[i].criterion, criterion) == 0) {
            return &rule->items[i];
        }
    }
    return NULL;
}

/* The ranks of the criteria. The items come first, because they are checked last. The
 * other numbers are higher than those of the dialects that check more criteria than
 * KubeMod before an object's content. */
enum { RANK_ITEM = 0, RANK_TARGET = 100, RANK_NAMESPACE, RANK_OPERATIONS, RANK_IGNORE };

void fx_modrule_explain(const struct fx_mutator *self, const char *criterion,
                        struct fx_criterion *ret_criterion) {
    const struct modrule *rule = (const struct modrule *)self;
    const struct match_item *item = find_item(rule, criterion);
    fx_buf_str(&ret_criterion->field, criterion);
    ret_criterion->asks_namespace = true; /* items may read the Namespace, too */
    if (item != NULL) {
        ret_criterion->rank = RANK_ITEM;
        add_item(&ret_criterion->wanted, item);
    } else if (strcmp(criterion, MODRULE_OPERATIONS) == 0) {
        ret_criterion->rank = RANK_OPERATIONS;
        add_operations(&ret_criterion->wanted, rule->operations);
    } else if (strcmp(criterion, MODRULE_IGNORE) == 0) {
        ret_criterion->rank = RANK_IGNORE;
    } else {
        ret_criterion->rank = rule->is_cluster ? RANK_TARGET : RANK_NAMESPACE;
        ret_criterion->needs_namespace = true;
        add_namespace_wanted(&ret_criterion->wanted, rule);
    }
}

void fx_modrule_found(const struct fx_mutator *self, const struct fx_request *request,
                      const struct fx_subject *subject, const char *criterion,
                      struct fx_buf *found) {
    const struct modrule *rule = (const struct modrule *)self;
    const struct match_item *item = find_item(rule, criterion);
    if (item != NULL) {
        add_found(found, item, fx_modrule_object(subject));
    } else if (strcmp(criterion, MODRULE_OPERATIONS) == 0) {
        fx_buf_str(found, fx_operation_name(request->operation));
    } else if (strcmp(criterion, MODRULE_IGNORE) == 0) {
        fx_buf_str(found, "\"true\" on the Namespace");
    } else {
        add_namespace_found(found, fx_modrule_namespace(request, subject));
    }
}
