/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assigner.h - private: the common part of Assign and AssignMetadata:
 * the value that they write, which is a constant, a field of the object's metadata, a
 * value from a provider, or (in Fixpoint's own group) the value of another field of the
 * object.
 */
#ifndef FX_MUTATORS_GATEKEEPER_ASSIGNER_H
#define FX_MUTATORS_GATEKEEPER_ASSIGNER_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/external.h"
#include "engine/input.h"
#include "mutators/gatekeeper/other_location.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/target.h"

enum source_type { SOURCE_VALUE, SOURCE_METADATA, SOURCE_EXTERNAL, SOURCE_OBJECT };

/* `spec.parameters.assign`. */
struct source {
    enum source_type type;
    const json_t *assign;  /* the node it was read from, for errors during compilation */
    json_t *value;         /* VALUE: the constant, counted */
    json_t *external_node; /* EXTERNAL: the node with its texts, counted */
    const char *metadata;  /* METADATA: the name of the field, a constant */
    struct fx_external external; /* EXTERNAL */
    struct fx_input input;       /* EXTERNAL */
    bool asks_username; /* EXTERNAL: ask for the username, not for the present value */
    struct other_location from; /* OBJECT */
    bool only_strings;          /* OBJECT: only strings may be written there */
};

/* Reads `assign` into a zeroed source, that of the target, whose location is parsed.
 * Exactly one field must be set and valid. Errors: FX_EINVALID with the messages of spec
 * section 3.2, and those of fx_source_read_object(). The caller finishes the source in
 * any case. */
bool fx_source_compile(const struct policy *policy, struct target *target,
                       struct source *source, struct fx_err *err) FX_MUST_USE;
void fx_source_finish(struct source *source); /* zeroed ones are fine */

/* The `user` of the setters below. */
struct setting {
    const struct source *source;
    const struct fx_request *request;
    struct finding *finding; /* OBJECT: the value at the last position; zeroed at first */
};
struct finding {
    const json_t *key; /* fx_other_location_key() */
    json_t *value;     /* the value, borrowed, or NULL */
    size_t n_nodes;    /* the number of nodes of `value` */
    size_t n_copied;   /* the number of nodes of all values that this walk wrote */
};

/* Reads `assign.fromObject` into the source: a location of one value; neither location
 * may contain the other. Errors: FX_EINVALID, FX_ESYNTAX (with the span), FX_ELIMIT,
 * FX_ENOMEM, with the name of the field as a prefix. */
bool fx_source_read_object(struct source *source, const struct policy *policy,
                           const struct fx_location *location,
                           struct fx_err *err) FX_MUST_USE;

/* The setter of a source read by fx_source_read_object(). It sets the value itself, not a
 * copy. If the value is missing or null, it passes ("fromObject"). */
bool fx_source_set_object(const void *user, const struct fx_write_position *position,
                          enum fx_write *ret_write, json_t **ret_value,
                          const char **ret_criterion, struct fx_err *err);

/* An Assign or AssignMetadata; they differ in the values that they accept. */
struct assigner {
    struct target target; /* first */
    struct source source;
};

/* Returns the assigner that begins with this target. */
struct assigner *fx_assigner_of(struct target *target);

/* Compiles the policy into an assigner, and adds it to the compilation. */
bool fx_assigner_add(const struct policy *policy, compile_target *compile,
                     struct fx_compilation *ret_compilation,
                     struct fx_err *err) FX_MUST_USE;

#endif
