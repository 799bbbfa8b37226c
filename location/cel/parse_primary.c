/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/parse_primary.c - names, calls, parentheses, lists, maps and structs.
 */
#include <string.h>

#include "location/cel/parser.h"

/* Where errors of these rules are, for fx_cel_recover(). */
enum {
    AT_PRIMARY = 16,
    AT_PAREN,
    AT_ARGUMENTS,
    AT_ARGUMENTS_END,
    AT_LIST,
    AT_LIST_COMMA,
    AT_LIST_END,
    AT_MAP,
    AT_MAP_COMMA,
    AT_MAP_END,
    AT_STRUCT,
    AT_STRUCT_COMMA,
    AT_STRUCT_END,
    AT_OPTIONAL,
    AT_MAP_COLON,
    AT_STRUCT_COLON,
    AT_STRUCT_FIELD,
};

struct entries {
    struct fx_cel_entry *items;
    size_t n, cap;
    unsigned height;
};

static bool is_reserved(struct fx_text name) {
    static const char *const reserved[] = {
        "as",        "break",  "const",  "continue", "else", "for",
        "function",  "if",     "import", "let",      "loop", "package",
        "namespace", "return", "var",    "void",     "while"};
    for (size_t i = 0; i < FX_COUNT(reserved); i++) {
        if (fx_text_is(name, reserved[i])) {
            return true;
        }
    }
    return false;
}

static struct fx_cel_node *refuse_reserved(struct cel_parser *parser, uint32_t at,
                                           struct fx_text name) {
    if (!parser->stopped) {
        fx_cel_faults_add(parser->faults, at, "reserved identifier: %.*s",
                          FX_TEXT_ARG(name));
    }
    return fx_cel_new_unknown(parser, at);
}

/* The name with a dot before it. */
static struct fx_text with_dot(struct cel_parser *parser, struct fx_text name) {
    char *text = fx_arena_alloc(parser->arena, name.len + 1);
    if (text == NULL) {
        fx_cel_stop_without_memory(parser);
        return name;
    }
    text[0] = '.';
    memcpy(text + 1, name.data, name.len);
    return (struct fx_text){text, name.len + 1};
}

/* ---- names and calls --------------------------------------------------------------- */

/* Takes the dot and the name, which are there. */
static struct fx_text take_name(struct cel_parser *parser, bool *ret_is_absolute,
                                struct cel_token *ret_token) {
    *ret_is_absolute =
        fx_cel_ahead(parser, 0) == CEL_DOT && fx_cel_match(parser, CEL_DOT, 0, ret_token);
    *ret_token = fx_cel_take(parser);
    return fx_cel_token_text(parser, *ret_token);
}

/* ident := '.'? name */
static struct fx_cel_node *parse_name(struct cel_parser *parser) {
    const uint32_t start = fx_cel_token(parser).at;
    bool is_absolute = false;
    struct cel_token token;
    const struct fx_text name = take_name(parser, &is_absolute, &token);
    if (is_reserved(name)) {
        return refuse_reserved(parser, start, name);
    }
    struct fx_cel_node *node = fx_cel_new_name(parser, token.at, name);
    node->name.is_absolute = is_absolute;
    return node;
}

/* call := '.'? name '(' arguments? ')' */
static void parse_call(struct cel_parser *parser, const struct cel_follow *follow,
                       struct cel_operand *operand) {
    const struct cel_follow inner =
        fx_cel_follow(follow, CEL_SET(CEL_RIGHT_PAREN), false);
    bool is_absolute = false;
    struct cel_token token;
    struct cel_nodes args = {0};
    struct fx_text name = take_name(parser, &is_absolute, &token);
    const struct cel_token open = fx_cel_take(parser);
    if (!fx_cel_expect(parser, CEL_STARTS | CEL_SET(CEL_RIGHT_PAREN))) {
        fx_cel_recover(parser, follow, AT_ARGUMENTS);
    } else {
        if (fx_cel_is_ahead(parser, CEL_STARTS)) {
            fx_cel_parse_arguments(parser, &inner, &args);
        }
        if (!fx_cel_match(parser, CEL_RIGHT_PAREN, follow->next, &token)) {
            fx_cel_recover(parser, follow, AT_ARGUMENTS_END);
        }
    }
    operand->height = args.height;
    if (is_reserved(name)) {
        operand->node = refuse_reserved(parser, operand->start, name);
        return;
    }
    name = is_absolute ? with_dot(parser, name) : name;
    operand->node = fx_cel_call_or_macro(parser, open.at, name, NULL, &args);
}

