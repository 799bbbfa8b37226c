/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/parse.c - texts, actions and blocks (templates spec, "Actions").
 */
#include "location/gotemplate/parser.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"

/* ---- shared by all parse functions ------------------------------------------------ */

bool parser_advance(struct template_parser *parser) {
    parser->end = (uint32_t)parser->scanner.at;
    return template_scan(&parser->scanner, &parser->token, parser->err);
}

uint32_t parser_token_length(const struct template_parser *parser) {
    const uint32_t length = (uint32_t)parser->scanner.at - parser->token.off;
    return length > 0 ? length : 1; /* at the end a caret points after the text */
}

struct source_span parser_span(const struct template_parser *parser, uint32_t off) {
    return (struct source_span){off, parser->end - off};
}

void *parser_nodes(struct template_parser *parser, size_t n, size_t bytes) {
    if (n > FX_LIMIT_TEMPLATE_NODES - parser->n_nodes) {
        (void)PARSER_FAIL(parser, FX_ELIMIT, "template has more than %u parts",
                          FX_LIMIT_TEMPLATE_NODES);
        return NULL;
    }
    void *nodes = fx_arena_alloc(&parser->program->arena, n * bytes);
    if (nodes == NULL) {
        (void)fx_fail_nomem(parser->err);
        return NULL;
    }
    parser->n_nodes += n;
    return nodes;
}

bool parser_enter(struct template_parser *parser) {
    if (parser->nesting >= FX_LIMIT_TEMPLATE_NESTING) {
        return PARSER_FAIL(parser, FX_ELIMIT, "template is nested deeper than %u levels",
                           FX_LIMIT_TEMPLATE_NESTING);
    }
    parser->nesting++;
    return true;
}

void parser_leave(struct template_parser *parser) {
    assert(parser->nesting > 0);
    parser->nesting--;
}

bool parser_fail_token(struct template_parser *parser, const char *where) {
    const struct template_token *token = &parser->token;
    if (token->type == TOKEN_END) {
        return PARSER_FAIL(parser, FX_ESYNTAX, "unexpected EOF in %s", where);
    }
    const struct fx_text written = {parser->scanner.source.data + token->off,
                                    parser_token_length(parser)};
    if (token->type == TOKEN_SHUT) {
        return PARSER_FAIL(parser, FX_ESYNTAX, "missing value for %s", where);
    }
    return PARSER_FAIL(parser, FX_ESYNTAX, "unexpected \"%.*s\" in %s",
                       FX_TEXT_ARG(written), where);
}

bool parser_find_variable(const struct template_parser *parser, struct fx_text name,
                          uint32_t *ret_id) {
    *ret_id = VARIABLE_ROOT;
    if (fx_text_is(name, "$")) {
        return true;
    }
    for (size_t i = parser->n_variables; i > parser->first_variable; i--) {
        if (fx_text_equal(parser->variables[i - 1].name, name)) {
            *ret_id = parser->variables[i - 1].id;
            return true;
        }
    }
    return false;
}

/* Declares a variable. A variable that hides another of the same name gets the same id:
 * the innermost one is used. */
bool parser_declare(struct template_parser *parser, struct fx_text name,
                    uint32_t *ret_id) {
    uint32_t id = 0;
    if (!parser_find_variable(parser, name, &id)) {
        id = ++parser->n_ids;
    }
    if (parser->n_variables >= FX_LIMIT_TEMPLATE_VARIABLES) {
        return PARSER_FAIL(parser, FX_ELIMIT, "template has more than %u variables",
                           FX_LIMIT_TEMPLATE_VARIABLES);
    }
    if (!FX_VEC_GROW(parser->variables, parser->n_variables, parser->cap_variables)) {
        return fx_fail_nomem(parser->err);
    }
    parser->variables[parser->n_variables++] = (struct declared){name, id};
    *ret_id = id;
    return true;
}

/* ---- definitions ----------------------------------------------------------------- */

static struct definition *find_definition(const struct fx_gotemplate *program,
                                          struct fx_text name) {
    struct definition *definition = program->definitions;
    while (definition != NULL && !fx_text_equal(definition->name, name)) {
        definition = definition->next;
    }
    return definition;
}

