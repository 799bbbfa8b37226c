/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/program.c - names of operators and functions, and properties of a
 * compiled expression that need no object.
 */
#include "location/jsonpath/program.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/strconv.h"
#include "location/jsonpath/jsonpath.h"
#include "value/tree.h"

static const struct operator_entry operators[] = {
#define X(name, text, binding) [OPERATOR_##name] = {text, binding},
    OPERATORS(X)
#undef X
};

const struct operator_entry *fx_jsonpath_operator(enum operator_id id) {
    assert(id < OPERATOR_NONE);
    return &operators[id];
}

static const char *const function_names[] = {
#define X(id, name) [FUNCTION_##id] = name,
    FUNCTIONS(X)
#undef X
};

const char *fx_jsonpath_function_name(enum function_id id) {
    assert(id < FUNCTION_NONE);
    return function_names[id];
}

bool fx_jsonpath_parse_float(struct fx_text text, double *ret_number) {
    return text.len <= FX_GO_SHORT_NUMBER &&
           fx_go_parse_float(text, ret_number) == FX_GO_NUMBER;
}

void fx_jsonpath_destroy(struct fx_jsonpath *path) {
    if (path == NULL) {
        return;
    }
    for (size_t i = 0; i < path->n_patterns; i++) {
        fx_regex_destroy(path->patterns[i]);
    }
    free(path->patterns);
    free(path->nodes);
    free(path->store);
    free(path);
}

bool fx_jsonpath_count_parts(const struct fx_jsonpath *path, size_t *ret_count) {
    size_t count = 0;
    for (node_index i = path->nodes[path->root].first; i != 0; i = path->nodes[i].next) {
        if (path->nodes[i].type == STEP_DESCEND) {
            return false;
        }
        count += fx_jsonpath_is_branching(&path->nodes[i]) ? 1 : 0;
    }
    *ret_count = count;
    return true;
}

/* ---- calls that always fail ------------------------------------------------------- */

static bool has_one_argument(const struct fx_jsonpath *path,
                             const struct expression_node *call) {
    return call->first != 0 && path->nodes[call->first].next == 0;
}

bool fx_jsonpath_check_call(const struct fx_jsonpath *path,
                            const struct expression_node *call, enum fx_code code,
                            struct fx_err *err) {
    if (call->type == NODE_UNKNOWN) {
        const struct expression_node *variable = &path->nodes[call->first];
        return fx_fail_at(err, code, variable->off, variable->len,
                          "unknown function `%.*s`: the functions are length, isDefined, "
                          "isUndefined, isEmpty, isNotEmpty and date",
                          FX_TEXT_ARG(variable->as.text));
    }
    return has_one_argument(path, call) ||
           fx_fail_at(err, code, call->off, call->len, "`%s` takes exactly one argument",
                      fx_jsonpath_function_name((enum function_id)call->id));
}

bool fx_jsonpath_check_calls(const struct fx_jsonpath *path, struct fx_err *err) {
    for (size_t i = 0; i < path->n_nodes; i++) {
        const struct expression_node *node = &path->nodes[i];
        const bool is_call = node->type == NODE_CALL || node->type == NODE_UNKNOWN;
        if (is_call && !fx_jsonpath_check_call(path, node, FX_EINVALID, err)) {
            return false;
        }
    }
    return true;
}

/* ---- paths that consist of names: $.metadata.labels["app"] ------------------------ */

/* Returns the node with the name of the step. NULL if the step has no name, or one that
 * may be the index of a list. */
static const struct expression_node *name_of(const struct fx_jsonpath *path,
                                             const struct expression_node *step) {
    double number = 0;
    if (step->type == STEP_NAME) {
        return step;
    }
    const struct expression_node *key = &path->nodes[step->first];
    return step->type == STEP_KEY && key->type == NODE_TEXT &&
                   !fx_jsonpath_parse_float(key->as.text, &number)
               ? key
               : NULL;
}

bool fx_jsonpath_find_field_path(const struct fx_jsonpath *path) {
    const struct expression_node *root = &path->nodes[path->root];
    if (root->type != NODE_PATH || root->id != '$') {
        return false;
    }
    node_index step = root->first;
    while (step != 0 && name_of(path, &path->nodes[step]) != NULL) {
        step = path->nodes[step].next;
    }
    return step == 0;
}

bool fx_jsonpath_is_field_path(const struct fx_jsonpath *path) {
    return path->is_field_path;
}

json_t *fx_jsonpath_view(const struct fx_jsonpath *path, const json_t *root) {
    union {
        const json_t *read;
        json_t *given;
    } at = {.read = root}; /* the same pointer, with and without const */
    node_index step = path->nodes[path->root].first;
    for (; step != 0 && at.given != NULL; step = path->nodes[step].next) {
        const struct expression_node *name = &path->nodes[step];
        name = name->type == STEP_NAME ? name : &path->nodes[name->first];
        at.given = fx_tree_view_text(at.read, name->as.text);
    }
    return at.given;
}

/* ---- the steps of a path, and the paths in an expression --------------------------- */

/* Gets the name of .name or ["name"], or no name for * and a filter. */
static bool read_step(const struct fx_jsonpath *path, const struct expression_node *step,
                      struct fx_text *ret_name) {
    const struct expression_node *key = fx_jsonpath_child(path, step);
    switch (step->type) {
    case STEP_NAME: *ret_name = step->as.text; return true;
    case STEP_ALL:
    case STEP_FILTER: *ret_name = (struct fx_text){NULL, 0}; return true;
    case STEP_KEY:
        *ret_name = key->as.text;
        return key->type == NODE_TEXT && key->as.text.data != NULL;
    default: return false;
    }
}

size_t fx_jsonpath_step_names(const struct fx_jsonpath *path,
                              struct fx_text names[FX_JSONPATH_MOST_STEPS]) {
    const struct expression_node *root = &path->nodes[path->root];
    size_t n_names = 0;
    if (root->type != NODE_PATH || root->id != '$') {
        return 0;
    }
    for (const struct expression_node *step = fx_jsonpath_first(path, root); step != NULL;
         step = fx_jsonpath_next(path, step)) {
        if (n_names == FX_JSONPATH_MOST_STEPS ||
            !read_step(path, step, &names[n_names])) {
            return 0;
        }
        n_names++;
    }
    return n_names;
}

/* Visits the paths and variables below a node, but not those within the brackets of a
 * path. */
static void visit_paths(const struct fx_jsonpath *path,
                        const struct expression_node *node,
                        void (*visit)(void *user, const struct fx_jsonpath *part),
                        void *user) {
    if (node->type == NODE_PATH || node->type == NODE_VARIABLE) {
        struct fx_jsonpath part = *path; /* the same nodes with another root */
        part.root = (node_index)(node - path->nodes);
        part.is_field_path = fx_jsonpath_find_field_path(&part);
        if (node->type == NODE_VARIABLE || node->id == '$') {
            visit(user, &part);
        }
        return;
    }
    for (const struct expression_node *child = fx_jsonpath_first(path, node);
         child != NULL; child = fx_jsonpath_next(path, child)) {
        visit_paths(path, child, visit, user);
    }
}

bool fx_jsonpath_is_path(const struct fx_jsonpath *path) {
    return path->nodes[path->root].type == NODE_PATH;
}

void fx_jsonpath_paths(const struct fx_jsonpath *path,
                       void (*visit)(void *user, const struct fx_jsonpath *part),
                       void *user) {
    visit_paths(path, &path->nodes[path->root], visit, user);
}
