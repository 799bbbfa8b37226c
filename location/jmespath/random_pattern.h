/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/random_pattern.h - private to the room: the patterns of random(), a
 * part of the regular expressions: characters, classes, groups, `|` and repetitions.
 */
#ifndef FX_LOCATION_JMESPATH_RANDOM_PATTERN_H
#define FX_LOCATION_JMESPATH_RANDOM_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Runes from `first` to `last`. */
struct random_range {
    uint32_t first, last;
};

/* A set of runes. The ranges may overlap. */
struct random_class {
    struct random_range *ranges;
    size_t n, cap;
};

enum random_type {
    RANDOM_RUNE,     /* one of a class */
    RANDOM_SEQUENCE, /* all children */
    RANDOM_CHOICE,   /* one of the children */
    RANDOM_REPEAT,   /* the only child, `least` to `most` times */
};

/* A node of a pattern, in an arena. */
struct random_node {
    enum random_type type;
    struct random_class class;
    struct random_node *first, *last, *next; /* children, and the next sibling */
    size_t n_children;
    uint32_t least, most;
};

/* Reads a pattern. `*`, `+` and `{2,}` repeat at most FX_LIMIT_RANDOM_REPEATS times more
 * than they have to. `.` and classes such as `[^a]` stand for printable characters of
 * ASCII; `^` and `$` for nothing. Spends for what it reads. Errors: FX_EINVALID for what
 * is not supported (flags, `\b`, `\pL`), FX_ELIMIT, FX_EDEADLINE, FX_ENOMEM. */
bool jmespath_random_read(struct fx_arena *arena, struct fx_text pattern,
                          struct random_node **ret_node, struct fx_err *err) FX_MUST_USE;

/* ---- between random_pattern.c and random_class.c -------------------------------------
 */

struct random_parser {
    struct fx_arena *arena;
    struct fx_text rest;
    struct fx_err *err;
};

/* Reads a class from its `[` on, the class of `\d \D \w \W \s \S` from the letter on, or
 * `.`: those which begin the rest of the pattern. */
bool jmespath_random_read_class(struct random_parser *parser,
                                struct random_class *class) FX_MUST_USE;

/* Reads one character, or an escape that stands for one. */
bool jmespath_random_read_rune(struct random_parser *parser,
                               uint32_t *ret_rune) FX_MUST_USE;

/* Adds the runes from `first` to `last`. */
bool jmespath_random_add(struct random_parser *parser, struct random_class *class,
                         uint32_t first, uint32_t last) FX_MUST_USE;

/* Does the rest begin with a class? */
bool jmespath_random_is_class(struct fx_text rest);

/* Fails, because Fixpoint does not support what the rest of the pattern begins with.
 * Always false. */
bool jmespath_random_fail(const struct random_parser *parser);

#endif
