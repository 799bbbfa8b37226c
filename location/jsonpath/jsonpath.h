/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/jsonpath.h - KubeMod's expression language and its JSONPath (KubeMod
 * spec section 7): `$.spec.containers[? @.name == "app"].image`. Text in, an immutable
 * program out; program and tree in, values or places out.
 *
 * Where KubeMod leaves something to chance it is settled here: the members of objects
 * come sorted by key, and a date without a zone is UTC. Operators need no spaces around
 * them. Integers of 64 bits compare exactly with each other; all else about numbers is
 * as with doubles.
 */
#ifndef FX_LOCATION_JSONPATH_JSONPATH_H
#define FX_LOCATION_JSONPATH_JSONPATH_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "value/json_part.h"

struct fx_jsonpath; /* opaque, immutable once made: any thread may use it */

/* What the text is to be. */
enum fx_jsonpath_use {
    FX_JSONPATH_EXPRESSION, /* `match[].select`: any expression */
    FX_JSONPATH_PATH,       /* `patch[].select`: a pure path from $ or @ (section 5.2) */
};

/* Compiles. Errors: FX_ESYNTAX with the span of the token at fault (at the end of the
 * text: one byte behind it), or of the operation that no constants can take; FX_ELIMIT
 * over a bound of base/limits.h; FX_ENOMEM. */
bool fx_jsonpath_compile(struct fx_text text, enum fx_jsonpath_use use,
                         struct fx_jsonpath **ret_path, struct fx_err *err) FX_MUST_USE;
void fx_jsonpath_destroy(struct fx_jsonpath *path); /* NULL is fine */

/* Finds fault with what compiles, as it does in KubeMod, and fails wherever an evaluation
 * comes to it: a call of what is no function, or of another number of arguments than one.
 * False: `err` (FX_EINVALID) has the first of them, with its span. */
bool fx_jsonpath_check_calls(const struct fx_jsonpath *path,
                             struct fx_err *err) FX_MUST_USE;

/* Appends the expression so that it reads back as the same. Failure sticks in `buf`. */
void fx_jsonpath_print(struct fx_buf *buf, const struct fx_jsonpath *path);

/* Is it a path as a whole, and no operator's or function's result? */
bool fx_jsonpath_is_path(const struct fx_jsonpath *path);

/* Tells each whole path in it, variables too: what it looks at in the object. Such a part
 * is an expression itself, borrowed for the call. */
void fx_jsonpath_paths(const struct fx_jsonpath *path,
                       void (*tell)(void *user, const struct fx_jsonpath *part),
                       void *user);

/* The steps of a path from $ that consists of names, and of * and filters, which have no
 * name (data NULL). The names live as long as the program. 0 where it is anything else,
 * or longer. */
#define FX_JSONPATH_MOST_STEPS 32u
size_t fx_jsonpath_step_names(const struct fx_jsonpath *path,
                              struct fx_text names[FX_JSONPATH_MOST_STEPS]) FX_MUST_USE;

/* What an expression yields. A path with *, a filter, a union, a range or .. gives a LIST
 * even of one; so does whatever else is a list, a field of the object included. The
 * entries of a list literal may be undefined. */
enum fx_jsonpath_shape { FX_JSONPATH_UNDEFINED, FX_JSONPATH_VALUE, FX_JSONPATH_LIST };

/* What JSON has no word for is given as the text that Go's %v prints of it: dates, NaN
 * and infinities, lengths from a million on (which as doubles would print with an
 * exponent), and what is undefined deeper within a list or object, which is the empty
 * text. */
struct fx_jsonpath_result {
    enum fx_jsonpath_shape shape;
    json_t **values; /* counted; NULL: undefined */
    size_t n_values; /* 0 where UNDEFINED, 1 where VALUE, any number where LIST */
};

void fx_jsonpath_result_finish(struct fx_jsonpath_result *result); /* zeroed is fine */

/* Evaluates with `root` as $ and null as @; nodes of the object are shared, not copied.
 * Errors: FX_EMUTATE where the expression fails on this object (section 7.2), with the
 * span of the operation that does; FX_ELIMIT where it takes more than
 * FX_LIMIT_JSONPATH_STEPS, or is over another bound; FX_ENOMEM. */
bool fx_jsonpath_eval(const struct fx_jsonpath *path, json_t *root,
                      struct fx_jsonpath_result *ret_result,
                      struct fx_err *err) FX_MUST_USE;

/* Is it names from $ on and nothing else, as most are? Then this is all that there is to
 * evaluating it: the value, borrowed; NULL where that is undefined, or the path fails. */
bool fx_jsonpath_is_straight(const struct fx_jsonpath *path);
json_t *fx_jsonpath_view(const struct fx_jsonpath *path, const json_t *root);

/* A part of the way to a place (section 5.2): the index or key that a *, a filter, a
 * union or a range chose, and every one that .. went through. A key is a text, whatever
 * it looks like. */
struct fx_jsonpath_part {
    bool is_index;
    size_t index;
    struct fx_text key; /* borrowed from the places */
};

struct fx_jsonpath_match {
    json_t *value; /* counted */
    const struct fx_jsonpath_part *parts;
    size_t n_parts;
};

struct fx_jsonpath_matches {
    struct fx_jsonpath_match *matches; /* lists by index, objects by sorted key */
    size_t n_matches;
};

void fx_jsonpath_matches_finish(struct fx_jsonpath_matches *places); /* zeroed is fine */

/* How many parts each place of a path of FX_JSONPATH_PATH has. False where that depends
 * on the object, since `..` adds one for each level. */
bool fx_jsonpath_count_parts(const struct fx_jsonpath *path,
                             size_t *ret_count) FX_MUST_USE;

/* Where in `root` a path of FX_JSONPATH_PATH leads, with the captured key parts. What
 * fails within the path counts as no place. `root` may be written while the places are
 * kept. Errors: FX_ELIMIT, FX_ENOMEM. */
bool fx_jsonpath_find(const struct fx_jsonpath *path, json_t *root,
                      struct fx_jsonpath_matches *ret_places,
                      struct fx_err *err) FX_MUST_USE;

/* What evaluating it may look at in any object: adds it to the tree of `root`. Of the
 * object that is read in part for it (fx_json_read_part()) comes what comes of the whole,
 * but that values may lack parts: *ret_place is where they stand, for who looks into
 * them. The tree borrows the path's texts, and is to be pruned. False without memory. */
bool fx_jsonpath_reads(const struct fx_jsonpath *path, struct fx_json_part *root,
                       struct fx_json_place *ret_place) FX_MUST_USE;

#endif
