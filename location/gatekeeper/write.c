/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/write.c - one walk along a location, writing at its end (spec
 * section 3.4).
 *
 * A node that nobody else sees is written in place; any other is copied, one level, by
 * the first write beneath it, and the copy handed up to its parent, for which that is a
 * write in turn. So nothing is copied where nothing changes.
 */
#include "location/gatekeeper/write.h"

#include <assert.h>

#include "base/buf.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

struct walk {
    const struct fx_location *location;
    const struct fx_path_tests *tests;
    const struct fx_setter *setter;
    bool changed;
    struct fx_err *err;
};

/* A node on the way. */
struct place {
    json_t *node;
    bool owned;    /* seen by nobody else: it and all above it */
    bool detached; /* new or copied: its reference is ours until a parent holds it */
};

static struct place place_of(const struct place *parent, json_t *child) {
    const bool owned = parent->owned && fx_tree_is_unshared(child);
    return (struct place){.node = child, .owned = owned};
}

static struct place new_place(json_t *node) {
    return (struct place){.node = node, .owned = true, .detached = true};
}

static void drop(struct place *place) {
    if (place->detached) {
        json_decref(place->node);
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
    *place = new_place(copy);
    return true;
}

/* Each of these consumes `value`; the parent is made writable first. */
static bool put_key(struct walk *walk, struct place *object, struct fx_text key,
                    json_t *value) {
    if (!own(walk, object)) {
        json_decref(value);
        return false;
    }
    return fx_tree_set_take(object->node, key, value) || fx_fail_nomem(walk->err);
}

static bool put_index(struct walk *walk, struct place *list, size_t index,
                      json_t *value) {
    if (!own(walk, list)) {
        json_decref(value);
        return false;
    }
    return fx_tree_set_index_take(list->node, index, value) || fx_fail_nomem(walk->err);
}

static bool put_last(struct walk *walk, struct place *list, json_t *value) {
    if (!own(walk, list)) {
        json_decref(value);
        return false;
    }
    return fx_tree_append_take(list->node, value) || fx_fail_nomem(walk->err);
}

static bool passes(const struct walk *walk, size_t depth, bool exists) {
    return fx_path_tests_pass(walk->tests, depth, exists);
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

/* The value of one place as the setter decides it. What equals the old one is KEEP, and
 * so is the removal of what is not there. */
static bool decide(const struct walk *walk, json_t *old, enum fx_write *ret_write,
                   json_t **ret_value) {
    const struct fx_setter *setter = walk->setter;
    enum fx_write write = FX_WRITE_KEEP;
    json_t *value = NULL;
    if (!setter->set(setter->user, old, &write, &value, walk->err)) {
        return false;
    }
    if (write == FX_WRITE_SET && old != NULL && fx_equal(old, value)) {
        json_decref(value);
        value = NULL;
        write = FX_WRITE_KEEP;
    } else if (write == FX_WRITE_REMOVE && old == NULL) {
        write = FX_WRITE_KEEP;
    }
    *ret_write = write;
    *ret_value = value;
    return true;
}

static bool visit(struct walk *walk, size_t depth, struct place *place,
                  bool *ret_applied);

static bool set_field(struct walk *walk, struct place *object, struct fx_text name,
                      json_t *old) {
    enum fx_write write = FX_WRITE_KEEP;
    json_t *value = NULL;
    if (!decide(walk, old, &write, &value)) {
        return false;
    }
    if (write == FX_WRITE_SET) {
        return put_key(walk, object, name, value);
    }
    if (write == FX_WRITE_REMOVE) {
        if (!own(walk, object)) {
            return false;
        }
        fx_tree_remove_key(object->node, name);
    }
    return true;
}

/* Goes on below `name`, creating it where it is missing; what was created stays only if
 * the setter ran beneath. */
static bool visit_field(struct walk *walk, size_t depth, struct place *object,
                        json_t *child, bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    struct place place;
    if (child != NULL) {
        place = place_of(object, child);
    } else {
        const bool list = step[1].type == FX_LOCATION_LIST;
        place = new_place(list ? json_array() : json_object());
    }
    if (place.node == NULL) {
        return fx_fail_nomem(walk->err);
    }
    if (!visit(walk, depth + 1, &place, ret_applied)) {
        drop(&place);
        return false;
    }
    if (!place.detached) {
        return true;
    }
    if (!*ret_applied) {
        drop(&place);
        return true;
    }
    return put_key(walk, object, step->name, place.node);
}

static bool visit_object(struct walk *walk, size_t depth, struct place *object,
                         bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    if (!json_is_object(object->node)) {
        return fail_mismatch(walk, step, object->node);
    }
    json_t *child = fx_tree_view_text(object->node, step->name);
    if (!passes(walk, depth, child != NULL)) {
        return true;
    }
    if (is_last(walk, depth)) {
        *ret_applied = true;
        return set_field(walk, object, step->name, child);
    }
    return visit_field(walk, depth, object, child, ret_applied);
}

/* Goes on below one element. */
static bool visit_element(struct walk *walk, size_t depth, struct place *list,
                          size_t index, bool *ret_applied) {
    struct place place = place_of(list, json_array_get(list->node, index));
    bool applied = false;
    if (!visit(walk, depth + 1, &place, &applied)) {
        drop(&place);
        return false;
    }
    *ret_applied = *ret_applied || applied;
    return !place.detached || put_index(walk, list, index, place.node);
}

static bool visit_all(struct walk *walk, size_t depth, struct place *list,
                      bool *ret_applied) {
    const size_t n_elements = json_array_size(list->node);
    if (!passes(walk, depth, true)) {
        return true;
    }
    for (size_t i = 0; i < n_elements; i++) {
        if (!visit_element(walk, depth, list, i, ret_applied)) {
            return false;
        }
    }
    return true;
}

/* Is it the element that the step names? The types of the keys must be the same: neither
 * "5" nor 5.0 is 5. */
static bool has_key(const struct fx_location_step *step, const json_t *element) {
    const json_t *key = fx_tree_view_text(element, step->name);
    return key != NULL && json_typeof(key) == json_typeof(step->value) &&
           fx_equal(key, step->value);
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
    struct place place = new_place(new_element(&walk->location->steps[depth]));
    if (place.node == NULL) {
        return fx_fail_nomem(walk->err);
    }
    if (!visit(walk, depth + 1, &place, ret_applied)) {
        drop(&place);
        return false;
    }
    if (!*ret_applied) {
        drop(&place);
        return true;
    }
    return put_last(walk, list, place.node);
}

/* Goes on below every element with the key: duplicates are all meant. */
static bool visit_keyed(struct walk *walk, size_t depth, struct place *list,
                        bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    const size_t n_elements = json_array_size(list->node);
    bool found = false;
    for (size_t i = 0; i < n_elements; i++) {
        if (!has_key(step, json_array_get(list->node, i))) {
            continue;
        }
        if (!passes(walk, depth, true)) {
            return true;
        }
        found = true;
        if (!visit_element(walk, depth, list, i, ret_applied)) {
            return false;
        }
    }
    if (found || !passes(walk, depth, false)) {
        return true;
    }
    return visit_new_element(walk, depth, list, ret_applied);
}

/* The index of the first element with the key, or their number. */
static bool find_element(const struct walk *walk, const struct fx_location_step *step,
                         const json_t *list, size_t *ret_index) {
    size_t index = 0;
    const json_t *element = NULL;
    json_array_foreach (list, index, element) {
        if (!json_is_object(element)) {
            return fx_fail(walk->err, FX_EMUTATE,
                           "cast error, unable to case %s to map[string]interface{}",
                           fx_tree_go_type(element));
        }
        if (has_key(step, element)) {
            break;
        }
    }
    *ret_index = index;
    return true;
}

/* What goes into a keyed list must be an object that has the list's key. */
static bool check_element(const struct walk *walk, const struct fx_location_step *step,
                          const json_t *value) {
    if (json_is_object(value)) {
        return has_key(step, value) ||
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

static bool set_element(struct walk *walk, const struct fx_location_step *step,
                        struct place *list, size_t index) {
    json_t *old = json_array_get(list->node, index);
    enum fx_write write = FX_WRITE_KEEP;
    json_t *value = NULL;
    if (!decide(walk, old, &write, &value)) {
        return false;
    }
    if (write == FX_WRITE_SET) {
        if (!check_element(walk, step, value)) {
            json_decref(value);
            return false;
        }
        return old != NULL ? put_index(walk, list, index, value)
                           : put_last(walk, list, value);
    }
    if (write == FX_WRITE_REMOVE) {
        if (!own(walk, list)) {
            return false;
        }
        fx_tree_remove_index(list->node, index);
    }
    return true;
}

/* The location ends in a list: its element is written, the first one of its key. */
static bool write_element(struct walk *walk, size_t depth, struct place *list,
                          bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    if (step->glob) {
        return fx_fail(walk->err, FX_EMUTATE, "can't append to a globbed list");
    }
    size_t index = 0;
    if (!find_element(walk, step, list->node, &index)) {
        return false;
    }
    if (!passes(walk, depth, index < json_array_size(list->node))) {
        return true;
    }
    *ret_applied = true;
    return set_element(walk, step, list, index);
}

static bool visit_list(struct walk *walk, size_t depth, struct place *list,
                       bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    if (!json_is_array(list->node)) {
        return fail_mismatch(walk, step, list->node);
    }
    if (is_last(walk, depth)) {
        return write_element(walk, depth, list, ret_applied);
    }
    return step->glob ? visit_all(walk, depth, list, ret_applied)
                      : visit_keyed(walk, depth, list, ret_applied);
}

/* Goes on at step `depth` with the node that stands there; as deep as the location has
 * steps (FX_LIMIT_LOCATION_NODES). On failure the caller drops the place. */
static bool visit(struct walk *walk, size_t depth, struct place *place,
                  bool *ret_applied) {
    assert(depth < walk->location->n_steps);
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
    struct walk walk = {location, tests, setter, false, err};
    struct place place = {.node = *root, .owned = fx_tree_is_unshared(*root)};
    bool applied = false;
    const bool ok = visit(&walk, 0, &place, &applied);
    if (place.detached) {
        json_decref(*root);
        *root = place.node;
    }
    if (ok) {
        *ret_written = (struct fx_written){applied, walk.changed};
    }
    return ok;
}
