/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/lexer.c - splits a query into tokens. The first character decides the
 * type of a token.
 */
#include "location/jmespath/lexer.h"

static const struct {
    const char *text;
    int binding;
} tokens[] = {
#define X(name, text, binding) [QUERY_TOKEN_##name] = {text, binding},
    QUERY_TOKENS(X)
#undef X
};

int fx_jmespath_binding(unsigned type) {
    return tokens[type].binding;
}

const char *fx_jmespath_token_text(unsigned type) {
    return tokens[type].text;
}

/* The marks. Where one begins like another, the longer one stands first. */
static const struct {
    struct fx_text text;
    enum query_token_type type;
} marks[] = {
    {{"||", 2}, QUERY_TOKEN_OR},           {{"|", 1}, QUERY_TOKEN_PIPE},
    {{"&&", 2}, QUERY_TOKEN_AND},          {{"&", 1}, QUERY_TOKEN_REFERENCE},
    {{"==", 2}, QUERY_TOKEN_EQUAL},        {{"!=", 2}, QUERY_TOKEN_UNEQUAL},
    {{"!", 1}, QUERY_TOKEN_NOT},           {{"<=", 2}, QUERY_TOKEN_LESS_OR_EQUAL},
    {{"<", 1}, QUERY_TOKEN_LESS},          {{">=", 2}, QUERY_TOKEN_GREATER_OR_EQUAL},
    {{">", 1}, QUERY_TOKEN_GREATER},       {{"[]", 2}, QUERY_TOKEN_FLATTEN},
    {{"[?", 2}, QUERY_TOKEN_FILTER},       {{"[", 1}, QUERY_TOKEN_OPEN_BRACKET},
    {{"]", 1}, QUERY_TOKEN_CLOSE_BRACKET}, {{"{", 1}, QUERY_TOKEN_OPEN_BRACE},
    {{"}", 1}, QUERY_TOKEN_CLOSE_BRACE},   {{"(", 1}, QUERY_TOKEN_OPEN_PAREN},
    {{")", 1}, QUERY_TOKEN_CLOSE_PAREN},   {{".", 1}, QUERY_TOKEN_DOT},
    {{",", 1}, QUERY_TOKEN_COMMA},         {{":", 1}, QUERY_TOKEN_COLON},
    {{"*", 1}, QUERY_TOKEN_STAR},          {{"@", 1}, QUERY_TOKEN_CURRENT},
};

static struct fx_text lexer_rest(const struct query_lexer *lexer) {
    return fx_text_rest(lexer->source, lexer->at);
}

static bool is_name_byte(char c) {
    return fx_is_letter(c) || fx_is_digit(c) || c == '_';
}

static void skip_blanks(struct query_lexer *lexer) {
    while (lexer->at < lexer->source.len &&
           fx_is_one_of(lexer->source.data[lexer->at], " \t\r\n")) {
        lexer->at++;
    }
}

static bool fail_character(const struct query_lexer *lexer, struct fx_err *err) {
    const struct fx_text rest = lexer_rest(lexer);
    uint32_t rune = 0;
    const size_t len = fx_text_rune(rest, &rune);
    return fx_fail_at(err, FX_ESYNTAX, (uint32_t)lexer->at, (uint32_t)len,
                      "unknown character `%.*s`", (int)len, rest.data);
}

static bool lex_mark(struct query_lexer *lexer, struct query_token *token,
                     struct fx_err *err) {
    const struct fx_text rest = lexer_rest(lexer);
    for (size_t i = 0; i < FX_COUNT(marks); i++) {
        if (fx_text_starts(rest, marks[i].text)) {
            token->type = (uint8_t)marks[i].type;
            lexer->at += marks[i].text.len;
            return true;
        }
    }
    return fail_character(lexer, err);
}

/* A backslash protects the character after it. In a string it also does so before another
 * backslash, so that a string can end in a backslash. */
static bool lex_quoted(struct query_lexer *lexer, struct query_token *token,
                       struct fx_err *err) {
    const struct fx_text rest = lexer_rest(lexer);
    size_t end = 1;
    while (end < rest.len && rest.data[end] != rest.data[0]) {
        end += rest.data[end] == '\\' ? 2 : 1;
    }
    if (end >= rest.len) {
        return fx_fail_at(err, FX_ESYNTAX, (uint32_t)lexer->at, 1,
                          "this %c has no closing %c", rest.data[0], rest.data[0]);
    }
    token->type = rest.data[0] == '"'    ? QUERY_TOKEN_QUOTED
                  : rest.data[0] == '\'' ? QUERY_TOKEN_STRING
                                         : QUERY_TOKEN_LITERAL;
    token->text = (struct fx_text){rest.data + 1, end - 1};
    lexer->at += end + 1;
    return true;
}

/* name := ( letter | '_' ) ( letter | digit | '_' )* */
static void lex_name(struct query_lexer *lexer, struct query_token *token) {
    token->type = QUERY_TOKEN_NAME;
    while (lexer->at < lexer->source.len && is_name_byte(lexer->source.data[lexer->at])) {
        lexer->at++;
    }
}

/* number := '-'? digit+ */
static bool lex_number(struct query_lexer *lexer, struct query_token *token,
                       struct fx_err *err) {
    const size_t sign = lexer->source.data[lexer->at] == '-' ? 1 : 0;
    const struct fx_text digits = fx_text_rest(lexer->source, lexer->at + sign);
    const size_t n = fx_text_count_digits(digits, digits.len);
    if (n == 0) {
        return fail_character(lexer, err);
    }
    token->type = QUERY_TOKEN_NUMBER;
    lexer->at += sign + n;
    return true;
}

static bool lex_token(struct query_lexer *lexer, struct query_token *token,
                      struct fx_err *err) {
    const char c = lexer->source.data[lexer->at];
    if (fx_is_letter(c) || c == '_') {
        lex_name(lexer, token);
        return true;
    }
    if (fx_is_digit(c) || c == '-') {
        return lex_number(lexer, token, err);
    }
    return c == '"' || c == '\'' || c == '`' ? lex_quoted(lexer, token, err)
                                             : lex_mark(lexer, token, err);
}

bool fx_jmespath_lex(struct query_lexer *lexer, struct query_token *ret_token,
                     struct fx_err *err) {
    skip_blanks(lexer);
    const size_t off = lexer->at;
    *ret_token = (struct query_token){.type = QUERY_TOKEN_END, .off = (uint32_t)off};
    if (off == lexer->source.len) {
        ret_token->len = 1;
        return true;
    }
    if (!lex_token(lexer, ret_token, err)) {
        return false;
    }
    ret_token->len = (uint32_t)(lexer->at - off);
    if (ret_token->text.data == NULL) {
        ret_token->text = (struct fx_text){lexer->source.data + off, lexer->at - off};
    }
    return true;
}
