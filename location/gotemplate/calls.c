/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/calls.c - finds functions by name, and calls them: the number and
 * the types of the arguments must be those of the parameters (templates spec, "Operands
 * and pipelines").
 */
#include "location/gotemplate/exec.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "location/gotemplate/function.h"

/* ---- functions --------------------------------------------------------------------- */

/* Returns the table at that index: first those of the library, then text/template's own,
 * then NULL. */
static const struct function *family_at(const struct fx_gotemplate_library *library,
                                        size_t index) {
    size_t n = 0;
    while (library != NULL && library->families[n] != NULL) {
        n++;
    }
    if (index < n) {
        return library->families[index];
    }
    return index == n ? functions_builtin : NULL;
}

const struct function *function_find(const struct fx_gotemplate_library *library,
                                     struct fx_text name) {
    for (size_t i = 0; family_at(library, i) != NULL; i++) {
        for (const struct function *function = family_at(library, i);
             function->name != NULL; function++) {
            if (fx_text_is(name, function->name)) {
                return function;
            }
        }
    }
    return NULL;
}

const struct function *function_at(const struct fx_gotemplate_library *library,
                                   size_t index) {
    for (size_t i = 0; family_at(library, i) != NULL; i++) {
        for (const struct function *function = family_at(library, i);
             function->name != NULL; function++) {
            if (index-- == 0) {
                return function;
            }
        }
    }
    return NULL;
}

/* Returns the number of bytes or elements, one level deep. A function that reads deeper
 * levels charges for them itself. */
static size_t size_of(const struct value *value) {
    return value->kind == VALUE_OBJECT ? value->object.type->size(value->object.data)
                                       : value_length(value);
}

/* Charges for a call by the size of its arguments: most of its work is linear in that
 * size. */
static bool charge_call(struct template_run *run, const struct function *function,
                        const struct value *arguments, size_t n) {
    const size_t price = function->price == 0 ? 1 : function->price;
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        size += size_of(&arguments[i]);
    }
    return run_spend(run, price + n + size / FUNCTION_SIZE_OF_PRICE * price);
}

bool function_call(struct template_run *run, const struct function *function,
                   const struct value *arguments, size_t n, struct value *ret_value) {
    struct template_call call = {
        .function = function,
        .run = run,
        .arena = &run->arena,
        .arguments = arguments,
        .n_arguments = n,
        .ret = ret_value,
        .err = run->err,
    };
    *ret_value = value_nil();
    return charge_call(run, function, arguments, n) && function->call(&call);
}

#define FAIL(exec, ...) fx_fail((exec)->run.err, FX_EMUTATE, __VA_ARGS__)

/* The kind of an argument (MISSING stands for any), the name of the type, and its name in
 * messages about literals of another type. */
static const struct {
    enum template_value_kind kind;
    const char *type;
    const char *expected;
} types[] = {
    [PARAMETER_ANY] = {VALUE_MISSING, "interface {}", NULL},
    [PARAMETER_VALUE] = {VALUE_MISSING, "reflect.Value", NULL},
    [PARAMETER_STRING] = {VALUE_STRING, "string", "string"},
    [PARAMETER_INT] = {VALUE_INT, "int", "integer"},
    [PARAMETER_INT64] = {VALUE_INT64, "int64", "integer"},
    [PARAMETER_FLOAT64] = {VALUE_FLOAT64, "float64", "float"},
    [PARAMETER_BOOL] = {VALUE_BOOL, "bool", "bool"},
    [PARAMETER_MAP] = {VALUE_MAP, TYPE_MAP, NULL},
    [PARAMETER_LIST] = {VALUE_LIST, TYPE_LIST, NULL},
    [PARAMETER_TIME] = {VALUE_OBJECT, "time.Time", NULL},
};

static bool takes_all(enum parameter parameter) {
    return types[parameter].kind == VALUE_MISSING;
}

/* ---- conversion of arguments ------------------------------------------------------ */

/* Gives the nil of a parameter's type: an empty list for LIST, a map that cannot be
 * written for MAP. */
