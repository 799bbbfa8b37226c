/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/straight.c - paths of names alone: `$.metadata.labels["app"]`. They
 * need no memory, and nothing of them is an error that anybody is told.
 */
#include "location/jsonpath/program.h"
#include "value/tree.h"

/* The node that has the step's name; NULL where it has none, or one that may be the index
 * of a list. */
static const struct node *name_of(const struct fx_jsonpath *path,
                                  const struct node *step) {
    double number = 0;
    if (step->type == STEP_NAME) {
        return step;
    }
    const struct node *key = &path->nodes[step->first];
    return step->type == STEP_KEY && key->type == NODE_TEXT &&
                   !fx_jsonpath_parse_float(key->as.text, &number)
               ? key
               : NULL;
}

bool fx_jsonpath_find_straight(const struct fx_jsonpath *path) {
    const struct node *root = &path->nodes[path->root];
    if (root->type != NODE_PATH || root->id != '$') {
        return false;
    }
    node_index step = root->first;
    while (step != 0 && name_of(path, &path->nodes[step]) != NULL) {
        step = path->nodes[step].next;
    }
    return step == 0;
}

bool fx_jsonpath_is_straight(const struct fx_jsonpath *path) {
    return path->is_straight;
}

json_t *fx_jsonpath_view(const struct fx_jsonpath *path, const json_t *root) {
    union {
        const json_t *read;
        json_t *given;
    } at = {.read = root}; /* as the caller may write it, or not */
    node_index step = path->nodes[path->root].first;
    for (; step != 0 && at.given != NULL; step = path->nodes[step].next) {
        const struct node *name = &path->nodes[step];
        name = name->type == STEP_NAME ? name : &path->nodes[name->first];
        at.given = fx_tree_view_text(at.read, name->as.text);
    }
    return at.given;
}
