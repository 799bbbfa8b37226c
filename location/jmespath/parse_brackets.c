/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/parse_brackets.c - what stands in brackets: lists, objects,
 * arguments, indexes and slices.
 */
#include "location/jmespath/parser.h"

/* Finishes a node with children, whose closing bracket is read. */
static struct fx_jmespath_node *close_node(struct query_parser *parser,
                                           struct fx_jmespath_node *node,
                                           const struct query_children *children,
                                           uint32_t off) {
    return fx_jmespath_adopt(parser, node, children, off) ? node : NULL;
}

struct fx_jmespath_node *fx_jmespath_parse_list(struct query_parser *parser,
                                                uint32_t off) {
    struct query_children children = {NULL, NULL};
    struct fx_jmespath_node *list = fx_jmespath_new_node(parser, QUERY_LIST);
    bool more = list != NULL;
    while (more) {
        struct fx_jmespath_node *element = fx_jmespath_parse_expression(parser, 0);
        if (element == NULL) {
            return NULL;
        }
        fx_jmespath_add_child(&children, element);
        more = !fx_jmespath_is_token(parser, QUERY_TOKEN_CLOSE_BRACKET);
        if (more && !fx_jmespath_is_token(parser, QUERY_TOKEN_COMMA)) {
            (void)fx_jmespath_fail_expected(parser, "`,` or `]`");
            return NULL;
        }
        if (!fx_jmespath_advance(parser)) {
            return NULL;
        }
    }
    return list == NULL ? NULL : close_node(parser, list, &children, off);
}

/* `x: a` */
static struct fx_jmespath_node *parse_member(struct query_parser *parser) {
    struct query_children children = {NULL, NULL};
    struct fx_jmespath_node *member = fx_jmespath_take_name(parser, QUERY_MEMBER);
    if (member == NULL || !fx_jmespath_take_token(parser, QUERY_TOKEN_COLON)) {
        return NULL;
    }
    struct fx_jmespath_node *value = fx_jmespath_parse_expression(parser, 0);
    if (value == NULL) {
        return NULL;
    }
    fx_jmespath_add_child(&children, value);
    return close_node(parser, member, &children, member->off);
}

/* The comma between two members may be missing, as in Kyverno. A comma before the brace
 * may not be there. */
struct fx_jmespath_node *fx_jmespath_parse_object(struct query_parser *parser,
                                                  uint32_t off) {
    struct query_children children = {NULL, NULL};
    struct fx_jmespath_node *object = fx_jmespath_new_node(parser, QUERY_OBJECT);
    bool more = object != NULL;
    while (more) {
        struct fx_jmespath_node *member = parse_member(parser);
        if (member == NULL) {
            return NULL;
        }
        fx_jmespath_add_child(&children, member);
        more = !fx_jmespath_is_token(parser, QUERY_TOKEN_CLOSE_BRACE);
        const bool has_mark = !more || fx_jmespath_is_token(parser, QUERY_TOKEN_COMMA);
        if (has_mark && !fx_jmespath_advance(parser)) {
            return NULL;
        }
    }
    return object == NULL ? NULL : close_node(parser, object, &children, off);
}

/* Commas between arguments may be missing, and one may stand before the parenthesis, as
 * in Kyverno. */
static bool parse_arguments(struct query_parser *parser,
                            struct query_children *children) {
    while (!fx_jmespath_is_token(parser, QUERY_TOKEN_CLOSE_PAREN)) {
        struct fx_jmespath_node *argument = fx_jmespath_parse_expression(parser, 0);
        if (argument == NULL) {
            return false;
        }
        fx_jmespath_add_child(children, argument);
        if (fx_jmespath_is_token(parser, QUERY_TOKEN_COMMA) &&
            !fx_jmespath_advance(parser)) {
            return false;
        }
    }
    return fx_jmespath_advance(parser);
}

struct fx_jmespath_node *fx_jmespath_parse_call(struct query_parser *parser,
                                                const struct fx_jmespath_node *callee) {
    struct query_children children = {NULL, NULL};
    if (callee->type != QUERY_FIELD) {
        (void)fx_fail_at(parser->err, FX_ESYNTAX, callee->off, callee->len,
                         "only a name can be called");
        return NULL;
    }
    struct fx_jmespath_node *call = fx_jmespath_new_node(parser, QUERY_CALL);
    if (call == NULL || !parse_arguments(parser, &children)) {
        return NULL;
    }
    call->as.name = callee->as.name;
    call->function = fx_jmespath_function_find(call->as.name);
    return close_node(parser, call, &children, callee->off);
}

/* `1:2:3]`. A third colon is ignored, as in Kyverno. */
static bool parse_slice(struct query_parser *parser, struct query_slice *slice) {
    for (unsigned part = 0; part <= 3; part++) {
        if (part < 3 && fx_jmespath_is_token(parser, QUERY_TOKEN_NUMBER)) {
            slice->has[part] = true;
            if (!fx_jmespath_take_integer(parser, &slice->part[part])) {
                return false;
            }
        }
        if (fx_jmespath_is_token(parser, QUERY_TOKEN_CLOSE_BRACKET)) {
            break;
        }
        if (part == 3 || !fx_jmespath_is_token(parser, QUERY_TOKEN_COLON)) {
            return fx_jmespath_fail_expected(parser, part < 2 ? "`:` or `]`" : "`]`");
        }
        if (!fx_jmespath_advance(parser)) {
            return false;
        }
    }
    return fx_jmespath_advance(parser);
}

struct fx_jmespath_node *fx_jmespath_parse_index(struct query_parser *parser,
                                                 struct fx_jmespath_node *left) {
    const bool is_slice = fx_jmespath_is_token(parser, QUERY_TOKEN_COLON) ||
                          parser->next.type == QUERY_TOKEN_COLON;
    struct fx_jmespath_node *node =
        fx_jmespath_new_node(parser, is_slice ? QUERY_SLICE : QUERY_INDEX);
    if (node == NULL ||
        !(is_slice ? parse_slice(parser, &node->as.slice)
                   : fx_jmespath_take_integer(parser, &node->as.index) &&
                         fx_jmespath_take_token(parser, QUERY_TOKEN_CLOSE_BRACKET))) {
        return NULL;
    }
    node->len = parser->behind - node->off;
    node = fx_jmespath_new_pair(parser, QUERY_CHAIN, left, node);
    return node != NULL && is_slice
               ? fx_jmespath_parse_projection(parser, QUERY_EACH, node,
                                              fx_jmespath_binding(QUERY_TOKEN_STAR))
               : node;
}
