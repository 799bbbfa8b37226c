/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/eval.c - evaluates operators. The Kyverno spec (section 8) says where
 * a missing key becomes null.
 */
#include "location/jmespath/eval.h"

#include "value/equal.h"
#include "value/tree.h"

bool fx_jmespath_eval_or_null(struct fx_jmespath_run *run,
                              const struct fx_jmespath_node *node, json_t *subject,
                              json_t **ret_value) {
    const enum fx_jmespath_outcome outcome =
        fx_jmespath_eval(run, node, subject, ret_value);
    if (outcome == FX_JMESPATH_NOT_FOUND) {
        *ret_value = json_null();
    }
    return outcome != FX_JMESPATH_ERROR;
}

enum fx_jmespath_outcome fx_jmespath_eval_take(struct fx_jmespath_run *run, json_t *value,
                                               json_t **ret_value) {
    *ret_value = value;
    return fx_jmespath_outcome_of(value != NULL || fx_fail_nomem(run->err));
}

bool fx_jmespath_is_true(const json_t *value) {
    const size_t size =
        json_string_length(value) + json_array_size(value) + json_object_size(value);
    return size > 0 || json_is_true(value) || json_is_number(value);
}

/* ---- reading ----------------------------------------------------------------------- */

static enum fx_jmespath_outcome eval_current(struct fx_jmespath_run *run, json_t *subject,
                                             json_t **ret_value) {
    if (subject == NULL && run->all == NULL) {
        if (!run->scope->all(run->scope->context, &run->all, run->err)) {
            return FX_JMESPATH_ERROR;
        }
    }
    *ret_value = json_incref(subject == NULL ? run->all : subject);
    return FX_JMESPATH_VALUE;
}

static bool find_field(struct fx_jmespath_run *run, struct fx_text name, json_t *subject,
                       json_t **ret_value) {
    if (subject == NULL) {
        return run->scope->find(run->scope->context, name, ret_value, run->err);
    }
    *ret_value = json_is_object(subject) ? json_incref(fx_tree_view_text(subject, name))
                                         : json_null();
    return true;
}

static enum fx_jmespath_outcome eval_field(struct fx_jmespath_run *run,
                                           const struct fx_jmespath_node *node,
                                           json_t *subject, json_t **ret_value) {
    *ret_value = NULL;
    if (!find_field(run, node->as.name, subject, ret_value)) {
        return FX_JMESPATH_ERROR;
    }
    if (*ret_value == NULL) {
        run->missing = node;
        return FX_JMESPATH_NOT_FOUND;
    }
    return FX_JMESPATH_VALUE;
}

static enum fx_jmespath_outcome eval_index(const struct fx_jmespath_node *node,
                                           const json_t *subject, json_t **ret_value) {
    const int64_t size = (int64_t)json_array_size(subject);
    const int64_t index = node->as.index < 0 ? node->as.index + size : node->as.index;
    *ret_value = index >= 0 && index < size
                     ? json_incref(json_array_get(subject, (size_t)index))
                     : json_null();
    return FX_JMESPATH_VALUE;
}

/* ---- sequences --------------------------------------------------------------------- */

/* A missing key on the left is passed on. */
static enum fx_jmespath_outcome eval_chain(struct fx_jmespath_run *run,
                                           const struct fx_jmespath_node *node,
                                           json_t *subject, json_t **ret_value) {
    json_t *left = NULL;
    if (node->first->type == QUERY_CURRENT) { /* needs no object of the whole scope */
        return fx_jmespath_eval(run, node->first->next, subject, ret_value);
    }
    const enum fx_jmespath_outcome outcome =
        fx_jmespath_eval(run, node->first, subject, &left);
    if (outcome != FX_JMESPATH_VALUE) {
        return outcome;
    }
    const enum fx_jmespath_outcome result =
        fx_jmespath_eval(run, node->first->next, left, ret_value);
    json_decref(left);
    return result;
}

