/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/parse_member.c - fields, methods and indexes.
 */
#include "location/cel/parser.h"

/* Where errors of these rules are, for fx_cel_recover(). */
enum {
    AT_MEMBER = 8,
    AT_METHOD_NAME,
    AT_METHOD_ARGUMENTS,
    AT_METHOD_END,
    AT_INDEX,
    AT_INDEX_END,
    AT_FIELD
};

void fx_cel_parse_arguments(struct cel_parser *parser, const struct cel_follow *follow,
                            struct cel_nodes *ret_args) {
    const struct cel_follow inner = fx_cel_follow(follow, CEL_SET(CEL_COMMA), true);
    struct cel_token comma;
    do {
        fx_cel_add_node(parser, ret_args, fx_cel_parse_expression(parser, &inner), false);
    } while (fx_cel_ahead(parser, 0) == CEL_COMMA &&
             fx_cel_match(parser, CEL_COMMA, 0, &comma));
}

struct fx_text fx_cel_parse_field(struct cel_parser *parser,
                                  const struct cel_follow *follow,
                                  const char **ret_fault) {
    *ret_fault = NULL;
    const bool ok = fx_cel_expect(parser, CEL_FIELD_STARTS);
    if (ok && fx_cel_ahead(parser, 0) == CEL_ESCAPED_IDENTIFIER) {
        *ret_fault = "unsupported syntax: '`'";
    }
    if (ok && fx_cel_is_ahead(parser, CEL_FIELD_STARTS)) {
        return fx_cel_token_text(parser, fx_cel_take(parser));
    }
    fx_cel_report(parser, 0, "no viable alternative at input");
    fx_cel_recover(parser, follow, AT_FIELD);
    *ret_fault = "unsupported ident kind";
    return (struct fx_text){"", 0};
}

/* select := '.' '?'? field */
static void parse_select(struct cel_parser *parser, const struct cel_follow *follow,
                         struct cel_operand *operand) {
    struct cel_token mark;
    const char *fault = NULL;
    const struct cel_token dot = fx_cel_take(parser);
    const bool is_optional = fx_cel_ahead(parser, 0) == CEL_QUESTION &&
                             fx_cel_match(parser, CEL_QUESTION, 0, &mark);
    const uint32_t at = fx_cel_token(parser).at;
    const struct fx_text field = fx_cel_parse_field(parser, follow, &fault);
    if (fault != NULL) {
        (void)fx_cel_refuse(parser, at, fault);
    }
    if (is_optional) {
        struct fx_cel_node *name =
            fx_cel_new_literal(parser, at, fx_cel_make_string(field));
        operand->node =
            fx_cel_new_call_of(parser, dot.at, "_?._", 2, operand->node, name);
        return;
    }
    struct fx_cel_node *node = fx_cel_new_node(parser, FX_CEL_NODE_SELECT, dot.at);
    node->select.operand = operand->node;
    node->select.field = field;
    operand->node = node;
}

/* method := '.' name '(' arguments? ')'. False: the member ends in an error. */
static bool parse_method(struct cel_parser *parser, const struct cel_follow *follow,
                         struct cel_operand *operand) {
    const struct cel_follow inner =
        fx_cel_follow(follow, CEL_SET(CEL_RIGHT_PAREN), false);
    struct cel_token name;
    struct cel_token open;
    struct cel_token token;
    struct cel_nodes args = {.height = operand->height};
    (void)fx_cel_take(parser);
    if (!fx_cel_match(parser, CEL_IDENTIFIER, CEL_SET(CEL_LEFT_PAREN), &name) ||
        !fx_cel_match(parser, CEL_LEFT_PAREN, CEL_STARTS | CEL_SET(CEL_RIGHT_PAREN),
                      &open)) {
        fx_cel_recover(parser, follow, AT_METHOD_NAME);
        operand->node = fx_cel_new_unknown(parser, operand->start);
        return false;
    }
    bool ok = fx_cel_expect(parser, CEL_STARTS | CEL_SET(CEL_RIGHT_PAREN));
    if (ok && fx_cel_is_ahead(parser, CEL_STARTS)) {
        fx_cel_parse_arguments(parser, &inner, &args);
    }
    if (!ok) {
        fx_cel_recover(parser, follow, AT_METHOD_ARGUMENTS);
    } else if (!fx_cel_match(parser, CEL_RIGHT_PAREN, CEL_MEMBERS | follow->next,
                             &token)) {
        fx_cel_recover(parser, follow, AT_METHOD_END);
        ok = false;
    }
    operand->node = fx_cel_call_or_macro(parser, open.at, fx_cel_token_text(parser, name),
                                         operand->node, &args);
    operand->height = args.height > operand->height ? args.height : operand->height;
    return ok;
}

