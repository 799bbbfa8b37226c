/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/parser.c - tokens and nodes for all parsers.
 */
#include "location/jsonpath/parser.h"

#include <assert.h>
#include <string.h>

#include "base/limits.h"
#include "base/vec.h"

void fx_jsonpath_advance(struct path_parser *parser) {
    parser->behind = (uint32_t)parser->scanner.at;
    parser->token = fx_jsonpath_scan(&parser->scanner);
}

bool fx_jsonpath_is_mark(const struct path_parser *parser, char mark) {
    return parser->token.type == TOKEN_MARK && parser->token.mark == mark;
}

bool fx_jsonpath_skip_mark(struct path_parser *parser, char mark) {
    const bool there = fx_jsonpath_is_mark(parser, mark);
    if (there) {
        fx_jsonpath_advance(parser);
    }
    return there;
}

/* Operators of other languages, and the ones to use. */
static const struct {
    const char *text, *instead;
} foreign[] = {
    {"=", "=="},
    {"and", "&&"},
    {"or", "||"},
    {"not", "!"},
};

static const char *find_instead(struct fx_text text) {
    for (size_t i = 0; i < FX_COUNT(foreign); i++) {
        if (fx_text_is(text, foreign[i].text)) {
            return foreign[i].instead;
        }
    }
    return NULL;
}

/* Returns the text of the token, or of the operator that starts with it. */
static struct fx_text text_at_fault(const struct path_parser *parser) {
    struct path_scanner behind = parser->scanner;
    const enum operator_id id = fx_jsonpath_scan_operator(&behind, &parser->token);
    return id == OPERATOR_NONE ? parser->token.text
                               : fx_text_of(fx_jsonpath_operator(id)->text);
}

bool fx_jsonpath_fail_token(struct path_parser *parser, const char *message) {
    return fx_fail_at(parser->err, FX_ESYNTAX, parser->token.off, parser->token.len, "%s",
                      message);
}

bool fx_jsonpath_fail_expected(struct path_parser *parser, const char *what) {
    const struct path_token *token = &parser->token;
    if (token->type == TOKEN_COMMENT) {
        return fx_fail_at(parser->err, FX_ESYNTAX, token->off, 2,
                          "this comment has no end");
    }
    if (token->type == TOKEN_END) {
        return fx_fail_at(parser->err, FX_ESYNTAX, token->off, token->len,
                          "%s is expected here, where the text ends", what);
    }
    const struct fx_text text = text_at_fault(parser);
    const char *instead = find_instead(text);
    if (instead != NULL) {
        return fx_fail_at(parser->err, FX_ESYNTAX, token->off, token->len,
                          "unknown operator `%.*s`: write `%s`", FX_TEXT_ARG(text),
                          instead);
    }
    return fx_fail_at(parser->err, FX_ESYNTAX, token->off, (uint32_t)text.len,
                      "%s is expected here, not `%.*s`", what, FX_TEXT_ARG(text));
}

bool fx_jsonpath_take_mark(struct path_parser *parser, char mark) {
    if (fx_jsonpath_skip_mark(parser, mark)) {
        return true;
    }
    const char quoted[] = {'`', mark, '`', '\0'};
    return fx_jsonpath_fail_expected(parser, quoted);
}

bool fx_jsonpath_add_node(struct path_parser *parser, enum node_type type,
                          node_index *ret_node) {
    struct fx_jsonpath *program = parser->program;
    if (!FX_VEC_GROW(program->nodes, program->n_nodes, parser->cap_nodes)) {
        return fx_fail_nomem(parser->err);
    }
    *ret_node = (node_index)program->n_nodes;
    program->nodes[program->n_nodes++] = (struct node){
        .type = (uint8_t)type,
        .depth = 1,
        .off = parser->token.off,
        .len = parser->token.len,
    };
    return true;
}

struct node *fx_jsonpath_add_constant(struct path_parser *parser, enum node_type type,
                                      node_index *ret_node) {
    if (!fx_jsonpath_add_node(parser, type, ret_node)) {
        return NULL;
    }
    fx_jsonpath_advance(parser);
    struct node *node = fx_jsonpath_at(parser, *ret_node);
    node->is_constant = true;
    return node;
}

void fx_jsonpath_add_sibling(struct path_parser *parser, struct siblings *siblings,
                             node_index node) {
    const struct node *added = fx_jsonpath_at(parser, node);
    assert(added->next == 0 && (added->type == NODE_NONE || node != 0));
    if (siblings->first == 0) {
        siblings->first = node;
        siblings->constant = added->is_constant;
    } else {
        fx_jsonpath_at(parser, siblings->last)->next = node;
        siblings->constant = siblings->constant && added->is_constant;
    }
    siblings->last = node;
    siblings->depth = added->depth > siblings->depth ? added->depth : siblings->depth;
}

bool fx_jsonpath_adopt(struct path_parser *parser, node_index parent,
                       const struct siblings *children, uint32_t off) {
    struct node *node = fx_jsonpath_at(parser, parent);
    node->first = children->first;
    node->depth = (uint16_t)(children->depth + 1);
    node->off = off;
    node->len = parser->behind - off;
    if (node->depth > FX_LIMIT_JSONPATH_DEPTH) {
        return fx_fail_at(parser->err, FX_ELIMIT, node->off, node->len,
                          "expression is more than %u levels deep",
                          FX_LIMIT_JSONPATH_DEPTH);
    }
    return true;
}

struct fx_text fx_jsonpath_keep(struct path_parser *parser, struct fx_text text) {
    char *copy = parser->program->store + parser->stored;
    assert(parser->stored + text.len <= parser->scanner.source.len);
    memcpy(copy, text.data, text.len);
    parser->stored += text.len;
    return (struct fx_text){copy, text.len};
}
