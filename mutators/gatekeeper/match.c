/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/match.c - spec.match. The criteria are evaluated in a fixed order:
 * if one does not hold, the later ones are not evaluated and cannot fail (spec section
 * 4).
 */
#include "mutators/gatekeeper/match.h"

#include <stdlib.h>

#include "base/budget.h"
#include "base/buf.h"
#include "engine/selector.h"
#include "mutators/gatekeeper/glob.h"
#include "mutators/gatekeeper/shape.h"
#include "value/tree.h"

/* A match with fewer values is not charged: each mutator is charged more than that
 * anyway. */
#define FREE_VALUES    32u
#define UNITS_OF_VALUE 2u

#define ERROR_PREFIX "failed to run Match criteria: "

struct kinds_entry {
    struct fx_text_list kinds, groups;
    bool any_kind, any_group;
};

enum scope { SCOPE_ANY, SCOPE_CLUSTER, SCOPE_NAMESPACED };

/* The criteria in the order of evaluation (spec section 4). ANNOTATION_SELECTOR is
 * Fixpoint's own; its position keeps the errors of the others as they are in Gatekeeper.
 */
enum match_criterion {
    KINDS,
    SCOPE,
    NAMESPACES,
    EXCLUDED_NAMESPACES,
    LABEL_SELECTOR,
    NAMESPACE_SELECTOR,
    ANNOTATION_SELECTOR,
    NAME,
    SOURCE,
    N_CRITERIA,
};

struct fx_match {
    enum match_criterion
        used[N_CRITERIA]; /* the criteria that the policy names, in order */
    size_t n_used;
    struct kinds_entry *kinds;
    size_t n_kinds;
    enum scope scope;
    struct fx_text_list namespaces, excluded_namespaces;
    bool exact_namespaces;
    struct fx_selector *label_selector, *namespace_selector, *annotation_selector;
    json_t *name_node, *source_node; /* counted: the texts borrow from them */
    struct fx_text name, source_text;
    enum fx_source source;
    size_t units; /* budget units of one evaluation; 0 for a short match */
};

void fx_match_destroy(struct fx_match *match) {
    if (match == NULL) {
        return;
    }
    for (size_t i = 0; i < match->n_kinds; i++) {
        fx_text_list_finish(&match->kinds[i].kinds);
        fx_text_list_finish(&match->kinds[i].groups);
    }
    free(match->kinds);
    fx_text_list_finish(&match->namespaces);
    fx_text_list_finish(&match->excluded_namespaces);
    fx_selector_destroy(match->label_selector);
    fx_selector_destroy(match->namespace_selector);
    fx_selector_destroy(match->annotation_selector);
    json_decref(match->name_node);
    json_decref(match->source_node);
    free(match);
}

static bool is_any(const struct fx_text_list *list) {
    return list->n_items == 0 || fx_text_list_has(list, FX_TEXT("*"));
}

static bool read_kinds_entry(json_t *node, struct kinds_entry *ret, struct fx_err *err) {
    static const struct fx_go_field whole = {"Match", "spec.match.kinds", "match.Kinds"};
    static const struct fx_go_field groups = {"Kinds", "spec.match.kinds.apiGroups",
                                              "[]string"};
    static const struct fx_go_field kinds = {"Kinds", "spec.match.kinds.kinds",
                                             "[]string"};
    json_t *entry = NULL;
    if (!fx_unmarshal_object(node, &whole, &entry, err) ||
        !fx_text_list_read(fx_tree_view_key(entry, "apiGroups"), &groups, "string",
                           &ret->groups, err) ||
        !fx_text_list_read(fx_tree_view_key(entry, "kinds"), &kinds, "string",
                           &ret->kinds, err)) {
        return false;
    }
    ret->any_kind = is_any(&ret->kinds);
    ret->any_group = is_any(&ret->groups);
    return true;
}

static bool read_kinds(struct fx_match *match, const json_t *node, struct fx_err *err) {
    static const struct fx_go_field field = {"Match", "spec.match.kinds",
                                             "[]match.Kinds"};
    json_t *array = NULL;
    if (!fx_unmarshal_array(fx_tree_view_key(node, "kinds"), &field, &array, err)) {
        return false;
    }
    const size_t n = json_array_size(array);
    match->kinds = calloc(n == 0 ? 1 : n, sizeof *match->kinds);
    if (match->kinds == NULL) {
        return fx_fail_nomem(err);
    }
    match->n_kinds = n;
    for (size_t i = 0; i < n; i++) {
        if (!read_kinds_entry(json_array_get(array, i), &match->kinds[i], err)) {
            return false;
        }
    }
    return true;
}

