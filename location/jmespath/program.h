/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/program.h - private: a compiled query, a tree of nodes in an arena.
 */
#ifndef FX_LOCATION_JMESPATH_PROGRAM_H
#define FX_LOCATION_JMESPATH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/text.h"
#include "location/jmespath/function.h"
#include "location/jmespath/jmespath.h"

enum query_node_type {
    QUERY_FIELD,   /* name: a member of the subject */
    QUERY_CURRENT, /* `@`, and what stands before `[0]` or `[*]` at the start */
    QUERY_LITERAL, /* literal */
    QUERY_INDEX,   /* `[index]` of the subject */
    QUERY_SLICE,   /* `[1:2:3]` of the subject */
    QUERY_CHAIN,   /* `a.b`, `a[0]`: the second child on the value of the first */
    QUERY_PIPE,    /* `a | b` */
    QUERY_OR,
    QUERY_AND,
    QUERY_NOT,
    QUERY_COMPARE,
    /* Projections: the second child on each element of the value of the first. */
    QUERY_EACH,      /* `a[*].b` */
    QUERY_VALUES,    /* `a.*.b`: on each member of an object */
    QUERY_FILTER,    /* `a[?c].b`: the third child is the condition */
    QUERY_FLATTEN,   /* `a[]`: the elements of the lists in the list */
    QUERY_LIST,      /* `[a, b]` */
    QUERY_OBJECT,    /* `{x: a}`: children are members */
    QUERY_MEMBER,    /* name, child */
    QUERY_CALL,      /* name, function; children are the arguments */
    QUERY_REFERENCE, /* `&a`, an argument */
};

enum query_comparison {
    QUERY_EQUAL,
    QUERY_UNEQUAL,
    QUERY_LESS,
    QUERY_LESS_OR_EQUAL,
    QUERY_GREATER,
    QUERY_GREATER_OR_EQUAL,
};

/* `[start:stop:step]`, each of which may be missing. */
struct query_slice {
    bool has[3];
    int64_t part[3];
};

struct fx_jmespath_node {
    uint8_t type;                          /* enum query_node_type */
    unsigned depth;                        /* levels of this node and the nodes below */
    uint32_t off, len;                     /* its span in the text */
    struct fx_jmespath_node *first, *next; /* the first child, the next sibling */
    union {
        struct fx_text name;
        json_t *literal; /* of the query's list */
        int64_t index;
        struct query_slice slice;
        enum query_comparison comparison;
    } as;
    const struct fx_jmespath_function *function; /* NULL for an unknown one */
};

struct fx_jmespath {
    struct fx_arena arena; /* nodes and texts */
    struct fx_text text;
    const struct fx_jmespath_node *root;
    json_t *literals;  /* the list that owns the literals */
    size_t n_builders; /* nodes that make a value a level deeper */
    bool builds;       /* the value may be deeper or larger than the root */
    bool is_random, is_constant;
};

/* Finds out what the fields behind `builds` say. */
void fx_jmespath_classify(struct fx_jmespath *query);

/* Checks that the function of the call is known and takes as many arguments, and that
 * expressions and values are where it takes them. Errors: FX_EINVALID with a span. */
bool fx_jmespath_check_call(const struct fx_jmespath_node *call,
                            struct fx_err *err) FX_MUST_USE;

/* Returns the parameter of the argument at `index`; NULL if the function has none. */
const struct fx_jmespath_parameter *
fx_jmespath_parameter_at(const struct fx_jmespath_function *function, size_t index);

#endif
