/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/parse_nodes.c - tokens, nodes, and the texts in them.
 */
#include "base/limits.h"
#include "base/strconv.h"
#include "location/jmespath/parser.h"
#include "value/json.h"
#include "value/tree.h"

/* ---- tokens ------------------------------------------------------------------------ */

bool fx_jmespath_advance(struct query_parser *parser) {
    parser->behind = parser->token.off + parser->token.len;
    parser->token = parser->next;
    return fx_jmespath_lex(&parser->lexer, &parser->next, parser->err);
}

bool fx_jmespath_fail_expected(struct query_parser *parser, const char *what) {
    const struct query_token *token = &parser->token;
    return fx_fail_at(parser->err, FX_ESYNTAX, token->off, token->len,
                      token->type == QUERY_TOKEN_END ? "%s is expected here, where %s is"
                                                     : "%s is expected here, not %s",
                      what, fx_jmespath_token_text(token->type));
}

bool fx_jmespath_take_token(struct query_parser *parser, enum query_token_type type) {
    return fx_jmespath_is_token(parser, type)
               ? fx_jmespath_advance(parser)
               : fx_jmespath_fail_expected(parser, fx_jmespath_token_text(type));
}

/* ---- nodes ------------------------------------------------------------------------- */

static bool is_builder(enum query_node_type type) {
    return type == QUERY_LIST || type == QUERY_OBJECT;
}

struct fx_jmespath_node *fx_jmespath_new_node(struct query_parser *parser,
                                              enum query_node_type type) {
    struct fx_jmespath *query = parser->query;
    struct fx_jmespath_node *node = fx_arena_alloc(&query->arena, sizeof *node);
    if (node == NULL) {
        (void)fx_fail_nomem(parser->err);
        return NULL;
    }
    node->type = (uint8_t)type;
    node->depth = 1;
    node->off = parser->token.off;
    node->len = parser->token.len;
    query->n_builders += is_builder(type) ? 1 : 0;
    if (query->n_builders > FX_LIMIT_JMESPATH_BUILDERS) {
        (void)fx_fail_at(parser->err, FX_ELIMIT, node->off, node->len,
                         "query makes more than %u lists and objects",
                         FX_LIMIT_JMESPATH_BUILDERS);
        return NULL;
    }
    return node;
}

void fx_jmespath_add_child(struct query_children *children,
                           struct fx_jmespath_node *child) {
    if (children->first == NULL) {
        children->first = child;
    } else {
        children->last->next = child;
    }
    children->last = child;
}

bool fx_jmespath_adopt(struct query_parser *parser, struct fx_jmespath_node *node,
                       const struct query_children *children, uint32_t off) {
    node->first = children->first;
    node->off = off;
    node->len = parser->behind - off;
    for (const struct fx_jmespath_node *child = node->first; child != NULL;
         child = child->next) {
        node->depth = child->depth >= node->depth ? child->depth + 1 : node->depth;
    }
    return node->depth <= FX_LIMIT_JMESPATH_DEPTH ||
           fx_fail_at(parser->err, FX_ELIMIT, node->off, node->len,
                      "query is more than %u levels deep", FX_LIMIT_JMESPATH_DEPTH);
}

struct fx_jmespath_node *fx_jmespath_new_pair(struct query_parser *parser,
                                              enum query_node_type type,
                                              struct fx_jmespath_node *left,
                                              struct fx_jmespath_node *right) {
    struct query_children children = {NULL, NULL};
    if (left == NULL || right == NULL) {
        return NULL;
    }
    struct fx_jmespath_node *node = fx_jmespath_new_node(parser, type);
    fx_jmespath_add_child(&children, left);
    fx_jmespath_add_child(&children, right);
    return node != NULL && fx_jmespath_adopt(parser, node, &children, left->off) ? node
                                                                                 : NULL;
}

/* ---- texts ------------------------------------------------------------------------- */

