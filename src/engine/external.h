/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/external.h - values that an outside provider gives (spec section 7). A mutator
 * that wants one writes a placeholder; what the loop leaves of them is asked for after
 * convergence, all at once.
 */
#ifndef FX_ENGINE_EXTERNAL_H
#define FX_ENGINE_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/macros.h"
#include "base/text.h"

/* What becomes of a placeholder whose value cannot be had. */
#define FX_EXTERNAL_FAILURES(X)                                   \
    X(FAIL, "Fail")              /* the request fails */          \
    X(IGNORE, "Ignore")          /* the key stays as the value */ \
    X(USE_DEFAULT, "UseDefault") /* the default is the value */

enum fx_external_failure {
#define X(name, text) FX_EXTERNAL_##name,
    FX_EXTERNAL_FAILURES(X)
#undef X
};

/* What a mutator asks for. Immutable, part of the mutator. */
struct fx_external {
    struct fx_text provider;
    enum fx_external_failure on_failure;
    struct fx_text fallback; /* the default */
};

/* One placeholder: ask for `key`. */
struct fx_placeholder {
    const struct fx_external *external;
    struct fx_text key;
};

struct fx_placeholders; /* opaque: those of one review */

/* Makes the register. NULL without memory. */
struct fx_placeholders *fx_placeholders_create(void) FX_MUST_USE;
void fx_placeholders_destroy(struct fx_placeholders *placeholders); /* NULL is fine */

/* The node that stands for the value of `key`: a new reference, the same node each time
 * it is asked for, so that a pass that writes it again changes nothing. An input can look
 * like it, but is never taken for it: only nodes made here are found below. `external`
 * outlives the register. NULL without memory. */
json_t *fx_placeholders_make(struct fx_placeholders *placeholders,
                             const struct fx_external *external,
                             struct fx_text key) FX_MUST_USE;

/* Is the node a placeholder? Its facts are borrowed from the register. NULL holds none.
 */
bool fx_placeholders_find(const struct fx_placeholders *placeholders, const json_t *node,
                          struct fx_placeholder *ret_placeholder);

/* What stands for a placeholder in a message: a new reference; NULL without memory. */
typedef json_t *fx_placeholder_words(const struct fx_placeholder *placeholder);

/* The value with words in place of each placeholder within: a new reference, the value
 * itself where no placeholder has been made. NULL of NULL, and without memory. NULL
 * holds none. */
json_t *fx_placeholders_reveal(const struct fx_placeholders *placeholders, json_t *value,
                               fx_placeholder_words *words) FX_MUST_USE;

/* Has any been made? */
bool fx_placeholders_exist(const struct fx_placeholders *placeholders);

#endif
