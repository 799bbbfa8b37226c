/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/program.h - private: a compiled expression: a tree of nodes in one
 * array. A node refers to its first child and its next sibling by their indexes; index
 * 0 is a node that means "none".
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

/* operator, text, precedence (spec section 7.2) */
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

/* Returns the entry of an operator. */
const struct operator_entry *fx_jsonpath_operator(enum operator_id id);

/* Prefix operators. */
enum prefix_id { PREFIX_NOT, PREFIX_MINUS, PREFIX_COMPLEMENT };

/* function, name (spec section 7.3); each takes one argument */
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
    NODE_NONE,        /* no child, or an omitted child */
    NODE_NUMBER,      /* as.number */
    NODE_INTEGER,     /* as.integer: a literal of 64 bits */
    NODE_TEXT,        /* as.text */
    NODE_BOOL,        /* as.truth */
    NODE_LIST,        /* children: the entries */
    NODE_OBJECT,      /* children: key, value, key, value, ... */
    NODE_VARIABLE,    /* as.text: the first name; children: the keys after it */
    NODE_CALL,        /* id: enum function_id; children: the arguments */
    NODE_UNKNOWN,     /* a call of an unknown function; first child: the variable */
    NODE_PLACEHOLDER, /* as.integer: the number of the part; all parts if below 0 */
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
    STEP_RANGE,  /* [min:max:step]; three children, NODE_NONE for an omitted one */
    STEP_FILTER, /* [? condition]; child */
    STEP_DESCEND /* .. */
};

typedef uint32_t node_index;

struct expression_node {
    uint8_t type; /* enum node_type */
    uint8_t id;
    bool is_constant;
    uint16_t depth; /* of the subtree, including this node */
    node_index first, next;
    uint32_t off, len; /* its span in the text */
    union {
        double number;
        int64_t integer;
        bool truth;
        struct fx_text text;            /* in the program's store, or a constant */
        const struct fx_regex *pattern; /* constant right operand of =~ or !~, or NULL */
        struct {
            bool follows_key; /* in an object, after a key with placeholders */
            bool branches;    /* has a step that leads to any number of values */
        } path;
    } as;
};

struct fx_jsonpath {
    struct expression_node *nodes;
    size_t n_nodes;
    node_index root;
    bool is_field_path; /* a path from $ that consists of names */
    char *store;        /* texts */
    struct fx_regex **patterns;
    size_t n_patterns;
};

/* Checks that the call is of a known function with one argument. On false, `err` has the
 * code, the message and the span. */
bool fx_jsonpath_check_call(const struct fx_jsonpath *path,
                            const struct expression_node *call, enum fx_code code,
                            struct fx_err *err) FX_MUST_USE;

/* Parses the whole text as Go's strconv.ParseFloat does: `1e3`, `inf`, `NaN`. False for
 * other texts, numbers beyond a double, and texts of more than FX_GO_SHORT_NUMBER
 * bytes. */
bool fx_jsonpath_parse_float(struct fx_text text, double *ret_number) FX_MUST_USE;

/* Finds out whether the expression is a path from $ that consists of names. */
bool fx_jsonpath_find_field_path(const struct fx_jsonpath *path);

/* Return the first child or the next sibling, or NULL. */
static inline const struct expression_node *
fx_jsonpath_first(const struct fx_jsonpath *program, const struct expression_node *node) {
    return node->first == 0 ? NULL : &program->nodes[node->first];
}

static inline const struct expression_node *
fx_jsonpath_next(const struct fx_jsonpath *program, const struct expression_node *node) {
    return node->next == 0 ? NULL : &program->nodes[node->next];
}

/* Return the first child or the next sibling, which must exist. */
static inline const struct expression_node *
fx_jsonpath_child(const struct fx_jsonpath *program, const struct expression_node *node) {
    return &program->nodes[node->first];
}

static inline const struct expression_node *
fx_jsonpath_sibling(const struct fx_jsonpath *program,
                    const struct expression_node *node) {
    return &program->nodes[node->next];
}

/* True for a step that selects any number of values. Each such step adds a key part. */
static inline bool fx_jsonpath_is_branching(const struct expression_node *node) {
    return node->type >= STEP_ALL;
}

#endif