/* Reads a string field; *ret_node is counted. */
static bool read_text(const json_t *node, const char *key,
                      const struct fx_go_field *field, json_t **ret_node,
                      struct fx_text *ret_text, struct fx_err *err) {
    json_t *text = NULL;
    if (!fx_unmarshal_string(fx_tree_view_key(node, key), field, &text, err)) {
        return false;
    }
    *ret_node = json_incref(text);
    *ret_text = fx_tree_text(text);
    return true;
}

static bool read_scope(struct fx_match *match, const json_t *node, struct fx_err *err) {
    static const struct fx_go_field field = {"Match", "spec.match.scope",
                                             "v1.ResourceScope"};
    json_t *text = NULL;
    if (!fx_unmarshal_string(fx_tree_view_key(node, "scope"), &field, &text, err)) {
        return false;
    }
    const struct fx_text scope = fx_tree_text(text);
    if (fx_text_is(scope, "Cluster")) {
        match->scope = SCOPE_CLUSTER;
    } else if (fx_text_is(scope, "Namespaced")) {
        match->scope = SCOPE_NAMESPACED;
    }
    return true;
}

static bool read_namespaces(struct fx_match *match, const json_t *node,
                            struct fx_err *err) {
    static const struct fx_go_field wanted = {"Match", "spec.match.namespaces",
                                              "[]wildcard.Wildcard"};
    static const struct fx_go_field excluded = {"Match", "spec.match.excludedNamespaces",
                                                "[]wildcard.Wildcard"};
    if (!fx_text_list_read(fx_tree_view_key(node, "namespaces"), &wanted,
                           "wildcard.Wildcard", &match->namespaces, err) ||
        !fx_text_list_read(fx_tree_view_key(node, "excludedNamespaces"), &excluded,
                           "wildcard.Wildcard", &match->excluded_namespaces, err)) {
        return false;
    }
    match->exact_namespaces = true;
    for (size_t i = 0; i < match->namespaces.n_items; i++) {
        match->exact_namespaces =
            match->exact_namespaces && fx_glob_is_exact(match->namespaces.items[i]);
    }
    return true;
}

static bool read_selector(const json_t *node, const char *key, const char *path,
                          struct fx_selector **ret_selector, struct fx_err *err) {
    json_t *selector = fx_tree_view_key(node, key);
    if (selector == NULL || json_is_null(selector)) {
        return true;
    }
    return fx_selector_compile(selector, path, FX_SELECTOR_OVER_LABELS, ret_selector,
                               err);
}

/* Reads the annotation selector. Gatekeeper does not have this criterion, so an invalid
 * selector is refused at once. */
static bool read_annotation_selector(struct fx_match *match, const json_t *node,
                                     struct fx_err *err) {
    static const char path[] = "spec.match.annotationSelector";
    json_t *selector = fx_tree_view_key(node, "annotationSelector");
    if (selector == NULL || json_is_null(selector)) {
        return true;
    }
    if (!fx_selector_compile(selector, path, FX_SELECTOR_OVER_ANNOTATIONS,
                             &match->annotation_selector, err)) {
        return false;
    }
    if (!fx_selector_check(match->annotation_selector, err)) {
        err->code = FX_EINVALID;
        return fx_err_prefix(err, "%s: ", path);
    }
    return true;
}

/* Lists the criteria to evaluate: a criterion that is absent, or that every object meets,
 * is not evaluated. */
static void list_used(struct fx_match *match) {
    const bool is_used[N_CRITERIA] = {
        [KINDS] = match->n_kinds > 0,
        [SCOPE] = match->scope != SCOPE_ANY,
        [NAMESPACES] = match->namespaces.n_items > 0,
        [EXCLUDED_NAMESPACES] = match->excluded_namespaces.n_items > 0,
        [LABEL_SELECTOR] = match->label_selector != NULL,
        [NAMESPACE_SELECTOR] = match->namespace_selector != NULL,
        [ANNOTATION_SELECTOR] = match->annotation_selector != NULL,
        [NAME] = match->name.len > 0,
        [SOURCE] = match->source != FX_SOURCE_NONE && match->source != FX_SOURCE_ALL,
    };
    for (size_t i = 0; i < N_CRITERIA; i++) {
        if (is_used[i]) {
            match->used[match->n_used++] = (enum match_criterion)i;
        }
    }
}

/* Counts the values of a node. Recursion is limited by FX_LIMIT_JSON_DEPTH. */
static size_t count_values(const json_t *node) {
    size_t count = 1;
    for (size_t i = 0; i < json_array_size(node); i++) {
        count += count_values(json_array_get(node, i));
    }
    void *iter = json_is_object(node) ? fx_node_first(node) : NULL;
    for (; iter != NULL; iter = fx_node_next(node, iter)) {
        count += count_values(json_object_iter_value(iter));
    }
    return count;
}

/* Returns the price of an evaluation, which compares each value of the policy at most
 * once. */