/* Copies the text of the token into the query, without the backslashes before `quote`. */
static bool unprotect(struct query_parser *parser, char quote, struct fx_text *ret_text) {
    const struct fx_text text = parser->token.text;
    char *copy = fx_arena_copy(&parser->query->arena, text);
    size_t len = 0;
    if (copy == NULL) {
        return fx_fail_nomem(parser->err);
    }
    for (size_t i = 0; i < text.len; i++) {
        const bool is_pair = text.data[i] == '\\' && i + 1 < text.len;
        if (is_pair && text.data[i + 1] != quote) {
            copy[len++] = text.data[i];
        }
        i += is_pair ? 1 : 0;
        copy[len++] = text.data[i];
    }
    *ret_text = (struct fx_text){copy, len};
    return true;
}

/* Keeps a value in the query, which it consumes. */
static json_t *keep_literal(struct query_parser *parser, json_t *value_take) {
    if (value_take == NULL ||
        json_array_append(parser->query->literals, value_take) != 0) {
        (void)fx_fail_nomem(parser->err);
        json_decref(value_take);
        return NULL;
    }
    json_decref(value_take);
    return value_take;
}

/* Reads JSON text at the current token, and keeps the value. */
static json_t *read_json(struct query_parser *parser, struct fx_text text,
                         const char *what) {
    json_t *value = fx_json_read(text, NULL, parser->err);
    if (value == NULL) {
        (void)fx_err_prefix(parser->err, "%s is not JSON: ", what);
        parser->err->off = parser->token.off;
        parser->err->len = parser->token.len;
        return NULL;
    }
    return keep_literal(parser, value);
}

/* Gets the name of the current token. A quoted name is a string of JSON. */
static bool read_name(struct query_parser *parser, struct fx_text *ret_name) {
    const struct query_token *token = &parser->token;
    if (token->type == QUERY_TOKEN_NAME) {
        *ret_name = token->text;
        return true;
    }
    if (token->type != QUERY_TOKEN_QUOTED) {
        return fx_jmespath_fail_expected(parser, "a name");
    }
    const struct fx_text quoted = {token->text.data - 1, token->text.len + 2};
    const json_t *string = read_json(parser, quoted, "the quoted name");
    if (string != NULL) {
        *ret_name = fx_tree_text(string);
    }
    return string != NULL;
}

struct fx_jmespath_node *fx_jmespath_take_name(struct query_parser *parser,
                                               enum query_node_type type) {
    struct fx_text name;
    if (!read_name(parser, &name)) {
        return NULL;
    }
    struct fx_jmespath_node *node = fx_jmespath_new_node(parser, type);
    if (node == NULL || !fx_jmespath_advance(parser)) {
        return NULL;
    }
    node->as.name = name;
    return node;
}

struct fx_jmespath_node *fx_jmespath_take_literal(struct query_parser *parser) {
    struct fx_jmespath_node *node = fx_jmespath_new_node(parser, QUERY_LITERAL);
    const bool is_string = fx_jmespath_is_token(parser, QUERY_TOKEN_STRING);
    struct fx_text text = {NULL, 0};
    if (node == NULL || !unprotect(parser, is_string ? '\'' : '`', &text)) {
        return NULL;
    }
    node->as.literal = is_string ? keep_literal(parser, fx_tree_new_string(text))
                                 : read_json(parser, text, "the literal");
    return node->as.literal != NULL && fx_jmespath_advance(parser) ? node : NULL;
}

bool fx_jmespath_take_integer(struct query_parser *parser, int64_t *ret_integer) {
    const struct query_token *token = &parser->token;
    if (token->type != QUERY_TOKEN_NUMBER) {
        return fx_jmespath_fail_expected(parser, "a number");
    }
    if (fx_go_parse_int(token->text, 10, ret_integer) != FX_GO_NUMBER) {
        return fx_fail_at(parser->err, FX_ESYNTAX, token->off, token->len,
                          "the number does not fit 64 bits");
    }
    return fx_jmespath_advance(parser);
}
