/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assigner.h - private: what Assign and AssignMetadata share: the
 * value that they write, which is a constant, a field of the object's metadata, what an
 * outside provider gives, or (in our own group) what stands elsewhere in the object.
 */
#ifndef FX_MUTATORS_GATEKEEPER_ASSIGNER_H
#define FX_MUTATORS_GATEKEEPER_ASSIGNER_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "engine/external.h"
#include "engine/input.h"
#include "mutators/gatekeeper/other_place.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/target.h"

enum source_type { SOURCE_VALUE, SOURCE_METADATA, SOURCE_EXTERNAL, SOURCE_OBJECT };

/* `spec.parameters.assign`. */
struct source {
    enum source_type type;
    const json_t *assign;  /* the node it was read from; for errors as it is compiled */
    json_t *value;         /* VALUE: the constant, counted */
    json_t *external_node; /* EXTERNAL: what holds its texts, counted */
    const char *metadata;  /* METADATA: the name of the field, a constant */
    struct fx_external external; /* EXTERNAL, */
    struct fx_input input;       /* likewise */
    bool asks_username;          /* EXTERNAL: not for what the present value stands for */
    struct other_place from;     /* OBJECT */
    bool only_strings;           /* OBJECT: nothing else may be written there */
};

/* Reads `assign` into a zeroed source, that of the target, whose location is parsed.
 * Exactly one must be set and sound. Errors: FX_EINVALID with the words of spec section
 * 3.2, and those of fx_source_read_object(). The source is to be finished. */
bool fx_source_compile(const struct policy *policy, struct target *target,
                       struct source *source, struct fx_err *err) FX_MUST_USE;
void fx_source_finish(struct source *source); /* zeroed ones are fine */

/* Reads `assign.externalData` into the source (spec section 3.2; the CRD's defaults, and
 * its rules where a file never met an API server). Errors: FX_EINVALID. */
bool fx_source_read_external(struct source *source, json_t *external,
                             struct fx_err *err) FX_MUST_USE;

/* What the setters below are given as `user`. */
struct setting {
    const struct source *source;
    const struct fx_request *request;
    struct finding *finding; /* of an OBJECT: what the last place had, zeroed at first */
};
struct finding {
    const json_t *key; /* fx_other_place_key() */
    json_t *value;     /* borrowed, or NULL */
    size_t n_nodes;    /* of it */
    size_t n_copied;   /* of all that was written in this walk */
};

/* The setter of an external source: a placeholder for the present text, or for the
 * username. */
bool fx_source_set_external(const void *user, const struct fx_write_position *place,
                            enum fx_write *ret_write, json_t **ret_value,
                            const char **ret_criterion, struct fx_err *err);

/* Reads `assign.fromObject` into the source: a location that leads to one value, neither
 * around nor within `location`. Errors: FX_EINVALID, FX_ESYNTAX (with the span),
 * FX_ELIMIT, FX_ENOMEM, with the field in front. */
bool fx_source_read_object(struct source *source, const struct policy *policy,
                           const struct fx_location *location,
                           struct fx_err *err) FX_MUST_USE;

/* The setter of such a source: the value itself, not a copy. Where there is none, or
 * null, it passes ("fromObject"). */
bool fx_source_set_object(const void *user, const struct fx_write_position *place,
                          enum fx_write *ret_write, json_t **ret_value,
                          const char **ret_criterion, struct fx_err *err);

/* Assign and AssignMetadata: they differ in what they accept. */
struct assigner {
    struct target target; /* first */
    struct source source;
};

/* The assigner that the target begins. */
struct assigner *fx_assigner_of(struct target *target);

/* Makes an assigner of the policy, and adds it. */
bool fx_assigner_add(const struct policy *policy, compile_target *compile,
                     struct fx_compilation *ret_compilation,
                     struct fx_err *err) FX_MUST_USE;

#endif