/* ---- lists and maps ---------------------------------------------------------------- */

/* optional := '?'? expression */
static struct cel_operand parse_optional(struct cel_parser *parser,
                                         const struct cel_follow *follow,
                                         bool *ret_is_optional) {
    struct cel_token mark;
    *ret_is_optional = false;
    if (!fx_cel_expect(parser, CEL_OPTIONAL_STARTS)) {
        fx_cel_recover(parser, follow, AT_OPTIONAL);
        return (struct cel_operand){.node = fx_cel_new_unknown(parser, FX_CEL_UNPARSED)};
    }
    *ret_is_optional = fx_cel_ahead(parser, 0) == CEL_QUESTION &&
                       fx_cel_match(parser, CEL_QUESTION, 0, &mark);
    return fx_cel_parse_expression(parser, follow);
}

/* Is there a comma, and one more element after it? */
static bool take_comma_before(struct cel_parser *parser, cel_set starts) {
    struct cel_token comma;
    return fx_cel_ahead(parser, 0) == CEL_COMMA &&
           (CEL_SET(fx_cel_ahead(parser, 1)) & starts) != 0 &&
           fx_cel_match(parser, CEL_COMMA, 0, &comma);
}

/* Takes the last comma, if any, and the closing bracket; `state` and the one after it
 * are the places of errors. */
static void parse_closing(struct cel_parser *parser, const struct cel_follow *follow,
                          enum cel_token_type closing, unsigned state) {
    struct cel_token token;
    if (!fx_cel_expect(parser, CEL_SET(CEL_COMMA) | CEL_SET(closing))) {
        fx_cel_recover(parser, follow, state);
        return;
    }
    if (fx_cel_ahead(parser, 0) == CEL_COMMA) {
        (void)fx_cel_take(parser);
    }
    if (!fx_cel_match(parser, closing, follow->next, &token)) {
        fx_cel_recover(parser, follow, state + 1);
    }
}

/* list := '[' ( optional ( ',' optional )* )? ','? ']' */
static void parse_list(struct cel_parser *parser, const struct cel_follow *follow,
                       struct cel_operand *operand) {
    const struct cel_follow inner =
        fx_cel_follow(follow, CEL_SET(CEL_COMMA) | CEL_SET(CEL_RIGHT_BRACKET), false);
    struct cel_nodes items = {.has_flags = true};
    bool is_optional = false;
    const struct cel_token open = fx_cel_take(parser);
    if (!fx_cel_expect(parser, CEL_OPTIONAL_STARTS | CEL_SET(CEL_COMMA) |
                                   CEL_SET(CEL_RIGHT_BRACKET))) {
        fx_cel_recover(parser, follow, AT_LIST);
    } else {
        if (fx_cel_is_ahead(parser, CEL_OPTIONAL_STARTS)) {
            do {
                const struct cel_operand item =
                    parse_optional(parser, &inner, &is_optional);
                fx_cel_add_node(parser, &items, item, is_optional);
            } while (take_comma_before(parser, CEL_OPTIONAL_STARTS));
        }
        parse_closing(parser, follow, CEL_RIGHT_BRACKET, AT_LIST_COMMA);
    }
    operand->node = fx_cel_new_list_node(parser, open.at, &items);
    operand->height = items.height;
}

static void add_entry(struct cel_parser *parser, struct entries *entries,
                      struct fx_cel_entry entry, unsigned height) {
    if (parser->stopped) {
        return;
    }
    if (!FX_ARENA_GROW(parser->arena, entries->items, entries->n, entries->cap)) {
        fx_cel_stop_without_memory(parser);
        return;
    }
    entries->items[entries->n++] = entry;
    entries->height = height > entries->height ? height : entries->height;
}

/* entries := optional ':' expression ( ',' optional ':' expression )* */
static void parse_map_entries(struct cel_parser *parser, const struct cel_follow *follow,
                              struct entries *entries) {
    const struct cel_follow key_follow = fx_cel_follow(follow, CEL_SET(CEL_COLON), false);
    const struct cel_follow value_follow =
        fx_cel_follow(follow, CEL_SET(CEL_COMMA), true);
    do {
        struct cel_token colon;
        struct fx_cel_entry entry = {0};
        const struct cel_operand key =
            parse_optional(parser, &key_follow, &entry.is_optional);
        if (!fx_cel_match(parser, CEL_COLON, CEL_STARTS, &colon)) {
            fx_cel_recover(parser, follow, AT_MAP_COLON);
            return;
        }
        const struct cel_operand value = fx_cel_parse_expression(parser, &value_follow);
        entry.key = key.node;
        entry.value = value.node;
        entry.at = colon.at;
        add_entry(parser, entries, entry,
                  key.height > value.height ? key.height : value.height);
    } while (take_comma_before(parser, CEL_OPTIONAL_STARTS));
}

