/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/write_end.c - the last step of a walk: what the setter makes of a
 * field or of the elements of a list.
 */
#include <assert.h>

#include "base/buf.h"
#include "location/gatekeeper/walk.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

static const struct fx_location_step *last_step(const struct walk *walk) {
    return &walk->location->steps[walk->location->n_steps - 1];
}

static size_t last_depth(const struct walk *walk) {
    return walk->location->n_steps - 1;
}

static bool ask(struct walk *walk, json_t *old, enum fx_write *ret_write,
                json_t **ret_value) {
    const size_t n_steps = walk->location->n_steps;
    size_t n_there = 0;
    for (size_t i = 0; i < n_steps; i++) {
        walk->nodes[i] = walk->places[i]->node;
        n_there += walk->places[i]->made ? 0 : 1;
    }
    const struct fx_setter *setter = walk->setter;
    const struct fx_place_found found = {
        .old = old, .nodes = walk->nodes, .n_there = n_there};
    const char *criterion = NULL;
    if (!setter->set(setter->user, &found, ret_write, ret_value, &criterion, walk->err)) {
        return false;
    }
    assert(*ret_write != FX_WRITE_SET || !setter->removes);
    if (*ret_write == FX_WRITE_PASS) {
        fx_walk_note(walk, criterion);
    }
    return true;
}

/* The value of one place as the setter decides it. What equals the old one is KEEP, and
 * so is the removal of what is not there. */
static bool decide(struct walk *walk, json_t *old, enum fx_write *ret_write,
                   json_t **ret_value, bool *ret_applied) {
    enum fx_write write = FX_WRITE_KEEP;
    json_t *value = NULL;
    if (!ask(walk, old, &write, &value)) {
        return false;
    }
    *ret_applied = *ret_applied || write != FX_WRITE_PASS;
    if (write == FX_WRITE_SET && old != NULL && fx_equal(old, value)) {
        json_decref(value);
        value = NULL;
        write = FX_WRITE_KEEP;
    } else if (write == FX_WRITE_SET) {
        fx_place_recheck(walk->places, walk->location->n_steps);
    } else if (write == FX_WRITE_REMOVE && old == NULL) {
        write = FX_WRITE_KEEP;
    }
    *ret_write = write;
    *ret_value = value;
    return true;
}

bool fx_walk_end_in_object(struct walk *walk, struct place *object, bool *ret_applied) {
    const struct fx_text name = last_step(walk)->name;
    json_t *old = fx_tree_view_text(object->node, name);
    if (!fx_walk_passes(walk, last_depth(walk), old != NULL)) {
        return true;
    }
    if (old == NULL && walk->setter->removes) {
        fx_walk_note(walk, CRITERION_LOCATION);
        return true;
    }
    enum fx_write write = FX_WRITE_KEEP;
    json_t *value = NULL;
    if (!decide(walk, old, &write, &value, ret_applied)) {
        return false;
    }
    if (write == FX_WRITE_KEEP || write == FX_WRITE_PASS) {
        return true;
    }
    fx_walk_note_change(walk, last_depth(walk));
    return write == FX_WRITE_SET ? fx_place_put_key(walk, object, name, value)
                                 : fx_place_remove_key(walk, object, name);
}

static bool check_object(const struct walk *walk, const json_t *element) {
    return json_is_object(element) ||
           fx_fail(walk->err, FX_EMUTATE,
                   "cast error, unable to case %s to map[string]interface{}",
                   fx_tree_go_type(element));
}

/* The index of the first element with the key, or their number. */
static bool find_element(const struct walk *walk, const json_t *list, size_t *ret_index) {
    size_t index = 0;
    const json_t *element = NULL;
    if (!fx_walk_spend(walk, json_array_size(list))) {
        return false;
    }
    json_array_foreach (list, index, element) {
        if (!check_object(walk, element)) {
            return false;
        }
        if (fx_location_step_names(last_step(walk), element)) {
            break;
        }
    }
    *ret_index = index;
    return true;
}

