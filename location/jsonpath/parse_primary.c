/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/parse_primary.c - operands: literals, lists, objects, variables,
 * calls, and prefix operators (spec section 7.3).
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/strconv.h"
#include "location/jsonpath/parser.h"

/* ---- literals -------------------------------------------------------------------- */

static bool parse_number(struct path_parser *parser, node_index *ret_node) {
    const struct path_token token = parser->token;
    int64_t integer = 0;
    double number = 0;
    const bool exact = fx_go_parse_int(token.text, 10, &integer) == FX_GO_NUMBER;
    if (!exact && !fx_jsonpath_parse_float(token.text, &number)) {
        return fx_fail_at(parser->err, FX_ESYNTAX, token.off, token.len,
                          "`%.*s` is not a decimal number, or is too large",
                          FX_TEXT_ARG(token.text));
    }
    struct expression_node *node =
        fx_jsonpath_add_constant(parser, exact ? NODE_INTEGER : NODE_NUMBER, ret_node);
    if (node != NULL && exact) {
        node->as.integer = integer;
    } else if (node != NULL) {
        node->as.number = number;
    }
    return node != NULL;
}

static bool is_one_rune(struct fx_text text) {
    uint32_t rune = 0;
    return text.len > 0 && fx_text_rune(text, &rune) == text.len;
}

/* Unquotes the token into the free part of the program's store. */
static bool unquote(struct path_parser *parser, struct fx_text *ret_text) {
    const struct fx_text quoted = parser->token.text;
    const char quote = quoted.data[0];
    char *store = parser->program->store + parser->stored;
    if (quoted.len < 2 || quoted.data[quoted.len - 1] != quote) {
        return fx_jsonpath_fail_token(parser, "this text has no closing quote");
    }
    const struct fx_text text = {quoted.data + 1, quoted.len - 2};
    size_t len = 0;
    if (!fx_go_unquote(text, quote, store, &len)) {
        if (len + 1 == text.len) { /* the backslash escapes the closing quote */
            return fx_jsonpath_fail_token(parser, "this text has no closing quote");
        }
        return fx_fail_at(parser->err, FX_ESYNTAX, parser->token.off + 1 + (uint32_t)len,
                          2,
                          "unknown escape: write `\\\\` for a backslash, or put "
                          "the text in backquotes");
    }
    *ret_text = (struct fx_text){store, len};
    if (quote == '`') {
        return true;
    }
    if (!fx_text_is_utf8(*ret_text)) {
        return fx_jsonpath_fail_token(parser,
                                      "the escapes of this text give invalid UTF-8");
    }
    return quote != '\'' || is_one_rune(*ret_text) ||
           fx_jsonpath_fail_token(parser,
                                  "single quotes hold one character: use double quotes");
}

static bool parse_text(struct path_parser *parser, node_index *ret_node) {
    struct fx_text text = {0};
    struct expression_node *node =
        unquote(parser, &text) ? fx_jsonpath_add_constant(parser, NODE_TEXT, ret_node)
                               : NULL;
    if (node != NULL) {
        parser->stored += text.len;
        node->as.text = text;
    }
    return node != NULL;
}

static bool parse_truth(struct path_parser *parser, bool truth, node_index *ret_node) {
    struct expression_node *node = fx_jsonpath_add_constant(parser, NODE_BOOL, ret_node);
    if (node != NULL) {
        node->as.truth = truth;
    }
    return node != NULL;
}

/* ---- lists and objects ----------------------------------------------------------- */

/* Parses the key of a member, which may contain placeholders for key parts of the path
 * after it. */
static bool parse_key(struct path_parser *parser, node_index *ret_node,
                      bool *ret_has_placeholder) {
    const bool in_key = parser->in_key;
    const bool had_placeholder = parser->has_placeholder;
    parser->in_key = true;
    parser->has_placeholder = false;
    const bool ok = fx_jsonpath_parse_expression(parser, ret_node);
    *ret_has_placeholder = parser->has_placeholder;
    parser->in_key = in_key;
    parser->has_placeholder = had_placeholder;
    return ok;
}

/* member := expression ':' expression. After a key with a placeholder only a path is
 * allowed. */
static bool parse_member(struct path_parser *parser, struct siblings *members) {
    node_index key = 0;
    node_index value = 0;
    bool follows_path = false;
    if (!parse_key(parser, &key, &follows_path) || !fx_jsonpath_take_mark(parser, ':')) {
        return false;
    }
    if (!follows_path) {
        if (!fx_jsonpath_parse_expression(parser, &value)) {
            return false;
        }
    } else if (!fx_jsonpath_is_mark(parser, '$') && !fx_jsonpath_is_mark(parser, '@')) {
        return fx_jsonpath_fail_expected(parser, "a path, because the key has a `#`,");
    } else if (!fx_jsonpath_parse_path(parser, &value)) {
        return false;
    } else {
        fx_jsonpath_at(parser, value)->as.path.follows_key = true;
    }
    fx_jsonpath_add_sibling(parser, members, key);
    fx_jsonpath_add_sibling(parser, members, value);
    return true;
}

