/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/exec.c - the execution of a template: fields, operands, commands
 * and pipelines, and the statements that contain them (templates spec, "Actions",
 * "Operands and pipelines", "Missing and nil").
 */
#include "location/gotemplate/exec.h"

#include <string.h>

#include "base/limits.h"

static bool eval_pipeline(struct exec *exec, const struct value *dot,
                          const struct pipeline *pipeline, struct value *ret_value);
static bool exec_list(struct exec *exec, const struct value *dot,
                      const struct statement *statements);

/* Enters a level of nesting, which exec_leave() leaves. Errors: FX_ELIMIT. */
static bool exec_enter(struct exec *exec) {
    if (exec->depth >= FX_LIMIT_TEMPLATE_DEPTH) {
        return fx_fail(exec->run.err, FX_ELIMIT, "exceeded maximum template depth (%u)",
                       FX_LIMIT_TEMPLATE_DEPTH);
    }
    exec->depth++;
    return run_spend(&exec->run, 1);
}

static void exec_leave(struct exec *exec) {
    exec->depth--;
}

/* ---- variables ------------------------------------------------------------------- */

/* Declares a variable. */
static bool exec_push(struct exec *exec, uint32_t id, const struct value *value) {
    if (exec->n_variables == exec->cap_variables &&
        !run_grow(&exec->run, &exec->variables, &exec->cap_variables,
                  sizeof *exec->variables)) {
        return false;
    }
    exec->variables[exec->n_variables++] = (struct variable){id, *value};
    return true;
}

/* Returns the innermost variable with that id, or NULL. */
static struct variable *exec_find(const struct exec *exec, uint32_t id) {
    for (size_t i = exec->n_variables; i > exec->first_variable; i--) {
        if (exec->variables[i - 1].id == id) {
            return &exec->variables[i - 1];
        }
    }
    return NULL;
}

/* Fails with an error of the template. */
#define FAIL(exec, ...) fx_fail((exec)->run.err, FX_EMUTATE, __VA_ARGS__)

static struct fx_text source_of(const struct exec *exec, struct source_span span) {
    return (struct fx_text){exec->program->source.data + span.off, span.len};
}

/* ---- fields ---------------------------------------------------------------------- */

/* Fails with a list of the existing names. */
static bool fail_struct_field(struct exec *exec, const struct context *context,
                              struct fx_text name) {
    char names[256] = "";
    size_t len = 0;
    for (size_t i = 0; i < context->n; i++) {
        const struct fx_text field = context->fields[i].name;
        if (len + field.len + 3 < sizeof names) {
            memcpy(names + len, i == 0 ? "" : ", ", i == 0 ? 0 : 2);
            len += i == 0 ? 0 : 2;
            memcpy(names + len, field.data, field.len);
            len += field.len;
        }
    }
    return FAIL(exec, "can't evaluate field %.*s in type struct: there are %.*s",
                FX_TEXT_ARG(name), (int)len, names);
}

static bool struct_field(struct exec *exec, const struct context *context,
                         struct fx_text name, struct value *ret_value) {
    for (size_t i = 0; i < context->n; i++) {
        if (fx_text_equal(context->fields[i].name, name)) {
            *ret_value = context->fields[i].value;
            ret_value->boxed = true;
            return true;
        }
    }
    return fail_struct_field(exec, context, name);
}

static bool map_field(struct exec *exec, struct map *map, struct fx_text name,
                      struct value *ret_value) {
    if (!value_map_get(&exec->run, map, name, ret_value)) {
        return false;
    }
    ret_value->boxed = strcmp(map->type, TYPE_MAP) == 0;
    return true;
}

static bool has_member(const struct value *receiver, struct fx_text name,
                       struct value *ret_value) {
    return receiver->kind == VALUE_OBJECT &&
           receiver->object.type->member(receiver->object.data, name, ret_value);
}

/* Evaluates one field. A field of a MISSING value is MISSING; a field of nil is an
 * error. */
static bool eval_field(struct exec *exec, const struct value *receiver,
                       struct fx_text name, bool has_arguments, struct value *ret_value) {
    const struct value from = *receiver;
    if (from.kind == VALUE_MISSING) {
        *ret_value = from;
        return true;
    }
    if (from.kind == VALUE_NIL) {
        return FAIL(exec, "nil pointer evaluating interface {}.%.*s", FX_TEXT_ARG(name));
    }
    if (has_arguments && (from.kind == VALUE_MAP || from.kind == VALUE_STRUCT)) {
        return FAIL(exec, "%.*s is not a method but has arguments", FX_TEXT_ARG(name));
    }
    if (from.kind == VALUE_MAP) {
        return map_field(exec, from.map, name, ret_value);
    }
    if (from.kind == VALUE_STRUCT) {
        return struct_field(exec, from.context, name, ret_value);
    }
    return (!has_arguments && has_member(&from, name, ret_value)) ||
           FAIL(exec, "can't evaluate field %.*s in type %s", FX_TEXT_ARG(name),
                from.boxed ? "interface {}" : value_type_name(&from));
}

