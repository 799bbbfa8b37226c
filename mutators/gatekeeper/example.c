/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/example.c - makes an example: a small object on which a mutator
 * acts. It has the nodes that the location needs, and values for which path tests and
 * conditions hold. It lacks everything that cannot be derived from the policy (a regular
 * expression, conditions that contradict each other). So callers must try whether the
 * mutator acts.
 */
#include "mutators/gatekeeper/example.h"

#include <stdlib.h>
#include <string.h>

#include "engine/policy_text.h"
#include "mutators/gatekeeper/image.h"
#include "value/equal.h"
#include "value/tree.h"

#define SAMPLE_PATH "nginx"
#define SAMPLE_TAG  ":1.25"

/* ---- writing values ---------------------------------------------------- */

/* The writing of a value at the end of a location. */
struct putting {
    json_t *value;
    bool replaces; /* also replaces an existing value */
};

static bool put_setter(const void *user, const struct fx_write_position *position,
                       enum fx_write *ret_write, json_t **ret_value,
                       const char **ret_criterion, struct fx_err *err) {
    (void)ret_criterion;
    (void)err;
    const struct putting *putting = user;
    if (position->old != NULL && !putting->replaces) {
        *ret_write = FX_WRITE_KEEP;
        return true;
    }
    *ret_write = FX_WRITE_SET;
    *ret_value = json_incref(putting->value);
    return true;
}

/* True if the glob excludes this key. */
static bool glob_excludes(const struct fx_location_step *glob, const json_t *key) {
    for (size_t i = 0; i < glob->n_except; i++) {
        if (fx_equal(glob->except[i], key)) {
            return true;
        }
    }
    return false;
}

/* Returns a key for an element that the glob selects, unless the glob excludes both keys
 * that are tried. A new reference; NULL if out of memory. */
static json_t *make_key(const struct fx_location_step *glob) {
    json_t *key = json_string(EXAMPLE_NAME);
    if (key != NULL && glob_excludes(glob, key)) {
        json_decref(key);
        key = json_string("main");
    }
    return key;
}

/* The first `n_steps` of the location, with a key in place of each glob, so that elements
 * are made. The steps borrow from the location; the keys are counted. */
struct exact {
    struct fx_location location;
    json_t **keys;
};

static void exact_finish(struct exact *exact) {
    for (size_t i = 0; exact->keys != NULL && i < exact->location.n_steps; i++) {
        json_decref(exact->keys[i]);
    }
    free(exact->keys);
    free(exact->location.steps);
}

static bool exact_init(struct exact *exact, const struct fx_location *location,
                       size_t n_steps) {
    *exact = (struct exact){
        .location = {.n_steps = n_steps,
                     .steps = calloc(n_steps + 1, sizeof *location->steps)},
        .keys = calloc(n_steps + 1, sizeof(json_t *)),
    };
    bool ok = exact->location.steps != NULL && exact->keys != NULL;
    for (size_t i = 0; ok && i < n_steps; i++) {
        struct fx_location_step *step = &exact->location.steps[i];
        *step = location->steps[i];
        if (step->glob) {
            exact->keys[i] = make_key(step);
            ok = exact->keys[i] != NULL;
            step->glob = false;
            step->value = exact->keys[i];
        }
    }
    return ok;
}

/* Returns a copy of the value as an element of the list, with its key. A new
 * reference. */
static json_t *as_element(const struct fx_location_step *list, const json_t *value) {
    json_t *element = json_is_object(value) ? fx_tree_deep_copy(value) : json_object();
    if (element != NULL &&
        !fx_tree_set_take(element, list->name, json_incref(list->value))) {
        json_decref(element);
        return NULL;
    }
    return element;
}

/* Writes `value` (consumed) after the first `n_steps` of the location. Keeps an existing
 * value unless `replaces`. Does nothing if the object has nodes of other types there.
 * False if out of memory. */
static bool put_take(json_t **root, const struct fx_location *location, size_t n_steps,
                     json_t *value, bool replaces, struct fx_err *err) {
    struct exact exact = {.keys = NULL};
    struct fx_written written = {0};
    struct putting putting = {.value = value, .replaces = replaces};
    bool ok = value != NULL && exact_init(&exact, location, n_steps);
    if (ok && n_steps > 0 && exact.location.steps[n_steps - 1].type == FX_LOCATION_LIST) {
        putting.value = as_element(&exact.location.steps[n_steps - 1], value);
        ok = putting.value != NULL;
        json_decref(value);
    }
    if (!ok) {
        (void)fx_fail_nomem(err);
    } else if (n_steps > 0) {
        const struct fx_setter setter = {.set = put_setter, .user = &putting};
        ok = fx_location_write(&exact.location, NULL, &setter, root, &written, err) ||
             !fx_err_is_ours(err);
    }
    json_decref(putting.value);
    exact_finish(&exact);
    return ok;
}

