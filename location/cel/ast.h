/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel/ast.h - a parsed expression. Macros are expanded while it is parsed, as in
 * cel-go, so positions, types and costs come from the expanded form.
 *
 * All nodes, and the texts that are not part of the source, live in one arena.
 *
 * Expansions call functions that no expression can name. @not_strictly_false(x) is false
 * only for the value false, not for an error. cel.@mapInsert(map, key, value) and
 * cel.@mapInsert(map, entries) are the map with one more entry, or with those of another
 * map (transformMap, transformMapEntry). list.@sortByAssociatedKeys(keys) is the list
 * sorted by its keys (sortBy). Their variables are `@result` (the accumulator), `#unused`
 * (the item of FX_CEL_MACRO_BIND) and `@__sortBy_input__`. optMap and optFlatMap call the
 * methods hasValue() and value(), and the functions optional.of and optional.none.
 *
 * An expression is at most 250 levels deep in brackets and binary operators, but each
 * level may have a few nodes in each other (a chain of && is a balanced tree, a macro is
 * four or five nodes), so a walk that recurses needs a limit of its own.
 */
#ifndef FX_LOCATION_CEL_AST_H
#define FX_LOCATION_CEL_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/cel/type.h"
#include "location/cel/value.h"

struct fx_cel_overload;
struct fx_regex;

enum fx_cel_node_type {
    FX_CEL_NODE_LITERAL,
    FX_CEL_NODE_NAME,   /* an identifier */
    FX_CEL_NODE_SELECT, /* operand.field; has(operand.field) */
    FX_CEL_NODE_CALL,   /* function(…), target.function(…), operators */
    FX_CEL_NODE_LIST,
    FX_CEL_NODE_MAP,
    FX_CEL_NODE_STRUCT, /* Type{…} */
    FX_CEL_NODE_FOLD,   /* the expansion of a macro that loops */
};

/* Which macro a fold comes from. */
enum fx_cel_macro {
    FX_CEL_MACRO_ALL,
    FX_CEL_MACRO_EXISTS,
    FX_CEL_MACRO_EXISTS_ONE,
    FX_CEL_MACRO_MAP, /* and transformList */
    FX_CEL_MACRO_FILTER,
    FX_CEL_MACRO_TRANSFORM_MAP,
    FX_CEL_MACRO_TRANSFORM_MAP_ENTRY,
    FX_CEL_MACRO_BIND, /* optMap, optFlatMap, sortBy: an empty range; binds a name */
};

#define FX_CEL_NO_VARIABLE SIZE_MAX /* the name is a local, a type, or not known */

/* A name that a fold declares. Nodes within the fold that mean it have a pointer to it.
 */
struct fx_cel_local {
    struct fx_text name;
    const struct fx_cel_type *type; /* set by the checker */
    /* Index of its value in fx_cel_run.locals, set by the parser: the locals of an
     * expression have the numbers from 0 on. */
    size_t number;
    /* Of the name that FX_CEL_MACRO_BIND binds: its value, which is computed when it is
     * first read. Set when a program is made. */
    struct fx_cel_node *start;
};

/* An entry of a map or struct literal. */
struct fx_cel_entry {
    struct fx_cel_node *key; /* of a map */
    struct fx_text field;    /* of a struct */
    struct fx_cel_node *value;
    bool is_optional; /* ?key: value */
    uint32_t at;      /* of its colon */
};

