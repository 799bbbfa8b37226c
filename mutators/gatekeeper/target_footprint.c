/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/target_footprint.c - what a turn of a target depends on, as the
 * loop asks for it (engine/footprint.h).
 */
#include <string.h>

#include "engine/footprint.h"
#include "mutators/gatekeeper/condition.h"
#include "mutators/gatekeeper/target.h"

/* The spot behind each step of a location; a list step stays where it is. */
struct way {
    uint32_t spots[FX_FOOTPRINT_SPOTS];
    size_t n_spots; /* 0: too long */
};

static void find_way(const struct fx_location *location, struct way *ret_way) {
    ret_way->n_spots = 0;
    if (location->n_steps > FX_FOOTPRINT_SPOTS) {
        return;
    }
    uint32_t spot = FX_SPOT_ROOT;
    for (size_t i = 0; i < location->n_steps; i++) {
        const struct fx_location_step *step = &location->steps[i];
        spot =
            step->type == FX_LOCATION_OBJECT ? fx_spot_of_field(spot, step->name) : spot;
        ret_way->spots[i] = spot;
    }
    ret_way->n_spots = location->n_steps;
}

/* Its way, and the keys by which elements are found on it. */
static void add_location(struct fx_footprint_draft *draft,
                         const struct fx_location *location) {
    struct way way;
    find_way(location, &way);
    fx_footprint_add_way(draft, way.spots, way.n_spots);
    for (size_t i = 0; i + 1 < way.n_spots; i++) {
        const struct fx_location_step *step = &location->steps[i];
        if (step->type == FX_LOCATION_LIST) {
            const uint32_t key[] = {way.spots[i],
                                    fx_spot_of_field(way.spots[i], step->name)};
            fx_footprint_add_way(draft, key, FX_COUNT(key));
        }
    }
}

static void add_metadata(struct fx_footprint_draft *draft, struct fx_text name) {
    const uint32_t metadata = fx_spot_of_field(FX_SPOT_ROOT, FX_TEXT("metadata"));
    const uint32_t way[] = {metadata, fx_spot_of_field(metadata, name)};
    draft->asks_metadata = true;
    fx_footprint_add_way(draft, way, FX_COUNT(way));
}

/* What decides whether it acts, and what it writes. The object's type and names stand
 * firm: who writes those says that it writes anywhere. */
static void add_causes(struct fx_footprint_draft *draft, const struct target *target) {
    if (fx_match_asks_labels(target->match)) {
        add_metadata(draft, FX_TEXT("labels"));
    }
    if (fx_match_asks_annotations(target->match)) {
        add_metadata(draft, FX_TEXT("annotations"));
    }
    for (size_t i = 0; i < target->conditions.n_items; i++) {
        add_location(draft, target->conditions.items[i].place.location);
    }
    if (target->from != NULL) {
        add_location(draft, target->from);
    }
}

/* An object's type and names are written by steps that are not told. */
static bool is_told(const struct fx_location *location) {
    const struct fx_text first = location->steps[0].name;
    return fx_text_is(first, "metadata")
               ? fx_target_is_label(location)
               : !fx_text_is(first, "apiVersion") && !fx_text_is(first, "kind");
}

/* How much of the way stays what it is: a list in which an element may be made does not.
 */
static size_t count_firm(const struct fx_location *location) {
    size_t n = 1;
    while (n < location->n_steps &&
           (location->steps[n].type == FX_LOCATION_OBJECT || location->steps[n].glob)) {
        n++;
    }
    return n;
}

static bool has(const uint32_t *spots, size_t n_spots, uint32_t spot) {
    for (size_t i = 0; i < n_spots; i++) {
        if (spots[i] == spot) {
            return true;
        }
    }
    return false;
}

/* Do the causes so far lie apart from what is written? */
static bool lies_apart(const struct fx_footprint_draft *draft,
                       const struct fx_location *location, const struct way *way) {
    const size_t n_firm = count_firm(location);
    const uint32_t end = way->spots[n_firm - 1];
    for (size_t i = 0; i < draft->n_read; i++) {
        if (has(way->spots, n_firm, draft->read[i])) {
            return false;
        }
    }
    return !has(draft->passed, draft->n_passed, end);
}

bool fx_target_set_footprint(struct target *target) {
    struct fx_footprint_draft draft = {.is_full = false};
    struct way way;
    add_causes(&draft, target);
    find_way(target->location, &way);
    if (way.n_spots == 0 || draft.is_full) {
        return true;
    }
    const bool told = is_told(target->location);
    draft.settles =
        told && !target->reworks && lies_apart(&draft, target->location, &way);
    add_location(&draft, target->location);
    if (told) {
        memcpy(draft.steps, way.spots, way.n_spots * sizeof *way.spots);
        draft.n_steps = way.n_spots;
    }
    return fx_footprint_make(&draft, &target->mutator.footprint);
}