static enum fx_jmespath_outcome eval_pipe(struct fx_jmespath_run *run,
                                          const struct fx_jmespath_node *node,
                                          json_t *subject, json_t **ret_value) {
    json_t *left = NULL;
    if (node->first->type != QUERY_CURRENT) {
        if (!fx_jmespath_eval_or_null(run, node->first, subject, &left)) {
            return FX_JMESPATH_ERROR;
        }
        subject = left;
    }
    const bool ok = fx_jmespath_eval_or_null(run, node->first->next, subject, ret_value);
    json_decref(left);
    return fx_jmespath_outcome_of(ok);
}

/* ---- truth and comparison ---------------------------------------------------------- */

/* `a || b` stops at a true value, `a && b` at a false one. A missing key at the right of
 * `&&` is passed on. */
static enum fx_jmespath_outcome eval_logic(struct fx_jmespath_run *run,
                                           const struct fx_jmespath_node *node,
                                           json_t *subject, json_t **ret_value) {
    const bool is_or = node->type == QUERY_OR;
    if (!fx_jmespath_eval_or_null(run, node->first, subject, ret_value)) {
        return FX_JMESPATH_ERROR;
    }
    if (fx_jmespath_is_true(*ret_value) == is_or) {
        return FX_JMESPATH_VALUE;
    }
    json_decref(*ret_value);
    return is_or ? fx_jmespath_outcome_of(fx_jmespath_eval_or_null(run, node->first->next,
                                                                   subject, ret_value))
                 : fx_jmespath_eval(run, node->first->next, subject, ret_value);
}

static enum fx_jmespath_outcome eval_not(struct fx_jmespath_run *run,
                                         const struct fx_jmespath_node *node,
                                         json_t *subject, json_t **ret_value) {
    json_t *value = NULL;
    if (!fx_jmespath_eval_or_null(run, node->first, subject, &value)) {
        return FX_JMESPATH_ERROR;
    }
    *ret_value = json_boolean(!fx_jmespath_is_true(value));
    json_decref(value);
    return FX_JMESPATH_VALUE;
}

int fx_jmespath_compare_numbers(const json_t *a, const json_t *b) {
    if (json_is_integer(a) && json_is_integer(b)) {
        const json_int_t left = json_integer_value(a);
        const json_int_t right = json_integer_value(b);
        return left < right ? -1 : left > right;
    }
    const double left = json_number_value(a);
    const double right = json_number_value(b);
    return left < right ? -1 : left > right;
}

/* Only numbers have an order: null for other values. */
static json_t *compare_values(enum query_comparison comparison, const json_t *a,
                              const json_t *b) {
    if (comparison == QUERY_EQUAL || comparison == QUERY_UNEQUAL) {
        return json_boolean(fx_equal(a, b) == (comparison == QUERY_EQUAL));
    }
    if (!json_is_number(a) || !json_is_number(b)) {
        return json_null();
    }
    const int order = fx_jmespath_compare_numbers(a, b);
    const bool is_less = comparison == QUERY_LESS || comparison == QUERY_LESS_OR_EQUAL;
    const bool takes_equal =
        comparison == QUERY_LESS_OR_EQUAL || comparison == QUERY_GREATER_OR_EQUAL;
    return json_boolean(order == 0 ? takes_equal : (order < 0) == is_less);
}

static enum fx_jmespath_outcome eval_compare(struct fx_jmespath_run *run,
                                             const struct fx_jmespath_node *node,
                                             json_t *subject, json_t **ret_value) {
    json_t *left = NULL;
    json_t *right = NULL;
    bool ok = fx_jmespath_eval_or_null(run, node->first, subject, &left) &&
              fx_jmespath_eval_or_null(run, node->first->next, subject, &right);
    if (ok) {
        *ret_value = compare_values(node->as.comparison, left, right);
        ok = fx_jmespath_spend(run, 1); /* a comparison that was not finished */
    }
    json_decref(left);
    json_decref(right);
    return fx_jmespath_outcome_of(ok);
}

/* ---- lists and objects ------------------------------------------------------------- */

static enum fx_jmespath_outcome eval_list(struct fx_jmespath_run *run,
                                          const struct fx_jmespath_node *node,
                                          json_t *subject, json_t **ret_value) {
    json_t *list = json_array();
    bool ok = list != NULL || fx_fail_nomem(run->err);
    for (const struct fx_jmespath_node *child = node->first; ok && child != NULL;
         child = child->next) {
        json_t *element = NULL;
        ok = fx_jmespath_eval_or_null(run, child, subject, &element) &&
             (fx_tree_append_take(list, element) || fx_fail_nomem(run->err));
    }
    *ret_value = fx_tree_keep_if(ok, list);
    return fx_jmespath_outcome_of(ok);
}

