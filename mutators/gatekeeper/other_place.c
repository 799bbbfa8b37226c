/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/other_place.c - locations beside `spec.location`.
 */
#include "mutators/gatekeeper/other_place.h"

#include "location/gatekeeper/location.h"

static bool has_glob(const struct fx_location *location, size_t n_steps) {
    for (size_t i = 0; i < n_steps; i++) {
        if (location->steps[i].glob) {
            return true;
        }
    }
    return false;
}

bool fx_other_place_parse(struct fx_text text, enum fx_location_syntax syntax,
                          const struct fx_location *seen_from,
                          struct other_place *ret_other, struct fx_err *err) {
    struct fx_location *location = NULL;
    if (!fx_location_parse(text, syntax, &location, err)) {
        return false;
    }
    if (location->n_steps == 0) {
        fx_location_destroy(location);
        return fx_fail(err, FX_EINVALID, "empty path");
    }
    const size_t n_shared = fx_location_common(location, seen_from);
    *ret_other = (struct other_place){
        .location = location,
        .seen_from = seen_from,
        .n_shared = n_shared,
        .varies = has_glob(location, n_shared),
    };
    return true;
}

void fx_other_place_finish(struct other_place *other) {
    fx_location_destroy(other->location);
    *other = (struct other_place){0};
}

json_t *fx_other_place_start(const struct other_place *other,
                             const struct fx_write_position *place) {
    if (other->n_shared == other->seen_from->n_steps) {
        return place->old;
    }
    return other->n_shared < place->n_there ? place->nodes[other->n_shared] : NULL;
}

/* A list is replaced by its copy with the first write to it; the object that holds it
 * only when all of its elements are done. */
const json_t *fx_other_place_key(const struct other_place *other,
                                 const struct fx_write_position *place) {
    const size_t at = other->n_shared;
    if (at == other->seen_from->n_steps || at >= place->n_there) {
        return NULL;
    }
    const bool in_list = other->seen_from->steps[at].type == FX_LOCATION_LIST;
    return place->nodes[in_list ? at - 1 : at];
}
