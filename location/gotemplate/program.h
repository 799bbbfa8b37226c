/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gotemplate/program.h - private: a parsed template, which the interpreter
 * executes. It does not change after parsing. Everything is in the arena of the program;
 * texts are in its copy of the source.
 */
#ifndef FX_LOCATION_GOTEMPLATE_PROGRAM_H
#define FX_LOCATION_GOTEMPLATE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "location/gotemplate/function.h"
#include "location/gotemplate/value.h"

/* A piece of the source. */
struct source_span {
    uint32_t off, len;
};

/* A number literal. It is converted to the type that its position needs. If the position
 * needs no type, its value is `ideal`: an int, or a float64 if it has a fraction or an
 * exponent. */
struct literal {
    bool is_int, is_float; /* it can be converted to that type */
    int64_t integer;
    double number;
    struct value ideal; /* MISSING if the integer does not fit an int */
};

enum operand_type {
    OPERAND_DOT,      /* . .a.b */
    OPERAND_VARIABLE, /* $x $x.a.b */
    OPERAND_PIPELINE, /* (…) (…).a.b */
    OPERAND_FUNCTION, /* f f.a.b */
    OPERAND_NIL,
    OPERAND_BOOL,
    OPERAND_NUMBER,
    OPERAND_STRING,
};

struct operand {
    enum operand_type type;
    struct source_span span;
    /* The fields after the operand, from left to right. */
    const struct fx_text *fields;
    size_t n_fields;
    union {
        uint32_t variable;
        const struct pipeline *pipeline;
        const struct function *function;
        bool boolean;
        const struct literal *literal;
        struct fx_text string;
    };
};

/* operand+: a value, or a function with its arguments. */
struct command {
    struct source_span span;
    const struct operand *operands;
    size_t n_operands;
    const struct command *next; /* the command after the `|` */
};

enum { MOST_DECLARED = 2 };

/* [ $x [ , $y ] ( := | = ) ] command { | command } */
struct pipeline {
    struct source_span span;
    uint32_t variables[MOST_DECLARED];
    size_t n_variables;
    bool assigns; /* assigns to existing variables */
    const struct command *commands;
};

enum statement_type {
    STATEMENT_TEXT,
    STATEMENT_PRINT, /* a pipeline; one that sets variables prints nothing */
    STATEMENT_IF,
    STATEMENT_RANGE,
    STATEMENT_WITH,
    STATEMENT_TEMPLATE, /* also for `block` */
    STATEMENT_BREAK,
    STATEMENT_CONTINUE,
};

struct statement {
    enum statement_type type;
    struct source_span span;
    struct fx_text text;                 /* the text, or the template's name */
    const struct definition *definition; /* NULL if no template has that name */
    const struct pipeline *pipeline;     /* NULL if there is none */
    const struct statement *body, *otherwise;
    const struct statement *next;
};

/* A named template: a `define`, a `block`, or the text as a whole. */
struct definition {
    struct fx_text name;
    const struct statement *body;
    struct definition *next;
};

/* The id of `$`. */
#define VARIABLE_ROOT 0u

struct fx_gotemplate {
    struct fx_arena arena;
    struct fx_text name, source;
    const struct definition *root;
    struct definition *definitions;
};

#endif