/* Evaluates the fields of an operand. Arguments belong to the last field. */
static bool eval_fields(struct exec *exec, const struct operand *operand,
                        bool has_arguments, struct value *value) {
    exec->at = operand->span;
    for (size_t i = 0; i < operand->n_fields; i++) {
        const bool is_last = i + 1 == operand->n_fields;
        if (!eval_field(exec, value, operand->fields[i], has_arguments && is_last,
                        value)) {
            return false;
        }
    }
    return true;
}

/* ---- operands -------------------------------------------------------------------- */

static bool eval_variable(struct exec *exec, const struct operand *operand,
                          struct value *ret_value) {
    const struct variable *variable = exec_find(exec, operand->variable);
    if (variable == NULL) {
        return FAIL(exec, "undefined variable: %.*s",
                    FX_TEXT_ARG(source_of(exec, operand->span)));
    }
    *ret_value = variable->value;
    return true;
}

static bool eval_literal(struct exec *exec, const struct operand *operand,
                         struct value *ret_value) {
    if (operand->literal->ideal.kind == VALUE_MISSING) {
        return FAIL(exec, "%.*s overflows int",
                    FX_TEXT_ARG(source_of(exec, operand->span)));
    }
    *ret_value = operand->literal->ideal;
    return true;
}

/* Calls a function that is named without arguments. */
static bool eval_function(struct exec *exec, const struct value *dot,
                          const struct operand *operand, struct value *ret_value) {
    const struct command command = {
        .span = operand->span,
        .operands = operand,
        .n_operands = 1,
    };
    return eval_call(exec, dot, &command, NULL, ret_value);
}

/* Evaluates an operand without its fields. */
static bool eval_term(struct exec *exec, const struct value *dot,
                      const struct operand *operand, struct value *ret_value) {
    exec->at = operand->span;
    switch (operand->type) {
    case OPERAND_DOT: *ret_value = *dot; break;
    case OPERAND_VARIABLE: return eval_variable(exec, operand, ret_value);
    case OPERAND_PIPELINE: return eval_pipeline(exec, dot, operand->pipeline, ret_value);
    case OPERAND_FUNCTION: return eval_function(exec, dot, operand, ret_value);
    case OPERAND_NIL: return FAIL(exec, "nil is not a command");
    case OPERAND_BOOL: *ret_value = value_bool(operand->boolean); break;
    case OPERAND_NUMBER: return eval_literal(exec, operand, ret_value);
    case OPERAND_STRING: *ret_value = value_string(operand->string); break;
    }
    return true;
}

bool eval_operand(struct exec *exec, const struct value *dot,
                  const struct operand *operand, struct value *ret_value) {
    return run_spend(&exec->run, 1) && eval_term(exec, dot, operand, ret_value) &&
           (operand->n_fields == 0 || eval_fields(exec, operand, false, ret_value));
}

/* ---- commands -------------------------------------------------------------------- */

/* Evaluates an operand that is not a function, but has arguments or a value before the
 * `|`. */
static bool eval_with_arguments(struct exec *exec, const struct value *dot,
                                const struct operand *first, struct value *ret_value) {
    exec->at = first->span;
    if (first->n_fields == 0) {
        return FAIL(exec, "can't give argument to non-function %.*s",
                    FX_TEXT_ARG(source_of(exec, first->span)));
    }
    return eval_term(exec, dot, first, ret_value) &&
           eval_fields(exec, first, true, ret_value);
}

static bool eval_command(struct exec *exec, const struct value *dot,
                         const struct command *command, const struct value *final,
                         struct value *ret_value) {
    const struct operand *first = &command->operands[0];
    if (first->type == OPERAND_FUNCTION && first->n_fields == 0) {
        return eval_call(exec, dot, command, final, ret_value);
    }
    if (command->n_operands > 1 || final != NULL) {
        return eval_with_arguments(exec, dot, first, ret_value);
    }
    return eval_operand(exec, dot, first, ret_value);
}

/* ---- pipelines ------------------------------------------------------------------- */

