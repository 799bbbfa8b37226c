/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/eval.h - private to the room: the evaluator, which walks the checked
 * expression (spec/cel.md sections 4 and 11).
 *
 * Costs are those of cel-go's tracker. There a variable with the fields and indexes that
 * are read from it is one *attribute*: it costs 1, and each step 1 more. A conditional is
 * an attribute, too: it costs nothing, and neither does a branch that is an attribute,
 * apart from its steps.
 */
#ifndef FX_LOCATION_CEL_EVAL_H
#define FX_LOCATION_CEL_EVAL_H

#include "location/cel/ast.h"
#include "location/cel/function.h"
#include "location/cel/run.h"

/* fx_cel_node.how: of a call, which operator it is; of a select, whether the operand is a
 * struct by its static type. */
enum fx_cel_how {
    FX_CEL_HOW_PLAIN, /* an ordinary function; a select without a known type */
    FX_CEL_HOW_FIELD,
    FX_CEL_HOW_AND,
    FX_CEL_HOW_OR,
    FX_CEL_HOW_CONDITIONAL,
    FX_CEL_HOW_EQUAL,
    FX_CEL_HOW_NOT_EQUAL,
    FX_CEL_HOW_INDEX,
    FX_CEL_HOW_OPTIONAL_INDEX, /* also `.?field` */
    FX_CEL_HOW_NOT_STRICTLY_FALSE,
    FX_CEL_HOW_OPTIONAL_OR,
    FX_CEL_HOW_OPTIONAL_OR_VALUE,
    FX_CEL_HOW_LESS,
    FX_CEL_HOW_LESS_EQUAL,
    FX_CEL_HOW_GREATER,
    FX_CEL_HOW_GREATER_EQUAL,
    FX_CEL_HOW_IN_SET, /* `in` with constants on the right */
    FX_CEL_HOW_APPEND, /* accumulator + [element], in place */
};

/* The value of a node, or an error value. Results are written where they belong, and not
 * returned: copies of values just written are slow. */
void fx_cel_eval_node(struct fx_cel_run *run, const struct fx_cel_node *node,
                      struct fx_cel_value *ret);

/* The parts of it, without the check of the cost. */
void fx_cel_eval_call(struct fx_cel_run *run, const struct fx_cel_node *node,
                      struct fx_cel_value *ret);
void fx_cel_eval_function(struct fx_cel_run *run, const struct fx_cel_node *node,
                          struct fx_cel_value *ret);
void fx_cel_eval_attribute(struct fx_cel_run *run, const struct fx_cel_node *node,
                           struct fx_cel_value *ret);
void fx_cel_eval_list(struct fx_cel_run *run, const struct fx_cel_node *node,
                      struct fx_cel_value *ret);
void fx_cel_eval_map(struct fx_cel_run *run, const struct fx_cel_node *node,
                     struct fx_cel_value *ret);
void fx_cel_eval_struct(struct fx_cel_run *run, const struct fx_cel_node *node,
                        struct fx_cel_value *ret);
void fx_cel_eval_fold(struct fx_cel_run *run, const struct fx_cel_node *node,
                      struct fx_cel_value *ret);

/* The value of the name of a variable, without its cost. */
const struct fx_cel_value *fx_cel_eval_variable(struct fx_cel_run *run,
                                                const struct fx_cel_node *node);

/* Is the node an attribute (see above)? */
static inline bool fx_cel_is_attribute(const struct fx_cel_node *node) {
    return (node->type == FX_CEL_NODE_NAME && node->name.type == NULL) ||
           node->type == FX_CEL_NODE_SELECT ||
           (node->type == FX_CEL_NODE_CALL &&
            (node->how == FX_CEL_HOW_INDEX || node->how == FX_CEL_HOW_OPTIONAL_INDEX ||
             node->how == FX_CEL_HOW_CONDITIONAL));
}

static inline bool fx_cel_is_fatal(const struct fx_cel_value *value) {
    return value->kind == FX_CEL_ERROR && (value->flags & FX_CEL_FATAL) != 0;
}

/* The arguments of a call with its receiver, by number. */
static inline size_t fx_cel_count_arguments(const struct fx_cel_node *call) {
    return call->call.n_args + (call->call.target != NULL);
}

static inline struct fx_cel_node *fx_cel_argument(const struct fx_cel_node *call,
                                                  size_t number) {
    if (call->call.target == NULL) {
        return call->call.args[number];
    }
    return number == 0 ? call->call.target : call->call.args[number - 1];
}

#endif
