/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/random_pattern.c - reading the patterns of random().
 *
 *     choice   := sequence ( "|" sequence )*
 *     sequence := ( atom [ "*" | "+" | "?" | "{" n [ "," [ n ] ] "}" ] [ "?" ] )*
 *     atom     := "(" choice ")" | class | character | "^" | "$"
 */
#include "location/jmespath/random_pattern.h"

#include "base/budget.h"
#include "base/limits.h"

/* ---- nodes ------------------------------------------------------------------------- */

static struct random_node *new_node(struct random_parser *parser, enum random_type type) {
    struct random_node *node = NULL;
    if (!fx_spend(2)) {
        (void)fx_fail_exceeded(parser->err);
        return NULL;
    }
    node = fx_arena_alloc(parser->arena, sizeof *node);
    if (node == NULL) {
        (void)fx_fail_nomem(parser->err);
        return NULL;
    }
    node->type = type;
    return node;
}

static void add_child(struct random_node *parent, struct random_node *child) {
    if (parent->last == NULL) {
        parent->first = child;
    } else {
        parent->last->next = child;
    }
    parent->last = child;
    parent->n_children++;
}

/* ---- repetitions ------------------------------------------------------------------- */

/* Reads a number of a repetition, if there is one. */
static bool read_count(struct fx_text *text, uint32_t *ret_count) {
    int number = 0;
    const size_t digits = fx_text_count_digits(*text, 5);
    if (digits == 0 || digits > 4 || !fx_text_take_number(text, 1, 4, &number)) {
        return false;
    }
    *ret_count = (uint32_t)number;
    return true;
}

/* Reads `{2}`, `{2,}` or `{2,3}` from the brace on. False, with nothing read, for any
 * other text: then the brace stands for itself. */
static bool read_braces(struct fx_text *text, uint32_t *least, uint32_t *most) {
    struct fx_text rest = *text;
    if (!fx_text_take(&rest, '{') || !read_count(&rest, least)) {
        return false;
    }
    *most = *least;
    if (fx_text_take(&rest, ',') && !read_count(&rest, most)) {
        *most = *least + FX_LIMIT_RANDOM_REPEATS;
    }
    if (!fx_text_take(&rest, '}')) {
        return false;
    }
    *text = rest;
    return true;
}

/* Reads a repetition. False if there is none. */
static bool read_repetition(struct fx_text *text, uint32_t *least, uint32_t *most) {
    *least = 0;
    *most = FX_LIMIT_RANDOM_REPEATS;
    if (fx_text_take(text, '*')) {
        return true;
    }
    if (fx_text_take(text, '+')) {
        *least = 1;
        return true;
    }
    if (fx_text_take(text, '?')) {
        *most = 1;
        return true;
    }
    return read_braces(text, least, most);
}

/* Repeats the atom if a repetition follows it. */
static struct random_node *repeat(struct random_parser *parser,
                                  struct random_node *atom) {
    uint32_t least = 0;
    uint32_t most = 0;
    if (!read_repetition(&parser->rest, &least, &most)) {
        return atom;
    }
    (void)fx_text_take(&parser->rest, '?'); /* how a match prefers to end */
    struct random_node *node = new_node(parser, RANDOM_REPEAT);
    if (node != NULL) {
        node->least = least;
        node->most = most < least ? least : most;
        add_child(node, atom);
    }
    return node;
}

/* ---- atoms ------------------------------------------------------------------------- */

static struct random_node *read_choice(struct random_parser *parser, unsigned depth);

/* Removes the start of a group after its parenthesis: `?:`, `?P<name>`, `?<name>`. */
static bool take_group_head(struct random_parser *parser) {
    if (!fx_text_take(&parser->rest, '?') || fx_text_take(&parser->rest, ':')) {
        return true;
    }
    (void)fx_text_take(&parser->rest, 'P');
    if (!fx_text_take(&parser->rest, '<')) {
        return jmespath_random_fail(parser);
    }
    (void)fx_text_cut(&parser->rest, '>');
    return true;
}

static struct random_node *read_group(struct random_parser *parser, unsigned depth) {
    if (depth == FX_LIMIT_RANDOM_DEPTH) {
        (void)fx_fail(parser->err, FX_ELIMIT, "the pattern has more than %u levels",
                      FX_LIMIT_RANDOM_DEPTH);
        return NULL;
    }
    struct random_node *node =
        take_group_head(parser) ? read_choice(parser, depth + 1) : NULL;
    if (node != NULL && !fx_text_take(&parser->rest, ')')) {
        (void)jmespath_random_fail(parser);
        return NULL;
    }
    return node;
}

static struct random_node *read_runes(struct random_parser *parser) {
    struct random_node *node = new_node(parser, RANDOM_RUNE);
    uint32_t rune = 0;
    if (node == NULL) {
        return NULL;
    }
    const bool ok = jmespath_random_is_class(parser->rest)
                        ? jmespath_random_read_class(parser, &node->class)
                        : jmespath_random_read_rune(parser, &rune) &&
                              jmespath_random_add(parser, &node->class, rune, rune);
    return ok ? node : NULL;
}

static struct random_node *read_atom(struct random_parser *parser, unsigned depth) {
    if (fx_text_take(&parser->rest, '(')) {
        return read_group(parser, depth);
    }
    if (fx_text_take(&parser->rest, '^') || fx_text_take(&parser->rest, '$')) {
        return new_node(parser, RANDOM_SEQUENCE);
    }
    return read_runes(parser);
}

/* ---- sequences and choices --------------------------------------------------------- */

static bool is_at_end(const struct random_parser *parser) {
    return parser->rest.len == 0 || parser->rest.data[0] == '|' ||
           parser->rest.data[0] == ')';
}

static struct random_node *read_sequence(struct random_parser *parser, unsigned depth) {
    struct random_node *sequence = new_node(parser, RANDOM_SEQUENCE);
    while (sequence != NULL && !is_at_end(parser)) {
        struct random_node *item = read_atom(parser, depth);
        item = item == NULL ? NULL : repeat(parser, item);
        if (item == NULL) {
            return NULL;
        }
        add_child(sequence, item);
    }
    return sequence;
}

static struct random_node *read_choice(struct random_parser *parser, unsigned depth) {
    struct random_node *choice = new_node(parser, RANDOM_CHOICE);
    bool has_more = true;
    while (choice != NULL && has_more) {
        struct random_node *sequence = read_sequence(parser, depth);
        if (sequence == NULL) {
            return NULL;
        }
        add_child(choice, sequence);
        has_more = fx_text_take(&parser->rest, '|');
    }
    return choice;
}

bool jmespath_random_read(struct fx_arena *arena, struct fx_text pattern,
                          struct random_node **ret_node, struct fx_err *err) {
    struct random_parser parser = {.arena = arena, .rest = pattern, .err = err};
    *ret_node = read_choice(&parser, 0);
    return *ret_node != NULL && (parser.rest.len == 0 || jmespath_random_fail(&parser));
}
