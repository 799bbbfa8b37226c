/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/match.h - private: `spec.match` and `spec.applyTo` (spec
 * sections 3.3 and 4).
 */
#ifndef FX_MUTATORS_GATEKEEPER_MATCH_H
#define FX_MUTATORS_GATEKEEPER_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/mutator.h"
#include "engine/request.h"
#include "engine/unmarshal.h"

struct fx_match;    /* opaque, immutable once made */
struct fx_apply_to; /* opaque, immutable once made */

/* The criteria that a match may have. */
enum fx_match_syntax {
    FX_MATCH_GATEKEEPER, /* exactly the criteria of spec section 4 */
    /* The same and `annotationSelector`: a label selector for annotations, whose values
     * may be any text. It is evaluated after namespaceSelector and before name. */
    FX_MATCH_EXTENDED,
};

/* Compiles `spec.match`; NULL or null matches every object. Holds references to parts of
 * `match`, which must not be written afterwards. Values of a wrong type are refused with
 * the error of Go's encoding/json (`json: cannot unmarshal … into Go struct field …`,
 * FX_EINVALID, node: the value). Invalid selectors and sources are errors of
 * fx_match_eval(), as in Gatekeeper. An invalid annotationSelector is refused here:
 * "spec.match.annotationSelector: …". */
bool fx_match_compile(const json_t *match, enum fx_match_syntax syntax,
                      struct fx_match **ret_match, struct fx_err *err) FX_MUST_USE;
void fx_match_destroy(struct fx_match *match); /* NULL is fine */

/* Finds out whether the object matches. Evaluates the criteria in the order of the spec;
 * `ret_verdict` names the first that does not hold. Errors: FX_EMUTATE, "failed to run
 * Match criteria: …". */
bool fx_match_eval(const struct fx_match *match, const struct fx_request *request,
                   const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                   struct fx_err *err) FX_MUST_USE;

/* Checks that every criterion can be evaluated. If one cannot, the error is FX_EMUTATE
 * with the message that fx_match_eval() gives for the first such criterion (node: the
 * source, or the faulty part of the selector). As in Gatekeeper such a policy is accepted
 * nevertheless, and fails for the objects that no earlier criterion excludes. Other
 * errors: FX_ENOMEM. */
bool fx_match_check(const struct fx_match *match, struct fx_err *err) FX_MUST_USE;

/* True if the result depends on the object's labels or on its annotations. No other field
 * that a mutator may write changes the result, except the object's type. */
bool fx_match_asks_labels(const struct fx_match *match);
bool fx_match_asks_annotations(const struct fx_match *match);

/* Returns the names of `namespaces` if all are exact (no globs): objects of other
 * namespaces do not match. *ret_count is 0 if the namespaces are not restricted in this
 * way. */
const struct fx_text *fx_match_exact_namespaces(const struct fx_match *match,
                                                size_t *ret_count);

/* Compiles `spec.applyTo` of the mutator `name` of `kind`, with the rules and messages of
 * spec section 3.2. Holds references to parts of `apply_to`, which must not be written
 * afterwards. Errors: FX_EINVALID, FX_ELIMIT, FX_ENOMEM. */
bool fx_apply_to_compile(const json_t *apply_to, const char *kind, struct fx_text name,
                         struct fx_apply_to **ret_apply_to,
                         struct fx_err *err) FX_MUST_USE;
void fx_apply_to_destroy(struct fx_apply_to *apply_to); /* NULL is fine */

/* Returns the number of types that these lists of an entry name, but at most
 * FX_LIMIT_APPLY_TO_BINDINGS + 1. */
size_t fx_apply_to_count(const struct fx_text_list *groups,
                         const struct fx_text_list *versions,
                         const struct fx_text_list *kinds);

/* Compiles `spec.operations` of the mutator `name` of `kind` into a binding of any object
 * under these operations. The list has the form and the rules of the one in applyTo.
 * Errors: FX_EINVALID ("invalid operations for AssignMetadata mutator a: invalid
 * operation \"DELETE\" in spec.operations: must be one of CREATE, UPDATE, *"),
 * FX_ENOMEM. */
bool fx_operations_compile(json_t *operations, const char *kind, struct fx_text name,
                           struct fx_binding *ret_binding,
                           struct fx_err *err) FX_MUST_USE;

/* True if the binding contains the request's operation. */
bool fx_operations_hold(const struct fx_binding *binding,
                        const struct fx_request *request);

/* True if an entry contains the object's own group, version and kind, and the
 * operation. */
bool fx_apply_to_holds(const struct fx_apply_to *apply_to,
                       const struct fx_request *request,
                       const struct fx_subject *subject);

/* Returns every (group, version, kind) with its operations, for the index and for
 * conflicts. Borrowed; lives as long as `apply_to`. */
const struct fx_binding *fx_apply_to_bindings(const struct fx_apply_to *apply_to,
                                              size_t *ret_count);

#endif