/* What goes into a keyed list must be an object that has the list's key. */
static bool check_element(const struct walk *walk, const json_t *value) {
    if (json_is_object(value)) {
        return fx_location_step_names(last_step(walk), value) ||
               fx_fail(walk->err, FX_EMUTATE,
                       "key value of replaced object must not change");
    }
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_json_write(&text, value, FX_JSON_COMPACT);
    if (text.failed) {
        (void)fx_fail_nomem(walk->err);
    } else {
        (void)fx_fail(walk->err, FX_EMUTATE,
                      "assign.value for keyed list is not an object: %s", text.data);
    }
    fx_buf_finish(&text);
    return false;
}

/* The first element with the key is written, or one is added. */
static bool write_element(struct walk *walk, struct place *list, bool *ret_applied) {
    size_t index = 0;
    if (!find_element(walk, list->node, &index)) {
        return false;
    }
    json_t *old = json_array_get(list->node, index);
    if (!fx_walk_passes(walk, last_depth(walk), old != NULL)) {
        return true;
    }
    enum fx_write write = FX_WRITE_KEEP;
    json_t *value = NULL;
    if (!decide(walk, old, &write, &value, ret_applied)) {
        return false;
    }
    if (write == FX_WRITE_KEEP || write == FX_WRITE_PASS) {
        return true;
    }
    fx_walk_note_change(walk, last_depth(walk));
    if (write == FX_WRITE_REMOVE) {
        return fx_place_remove_index(walk, list, index);
    }
    if (!check_element(walk, value)) {
        json_decref(value);
        return false;
    }
    return old != NULL ? fx_place_put_index(walk, list, index, value)
                       : fx_place_put_last(walk, list, value);
}

/* How many elements the step names. What has no key cannot be told apart by one. */
static bool count_named(const struct walk *walk, const json_t *list, size_t *ret_count) {
    const struct fx_location_step *step = last_step(walk);
    size_t count = 0;
    size_t index = 0;
    const json_t *element = NULL;
    if (!fx_walk_spend(walk, json_array_size(list) * (1 + step->n_except))) {
        return false;
    }
    json_array_foreach (list, index, element) {
        if (!step->glob && !check_object(walk, element)) {
            return false;
        }
        count += fx_location_step_names(step, element);
    }
    *ret_count = count;
    return true;
}

/* Fills `kept` with what stays. A list is made anew rather than emptied one by one, which
 * would move its rest each time. */
static bool keep_rest(struct walk *walk, const struct place *list, json_t *kept,
                      bool *ret_applied) {
    size_t index = 0;
    json_t *element = NULL;
    if (!fx_walk_spend(walk, UNITS_OF_ELEMENT * json_array_size(list->node))) {
        return false;
    }
    json_array_foreach (list->node, index, element) {
        enum fx_write write = FX_WRITE_KEEP;
        json_t *value = NULL;
        if (fx_location_step_names(last_step(walk), element) &&
            !decide(walk, element, &write, &value, ret_applied)) {
            return false;
        }
        if (write != FX_WRITE_REMOVE &&
            !fx_tree_append_take(kept, json_incref(element))) {
            return fx_fail_nomem(walk->err);
        }
    }
    return true;
}

/* Every element that the step names is put to the setter. */
static bool remove_elements(struct walk *walk, struct place *list, bool *ret_applied) {
    size_t n_named = 0;
    if (!count_named(walk, list->node, &n_named)) {
        return false;
    }
    const bool glob = last_step(walk)->glob;
    if (!fx_walk_passes(walk, last_depth(walk), glob || n_named > 0)) {
        return true;
    }
    if (n_named == 0) {
        fx_walk_note(walk, CRITERION_LOCATION);
        return true;
    }
    json_t *kept = json_array();
    if (kept == NULL) {
        return fx_fail_nomem(walk->err);
    }
    const bool ok = keep_rest(walk, list, kept, ret_applied);
    if (!ok || json_array_size(kept) == json_array_size(list->node)) {
        json_decref(kept);
        return ok;
    }
    fx_walk_note_change(walk, last_depth(walk));
    fx_place_replace(walk, list, kept);
    return true;
}

bool fx_walk_end_in_list(struct walk *walk, struct place *list, bool *ret_applied) {
    if (walk->setter->removes) {
        return remove_elements(walk, list, ret_applied);
    }
    if (last_step(walk)->glob) {
        return fx_fail(walk->err, FX_EMUTATE, "can't append to a globbed list");
    }
    return write_element(walk, list, ret_applied);
}