static size_t units_of(const json_t *node) {
    const size_t count = count_values(node);
    return count > FREE_VALUES ? UNITS_OF_VALUE * count : 0;
}

static bool fill_match(struct fx_match *match, const json_t *node,
                       enum fx_match_syntax syntax, struct fx_err *err) {
    static const struct fx_go_field name = {"Match", "spec.match.name",
                                            "wildcard.Wildcard"};
    static const struct fx_go_field source = {"Match", "spec.match.source", "string"};
    if (!read_kinds(match, node, err) || !read_scope(match, node, err) ||
        !read_namespaces(match, node, err) ||
        !read_selector(node, "labelSelector", "spec.match.labelSelector",
                       &match->label_selector, err) ||
        !read_selector(node, "namespaceSelector", "spec.match.namespaceSelector",
                       &match->namespace_selector, err) ||
        (syntax == FX_MATCH_EXTENDED && !read_annotation_selector(match, node, err)) ||
        !read_text(node, "name", &name, &match->name_node, &match->name, err) ||
        !read_text(node, "source", &source, &match->source_node, &match->source_text,
                   err)) {
        return false;
    }
    match->source = fx_source_parse(match->source_text);
    list_used(match);
    return true;
}

bool fx_match_compile(const json_t *match, enum fx_match_syntax syntax,
                      struct fx_match **ret_match, struct fx_err *err) {
    static const struct fx_go_field field = {"Spec", "spec.match", "match.Match"};
    const bool is_null = match == NULL || json_is_null(match);
    if (!is_null && !json_is_object(match)) {
        return fx_fail_unmarshal(match, &field, err);
    }
    struct fx_match *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return fx_fail_nomem(err);
    }
    made->units = units_of(match);
    if (!fill_match(made, is_null ? NULL : match, syntax, err)) {
        fx_match_destroy(made);
        return false;
    }
    *ret_match = made;
    return true;
}

/* True if the result depends on labels of the object. For a Namespace, the namespace
 * selector reads them. */
bool fx_match_asks_labels(const struct fx_match *match) {
    return match->label_selector != NULL || match->namespace_selector != NULL;
}

bool fx_match_asks_annotations(const struct fx_match *match) {
    return match->annotation_selector != NULL;
}

const struct fx_text *fx_match_exact_namespaces(const struct fx_match *match,
                                                size_t *ret_count) {
    *ret_count = match->exact_namespaces ? match->namespaces.n_items : 0;
    return match->namespaces.items;
}

/* The object and its request, for the functions below. These are called only for used
 * criteria. */
struct match_question {
    const struct fx_request *request;
    const struct fx_subject *subject;
};

static bool is_namespaced(const struct match_question *q) {
    return q->subject->namespace_.len > 0 || q->request->namespace_object != NULL;
}

static bool kinds_hold(const struct fx_match *match, const struct match_question *q) {
    for (size_t i = 0; i < match->n_kinds; i++) {
        const struct kinds_entry *entry = &match->kinds[i];
        if ((entry->any_kind || fx_text_list_has(&entry->kinds, q->subject->kind)) &&
            (entry->any_group || fx_text_list_has(&entry->groups, q->subject->group))) {
            return true;
        }
    }
    return false;
}

static bool scope_holds(const struct fx_match *match, const struct match_question *q) {
    const bool inside = !q->subject->is_namespace && is_namespaced(q);
    return inside == (match->scope == SCOPE_NAMESPACED);
}

static bool namespaces_hold(const struct fx_match *match,
                            const struct match_question *q) {
    const struct fx_text name = fx_subject_namespace(q->subject, q->request);
    return name.data == NULL || fx_glob_any_matches(&match->namespaces, name);
}

static bool exclusion_holds(const struct fx_match *match,
                            const struct match_question *q) {
    const struct fx_text name = fx_subject_namespace(q->subject, q->request);
    return name.data == NULL || !fx_glob_any_matches(&match->excluded_namespaces, name);
}

static bool name_holds(const struct fx_match *match, const struct match_question *q) {
    return fx_glob_matches(match->name, q->subject->name) ||
           fx_glob_matches_generate_name(match->name, q->subject->generate_name);
}

static json_t *view_labels(const json_t *object) {
    json_t *labels = fx_tree_view_key(fx_tree_view_key(object, "metadata"), "labels");
    return json_is_object(labels) ? labels : NULL;
}

static bool eval_selector(const struct fx_selector *selector, json_t *labels,
                          bool *ret_holds, struct fx_err *err) {
    if (!fx_selector_eval(selector, labels, ret_holds, err)) {
        return fx_err_prefix(err, ERROR_PREFIX);
    }
    return true;
}

