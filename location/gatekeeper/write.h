/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/write.h - writes the values that a location selects in an object
 * (spec section 3.4), copying on write.
 */
#ifndef FX_LOCATION_GATEKEEPER_WRITE_H
#define FX_LOCATION_GATEKEEPER_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "location/gatekeeper/location.h"
#include "location/gatekeeper/path_tests.h"

/* What happens to the value at the end of the location. */
enum fx_write {
    FX_WRITE_KEEP,   /* unchanged (absent stays absent) */
    FX_WRITE_SET,    /* the new value */
    FX_WRITE_REMOVE, /* the key, or the list element, is removed */
    FX_WRITE_PASS,   /* skip this value, as if a path test had failed */
};

/* One position that the location selects. */
struct fx_write_position {
    json_t *old; /* the current value, borrowed, or NULL */
    /* The parents: nodes[i] is the node in which step i was looked up, nodes[0] is the
     * root. There are as many as steps; borrowed, read-only. Nodes that the walk has just
     * created have no parent yet. The upper nodes may or may not show what the walk wrote
     * at earlier positions of the same glob. */
    json_t *const *nodes;
    size_t n_there; /* the first n_there nodes existed; the walk created the others */
};

/* Decides the new value at a position. */
struct fx_setter {
    /* For FX_WRITE_SET, *ret_value is a new reference to a value of the policy, which is
     * not copied, or to a node of the object. A node that is a parent of this position is
     * copied before it is written. For FX_WRITE_PASS, *ret_criterion (NULL before the
     * call) may be set to a constant text, the reason. `user` is that of this struct. */
    bool (*set)(const void *user, const struct fx_write_position *position,
                enum fx_write *ret_write, json_t **ret_value, const char **ret_criterion,
                struct fx_err *err);
    const void *user;
    /* True if `set` never returns FX_WRITE_SET. Then nothing is created, `set` is called
     * only for existing values, and a location that ends in a list selects every element
     * with the key, or with a glob every element that is not excluded. */
    bool removes;
};

/* The result of a write. */
struct fx_written {
    bool applied; /* the setter was called and did not return PASS */
    bool changed; /* the object differs */
    /* If nothing was applied, the first reason: "pathTests", "location" (a glob selects
     * no element, or there is nothing to remove), or the reason of the setter. NULL if
     * something was applied, or if the setter gave no reason. */
    const char *criterion;
    /* If `changed`, all changes are below the first `depth` steps, and `depth` is at
     * least 1. Adding or removing an element is a change of its list. */
    size_t depth;
};

/* Calls the setter at every position that the location selects in *root. Missing parents
 * are created as in spec section 3.4, and kept only if the setter was applied. An equal
 * value is not written, so equal subtrees stay shared; shared nodes are copied, never
 * changed. `tests` may be NULL. A location that ends in a list selects the first element
 * with its key, accepts only objects that have this key, and must not end in a glob;
 * fx_setter describes setters that remove. On failure *root may be partly written: the
 * caller drops it. Errors: FX_EMUTATE with the message of the spec, FX_ENOMEM. */
bool fx_location_write(const struct fx_location *location,
                       const struct fx_path_tests *tests, const struct fx_setter *setter,
                       json_t **root, struct fx_written *ret_written,
                       struct fx_err *err) FX_MUST_USE;

#endif
