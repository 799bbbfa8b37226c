/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/parse.c - expressions, from `?:` down to the unary operators.
 */
#include "base/budget.h"
#include "location/cel/parser.h"

/* Where errors of these rules are, for fx_cel_recover(). */
enum { AT_START, AT_CONDITIONAL, AT_COLON, AT_UNARY, AT_NEGATION };

static const struct {
    enum cel_token_type type;
    const char *function;
} operators[] = {
    {CEL_EQUALS, "_==_"}, {CEL_NOT_EQUALS, "_!=_"},  {CEL_IN, "@in"},
    {CEL_LESS, "_<_"},    {CEL_LESS_EQUALS, "_<=_"}, {CEL_GREATER_EQUALS, "_>=_"},
    {CEL_GREATER, "_>_"}, {CEL_PLUS, "_+_"},         {CEL_MINUS, "_-_"},
    {CEL_STAR, "_*_"},    {CEL_SLASH, "_/_"},        {CEL_PERCENT, "_%_"},
};

static const char *function_of(enum cel_token_type type) {
    size_t i = 0;
    while (i + 1 < FX_COUNT(operators) && operators[i].type != type) {
        i++;
    }
    return operators[i].function;
}

/* ---- unary operators --------------------------------------------------------------- */

/* A run of `!` or `-`, and what follows: an even number of them vanishes. */
static void parse_run(struct cel_parser *parser, const struct cel_follow *follow,
                      enum cel_token_type type, struct cel_operand *operand) {
    const struct cel_token first = fx_cel_token(parser);
    size_t n = 0;
    while (fx_cel_ahead(parser, 0) == type) {
        (void)fx_cel_take(parser);
        n++;
    }
    const uint32_t start = operand->start;
    if (type == CEL_NOT && !parser->is_recovering &&
        !fx_cel_is_ahead(parser, CEL_STARTS)) {
        fx_cel_report(parser, 0, "extraneous input");
        fx_cel_skip_to(parser, CEL_STARTS | follow->any);
    }
    *operand = fx_cel_parse_member(parser, follow);
    operand->start = start;
    if (n % 2 != 0) {
        operand->node = fx_cel_new_call_of(
            parser, first.at, type == CEL_NOT ? "!_" : "-_", 1, operand->node);
    }
}

/* A `-` before a number is part of the literal; `--1` is two operators. False: nothing
 * can follow this `-`. */
static bool is_negation(struct cel_parser *parser, bool *ret_negates) {
    const cel_set numbers = CEL_SET(CEL_INT_NUMBER) | CEL_SET(CEL_FLOAT_NUMBER);
    const cel_set next = CEL_SET(fx_cel_ahead(parser, 1));
    *ret_negates = (next & numbers) == 0;
    if ((next & CEL_STARTS & ~CEL_SET(CEL_NOT)) == 0) {
        fx_cel_report(parser, 1, "no viable alternative at input");
        return false;
    }
    return true;
}

/* Checks the last `-` of a run as the first one is checked. */
static bool is_run_of_minus(struct cel_parser *parser) {
    size_t last = 0;
    while (fx_cel_ahead(parser, last + 1) == CEL_MINUS) {
        last++;
    }
    const cel_set next = CEL_SET(fx_cel_ahead(parser, last + 1));
    if ((next & CEL_STARTS & ~CEL_SET(CEL_NOT)) == 0) {
        fx_cel_report(parser, last + 1, "no viable alternative at input");
        return false;
    }
    return true;
}

/* unary := '!'+ member | '-'+ member | member */
static struct cel_operand parse_unary(struct cel_parser *parser,
                                      const struct cel_follow *follow) {
    struct cel_operand operand = {.start = fx_cel_token(parser).at};
    bool negates = false;
    unsigned state = AT_UNARY;
    bool ok = fx_cel_expect(parser, CEL_STARTS) && fx_cel_is_ahead(parser, CEL_STARTS);
    if (ok && fx_cel_ahead(parser, 0) == CEL_MINUS) {
        ok = is_negation(parser, &negates);
        if (ok && negates && !is_run_of_minus(parser)) {
            ok = false;
            state = AT_NEGATION;
        }
    }
    if (!ok) {
        fx_cel_report(parser, 0, "no viable alternative at input");
        fx_cel_recover(parser, follow, state);
        operand.node = fx_cel_new_literal(parser, operand.start,
                                          fx_cel_make_string(FX_TEXT("<<error>>")));
        return operand;
    }
    if (negates || fx_cel_ahead(parser, 0) == CEL_NOT) {
        parse_run(parser, follow, negates ? CEL_MINUS : CEL_NOT, &operand);
        return operand;
    }
    return fx_cel_parse_member(parser, follow);
}

/* ---- binary operators -------------------------------------------------------------- */