static bool set_variable(struct exec *exec, const struct pipeline *pipeline, size_t which,
                         const struct value *value) {
    if (!pipeline->assigns) {
        return exec_push(exec, pipeline->variables[which], value);
    }
    struct variable *variable = exec_find(exec, pipeline->variables[which]);
    if (variable == NULL) {
        const struct fx_text text = source_of(exec, pipeline->span);
        size_t len = 0;
        while (len < text.len && strchr(" \t\r\n,:=", text.data[len]) == NULL) {
            len++;
        }
        return FAIL(exec, "undefined variable: %.*s", (int)len, text.data);
    }
    variable->value = *value;
    return true;
}

/* Evaluates a pipeline, and declares or assigns its variables. As in Go a nil
 * interface{} becomes MISSING. */
static bool eval_pipeline(struct exec *exec, const struct value *dot,
                          const struct pipeline *pipeline, struct value *ret_value) {
    if (!exec_enter(exec)) {
        return false;
    }
    exec->at = pipeline->span;
    struct value value = {0};
    const struct value *final = NULL;
    for (const struct command *command = pipeline->commands; command != NULL;
         command = command->next) {
        struct value result = {0};
        if (!eval_command(exec, dot, command, final, &result)) {
            return false;
        }
        value = result;
        value.boxed = false;
        value.kind = value.kind == VALUE_NIL ? VALUE_MISSING : value.kind;
        final = &value;
    }
    for (size_t i = 0; i < pipeline->n_variables; i++) {
        if (!set_variable(exec, pipeline, i, &value)) {
            return false;
        }
    }
    exec_leave(exec);
    *ret_value = value;
    return true;
}

/* ---- output ---------------------------------------------------------------------- */

static bool check_output(struct exec *exec) {
    return !exec->output->failed || run_fail_buf(&exec->run, exec->output);
}

static bool exec_text(struct exec *exec, const struct statement *statement) {
    fx_buf_text(exec->output, statement->text);
    return check_output(exec);
}

static bool exec_print(struct exec *exec, const struct value *dot,
                       const struct statement *statement) {
    struct value value = {0};
    if (!eval_pipeline(exec, dot, statement->pipeline, &value)) {
        return false;
    }
    if (statement->pipeline->n_variables > 0) {
        return true;
    }
    if (value_is_nil(&value)) {
        fx_buf_str(exec->output, "<no value>");
    } else if (!value_print(&exec->run, exec->output, &value)) {
        return false;
    }
    return check_output(exec);
}

/* ---- blocks ---------------------------------------------------------------------- */

static bool exec_branch(struct exec *exec, const struct value *dot,
                        const struct statement *statement, const struct value *value) {
    if (!value_is_true(value)) {
        return exec_list(exec, dot, statement->otherwise);
    }
    const bool sets_dot = statement->type == STATEMENT_WITH;
    return exec_list(exec, sets_dot ? value : dot, statement->body);
}

/* Executes `if` or `with`. */
static bool exec_choice(struct exec *exec, const struct value *dot,
                        const struct statement *statement) {
    const size_t n_variables = exec->n_variables;
    struct value value = {0};
    if (!eval_pipeline(exec, dot, statement->pipeline, &value) ||
        !exec_branch(exec, dot, statement, &value)) {
        return false;
    }
    exec->n_variables = n_variables;
    return true;
}

static void set_loop_variable(struct exec *exec, const struct pipeline *pipeline,
                              size_t which, const struct value *value) {
    struct variable *variable = exec_find(exec, pipeline->variables[which]);
    if (!pipeline->assigns) { /* the variables that were declared last */
        variable = &exec->variables[exec->n_variables - pipeline->n_variables + which];
    }
    variable->value = *value;
}

/* Executes the body of `range` once. One variable is set to the element, two are set to
 * its index or key and the element. */
static bool exec_round(struct exec *exec, const struct statement *statement,
                       const struct value *key, const struct value *element) {
    const struct pipeline *pipeline = statement->pipeline;
    const size_t n_variables = exec->n_variables;
    if (pipeline->n_variables == 2) {
        set_loop_variable(exec, pipeline, 0, key);
    }
    if (pipeline->n_variables > 0) {
        set_loop_variable(exec, pipeline, pipeline->n_variables - 1, element);
    }
    if (!run_spend(&exec->run, 1) || !exec_list(exec, element, statement->body)) {
        return false;
    }
    exec->n_variables = n_variables;
    exec->flow = exec->flow == FLOW_BREAK ? FLOW_BREAK : FLOW_ON;
    return true;
}

static bool exec_over_list(struct exec *exec, const struct statement *statement,
                           const struct template_list *list) {
    const bool boxed = strcmp(list->type, TYPE_LIST) == 0;
    for (size_t i = 0; i < list->n && exec->flow == FLOW_ON; i++) {
        const struct value key = value_int((int64_t)i);
        struct value element = list->values[i];
        element.boxed = boxed;
        if (!exec_round(exec, statement, &key, &element)) {
            return false;
        }
    }
    return true;
}

