/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/write.c - one walk along a location, to the positions where it is
 * written (spec section 3.4), copying on write.
 *
 * A node that is not shared is written in place. A shared node is copied, one level, by
 * the first write below it, and the copy is then written to its parent. So a node is
 * copied only if something below it changes.
 */
#include "location/gatekeeper/write.h"

#include <assert.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/limits.h"
#include "value/equal.h"
#include "value/json.h"
#include "value/tree.h"

#define UNITS_OF_ELEMENT 8u /* for visiting a selected element of a list */

/* Reasons why nothing was applied (fx_written.criterion). */
#define CRITERION_PATH_TESTS "pathTests"
#define CRITERION_LOCATION   "location"

/* A node on the path to a value. */
struct path_node {
    json_t *node;
    bool owned;    /* not shared, like all its parents up to a detached one */
    bool detached; /* new or copied: the walk holds its reference until a parent does */
    bool made;     /* created by the walk */
};

struct location_walk {
    const struct fx_location *location;
    const struct fx_path_tests *tests;
    const struct fx_setter *setter;
    struct path_node **path; /* the path to the current node, one for each step */
    json_t **nodes;          /* memory for the nodes of the whole path */
    const char *criterion;   /* the first reason against a position, or NULL */
    bool changed;
    size_t depth; /* fx_written.depth; no change yet if larger than the number of steps */
    struct fx_err *err;
};

/* Spends the budget for `elements` elements. False, with FX_EDEADLINE or FX_ELIMIT, if
 * the thread's budget is exceeded. */
static bool spend_elements(const struct location_walk *walk, size_t elements) {
    return fx_spend(elements) || fx_fail_exceeded(walk->err);
}

/* Records the first reason against a position; NULL is ignored. */
static void note_criterion(struct location_walk *walk, const char *criterion) {
    if (walk->criterion == NULL) {
        walk->criterion = criterion;
    }
}

/* Records a change at a step. The list of a list step is the value of the previous
 * field. */
static void note_change(struct location_walk *walk, size_t depth) {
    const bool in_list = walk->location->steps[depth].type == FX_LOCATION_LIST;
    const size_t n_steps = in_list ? depth : depth + 1;
    walk->depth = n_steps < walk->depth ? n_steps : walk->depth;
}

/* True if the path test of this depth holds; records a test that does not hold. */
static bool passes_tests(struct location_walk *walk, size_t depth, bool exists) {
    const bool passes = fx_path_tests_pass(walk->tests, depth, exists);
    if (!passes) {
        note_criterion(walk, CRITERION_PATH_TESTS);
    }
    return passes;
}

/* ---- copying on write -------------------------------------------------------------- */

static struct path_node path_node_of_child(const struct path_node *parent,
                                           json_t *child) {
    const bool owned = parent->owned && fx_tree_is_unshared(child);
    return (struct path_node){.node = child, .owned = owned};
}

static struct path_node path_node_of_new(json_t *node) {
    return (struct path_node){.node = node, .owned = true, .detached = true};
}

/* Drops a node that no parent holds. */
static void drop_path_node(struct path_node *current) {
    if (current->detached) {
        json_decref(current->node);
    }
}

/* Finds out which nodes are still unshared after the setter returned a value. The value
 * may be a node of the path; such a node must be copied before it is written, or it would
 * contain itself. */
static void recheck_path(struct path_node *const *path, size_t n_nodes) {
    bool unshared = true;
    for (size_t i = 0; i < n_nodes; i++) {
        struct path_node *current = path[i];
        unshared = (unshared || current->detached) && fx_tree_is_unshared(current->node);
        current->owned = current->owned && unshared;
    }
}

/* Replaces the node by a new one, whose reference it takes. */
static void replace_node(struct location_walk *walk, struct path_node *current,
                         json_t *node) {
    walk->changed = true;
    drop_path_node(current);
    *current = path_node_of_new(node);
}

/* Makes the node writable. The extra reference makes it count as shared: it may be the
 * only child of a shared parent. */
