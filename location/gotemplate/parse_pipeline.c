/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/parse_pipeline.c - the content of an action: variables, commands,
 * operands.
 */
#include "location/gotemplate/parser.h"

#include <string.h>

#include "base/limits.h"

/* ---- operands -------------------------------------------------------------------- */

static bool parse_variable(struct template_parser *parser, struct operand *operand) {
    operand->type = OPERAND_VARIABLE;
    if (!parser_find_variable(parser, parser->token.text, &operand->variable)) {
        return PARSER_FAIL(
            parser, FX_ESYNTAX,
            "undefined variable \"%.*s\": declare it first, with `:=`, in this "
            "block or in one around it",
            FX_TEXT_ARG(parser->token.text));
    }
    return parser_advance(parser);
}

static bool fail_function(struct template_parser *parser) {
    const struct fx_text name = parser->token.text;
    if (fx_text_is(name, "env") || fx_text_is(name, "expandenv")) {
        return PARSER_FAIL(parser, FX_ESYNTAX,
                           "function \"%.*s\" not defined: templates do not read the "
                           "environment of the server",
                           FX_TEXT_ARG(name));
    }
    return PARSER_FAIL(
        parser, FX_ESYNTAX,
        "function \"%.*s\" not defined: a text needs quotes, a field a dot in "
        "front",
        FX_TEXT_ARG(name));
}

static bool parse_function(struct template_parser *parser, struct operand *operand) {
    const struct function *function =
        function_find(parser->functions, parser->token.text);
    if (function == NULL) {
        return fail_function(parser);
    }
    if (function->refused != NULL) {
        return PARSER_FAIL(parser, FX_EINVALID, "function `%s` is refused: %s",
                           function->name, function->refused);
    }
    operand->type = OPERAND_FUNCTION;
    operand->function = function;
    return parser_advance(parser);
}

static bool parse_number(struct template_parser *parser, struct operand *operand) {
    struct literal *literal = parser_nodes(parser, 1, sizeof *literal);
    if (literal == NULL || !literal_read_number(&parser->token, literal, parser->err)) {
        return false;
    }
    operand->type = OPERAND_NUMBER;
    operand->literal = literal;
    return parser_advance(parser);
}

static bool parse_string(struct template_parser *parser, struct operand *operand) {
    operand->type = OPERAND_STRING;
    return literal_read_string(&parser->program->arena, &parser->token, &operand->string,
                               parser->err) &&
           parser_advance(parser);
}

static bool parse_word(struct template_parser *parser, struct operand *operand,
                       enum operand_type type) {
    operand->type = type;
    if (type == OPERAND_BOOL) {
        operand->boolean = parser->token.type == TOKEN_TRUE;
    }
    return parser_advance(parser);
}

/* Parses '(' pipeline ')'. */
static bool parse_parentheses(struct template_parser *parser, struct operand *operand) {
    operand->type = OPERAND_PIPELINE;
    if (!parser_enter(parser) || !parser_advance(parser) ||
        !parser_pipeline(parser, "parenthesized pipeline", TOKEN_RIGHT,
                         &operand->pipeline)) {
        return false;
    }
    parser_leave(parser);
    return true;
}

/* A field of an operand. Fields are collected in a list, then copied to an array. */
struct operand_field {
    struct operand_field *next;
    struct fx_text name;
};

/* True for a field without white space before it. */
static bool at_field(const struct template_parser *parser) {
    return parser->token.type == TOKEN_FIELD && !parser->token.spaced;
}

static bool lay_out_fields(struct template_parser *parser,
                           const struct operand_field *first, size_t n,
                           struct operand *operand) {
    struct fx_text *fields = parser_nodes(parser, n, sizeof *fields);
    if (fields == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++, first = first->next) {
        fields[i] = first->name;
    }
    operand->fields = fields;
    operand->n_fields = n;
    return true;
}

/* Parses ( '.' name )* directly after an operand. After the operand `.`, the
 * current token is the first name. */