static bool nil_of(struct exec *exec, enum parameter parameter, struct value *ret_value) {
    *ret_value = value_nil();
    if (parameter == PARAMETER_VALUE) {
        ret_value->kind = VALUE_MISSING;
    } else if (parameter == PARAMETER_MAP) {
        *ret_value = value_map(value_map_new(&exec->run));
        if (ret_value->map == NULL) {
            return false;
        }
        ret_value->map->nil = true;
    } else if (parameter == PARAMETER_LIST) {
        *ret_value = value_list(value_list_new(&exec->run, 0));
        return ret_value->list != NULL;
    }
    return true;
}

static bool can_be_nil(enum parameter parameter) {
    return takes_all(parameter) || parameter == PARAMETER_MAP ||
           parameter == PARAMETER_LIST;
}

/* Converts an evaluated value to the type of the parameter. */
static bool convert(struct exec *exec, enum parameter parameter, struct value *value) {
    const char *type = types[parameter].type;
    if (value->kind == VALUE_MISSING) {
        return can_be_nil(parameter) ? nil_of(exec, parameter, value)
                                     : FAIL(exec, "invalid value; expected %s", type);
    }
    if (takes_all(parameter) || strcmp(value_type_name(value), type) == 0) {
        return true;
    }
    return FAIL(exec, "wrong type for value; expected %s; got %s", type,
                value->kind == VALUE_NIL ? "interface {}" : value_type_name(value));
}

/* ---- literals -------------------------------------------------------------------- */

static bool fail_literal(struct exec *exec, const struct operand *operand,
                         enum parameter parameter) {
    const struct fx_text text = {exec->program->source.data + operand->span.off,
                                 operand->span.len};
    if (types[parameter].expected == NULL) {
        return FAIL(exec, "can't handle %.*s for arg of type %s", FX_TEXT_ARG(text),
                    types[parameter].type);
    }
    return FAIL(exec, "expected %s; found %.*s", types[parameter].expected,
                FX_TEXT_ARG(text));
}

static bool number_argument(struct exec *exec, const struct operand *operand,
                            enum parameter parameter, struct value *ret_value) {
    const struct literal *literal = operand->literal;
    if (parameter == PARAMETER_INT && literal->is_int) {
        *ret_value = value_int(literal->integer);
        return true;
    }
    if (parameter == PARAMETER_INT64 && literal->is_int) {
        *ret_value = value_int64(literal->integer);
        return true;
    }
    if (parameter == PARAMETER_FLOAT64 && literal->is_float) {
        *ret_value = value_float64(literal->number);
        return true;
    }
    return fail_literal(exec, operand, parameter);
}

static bool literal_argument(struct exec *exec, const struct operand *operand,
                             enum parameter parameter, struct value *ret_value) {
    if (operand->type == OPERAND_NUMBER) {
        return number_argument(exec, operand, parameter, ret_value);
    }
    if (operand->type == OPERAND_BOOL && parameter == PARAMETER_BOOL) {
        *ret_value = value_bool(operand->boolean);
        return true;
    }
    if (operand->type == OPERAND_STRING && parameter == PARAMETER_STRING) {
        *ret_value = value_string(operand->string);
        return true;
    }
    return fail_literal(exec, operand, parameter);
}

static bool is_literal(const struct operand *operand) {
    return operand->type == OPERAND_NUMBER || operand->type == OPERAND_BOOL ||
           operand->type == OPERAND_STRING;
}

bool eval_argument(struct exec *exec, const struct value *dot,
                   const struct operand *operand, enum parameter parameter,
                   struct value *ret_value) {
    exec->at = operand->span;
    if (operand->type == OPERAND_NIL) {
        return can_be_nil(parameter)
                   ? nil_of(exec, parameter, ret_value)
                   : FAIL(exec, "cannot assign nil to %s", types[parameter].type);
    }
    if (is_literal(operand) && !takes_all(parameter)) {
        return run_spend(&exec->run, 1) &&
               literal_argument(exec, operand, parameter, ret_value);
    }
    return eval_operand(exec, dot, operand, ret_value) &&
           convert(exec, parameter, ret_value);
}