static struct cel_operand join(struct cel_parser *parser, const char *function,
                               uint32_t at, struct cel_operand left,
                               struct cel_operand right) {
    left.node = fx_cel_new_call_of(parser, at, function, 2, left.node, right.node);
    left.height = fx_cel_higher(left.height, right.height);
    return fx_cel_limit_height(parser, left);
}

/* calc := unary ( operator calc )*, for the operators of the set. The right side of `*`
 * has no operators of its own, that of `+` may have `*`. */
static struct cel_operand parse_calc(struct cel_parser *parser,
                                     const struct cel_follow *follow, cel_set set) {
    const struct cel_follow inner = fx_cel_follow(follow, CEL_FACTORS | CEL_TERMS, true);
    fx_cel_enter(parser, CEL_RULE_CALC);
    struct cel_operand left = parse_unary(parser, &inner);
    while (!parser->stopped && fx_cel_is_ahead(parser, set)) {
        const struct cel_token token = fx_cel_take(parser);
        const bool is_factor = (CEL_SET(token.type) & CEL_FACTORS) != 0;
        const struct cel_operand right =
            parse_calc(parser, &inner, is_factor ? 0 : CEL_FACTORS);
        left = join(parser, function_of(token.type), token.at, left, right);
    }
    fx_cel_leave(parser, CEL_RULE_CALC);
    return left;
}

/* relation := calc ( relop relation )*, from left to right: the right side of an operator
 * has none of its own. */
static struct cel_operand parse_relation(struct cel_parser *parser,
                                         const struct cel_follow *follow, cel_set set) {
    const struct cel_follow inner = fx_cel_follow(follow, CEL_RELATIONS, true);
    fx_cel_enter(parser, CEL_RULE_RELATION);
    struct cel_operand left = parse_calc(parser, &inner, CEL_FACTORS | CEL_TERMS);
    while (!parser->stopped && fx_cel_is_ahead(parser, set)) {
        const struct cel_token token = fx_cel_take(parser);
        const struct cel_operand right = parse_relation(parser, &inner, 0);
        left = join(parser, function_of(token.type), token.at, left, right);
    }
    fx_cel_leave(parser, CEL_RULE_RELATION);
    return left;
}

/* The terms of a chain of && or ||, and the places of its operators: ops[i] is before
 * terms.items[i + 1]. */
struct chain {
    const char *function;
    struct cel_nodes terms;
    uint32_t *ops;
    size_t n_ops, cap_ops;
};

static void add_operator(struct cel_parser *parser, struct chain *chain, uint32_t at) {
    if (!FX_ARENA_GROW(parser->arena, chain->ops, chain->n_ops, chain->cap_ops)) {
        fx_cel_stop_without_memory(parser);
        return;
    }
    chain->ops[chain->n_ops++] = at;
}

/* A balanced tree of the operators `low` to `high`, so that a long chain is not deep. */
static struct fx_cel_node *balance(struct cel_parser *parser, const struct chain *chain,
                                   size_t low, size_t high) {
    const size_t middle = (low + high + 1) / 2;
    struct fx_cel_node *left = middle == low ? chain->terms.items[middle]
                                             : balance(parser, chain, low, middle - 1);
    struct fx_cel_node *right = middle == high ? chain->terms.items[middle + 1]
                                               : balance(parser, chain, middle + 1, high);
    return fx_cel_new_call_of(parser, chain->ops[middle], chain->function, 2, left,
                              right);
}

static struct cel_operand end_chain(struct cel_parser *parser, const struct chain *chain,
                                    struct cel_operand first) {
    if (chain->n_ops > 0 && !parser->stopped) {
        first.node = balance(parser, chain, 0, chain->n_ops - 1);
        first.height = chain->terms.height;
    }
    return first;
}

/* and := relation ( '&&' relation )* */
static struct cel_operand parse_and(struct cel_parser *parser,
                                    const struct cel_follow *follow) {
    const struct cel_follow inner = fx_cel_follow(follow, CEL_SET(CEL_AND), true);
    const struct cel_operand first = parse_relation(parser, &inner, CEL_RELATIONS);
    struct chain chain = {.function = "_&&_"};
    struct cel_token token;
    if (fx_cel_ahead(parser, 0) == CEL_AND) {
        fx_cel_add_node(parser, &chain.terms, first, false);
    }
    while (fx_cel_ahead(parser, 0) == CEL_AND &&
           fx_cel_match(parser, CEL_AND, 0, &token)) {
        add_operator(parser, &chain, token.at);
        fx_cel_add_node(parser, &chain.terms,
                        parse_relation(parser, &inner, CEL_RELATIONS), false);
    }
    return end_chain(parser, &chain, first);
}