static bool parse_fields(struct template_parser *parser, struct operand *operand) {
    struct operand_field *first = NULL;
    struct operand_field **last = &first;
    size_t n = 0;
    for (bool more = parser->token.type == TOKEN_FIELD; more; more = at_field(parser)) {
        struct operand_field *field = parser_nodes(parser, 1, sizeof *field);
        if (field == NULL) {
            return false;
        }
        *field = (struct operand_field){.name = parser->token.text};
        *last = field;
        last = &field->next;
        n++;
        if (!parser_advance(parser)) {
            return false;
        }
    }
    return n == 0 || lay_out_fields(parser, first, n, operand);
}

static bool may_have_fields(enum operand_type type) {
    return type == OPERAND_VARIABLE || type == OPERAND_PIPELINE ||
           type == OPERAND_FUNCTION;
}

/* Parses an operand without its fields. */
static bool parse_term(struct template_parser *parser, struct operand *operand) {
    switch ((int)parser->token.type) {
    case TOKEN_FIELD: operand->type = OPERAND_DOT; return parse_fields(parser, operand);
    case TOKEN_DOT: return parse_word(parser, operand, OPERAND_DOT);
    case TOKEN_VARIABLE: return parse_variable(parser, operand);
    case TOKEN_IDENTIFIER: return parse_function(parser, operand);
    case TOKEN_NIL: return parse_word(parser, operand, OPERAND_NIL);
    case TOKEN_TRUE:
    case TOKEN_FALSE: return parse_word(parser, operand, OPERAND_BOOL);
    case TOKEN_NUMBER:
    case TOKEN_RUNE: return parse_number(parser, operand);
    case TOKEN_STRING:
    case TOKEN_RAW_STRING: return parse_string(parser, operand);
    case TOKEN_LEFT: return parse_parentheses(parser, operand);
    default: return parser_fail_token(parser, "operand");
    }
}

/* operand := term ( '.' name )* */
static bool parse_operand(struct template_parser *parser, struct operand *operand) {
    const uint32_t off = parser->token.off;
    if (!parse_term(parser, operand)) {
        return false;
    }
    if (at_field(parser)) {
        if (!may_have_fields(operand->type)) {
            return PARSER_FAIL(parser, FX_ESYNTAX,
                               "unexpected . after term: it has no fields");
        }
        if (!parse_fields(parser, operand)) {
            return false;
        }
    }
    operand->span = parser_span(parser, off);
    return true;
}

/* ---- commands -------------------------------------------------------------------- */

struct operand_link {
    struct operand_link *next;
    struct operand operand;
};

static bool lay_out_operands(struct template_parser *parser,
                             const struct operand_link *first, size_t n,
                             struct command *command) {
    struct operand *operands = parser_nodes(parser, n, sizeof *operands);
    if (operands == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++, first = first->next) {
        operands[i] = first->operand;
    }
    command->operands = operands;
    command->n_operands = n;
    return true;
}

static bool ends_command(const struct template_parser *parser) {
    return parser->token.type == TOKEN_PIPE || parser->token.type == TOKEN_SHUT ||
           parser->token.type == TOKEN_RIGHT;
}

/* command := operand ( space operand )* */
static bool parse_command(struct template_parser *parser, struct command *command) {
    const uint32_t off = parser->token.off;
    struct operand_link *first = NULL;
    struct operand_link **last = &first;
    size_t n = 0;
    do {
        if (n > 0 && !parser->token.spaced) {
            return parser_fail_token(parser, "operand");
        }
        struct operand_link *link = parser_nodes(parser, 1, sizeof *link);
        if (link == NULL || !parse_operand(parser, &link->operand)) {
            return false;
        }
        *last = link;
        last = &link->next;
        n++;
    } while (!ends_command(parser));
    command->span = parser_span(parser, off);
    return lay_out_operands(parser, first, n, command);
}

/* ---- pipelines ------------------------------------------------------------------- */

/* True for an operand that can follow a `|`. A literal cannot, because it takes no
 * arguments. */
static bool can_be_called(const struct command *command) {
    const struct operand *first = &command->operands[0];
    return may_have_fields(first->type) || first->n_fields > 0;
}

