/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/write.h - walking a location through an object and writing at its
 * end (spec section 3.4), copying on write.
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

/* What becomes of the value at the end of the location. */
enum fx_write {
    FX_WRITE_KEEP,   /* as it is (absent stays absent) */
    FX_WRITE_SET,    /* the new value */
    FX_WRITE_REMOVE, /* gone: the key, or the list element */
    FX_WRITE_PASS,   /* this place is none of ours: as if a path test had failed */
};

/* One place that the location names. */
struct fx_write_position {
    json_t *old; /* what is there, borrowed, or NULL */
    /* The way to it: nodes[i] is what step i of the location was looked for in, so
     * nodes[0] is the root. As many as the location has steps; borrowed, only to be read.
     * Nodes that the walk has just made are in no parent yet, and what it wrote at
     * earlier places of the same glob may or may not be seen through the nodes above. */
    json_t *const *nodes;
    size_t n_there; /* so many of the nodes stood there; the walk has made the others */
};

/* Decides the new value of one place. */
struct fx_setter {
    /* On FX_WRITE_SET *ret_value is a new reference (a policy's own value is given by
     * reference, never copied; a node of the object itself will do too, even one that the
     * place lies in: the write is then made to a copy). On FX_WRITE_PASS *ret_criterion,
     * NULL before, may be set to the constant that says why. `user` is this struct's. */
    bool (*set)(const void *user, const struct fx_write_position *place,
                enum fx_write *ret_write, json_t **ret_value, const char **ret_criterion,
                struct fx_err *err);
    const void *user;
    /* It never answers FX_WRITE_SET: nothing is created on the way, it is asked only
     * where something is, and a location that ends in a list names every element with the
     * key, or of a glob every element that is not excepted. */
    bool removes;
};

/* What a walk did. */
struct fx_written {
    bool applied; /* the setter ran somewhere (and did not pass) */
    bool changed; /* the tree differs */
    /* Where it was applied nowhere, the first thing on the walk that stood against it:
     * "pathTests", "location" (a glob names no element, or there is nothing to remove),
     * or what the setter said; NULL where it passed without a word. NULL where applied.
     */
    const char *criterion;
    /* Where it changed something: all of it lies in what the first so many steps lead to,
     * seen as fields (an element more or less is a change of its list). Never 0 then. */
    size_t depth;
};

/* Runs the setter at every place the location names in *root, creating what is missing
 * on the way as spec section 3.4 says: parents are kept only where the setter ran. An
 * equal value is not written, so equal subtrees stay shared; nodes that others hold are
 * copied, never written. `tests` may be NULL. A location that ends in a list names the
 * first element of its key, takes only objects that have this key, and may not end in a
 * glob; for a setter that removes see there: in a list by key it, too, takes only
 * objects.
 *
 * On failure *root may be half written: the caller drops it. Errors: FX_EMUTATE with the
 * words of the spec, FX_ENOMEM. */
bool fx_location_write(const struct fx_location *location,
                       const struct fx_path_tests *tests, const struct fx_setter *setter,
                       json_t **root, struct fx_written *ret_written,
                       struct fx_err *err) FX_MUST_USE;

#endif
