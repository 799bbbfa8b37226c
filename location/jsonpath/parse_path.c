/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/parse_path.c - paths (spec section 7.4).
 */
#include <assert.h>

#include "location/jsonpath/parser.h"

/* Adds a node without children: a step, or NODE_NONE for an omitted part of a range. */
static bool add_step(struct path_parser *parser, enum node_type type,
                     struct siblings *steps) {
    node_index step = 0;
    if (!fx_jsonpath_add_node(parser, type, &step)) {
        return false;
    }
    fx_jsonpath_add_sibling(parser, steps, step);
    return true;
}

/* Adds a step with these children, which starts at `off`. */
static bool add_parent(struct path_parser *parser, enum node_type type,
                       const struct siblings *children, uint32_t off,
                       struct siblings *steps) {
    node_index step = 0;
    if (!fx_jsonpath_add_node(parser, type, &step) ||
        !fx_jsonpath_adopt(parser, step, children, off)) {
        return false;
    }
    fx_jsonpath_add_sibling(parser, steps, step);
    return true;
}

/* Parses the current name. */
static bool parse_name(struct path_parser *parser, struct siblings *steps) {
    if (!add_step(parser, STEP_NAME, steps)) {
        return false;
    }
    fx_jsonpath_at(parser, steps->last)->as.text =
        fx_jsonpath_keep(parser, parser->token.text);
    fx_jsonpath_advance(parser);
    return true;
}

/* ---- between brackets ------------------------------------------------------------ */

/* Skips the separator `mark`, or the "]" at the end. */
static bool take_end(struct path_parser *parser, char mark) {
    if (fx_jsonpath_skip_mark(parser, ']')) {
        return true;
    }
    if (fx_jsonpath_is_mark(parser, ',') || fx_jsonpath_is_mark(parser, ':')) {
        return fx_fail_at(parser->err, FX_ESYNTAX, parser->token.off, parser->token.len,
                          mark == '?' ? "a filter is one condition"
                          : mark == parser->token.mark
                              ? "a range has three parts at most: `[min:max:step]`"
                              : "`,` and `:` do not mix: between brackets is a union "
                                "`[a, b]` or a range `[min:max:step]`");
    }
    return fx_jsonpath_fail_expected(parser, "`]`");
}

/* filter := '?' expression ']' */
static bool parse_filter(struct path_parser *parser, uint32_t off,
                         struct siblings *steps) {
    struct siblings condition = {0};
    fx_jsonpath_advance(parser);
    return fx_jsonpath_parse_child(parser, &condition) && take_end(parser, '?') &&
           add_parent(parser, STEP_FILTER, &condition, off, steps);
}

/* Parses the part of a union after its first key: ( ',' expression )+ ']' */
static bool parse_union(struct path_parser *parser, uint32_t off, struct siblings *keys,
                        struct siblings *steps) {
    while (fx_jsonpath_skip_mark(parser, ',')) {
        if (!fx_jsonpath_parse_child(parser, keys)) {
            return false;
        }
    }
    return take_end(parser, ',') && add_parent(parser, STEP_UNION, keys, off, steps);
}

static bool parse_bound(struct path_parser *parser, struct siblings *bounds) {
    return fx_jsonpath_is_mark(parser, ':') || fx_jsonpath_is_mark(parser, ']')
               ? add_step(parser, NODE_NONE, bounds)
               : fx_jsonpath_parse_child(parser, bounds);
}

/* Parses the part of a range after its first bound: ':' bound? ( ':' bound? )? ']' */
static bool parse_range(struct path_parser *parser, uint32_t off, struct siblings *bounds,
                        struct siblings *steps) {
    for (unsigned i = 1; i < 3; i++) {
        if (!(fx_jsonpath_skip_mark(parser, ':') ? parse_bound(parser, bounds)
                                                 : add_step(parser, NODE_NONE, bounds))) {
            return false;
        }
    }
    return take_end(parser, ':') && add_parent(parser, STEP_RANGE, bounds, off, steps);
}

/* Adds the step of a single key. After `..` it selects any number of values, otherwise
 * one. */
static bool end_key(struct path_parser *parser, uint32_t off, const struct siblings *key,
                    struct siblings *steps) {
    const node_index before = steps->last;
    const bool descends =
        before != 0 && fx_jsonpath_at(parser, before)->type == STEP_DESCEND;
    return fx_jsonpath_take_mark(parser, ']') &&
           add_parent(parser, descends ? STEP_UNION : STEP_KEY, key, off, steps);
}