/* map := '{' entries? ','? '}' */
static void parse_map(struct cel_parser *parser, const struct cel_follow *follow,
                      struct cel_operand *operand) {
    const struct cel_follow inner =
        fx_cel_follow(follow, CEL_SET(CEL_COMMA) | CEL_SET(CEL_RIGHT_BRACE), false);
    struct entries entries = {0};
    const struct cel_token open = fx_cel_take(parser);
    if (!fx_cel_expect(parser, CEL_OPTIONAL_STARTS | CEL_SET(CEL_COMMA) |
                                   CEL_SET(CEL_RIGHT_BRACE))) {
        fx_cel_recover(parser, follow, AT_MAP);
    } else {
        if (fx_cel_is_ahead(parser, CEL_OPTIONAL_STARTS)) {
            parse_map_entries(parser, &inner, &entries);
        }
        parse_closing(parser, follow, CEL_RIGHT_BRACE, AT_MAP_COMMA);
    }
    operand->node = fx_cel_new_node(parser, FX_CEL_NODE_MAP, open.at);
    operand->node->map.entries = entries.items;
    operand->node->map.n = entries.n;
    operand->height = entries.height;
}

/* ---- structs ----------------------------------------------------------------------- */

/* Does a struct begin here: names with dots between them, and a brace? */
static bool is_struct_ahead(const struct cel_parser *parser) {
    size_t by = fx_cel_ahead(parser, 0) == CEL_DOT ? 1 : 0;
    while (fx_cel_ahead(parser, by) == CEL_IDENTIFIER &&
           fx_cel_ahead(parser, by + 1) == CEL_DOT) {
        by += 2;
    }
    return fx_cel_ahead(parser, by) == CEL_IDENTIFIER &&
           fx_cel_ahead(parser, by + 1) == CEL_LEFT_BRACE;
}

/* The tokens up to the brace, without blanks between them: "Object.spec". */
static struct fx_text take_struct_name(struct cel_parser *parser) {
    const size_t first = parser->at;
    const uint32_t start = fx_cel_token(parser).at;
    size_t len = 0;
    uint32_t end = start;
    for (; fx_cel_ahead(parser, 0) != CEL_LEFT_BRACE; parser->at++) {
        len += fx_cel_token(parser).len;
        end = fx_cel_token(parser).at + fx_cel_token(parser).len;
    }
    if (end - start == len) {
        return (struct fx_text){parser->source.data + start, len};
    }
    char *name = fx_arena_alloc(parser->arena, len);
    if (name == NULL) {
        fx_cel_stop_without_memory(parser);
        return (struct fx_text){"", 0};
    }
    len = 0;
    for (size_t i = first; i < parser->at; i++) {
        const struct fx_text part = fx_cel_token_text(parser, parser->tokens.items[i]);
        memcpy(name + len, part.data, part.len);
        len += part.len;
    }
    return (struct fx_text){name, len};
}

/* fields := '?'? field ':' expression ( ',' '?'? field ':' expression )* */
static void parse_struct_entries(struct cel_parser *parser,
                                 const struct cel_follow *follow,
                                 struct entries *entries) {
    const struct cel_follow name_follow =
        fx_cel_follow(follow, CEL_SET(CEL_COLON), false);
    const struct cel_follow value_follow =
        fx_cel_follow(follow, CEL_SET(CEL_COMMA), true);
    const uint32_t start = fx_cel_token(parser).at;
    do {
        struct cel_token token;
        struct fx_cel_entry entry = {0};
        const char *fault = NULL;
        if (fx_cel_expect(parser, CEL_FIELD_STARTS | CEL_SET(CEL_QUESTION))) {
            entry.is_optional = fx_cel_ahead(parser, 0) == CEL_QUESTION &&
                                fx_cel_match(parser, CEL_QUESTION, 0, &token);
            entry.field = fx_cel_parse_field(parser, &name_follow, &fault);
        } else {
            fx_cel_recover(parser, &name_follow, AT_STRUCT_FIELD);
        }
        if (!fx_cel_match(parser, CEL_COLON, CEL_STARTS, &token)) {
            fx_cel_recover(parser, follow, AT_STRUCT_COLON);
            return;
        }
        entry.at = token.at;
        if (fault != NULL) {
            (void)fx_cel_refuse(parser, start, fault);
        }
        const struct cel_operand value = fx_cel_parse_expression(parser, &value_follow);
        entry.value = value.node;
        add_entry(parser, entries, entry, value.height);
    } while (take_comma_before(parser, CEL_FIELD_STARTS | CEL_SET(CEL_QUESTION)));
}

