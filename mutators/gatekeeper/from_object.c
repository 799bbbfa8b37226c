/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/from_object.c - `assign.fromObject` of Fixpoint's own group: writes
 * the value of another field of the object by reference, without a copy.
 */
#include <stdio.h>

#include "base/buf.h"
#include "base/limits.h"
#include "location/gatekeeper/location.h"
#include "mutators/gatekeeper/assigner.h"
#include "value/equal.h"
#include "value/tree.h"

#define FIELD_PATH "spec.parameters.assign.fromObject"

/* ---- the policy ------------------------------------------------------------------ */

static bool excepts(const struct fx_location_step *glob, const json_t *key) {
    for (size_t i = 0; i < glob->n_except; i++) {
        if (json_typeof(glob->except[i]) == json_typeof(key) &&
            fx_equal(glob->except[i], key)) {
            return true;
        }
    }
    return false;
}

/* True if both steps can select the same node. Two lists of one name can, unless their
 * keys differ. */
static bool may_meet(const struct fx_location_step *a, const struct fx_location_step *b) {
    if (a->type != b->type) {
        return false;
    }
    const bool same_name = fx_text_equal(a->name, b->name);
    if (a->type == FX_LOCATION_OBJECT) {
        return same_name;
    }
    if (!same_name || (a->glob && b->glob)) {
        return true;
    }
    if (!a->glob && !b->glob) {
        return fx_location_step_equal(a, b);
    }
    return a->glob ? !excepts(a, b->value) : !excepts(b, a->value);
}

static size_t count_meeting(const struct fx_location *a, const struct fx_location *b) {
    size_t n = 0;
    while (n < a->n_steps && n < b->n_steps && may_meet(&a->steps[n], &b->steps[n])) {
        n++;
    }
    return n;
}

/* True if the location writes the key by which the source finds an element. */
static bool changes_key(const struct fx_location *location,
                        const struct fx_location *source, size_t n_meeting) {
    const size_t n = location->n_steps;
    if (n < 2 || location->steps[n - 1].type != FX_LOCATION_OBJECT || n_meeting + 2 < n ||
        n - 2 >= source->n_steps) {
        return false;
    }
    const struct fx_location_step *list = &source->steps[n - 2];
    return list->type == FX_LOCATION_LIST &&
           fx_text_equal(list->name, location->steps[n - 1].name);
}

/* Returns the fault of the locations, or NULL. The write must not change the value that
 * is read: otherwise each pass would write again, and a value that contains itself would
 * grow. */
static const char *find_fault(const struct other_location *from) {
    const struct fx_location *location = from->seen_from;
    const struct fx_location *source = from->location;
    const size_t n_meeting = count_meeting(location, source);
    if (from->n_shared == location->n_steps && from->n_shared == source->n_steps) {
        return "is the location itself";
    }
    if (n_meeting == source->n_steps && n_meeting < location->n_steps) {
        return "the location lies within this value, which would grow without end";
    }
    if (n_meeting == location->n_steps && n_meeting < source->n_steps) {
        return "this value lies within the location, and would be lost by the write";
    }
    if (changes_key(location, source, n_meeting)) {
        return "looks for a list element by the field that the location changes";
    }
    for (size_t i = from->n_shared; i < source->n_steps; i++) {
        if (source->steps[i].glob) {
            return "leads to several values: its globs must be those with which the "
                   "location begins";
        }
    }
    return NULL;
}

bool fx_source_read_object(struct source *source, const struct policy *policy,
                           const struct fx_location *location, struct fx_err *err) {
    const json_t *node = fx_shape_view(source->assign, "fromObject");
    source->type = SOURCE_OBJECT;
    if (!fx_other_location_parse(fx_tree_text(node), policy->syntax, location,
                                 &source->from, err)) {
        err->node = node;
        return fx_err_prefix(err, FIELD_PATH ": ");
    }
    const char *fault = find_fault(&source->from);
    return fault == NULL || fx_fail_in(err, node, FX_EINVALID, FIELD_PATH ": %s", fault);
}

/* ---- the object ------------------------------------------------------------------ */

/* Fails with "value at spec.x …". */
static bool fail_value(const struct source *source, const char *problem,
                       struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "value at ");
    fx_location_print(&text, source->from.location);
    fx_buf_str(&text, problem);
    return fx_fail_buf_finish(err, NULL, FX_EMUTATE, &text);
}

