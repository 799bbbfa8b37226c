/* SPDX-License-Identifier: Apache-2.0
 *
 * location/gatekeeper/location_print.c - the printed form of a location (spec section
 * 1.4), and when two steps are the same.
 */
#include "location/gatekeeper/location.h"

#include <string.h>

#include "value/number.h"
#include "value/tree.h"

static const char *const step_type_names[] = {
#define X(name, text) [FX_LOCATION_##name] = text,
    FX_LOCATION_STEPS(X)
#undef X
};

const char *fx_location_step_type_name(enum fx_location_step_type type) {
    return step_type_names[type];
}

/* Other odd runes (`/`, CR, beyond ASCII) print bare, and so do not parse again. */
static bool needs_quotes(struct fx_text name) {
    if (name.len == 0 || (name.data[0] >= '0' && name.data[0] <= '9')) {
        return true;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] != '\0' && strchr("'\"\t\n \\*[]:.", name.data[i]) != NULL) {
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
    if (!json_is_integer(value)) {
        print_name(buf, fx_tree_text(value));
        return;
    }
    char text[FX_NUMBER_SIZE];
    const size_t len = fx_number_print(value, text);
    fx_buf_add(buf, text, len);
}

/* Texts are always quoted: nobody's tooling knows these, so all of them read back. */
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

static bool excludes(const struct fx_location_step *step, const json_t *key) {
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
        if (!excludes(step, other->except[i])) {
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