/* True for a definition of white space alone, which another definition replaces. */
static bool is_blank(const struct statement *statement) {
    for (; statement != NULL; statement = statement->next) {
        if (statement->type != STATEMENT_TEXT) {
            return false;
        }
        for (size_t i = 0; i < statement->text.len; i++) {
            if (strchr(" \t\r\n", statement->text.data[i]) == NULL) {
                return false;
            }
        }
    }
    return true;
}

static bool define(struct template_parser *parser, struct fx_text name,
                   struct source_span span, const struct statement *body) {
    struct definition *old = find_definition(parser->program, name);
    if (old != NULL && !is_blank(old->body) && !is_blank(body)) {
        return fx_fail_at(parser->err, FX_ESYNTAX, span.off, span.len,
                          "multiple definition of template \"%.*s\"", FX_TEXT_ARG(name));
    }
    if (old != NULL) {
        old->body = is_blank(old->body) ? body : old->body;
        return true;
    }
    struct definition *definition = parser_nodes(parser, 1, sizeof *definition);
    if (definition == NULL) {
        return false;
    }
    *definition = (struct definition){name, body, parser->program->definitions};
    parser->program->definitions = definition;
    return true;
}

/* ---- statements ------------------------------------------------------------------ */

static bool parse_list(struct template_parser *parser, const struct statement **ret_list);

static struct statement *new_statement(struct template_parser *parser,
                                       enum statement_type type) {
    struct statement *statement = parser_nodes(parser, 1, sizeof *statement);
    if (statement != NULL) {
        statement->type = type;
    }
    return statement;
}

/* Parses the `}}` after a keyword without arguments. */
static bool parse_shut(struct template_parser *parser, const char *where) {
    if (parser->token.type != TOKEN_SHUT) {
        return parser_fail_token(parser, where);
    }
    return parser_advance(parser);
}

/* Parses `{{ end }}`; `open` is the start of the block. The current token is the
 * keyword. */
static bool parse_end(struct template_parser *parser, struct source_span open) {
    if (parser->token.type == TOKEN_END) {
        return fx_fail_at(parser->err, FX_ESYNTAX, open.off, open.len,
                          "unexpected EOF: this has no `{{ end }}`");
    }
    assert(parser->token.type == TOKEN_CLOSE || parser->token.type == TOKEN_ELSE);
    if (parser->token.type == TOKEN_ELSE) {
        return PARSER_FAIL(
            parser, FX_ESYNTAX,
            "expected end; found {{else}}: it belongs to no `if`, `range` or `with`");
    }
    return parser_advance(parser) && parse_shut(parser, "end");
}

static bool parse_control(struct template_parser *parser, enum statement_type type,
                          struct statement **ret_statement);

/* else := '{{ else }}' list | '{{ else' if…; the second form shares the end. */
static bool parse_else(struct template_parser *parser, struct statement *statement,
                       bool *ret_ended) {
    if (!parser_advance(parser)) {
        return false;
    }
    if (parser->token.type == TOKEN_WITH || parser->token.type == TOKEN_RANGE ||
        (parser->token.type == TOKEN_IF && statement->type != STATEMENT_IF)) {
        return PARSER_FAIL(parser, FX_ESYNTAX,
                           "unexpected \"%.*s\" in else: only `if` knows `else if`; "
                           "begin a block of its own behind `{{ else }}`",
                           FX_TEXT_ARG(parser->token.text));
    }
    if (parser->token.type == TOKEN_IF) {
        struct statement *inner = NULL;
        if (!parse_control(parser, STATEMENT_IF, &inner)) {
            return false;
        }
        statement->otherwise = inner;
        *ret_ended = true;
        return true;
    }
    return parse_shut(parser, "else") && parse_list(parser, &statement->otherwise);
}

static bool parse_body(struct template_parser *parser, struct statement *statement) {
    const bool loops = statement->type == STATEMENT_RANGE;
    parser->loops += loops ? 1 : 0;
    const bool ok = parse_list(parser, &statement->body);
    parser->loops -= loops ? 1 : 0;
    return ok;
}

static const char *word_of(enum statement_type type) {
    if (type == STATEMENT_IF) {
        return "if";
    }
    return type == STATEMENT_RANGE ? "range" : "with";
}

/* control := word pipeline '}}' list else? '{{ end }}'. The variables of the pipeline end
 * with the block. */
