/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/location.c - the printed form of a location (spec section 1.4),
 * equality of steps, and the values that a location selects.
 */
#include "location/gatekeeper/location.h"

#include <string.h>

#include "base/budget.h"
#include "value/equal.h"
#include "value/number.h"
#include "value/tree.h"

/* True for a name that is printed with quotes. Names with other special characters (`/`,
 * CR, beyond ASCII) are printed without quotes, and so cannot be parsed again. */
static bool needs_quotes(struct fx_text name) {
    if (name.len == 0 || (name.data[0] >= '0' && name.data[0] <= '9')) {
        return true;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (fx_is_one_of(name.data[i], "'\"\t\n \\*[]:.")) {
            return true;
        }
    }
    return false;
}

static void print_quoted(struct fx_buf *buf, struct fx_text name) {
    fx_buf_char(buf, '"');
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] == '"' || name.data[i] == '\\') {
            fx_buf_char(buf, '\\');
        }
        fx_buf_char(buf, name.data[i]);
    }
    fx_buf_char(buf, '"');
}

static void print_name(struct fx_buf *buf, struct fx_text name) {
    if (needs_quotes(name)) {
        print_quoted(buf, name);
    } else {
        fx_buf_text(buf, name);
    }
}

static void print_value(struct fx_buf *buf, const json_t *value) {
    if (json_is_integer(value)) {
        fx_number_add(buf, value);
    } else {
        print_name(buf, fx_tree_text(value));
    }
}

/* Always quotes texts, so that they can be parsed again. Gatekeeper has no exclusions, so
 * its printed form gives no rule for them. */
static void print_exclusions(struct fx_buf *buf, const struct fx_location_step *step) {
    for (size_t i = 0; i < step->n_except; i++) {
        fx_buf_str(buf, i == 0 ? " except " : ", ");
        if (json_is_string(step->except[i])) {
            print_quoted(buf, fx_tree_text(step->except[i]));
        } else {
            print_value(buf, step->except[i]);
        }
    }
}

void fx_location_print_step(struct fx_buf *buf, const struct fx_location_step *step) {
    if (step->type == FX_LOCATION_OBJECT) {
        print_name(buf, step->name);
        return;
    }
    fx_buf_char(buf, '[');
    print_name(buf, step->name);
    fx_buf_str(buf, ": ");
    if (step->glob) {
        fx_buf_char(buf, '*');
        print_exclusions(buf, step);
    } else {
        print_value(buf, step->value);
    }
    fx_buf_char(buf, ']');
}

void fx_location_print(struct fx_buf *buf, const struct fx_location *location) {
    for (size_t i = 0; i < location->n_steps; i++) {
        if (i > 0 && location->steps[i].type == FX_LOCATION_OBJECT) {
            fx_buf_char(buf, '.');
        }
        fx_location_print_step(buf, &location->steps[i]);
    }
}

static bool step_excludes(const struct fx_location_step *step, const json_t *key) {
    for (size_t i = 0; i < step->n_except; i++) {
        if (json_equal(step->except[i], key)) {
            return true;
        }
    }
    return false;
}

static bool excludes_all_of(const struct fx_location_step *step,
                            const struct fx_location_step *other) {
    for (size_t i = 0; i < other->n_except; i++) {
        if (!step_excludes(step, other->except[i])) {
            return false;
        }
    }
    return true;
}

bool fx_location_step_equal(const struct fx_location_step *a,
                            const struct fx_location_step *b) {
    if (a->type != b->type || a->glob != b->glob || !fx_text_equal(a->name, b->name)) {
        return false;
    }
    if (a->value != b->value && !json_equal(a->value, b->value)) {
        return false;
    }
    return excludes_all_of(a, b) && excludes_all_of(b, a);
}

bool fx_location_has_prefix(const struct fx_location *location,
                            const struct fx_location *prefix) {
    if (prefix->n_steps > location->n_steps) {
        return false;
    }
    for (size_t i = 0; i < prefix->n_steps; i++) {
        if (!fx_location_step_equal(&prefix->steps[i], &location->steps[i])) {
            return false;
        }
    }
    return true;
}

/* ---- reading ----------------------------------------------------------------------- */

static bool has_key(const json_t *key, const json_t *wanted) {
    return json_typeof(key) == json_typeof(wanted) && fx_equal(key, wanted);
}

bool fx_location_step_names(const struct fx_location_step *step, const json_t *element) {
    if (step->glob && step->n_except == 0) {
        return true;
    }
    const json_t *key = fx_tree_view_text(element, step->name);
    if (!step->glob) {
        return key != NULL && has_key(key, step->value);
    }
    for (size_t i = 0; key != NULL && i < step->n_except; i++) {
        if (has_key(key, step->except[i])) {
            return false;
        }
    }
    return true;
}

size_t fx_location_common(const struct fx_location *a, const struct fx_location *b) {
    size_t n_common = 0;
    while (n_common < a->n_steps && n_common < b->n_steps &&
           fx_location_step_equal(&a->steps[n_common], &b->steps[n_common])) {
        n_common++;
    }
    return n_common;
}

/* Recursion is limited by the number of steps (FX_LIMIT_LOCATION_NODES). */
bool fx_location_each(const struct fx_location *location, size_t from, json_t *node,
                      bool (*visit)(void *user, json_t *value), void *user) {
    if (from >= location->n_steps) {
        return visit(user, node);
    }
    const struct fx_location_step *step = &location->steps[from];
    if (step->type == FX_LOCATION_OBJECT) {
        json_t *child = fx_tree_view_text(node, step->name);
        return child == NULL || fx_location_each(location, from + 1, child, visit, user);
    }
    size_t index = 0;
    json_t *element = NULL;
    json_array_foreach (node, index, element) {
        if (!fx_spend(1 + step->n_except)) {
            return false;
        }
        if (fx_location_step_names(step, element) &&
            !fx_location_each(location, from + 1, element, visit, user)) {
            return false;
        }
    }
    return true;
}

static bool take_first(void *user, json_t *value) {
    json_t **found = user;
    *found = value;
    return false;
}

json_t *fx_location_first(const struct fx_location *location, size_t from, json_t *node) {
    json_t *found = NULL;
    (void)fx_location_each(location, from, node, take_first, &found);
    return found;
}