/* struct := '.'? name ( '.' name )* '{' fields? ','? '}' */
static void parse_struct(struct cel_parser *parser, const struct cel_follow *follow,
                         struct cel_operand *operand) {
    const struct cel_follow inner =
        fx_cel_follow(follow, CEL_SET(CEL_COMMA) | CEL_SET(CEL_RIGHT_BRACE), false);
    struct entries entries = {0};
    const struct fx_text name = take_struct_name(parser);
    const struct cel_token open = fx_cel_take(parser);
    if (!fx_cel_expect(parser, CEL_FIELD_STARTS | CEL_SET(CEL_QUESTION) |
                                   CEL_SET(CEL_COMMA) | CEL_SET(CEL_RIGHT_BRACE))) {
        fx_cel_recover(parser, follow, AT_STRUCT);
    } else {
        if (fx_cel_is_ahead(parser, CEL_FIELD_STARTS | CEL_SET(CEL_QUESTION))) {
            parse_struct_entries(parser, &inner, &entries);
        }
        parse_closing(parser, follow, CEL_RIGHT_BRACE, AT_STRUCT_COMMA);
    }
    operand->node = fx_cel_new_node(parser, FX_CEL_NODE_STRUCT, open.at);
    operand->node->map.name = name;
    operand->node->map.entries = entries.items;
    operand->node->map.n = entries.n;
    operand->height = entries.height;
}

/* ---- all of them ------------------------------------------------------------------- */

/* '(' expression ')' */
static void parse_nested(struct cel_parser *parser, const struct cel_follow *follow,
                         struct cel_operand *operand) {
    const struct cel_follow inner =
        fx_cel_follow(follow, CEL_SET(CEL_RIGHT_PAREN), false);
    const uint32_t start = operand->start;
    struct cel_token token;
    (void)fx_cel_take(parser);
    *operand = fx_cel_parse_expression(parser, &inner);
    operand->start = start;
    if (!fx_cel_match(parser, CEL_RIGHT_PAREN, follow->next, &token)) {
        fx_cel_recover(parser, follow, AT_PAREN);
    }
}

/* What begins with a name, or a dot and a name. */
static void parse_named(struct cel_parser *parser, const struct cel_follow *follow,
                        struct cel_operand *operand) {
    const size_t name = fx_cel_ahead(parser, 0) == CEL_DOT ? 1 : 0;
    if (fx_cel_ahead(parser, name) != CEL_IDENTIFIER) {
        fx_cel_report(parser, name, "no viable alternative at input");
        fx_cel_recover(parser, follow, AT_PRIMARY);
        operand->node = fx_cel_new_unknown(parser, FX_CEL_UNPARSED);
    } else if (fx_cel_ahead(parser, name + 1) == CEL_LEFT_PAREN) {
        parse_call(parser, follow, operand);
    } else if (is_struct_ahead(parser)) {
        parse_struct(parser, follow, operand);
    } else {
        operand->node = parse_name(parser);
    }
}

/* primary := '(' expression ')' | list | map | literal | call | struct | name */
struct cel_operand fx_cel_parse_primary(struct cel_parser *parser,
                                        const struct cel_follow *follow) {
    const cel_set starts = CEL_STARTS & ~CEL_SET(CEL_NOT);
    struct cel_operand operand = {.start = fx_cel_token(parser).at};
    if (!fx_cel_expect(parser, starts) || !fx_cel_is_ahead(parser, starts)) {
        fx_cel_report(parser, 0, "no viable alternative at input");
        fx_cel_recover(parser, follow, AT_PRIMARY);
        operand.node = fx_cel_new_unknown(parser, FX_CEL_UNPARSED);
        return operand;
    }
    const enum cel_token_type type = fx_cel_ahead(parser, 0);
    if (type == CEL_LEFT_PAREN) {
        parse_nested(parser, follow, &operand);
    } else if (type == CEL_LEFT_BRACKET) {
        parse_list(parser, follow, &operand);
    } else if (type == CEL_LEFT_BRACE) {
        parse_map(parser, follow, &operand);
    } else if (type == CEL_DOT || type == CEL_IDENTIFIER) {
        parse_named(parser, follow, &operand);
    } else {
        operand = fx_cel_parse_literal(parser, follow);
    }
    return operand;
}