/* bracket := '[' ( '*' ']' | filter | union | range | expression ']' ) */
static bool parse_bracket(struct path_parser *parser, struct siblings *steps) {
    const uint32_t off = parser->token.off;
    struct siblings children = {0};
    fx_jsonpath_advance(parser);
    if (fx_jsonpath_skip_mark(parser, '*')) {
        return fx_jsonpath_take_mark(parser, ']') &&
               add_parent(parser, STEP_ALL, &children, off, steps);
    }
    if (fx_jsonpath_is_mark(parser, '?')) {
        return parse_filter(parser, off, steps);
    }
    if (fx_jsonpath_is_mark(parser, ']')) {
        return fx_jsonpath_fail_expected(parser, "a key, `*` or `?` and a condition");
    }
    if (!parse_bound(parser, &children)) {
        return false;
    }
    if (fx_jsonpath_is_mark(parser, ':')) {
        return parse_range(parser, off, &children, steps);
    }
    return fx_jsonpath_is_mark(parser, ',') ? parse_union(parser, off, &children, steps)
                                            : end_key(parser, off, &children, steps);
}

/* ---- steps ----------------------------------------------------------------------- */

/* script := '(' expression ')' */
static bool parse_script(struct path_parser *parser, struct siblings *steps) {
    const uint32_t off = parser->token.off;
    struct siblings script = {0};
    fx_jsonpath_advance(parser);
    return fx_jsonpath_parse_child(parser, &script) &&
           fx_jsonpath_take_mark(parser, ')') &&
           add_parent(parser, STEP_SCRIPT, &script, off, steps);
}

/* descent, after `..`: ident | '*' | bracket | script */
static bool parse_descent(struct path_parser *parser, struct siblings *steps) {
    if (!add_step(parser, STEP_DESCEND, steps)) {
        return false;
    }
    fx_jsonpath_advance(parser);
    if (parser->token.type == TOKEN_IDENT) {
        return parse_name(parser, steps);
    }
    if (fx_jsonpath_is_mark(parser, '(')) {
        return parse_script(parser, steps);
    }
    if (fx_jsonpath_is_mark(parser, '*')) {
        const bool ok = add_step(parser, STEP_ALL, steps);
        fx_jsonpath_advance(parser);
        return ok;
    }
    if (!fx_jsonpath_is_mark(parser, '[')) {
        return fx_jsonpath_fail_expected(parser,
                                         "a field name, `*`, `[` or `(` after `..`");
    }
    const struct path_token bracket = parser->token;
    if (!parse_bracket(parser, steps)) {
        return false;
    }
    return fx_jsonpath_at(parser, steps->last)->type != STEP_RANGE ||
           fx_fail_at(parser->err, FX_ESYNTAX, bracket.off, parser->behind - bracket.off,
                      "a range cannot follow `..`: write `..*` before it");
}

/* dotted, after `.`: ident | '*' | '.' descent */
static bool parse_dotted(struct path_parser *parser, struct siblings *steps) {
    fx_jsonpath_advance(parser);
    if (parser->token.type == TOKEN_IDENT) {
        return parse_name(parser, steps);
    }
    if (fx_jsonpath_is_mark(parser, '.')) {
        return parse_descent(parser, steps);
    }
    if (fx_jsonpath_is_mark(parser, '*')) {
        const bool ok = add_step(parser, STEP_ALL, steps);
        fx_jsonpath_advance(parser);
        return ok;
    }
    return fx_jsonpath_fail_expected(
        parser, "a field name or `*` (other names as in `[\"my-name\"]`)");
}

/* Checks for a text such as `$.1a`, in which the scanner reads `.1` as a number. */
static bool check_number(struct path_parser *parser) {
    const struct path_token *token = &parser->token;
    return token->type != TOKEN_NUMBER || token->text.data[0] != '.' ||
           fx_fail_at(
               parser->err, FX_ESYNTAX, token->off, token->len,
               "a field name after a dot cannot begin with a digit: write an index "
               "as in `[0]` and other names as in `[\"1a\"]`");
}

/* Ends the path that starts at `off`. */
static bool end_path(struct path_parser *parser, node_index path,
                     const struct siblings *steps, uint32_t off) {
    bool branches = false;
    for (node_index i = steps->first; i != 0; i = fx_jsonpath_at(parser, i)->next) {
        branches = branches || fx_jsonpath_is_branching(fx_jsonpath_at(parser, i));
    }
    fx_jsonpath_at(parser, path)->as.path.branches = branches;
    return fx_jsonpath_adopt(parser, path, steps, off);
}

/* path := ( '$' | '@' ) ( '.' dotted | bracket | script )* */
bool fx_jsonpath_parse_path(struct path_parser *parser, node_index *ret_node) {
    const struct path_token start = parser->token;
    struct siblings steps = {0};
    if (!fx_jsonpath_add_node(parser, NODE_PATH, ret_node)) {
        return false;
    }
    fx_jsonpath_at(parser, *ret_node)->id = (uint8_t)start.mark;
    fx_jsonpath_advance(parser);
    bool ok = true;
    while (ok && parser->token.type == TOKEN_MARK) {
        switch (parser->token.mark) {
        case '.': ok = parse_dotted(parser, &steps); break;
        case '[': ok = parse_bracket(parser, &steps); break;
        case '(': ok = parse_script(parser, &steps); break;
        default: return end_path(parser, *ret_node, &steps, start.off);
        }
    }
    return ok && check_number(parser) && end_path(parser, *ret_node, &steps, start.off);
}
