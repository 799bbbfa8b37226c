/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/reads.c - finds the parts of any object that an expression may read.
 * It evaluates the expression on the tree of wanted parts instead of an object. A
 * computed value has no position in the tree, so all values that it is computed from are
 * wanted.
 */
#include "location/jsonpath/program.h"

struct path_reading {
    const struct fx_jsonpath *program;
    struct fx_json_part *root;
};

static const struct fx_json_cursor nowhere = {.part = NULL};

static bool read_node(const struct path_reading *reading,
                      const struct expression_node *node, struct fx_json_cursor current,
                      struct fx_json_cursor *ret_cursor);

/* Marks the value of a node as wanted whole. */
static bool use_value(const struct path_reading *reading,
                      const struct expression_node *node, struct fx_json_cursor current) {
    struct fx_json_cursor cursor;
    if (!read_node(reading, node, current, &cursor)) {
        return false;
    }
    fx_json_cursor_all(cursor);
    return true;
}

/* Marks the values of all children as wanted. */
static bool use_children(const struct path_reading *reading,
                         const struct expression_node *node,
                         struct fx_json_cursor current) {
    const struct expression_node *child = fx_jsonpath_first(reading->program, node);
    while (child != NULL && use_value(reading, child, current)) {
        child = fx_jsonpath_next(reading->program, child);
    }
    return child == NULL;
}

/* ---- keys ------------------------------------------------------------------------ */

/* True for a text that can only be the key of a member, not an index. */
static bool is_name(const struct expression_node *key) {
    double number = 0;
    return key->type == NODE_TEXT && !fx_jsonpath_parse_float(key->as.text, &number);
}

/* Selects below the position. In the key, @ is the position. */
static bool select_key(const struct path_reading *reading,
                       const struct expression_node *key, struct fx_json_cursor current,
                       struct fx_json_cursor *cursor) {
    if (is_name(key)) {
        return fx_json_cursor_member(cursor, key->as.text);
    }
    if (!use_value(reading, key, current)) {
        return false;
    }
    fx_json_cursor_element(cursor);
    return true;
}

/* Follows a variable and its keys. */
static bool read_variable(const struct path_reading *reading,
                          const struct expression_node *node,
                          struct fx_json_cursor current, struct fx_json_cursor *cursor) {
    *cursor = (struct fx_json_cursor){.part = reading->root};
    bool ok = fx_json_cursor_member(cursor, node->as.text);
    const struct expression_node *key = fx_jsonpath_first(reading->program, node);
    for (; ok && key != NULL; key = fx_jsonpath_next(reading->program, key)) {
        ok = select_key(reading, key, current, cursor);
    }
    return ok;
}

/* ---- paths ----------------------------------------------------------------------- */

/* Follows a filter, whose condition is evaluated for each element. */
static bool read_filter(const struct path_reading *reading,
                        const struct expression_node *step,
                        struct fx_json_cursor *cursor) {
    struct fx_json_cursor truth;
    fx_json_cursor_element(cursor);
    return read_node(reading, fx_jsonpath_first(reading->program, step), *cursor, &truth);
}

static bool read_range(const struct path_reading *reading,
                       const struct expression_node *step,
                       struct fx_json_cursor *cursor) {
    const struct fx_json_cursor list = *cursor;
    fx_json_cursor_element(cursor);
    return use_children(reading, step, list);
}

/* Returns the common parent of two positions. */
static bool read_union(const struct path_reading *reading,
                       const struct expression_node *step,
                       struct fx_json_cursor *cursor) {
    fx_json_cursor_all(*cursor);
    return use_children(reading, step, *cursor);
}

static bool read_step(const struct path_reading *reading,
                      const struct expression_node *step, struct fx_json_cursor *cursor) {
    const struct fx_json_cursor from = *cursor;
    switch (step->type) {
    case STEP_NAME: return fx_json_cursor_member(cursor, step->as.text);
    case STEP_KEY:
        return select_key(reading, fx_jsonpath_first(reading->program, step), from,
                          cursor);
    case STEP_SCRIPT:
        return read_node(reading, fx_jsonpath_first(reading->program, step), from,
                         cursor);
    case STEP_ALL: fx_json_cursor_element(cursor); return true;
    case STEP_FILTER: return read_filter(reading, step, cursor);
    case STEP_RANGE: return read_range(reading, step, cursor);
    case STEP_UNION: return read_union(reading, step, cursor);
    default: fx_json_cursor_all(from); return true; /* .. */
    }
}

static bool read_path(const struct path_reading *reading,
                      const struct expression_node *path, struct fx_json_cursor current,
                      struct fx_json_cursor *cursor) {
    *cursor = path->id == '$' ? (struct fx_json_cursor){.part = reading->root} : current;
    const struct expression_node *step = fx_jsonpath_first(reading->program, path);
    while (step != NULL && read_step(reading, step, cursor)) {
        step = fx_jsonpath_next(reading->program, step);
    }
    return step == NULL;
}

/* ---- expressions ----------------------------------------------------------------- */

static bool read_call(const struct path_reading *reading,
                      const struct expression_node *call, struct fx_json_cursor current) {
    const struct expression_node *argument = fx_jsonpath_first(reading->program, call);
    struct fx_json_cursor cursor;
    if (argument == NULL || argument->next != 0) {
        return true; /* the call fails before it reads */
    }
    if (!read_node(reading, argument, current, &cursor)) {
        return false;
    }
    switch ((enum function_id)call->id) {
    case FUNCTION_IS_DEFINED:
    case FUNCTION_IS_UNDEFINED:
    case FUNCTION_DATE: break; /* reads a text */
    case FUNCTION_LENGTH:
    case FUNCTION_IS_EMPTY:
    case FUNCTION_IS_NOT_EMPTY:
    case FUNCTION_NONE: fx_json_cursor_count(cursor); break;
    }
    return true;
}

static bool read_node(const struct path_reading *reading,
                      const struct expression_node *node, struct fx_json_cursor current,
                      struct fx_json_cursor *ret_cursor) {
    if (node->type == NODE_PATH) {
        return read_path(reading, node, current, ret_cursor);
    }
    if (node->type == NODE_VARIABLE) {
        return read_variable(reading, node, current, ret_cursor);
    }
    *ret_cursor = nowhere;
    switch (node->type) {
    case NODE_CALL: return read_call(reading, node, current);
    case NODE_UNKNOWN: return true; /* fails as above */
    default: return use_children(reading, node, current);
    }
}

bool fx_jsonpath_reads(const struct fx_jsonpath *path, struct fx_json_part *root,
                       struct fx_json_cursor *ret_cursor) {
    const struct path_reading reading = {path, root};
    return read_node(&reading, &path->nodes[path->root], nowhere, ret_cursor);
}
