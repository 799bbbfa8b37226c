/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/place.c - copying on write.
 *
 * A node that nobody else sees is written in place; any other is copied, one level, by
 * the first write beneath it, and the copy handed up to its parent, for which that is a
 * write in turn. So nothing is copied where nothing changes.
 */
#include "location/gatekeeper/walk.h"
#include "value/tree.h"

struct place fx_place_of_child(const struct place *parent, json_t *child) {
    const bool owned = parent->owned && fx_tree_is_unshared(child);
    return (struct place){.node = child, .owned = owned};
}

struct place fx_place_of_new(json_t *node) {
    return (struct place){.node = node, .owned = true, .detached = true};
}

void fx_place_drop(struct place *place) {
    if (place->detached) {
        json_decref(place->node);
    }
}

/* A value that is itself a node of the way must not be written into: it would come to
 * hold itself. */
void fx_place_recheck(struct place *const *places, size_t n_places) {
    bool unshared = true;
    for (size_t i = 0; i < n_places; i++) {
        struct place *place = places[i];
        unshared = (unshared || place->detached) && fx_tree_is_unshared(place->node);
        place->owned = place->owned && unshared;
    }
}

/* Makes the node writable. Our own reference makes sure that it counts as shared: it may
 * be the only child of a parent that is. */
static bool own(struct walk *walk, struct place *place) {
    walk->changed = true;
    if (place->owned) {
        return true;
    }
    json_t *copy = json_incref(place->node);
    if (fx_tree_own_root(&copy) == NULL) {
        json_decref(copy);
        return fx_fail_nomem(walk->err);
    }
    fx_place_replace(walk, place, copy);
    return true;
}

bool fx_place_put_key(struct walk *walk, struct place *object, struct fx_text key,
                      json_t *value) {
    walk->changed = true;
    if (object->owned) {
        return fx_tree_set_take(object->node, key, value) || fx_fail_nomem(walk->err);
    }
    json_t *copy = fx_tree_with_take(object->node, key, value);
    if (copy == NULL) {
        return fx_fail_nomem(walk->err);
    }
    fx_place_replace(walk, object, copy);
    return true;
}

bool fx_place_put_index(struct walk *walk, struct place *list, size_t index,
                        json_t *value) {
    if (!own(walk, list)) {
        json_decref(value);
        return false;
    }
    return fx_tree_set_index_take(list->node, index, value) || fx_fail_nomem(walk->err);
}

bool fx_place_put_last(struct walk *walk, struct place *list, json_t *value) {
    if (!own(walk, list)) {
        json_decref(value);
        return false;
    }
    return fx_tree_append_take(list->node, value) || fx_fail_nomem(walk->err);
}

bool fx_place_remove_key(struct walk *walk, struct place *object, struct fx_text key) {
    if (!own(walk, object)) {
        return false;
    }
    fx_tree_remove_key(object->node, key);
    return true;
}

bool fx_place_remove_index(struct walk *walk, struct place *list, size_t index) {
    if (!own(walk, list)) {
        return false;
    }
    fx_tree_remove_index(list->node, index);
    return true;
}

void fx_place_replace(struct walk *walk, struct place *place, json_t *node) {
    walk->changed = true;
    fx_place_drop(place);
    *place = fx_place_of_new(node);
}
