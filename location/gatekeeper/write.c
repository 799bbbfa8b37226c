/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/write.c - one walk along a location, to where it is written (spec
 * section 3.4).
 */
#include "location/gatekeeper/write.h"

#include <assert.h>

#include "base/buf.h"
#include "base/limits.h"
#include "location/gatekeeper/walk.h"
#include "value/tree.h"

void fx_walk_note(struct walk *walk, const char *criterion) {
    if (walk->criterion == NULL) {
        walk->criterion = criterion;
    }
}

/* A list is the value of the field before its step. */
void fx_walk_note_change(struct walk *walk, size_t depth) {
    const bool in_list = walk->location->steps[depth].type == FX_LOCATION_LIST;
    const size_t n_steps = in_list ? depth : depth + 1;
    walk->depth = n_steps < walk->depth ? n_steps : walk->depth;
}

bool fx_walk_passes(struct walk *walk, size_t depth, bool exists) {
    const bool passes = fx_path_tests_pass(walk->tests, depth, exists);
    if (!passes) {
        fx_walk_note(walk, CRITERION_PATH_TESTS);
    }
    return passes;
}

static bool is_last(const struct walk *walk, size_t depth) {
    return depth + 1 == walk->location->n_steps;
}

static bool fail_mismatch(const struct walk *walk, const struct fx_location_step *step,
                          const json_t *node) {
    const char *wanted = step->type == FX_LOCATION_LIST ? "List" : "object";
    struct fx_buf printed;
    fx_buf_init(&printed, 0);
    fx_location_print_step(&printed, step);
    if (printed.failed) {
        (void)fx_fail_nomem(walk->err);
    } else {
        (void)fx_fail(walk->err, FX_EMUTATE,
                      "mismatch between path entry (type: %s) and received object "
                      "(type: %s). Path: %s",
                      wanted, fx_tree_go_type(node), printed.data);
    }
    fx_buf_finish(&printed);
    return false;
}

static bool visit(struct walk *walk, size_t depth, struct place *place,
                  bool *ret_applied);

/* Goes on below `child`, or below what is created where it is missing; that stays only if
 * the setter ran beneath. */
static bool visit_field(struct walk *walk, size_t depth, struct place *object,
                        json_t *child, bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    struct place place;
    if (child != NULL) {
        place = fx_place_of_child(object, child);
    } else {
        const bool list = step[1].type == FX_LOCATION_LIST;
        place = fx_place_of_new(list ? json_array() : json_object());
        place.made = true;
    }
    if (place.node == NULL) {
        return fx_fail_nomem(walk->err);
    }
    if (!visit(walk, depth + 1, &place, ret_applied)) {
        fx_place_drop(&place);
        return false;
    }
    if (!place.detached) {
        return true;
    }
    if (!*ret_applied) {
        fx_place_drop(&place);
        return true;
    }
    if (child == NULL) {
        fx_walk_note_change(walk, depth);
    }
    return fx_place_put_key(walk, object, step->name, place.node);
}

static bool visit_object(struct walk *walk, size_t depth, struct place *object,
                         bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    if (!json_is_object(object->node)) {
        return fail_mismatch(walk, step, object->node);
    }
    if (is_last(walk, depth)) {
        return fx_walk_end_in_object(walk, object, ret_applied);
    }
    json_t *child = fx_tree_view_text(object->node, step->name);
    if (!fx_walk_passes(walk, depth, child != NULL)) {
        return true;
    }
    if (child == NULL && walk->setter->removes) {
        fx_walk_note(walk, CRITERION_LOCATION);
        return true;
    }
    return visit_field(walk, depth, object, child, ret_applied);
}

/* Goes on below one element. */
static bool visit_element(struct walk *walk, size_t depth, struct place *list,
                          size_t index, bool *ret_applied) {
    struct place place = fx_place_of_child(list, json_array_get(list->node, index));
    bool applied = false;
    if (!fx_walk_spend(walk, UNITS_OF_ELEMENT) ||
        !visit(walk, depth + 1, &place, &applied)) {
        fx_place_drop(&place);
        return false;
    }
    *ret_applied = *ret_applied || applied;
    return !place.detached || fx_place_put_index(walk, list, index, place.node);
}

