/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/reads.c - finds the parts of any document that a template may read.
 * It executes the template on the tree of wanted parts instead of a document, and takes
 * every branch once. The result of a function has no position in the tree, so the
 * arguments are wanted whole.
 */
#include <string.h>

#include "base/limits.h"
#include "location/gotemplate/gotemplate.h"
#include "location/gotemplate/program.h"

/* The position of a value. */
struct standing {
    bool is_context; /* the value is the context, the first `$` */
    struct fx_json_cursor cursor;
};

static const struct standing nowhere = {.is_context = false};

struct template_reading {
    const struct fx_gotemplate_origin *origins;
    size_t n_origins;
    const char *const *fields; /* known context fields, ended by NULL; or NULL */
    struct fx_text unknown;    /* the first context field that is not known */
    struct known_variable {
        uint32_t id;
        struct standing standing;
    } variables[FX_LIMIT_TEMPLATE_VARIABLES];
    size_t n_variables;
};

static bool read_pipeline(struct template_reading *reading, const struct standing *dot,
                          const struct pipeline *pipeline, struct standing *ret_standing);

/* Marks the whole value as wanted. Called for values that are printed or computed with,
 * and for values that cannot be followed further. */
static void use_value(const struct template_reading *reading,
                      const struct standing *standing) {
    if (!standing->is_context) {
        fx_json_cursor_all(standing->cursor);
        return;
    }
    for (size_t i = 0; i < reading->n_origins; i++) {
        fx_json_cursor_all(reading->origins[i].cursor);
    }
}

/* ---- operands -------------------------------------------------------------------- */

static struct standing find_variable(const struct template_reading *reading,
                                     uint32_t id) {
    for (size_t i = 0; i < reading->n_variables; i++) {
        if (reading->variables[i].id == id) {
            return reading->variables[i].standing;
        }
    }
    return nowhere;
}

/* Sets the position of a variable, which has only one. Any further value that is assigned
 * to it is marked as wanted, so that its parts need not be followed. The context has no
 * position: a variable that may hold either the context or another value gets no
 * position. */
static void set_variable(struct template_reading *reading, uint32_t id, bool assigns,
                         const struct standing *standing) {
    size_t i = 0;
    while (i < reading->n_variables && reading->variables[i].id != id) {
        i++;
    }
    if (assigns || i < reading->n_variables || i == FX_LIMIT_TEMPLATE_VARIABLES) {
        use_value(reading, standing);
        if (i < reading->n_variables && reading->variables[i].standing.is_context) {
            use_value(reading, &reading->variables[i].standing);
            reading->variables[i].standing = nowhere;
        }
        return;
    }
    reading->variables[i] = (struct known_variable){id, *standing};
    reading->n_variables++;
}

static bool is_field(const char *const *fields, struct fx_text name) {
    while (*fields != NULL && !fx_text_is(name, *fields)) {
        fields++;
    }
    return *fields != NULL;
}

static struct standing field_of_context(struct template_reading *reading,
                                        struct fx_text name) {
    if (reading->fields != NULL && reading->unknown.data == NULL &&
        !is_field(reading->fields, name)) {
        reading->unknown = name;
    }
    for (size_t i = 0; i < reading->n_origins; i++) {
        if (fx_text_equal(reading->origins[i].name, name)) {
            return (struct standing){.cursor = reading->origins[i].cursor};
        }
    }
    return nowhere;
}

static bool read_term(struct template_reading *reading, const struct standing *dot,
                      const struct operand *operand, struct standing *ret_standing) {
    *ret_standing = nowhere;
    switch (operand->type) {
    case OPERAND_DOT: *ret_standing = *dot; break;
    case OPERAND_VARIABLE:
        *ret_standing = find_variable(reading, operand->variable);
        break;
    case OPERAND_PIPELINE:
        return read_pipeline(reading, dot, operand->pipeline, ret_standing);
    case OPERAND_FUNCTION:
    case OPERAND_NIL:
    case OPERAND_BOOL:
    case OPERAND_NUMBER:
    case OPERAND_STRING: break;
    }
    return true;
}

