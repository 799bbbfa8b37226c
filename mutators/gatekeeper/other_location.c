/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/other_location.c - a second location of a policy.
 */
#include "mutators/gatekeeper/other_location.h"

#include "location/gatekeeper/location.h"

static bool has_glob(const struct fx_location *location, size_t n_steps) {
    for (size_t i = 0; i < n_steps; i++) {
        if (location->steps[i].glob) {
            return true;
        }
    }
    return false;
}

bool fx_other_location_parse(struct fx_text text, enum fx_location_syntax syntax,
                             const struct fx_location *seen_from,
                             struct other_location *ret_other, struct fx_err *err) {
    struct fx_location *location = NULL;
    if (!fx_location_parse(text, syntax, &location, err)) {
        return false;
    }
    if (location->n_steps == 0) {
        fx_location_destroy(location);
        return fx_fail(err, FX_EINVALID, "empty path");
    }
    const size_t n_shared = fx_location_common(location, seen_from);
    *ret_other = (struct other_location){
        .location = location,
        .seen_from = seen_from,
        .n_shared = n_shared,
        .varies = has_glob(location, n_shared),
    };
    return true;
}

void fx_other_location_finish(struct other_location *other) {
    fx_location_destroy(other->location);
    *other = (struct other_location){0};
}

json_t *fx_other_location_start(const struct other_location *other,
                                const struct fx_write_position *position) {
    if (other->n_shared == other->seen_from->n_steps) {
        return position->old;
    }
    return other->n_shared < position->n_there ? position->nodes[other->n_shared] : NULL;
}

/* Returns the node at which the locations diverge. If that is an element of a list,
 * returns the object that holds the list: the list is replaced by its copy with the first
 * write to it, but the object only after the last element. */
const json_t *fx_other_location_key(const struct other_location *other,
                                    const struct fx_write_position *position) {
    const size_t at = other->n_shared;
    if (at == other->seen_from->n_steps || at >= position->n_there) {
        return NULL;
    }
    const bool in_list = other->seen_from->steps[at].type == FX_LOCATION_LIST;
    return position->nodes[in_list ? at - 1 : at];
}
