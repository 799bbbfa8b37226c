/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/program.c - properties of a compiled query that need no data.
 */
#include "location/jmespath/program.h"

#include <stdlib.h>

void fx_jmespath_destroy(struct fx_jmespath *query) {
    if (query == NULL) {
        return;
    }
    json_decref(query->literals);
    fx_arena_finish(&query->arena);
    free(query);
}

struct fx_text fx_jmespath_text(const struct fx_jmespath *query) {
    return query->text;
}

bool fx_jmespath_is_constant(const struct fx_jmespath *query) {
    return query->is_constant && !query->is_random;
}

bool fx_jmespath_is_deterministic(const struct fx_jmespath *query) {
    return !query->is_random;
}

/* ---- constants --------------------------------------------------------------------- */

static bool is_constant(const struct fx_jmespath_node *node, bool is_subject_constant);

static bool are_constant(const struct fx_jmespath_node *nodes, bool is_subject_constant) {
    while (nodes != NULL && is_constant(nodes, is_subject_constant)) {
        nodes = nodes->next;
    }
    return nodes == NULL;
}

/* Is the value the same for any subject, or for a subject that is always the same? */
static bool is_constant(const struct fx_jmespath_node *node, bool is_subject_constant) {
    switch (node->type) {
    case QUERY_LITERAL: return true;
    case QUERY_FIELD:
    case QUERY_CURRENT:
    case QUERY_INDEX:
    case QUERY_SLICE: return is_subject_constant;
    case QUERY_CHAIN:
    case QUERY_PIPE:
    case QUERY_EACH:
    case QUERY_VALUES:
    case QUERY_FILTER: /* the subject of what follows is the value of the first child */
        return is_constant(node->first, is_subject_constant) &&
               are_constant(node->first->next, true);
    case QUERY_REFERENCE: return true; /* its subjects are the elements of an argument */
    default: return are_constant(node->first, is_subject_constant);
    }
}

/* Sets what the node and the nodes below say about the query. */
static void classify_node(struct fx_jmespath *query,
                          const struct fx_jmespath_node *node) {
    const bool is_call = node->type == QUERY_CALL;
    query->builds |= is_call || node->type == QUERY_LIST || node->type == QUERY_OBJECT;
    query->is_random |= is_call && node->function != NULL && node->function->is_random;
    for (const struct fx_jmespath_node *child = node->first; child != NULL;
         child = child->next) {
        classify_node(query, child);
    }
}

void fx_jmespath_classify(struct fx_jmespath *query) {
    classify_node(query, query->root);
    query->is_constant = is_constant(query->root, false);
}

/* ---- calls ------------------------------------------------------------------------- */

const struct fx_jmespath_parameter *
fx_jmespath_parameter_at(const struct fx_jmespath_function *function, size_t index) {
    const struct fx_jmespath_parameter *parameter = function->parameters;
    for (size_t i = 0; i < index && parameter->types != 0; i++) {
        parameter += parameter->is_variadic ? 0 : 1;
    }
    return parameter->types == 0 ? NULL : parameter;
}

static size_t count_required(const struct fx_jmespath_function *function) {
    size_t n = 0;
    while (function->parameters[n].types != 0 && !function->parameters[n].is_optional) {
        n++;
    }
    return n;
}

static size_t count_children(const struct fx_jmespath_node *node) {
    size_t n = 0;
    for (const struct fx_jmespath_node *child = node->first; child != NULL;
         child = child->next) {
        n++;
    }
    return n;
}

static bool fail_count(const struct fx_jmespath_node *call, struct fx_err *err) {
    const struct fx_jmespath_parameter *parameters = call->function->parameters;
    size_t most = 0;
    while (parameters[most].types != 0 && !parameters[most].is_variadic) {
        most++;
    }
    const size_t least = count_required(call->function);
    const bool is_open = parameters[most].types != 0;
    const bool is_range = is_open || most != least;
    return fx_fail_at(err, FX_EINVALID, call->off, call->len,
                      "`%s` takes %s%zu argument%s, not %zu", call->function->name,
                      is_range ? "at least " : "", least, least == 1 ? "" : "s",
                      count_children(call));
}

/* Is an expression where the function takes one, and a value where it takes one? */
static bool check_kinds(const struct fx_jmespath_node *call, struct fx_err *err) {
    size_t i = 0;
    for (const struct fx_jmespath_node *argument = call->first; argument != NULL;
         argument = argument->next, i++) {
        const struct fx_jmespath_parameter *parameter =
            fx_jmespath_parameter_at(call->function, i);
        const unsigned types = parameter == NULL ? FX_JMESPATH_ANY : parameter->types;
        const bool is_reference = argument->type == QUERY_REFERENCE;
        if (is_reference != (types == FX_JMESPATH_EXPRESSION)) {
            return fx_fail_at(err, FX_EINVALID, argument->off, argument->len,
                              is_reference ? "`%s` takes a value here, not an expression"
                                           : "`%s` takes an expression here, such as "
                                             "`&name`",
                              call->function->name);
        }
    }
    return true;
}

bool fx_jmespath_check_call(const struct fx_jmespath_node *call, struct fx_err *err) {
    if (call->function == NULL) {
        return fx_fail_at(err, FX_EINVALID, call->off, (uint32_t)call->as.name.len,
                          "unknown function `%.*s`", FX_TEXT_ARG(call->as.name));
    }
    const size_t n = count_children(call);
    if (n < count_required(call->function) ||
        (n > 0 && fx_jmespath_parameter_at(call->function, n - 1) == NULL)) {
        return fail_count(call, err);
    }
    return check_kinds(call, err);
}

static bool check_calls(const struct fx_jmespath_node *node, bool is_argument,
                        struct fx_err *err) {
    if (node->type == QUERY_REFERENCE && !is_argument) {
        return fx_fail_at(err, FX_EINVALID, node->off, node->len,
                          "`&` stands only before an argument of a function");
    }
    if (node->type == QUERY_CALL && !fx_jmespath_check_call(node, err)) {
        return false;
    }
    for (const struct fx_jmespath_node *child = node->first; child != NULL;
         child = child->next) {
        if (!check_calls(child, node->type == QUERY_CALL, err)) {
            return false;
        }
    }
    return true;
}

bool fx_jmespath_check_calls(const struct fx_jmespath *query, struct fx_err *err) {
    return check_calls(query->root, false, err);
}