static bool parse_control(struct template_parser *parser, enum statement_type type,
                          struct statement **ret_statement) {
    const size_t n_variables = parser->n_variables;
    const struct source_span open = {parser->token.off, parser_token_length(parser)};
    struct statement *statement = new_statement(parser, type);
    if (statement == NULL || !parser_enter(parser) || !parser_advance(parser) ||
        !parser_pipeline(parser, word_of(type), TOKEN_SHUT, &statement->pipeline) ||
        !parse_body(parser, statement)) {
        return false;
    }
    bool ended = false;
    if (parser->token.type == TOKEN_ELSE && !parse_else(parser, statement, &ended)) {
        return false;
    }
    if (!ended && !parse_end(parser, open)) {
        return false;
    }
    parser->n_variables = n_variables;
    parser_leave(parser);
    *ret_statement = statement;
    return true;
}

static bool parse_name(struct template_parser *parser, const char *where,
                       struct fx_text *ret_name) {
    if (parser->token.type != TOKEN_STRING && parser->token.type != TOKEN_RAW_STRING) {
        return PARSER_FAIL(parser, FX_ESYNTAX,
                           "unexpected \"%.*s\" in %s: the name of a template is quoted",
                           FX_TEXT_ARG(parser->token.text), where);
    }
    return literal_read_string(&parser->program->arena, &parser->token, ret_name,
                               parser->err) &&
           parser_advance(parser);
}

/* Parses the body of a definition, in which the only outer variable is `$`. */
static bool parse_definition(struct template_parser *parser, struct fx_text name,
                             struct source_span open) {
    const size_t n_variables = parser->n_variables;
    const size_t first_variable = parser->first_variable;
    const size_t loops = parser->loops;
    parser->first_variable = n_variables;
    parser->loops = 0;
    const struct statement *body = NULL;
    if (!parser_enter(parser) || !parse_list(parser, &body) || !parse_end(parser, open)) {
        return false;
    }
    parser_leave(parser);
    parser->n_variables = n_variables;
    parser->first_variable = first_variable;
    parser->loops = loops;
    return define(parser, name, open, body);
}

/* define := 'define' name '}}' list '{{ end }}' */
static bool parse_define(struct template_parser *parser) {
    const struct source_span open = {parser->token.off, parser_token_length(parser)};
    struct fx_text name = {0};
    return parser_advance(parser) && parse_name(parser, "define clause", &name) &&
           parse_shut(parser, "define clause") && parse_definition(parser, name, open);
}

static struct statement *new_use(struct template_parser *parser) {
    struct statement *statement = new_statement(parser, STATEMENT_TEMPLATE);
    struct use *use = statement == NULL ? NULL : parser_nodes(parser, 1, sizeof *use);
    if (use == NULL) {
        return NULL;
    }
    *use = (struct use){parser->uses, statement};
    parser->uses = use;
    return statement;
}

/* template := 'template' name pipeline? '}}' */
static bool parse_template(struct template_parser *parser,
                           struct statement **ret_statement) {
    const uint32_t off = parser->token.off;
    struct statement *statement = new_use(parser);
    if (statement == NULL || !parser_advance(parser) ||
        !parse_name(parser, "template clause", &statement->text)) {
        return false;
    }
    statement->span = parser_span(parser, off);
    *ret_statement = statement;
    if (parser->token.type == TOKEN_SHUT) {
        return parser_advance(parser);
    }
    return parser_pipeline(parser, "template clause", TOKEN_SHUT, &statement->pipeline);
}

/* block := 'block' name pipeline '}}' list '{{ end }}': defines a template and executes
 * it. */
static bool parse_block(struct template_parser *parser,
                        struct statement **ret_statement) {
    const struct source_span open = {parser->token.off, parser_token_length(parser)};
    struct statement *statement = new_use(parser);
    if (statement == NULL || !parser_advance(parser) ||
        !parse_name(parser, "block clause", &statement->text)) {
        return false;
    }
    statement->span = parser_span(parser, open.off);
    *ret_statement = statement;
    return parser_pipeline(parser, "block clause", TOKEN_SHUT, &statement->pipeline) &&
           parse_definition(parser, statement->text, open);
}