static bool own_node(struct location_walk *walk, struct path_node *current) {
    walk->changed = true;
    if (current->owned) {
        return true;
    }
    json_t *copy = json_incref(current->node);
    if (fx_tree_own_root(&copy) == NULL) {
        json_decref(copy);
        return fx_fail_nomem(walk->err);
    }
    replace_node(walk, current, copy);
    return true;
}

/* Each of these makes the node writable first, and takes the reference of `value`. On
 * failure the caller still drops the node. */
static bool put_key(struct location_walk *walk, struct path_node *object,
                    struct fx_text key, json_t *value) {
    walk->changed = true;
    if (object->owned) {
        return fx_tree_set_take(object->node, key, value) || fx_fail_nomem(walk->err);
    }
    json_t *copy = fx_tree_with_take(object->node, key, value);
    if (copy == NULL) {
        return fx_fail_nomem(walk->err);
    }
    replace_node(walk, object, copy);
    return true;
}

static bool put_index(struct location_walk *walk, struct path_node *list, size_t index,
                      json_t *value) {
    if (!own_node(walk, list)) {
        json_decref(value);
        return false;
    }
    return fx_tree_set_index_take(list->node, index, value) || fx_fail_nomem(walk->err);
}

static bool put_last(struct location_walk *walk, struct path_node *list, json_t *value) {
    if (!own_node(walk, list)) {
        json_decref(value);
        return false;
    }
    return fx_tree_append_take(list->node, value) || fx_fail_nomem(walk->err);
}

static bool remove_key(struct location_walk *walk, struct path_node *object,
                       struct fx_text key) {
    if (!own_node(walk, object)) {
        return false;
    }
    fx_tree_remove_key(object->node, key);
    return true;
}

static bool remove_index(struct location_walk *walk, struct path_node *list,
                         size_t index) {
    if (!own_node(walk, list)) {
        return false;
    }
    fx_tree_remove_index(list->node, index);
    return true;
}

/* ---- the last step: the setter decides about a field or about elements ------------ */

static const struct fx_location_step *last_step(const struct location_walk *walk) {
    return &walk->location->steps[walk->location->n_steps - 1];
}

static size_t last_depth(const struct location_walk *walk) {
    return walk->location->n_steps - 1;
}

static bool call_setter(struct location_walk *walk, json_t *old, enum fx_write *ret_write,
                        json_t **ret_value) {
    const size_t n_steps = walk->location->n_steps;
    size_t n_there = 0;
    for (size_t i = 0; i < n_steps; i++) {
        walk->nodes[i] = walk->path[i]->node;
        n_there += walk->path[i]->made ? 0 : 1;
    }
    const struct fx_setter *setter = walk->setter;
    const struct fx_write_position found = {
        .old = old, .nodes = walk->nodes, .n_there = n_there};
    const char *criterion = NULL;
    if (!setter->set(setter->user, &found, ret_write, ret_value, &criterion, walk->err)) {
        return false;
    }
    assert(*ret_write != FX_WRITE_SET || !setter->removes);
    if (*ret_write == FX_WRITE_PASS) {
        note_criterion(walk, criterion);
    }
    return true;
}

/* Calls the setter for a position of the last step, unless a path test fails or there is
 * nothing to remove. *ret_write is KEEP, SET or REMOVE. It is KEEP for a value that
 * equals the old one, and for the removal of an absent value. *ret_applied becomes true
 * if the setter did not return PASS. */
static bool decide_write(struct location_walk *walk, json_t *old,
                         enum fx_write *ret_write, json_t **ret_value,
                         bool *ret_applied) {
    enum fx_write write = FX_WRITE_KEEP;
    json_t *value = NULL;
    *ret_write = FX_WRITE_KEEP;
    if (!passes_tests(walk, last_depth(walk), old != NULL)) {
        return true;
    }
    if (old == NULL && walk->setter->removes) {
        note_criterion(walk, CRITERION_LOCATION);
        return true;
    }
    if (!call_setter(walk, old, &write, &value)) {
        return false;
    }
    *ret_applied = *ret_applied || write != FX_WRITE_PASS;
    if (write == FX_WRITE_SET && old != NULL && fx_equal(old, value)) {
        json_decref(value);
    } else if (write == FX_WRITE_SET || (write == FX_WRITE_REMOVE && old != NULL)) {
        if (write == FX_WRITE_SET) {
            recheck_path(walk->path, walk->location->n_steps);
        }
        note_change(walk, last_depth(walk));
        *ret_write = write;
        *ret_value = value;
    }
    return true;
}