static bool check_stage(struct template_parser *parser, const struct command *command,
                        size_t stage) {
    if (stage == 1 || can_be_called(command)) {
        return true;
    }
    const struct source_span span = command->operands[0].span;
    return fx_fail_at(
        parser->err, FX_ESYNTAX, span.off, span.len,
        "non executable command in pipeline stage %zu: a function must follow `|`",
        stage);
}

/* commands := command ( '|' command )* */
static bool parse_commands(struct template_parser *parser, const char *where,
                           enum template_token_type shut,
                           const struct command **ret_commands) {
    const struct command **last = ret_commands;
    for (size_t stage = 1; parser->token.type != shut; stage++) {
        struct command *command = parser_nodes(parser, 1, sizeof *command);
        if (command == NULL || !parse_command(parser, command) ||
            !check_stage(parser, command, stage)) {
            return false;
        }
        *last = command;
        last = &command->next;
        if (parser->token.type == TOKEN_PIPE && !parser_advance(parser)) {
            return false;
        }
    }
    if (*ret_commands == NULL) {
        return PARSER_FAIL(parser, FX_ESYNTAX, "missing value for %s", where);
    }
    return true;
}

static bool declare(struct template_parser *parser, const struct template_token *name,
                    struct pipeline *pipeline) {
    return parser_declare(parser, name->text,
                          &pipeline->variables[pipeline->n_variables++]);
}

/* Parses the second variable, after `$x,`. */
static bool parse_second(struct template_parser *parser, struct pipeline *pipeline) {
    const struct template_token name = parser->token;
    if (name.type != TOKEN_VARIABLE) {
        return PARSER_FAIL(parser, FX_ESYNTAX,
                           "range can only initialize variables: `range $i, $e := …`");
    }
    if (!parser_advance(parser)) {
        return false;
    }
    if (parser->token.type == TOKEN_COMMA) {
        return PARSER_FAIL(parser, FX_ESYNTAX,
                           "too many declarations in range: two at most");
    }
    if (parser->token.type != TOKEN_DECLARE && parser->token.type != TOKEN_ASSIGN) {
        return parser_fail_token(parser, "range");
    }
    return declare(parser, &name, pipeline);
}

/* declaration := $x ( ',' $y )? ( ':=' | '=' ). If only `$x` is found, it is the first
 * operand, and the scanner goes back to it. */
static bool parse_declaration(struct template_parser *parser, const char *where,
                              struct pipeline *pipeline) {
    const struct template_parser before = *parser;
    const struct template_token name = parser->token;
    if (name.type != TOKEN_VARIABLE) {
        return true;
    }
    if (!parser_advance(parser)) {
        return false;
    }
    const enum template_token_type type = parser->token.type;
    if (type != TOKEN_COMMA && type != TOKEN_DECLARE && type != TOKEN_ASSIGN) {
        parser->scanner = before.scanner;
        parser->token = before.token;
        parser->end = before.end;
        return true;
    }
    if (type == TOKEN_COMMA && strcmp(where, "range") != 0) {
        return PARSER_FAIL(parser, FX_ESYNTAX,
                           "too many declarations in %s: only `range` takes two", where);
    }
    if (!declare(parser, &name, pipeline) ||
        (type == TOKEN_COMMA &&
         (!parser_advance(parser) || !parse_second(parser, pipeline)))) {
        return false;
    }
    pipeline->assigns = parser->token.type == TOKEN_ASSIGN;
    return parser_advance(parser);
}

/* pipeline := declaration? commands */
bool parser_pipeline(struct template_parser *parser, const char *where,
                     enum template_token_type shut,
                     const struct pipeline **ret_pipeline) {
    struct pipeline *pipeline = parser_nodes(parser, 1, sizeof *pipeline);
    const uint32_t off = parser->token.off;
    if (pipeline == NULL || !parse_declaration(parser, where, pipeline) ||
        !parse_commands(parser, where, shut, &pipeline->commands)) {
        return false;
    }
    pipeline->span = parser_span(parser, off);
    *ret_pipeline = pipeline;
    return parser_advance(parser);
}
