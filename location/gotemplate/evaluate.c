/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/evaluate.c - pipelines, commands, operands, fields (templates spec,
 * "Operands and pipelines", "Missing and nil").
 */
#include "location/gotemplate/exec.h"

#include <string.h>

#include "base/limits.h"

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

/* A field of a MISSING value is MISSING; a field of nil is an error. */
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

/* Arguments belong to the last field. */
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

/* The name of a function alone calls it. */
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

/* An operand that is no function has arguments, or a value before the `|`. */
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

bool eval_pipeline(struct exec *exec, const struct value *dot,
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