/* {keyField: keyValue} */
static json_t *new_element(const struct fx_location_step *step) {
    json_t *element = json_object();
    if (element != NULL &&
        !fx_tree_set_take(element, step->name, json_incref(step->value))) {
        json_decref(element);
        return NULL;
    }
    return element;
}

static bool visit_new_element(struct walk *walk, size_t depth, struct place *list,
                              bool *ret_applied) {
    struct place place = fx_place_of_new(new_element(&walk->location->steps[depth]));
    place.made = true;
    if (place.node == NULL) {
        return fx_fail_nomem(walk->err);
    }
    if (!visit(walk, depth + 1, &place, ret_applied)) {
        fx_place_drop(&place);
        return false;
    }
    if (!*ret_applied) {
        fx_place_drop(&place);
        return true;
    }
    fx_walk_note_change(walk, depth);
    return fx_place_put_last(walk, list, place.node);
}

/* Goes on below every element that the step names; of a key, duplicates are all meant. */
static bool visit_named(struct walk *walk, size_t depth, struct place *list,
                        bool *ret_found, bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    const size_t n_elements = json_array_size(list->node);
    if (!fx_walk_spend(walk, n_elements * (1 + step->n_except))) {
        return false;
    }
    for (size_t i = 0; i < n_elements; i++) {
        if (!fx_location_step_names(step, json_array_get(list->node, i))) {
            continue;
        }
        const bool first = !*ret_found;
        *ret_found = true;
        if (first && !fx_walk_passes(walk, depth, true)) {
            return true;
        }
        if (!visit_element(walk, depth, list, i, ret_applied)) {
            return false;
        }
    }
    return true;
}

/* Where a glob names no element, nothing is created. */
static bool visit_list(struct walk *walk, size_t depth, struct place *list,
                       bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    if (!json_is_array(list->node)) {
        return fail_mismatch(walk, step, list->node);
    }
    if (is_last(walk, depth)) {
        return fx_walk_end_in_list(walk, list, ret_applied);
    }
    bool found = false;
    if (!visit_named(walk, depth, list, &found, ret_applied)) {
        return false;
    }
    if (found || !fx_walk_passes(walk, depth, step->glob)) {
        return true;
    }
    if (step->glob || walk->setter->removes) {
        fx_walk_note(walk, CRITERION_LOCATION);
        return true;
    }
    return visit_new_element(walk, depth, list, ret_applied);
}

/* Goes on at step `depth` with the node that stands there; as deep as the location has
 * steps (FX_LIMIT_LOCATION_NODES). On failure the caller drops the place. */
static bool visit(struct walk *walk, size_t depth, struct place *place,
                  bool *ret_applied) {
    assert(depth < walk->location->n_steps);
    walk->places[depth] = place;
    return walk->location->steps[depth].type == FX_LOCATION_OBJECT
               ? visit_object(walk, depth, place, ret_applied)
               : visit_list(walk, depth, place, ret_applied);
}

bool fx_location_write(const struct fx_location *location,
                       const struct fx_path_tests *tests, const struct fx_setter *setter,
                       json_t **root, struct fx_written *ret_written,
                       struct fx_err *err) {
    if (location->n_steps == 0) {
        return fx_fail(err, FX_EMUTATE, "attempting to mutate an empty target location");
    }
    assert(location->n_steps <= FX_LIMIT_LOCATION_NODES);
    struct place *places[FX_LIMIT_LOCATION_NODES];
    json_t *nodes[FX_LIMIT_LOCATION_NODES];
    struct walk walk = {.location = location,
                        .tests = tests,
                        .setter = setter,
                        .places = places,
                        .nodes = nodes,
                        .depth = location->n_steps + 1,
                        .err = err};
    struct place place = {.node = *root, .owned = fx_tree_is_unshared(*root)};
    bool applied = false;
    const bool ok = visit(&walk, 0, &place, &applied);
    if (place.detached) {
        json_decref(*root);
        *root = place.node;
    }
    if (!ok) {
        return false;
    }
    assert(walk.changed == (walk.depth <= location->n_steps));
    *ret_written = (struct fx_written){
        .applied = applied,
        .changed = walk.changed,
        .criterion = applied ? NULL : walk.criterion,
        .depth = walk.changed ? walk.depth : 0,
    };
    return true;
}