/* Calls the setter for a field and writes its value: the last step of a location. */
static bool end_in_object(struct location_walk *walk, struct path_node *object,
                          bool *ret_applied) {
    const struct fx_text name = last_step(walk)->name;
    enum fx_write write = FX_WRITE_KEEP;
    json_t *value = NULL;
    if (!decide_write(walk, fx_tree_view_text(object->node, name), &write, &value,
                      ret_applied)) {
        return false;
    }
    if (write == FX_WRITE_KEEP) {
        return true;
    }
    return write == FX_WRITE_SET ? put_key(walk, object, name, value)
                                 : remove_key(walk, object, name);
}

static bool check_object(const struct location_walk *walk, const json_t *element) {
    return json_is_object(element) ||
           fx_fail(walk->err, FX_EMUTATE,
                   "cast error, unable to case %s to map[string]interface{}",
                   fx_tree_go_type(element));
}

/* Finds the index of the first element with the key, or the length of the list. */
static bool find_element(const struct location_walk *walk, const json_t *list,
                         size_t *ret_index) {
    size_t index = 0;
    const json_t *element = NULL;
    if (!spend_elements(walk, json_array_size(list))) {
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

/* Checks a new element of a keyed list, which must be an object with the list's key. */
static bool check_element(const struct location_walk *walk, const json_t *value) {
    if (json_is_object(value)) {
        return fx_location_step_names(last_step(walk), value) ||
               fx_fail(walk->err, FX_EMUTATE,
                       "key value of replaced object must not change");
    }
    struct fx_buf message;
    fx_buf_init(&message, 0);
    fx_buf_str(&message, "assign.value for keyed list is not an object: ");
    fx_json_write(&message, value, FX_JSON_COMPACT);
    return fx_buf_fail(&message, walk->err, FX_EMUTATE);
}

/* Writes the first element with the key, or appends one. */
static bool write_element(struct location_walk *walk, struct path_node *list,
                          bool *ret_applied) {
    size_t index = 0;
    if (!find_element(walk, list->node, &index)) {
        return false;
    }
    json_t *old = json_array_get(list->node, index);
    enum fx_write write = FX_WRITE_KEEP;
    json_t *value = NULL;
    if (!decide_write(walk, old, &write, &value, ret_applied)) {
        return false;
    }
    if (write == FX_WRITE_KEEP) {
        return true;
    }
    if (write == FX_WRITE_REMOVE) {
        return remove_index(walk, list, index);
    }
    if (!check_element(walk, value)) {
        json_decref(value);
        return false;
    }
    return old != NULL ? put_index(walk, list, index, value)
                       : put_last(walk, list, value);
}

/* Counts the selected elements. An element that is not an object is an error. */
static bool count_named(const struct location_walk *walk, const json_t *list,
                        size_t *ret_count) {
    const struct fx_location_step *step = last_step(walk);
    size_t count = 0;
    size_t index = 0;
    const json_t *element = NULL;
    if (!spend_elements(walk, json_array_size(list) * (1 + step->n_except))) {
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

/* Fills `kept` with the remaining elements. A new list is made, since removing elements
 * one by one would move the rest each time. */
static bool keep_rest(struct location_walk *walk, const struct path_node *list,
                      json_t *kept, bool *ret_applied) {
    size_t index = 0;
    json_t *element = NULL;
    if (!spend_elements(walk, UNITS_OF_ELEMENT * json_array_size(list->node))) {
        return false;
    }
    json_array_foreach (list->node, index, element) {
        enum fx_write write = FX_WRITE_KEEP;
        json_t *value = NULL;
        if (fx_location_step_names(last_step(walk), element) &&
            !decide_write(walk, element, &write, &value, ret_applied)) {
            return false;
        }
        if (write != FX_WRITE_REMOVE &&
            !fx_tree_append_take(kept, json_incref(element))) {
            return fx_fail_nomem(walk->err);
        }
    }
    return true;
}

/* Calls the setter for every selected element. */
static bool remove_elements(struct location_walk *walk, struct path_node *list,
                            bool *ret_applied) {
    size_t n_named = 0;
    if (!count_named(walk, list->node, &n_named)) {
        return false;
    }
    const bool glob = last_step(walk)->glob;
    if (!passes_tests(walk, last_depth(walk), glob || n_named > 0)) {
        return true;
    }
    if (n_named == 0) {
        note_criterion(walk, CRITERION_LOCATION);
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
    replace_node(walk, list, kept);
    return true;
}

static bool end_in_list(struct location_walk *walk, struct path_node *list,
                        bool *ret_applied) {
    if (walk->setter->removes) {
        return remove_elements(walk, list, ret_applied);
    }
    if (last_step(walk)->glob) {
        return fx_fail(walk->err, FX_EMUTATE, "can't append to a globbed list");
    }
    return write_element(walk, list, ret_applied);
}

/* ---- the steps before the last ---------------------------------------------------- */

static bool is_last(const struct location_walk *walk, size_t depth) {
    return depth + 1 == walk->location->n_steps;
}

static bool fail_mismatch(const struct location_walk *walk,
                          const struct fx_location_step *step, const json_t *node) {
    const char *wanted = step->type == FX_LOCATION_LIST ? "List" : "object";
    struct fx_buf message;
    fx_buf_init(&message, 0);
    fx_buf_printf(
        &message,
        "mismatch between path entry (type: %s) and received object (type: %s). "
        "Path: ",
        wanted, fx_tree_go_type(node));
    fx_location_print_step(&message, step);
    return fx_buf_fail(&message, walk->err, FX_EMUTATE);
}

static bool visit_step(struct location_walk *walk, size_t depth,
                       struct path_node *current, bool *ret_applied);

/* Continues below the node of a step. *ret_kept is true if the node is new or a copy, and
 * the setter was applied: then the caller puts the node into its parent. Otherwise the
 * node is dropped. */
static bool visit_below(struct location_walk *walk, size_t depth,
                        struct path_node *current, bool *ret_applied, bool *ret_kept) {
    if (current->node == NULL) {
        return fx_fail_nomem(walk->err);
    }
    const bool made = current->made;
    const bool ok = visit_step(walk, depth + 1, current, ret_applied);
    *ret_kept = ok && current->detached && *ret_applied;
    if (!*ret_kept) {
        drop_path_node(current);
    } else if (made) {
        note_change(walk, depth);
    }
    return ok;
}

/* Continues below `child`, or below a new node if `child` is NULL. A new node is kept
 * only if the setter was applied. */
static bool visit_field(struct location_walk *walk, size_t depth,
                        struct path_node *object, json_t *child, bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    struct path_node current;
    if (child != NULL) {
        current = path_node_of_child(object, child);
    } else {
        const bool list = step[1].type == FX_LOCATION_LIST;
        current = path_node_of_new(list ? json_array() : json_object());
        current.made = true;
    }
    bool kept = false;
    return visit_below(walk, depth, &current, ret_applied, &kept) &&
           (!kept || put_key(walk, object, step->name, current.node));
}

static bool visit_object(struct location_walk *walk, size_t depth,
                         struct path_node *object, bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    if (!json_is_object(object->node)) {
        return fail_mismatch(walk, step, object->node);
    }
    if (is_last(walk, depth)) {
        return end_in_object(walk, object, ret_applied);
    }
    json_t *child = fx_tree_view_text(object->node, step->name);
    if (!passes_tests(walk, depth, child != NULL)) {
        return true;
    }
    if (child == NULL && walk->setter->removes) {
        note_criterion(walk, CRITERION_LOCATION);
        return true;
    }
    return visit_field(walk, depth, object, child, ret_applied);
}

/* Continues below one element. */
static bool visit_element(struct location_walk *walk, size_t depth,
                          struct path_node *list, size_t index, bool *ret_applied) {
    struct path_node current =
        path_node_of_child(list, json_array_get(list->node, index));
    bool applied = false;
    if (!spend_elements(walk, UNITS_OF_ELEMENT) ||
        !visit_step(walk, depth + 1, &current, &applied)) {
        drop_path_node(&current);
        return false;
    }
    *ret_applied = *ret_applied || applied;
    return !current.detached || put_index(walk, list, index, current.node);
}

/* Makes {keyField: keyValue}. */
static json_t *new_element(const struct fx_location_step *step) {
    json_t *element = json_object();
    if (element != NULL &&
        !fx_tree_set_take(element, step->name, json_incref(step->value))) {
        json_decref(element);
        return NULL;
    }
    return element;
}

static bool visit_new_element(struct location_walk *walk, size_t depth,
                              struct path_node *list, bool *ret_applied) {
    struct path_node current =
        path_node_of_new(new_element(&walk->location->steps[depth]));
    current.made = true;
    bool kept = false;
    return visit_below(walk, depth, &current, ret_applied, &kept) &&
           (!kept || put_last(walk, list, current.node));
}

/* Continues below every selected element, even if several have the same key. */
static bool visit_named(struct location_walk *walk, size_t depth, struct path_node *list,
                        bool *ret_found, bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    const size_t n_elements = json_array_size(list->node);
    if (!spend_elements(walk, n_elements * (1 + step->n_except))) {
        return false;
    }
    for (size_t i = 0; i < n_elements; i++) {
        if (!fx_location_step_names(step, json_array_get(list->node, i))) {
            continue;
        }
        const bool first = !*ret_found;
        *ret_found = true;
        if (first && !passes_tests(walk, depth, true)) {
            return true;
        }
        if (!visit_element(walk, depth, list, i, ret_applied)) {
            return false;
        }
    }
    return true;
}

/* Continues below the elements that a list step selects. Creates no element for a glob
 * that selects none. */
static bool visit_list(struct location_walk *walk, size_t depth, struct path_node *list,
                       bool *ret_applied) {
    const struct fx_location_step *step = &walk->location->steps[depth];
    if (!json_is_array(list->node)) {
        return fail_mismatch(walk, step, list->node);
    }
    if (is_last(walk, depth)) {
        return end_in_list(walk, list, ret_applied);
    }
    bool found = false;
    if (!visit_named(walk, depth, list, &found, ret_applied)) {
        return false;
    }
    if (found || !passes_tests(walk, depth, step->glob)) {
        return true;
    }
    if (step->glob || walk->setter->removes) {
        note_criterion(walk, CRITERION_LOCATION);
        return true;
    }
    return visit_new_element(walk, depth, list, ret_applied);
}

/* Continues at step `depth`. Recursion is limited by the number of steps
 * (FX_LIMIT_LOCATION_NODES). On failure the caller drops the node. */
static bool visit_step(struct location_walk *walk, size_t depth,
                       struct path_node *current, bool *ret_applied) {
    assert(depth < walk->location->n_steps);
    walk->path[depth] = current;
    return walk->location->steps[depth].type == FX_LOCATION_OBJECT
               ? visit_object(walk, depth, current, ret_applied)
               : visit_list(walk, depth, current, ret_applied);
}

bool fx_location_write(const struct fx_location *location,
                       const struct fx_path_tests *tests, const struct fx_setter *setter,
                       json_t **root, struct fx_written *ret_written,
                       struct fx_err *err) {
    if (location->n_steps == 0) {
        return fx_fail(err, FX_EMUTATE, "attempting to mutate an empty target location");
    }
    assert(location->n_steps <= FX_LIMIT_LOCATION_NODES);
    struct path_node *path[FX_LIMIT_LOCATION_NODES];
    json_t *nodes[FX_LIMIT_LOCATION_NODES];
    struct location_walk walk = {.location = location,
                                 .tests = tests,
                                 .setter = setter,
                                 .path = path,
                                 .nodes = nodes,
                                 .depth = location->n_steps + 1,
                                 .err = err};
    struct path_node current = {.node = *root, .owned = fx_tree_is_unshared(*root)};
    bool applied = false;
    const bool ok = visit_step(&walk, 0, &current, &applied);
    if (current.detached) {
        json_decref(*root);
        *root = current.node;
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