static bool parse_jump(struct template_parser *parser, enum statement_type type,
                       struct statement **ret_statement) {
    const char *word = type == STATEMENT_BREAK ? "{{break}}" : "{{continue}}";
    if (parser->loops == 0) {
        return PARSER_FAIL(parser, FX_ESYNTAX, "%s outside {{range}}", word);
    }
    *ret_statement = new_statement(parser, type);
    return *ret_statement != NULL && parser_advance(parser) && parse_shut(parser, word);
}

static bool parse_print(struct template_parser *parser,
                        struct statement **ret_statement) {
    *ret_statement = new_statement(parser, STATEMENT_PRINT);
    return *ret_statement != NULL &&
           parser_pipeline(parser, "command", TOKEN_SHUT, &(*ret_statement)->pipeline);
}

/* action := '{{' … '}}'. The first word decides the type. */
static bool parse_action(struct template_parser *parser,
                         struct statement **ret_statement) {
    switch ((int)parser->token.type) {
    case TOKEN_IF: return parse_control(parser, STATEMENT_IF, ret_statement);
    case TOKEN_RANGE: return parse_control(parser, STATEMENT_RANGE, ret_statement);
    case TOKEN_WITH: return parse_control(parser, STATEMENT_WITH, ret_statement);
    case TOKEN_TEMPLATE: return parse_template(parser, ret_statement);
    case TOKEN_BLOCK: return parse_block(parser, ret_statement);
    case TOKEN_BREAK: return parse_jump(parser, STATEMENT_BREAK, ret_statement);
    case TOKEN_CONTINUE: return parse_jump(parser, STATEMENT_CONTINUE, ret_statement);
    case TOKEN_DEFINE:
        if (parser->nesting > 0) {
            return PARSER_FAIL(
                parser, FX_ESYNTAX,
                "unexpected {{define}}: it is only allowed at the top level");
        }
        return parse_define(parser);
    default: return parse_print(parser, ret_statement);
    }
}

static bool parse_text(struct template_parser *parser, struct statement **ret_statement) {
    *ret_statement = new_statement(parser, STATEMENT_TEXT);
    if (*ret_statement == NULL) {
        return false;
    }
    (*ret_statement)->text = parser->token.text;
    return parser_advance(parser);
}

/* list := ( text | action )*, up to the end of the text or to an `end` or `else`, which
 * is then the current token. */
static bool parse_list(struct template_parser *parser,
                       const struct statement **ret_list) {
    const struct statement **last = ret_list;
    while (parser->token.type != TOKEN_END) {
        struct statement *statement = NULL;
        if (parser->token.type == TOKEN_TEXT) {
            if (!parse_text(parser, &statement)) {
                return false;
            }
        } else {
            assert(parser->token.type == TOKEN_OPEN);
            if (!parser_advance(parser)) {
                return false;
            }
            if (parser->token.type == TOKEN_CLOSE || parser->token.type == TOKEN_ELSE) {
                return true;
            }
            if (!parse_action(parser, &statement)) {
                return false;
            }
        }
        if (statement != NULL) { /* NULL for a definition, which is not a statement */
            *last = statement;
            last = &statement->next;
        }
    }
    return true;
}

static bool parse_program(struct template_parser *parser) {
    const struct statement *body = NULL;
    if (!parser_advance(parser) || !parse_list(parser, &body)) {
        return false;
    }
    if (parser->token.type != TOKEN_END) {
        return PARSER_FAIL(parser, FX_ESYNTAX, "unexpected {{%.*s}}: no block is open",
                           FX_TEXT_ARG(parser->token.text));
    }
    const struct source_span all = {0, (uint32_t)parser->scanner.source.len};
    if (!define(parser, parser->program->name, all, body)) {
        return false;
    }
    parser->program->root = find_definition(parser->program, parser->program->name);
    for (const struct use *use = parser->uses; use != NULL; use = use->next) {
        use->statement->definition =
            find_definition(parser->program, use->statement->text);
    }
    return true;
}

bool program_parse(struct fx_gotemplate *program,
                   const struct fx_gotemplate_library *functions, struct fx_err *err) {
    struct template_parser parser = {
        .scanner = {.source = program->source},
        .program = program,
        .functions = functions,
        .err = err,
    };
    const bool ok = parse_program(&parser);
    free(parser.variables);
    return ok;
}
