/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/location.h - Gatekeeper's paths, such as
 * `spec.containers[name: *].image`. Text in, an immutable program out (spec section 1).
 */
#ifndef FX_LOCATION_GATEKEEPER_LOCATION_H
#define FX_LOCATION_GATEKEEPER_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* The type names are those that users read in messages. */
#define FX_LOCATION_STEPS(X) \
    X(OBJECT, "Object")      \
    X(LIST, "List")

enum fx_location_step_type {
#define X(name, text) FX_LOCATION_##name,
    FX_LOCATION_STEPS(X)
#undef X
};

/* One node of a path. A list step is a node of its own: `a[b: c].d` has three. */
struct fx_location_step {
    enum fx_location_step_type type;
    struct fx_text name; /* OBJECT: the field; LIST: the key field */
    bool glob;           /* LIST: [name: *] */
    json_t *value;       /* LIST without glob: a string or integer node, counted */
    json_t **except;     /* LIST with glob: keys that it leaves out, counted, likewise */
    size_t n_except;
};

/* Immutable once made: any thread may use it. */
struct fx_location {
    size_t n_steps;
    struct fx_location_step *steps;
    char *names; /* backs the names */
};

/* The printed name of a step type. */
const char *fx_location_step_type_name(enum fx_location_step_type type);

/* Which language it is. */
enum fx_location_syntax {
    FX_LOCATION_GATEKEEPER, /* spec section 1, to the letter */
    /* That, and exclusions behind a glob: `[name: * except "istio-proxy", proxy, 5]`: one
     * or more key values, as they stand in a list step, with commas between them. */
    FX_LOCATION_EXTENDED,
};

/* Parses. Blank text gives a path of no steps: callers deal with it. Errors: FX_ESYNTAX
 * with the words of spec section 1.3 and the span of the offending token (for the end of
 * the text, that is one byte behind it); FX_ELIMIT over FX_LIMIT_LOCATION_BYTES or
 * _NODES; FX_ENOMEM. */
bool fx_location_parse(struct fx_text text, enum fx_location_syntax syntax,
                       struct fx_location **ret_location, struct fx_err *err) FX_MUST_USE;

/* Frees it; NULL is fine. */
void fx_location_destroy(struct fx_location *location);

/* Appends the printed form (spec section 1.4); _step prints one node. Exclusions print so
 * that they read back; names with odd runes do not, as the spec has it. */
void fx_location_print(struct fx_buf *buf, const struct fx_location *location);
void fx_location_print_step(struct fx_buf *buf, const struct fx_location_step *step);

/* The same node: type, name, glob flag, key value and its type; exclusions in any
 * order. */
bool fx_location_step_equal(const struct fx_location_step *a,
                            const struct fx_location_step *b);

/* Is the element one of those that the list step names? Its key must have the type of the
 * step's: neither "5" nor 5.0 is 5. A glob names all but those whose key it excludes, so
 * also what has no key, or is no object. */
bool fx_location_step_names(const struct fx_location_step *step, const json_t *element);

/* Are all steps of `prefix` the first steps of `location`? */
bool fx_location_has_prefix(const struct fx_location *location,
                            const struct fx_location *prefix);

/* ---- reading: what is missing, or of another type than the location says, has no value
 * --- */

/* How many of the first steps the two locations have in common: equal ones, whatever they
 * name (fx_location_step_equal). A glob equals only a glob with the same exclusions. */
size_t fx_location_common(const struct fx_location *a, const struct fx_location *b);

/* Calls `visit` for the value at every place that the steps from `from` on name below
 * `node` (from 0: below the root; from the end: `node` itself), in the order of the tree,
 * until it says false. A location that ends in a list names elements: all that have the
 * key. Gives false where `visit` did, or where the thread's budget is exceeded
 * (base/budget.h), so that the caller has to look at that. */
bool fx_location_each(const struct fx_location *location, size_t from, json_t *node,
                      bool (*visit)(void *user, json_t *value), void *user);

/* The value at the first place; NULL where there is none. Borrowed. */
json_t *fx_location_first(const struct fx_location *location, size_t from, json_t *node);

#endif
