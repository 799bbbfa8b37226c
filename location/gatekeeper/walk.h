/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/walk.h - private: one walk along a location, shared by write.c (the
 * way), write_end.c (what stands at its end) and place.c (copying on write).
 */
#ifndef FX_LOCATION_GATEKEEPER_WALK_H
#define FX_LOCATION_GATEKEEPER_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/budget.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"
#include "location/gatekeeper/location.h"
#include "location/gatekeeper/path_tests.h"
#include "location/gatekeeper/write.h"

#define UNITS_OF_ELEMENT 8u /* of a list, that a step names: visiting it */

/* What explains that nothing was applied (fx_written.criterion). */
#define CRITERION_PATH_TESTS "pathTests"
#define CRITERION_LOCATION   "location"

/* A node on the way. */
struct place {
    json_t *node;
    bool owned;    /* seen by nobody else: it and all above it, up to what is detached */
    bool detached; /* new or copied: its reference is ours until a parent holds it */
    bool made;     /* new: nothing stood there */
};

struct walk {
    const struct fx_location *location;
    const struct fx_path_tests *tests;
    const struct fx_setter *setter;
    struct place **places; /* the way to here, one for each step so far */
    json_t **nodes;        /* room for the nodes of the whole way */
    const char *criterion; /* the first that stood against a place, or NULL */
    bool changed;
    size_t depth; /* of what changed: fx_written.depth; more than steps: nothing yet */
    struct fx_err *err;
};

struct place fx_place_of_child(const struct place *parent, json_t *child);
struct place fx_place_of_new(json_t *node); /* takes the reference */

/* Drops what no parent holds. */
void fx_place_drop(struct place *place);

/* Has anybody taken a reference to a node of the way, so that it is no longer ours? */
void fx_place_recheck(struct place *const *places, size_t n_places);

/* Each makes the place writable first, and consumes `value`. On failure the caller still
 * drops the place. */
bool fx_place_put_key(struct walk *walk, struct place *object, struct fx_text key,
                      json_t *value) FX_MUST_USE;
bool fx_place_put_index(struct walk *walk, struct place *list, size_t index,
                        json_t *value) FX_MUST_USE;
bool fx_place_put_last(struct walk *walk, struct place *list, json_t *value) FX_MUST_USE;
bool fx_place_remove_key(struct walk *walk, struct place *object,
                         struct fx_text key) FX_MUST_USE;
bool fx_place_remove_index(struct walk *walk, struct place *list,
                           size_t index) FX_MUST_USE;

/* Puts a new node in the place of the old, and takes its reference. */
void fx_place_replace(struct walk *walk, struct place *place, json_t *node);

/* Does the path test of this depth let the walk go on? If not, that is noted. */
bool fx_walk_passes(struct walk *walk, size_t depth, bool exists);

/* Pays for looking at so many elements. False (FX_EDEADLINE, FX_ELIMIT) where the
 * thread's budget is exceeded. */
FX_MUST_USE static inline bool fx_walk_spend(const struct walk *walk, size_t elements) {
    return fx_spend(elements) || fx_fail_exceeded(walk->err);
}

/* Notes what stood against a place; NULL notes nothing. */
void fx_walk_note(struct walk *walk, const char *criterion);

/* Notes that step `depth` makes another field, or another list, of what stood there. */
void fx_walk_note_change(struct walk *walk, size_t depth);

/* The last step: lets the setter decide, and writes. *ret_applied becomes true where it
 * ran and did not pass. */
bool fx_walk_end_in_object(struct walk *walk, struct place *object,
                           bool *ret_applied) FX_MUST_USE;
bool fx_walk_end_in_list(struct walk *walk, struct place *list,
                         bool *ret_applied) FX_MUST_USE;

#endif
