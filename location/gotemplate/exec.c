/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/exec.c - statements: texts, blocks, templates (templates spec,
 * "Actions").
 */
#include "location/gotemplate/exec.h"

#include <string.h>

#include "base/limits.h"
#include "location/gotemplate/value.h"

static bool exec_list(struct exec *exec, const struct value *dot,
                      const struct statement *statements);

bool exec_enter(struct exec *exec) {
    if (exec->depth >= FX_LIMIT_TEMPLATE_DEPTH) {
        return fx_fail(exec->run.err, FX_ELIMIT, "exceeded maximum template depth (%u)",
                       FX_LIMIT_TEMPLATE_DEPTH);
    }
    exec->depth++;
    return run_spend(&exec->run, 1);
}

void exec_leave(struct exec *exec) {
    exec->depth--;
}

/* ---- variables ------------------------------------------------------------------- */

bool exec_push(struct exec *exec, uint32_t id, const struct value *value) {
    if (exec->n_variables == exec->cap_variables &&
        !run_grow(&exec->run, &exec->variables, &exec->cap_variables,
                  sizeof *exec->variables)) {
        return false;
    }
    exec->variables[exec->n_variables++] = (struct variable){id, *value};
    return true;
}

struct variable *exec_find(const struct exec *exec, uint32_t id) {
    for (size_t i = exec->n_variables; i > exec->first_variable; i--) {
        if (exec->variables[i - 1].id == id) {
            return &exec->variables[i - 1];
        }
    }
    return NULL;
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

/* if, with */
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
    if (!pipeline->assigns) { /* those declared last */
        variable = &exec->variables[exec->n_variables - pipeline->n_variables + which];
    }
    variable->value = *value;
}

/* One variable is set to the element, two to its index or key and the element. */
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
    return true;
}

/* True where the loop continues. */
static bool goes_on(struct exec *exec) {
    const bool on = exec->flow != FLOW_BREAK;
    exec->flow = FLOW_ON;
    return on;
}

static bool exec_over_list(struct exec *exec, const struct statement *statement,
                           const struct list *list) {
    const bool boxed = strcmp(list->type, TYPE_LIST) == 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct value key = value_int((int64_t)i);
        struct value element = list->values[i];
        element.boxed = boxed;
        if (!exec_round(exec, statement, &key, &element)) {
            return false;
        }
        if (!goes_on(exec)) {
            break;
        }
    }
    return true;
}

/* Iterates over the entries at the start, also where the body changes the map. */
static bool exec_over_map(struct exec *exec, const struct statement *statement,
                          struct map *map) {
    if (!value_map_fill(&exec->run, map)) {
        return false;
    }
    map->lent = true;
    const bool boxed = strcmp(map->type, TYPE_MAP) == 0;
    const struct map_entry *entries = map->entries;
    const size_t n = map->n;
    for (size_t i = 0; i < n; i++) {
        const struct value key = value_string(entries[i].key);
        struct value element = entries[i].value;
        element.boxed = boxed;
        if (!exec_round(exec, statement, &key, &element)) {
            return false;
        }
        if (!goes_on(exec)) {
            break;
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
    } else if (value.kind == VALUE_LIST) {
        ok = exec_over_list(exec, statement, value.list);
    } else if (value.kind == VALUE_MAP) {
        ok = exec_over_map(exec, statement, value.map);
    } else {
        ok = fail_range(exec, &value);
    }
    exec->n_variables = n_variables;
    return ok;
}

/* ---- templates ------------------------------------------------------------------- */

/* The template does not see the caller's variables: the given value is both dot and
 * `$`. */
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
