/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/write.h - walking a location through an object and writing at its
 * end (spec section 3.4), copying on write.
 */
#ifndef FX_LOCATION_GATEKEEPER_WRITE_H
#define FX_LOCATION_GATEKEEPER_WRITE_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "base/macros.h"
#include "location/gatekeeper/location.h"
#include "location/gatekeeper/path_tests.h"

/* What becomes of the value at the end of the location. */
enum fx_write {
    FX_WRITE_KEEP,   /* as it is (absent stays absent) */
    FX_WRITE_SET,    /* the new value */
    FX_WRITE_REMOVE, /* gone: the key, or the list element */
};

/* Decides the new value of one place. */
struct fx_setter {
    /* `old`: what is there, borrowed, or NULL. On FX_WRITE_SET *ret_value is a new
     * reference (a policy's own value is given by reference, never copied). `self` is
     * this struct's `user`. */
    bool (*set)(const void *user, json_t *old, enum fx_write *ret_write,
                json_t **ret_value, struct fx_err *err);
    const void *user;
};

/* What a walk did. */
struct fx_written {
    bool applied; /* the setter ran somewhere */
    bool changed; /* the tree differs */
};

/* Runs the setter at every place the location names in *root, creating what is missing
 * on the way as spec section 3.4 says: parents are kept only where the setter ran. An
 * equal value is not written, so equal subtrees stay shared; nodes that others hold are
 * copied, never written. `tests` may be NULL. A location that ends in a list names the
 * first element of its key, and takes only objects that have this key.
 *
 * On failure *root may be half written: the caller drops it. Errors: FX_EMUTATE with the
 * words of the spec, FX_ENOMEM. */
bool fx_location_write(const struct fx_location *location,
                       const struct fx_path_tests *tests, const struct fx_setter *setter,
                       json_t **root, struct fx_written *ret_written,
                       struct fx_err *err) FX_MUST_USE;

#endif
