/* SPDX-License-Identifier: Apache-2.0
 *
 * format_check.c - calls of format() whose text and list are literals: their clauses, the
 * types of what they print, and the number of elements.
 */
#include <string.h>

#include "base/budget.h"
#include "base/limits.h"
#include "base/strconv.h"
#include "location/cel/ast.h"
#include "location/cel_library/functions.h"

/* A call that is being checked. */
struct format_check {
    const struct fx_cel_node *call, *list;
    struct fx_cel_faults *faults;
    struct fx_text rest; /* of the text */
    size_t n_used;       /* elements of the list */
};

#define BIT(kind) (1u << (kind))

/* What each clause prints. %f and %e take strings here and refuse them when they run. */
static const struct clause {
    char letter;
    unsigned kinds; /* of types */
    const char *only;
} clauses[] = {
    {'s',
     BIT(FX_CEL_TYPE_LIST) | BIT(FX_CEL_TYPE_MAP) | BIT(FX_CEL_TYPE_INT) |
         BIT(FX_CEL_TYPE_UINT) | BIT(FX_CEL_TYPE_DOUBLE) | BIT(FX_CEL_TYPE_BOOL) |
         BIT(FX_CEL_TYPE_STRING) | BIT(FX_CEL_TYPE_TIMESTAMP) | BIT(FX_CEL_TYPE_BYTES) |
         BIT(FX_CEL_TYPE_DURATION) | BIT(FX_CEL_TYPE_TYPE) | BIT(FX_CEL_TYPE_NULL),
     "string clause can only be used on strings, bools, bytes, ints, doubles, maps, "
     "lists, types, durations, and timestamps"},
    {'d', BIT(FX_CEL_TYPE_INT) | BIT(FX_CEL_TYPE_UINT),
     "decimal clause can only be used on integers"},
    {'f', BIT(FX_CEL_TYPE_DOUBLE) | BIT(FX_CEL_TYPE_STRING),
     "fixed-point clause can only be used on doubles"},
    {'e', BIT(FX_CEL_TYPE_DOUBLE) | BIT(FX_CEL_TYPE_STRING),
     "scientific clause can only be used on doubles"},
    {'b', BIT(FX_CEL_TYPE_INT) | BIT(FX_CEL_TYPE_UINT) | BIT(FX_CEL_TYPE_BOOL),
     "only integers and bools can be formatted as binary"},
    {'x',
     BIT(FX_CEL_TYPE_INT) | BIT(FX_CEL_TYPE_UINT) | BIT(FX_CEL_TYPE_STRING) |
         BIT(FX_CEL_TYPE_BYTES),
     "only integers, byte buffers, and strings can be formatted as hex"},
    {'X',
     BIT(FX_CEL_TYPE_INT) | BIT(FX_CEL_TYPE_UINT) | BIT(FX_CEL_TYPE_STRING) |
         BIT(FX_CEL_TYPE_BYTES),
     "only integers, byte buffers, and strings can be formatted as hex"},
    {'o', BIT(FX_CEL_TYPE_INT) | BIT(FX_CEL_TYPE_UINT),
     "octal clause can only be used on integers"},
};

static const struct clause *find_clause(char letter) {
    for (size_t i = 0; i < FX_COUNT(clauses); i++) {
        if (clauses[i].letter == letter) {
            return &clauses[i];
        }
    }
    return NULL;
}

/* ---- the text -----------------------------------------------------------------------
 */

static bool fault(const struct format_check *check, const char *what, const char *why) {
    fx_cel_faults_add(check->faults, check->call->at, "%s%s", what, why);
    return false;
}

/* precision := "." digits; removes it. */
static bool skip_precision(struct format_check *check) {
    static const char what[] =
        "could not parse formatting clause: error while parsing precision: ";
    if (!fx_text_take(&check->rest, '.')) {
        return true;
    }
    const size_t n = fx_text_count_digits(check->rest, check->rest.len);
    const struct fx_text digits = {check->rest.data, n};
    check->rest = fx_text_rest(check->rest, n);
    if (check->rest.len == 0) {
        return fault(check, what, "could not find end of precision specifier");
    }
    int64_t precision = 0;
    const enum fx_go_number result = fx_go_parse_int(digits, 10, &precision);
    if (result != FX_GO_NUMBER) {
        fx_cel_faults_add(check->faults, check->call->at,
                          "%serror while converting precision to integer: "
                          "strconv.Atoi: parsing \"%.*s\": %s",
                          what, FX_TEXT_ARG(digits),
                          result == FX_GO_RANGE ? "value out of range"
                                                : "invalid syntax");
        return false;
    }
    return true;
}

