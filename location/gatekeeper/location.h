/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/location.h - Gatekeeper's locations, such as
 * `spec.containers[name: *].image` (spec section 1): compiles a text to an immutable
 * program, and reads the values that it selects.
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

enum fx_location_step_type { FX_LOCATION_OBJECT, FX_LOCATION_LIST };

/* One node of a path. A list step is a node of its own: `a[b: c].d` has three. */
struct fx_location_step {
    enum fx_location_step_type type;
    struct fx_text name; /* OBJECT: the field; LIST: the key field */
    bool glob;           /* LIST: [name: *] */
    json_t *value;       /* LIST without glob: a string or integer node, counted */
    json_t **except;     /* LIST with glob: excluded keys, counted */
    size_t n_except;
};

/* Immutable: any thread may use it. */
struct fx_location {
    size_t n_steps;
    struct fx_location_step *steps;
    char *names; /* memory of the names */
};

/* The syntax of a location. */
enum fx_location_syntax {
    FX_LOCATION_GATEKEEPER, /* exactly spec section 1 */
    /* The same, and exclusions after a glob: `[name: * except "istio-proxy", proxy, 5]`,
     * one or more key values separated by commas. */
    FX_LOCATION_EXTENDED,
};

/* Parses `text`. A blank text gives a location without steps, which callers must
 * handle. The caller destroys *ret_location. Errors: FX_ESYNTAX with the message of
 * spec section 1.3 and the span of the faulty token (at the end of the text: the byte
 * after it); FX_ELIMIT over FX_LIMIT_LOCATION_BYTES or _NODES; FX_ENOMEM. */
bool fx_location_parse(struct fx_text text, enum fx_location_syntax syntax,
                       struct fx_location **ret_location, struct fx_err *err) FX_MUST_USE;

/* Frees the location; NULL is allowed. */
void fx_location_destroy(struct fx_location *location);

/* Append the printed form (spec section 1.4) of a location or of one step. Exclusions
 * can be parsed again; some names with special characters cannot, as in the spec. */
void fx_location_print(struct fx_buf *buf, const struct fx_location *location);
void fx_location_print_step(struct fx_buf *buf, const struct fx_location_step *step);

/* Compares type, name, glob flag, key value with its type, and exclusions in any order.
 */
bool fx_location_step_equal(const struct fx_location_step *a,
                            const struct fx_location_step *b);

/* True if the list step selects the element. The key must have the same type: neither "5"
 * nor 5.0 equals 5. A glob selects every element whose key it does not exclude, including
 * elements without the key and elements that are not objects. */
bool fx_location_step_names(const struct fx_location_step *step, const json_t *element);

/* True if the steps of `prefix` are the first steps of `location`. */
bool fx_location_has_prefix(const struct fx_location *location,
                            const struct fx_location *prefix);

/* ---- reading: a field that is missing or has another type has no value ------------ */

/* Returns the number of first steps that are equal (fx_location_step_equal). A glob
 * equals only a glob with the same exclusions. */
size_t fx_location_common(const struct fx_location *a, const struct fx_location *b);

/* Calls `visit` for every value that the steps from `from` on select below `node`, in the
 * order of the tree, until it returns false. `from` 0 starts at the root; after the last
 * step `node` itself is selected. A location that ends in a list selects all elements
 * with the key. Returns false if `visit` did, or if the thread's budget is exceeded
 * (base/budget.h), which the caller must check. */
bool fx_location_each(const struct fx_location *location, size_t from, json_t *node,
                      bool (*visit)(void *user, json_t *value), void *user);

/* Returns the first selected value, borrowed, or NULL. */
json_t *fx_location_first(const struct fx_location *location, size_t from, json_t *node);

#endif
