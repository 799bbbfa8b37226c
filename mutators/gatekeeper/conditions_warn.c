/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/conditions_warn.c - what the author of sound conditions should
 * hear.
 */
#include "mutators/gatekeeper/condition.h"
#include "mutators/gatekeeper/conditions.h"
#include "value/tree.h"

static bool is_glob(const struct fx_location_step *step) {
    return step->type == FX_LOCATION_LIST && step->glob;
}

/* Do the two locations part at globs of one list, which leave out other elements? */
static bool parts_at_globs(const struct other_place *place) {
    const struct fx_location *here = place->seen_from;
    const size_t at = place->n_shared;
    if (at >= here->n_steps || at >= place->location->n_steps) {
        return false;
    }
    const struct fx_location_step *other = &place->location->steps[at];
    return is_glob(&here->steps[at]) && is_glob(other) &&
           fx_text_equal(here->steps[at].name, other->name);
}

bool fx_conditions_warn(const struct conditions *conditions, const struct policy *policy,
                        struct fx_compilation *compilation, struct fx_err *err) {
    const json_t *list = fx_shape_view(policy->spec, "conditions");
    for (size_t i = 0; i < conditions->n_items; i++) {
        const json_t *location = fx_shape_view(json_array_get(list, i), "location");
        if (parts_at_globs(&conditions->items[i].place) &&
            !fx_compilation_warn(
                compilation, location,
                "spec.conditions[%zu].location: is evaluated for all elements together, "
                "because its glob differs from that of spec.location",
                i)) {
            return fx_fail_nomem(err);
        }
    }
    return true;
}
