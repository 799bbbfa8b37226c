/* SPDX-License-Identifier: Apache-2.0
 *
 * location/jmespath/jmespath.h - JMESPath in Kyverno's dialect (Kyverno spec section 8),
 * such as `request.object.spec.containers[?image == 'a'].name | [0]`: compiles a text to
 * an immutable query, which gives a value.
 *
 * Differences from JMESPath: a missing key is an error, "Unknown key", unless an operand,
 * an argument, an element, a stage of a pipe or a projection turns it into null; and
 * there are more functions (function.h). Members of objects are visited in the order of
 * their keys. Numbers compare by value; integers stay integers.
 */
#ifndef FX_LOCATION_JMESPATH_JMESPATH_H
#define FX_LOCATION_JMESPATH_JMESPATH_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "value/json_part.h"

struct fx_jmespath; /* opaque, immutable once made: any thread may use it */

/* Compiles `text`, of which a copy is kept. The caller destroys *ret_query. Unknown
 * functions and wrong numbers of arguments compile, as in Kyverno, and fail when they are
 * called: fx_jmespath_check_calls() finds them. Errors: FX_ESYNTAX with the span of the
 * faulty token (at the end of the text: the byte after it); FX_ELIMIT over a limit of
 * base/limits.h; FX_ENOMEM. */
bool fx_jmespath_compile(struct fx_text text, struct fx_jmespath **ret_query,
                         struct fx_err *err) FX_MUST_USE;
void fx_jmespath_destroy(struct fx_jmespath *query); /* NULL is fine */

/* Returns the text that was compiled. */
struct fx_text fx_jmespath_text(const struct fx_jmespath *query);

/* Checks for calls that fail whatever their arguments are: of unknown functions, with a
 * wrong number of arguments, with an expression for a value or the reverse. If there is
 * one, returns false with FX_EINVALID and the span of the first. */
bool fx_jmespath_check_calls(const struct fx_jmespath *query,
                             struct fx_err *err) FX_MUST_USE;

/* The names at the root of a query, which are looked up when the query reads them. */
struct fx_jmespath_scope {
    /* Looks a name up. Gives a new reference, or NULL if there is no such name. False if
     * the value cannot be made: then the query fails with this error. */
    bool (*find)(void *context, struct fx_text name, json_t **ret_value,
                 struct fx_err *err);
    /* Gives an object with all names, for queries that read the root itself: `@`,
     * `keys(@)`, `*`. */
    bool (*all)(void *context, json_t **ret_object, struct fx_err *err);
    void *context;
    /* Called with the text of the query before it is evaluated, so that values can be
     * made that the text mentions. False if one cannot be made: then the query fails with
     * this error. NULL if there is nothing to make. */
    bool (*begin)(void *context, struct fx_text query, struct fx_err *err);
};

enum fx_jmespath_outcome {
    FX_JMESPATH_VALUE,
    FX_JMESPATH_NOT_FOUND, /* the query ends in a missing key */
    FX_JMESPATH_ERROR,
};

/* Evaluates the query on `root`, or, if `root` is NULL, on the names of `scope` (only one
 * of the two is read; the other may be NULL). On FX_JMESPATH_VALUE *ret_value is a new
 * reference, which may share nodes with the root: nothing is copied. Otherwise *ret_value
 * is NULL, and `err` has the message and the span in the text of the query.
 *
 * NOT_FOUND: FX_EINVALID, `Unknown key "x" in path`. ERROR: FX_EINVALID for a call that
 * fails on its arguments, or another operation that fails; FX_ELIMIT over
 * FX_LIMIT_JMESPATH_STEPS or another limit; FX_EDEADLINE; FX_ENOMEM; an error of
 * `scope`. */
enum fx_jmespath_outcome fx_jmespath_search(const struct fx_jmespath *query, json_t *root,
                                            const struct fx_jmespath_scope *scope,
                                            json_t **ret_value, struct fx_err *err);

/* ---- properties of a query, without data ---------------------------------------------
 */

/* Is the result the same for any root and at any time? Then the query reads nothing, and
 * calls neither the clock nor chance. */
bool fx_jmespath_is_constant(const struct fx_jmespath *query);

/* Does the result depend on the root alone? False if the query calls the clock or
 * chance. */
bool fx_jmespath_is_deterministic(const struct fx_jmespath *query);

/* Adds what the query reads of its root to the tree of parts (value/json_part.h), which
 * borrows names from `query`: finish the tree first. *ret_cursor is at the value of the
 * query, of which nothing is added beyond its existence and type: the caller calls
 * fx_json_cursor_all() if it uses the value. The members of the root of the tree are then
 * the names that the query reads (fx_json_part_find()); if its `omits_rest` is false, the
 * query reads all names. False without memory. */
bool fx_jmespath_reads(const struct fx_jmespath *query, struct fx_json_part *root,
                       struct fx_json_cursor *ret_cursor) FX_MUST_USE;

#endif
