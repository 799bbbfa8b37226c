/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/match.h - Gatekeeper's `spec.match` and `applyTo` (spec
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

struct fx_match;    /* opaque, immutable once made */
struct fx_apply_to; /* likewise */

/* Which criteria there are. */
enum fx_match_syntax {
    FX_MATCH_GATEKEEPER, /* spec section 4, to the letter */
    /* Those, and `annotationSelector`: a label selector over annotations, whose values
     * are any texts. It is asked behind namespaceSelector and before name. */
    FX_MATCH_EXTENDED,
};

/* Compiles `spec.match` (NULL or null: matches everything). Parts of it are counted, so
 * it must not be written any more. Wrong types are refused with Go's words
 * (`json: cannot unmarshal … into Go struct field …`, FX_EINVALID, node: the value at
 * fault); what Gatekeeper notices only on an object (bad selectors, sources) is kept and
 * noticed then. An annotationSelector that Kubernetes would not take is refused at once:
 * "spec.match.annotationSelector: …". */
bool fx_match_compile(const json_t *match, enum fx_match_syntax syntax,
                      struct fx_match **ret_match, struct fx_err *err) FX_MUST_USE;
void fx_match_destroy(struct fx_match *match); /* NULL is fine */

/* Does the object match? Criteria in the order of the spec, the first false one named in
 * `ret_verdict`. Errors: FX_EMUTATE, "failed to run Match criteria: …". */
bool fx_match_eval(const struct fx_match *match, const struct fx_request *request,
                   const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                   struct fx_err *err) FX_MUST_USE;

/* Can every criterion be answered? Otherwise the first one that only ever fails, with
 * the very words of fx_match_eval() (FX_EMUTATE; node: the source, or what is at fault in
 * the selector). It is no error of the policy: Gatekeeper takes it, and fails on the
 * objects that no earlier criterion turns away. Errors of our own: FX_ENOMEM. */
bool fx_match_check(const struct fx_match *match, struct fx_err *err) FX_MUST_USE;

/* Does the answer depend on the object's labels, its annotations? On nothing else that a
 * mutator writes, but for the object's type. */
bool fx_match_asks_labels(const struct fx_match *match);
bool fx_match_asks_annotations(const struct fx_match *match);

/* The names of `namespaces` where all are exact (no globs): the mutator can be left out
 * of account for objects elsewhere. *ret_count is 0 where there is no such restriction.
 */
const struct fx_text *fx_match_exact_namespaces(const struct fx_match *match,
                                                size_t *ret_count);

/* Compiles `spec.applyTo` of the mutator `name` of `kind`; the rules and words of spec
 * section 3.2. Parts of it are counted, so it must not be written any more. Errors:
 * FX_EINVALID, FX_ELIMIT, FX_ENOMEM. */
bool fx_apply_to_compile(const json_t *apply_to, const char *kind, struct fx_text name,
                         struct fx_apply_to **ret_apply_to,
                         struct fx_err *err) FX_MUST_USE;
void fx_apply_to_destroy(struct fx_apply_to *apply_to); /* NULL is fine */

/* Compiles `spec.operations` of the mutator `name` of `kind`, a list as applyTo has it,
 * by the same rules, into a binding of any object under these operations. Errors:
 * FX_EINVALID ("invalid operations for AssignMetadata mutator a: invalid operation
 * \"DELETE\" in spec.operations: must be one of CREATE, UPDATE, *"), FX_ENOMEM. */
bool fx_operations_compile(json_t *operations, const char *kind, struct fx_text name,
                           struct fx_binding *ret_binding,
                           struct fx_err *err) FX_MUST_USE;

/* Does the binding hold the request's operation? */
bool fx_operations_hold(const struct fx_binding *binding,
                        const struct fx_request *request);

/* Does an entry hold the object's own group, version and kind, and the operation? */
bool fx_apply_to_holds(const struct fx_apply_to *apply_to,
                       const struct fx_request *request,
                       const struct fx_subject *subject);

/* Every (group, version, kind) with its operations, for the index and for conflicts;
 * borrowed, lives as long as `apply_to`. */
const struct fx_binding *fx_apply_to_bindings(const struct fx_apply_to *apply_to,
                                              size_t *ret_count);

#endif