struct fx_cel_node {
    enum fx_cel_node_type type;
    /* Where messages point (spec/cel.md section 8), in bytes from the start of the
     * source: the dot, the parenthesis, the operator, the bracket, the brace, or the
     * start. */
    uint32_t at;
    const struct fx_cel_type *checked; /* set by the checker; NULL: not checked */
    uint8_t how;   /* how it is evaluated (eval.h); set when a program is made */
    bool is_ready; /* it has been set */
    union {
        struct fx_cel_value literal;
        struct {
            struct fx_text name; /* after checking: the whole dotted name */
            bool is_absolute;    /* it began with a dot, which is not in `name` */
            /* Set by the checker: one of these, or `variable` in the environment. */
            struct fx_cel_local *local;
            const struct fx_cel_type *type; /* the name of a type, as a value */
            size_t variable;
        } name;
        struct {
            struct fx_cel_node *operand;
            struct fx_text field;
            bool is_test; /* has() */
        } select;
        struct {
            /* "_+_", "_?_:_", "_[_]", "_[?_]", "_?._" (its second argument is the literal
             * field), "@in", "@not_strictly_false", "size"; dotted after checking. A
             * function that was written with a dot before it has the dot here. */
            struct fx_text function;
            struct fx_cel_node *target; /* NULL: global */
            struct fx_cel_node **args;
            size_t n_args;
            /* Set by the checker: the overloads that fit, at least one. */
            const struct fx_cel_overload *const *overloads;
            size_t n_overloads;
            /* Set when a program is made: the compiled pattern, if that is a constant;
             * the constant elements of the right side of `in`, as keys. */
            const struct fx_regex *regex;
            const struct fx_cel_map *set;
        } call;
        struct {
            struct fx_cel_node **items;
            bool *is_optional; /* NULL: none is */
            size_t n;
        } list;
        struct {
            struct fx_text name; /* of a struct: "Object.spec", or ".Object" */
            struct fx_cel_entry *entries;
            size_t n;
        } map; /* and struct */
        struct {
            enum fx_cel_macro macro;
            struct fx_cel_local *item, *item2;  /* item2: of the two-variable forms */
            struct fx_cel_local *result_so_far; /* the accumulator */
            struct fx_cel_node *range, *start, *condition, *step, *result;
        } fold;
    };
};

/* ---- errors of an expression ------------------------------------------------------- */

/* Of a fault that has no position: line -1, column 0. Of one in an argument that could
 * not be parsed: line 1, column 0. */
#define FX_CEL_NOWHERE  UINT32_MAX
#define FX_CEL_UNPARSED (UINT32_MAX - 1)

struct fx_cel_fault {
    uint32_t at; /* in bytes from the start of the source, or one of the above */
    const char *message;
    const char *nearest; /* of an undefined field: the name that may be meant; or NULL */
};

#define FX_CEL_MOST_FAULTS 100u /* that are kept */

/* The faults of one expression; zeroed but for `arena`: none. */
struct fx_cel_faults {
    struct fx_arena *arena;
    struct fx_cel_fault *items;
    size_t n, cap;
    bool failed; /* no memory for one */
};

/* Adds a fault. */
FX_PRINTF(3, 4)
void fx_cel_faults_add(struct fx_cel_faults *faults, uint32_t at, const char *fmt, ...);

/* Sorts the faults by position, and keeps the order of those at one position. */
void fx_cel_faults_sort(struct fx_cel_faults *faults);

/* Line from 1 and column in code points from 1, as the cases count them; see above for
 * FX_CEL_NOWHERE and FX_CEL_UNPARSED. */
void fx_cel_position(struct fx_text source, uint32_t at, long *ret_line,
                     long *ret_column);

/* Appends the faults as cel-go prints them, joined by newlines:
 * "ERROR: <input>:1:5: text\n | source line\n | ....^". */
void fx_cel_faults_print(const struct fx_cel_faults *faults, struct fx_text source,
                         struct fx_buf *buf);

/* ---- parsing ----------------------------------------------------------------------- */

/* Parses an expression into nodes of the arena. NULL with faults if the text is invalid;
 * NULL with err->code set, and no fault, without memory or when the thread's budget is
 * exceeded. The source must outlive the nodes. */
struct fx_cel_node *fx_cel_parse(struct fx_arena *arena, struct fx_text source,
                                 struct fx_cel_faults *faults,
                                 struct fx_err *err) FX_MUST_USE;

#endif