static enum fx_jmespath_outcome eval_object(struct fx_jmespath_run *run,
                                            const struct fx_jmespath_node *node,
                                            json_t *subject, json_t **ret_value) {
    json_t *object = json_object();
    bool ok = object != NULL || fx_fail_nomem(run->err);
    for (const struct fx_jmespath_node *member = node->first; ok && member != NULL;
         member = member->next) {
        json_t *value = NULL;
        ok =
            fx_jmespath_eval_or_null(run, member->first, subject, &value) &&
            (fx_tree_set_take(object, member->as.name, value) || fx_fail_nomem(run->err));
    }
    *ret_value = fx_tree_keep_if(ok, object);
    return fx_jmespath_outcome_of(ok);
}

/* Null has neither elements nor members. */
static enum fx_jmespath_outcome eval_builder(struct fx_jmespath_run *run,
                                             const struct fx_jmespath_node *node,
                                             json_t *subject, json_t **ret_value) {
    if (json_is_null(subject)) {
        return fx_jmespath_eval_take(run, json_null(), ret_value);
    }
    return node->type == QUERY_LIST ? eval_list(run, node, subject, ret_value)
                                    : eval_object(run, node, subject, ret_value);
}

/* ---- nodes ------------------------------------------------------------------------- */

static enum fx_jmespath_outcome fail_reference(struct fx_jmespath_run *run,
                                               const struct fx_jmespath_node *node) {
    (void)fx_fail_at(run->err, FX_EINVALID, node->off, node->len,
                     "`&` stands only before an argument of a function");
    return FX_JMESPATH_ERROR;
}

static enum fx_jmespath_outcome eval_node(struct fx_jmespath_run *run,
                                          const struct fx_jmespath_node *node,
                                          json_t *subject, json_t **ret_value) {
    switch ((enum query_node_type)node->type) {
    case QUERY_FIELD: return eval_field(run, node, subject, ret_value);
    case QUERY_CURRENT: return eval_current(run, subject, ret_value);
    case QUERY_INDEX: return eval_index(node, subject, ret_value);
    case QUERY_SLICE: return fx_jmespath_eval_slice(run, node, subject, ret_value);
    case QUERY_CHAIN: return eval_chain(run, node, subject, ret_value);
    case QUERY_PIPE: return eval_pipe(run, node, subject, ret_value);
    case QUERY_OR:
    case QUERY_AND: return eval_logic(run, node, subject, ret_value);
    case QUERY_NOT: return eval_not(run, node, subject, ret_value);
    case QUERY_COMPARE: return eval_compare(run, node, subject, ret_value);
    case QUERY_EACH: return fx_jmespath_eval_each(run, node, subject, ret_value);
    case QUERY_VALUES: return fx_jmespath_eval_values(run, node, subject, ret_value);
    case QUERY_FILTER: return fx_jmespath_eval_filter(run, node, subject, ret_value);
    case QUERY_FLATTEN: return fx_jmespath_eval_flatten(run, node, subject, ret_value);
    case QUERY_LIST:
    case QUERY_OBJECT: return eval_builder(run, node, subject, ret_value);
    case QUERY_CALL: return fx_jmespath_eval_call(run, node, subject, ret_value);
    case QUERY_REFERENCE: return fail_reference(run, node);
    case QUERY_LITERAL:
    case QUERY_MEMBER: break; /* members are evaluated with their object */
    }
    *ret_value = json_incref(node->as.literal);
    return FX_JMESPATH_VALUE;
}

enum fx_jmespath_outcome fx_jmespath_eval(struct fx_jmespath_run *run,
                                          const struct fx_jmespath_node *node,
                                          json_t *subject, json_t **ret_value) {
    *ret_value = NULL;
    return fx_jmespath_spend(run, 1) ? eval_node(run, node, subject, ret_value)
                                     : FX_JMESPATH_ERROR;
}
