/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/external.h - values from an external provider (spec section 7). A mutator that
 * needs one writes a placeholder. After convergence, the placeholders that are left in
 * the object are resolved in one step.
 */
#ifndef FX_ENGINE_EXTERNAL_H
#define FX_ENGINE_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

/* What replaces a placeholder whose value the provider did not give. */
#define FX_EXTERNAL_FAILURES(X)                                   \
    X(FAIL, "Fail")              /* the request fails */          \
    X(IGNORE, "Ignore")          /* the key stays as the value */ \
    X(USE_DEFAULT, "UseDefault") /* the default is the value */

enum fx_external_failure {
#define X(name, text) FX_EXTERNAL_##name,
    FX_EXTERNAL_FAILURES(X)
#undef X
};

/* The request of a mutator. Immutable, part of the mutator. */
struct fx_external {
    struct fx_text provider;
    enum fx_external_failure on_failure;
    struct fx_text fallback; /* the default value */
};

/* One placeholder: the provider is asked for `key`. */
struct fx_placeholder {
    const struct fx_external *external;
    struct fx_text key;
};

struct fx_placeholders; /* opaque: all placeholders of one review */

/* Makes an empty set. NULL without memory. */
struct fx_placeholders *fx_placeholders_create(void) FX_MUST_USE;
void fx_placeholders_destroy(struct fx_placeholders *placeholders); /* NULL is fine */

/* Returns the placeholder for the value of `key`: a new reference to one node for each
 * request and key, so that a pass that writes it again changes nothing. An equal node of
 * an input is not a placeholder: fx_placeholders_find() compares addresses. `external`
 * must outlive the set. NULL without memory. */
json_t *fx_placeholders_make(struct fx_placeholders *placeholders,
                             const struct fx_external *external,
                             struct fx_text key) FX_MUST_USE;

/* Is the node a placeholder? *ret_placeholder is borrowed from the set. `placeholders`
 * may be NULL, which is an empty set. */
bool fx_placeholders_find(const struct fx_placeholders *placeholders, const json_t *node,
                          struct fx_placeholder *ret_placeholder);

/* Makes the text that is printed for a placeholder. Returns a new reference; NULL without
 * memory. */
typedef json_t *fx_placeholder_text(const struct fx_placeholder *placeholder);

/* Returns the value with a text in place of each placeholder in it: a new reference, to
 * the value itself if the set is empty or NULL. NULL if `value` is NULL, and without
 * memory. */
json_t *fx_placeholders_reveal(const struct fx_placeholders *placeholders, json_t *value,
                               fx_placeholder_text *text) FX_MUST_USE;

/* Does the set have any placeholder? `placeholders` may be NULL. */
bool fx_placeholders_exist(const struct fx_placeholders *placeholders);

#endif
