/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/print.c - prints an expression so that it compiles to the same
 * expression, with parentheses only where precedence requires them.
 */
#include "base/buf.h"
#include "location/jsonpath/program.h"
#include "value/number.h"

struct path_printer {
    struct fx_buf *buf;
    const struct fx_jsonpath *program;
};

static void print_node(const struct path_printer *to, const struct expression_node *node);

/* Prints the node, in parentheses if they are needed. */
static void print_within(const struct path_printer *to,
                         const struct expression_node *node, bool bracket) {
    if (bracket) {
        fx_buf_char(to->buf, '(');
    }
    print_node(to, node);
    if (bracket) {
        fx_buf_char(to->buf, ')');
    }
}

/* Prints the node and its siblings. */
static void print_all(const struct path_printer *to, const struct expression_node *node,
                      const char *between) {
    for (; node != NULL; node = fx_jsonpath_next(to->program, node)) {
        print_node(to, node);
        if (node->next != 0) {
            fx_buf_str(to->buf, between);
        }
    }
}

/* ---- operators ------------------------------------------------------------------- */

/* Returns the precedence of the node; operands have the highest. */
static int binding_of(const struct expression_node *node) {
    if (node->type == NODE_IF) {
        return -1;
    }
    return node->type == NODE_INFIX
               ? fx_jsonpath_operator((enum operator_id)node->id)->binding
               : INT32_MAX;
}

static void print_infix(const struct path_printer *to,
                        const struct expression_node *node) {
    const struct operator_entry *own = fx_jsonpath_operator((enum operator_id)node->id);
    const struct expression_node *left = fx_jsonpath_child(to->program, node);
    const struct expression_node *right = fx_jsonpath_sibling(to->program, left);
    print_within(to, left, binding_of(left) < own->binding);
    fx_buf_printf(to->buf, " %s ", own->text);
    print_within(to, right, binding_of(right) <= own->binding);
}

static void print_prefix(const struct path_printer *to,
                         const struct expression_node *node) {
    static const char marks[] = {
        [PREFIX_NOT] = '!', [PREFIX_MINUS] = '-', [PREFIX_COMPLEMENT] = '~'};
    const struct expression_node *operand = fx_jsonpath_first(to->program, node);
    fx_buf_char(to->buf, marks[node->id]);
    print_within(to, operand, binding_of(operand) < INT32_MAX);
}

/* Prints a choice. One without a second branch is at the end of the text, without
 * parentheses. */
static void print_if(const struct path_printer *to, const struct expression_node *node) {
    const struct expression_node *condition = fx_jsonpath_child(to->program, node);
    const struct expression_node *branch = fx_jsonpath_sibling(to->program, condition);
    print_within(to, condition, condition->type == NODE_IF);
    fx_buf_str(to->buf, " ? ");
    print_node(to, branch);
    if (branch->next != 0) {
        fx_buf_str(to->buf, " : ");
        print_node(to, fx_jsonpath_next(to->program, branch));
    }
}

/* ---- operands -------------------------------------------------------------------- */

static void print_number(const struct path_printer *to, double number) {
    char text[FX_NUMBER_SIZE];
    fx_buf_add(to->buf, text, fx_number_print_double(number, text));
}

static void print_object(const struct path_printer *to,
                         const struct expression_node *node) {
    fx_buf_char(to->buf, '{');
    for (const struct expression_node *key = fx_jsonpath_first(to->program, node);
         key != NULL;) {
        const struct expression_node *value = fx_jsonpath_sibling(to->program, key);
        print_within(to, key, key->type == NODE_IF);
        fx_buf_str(to->buf, ": ");
        print_node(to, value);
        key = fx_jsonpath_next(to->program, value);
        if (key != NULL) {
            fx_buf_str(to->buf, ", ");
        }
    }
    fx_buf_char(to->buf, '}');
}

static void print_variable(const struct path_printer *to,
                           const struct expression_node *node) {
    fx_buf_text(to->buf, node->as.text);
    for (const struct expression_node *key = fx_jsonpath_first(to->program, node);
         key != NULL; key = fx_jsonpath_next(to->program, key)) {
        fx_buf_char(to->buf, '[');
        print_node(to, key);
        fx_buf_char(to->buf, ']');
    }
}