/* index := '[' '?'? expression ']'. False: the member ends in an error. */
static bool parse_index(struct cel_parser *parser, const struct cel_follow *follow,
                        struct cel_operand *operand) {
    const struct cel_follow inner =
        fx_cel_follow(follow, CEL_SET(CEL_RIGHT_BRACKET), false);
    const struct cel_token open = fx_cel_take(parser);
    struct cel_token token;
    bool ok = fx_cel_expect(parser, CEL_OPTIONAL_STARTS);
    const bool is_optional = ok && fx_cel_ahead(parser, 0) == CEL_QUESTION &&
                             fx_cel_match(parser, CEL_QUESTION, 0, &token);
    struct cel_operand index = {0};
    if (!ok) {
        fx_cel_recover(parser, follow, AT_INDEX);
        index.node = fx_cel_new_unknown(parser, FX_CEL_UNPARSED);
    } else {
        index = fx_cel_parse_expression(parser, &inner);
        if (!fx_cel_match(parser, CEL_RIGHT_BRACKET, CEL_MEMBERS | follow->next,
                          &token)) {
            fx_cel_recover(parser, follow, AT_INDEX_END);
            ok = false;
        }
    }
    operand->node = fx_cel_new_call_of(parser, open.at, is_optional ? "_[?_]" : "_[_]", 2,
                                       operand->node, index.node);
    operand->height = index.height > operand->height ? index.height : operand->height;
    return ok;
}

/* Parses what follows a dot. */
static bool parse_after_dot(struct cel_parser *parser, const struct cel_follow *follow,
                            struct cel_operand *operand) {
    const struct cel_follow field = fx_cel_follow(follow, CEL_MEMBERS, true);
    const cel_set next = CEL_SET(fx_cel_ahead(parser, 1));
    const cel_set words = CEL_SET(CEL_TRUE) | CEL_SET(CEL_FALSE) | CEL_SET(CEL_NULL);
    if ((next & words) != 0 ||
        (next == CEL_SET(CEL_IDENTIFIER) && fx_cel_ahead(parser, 2) == CEL_LEFT_PAREN)) {
        return parse_method(parser, follow, operand);
    }
    if ((next & (CEL_FIELD_STARTS | CEL_SET(CEL_QUESTION))) == 0) {
        fx_cel_report(parser, 1, "no viable alternative at input");
        fx_cel_recover(parser, follow, AT_MEMBER);
        return false;
    }
    parse_select(parser, &field, operand);
    return true;
}

/* member := primary ( select | method | index )* */
struct cel_operand fx_cel_parse_member(struct cel_parser *parser,
                                       const struct cel_follow *follow) {
    const struct cel_follow inner = fx_cel_follow(follow, CEL_MEMBERS, true);
    struct cel_operand operand = fx_cel_parse_primary(parser, &inner);
    bool ok = true;
    while (ok && !parser->stopped && fx_cel_is_ahead(parser, CEL_MEMBERS)) {
        const struct fx_cel_node *before = operand.node;
        ok = fx_cel_ahead(parser, 0) == CEL_DOT
                 ? parse_after_dot(parser, follow, &operand)
                 : parse_index(parser, follow, &operand);
        operand.height += operand.node != before;
        operand = fx_cel_limit_height(parser, operand);
    }
    return operand;
}