/* or := and ( '||' and )* */
static struct cel_operand parse_or(struct cel_parser *parser,
                                   const struct cel_follow *follow) {
    const struct cel_follow inner = fx_cel_follow(follow, CEL_SET(CEL_OR), true);
    const struct cel_operand first = parse_and(parser, &inner);
    struct chain chain = {.function = "_||_"};
    struct cel_token token;
    if (fx_cel_ahead(parser, 0) == CEL_OR) {
        fx_cel_add_node(parser, &chain.terms, first, false);
    }
    while (fx_cel_ahead(parser, 0) == CEL_OR && fx_cel_match(parser, CEL_OR, 0, &token)) {
        add_operator(parser, &chain, token.at);
        fx_cel_add_node(parser, &chain.terms, parse_and(parser, &inner), false);
    }
    return end_chain(parser, &chain, first);
}

/* expression := or ( '?' or ':' expression )? */
struct cel_operand fx_cel_parse_expression(struct cel_parser *parser,
                                           const struct cel_follow *follow) {
    const struct cel_follow condition =
        fx_cel_follow(follow, CEL_SET(CEL_QUESTION), true);
    const struct cel_follow branch = fx_cel_follow(follow, CEL_SET(CEL_COLON), false);
    struct cel_token question;
    struct cel_token colon;
    fx_cel_enter(parser, CEL_RULE_EXPRESSION);
    struct cel_operand result = parse_or(parser, &condition);
    if (!parser->stopped && fx_cel_ahead(parser, 0) == CEL_QUESTION &&
        fx_cel_match(parser, CEL_QUESTION, 0, &question)) {
        const struct cel_operand yes = parse_or(parser, &branch);
        struct cel_operand no = {.start = fx_cel_token(parser).at};
        if (fx_cel_match(parser, CEL_COLON, CEL_STARTS, &colon)) {
            no = fx_cel_parse_expression(parser, follow);
        } else {
            fx_cel_recover(parser, follow, AT_COLON);
            no.node = fx_cel_new_unknown(parser, FX_CEL_UNPARSED);
        }
        const unsigned height = fx_cel_higher(result.height, yes.height);
        result.node = fx_cel_new_call_of(parser, question.at, "_?_:_", 3, result.node,
                                         yes.node, no.node);
        result.height = no.height + 1 > height ? no.height + 1 : height;
        result = fx_cel_limit_height(parser, result);
    }
    fx_cel_leave(parser, CEL_RULE_EXPRESSION);
    return result;
}

/* ---- the whole text ---------------------------------------------------------------- */

static size_t count_characters(struct fx_text source) {
    size_t n = 0;
    uint32_t rune = 0;
    for (size_t at = 0; at < source.len; n++) {
        at += fx_text_rune(fx_text_rest(source, at), &rune);
    }
    return n;
}

/* The limit of code points, of at most four bytes each. */
static bool is_short(struct fx_text source, struct fx_cel_faults *faults) {
    const size_t n = source.len > FX_CEL_MOST_CHARACTERS ? count_characters(source) : 0;
    if (n > FX_CEL_MOST_CHARACTERS) {
        fx_cel_faults_add(faults, FX_CEL_NOWHERE,
                          "expression code point size exceeds limit: size: %zu, "
                          "limit %u",
                          n, FX_CEL_MOST_CHARACTERS);
    }
    return n <= FX_CEL_MOST_CHARACTERS;
}

static struct fx_cel_node *parse_all(struct cel_parser *parser) {
    const struct cel_follow follow = {.next = CEL_SET(CEL_END), .any = CEL_SET(CEL_END)};
    struct cel_token end;
    struct fx_cel_node *root = fx_cel_parse_expression(parser, &follow).node;
    if (!parser->stopped && !fx_cel_match(parser, CEL_END, 0, &end)) {
        fx_cel_recover(parser, &follow, AT_START);
    }
    return root;
}

/* Splits the text into tokens, and parses them. */
static struct fx_cel_node *parse_text(struct cel_parser *parser) {
    if (!fx_cel_lex(parser->arena, parser->source, parser->faults, &parser->tokens)) {
        (void)(fx_budget_exceeded() != FX_EXCEEDED_NOTHING ? fx_fail_exceeded(parser->err)
                                                           : fx_fail_nomem(parser->err));
        parser->failed = true;
        return NULL;
    }
    struct fx_cel_node *root = parse_all(parser);
    if (parser->faults->failed && !parser->failed) {
        (void)fx_fail_nomem(parser->err);
        parser->failed = true;
    }
    return root;
}

struct fx_cel_node *fx_cel_parse(struct fx_arena *arena, struct fx_text source,
                                 struct fx_cel_faults *faults, struct fx_err *err) {
    struct cel_parser parser = {.arena = arena,
                                .source = source,
                                .faults = faults,
                                .err = err,
                                .error_at = SIZE_MAX};
    if (!fx_spend(source.len / FX_BUDGET_BYTES + 1)) {
        (void)fx_fail_exceeded(err);
        return NULL;
    }
    if (!is_short(source, faults)) {
        return NULL;
    }
    struct fx_cel_node *root = parse_text(&parser);
    if (parser.failed) {
        faults->n = 0;
        return NULL;
    }
    fx_cel_faults_sort(faults);
    return parser.stopped || faults->n > 0 ? NULL : root;
}
