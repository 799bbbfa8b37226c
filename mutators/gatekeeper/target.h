/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/target.h - private: the common part of all kinds: the objects
 * (match, applyTo), the location with its path tests, and conditions. The struct of each
 * kind begins with it.
 */
#ifndef FX_MUTATORS_GATEKEEPER_TARGET_H
#define FX_MUTATORS_GATEKEEPER_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/access.h"
#include "engine/dialect.h"
#include "engine/mutator.h"
#include "location/gatekeeper/location.h"
#include "location/gatekeeper/path_tests.h"
#include "location/gatekeeper/write.h"
#include "mutators/gatekeeper/conditions.h"
#include "mutators/gatekeeper/match.h"
#include "mutators/gatekeeper/policy.h"

struct target {
    struct fx_mutator mutator; /* first: the engine sees only this */
    struct fx_location *location;
    struct fx_path_tests *tests;  /* or NULL */
    bool has_path_tests;          /* the policy itself has `parameters.pathTests` */
    struct fx_apply_to *apply_to; /* NULL for a kind without it */
    struct fx_match *match;
    struct conditions conditions;
    const struct fx_location
        *from;           /* the location of the value that it writes; borrowed, or NULL */
    bool uses_old_value; /* the new value depends on the old one */
    enum fx_access_type type;     /* the type of the value at the end of the location */
    bool must_terminate;          /* no other mutator may write below that value */
    struct fx_binding operations; /* `spec.operations`, for a kind without applyTo */
    bool has_operations;
};

/* Frees the content of the target, even if it is incomplete, but not the target
 * itself. */
void fx_target_finish(struct target *target);

/* Validates the kind's own fields and sets the rest of the kind's struct. The head of the
 * target and `match` are already set. */
typedef bool compile_target(struct target *target, const struct policy *policy,
                            struct fx_err *err);

/* Compiles the policy into a mutator, a zeroed struct of `size` bytes that begins with a
 * target, and adds it to the compilation. Warns about a match that always fails, about
 * globs with a literal `*`, and about path tests that never hold. `ops` destroys the
 * struct, even if it is incomplete. Errors: those of `compile`, which parses the
 * location, then those of fx_conditions_compile(); FX_EINVALID (wrong types within match;
 * a name over 63 bytes), FX_ENOMEM. */
bool fx_target_add(const struct policy *policy, size_t size,
                   const struct fx_mutator_ops *ops, compile_target *compile,
                   struct fx_compilation *ret_compilation,
                   struct fx_err *err) FX_MUST_USE;

/* Parses `spec.location`. On failure the error has the node, the span, and the parser's
 * message; each kind adds its own prefix. */
bool fx_target_parse_location(struct target *target, const struct policy *policy,
                              struct fx_err *err) FX_MUST_USE;

/* Like fx_target_parse_location(), with the prefix of all kinds except one: "invalid
 * location format `spec.` for Assign a: …". `kind` is the name of the kind in such
 * messages. */
bool fx_target_parse_location_of(struct target *target, const struct policy *policy,
                                 const char *kind, struct fx_err *err) FX_MUST_USE;

/* Returns the text of `spec.location`; NULL or "" if it is missing. */
const json_t *fx_target_location_node(const struct policy *policy);
struct fx_text fx_target_location_text(const struct policy *policy);

/* Check the parsed location (spec section 3.2); several kinds share these checks. The
 * location must not be in metadata ("assign a can't change metadata", `kind` as above),
 * must not be empty, and must not be the key by which it selects a list element. Errors:
 * FX_EINVALID. */
bool fx_target_check_metadata(const struct target *target, const struct policy *policy,
                              const char *kind, struct fx_err *err) FX_MUST_USE;
bool fx_target_check_key(const struct target *target, const struct policy *policy,
                         struct fx_err *err) FX_MUST_USE;

/* True for one label or annotation: metadata.labels.x, metadata.annotations.x. */
bool fx_target_is_label(const struct fx_location *location);

/* Returns the last step of the location; NULL if it is empty. */
const struct fx_location_step *fx_target_last_step(const struct target *target);

/* The engine's access slot for every kind. */
void fx_target_access(const struct fx_mutator *self, struct fx_access *access);

/* Compiles `spec.parameters.pathTests`. The location must be parsed before. */
bool fx_target_compile_path_tests(struct target *target, const struct policy *policy,
                                  struct fx_err *err) FX_MUST_USE;

/* Compiles `spec.applyTo`. */
bool fx_target_compile_apply_to(struct target *target, const struct policy *policy,
                                struct fx_err *err) FX_MUST_USE;

/* Compiles `spec.operations` of Fixpoint's own group: the operations for which the
 * mutator acts. */
bool fx_target_compile_operations(struct target *target, const struct policy *policy,
                                  struct fx_err *err) FX_MUST_USE;

/* The engine's match slot for every kind. */
bool fx_target_match(const struct fx_mutator *self, const struct fx_request *request,
                     const struct fx_subject *subject, struct fx_verdict *ret_verdict,
                     struct fx_err *err);

/* The engine's example slot for every kind (example.c). */
json_t *fx_target_example(const struct fx_mutator *self, struct fx_err *err);

/* The engine's explain slot for every kind (explain.c). */
void fx_target_explain(const struct fx_mutator *self, const char *criterion,
                       struct fx_criterion *ret_criterion);

/* The slots that are the same for every kind. */
#define TARGET_OPS                                                                      \
    .match = fx_target_match, .access = fx_target_access, .example = fx_target_example, \
    .operations = "applyTo.operations", .explain = fx_target_explain

/* Calls the setter at each position of the location at which the conditions hold: the
 * last part of every kind's apply function. */
bool fx_target_write(const struct target *target, const struct fx_setter *setter,
                     json_t **root, struct fx_effect *ret_effect,
                     struct fx_err *err) FX_MUST_USE;

#endif