/* Prints a call. For an unknown function the first child is its name. */
static void print_call(const struct path_printer *to,
                       const struct expression_node *node) {
    const struct expression_node *argument = fx_jsonpath_first(to->program, node);
    if (node->type == NODE_CALL) {
        fx_buf_str(to->buf, fx_jsonpath_function_name((enum function_id)node->id));
    } else {
        print_variable(to, argument);
        argument = fx_jsonpath_next(to->program, argument);
    }
    fx_buf_char(to->buf, '(');
    print_all(to, argument, ", ");
    fx_buf_char(to->buf, ')');
}

static void print_placeholder(const struct path_printer *to,
                              const struct expression_node *node) {
    fx_buf_char(to->buf, '#');
    if (node->as.integer >= 0) {
        fx_buf_integer(to->buf, node->as.integer);
    }
}

/* ---- paths ----------------------------------------------------------------------- */

static void print_bounds(const struct path_printer *to,
                         const struct expression_node *step) {
    const struct expression_node *min = fx_jsonpath_child(to->program, step);
    const struct expression_node *max = fx_jsonpath_sibling(to->program, min);
    const struct expression_node *by = fx_jsonpath_sibling(to->program, max);
    print_within(to, min, min->type == NODE_IF);
    fx_buf_char(to->buf, ':');
    print_within(to, max, max->type == NODE_IF);
    if (by->type != NODE_NONE) {
        fx_buf_char(to->buf, ':');
        print_within(to, by, by->type == NODE_IF);
    }
}

static void print_bracket(const struct path_printer *to,
                          const struct expression_node *step) {
    fx_buf_char(to->buf, '[');
    if (step->type == STEP_ALL) {
        fx_buf_char(to->buf, '*');
    } else if (step->type == STEP_RANGE) {
        print_bounds(to, step);
    } else {
        fx_buf_str(to->buf, step->type == STEP_FILTER ? "? " : "");
        print_all(to, fx_jsonpath_first(to->program, step), ", ");
    }
    fx_buf_char(to->buf, ']');
}

static void print_step(const struct path_printer *to, const struct expression_node *step,
                       bool behind_descent) {
    switch (step->type) {
    case STEP_NAME:
        fx_buf_str(to->buf, behind_descent ? "" : ".");
        fx_buf_text(to->buf, step->as.text);
        return;
    case STEP_SCRIPT:
        print_within(to, fx_jsonpath_first(to->program, step), true);
        return;
    case STEP_DESCEND: fx_buf_str(to->buf, ".."); return;
    default: print_bracket(to, step); return;
    }
}

static void print_path(const struct path_printer *to,
                       const struct expression_node *node) {
    bool behind_descent = false;
    fx_buf_char(to->buf, (char)node->id);
    for (const struct expression_node *step = fx_jsonpath_first(to->program, node);
         step != NULL; step = fx_jsonpath_next(to->program, step)) {
        print_step(to, step, behind_descent);
        behind_descent = step->type == STEP_DESCEND;
    }
}

/* ---- all ------------------------------------------------------------------------- */

static void print_node(const struct path_printer *to,
                       const struct expression_node *node) {
    switch (node->type) {
    case NODE_NONE: return;
    case NODE_NUMBER: print_number(to, node->as.number); return;
    case NODE_INTEGER: fx_buf_integer(to->buf, node->as.integer); return;
    case NODE_TEXT: fx_text_quote_go(to->buf, node->as.text); return;
    case NODE_BOOL: fx_buf_str(to->buf, node->as.truth ? "true" : "false"); return;
    case NODE_LIST:
        fx_buf_char(to->buf, '[');
        print_all(to, fx_jsonpath_first(to->program, node), ", ");
        fx_buf_char(to->buf, ']');
        return;
    case NODE_OBJECT: print_object(to, node); return;
    case NODE_VARIABLE: print_variable(to, node); return;
    case NODE_CALL:
    case NODE_UNKNOWN: print_call(to, node); return;
    case NODE_PLACEHOLDER: print_placeholder(to, node); return;
    case NODE_PATH: print_path(to, node); return;
    case NODE_PREFIX: print_prefix(to, node); return;
    case NODE_INFIX: print_infix(to, node); return;
    default: print_if(to, node); return;
    }
}

void fx_jsonpath_print(struct fx_buf *buf, const struct fx_jsonpath *path) {
    const struct path_printer to = {.buf = buf, .program = path};
    print_node(&to, &path->nodes[path->root]);
}