/* list := '[' ( expression | ',' )* ']', object := '{' ( member | ',' )* '}'. KubeMod
 * accepts missing and extra commas between entries. */
static bool parse_entries(struct path_parser *parser, enum node_type type,
                          node_index *ret_node) {
    const bool is_list = type == NODE_LIST;
    const uint32_t off = parser->token.off;
    struct siblings entries = {0};
    if (!fx_jsonpath_add_node(parser, type, ret_node)) {
        return false;
    }
    fx_jsonpath_advance(parser);
    while (!fx_jsonpath_skip_mark(parser, is_list ? ']' : '}')) {
        if (fx_jsonpath_skip_mark(parser, ',')) {
            continue;
        }
        if (parser->token.type == TOKEN_END) {
            return fx_jsonpath_fail_expected(parser, is_list ? "`]`" : "`}`");
        }
        if (!(is_list ? fx_jsonpath_parse_child(parser, &entries)
                      : parse_member(parser, &entries))) {
            return false;
        }
    }
    return fx_jsonpath_adopt(parser, *ret_node, &entries, off);
}

/* placeholder := '#' digits? */
static bool parse_placeholder(struct path_parser *parser, node_index *ret_node) {
    if (!parser->in_key) {
        return fx_jsonpath_fail_token(parser,
                                      "`#` is only allowed in the key of an object");
    }
    parser->has_placeholder = true;
    if (!fx_jsonpath_add_node(parser, NODE_PLACEHOLDER, ret_node)) {
        return false;
    }
    int64_t which = 0;
    fx_jsonpath_advance(parser);
    if (parser->token.type == TOKEN_NUMBER &&
        fx_go_parse_int(parser->token.text, 10, &which) == FX_GO_NUMBER) {
        fx_jsonpath_advance(parser);
    } else {
        which = -1;
    }
    fx_jsonpath_at(parser, *ret_node)->as.integer = which;
    return true;
}

/* ---- names ----------------------------------------------------------------------- */

/* arguments := '(' ( expression ( ',' expression )* )? ')' */
static bool parse_arguments(struct path_parser *parser, struct siblings *arguments) {
    fx_jsonpath_advance(parser);
    if (fx_jsonpath_skip_mark(parser, ')')) {
        return true;
    }
    do {
        if (!fx_jsonpath_parse_child(parser, arguments)) {
            return false;
        }
    } while (fx_jsonpath_skip_mark(parser, ','));
    return fx_jsonpath_take_mark(parser, ')');
}

/* call := name arguments?. The evaluation checks the number of arguments. */
static bool parse_call(struct path_parser *parser, enum function_id id,
                       node_index *ret_node) {
    const uint32_t off = parser->token.off;
    struct siblings arguments = {0};
    if (!fx_jsonpath_add_node(parser, NODE_CALL, ret_node)) {
        return false;
    }
    fx_jsonpath_at(parser, *ret_node)->id = (uint8_t)id;
    fx_jsonpath_advance(parser);
    return (!fx_jsonpath_is_mark(parser, '(') || parse_arguments(parser, &arguments)) &&
           fx_jsonpath_adopt(parser, *ret_node, &arguments, off);
}

/* Parses '.' ident | '[' expression ']'. */
static bool parse_variable_key(struct path_parser *parser, struct siblings *keys) {
    node_index key = 0;
    if (fx_jsonpath_skip_mark(parser, '[')) {
        return fx_jsonpath_parse_child(parser, keys) &&
               fx_jsonpath_take_mark(parser, ']');
    }
    fx_jsonpath_advance(parser);
    if (parser->token.type != TOKEN_IDENT) {
        return fx_jsonpath_fail_expected(parser, "a field name");
    }
    if (!fx_jsonpath_add_node(parser, NODE_TEXT, &key)) {
        return false;
    }
    fx_jsonpath_at(parser, key)->as.text = fx_jsonpath_keep(parser, parser->token.text);
    fx_jsonpath_advance(parser);
    fx_jsonpath_add_sibling(parser, keys, key);
    return true;
}

/* Parses a call of an unknown function, which fails in every evaluation. */
static bool parse_unknown_call(struct path_parser *parser, node_index variable,
                               node_index *ret_node) {
    const uint32_t off = fx_jsonpath_at(parser, variable)->off;
    struct siblings children = {0};
    fx_jsonpath_add_sibling(parser, &children, variable);
    return fx_jsonpath_add_node(parser, NODE_UNKNOWN, ret_node) &&
           parse_arguments(parser, &children) &&
           fx_jsonpath_adopt(parser, *ret_node, &children, off);
}