/* ---- calls ----------------------------------------------------------------------- */

/* The arguments of a call before they are evaluated. */
struct given_arguments {
    const struct operand *operands;
    size_t n_operands;
    const struct value
        *final; /* the value before the `|`, which is the last argument, or NULL */
};

static size_t count_given(const struct given_arguments *given) {
    return given->n_operands + (given->final != NULL ? 1 : 0);
}

static size_t count_parameters(const struct function *function) {
    size_t n = 0;
    while (function->parameters[n] != PARAMETER_NONE) {
        n++;
    }
    return n;
}

static bool check_count(struct exec *exec, const struct function *function,
                        size_t n_parameters, size_t n_given) {
    if (function->variadic && n_given < n_parameters - 1) {
        return FAIL(exec, "wrong number of args for %s: want at least %zu got %zu",
                    function->name, n_parameters - 1, n_given);
    }
    if (!function->variadic && n_given != n_parameters) {
        return FAIL(exec, "wrong number of args for %s: want %zu got %zu", function->name,
                    n_parameters, n_given);
    }
    return true;
}

static bool eval_given(struct exec *exec, const struct value *dot,
                       const struct given_arguments *given, size_t which,
                       enum parameter parameter, struct value *ret_value) {
    if (which < given->n_operands) {
        return eval_argument(exec, dot, &given->operands[which], parameter, ret_value);
    }
    *ret_value = *given->final;
    return convert(exec, parameter, ret_value);
}

enum { USUAL_ARGUMENTS = 6 };

static bool eval_arguments(struct exec *exec, const struct value *dot,
                           const struct command *command,
                           const struct given_arguments *given, struct value *ret_value) {
    const struct function *function = command->operands[0].function;
    const size_t n_parameters = count_parameters(function);
    const size_t n = count_given(given);
    struct value usual[USUAL_ARGUMENTS];
    struct value *arguments =
        n <= USUAL_ARGUMENTS ? usual : run_alloc(&exec->run, n * sizeof *arguments);
    if (arguments == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t at = i < n_parameters ? i : n_parameters - 1;
        if (!eval_given(exec, dot, given, i, function->parameters[at], &arguments[i])) {
            return false;
        }
    }
    if (function_call(&exec->run, function, arguments, n, ret_value)) {
        return true;
    }
    exec->at = command->span;
    if (exec->run.err->code == FX_EMUTATE) {
        (void)fx_err_prefix(exec->run.err, "error calling %s: ", function->name);
    }
    return false;
}

/* Evaluates `and` or `or`. `and` gives the first false argument, `or` the first true one;
 * if there is none, both give the last. Later arguments are not evaluated. */
static bool eval_decision(struct exec *exec, const struct value *dot,
                          const struct command *command,
                          const struct given_arguments *given, struct value *ret_value) {
    const struct function *function = command->operands[0].function;
    const bool wanted = strcmp(function->name, "or") == 0;
    const size_t n = count_given(given);
    for (size_t i = 0; i < n; i++) {
        if (!eval_given(exec, dot, given, i, PARAMETER_VALUE, ret_value)) {
            return false;
        }
        if (value_is_true(ret_value) == wanted) {
            break;
        }
    }
    return true;
}

bool eval_call(struct exec *exec, const struct value *dot, const struct command *command,
               const struct value *final, struct value *ret_value) {
    const struct operand *first = &command->operands[0];
    const struct function *function = first->function;
    const struct given_arguments given = {first + 1, command->n_operands - 1, final};
    assert(function->refused == NULL);
    exec->at = first->span;
    if (!check_count(exec, function, count_parameters(function), count_given(&given))) {
        return false;
    }
    return function->call == NULL ? eval_decision(exec, dot, command, &given, ret_value)
                                  : eval_arguments(exec, dot, command, &given, ret_value);
}
