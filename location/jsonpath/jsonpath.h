/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jsonpath/jsonpath.h - KubeMod's expression language and its JSONPath
 * (KubeMod spec section 7), such as `$.spec.containers[? @.name == "app"].image`:
 * compiles a text to an immutable program, which gives values, or the matches of a
 * path, for an object.
 *
 * KubeMod's results are random in two cases. Here the members of objects are sorted by
 * key, and a date without a zone is in UTC. Operators need no spaces around them.
 * Integers of 64 bits compare exactly; all other arithmetic is done with doubles.
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

/* The use of a text. */
enum fx_jsonpath_use {
    FX_JSONPATH_EXPRESSION, /* `match[].select`: any expression */
    FX_JSONPATH_PATH,       /* `patch[].select`: a pure path from $ or @ (section 5.2) */
};

/* Compiles `text`. The caller destroys *ret_path. Errors: FX_ESYNTAX with the span of
 * the faulty token (at the end of the text: the byte after it), or of an operation that
 * fails on its constants; FX_ELIMIT over a limit of base/limits.h; FX_ENOMEM. */
bool fx_jsonpath_compile(struct fx_text text, enum fx_jsonpath_use use,
                         struct fx_jsonpath **ret_path, struct fx_err *err) FX_MUST_USE;
void fx_jsonpath_destroy(struct fx_jsonpath *path); /* NULL is fine */

/* Checks for calls that compile, as in KubeMod, but fail in every evaluation: calls of an
 * unknown function, or with a number of arguments other than one. If there is one,
 * returns false with FX_EINVALID and the span of the first. */
bool fx_jsonpath_check_calls(const struct fx_jsonpath *path,
                             struct fx_err *err) FX_MUST_USE;

/* Appends the expression as a text that compiles to the same expression. A failure is
 * kept in `buf`. */
void fx_jsonpath_print(struct fx_buf *buf, const struct fx_jsonpath *path);

/* True if the whole expression is a path. */
bool fx_jsonpath_is_path(const struct fx_jsonpath *path);

/* Calls `visit` for each path and variable in the expression, but not for those within
 * a path. `part` is an expression of its own, valid during the call. */
void fx_jsonpath_paths(const struct fx_jsonpath *path,
                       void (*visit)(void *user, const struct fx_jsonpath *part),
                       void *user);

/* Gets the names of the steps of a path from $; a * or a filter has no name (data NULL).
 * Returns their number. Returns 0 if the path has other steps or more than
 * FX_JSONPATH_MOST_STEPS, or if the expression is not such a path. The names live as long
 * as `path`. */
#define FX_JSONPATH_MOST_STEPS 32u
size_t fx_jsonpath_step_names(const struct fx_jsonpath *path,
                              struct fx_text names[FX_JSONPATH_MOST_STEPS]) FX_MUST_USE;

/* The result of an expression. A path with *, a filter, a union, a range or .. always
 * gives a LIST, also of one value; so does any value that is a list. The entries of a
 * list literal may be undefined. */
enum fx_jsonpath_shape { FX_JSONPATH_UNDEFINED, FX_JSONPATH_VALUE, FX_JSONPATH_LIST };

/* Values that JSON does not have become the text that Go's %v prints: dates, NaN and
 * infinities, and lengths of a million or more, which would have an exponent as doubles.
 * Undefined values within a list or object become the empty text. */
struct fx_jsonpath_result {
    enum fx_jsonpath_shape shape;
    json_t **values; /* counted; NULL for an undefined value */
    size_t n_values; /* 0 for UNDEFINED, 1 for VALUE, any number for LIST */
};

void fx_jsonpath_result_finish(struct fx_jsonpath_result *result); /* zeroed is fine */

/* Evaluates the expression with `root` as $ and null as @. The result shares nodes with
 * the object. Errors: FX_EMUTATE if the expression fails on this object (section 7.2),
 * with the span of the operation that fails; FX_ELIMIT over FX_LIMIT_JSONPATH_STEPS or
 * another limit; FX_ENOMEM. */
bool fx_jsonpath_eval(const struct fx_jsonpath *path, json_t *root,
                      struct fx_jsonpath_result *ret_result,
                      struct fx_err *err) FX_MUST_USE;

/* True for a path from $ that consists of names, as most do. fx_jsonpath_view() evaluates
 * such a path without a run: it returns the value, borrowed, or NULL if the value is
 * undefined or the path fails. */
bool fx_jsonpath_is_field_path(const struct fx_jsonpath *path);
json_t *fx_jsonpath_view(const struct fx_jsonpath *path, const json_t *root);

/* A key part of a match (section 5.2): the index or key that a *, a filter, a union or a
 * range selected, or one level that .. descended. A key is a text even if it looks like a
 * number. */
struct fx_jsonpath_part {
    bool is_index;
    size_t index;
    struct fx_text key; /* borrowed from the matches */
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

void fx_jsonpath_matches_finish(struct fx_jsonpath_matches *matches); /* zeroed is fine */

/* Gets the number of key parts that every match of a FX_JSONPATH_PATH has. False if it
 * depends on the object, since `..` adds one for each level. */
bool fx_jsonpath_count_parts(const struct fx_jsonpath *path,
                             size_t *ret_count) FX_MUST_USE;

/* Finds the values in `root` that a FX_JSONPATH_PATH selects, with their key parts. There
 * is no match if the path fails. `root` may be changed while the matches are kept.
 * Errors: FX_ELIMIT, FX_ENOMEM. */
bool fx_jsonpath_find(const struct fx_jsonpath *path, json_t *root,
                      struct fx_jsonpath_matches *ret_matches,
                      struct fx_err *err) FX_MUST_USE;

/* Adds all that an evaluation may read of any object to `root`, the tree of wanted parts.
 * An object that is decoded for this tree (fx_json_read_part()) gives the same result as
 * the whole object, but values may lack parts: a caller that reads them adds those at
 * *ret_cursor. The tree borrows texts from the path; the caller prunes it. False if out
 * of memory. */
bool fx_jsonpath_reads(const struct fx_jsonpath *path, struct fx_json_part *root,
                       struct fx_json_cursor *ret_cursor) FX_MUST_USE;

#endif