static bool check_string(const struct setting *setting, const json_t *value,
                         struct fx_err *err) {
    const struct source *source = setting->source;
    struct fx_placeholder to_come;
    if (!source->only_strings || json_is_string(value) ||
        fx_placeholders_find(setting->request->placeholders, value, &to_come)) {
        return true;
    }
    char problem[64];
    (void)snprintf(problem, sizeof problem, " is not a string, got %s",
                   fx_tree_go_type(value));
    return fail_value(source, problem, err);
}

/* Checks an element of a keyed list, which must be an object with the list's key. */
static bool check_element(const struct source *source, const json_t *value,
                          struct fx_err *err) {
    const struct fx_location *location = source->from.seen_from;
    const struct fx_location_step *last = &location->steps[location->n_steps - 1];
    if (last->type != FX_LOCATION_LIST) {
        return true;
    }
    if (!json_is_object(value)) {
        return fail_value(
            source, " is not an object, only objects can be added to keyed lists", err);
    }
    return fx_location_step_names(last, value) ||
           fail_value(source, " has another key than the list element", err);
}

/* Subtracts a node from the budget. A long text counts as several nodes. */
static bool spend_node(size_t *budget, size_t n_bytes) {
    const size_t n = 1 + n_bytes / FX_LIMIT_COPIED_NODE_BYTES;
    if (n > *budget) {
        return false;
    }
    *budget -= n;
    return true;
}

/* True if the budget has room for the nodes of the value, and the value is not too
 * deep. */
static bool has_room(json_t *value, size_t depth, size_t *budget) {
    if (depth > FX_LIMIT_JSON_DEPTH || !spend_node(budget, json_string_length(value))) {
        return false;
    }
    const char *key = NULL;
    json_t *child = NULL;
    json_object_foreach (value, key, child) {
        if (!has_room(child, depth + 1, budget)) {
            return false;
        }
    }
    size_t index = 0;
    json_array_foreach (value, index, child) {
        if (!has_room(child, depth + 1, budget)) {
            return false;
        }
    }
    return true;
}

static bool check_size(const struct source *source, struct finding *finding,
                       struct fx_err *err) {
    size_t budget = FX_LIMIT_COPIED_NODES;
    if (!has_room(finding->value, source->from.seen_from->n_steps, &budget)) {
        return fail_value(source, " is too large to be copied", err);
    }
    finding->n_nodes = FX_LIMIT_COPIED_NODES - budget;
    return true;
}

/* Finds the value for this position, which is NULL if there is none, and checks that it
 * may be written. */
static bool find_value(const struct setting *setting,
                       const struct fx_write_position *position, struct fx_err *err) {
    const struct source *source = setting->source;
    const struct other_location *from = &source->from;
    json_t *start = fx_other_location_start(from, position);
    json_t *value =
        start == NULL ? NULL : fx_location_first(from->location, from->n_shared, start);
    if (value == NULL || json_is_null(value)) {
        setting->finding->value = NULL;
        return true;
    }
    setting->finding->value = value;
    return check_string(setting, value, err) && check_element(source, value, err) &&
           check_size(source, setting->finding, err);
}

/* Limits the sum of all copies. They share memory, but not when they are printed. */
static bool check_total(const struct setting *setting, struct fx_err *err) {
    struct finding *finding = setting->finding;
    finding->n_copied += finding->n_nodes;
    return finding->n_copied <= FX_LIMIT_COPIED_NODES_OF_PASS ||
           fail_value(setting->source, " is too large to be copied to so many places",
                      err);
}

bool fx_source_set_object(const void *user, const struct fx_write_position *position,
                          enum fx_write *ret_write, json_t **ret_value,
                          const char **ret_criterion, struct fx_err *err) {
    const struct setting *setting = user;
    struct finding *finding = setting->finding;
    const json_t *key = fx_other_location_key(&setting->source->from, position);
    if (key == NULL || key != finding->key) {
        finding->key = key;
        if (!find_value(setting, position, err)) {
            return false;
        }
    }
    if (finding->value == NULL) {
        *ret_write = FX_WRITE_PASS;
        *ret_criterion = "fromObject";
        return true;
    }
    if (!check_total(setting, err)) {
        return false;
    }
    *ret_write = FX_WRITE_SET;
    *ret_value = json_incref(finding->value);
    return true;
}