/* Returns the node before the step `n_steps`: a list before a list step, otherwise an
 * object. */
static json_t *make_node(const struct fx_location *location, size_t n_steps) {
    const bool is_list =
        n_steps < location->n_steps && location->steps[n_steps].type == FX_LOCATION_LIST;
    return is_list ? json_array() : json_object();
}

/* ---- values that the mutator changes --------------------------------------------- */

/* The mutator, and its policy. */
struct example {
    const struct target *target;
    const json_t *spec, *parameters;
};

/* Makes another value of the same type. */
static json_t *make_other(const json_t *value) {
    if (value == NULL || json_is_string(value)) {
        const bool is_taken = fx_text_is(fx_tree_text(value), EXAMPLE_NAME);
        return json_string(is_taken ? "other" : EXAMPLE_NAME);
    }
    if (json_is_boolean(value)) {
        return json_boolean(!json_is_true(value));
    }
    if (json_is_number(value)) {
        return json_integer(json_number_value(value) == 0.0 ? 1 : 0);
    }
    return json_is_array(value) ? json_array() : json_object();
}

/* Returns the first string of the list, or `usual` if it is empty. */
static struct fx_text first_text(const json_t *list, const char *usual) {
    return json_array_size(list) > 0 ? fx_tree_text(json_array_get(list, 0))
                                     : fx_text_of(usual);
}

/* Returns an image that the policy changes. */
static json_t *make_image(const json_t *parameters) {
    const json_t *only_if = fx_shape_view(parameters, "onlyIf");
    const struct fx_text domain = first_text(fx_shape_view(only_if, "domains"), "");
    const struct fx_text path = first_text(fx_shape_view(only_if, "paths"), SAMPLE_PATH);
    const struct fx_text tag = first_text(fx_shape_view(only_if, "tags"), SAMPLE_TAG);
    return json_sprintf("%.*s%s%.*s%.*s", FX_TEXT_ARG(domain), domain.len > 0 ? "/" : "",
                        FX_TEXT_ARG(path), FX_TEXT_ARG(tag));
}

static bool is_prune(const json_t *parameters) {
    return fx_text_is(fx_tree_view_string(parameters, "operation"), "prune");
}

/* Returns a list for ModifySet: an empty one, or one with an element that it prunes. */
static json_t *make_set(const json_t *parameters) {
    const json_t *values = fx_shape_view(fx_shape_view(parameters, "values"), "fromList");
    json_t *list = json_array();
    if (list != NULL && is_prune(parameters) && json_array_size(values) > 0 &&
        !fx_tree_append_take(list, json_incref(json_array_get(values, 0)))) {
        json_decref(list);
        return NULL;
    }
    return list;
}

/* Returns the value that the mutator would change; NULL if out of memory. */
static json_t *make_end(const struct example *of) {
    const json_t *parameters = of->parameters;
    const char *kind = of->target->mutator.kind;
    if (strcmp(kind, "AssignImage") == 0) {
        return make_image(parameters);
    }
    if (strcmp(kind, "ModifySet") == 0) {
        return make_set(parameters);
    }
    return make_other(fx_shape_view(fx_shape_view(parameters, "assign"), "value"));
}

/* True if the mutator acts only if there is a value. */
static bool needs_end(const struct example *of) {
    const char *kind = of->target->mutator.kind;
    return strcmp(kind, "AssignImage") == 0 || strcmp(kind, "Remove") == 0 ||
           (strcmp(kind, "ModifySet") == 0 && is_prune(of->parameters));
}

/* ---- the location and its tests -------------------------------------------------- */

/* Returns the number of steps of the location that must exist: those up to the last
 * MustExist, and those up to the last glob unless a MustNotExist comes first. */
static size_t count_needed(const struct example *of) {
    const struct fx_location *location = of->target->location;
    const struct fx_path_tests *tests = of->target->tests;
    size_t allowed = location->n_steps;
    size_t needed = 0;
    for (size_t i = 0; tests != NULL && i < tests->n_depths; i++) {
        if (tests->by_depth[i] == FX_PATH_TEST_MUST_NOT_EXIST && i < allowed) {
            allowed = i;
        }
        if (tests->by_depth[i] == FX_PATH_TEST_MUST_EXIST) {
            needed = i + 1;
        }
    }
    for (size_t i = 0; i + 1 < location->n_steps && i < allowed; i++) {
        if (location->steps[i].glob && i + 1 > needed) {
            needed = i + 1;
        }
    }
    return needs_end(of) ? location->n_steps : needed;
}

