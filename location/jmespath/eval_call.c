/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/eval_call.c - calls functions: evaluates and checks the arguments.
 */
#include "location/jmespath/eval.h"

#include "base/buf.h"

#define UNITS_OF_CALL 4u

/* ---- types ------------------------------------------------------------------------- */

static const char *const type_names[] = {
    "null",
    "a boolean",
    "a number",
    "a string",
    "an array",
    "an object",
    "an array of strings",
    "an array of numbers",
};

static unsigned type_of(const json_t *value) {
    static const unsigned types[] = {
        [JSON_OBJECT] = FX_JMESPATH_OBJECT, [JSON_ARRAY] = FX_JMESPATH_ARRAY,
        [JSON_STRING] = FX_JMESPATH_STRING, [JSON_INTEGER] = FX_JMESPATH_NUMBER,
        [JSON_REAL] = FX_JMESPATH_NUMBER,   [JSON_TRUE] = FX_JMESPATH_BOOLEAN,
        [JSON_FALSE] = FX_JMESPATH_BOOLEAN, [JSON_NULL] = FX_JMESPATH_NULL,
    };
    return types[json_typeof(value)];
}

static bool has_elements_of(const json_t *array, unsigned type) {
    size_t i = 0;
    while (i < json_array_size(array) && type_of(json_array_get(array, i)) == type) {
        i++;
    }
    return i == json_array_size(array);
}

static bool has_type(const json_t *value, unsigned types) {
    const unsigned own = type_of(value);
    if ((own & types) != 0) {
        return true;
    }
    return own == FX_JMESPATH_ARRAY && (((types & FX_JMESPATH_ARRAY_OF_STRING) != 0 &&
                                         has_elements_of(value, FX_JMESPATH_STRING)) ||
                                        ((types & FX_JMESPATH_ARRAY_OF_NUMBER) != 0 &&
                                         has_elements_of(value, FX_JMESPATH_NUMBER)));
}

/* Appends `a string or a number`. */
static void name_types(struct fx_buf *buf, unsigned types) {
    const char *separator = "";
    for (size_t i = 0; i < FX_COUNT(type_names); i++) {
        if ((types & 1u << i) != 0) {
            fx_buf_str(buf, separator);
            fx_buf_str(buf, type_names[i]);
            separator = " or ";
        }
    }
}

static bool fail_type(const struct fx_jmespath_node *argument, unsigned types,
                      const json_t *value, struct fx_err *err) {
    struct fx_buf buf = {0};
    fx_buf_str(&buf, "the argument is ");
    name_types(&buf, type_of(value));
    fx_buf_str(&buf, ", but has to be ");
    name_types(&buf, types);
    if (buf.failed) {
        fx_buf_finish(&buf);
        return fx_fail_nomem(err);
    }
    (void)fx_fail_at(err, FX_EINVALID, argument->off, argument->len, "%s", buf.data);
    fx_buf_finish(&buf);
    return false;
}

/* ---- arguments --------------------------------------------------------------------- */

/* Spends for the argument, as function.h promises, and for checking its elements. */
static bool spend_argument(struct fx_jmespath_run *run, const json_t *value) {
    return fx_jmespath_spend(run, 1 + json_string_length(value) / FX_BUDGET_BYTES +
                                      json_array_size(value) / 4);
}

static bool eval_argument(struct fx_jmespath_run *run,
                          const struct fx_jmespath_node *argument, unsigned types,
                          json_t *subject, json_t **ret_value) {
    if (types == FX_JMESPATH_EXPRESSION) {
        *ret_value = NULL;
        return true;
    }
    return fx_jmespath_eval_or_null(run, argument, subject, ret_value) &&
           spend_argument(run, *ret_value) &&
           (has_type(*ret_value, types) ||
            fail_type(argument, types, *ret_value, run->err));
}

/* The arguments of a call, most of which need no memory. */
struct query_arguments {
    json_t **values;
    json_t *few[FX_JMESPATH_MOST_PARAMETERS];
    size_t n;
    const struct fx_jmespath_node *expression;
};

static bool begin_arguments(struct fx_jmespath_run *run,
                            const struct fx_jmespath_node *call,
                            struct query_arguments *arguments) {
    size_t n = 0;
    for (const struct fx_jmespath_node *argument = call->first; argument != NULL;
         argument = argument->next) {
        n++;
    }
    arguments->values = n <= FX_COUNT(arguments->few)
                            ? arguments->few
                            : fx_arena_alloc(&run->arena, n * sizeof(json_t *));
    return arguments->values != NULL || fx_fail_nomem(run->err);
}

static bool eval_arguments(struct fx_jmespath_run *run,
                           const struct fx_jmespath_node *call, json_t *subject,
                           struct query_arguments *arguments) {
    bool ok = begin_arguments(run, call, arguments);
    for (const struct fx_jmespath_node *argument = call->first; ok && argument != NULL;
         argument = argument->next) {
        const size_t i = arguments->n;
        const unsigned types = fx_jmespath_parameter_at(call->function, i)->types;
        json_t **value = &arguments->values[i];
        *value = NULL;
        arguments->n++;
        if (types == FX_JMESPATH_EXPRESSION) {
            arguments->expression = argument->first;
        }
        ok = eval_argument(run, argument, types, subject, value);
    }
    return ok;
}

static void finish_arguments(struct query_arguments *arguments) {
    for (size_t i = 0; i < arguments->n; i++) {
        json_decref(arguments->values[i]);
    }
}

/* ---- calls ------------------------------------------------------------------------- */

/* Adds the name and the position to the error of a function. */
static bool fail_call(struct fx_jmespath_run *run, const struct fx_jmespath_node *node) {
    struct fx_err *err = run->err;
    if (err->code == FX_ESYNTAX) { /* of a text in the data, not of the query */
        err->code = FX_EINVALID;
    }
    err->off = node->off;
    err->len = node->len;
    return fx_err_prefix(err, "function `%s`: ", node->function->name);
}

static bool call_function(struct fx_jmespath_run *run,
                          const struct fx_jmespath_node *node,
                          const struct query_arguments *arguments, json_t **ret_value) {
    const struct fx_jmespath_call call = {
        .args = arguments->values,
        .n_args = arguments->n,
        .arena = &run->arena,
        .run = run,
        .expression = arguments->expression,
    };
    run->err->len = 0;
    if (node->function->call(&call, ret_value, run->err)) {
        return true;
    }
    *ret_value = NULL;
    return run->err->len == 0 ? fail_call(run, node) : false;
}

enum fx_jmespath_outcome fx_jmespath_eval_call(struct fx_jmespath_run *run,
                                               const struct fx_jmespath_node *node,
                                               json_t *subject, json_t **ret_value) {
    struct query_arguments arguments = {.n = 0};
    if (!fx_jmespath_check_call(node, run->err) ||
        !fx_jmespath_spend(run, UNITS_OF_CALL)) {
        return FX_JMESPATH_ERROR;
    }
    const bool ok = eval_arguments(run, node, subject, &arguments) &&
                    call_function(run, node, &arguments, ret_value);
    finish_arguments(&arguments);
    return fx_jmespath_outcome_of(ok);
}

bool fx_jmespath_call_expression(const struct fx_jmespath_call *call, json_t *subject,
                                 json_t **ret_value, struct fx_err *err) {
    (void)err; /* the same as that of the run */
    return fx_jmespath_eval_or_null(call->run, call->expression, subject, ret_value);
}