static bool read_operand(struct template_reading *reading, const struct standing *dot,
                         const struct operand *operand, struct standing *ret_standing) {
    bool ok = read_term(reading, dot, operand, ret_standing);
    for (size_t i = 0; ok && i < operand->n_fields; i++) {
        if (ret_standing->is_context) {
            *ret_standing = field_of_context(reading, operand->fields[i]);
        } else {
            ok = fx_json_cursor_member(&ret_standing->cursor, operand->fields[i]);
        }
    }
    return ok;
}

static bool use_operand(struct template_reading *reading, const struct standing *dot,
                        const struct operand *operand) {
    struct standing standing;
    if (!read_operand(reading, dot, operand, &standing)) {
        return false;
    }
    use_value(reading, &standing);
    return true;
}

/* ---- commands -------------------------------------------------------------------- */

/* Reads `index x 1 "a"`. Only a literal text is the key of a known member; other keys
 * select unknown elements or members. */
static bool read_index(struct template_reading *reading, const struct standing *dot,
                       const struct command *command, const struct standing *final,
                       struct standing *ret_standing) {
    const struct operand *from = &command->operands[1];
    bool ok = read_operand(reading, dot, from, ret_standing);
    if (ok && ret_standing->is_context) {
        use_value(reading, ret_standing);
        *ret_standing = nowhere;
    }
    for (size_t i = 2; ok && i < command->n_operands; i++) {
        const struct operand *key = &command->operands[i];
        if (key->type == OPERAND_STRING && key->n_fields == 0) {
            ok = fx_json_cursor_member(&ret_standing->cursor, key->string);
        } else {
            ok = use_operand(reading, dot, key);
            fx_json_cursor_element(&ret_standing->cursor);
        }
    }
    if (final != NULL) {
        use_value(reading, final);
        fx_json_cursor_element(&ret_standing->cursor);
    }
    return ok;
}

static bool read_len(struct template_reading *reading, const struct standing *dot,
                     const struct command *command, struct standing *ret_standing) {
    struct standing standing;
    if (!read_operand(reading, dot, &command->operands[1], &standing)) {
        return false;
    }
    if (standing.is_context) {
        use_value(reading, &standing);
    } else {
        fx_json_cursor_count(standing.cursor);
    }
    *ret_standing = nowhere;
    return true;
}

/* Reads a call. `final` is the value before the `|`, or NULL. */
static bool read_call(struct template_reading *reading, const struct standing *dot,
                      const struct command *command, const struct standing *final,
                      struct standing *ret_standing) {
    const char *name = command->operands[0].function->name;
    bool ok = true;
    if (strcmp(name, "index") == 0 && command->n_operands > 1) {
        return read_index(reading, dot, command, final, ret_standing);
    }
    if (strcmp(name, "len") == 0 && command->n_operands == 2 && final == NULL) {
        return read_len(reading, dot, command, ret_standing);
    }
    for (size_t i = 1; ok && i < command->n_operands; i++) {
        ok = use_operand(reading, dot, &command->operands[i]);
    }
    if (final != NULL) {
        use_value(reading, final);
    }
    *ret_standing = nowhere;
    return ok;
}

static bool read_command(struct template_reading *reading, const struct standing *dot,
                         const struct command *command, const struct standing *final,
                         struct standing *ret_standing) {
    const struct operand *first = &command->operands[0];
    if (first->type == OPERAND_FUNCTION && first->n_fields == 0) {
        return read_call(reading, dot, command, final, ret_standing);
    }
    /* An operand that takes no arguments has some: the execution fails. */
    return read_operand(reading, dot, first, ret_standing);
}

static bool read_pipeline(struct template_reading *reading, const struct standing *dot,
                          const struct pipeline *pipeline,
                          struct standing *ret_standing) {
    struct standing before = nowhere;
    *ret_standing = nowhere;
    bool ok = true;
    for (const struct command *command = pipeline->commands; ok && command != NULL;
         command = command->next) {
        const bool is_first = command == pipeline->commands;
        before = *ret_standing;
        ok = read_command(reading, dot, command, is_first ? NULL : &before, ret_standing);
    }
    return ok;
}

/* ---- statements ------------------------------------------------------------------ */

static bool read_list(struct template_reading *reading, const struct standing *dot,
                      const struct statement *statements);