static bool put_location(const struct example *of, json_t **root, struct fx_err *err) {
    const struct fx_location *location = of->target->location;
    const size_t n = count_needed(of);
    if (n == 0) {
        return true;
    }
    json_t *value = n == location->n_steps ? make_end(of) : make_node(location, n);
    return put_take(root, location, n, value, false, err);
}

/* ---- our own group --------------------------------------------------------------- */

static bool put_source(const struct example *of, json_t **root, struct fx_err *err) {
    const struct fx_location *from = of->target->from;
    return from == NULL ||
           put_take(root, from, from->n_steps, json_string(EXAMPLE_NAME), false, err);
}

static struct fx_text drop_start(struct fx_text text, const char *start) {
    const size_t len = strlen(start);
    return fx_text_starts(text, fx_text_of(start))
               ? (struct fx_text){text.data + len, text.len - len}
               : text;
}

static struct fx_text drop_end(struct fx_text text, const char *end) {
    return fx_text_ends(text, fx_text_of(end))
               ? (struct fx_text){text.data, text.len - strlen(end)}
               : text;
}

/* Returns a string that matches the pattern, if the pattern is a string between anchors
 * or `.*`; otherwise data is NULL. */
static struct fx_text literal_of(struct fx_text pattern) {
    pattern = drop_start(drop_start(pattern, "^"), ".*");
    pattern = drop_end(drop_end(pattern, "$"), ".*");
    for (size_t i = 0; i < pattern.len; i++) {
        if (strchr("\\.+*?()[]{}|^$", pattern.data[i]) != NULL) {
            return (struct fx_text){NULL, 0};
        }
    }
    return pattern;
}

/* Returns a value for which the condition holds, a new reference. Returns NULL with
 * *ret_wanted false if there is no such value or none can be derived; NULL if out of
 * memory. */
static json_t *make_wanted(const json_t *condition, bool *ret_wanted) {
    const struct fx_text relation = fx_tree_view_string(condition, "operator");
    json_t *first = json_array_get(fx_shape_view(condition, "values"), 0);
    *ret_wanted = true;
    if (fx_text_is(relation, "In") && first != NULL) {
        return json_incref(first);
    }
    if (fx_text_is(relation, "Matches")) {
        const struct fx_text literal = literal_of(fx_tree_text(first));
        return fx_tree_new_string(literal.data != NULL ? literal : FX_TEXT(EXAMPLE_NAME));
    }
    *ret_wanted = fx_text_is(relation, "Exists");
    return *ret_wanted ? json_string(EXAMPLE_NAME) : NULL;
}

static bool put_conditions(const struct example *of, json_t **root, struct fx_err *err) {
    const struct conditions *compiled = &of->target->conditions;
    const json_t *conditions = fx_shape_view(of->spec, "conditions");
    for (size_t i = 0; i < compiled->n_items; i++) {
        const struct policy_condition *condition = &compiled->items[i];
        const struct fx_location *location = condition->field.location;
        bool wanted = false;
        json_t *value = make_wanted(json_array_get(conditions, i), &wanted);
        if (wanted && !put_take(root, location, location->n_steps, value,
                                condition->relation != CONDITION_EXISTS, err)) {
            return false;
        }
    }
    return true;
}

static json_t *make_example(const struct example *of, struct fx_err *err) {
    json_t *root = fx_example_subject(of->target, of->spec, err);
    if (root == NULL) {
        return NULL;
    }
    if (!put_location(of, &root, err) || !put_source(of, &root, err) ||
        !put_conditions(of, &root, err)) {
        json_decref(root);
        return NULL;
    }
    err->code = FX_OK; /* a location that contradicts the object is not a failure */
    return root;
}

json_t *fx_target_example(const struct fx_mutator *self, struct fx_err *err) {
    json_t *policy = fx_policy_text_read(self->policy);
    if (policy == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    const json_t *spec = fx_shape_view(policy, "spec");
    const struct example of = {
        .target = (const struct target *)self, /* its first member */
        .spec = spec,
        .parameters = fx_shape_view(spec, "parameters"),
    };
    json_t *root = make_example(&of, err);
    json_decref(policy);
    return root;
}