/* Removes precision and letter of a clause. NULL with a fault if it is none. */
static const struct clause *parse_clause(struct format_check *check) {
    if (!skip_precision(check)) {
        return NULL;
    }
    const char letter = check->rest.data[0];
    const struct clause *clause = find_clause(letter);
    if (clause == NULL) { /* Go takes the byte for a rune */
        char rune[4];
        const size_t len = fx_text_encode_rune((unsigned char)letter, rune);
        fx_cel_faults_add(
            check->faults, check->call->at,
            "could not parse formatting clause: unrecognized formatting clause \"%.*s\"",
            (int)len, rune);
        return NULL;
    }
    check->rest = fx_text_rest(check->rest, 1);
    return clause;
}

/* ---- the elements -------------------------------------------------------------------
 */

static bool is_printed(const struct clause *clause, const struct fx_cel_node *node) {
    return node->checked->kind == FX_CEL_TYPE_DYN ||
           (clause->kinds & BIT(node->checked->kind)) != 0;
}

/* Of a list or map literal %s prints the elements, too: finds the one, in this node or
 * below, that it does not print. NULL: there is none. */
static const struct fx_cel_node *find_unprinted(const struct clause *clause,
                                                const struct fx_cel_node *node) {
    if (!is_printed(clause, node) || !fx_spend(1)) {
        return node;
    }
    if (clause->letter != 's') {
        return NULL;
    }
    const struct fx_cel_node *found = NULL;
    if (node->type == FX_CEL_NODE_LIST) {
        for (size_t i = 0; i < node->list.n && found == NULL; i++) {
            found = find_unprinted(clause, node->list.items[i]);
        }
    } else if (node->type == FX_CEL_NODE_MAP) {
        for (size_t i = 0; i < node->map.n && found == NULL; i++) {
            found = find_unprinted(clause, node->map.entries[i].key);
            found = found != NULL ? found
                                  : find_unprinted(clause, node->map.entries[i].value);
        }
    }
    return found;
}

/* clause := "%" [ precision ] letter, after the "%". */
static bool check_clause(struct format_check *check) {
    if (check->rest.len == 0) {
        return fault(check, "unexpected end of string", "");
    }
    if (check->n_used >= check->list->list.n) {
        fx_cel_faults_add(check->faults, check->call->at, "index %zu out of range",
                          check->n_used);
        return false;
    }
    const struct clause *clause = parse_clause(check);
    if (clause == NULL) {
        return false;
    }
    const struct fx_cel_node *element = check->list->list.items[check->n_used++];
    const struct fx_cel_node *unprinted = find_unprinted(clause, element);
    if (unprinted != NULL) {
        fx_cel_faults_add(check->faults, unprinted->at,
                          "error during formatting: %s, was given %s", clause->only,
                          fx_cel_type_long_name(unprinted->checked));
        return false;
    }
    return true;
}

static bool check_text(struct format_check *check) {
    while (check->rest.len > 0 && fx_spend(1)) {
        const char *sign = memchr(check->rest.data, '%', check->rest.len);
        if (sign == NULL) {
            return true;
        }
        check->rest = fx_text_rest(check->rest, (size_t)(sign - check->rest.data) + 1);
        if (!fx_text_take(&check->rest, '%') && !check_clause(check)) {
            return false;
        }
    }
    return true;
}

void cel_format_check(const struct fx_cel_node *call, struct fx_cel_faults *faults) {
    const struct fx_cel_node *text = call->call.target;
    if (text == NULL || text->type != FX_CEL_NODE_LITERAL ||
        text->literal.kind != FX_CEL_STRING || call->call.n_args != 1 ||
        call->call.args[0]->type != FX_CEL_NODE_LIST) {
        return;
    }
    struct format_check check = {.faults = faults,
                                 .call = call,
                                 .list = call->call.args[0],
                                 .rest = text->literal.text};
    if (check_text(&check) && check.n_used < check.list->list.n) {
        fx_cel_faults_add(faults, call->at,
                          "too many arguments supplied to string.format "
                          "(expected %zu, got %zu)",
                          check.n_used, check.list->list.n);
    }
}
