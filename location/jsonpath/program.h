/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/program.h - what a text is compiled to (inside this room only): a
 * tree of nodes in one array. A node names its first child and its next sibling by their
 * places in the array; place 0 is taken by a node that stands for "none".
 */
#ifndef FX_LOCATION_JSONPATH_PROGRAM_H
#define FX_LOCATION_JSONPATH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/regex.h"
#include "base/text.h"
#include "location/jsonpath/jsonpath.h"

/* operator, its text, how tightly it binds (spec section 7.2) */
#define OPERATORS(X)              \
    X(COALESCE, "??", 0)          \
    X(OR, "||", 20)               \
    X(AND, "&&", 21)              \
    X(EQUAL, "==", 40)            \
    X(UNEQUAL, "!=", 40)          \
    X(GREATER, ">", 40)           \
    X(GREATER_OR_EQUAL, ">=", 40) \
    X(LESS, "<", 40)              \
    X(LESS_OR_EQUAL, "<=", 40)    \
    X(MATCH, "=~", 40)            \
    X(NO_MATCH, "!~", 40)         \
    X(IN, "in", 40)               \
    X(XOR, "^", 60)               \
    X(BIT_AND, "&", 60)           \
    X(BIT_OR, "|", 60)            \
    X(SHIFT_LEFT, "<<", 90)       \
    X(SHIFT_RIGHT, ">>", 90)      \
    X(ADD, "+", 120)              \
    X(SUBTRACT, "-", 120)         \
    X(MULTIPLY, "*", 150)         \
    X(DIVIDE, "/", 150)           \
    X(MODULO, "%", 150)           \
    X(POWER, "**", 200)

enum operator_id {
#define X(name, text, binding) OPERATOR_##name,
    OPERATORS(X)
#undef X
        OPERATOR_NONE
};

struct operator_entry {
    const char *text;
    int binding;
};

/* The table of operators, by their ids. */
const struct operator_entry *fx_jsonpath_operator(enum operator_id id);

/* What stands before an operand. */
enum prefix_id { PREFIX_NOT, PREFIX_MINUS, PREFIX_COMPLEMENT };

/* function, its name (spec section 7.3); each takes one argument */
#define FUNCTIONS(X)               \
    X(LENGTH, "length")            \
    X(IS_DEFINED, "isDefined")     \
    X(IS_UNDEFINED, "isUndefined") \
    X(IS_EMPTY, "isEmpty")         \
    X(IS_NOT_EMPTY, "isNotEmpty")  \
    X(DATE, "date")

enum function_id {
#define X(id, name) FUNCTION_##id,
    FUNCTIONS(X)
#undef X
        FUNCTION_NONE
};

const char *fx_jsonpath_function_name(enum function_id id);

enum node_type {
    NODE_NONE,        /* no child, or one that was left out */
    NODE_NUMBER,      /* as.number */
    NODE_INTEGER,     /* as.integer: a literal of 64 bits */
    NODE_TEXT,        /* as.text */
    NODE_BOOL,        /* as.truth */
    NODE_LIST,        /* children: the entries */
    NODE_OBJECT,      /* children: key, value, key, value, ... */
    NODE_VARIABLE,    /* as.text: the first name; children: the keys behind it */
    NODE_CALL,        /* id: enum function_id; children: the arguments */
    NODE_UNKNOWN,     /* a call of what is no function; first child: the variable */
    NODE_PLACEHOLDER, /* as.integer: which part; below 0: all of them */
    NODE_PATH,        /* id: '$' or '@'; as.path; children: the steps */
    NODE_PREFIX,      /* id: enum prefix_id; child: the operand */
    NODE_INFIX,       /* id: enum operator_id; children: left and right; as.pattern */
    NODE_IF,          /* children: condition, then, else (may be missing) */
    /* Steps of a path. The first two lead to one value, the others to any number. */
    STEP_NAME,   /* .name; as.text */
    STEP_KEY,    /* [expression]; child */
    STEP_SCRIPT, /* (expression); child */
    STEP_ALL,    /* * */
    STEP_UNION,  /* [a, b]; children */
    STEP_RANGE,  /* [min:max:step]; three children, NODE_NONE where left out */
    STEP_FILTER, /* [? condition]; child */
    STEP_DESCEND /* .. */
};

typedef uint32_t node_index;

struct node {
    uint8_t type; /* enum node_type */
    uint8_t id;
    bool is_constant;
    uint16_t depth; /* of the tree below, this node included */
    node_index first, next;
    uint32_t off, len; /* where it stands in the text */
    union {
        double number;
        int64_t integer;
        bool truth;
        struct fx_text text;            /* in the program's store, or a constant */
        const struct fx_regex *pattern; /* a constant right of =~ and !~, or NULL */
        struct {
            bool follows_key; /* one with placeholders, in an object */
            bool branches;    /* has a step that leads to any number of values */
        } path;
    } as;
};

struct fx_jsonpath {
    struct node *nodes;
    size_t n_nodes;
    node_index root;
    bool is_straight; /* names from $ on, and nothing else */
    char *store;      /* texts */
    struct fx_regex **patterns;
    size_t n_patterns;
};

/* Can the call succeed? Not that of what is no function, or of another number of
 * arguments than one: false, and `err` has its words and its place. */
bool fx_jsonpath_check_call(const struct fx_jsonpath *path, const struct node *call,
                            enum fx_code code, struct fx_err *err) FX_MUST_USE;

/* Reads all of the text as a number, as Go's strconv.ParseFloat does: `1e3`, `inf`,
 * `NaN`. False for anything else, for what is beyond a double, and for texts of more than
 * FX_GO_SHORT_NUMBER bytes. */
bool fx_jsonpath_parse_float(struct fx_text text, double *ret_number) FX_MUST_USE;

/* straight.c: is it names from $ on and nothing else? */
bool fx_jsonpath_find_straight(const struct fx_jsonpath *path);

/* Is it a step that leads to any number of values? Each of them adds to the key parts. */
static inline bool fx_jsonpath_is_branching(const struct node *node) {
    return node->type >= STEP_ALL;
}

#endif
