/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/way.c - expressions looked at without an object: whether one is a
 * plain way, and which paths are in it.
 */
#include "base/buf.h"
#include "location/jsonpath/program.h"

static const struct node *first(const struct fx_jsonpath *path, const struct node *node) {
    return &path->nodes[node->first];
}

static const struct node *next(const struct fx_jsonpath *path, const struct node *node) {
    return &path->nodes[node->next];
}

static bool is_there(const struct fx_jsonpath *path, const struct node *node) {
    return node != path->nodes;
}

/* .name, ["name"], or what leads to any elements: * and a filter. */
static bool read_step(const struct fx_jsonpath *path, const struct node *step,
                      struct fx_text *ret_name) {
    const struct node *key = first(path, step);
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

size_t fx_jsonpath_way(const struct fx_jsonpath *path,
                       struct fx_text names[FX_JSONPATH_WAY]) {
    const struct node *root = &path->nodes[path->root];
    size_t n_names = 0;
    if (root->type != NODE_PATH || root->id != '$') {
        return 0;
    }
    for (const struct node *step = first(path, root); is_there(path, step);
         step = next(path, step)) {
        if (n_names == FX_JSONPATH_WAY || !read_step(path, step, &names[n_names])) {
            return 0;
        }
        n_names++;
    }
    return n_names;
}

/* Whole ones only: what a path has in its brackets is looked at where it leads. */
static void tell_paths(const struct fx_jsonpath *path, const struct node *node,
                       void (*tell)(void *user, const struct fx_jsonpath *part),
                       void *user) {
    if (node->type == NODE_PATH || node->type == NODE_VARIABLE) {
        struct fx_jsonpath part = *path; /* the same nodes, with another root */
        part.root = (node_index)(node - path->nodes);
        part.is_straight = fx_jsonpath_find_straight(&part);
        if (node->type == NODE_VARIABLE || node->id == '$') {
            tell(user, &part);
        }
        return;
    }
    for (const struct node *child = first(path, node); is_there(path, child);
         child = next(path, child)) {
        tell_paths(path, child, tell, user);
    }
}

bool fx_jsonpath_is_path(const struct fx_jsonpath *path) {
    return path->nodes[path->root].type == NODE_PATH;
}

void fx_jsonpath_paths(const struct fx_jsonpath *path,
                       void (*tell)(void *user, const struct fx_jsonpath *part),
                       void *user) {
    tell_paths(path, &path->nodes[path->root], tell, user);
}