/* variable := ident ( '.' ident | '[' expression ']' )* arguments? */
static bool parse_variable(struct path_parser *parser, node_index *ret_node) {
    const uint32_t off = parser->token.off;
    struct siblings keys = {0};
    if (!fx_jsonpath_add_node(parser, NODE_VARIABLE, ret_node)) {
        return false;
    }
    fx_jsonpath_at(parser, *ret_node)->as.text =
        fx_jsonpath_keep(parser, parser->token.text);
    fx_jsonpath_advance(parser);
    while (fx_jsonpath_is_mark(parser, '.') || fx_jsonpath_is_mark(parser, '[')) {
        if (!parse_variable_key(parser, &keys)) {
            return false;
        }
    }
    return fx_jsonpath_adopt(parser, *ret_node, &keys, off) &&
           (!fx_jsonpath_is_mark(parser, '(') ||
            parse_unknown_call(parser, *ret_node, ret_node));
}

static bool parse_name(struct path_parser *parser, node_index *ret_node) {
    const struct fx_text name = parser->token.text;
    if (fx_text_is(name, "true") || fx_text_is(name, "false")) {
        return parse_truth(parser, name.data[0] == 't', ret_node);
    }
    for (unsigned id = 0; id < FUNCTION_NONE; id++) {
        if (fx_text_is(name, fx_jsonpath_function_name((enum function_id)id))) {
            return parse_call(parser, (enum function_id)id, ret_node);
        }
    }
    return parse_variable(parser, ret_node);
}

/* ---- operands -------------------------------------------------------------------- */

/* prefixed := ( '!' | '-' | '~' ) operand */
static bool parse_prefixed(struct path_parser *parser, enum prefix_id id,
                           node_index *ret_node) {
    const uint32_t off = parser->token.off;
    struct siblings operand = {0};
    node_index child = 0;
    if (parser->depth >= FX_LIMIT_JSONPATH_DEPTH) {
        return fx_fail_at(parser->err, FX_ELIMIT, parser->token.off, parser->token.len,
                          "expression is more than %u levels deep",
                          FX_LIMIT_JSONPATH_DEPTH);
    }
    fx_jsonpath_advance(parser);
    parser->depth++;
    const bool ok = fx_jsonpath_parse_operand(parser, &child);
    parser->depth--;
    if (!ok) {
        return false;
    }
    fx_jsonpath_add_sibling(parser, &operand, child);
    if (!fx_jsonpath_add_node(parser, NODE_PREFIX, ret_node) ||
        !fx_jsonpath_adopt(parser, *ret_node, &operand, off)) {
        return false;
    }
    fx_jsonpath_at(parser, *ret_node)->id = (uint8_t)id;
    fx_jsonpath_at(parser, *ret_node)->is_constant = operand.constant;
    return fx_jsonpath_check_constant(parser, *ret_node);
}

static bool parse_marked(struct path_parser *parser, node_index *ret_node) {
    switch (parser->token.mark) {
    case '$':
    case '@': return fx_jsonpath_parse_path(parser, ret_node);
    case '(':
        fx_jsonpath_advance(parser);
        return fx_jsonpath_parse_expression(parser, ret_node) &&
               fx_jsonpath_take_mark(parser, ')');
    case '[': return parse_entries(parser, NODE_LIST, ret_node);
    case '{': return parse_entries(parser, NODE_OBJECT, ret_node);
    case '#': return parse_placeholder(parser, ret_node);
    case '!': return parse_prefixed(parser, PREFIX_NOT, ret_node);
    case '-': return parse_prefixed(parser, PREFIX_MINUS, ret_node);
    case '~': return parse_prefixed(parser, PREFIX_COMPLEMENT, ret_node);
    default: return fx_jsonpath_fail_expected(parser, "an expression");
    }
}

/* operand := number | text | name | path | list | object | placeholder | prefixed
 *          | '(' expression ')' */
bool fx_jsonpath_parse_operand(struct path_parser *parser, node_index *ret_node) {
    switch (parser->token.type) {
    case TOKEN_NUMBER: return parse_number(parser, ret_node);
    case TOKEN_QUOTED: return parse_text(parser, ret_node);
    case TOKEN_IDENT: return parse_name(parser, ret_node);
    case TOKEN_MARK: return parse_marked(parser, ret_node);
    case TOKEN_END:
    case TOKEN_COMMENT: break;
    }
    return fx_jsonpath_fail_expected(parser, "an expression");
}