static void set_variables(struct template_reading *reading,
                          const struct pipeline *pipeline,
                          const struct standing *standing) {
    for (size_t i = 0; i < pipeline->n_variables; i++) {
        set_variable(reading, pipeline->variables[i], pipeline->assigns, standing);
    }
}

static bool read_print(struct template_reading *reading, const struct standing *dot,
                       const struct statement *statement) {
    struct standing standing;
    if (!read_pipeline(reading, dot, statement->pipeline, &standing)) {
        return false;
    }
    set_variables(reading, statement->pipeline, &standing);
    if (statement->pipeline->n_variables == 0) {
        use_value(reading, &standing);
    }
    return true;
}

/* Reads `if` or `with`, which tests whether the value is empty. */
static bool read_choice(struct template_reading *reading, const struct standing *dot,
                        const struct statement *statement) {
    struct standing standing;
    if (!read_pipeline(reading, dot, statement->pipeline, &standing)) {
        return false;
    }
    fx_json_cursor_count(standing.cursor);
    set_variables(reading, statement->pipeline, &standing);
    const bool sets_dot = statement->type == STATEMENT_WITH;
    return read_list(reading, sets_dot ? &standing : dot, statement->body) &&
           read_list(reading, dot, statement->otherwise);
}

/* Reads a `range`. If the value is empty, the variables hold the value itself. */
static bool read_range(struct template_reading *reading, const struct standing *dot,
                       const struct statement *statement) {
    const struct pipeline *pipeline = statement->pipeline;
    struct standing element;
    if (!read_pipeline(reading, dot, pipeline, &element)) {
        return false;
    }
    if (element.is_context) {
        use_value(reading, &element);
        element = nowhere;
    }
    fx_json_cursor_element(&element.cursor);
    if (pipeline->n_variables == 2) {
        set_variable(reading, pipeline->variables[0], pipeline->assigns, &nowhere);
    }
    if (pipeline->n_variables > 0) {
        const size_t last = pipeline->n_variables - 1;
        set_variable(reading, pipeline->variables[last], pipeline->assigns, &element);
    }
    return read_list(reading, &element, statement->body) &&
           read_list(reading, dot, statement->otherwise);
}

/* Reads a call of a template. The template sees only its argument, which is marked as
 * wanted. */
static bool read_template(struct template_reading *reading, const struct standing *dot,
                          const struct statement *statement) {
    struct standing standing;
    if (statement->pipeline == NULL) {
        return true;
    }
    if (!read_pipeline(reading, dot, statement->pipeline, &standing)) {
        return false;
    }
    use_value(reading, &standing);
    return true;
}

static bool read_statement(struct template_reading *reading, const struct standing *dot,
                           const struct statement *statement) {
    switch (statement->type) {
    case STATEMENT_PRINT: return read_print(reading, dot, statement);
    case STATEMENT_IF:
    case STATEMENT_WITH: return read_choice(reading, dot, statement);
    case STATEMENT_RANGE: return read_range(reading, dot, statement);
    case STATEMENT_TEMPLATE: return read_template(reading, dot, statement);
    case STATEMENT_TEXT:
    case STATEMENT_BREAK:
    case STATEMENT_CONTINUE: break;
    }
    return true;
}

static bool read_list(struct template_reading *reading, const struct standing *dot,
                      const struct statement *statements) {
    while (statements != NULL && read_statement(reading, dot, statements)) {
        statements = statements->next;
    }
    return statements == NULL;
}

bool fx_gotemplate_reads(const struct fx_gotemplate *template,
                         const struct fx_gotemplate_origin *origins, size_t n_origins) {
    const struct standing context = {.is_context = true};
    struct template_reading reading = {.origins = origins, .n_origins = n_origins};
    set_variable(&reading, VARIABLE_ROOT, false, &context);
    return read_list(&reading, &context, template->root->body);
}

struct fx_text fx_gotemplate_find_unknown(const struct fx_gotemplate *template,
                                          const char *const *fields) {
    const struct standing context = {.is_context = true};
    struct template_reading reading = {.fields = fields};
    set_variable(&reading, VARIABLE_ROOT, false, &context);
    (void)read_list(&reading, &context,
                    template->root->body); /* adds nothing to a tree */
    return reading.unknown;
}
