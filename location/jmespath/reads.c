/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/reads.c - finds the parts of any root that a query may read. It
 * evaluates the query on the tree of wanted parts instead of a value. A computed value
 * has no position in the tree, so all values that it is computed from are wanted.
 */
#include "location/jmespath/program.h"

static const struct fx_json_cursor nowhere = {.part = NULL};

static bool read_node(const struct fx_jmespath_node *node, struct fx_json_cursor subject,
                      struct fx_json_cursor *ret_cursor);

/* Marks the value of the node as wanted whole. */
static bool use_value(const struct fx_jmespath_node *node,
                      struct fx_json_cursor subject) {
    struct fx_json_cursor cursor;
    if (!read_node(node, subject, &cursor)) {
        return false;
    }
    fx_json_cursor_all(cursor);
    return true;
}

/* Marks the values of all children as wanted. The type of the subject matters, too: on
 * null a list or an object is null. */
static bool use_children(const struct fx_jmespath_node *node,
                         struct fx_json_cursor subject) {
    const struct fx_jmespath_node *child = node->first;
    while (child != NULL && use_value(child, subject)) {
        child = child->next;
    }
    return child == NULL;
}

/* Reads whether the value of the node is true: its type, and whether it is empty. */
static bool use_truth(const struct fx_jmespath_node *node,
                      struct fx_json_cursor subject) {
    struct fx_json_cursor cursor;
    if (!read_node(node, subject, &cursor)) {
        return false;
    }
    fx_json_cursor_count(cursor);
    return true;
}

/* `a[*].b`, `a[?c].b`, `a[].b`: reads the elements of a list. */
static bool read_elements(const struct fx_jmespath_node *node,
                          struct fx_json_cursor subject,
                          struct fx_json_cursor *ret_cursor) {
    struct fx_json_cursor elements;
    const struct fx_jmespath_node *body = node->first->next;
    if (!read_node(node->first, subject, &elements)) {
        return false;
    }
    fx_json_cursor_element(&elements);
    if (body->next != NULL && !use_truth(body->next, elements)) {
        return false;
    }
    /* The value is a list, which the tree does not have: what is selected in the
     * elements is read whole. */
    *ret_cursor = nowhere;
    return use_value(body, elements);
}

/* Everything in the list or object is wanted; the rest is computed. */
static bool read_all_of_first(const struct fx_jmespath_node *node,
                              struct fx_json_cursor subject,
                              struct fx_json_cursor *ret_cursor) {
    *ret_cursor = nowhere;
    return use_value(node->first, subject);
}

/* `a.b`, `a | b`: the second on the value of the first. */
static bool read_chain(const struct fx_jmespath_node *node, struct fx_json_cursor subject,
                       struct fx_json_cursor *ret_cursor) {
    struct fx_json_cursor left;
    return read_node(node->first, subject, &left) &&
           read_node(node->first->next, left, ret_cursor);
}

/* Arguments are wanted whole. So are the subjects of expressions, which are elements of
 * other arguments. */
static bool read_call(const struct fx_jmespath_node *call, struct fx_json_cursor subject,
                      struct fx_json_cursor *ret_cursor) {
    bool ok = true;
    for (const struct fx_jmespath_node *argument = call->first; ok && argument != NULL;
         argument = argument->next) {
        ok = argument->type == QUERY_REFERENCE || use_value(argument, subject);
    }
    *ret_cursor = nowhere;
    return ok;
}

static bool read_index(struct fx_json_cursor subject, struct fx_json_cursor *ret_cursor) {
    *ret_cursor = subject;
    fx_json_cursor_element(ret_cursor);
    return true;
}

static bool read_field(const struct fx_jmespath_node *node, struct fx_json_cursor subject,
                       struct fx_json_cursor *ret_cursor) {
    *ret_cursor = subject;
    return fx_json_cursor_member(ret_cursor, node->as.name);
}

static bool read_node(const struct fx_jmespath_node *node, struct fx_json_cursor subject,
                      struct fx_json_cursor *ret_cursor) {
    switch (node->type) {
    case QUERY_FIELD: return read_field(node, subject, ret_cursor);
    case QUERY_CURRENT: *ret_cursor = subject; return true;
    case QUERY_INDEX: return read_index(subject, ret_cursor);
    case QUERY_CHAIN:
    case QUERY_PIPE: return read_chain(node, subject, ret_cursor);
    case QUERY_EACH:
    case QUERY_FILTER: return read_elements(node, subject, ret_cursor);
    case QUERY_VALUES:
    case QUERY_FLATTEN: return read_all_of_first(node, subject, ret_cursor);
    case QUERY_SLICE: *ret_cursor = subject; return true;
    case QUERY_NOT: *ret_cursor = nowhere; return use_truth(node->first, subject);
    case QUERY_CALL: return read_call(node, subject, ret_cursor);
    case QUERY_REFERENCE:
        *ret_cursor = nowhere;
        return true; /* fails, as it is no value */
    default: *ret_cursor = nowhere; return use_children(node, subject);
    }
}

bool fx_jmespath_reads(const struct fx_jmespath *query, struct fx_json_part *root,
                       struct fx_json_cursor *ret_cursor) {
    return read_node(query->root, (struct fx_json_cursor){.part = root}, ret_cursor);
}