static bool eval_label_selector(const struct fx_match *match,
                                const struct match_question *q, bool *ret_holds,
                                struct fx_err *err) {
    return eval_selector(match->label_selector, q->subject->labels, ret_holds, err);
}

static bool eval_annotation_selector(const struct fx_match *match,
                                     const struct match_question *q, bool *ret_holds,
                                     struct fx_err *err) {
    return eval_selector(match->annotation_selector, q->subject->annotations, ret_holds,
                         err);
}

/* Evaluates the namespace selector. A cluster-scoped object passes before the selector is
 * evaluated; an invalid selector is reported before a missing namespace. */
static bool eval_namespace_selector(const struct fx_match *match,
                                    const struct match_question *q, bool *ret_holds,
                                    struct fx_err *err) {
    const bool is_namespace = q->subject->is_namespace;
    const json_t *around = q->request->namespace_object;
    if (!is_namespace && !is_namespaced(q)) {
        *ret_holds = true;
        return true;
    }
    json_t *labels = is_namespace ? q->subject->labels : view_labels(around);
    if (!eval_selector(match->namespace_selector, labels, ret_holds, err)) {
        return false;
    }
    if (!is_namespace && around == NULL) {
        return fx_fail(err, FX_EMUTATE,
                       ERROR_PREFIX "namespace selector for namespace-scoped object but "
                                    "missing Namespace");
    }
    return true;
}

/* Fails for an invalid source. `node` is the source in the policy, or NULL for that of
 * the request. */
static bool fail_source(struct fx_text source, const json_t *node, struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, ERROR_PREFIX "invalid source field ");
    fx_text_quote_go(&text, source);
    return fx_fail_buf_finish(err, node, FX_EMUTATE, &text);
}

static bool check_source(const struct fx_match *match, struct fx_err *err) {
    return match->source != FX_SOURCE_INVALID ||
           fail_source(match->source_text, match->source_node, err);
}

static bool eval_source(const struct fx_match *match, const struct match_question *q,
                        bool *ret_holds, struct fx_err *err) {
    if (!check_source(match, err)) {
        return false;
    }
    if (q->request->source == FX_SOURCE_NONE) {
        return fx_fail(err, FX_EMUTATE,
                       ERROR_PREFIX "source field not specified for resource %.*s",
                       FX_TEXT_ARG(q->subject->name));
    }
    if (q->request->source == FX_SOURCE_INVALID) {
        return fail_source(q->request->source_text, NULL, err);
    }
    *ret_holds = match->source == q->request->source;
    return true;
}

/* The criteria. One that cannot fail has `holds`, one that can fail has `eval`. */
static const struct {
    const char *field;
    bool (*holds)(const struct fx_match *match, const struct match_question *q);
    bool (*eval)(const struct fx_match *match, const struct match_question *q,
                 bool *ret_holds, struct fx_err *err);
} criteria[N_CRITERIA] = {
    [KINDS] = {"kinds", kinds_hold, NULL},
    [SCOPE] = {"scope", scope_holds, NULL},
    [NAMESPACES] = {"namespaces", namespaces_hold, NULL},
    [EXCLUDED_NAMESPACES] = {"excludedNamespaces", exclusion_holds, NULL},
    [LABEL_SELECTOR] = {"labelSelector", NULL, eval_label_selector},
    [NAMESPACE_SELECTOR] = {"namespaceSelector", NULL, eval_namespace_selector},
    [ANNOTATION_SELECTOR] = {"annotationSelector", NULL, eval_annotation_selector},
    [NAME] = {"name", name_holds, NULL},
    [SOURCE] = {"source", NULL, eval_source},
};

bool fx_match_eval(const struct fx_match *match, const struct fx_request *request,
                   const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                   struct fx_err *err) {
    const struct match_question question = {request, subject};
    if (match->units > 0 && !fx_spend(match->units)) {
        return fx_fail_exceeded(err);
    }
    for (size_t i = 0; i < match->n_used; i++) {
        const enum match_criterion criterion = match->used[i];
        bool holds = false;
        if (criteria[criterion].holds != NULL) {
            holds = criteria[criterion].holds(match, &question);
        } else if (!criteria[criterion].eval(match, &question, &holds, err)) {
            return false;
        }
        if (!holds) {
            *ret_verdict = (struct fx_verdict){false, criteria[criterion].field};
            return true;
        }
    }
    *ret_verdict = (struct fx_verdict){true, NULL};
    return true;
}

static bool check_selector(const struct fx_selector *selector, struct fx_err *err) {
    return selector == NULL || fx_selector_check(selector, err) ||
           fx_err_prefix(err, ERROR_PREFIX);
}

bool fx_match_check(const struct fx_match *match, struct fx_err *err) {
    return check_selector(match->label_selector, err) &&
           check_selector(match->namespace_selector, err) && check_source(match, err);
}