/* Executes `range` over a map: iterates over the entries at the start, even if the body
 * changes the map. */
static bool exec_over_map(struct exec *exec, const struct statement *statement,
                          struct map *map) {
    if (!value_map_fill(&exec->run, map)) {
        return false;
    }
    map->lent = true;
    const bool boxed = strcmp(map->type, TYPE_MAP) == 0;
    const struct map_entry *entries = map->entries;
    const size_t n = map->n;
    for (size_t i = 0; i < n && exec->flow == FLOW_ON; i++) {
        const struct value key = value_string(entries[i].key);
        struct value element = entries[i].value;
        element.boxed = boxed;
        if (!exec_round(exec, statement, &key, &element)) {
            return false;
        }
    }
    return true;
}

static bool fail_range(struct exec *exec, const struct value *value) {
    struct fx_buf *text = run_scratch(&exec->run);
    if (!value_print(&exec->run, text, value)) {
        return false;
    }
    return fx_fail(exec->run.err, FX_EMUTATE, "range can't iterate over %.*s",
                   (int)text->len, text->len == 0 ? "" : text->data);
}

static bool exec_range(struct exec *exec, const struct value *dot,
                       const struct statement *statement) {
    const size_t n_variables = exec->n_variables;
    struct value value = {0};
    bool ok = eval_pipeline(exec, dot, statement->pipeline, &value);
    if (!ok) {
        return false;
    }
    exec->at = statement->pipeline->span;
    if (value_is_nil(&value) || ((value.kind == VALUE_LIST || value.kind == VALUE_MAP) &&
                                 value_length(&value) == 0)) {
        ok = exec_list(exec, dot, statement->otherwise);
    } else if (value.kind == VALUE_LIST || value.kind == VALUE_MAP) {
        ok = value.kind == VALUE_LIST ? exec_over_list(exec, statement, value.list)
                                      : exec_over_map(exec, statement, value.map);
        exec->flow = FLOW_ON; /* after a break */
    } else {
        ok = fail_range(exec, &value);
    }
    exec->n_variables = n_variables;
    return ok;
}

/* ---- templates ------------------------------------------------------------------- */

/* Executes another template. It does not see the caller's variables: the given value is
 * both dot and `$`. */
static bool exec_definition(struct exec *exec, const struct definition *definition,
                            const struct value *dot) {
    const struct definition *caller = exec->definition;
    const size_t first_variable = exec->first_variable;
    const size_t n_variables = exec->n_variables;
    exec->definition = definition;
    exec->first_variable = n_variables;
    if (!exec_push(exec, VARIABLE_ROOT, dot) || !exec_list(exec, dot, definition->body)) {
        return false;
    }
    exec->definition = caller;
    exec->first_variable = first_variable;
    exec->n_variables = n_variables;
    return true;
}

static bool exec_template(struct exec *exec, const struct value *dot,
                          const struct statement *statement) {
    exec->at = statement->span;
    if (statement->definition == NULL) {
        return fx_fail(exec->run.err, FX_EMUTATE, "template \"%.*s\" not defined",
                       FX_TEXT_ARG(statement->text));
    }
    struct value value = {.kind = VALUE_MISSING};
    if (statement->pipeline != NULL &&
        !eval_pipeline(exec, dot, statement->pipeline, &value)) {
        return false;
    }
    return exec_definition(exec, statement->definition, &value);
}

/* ---- statements ------------------------------------------------------------------ */

static bool exec_statement(struct exec *exec, const struct value *dot,
                           const struct statement *statement) {
    switch (statement->type) {
    case STATEMENT_TEXT: return exec_text(exec, statement);
    case STATEMENT_PRINT: return exec_print(exec, dot, statement);
    case STATEMENT_IF:
    case STATEMENT_WITH: return exec_choice(exec, dot, statement);
    case STATEMENT_RANGE: return exec_range(exec, dot, statement);
    case STATEMENT_TEMPLATE: return exec_template(exec, dot, statement);
    case STATEMENT_BREAK: exec->flow = FLOW_BREAK; break;
    case STATEMENT_CONTINUE: exec->flow = FLOW_CONTINUE; break;
    }
    return true;
}

static bool exec_list(struct exec *exec, const struct value *dot,
                      const struct statement *statements) {
    if (!exec_enter(exec)) {
        return false;
    }
    for (; statements != NULL && exec->flow == FLOW_ON; statements = statements->next) {
        if (!run_spend(&exec->run, 1) || !exec_statement(exec, dot, statements)) {
            return false;
        }
    }
    exec_leave(exec);
    return true;
}

bool exec_program(struct exec *exec, const struct value *root) {
    return exec_definition(exec, exec->program->root, root);
}
