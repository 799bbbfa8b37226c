/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_attribute.c - fields and indexes that are read, in a row, from a variable or from
 * the value of an expression; has(); conditionals.
 *
 * Once a step or the start is optional, all later steps are, and so is the result.
 */
#include "base/budget.h"
#include "location/cel/eval.h"
#include "location/cel/find.h"
#include "location/cel/number.h"
#include "location/cel/print_key.h"

/* How far an attribute has been read. */
struct reading {
    const struct fx_cel_value *value; /* so far, or an error: a variable, or `store` */
    struct fx_cel_value *store;
    bool is_optional; /* the result is an optional value, */
    bool is_none;     /* and it is optional.none(): no further step is made */
    bool has_choice;  /* it begins with a conditional */
};

static void read_attribute(struct fx_cel_run *run, const struct fx_cel_node *node,
                           struct reading *reading);

static bool has_ended(const struct reading *reading) {
    return reading->is_none || reading->value->kind == FX_CEL_ERROR;
}

static void set_value(struct reading *reading, struct fx_cel_value value) {
    *reading->store = value;
    reading->value = reading->store;
}

/* Begins with a value. Of an optional value within an optional one the original sees only
 * the innermost value; optional.none() is null there (measured). */
static void start(struct reading *reading, const struct fx_cel_value *value) {
    reading->value = value;
    if (value->kind != FX_CEL_OPTIONAL) {
        return;
    }
    reading->is_optional = true;
    reading->is_none = value->inner == NULL;
    while (reading->value->kind == FX_CEL_OPTIONAL && reading->value->inner != NULL) {
        reading->value = reading->value->inner;
    }
    if (!reading->is_none && reading->value->kind == FX_CEL_OPTIONAL) {
        set_value(reading, fx_cel_make_null());
    }
}

static struct fx_cel_value missing(struct fx_cel_run *run, uint8_t kind,
                                   struct fx_cel_value key) {
    return fx_cel_fail_key(
        run, kind == FX_CEL_LIST ? "index out of bounds: " : "no such key: ", key, "");
}

/* An optional step that finds nothing, or fails, costs nothing. */
static void make_step(struct fx_cel_run *run, struct reading *reading,
                      struct fx_cel_step *step) {
    const bool is_optional = reading->is_optional || step->is_optional;
    const uint8_t kind = reading->value->kind;
    step->is_question = is_optional || step->is_test;
    if (step->key->kind == FX_CEL_ERROR) {
        set_value(reading, *step->key);
    } else {
        fx_cel_find(run, reading->value, step, reading->store);
        reading->value = reading->store;
    }
    const bool is_there =
        reading->store->kind != FX_CEL_UNSET && reading->store->kind != FX_CEL_ERROR;
    run->cost += is_there || !is_optional || step->is_test;
    if (reading->store->kind == FX_CEL_ERROR) {
        return;
    }
    if (step->is_test) {
        set_value(reading, fx_cel_make_bool(is_there));
        reading->is_optional = false;
    } else if (is_optional) {
        reading->is_optional = true;
        reading->is_none = !is_there;
    } else if (!is_there) {
        set_value(reading, missing(run, kind, *step->key));
    }
}

/* The value of an attribute that has been read, into its store. */
static void finish(struct fx_cel_run *run, const struct reading *reading) {
    if (reading->is_none && reading->value->kind != FX_CEL_ERROR) {
        *reading->store = fx_cel_optional_none();
    } else if (reading->is_optional && reading->value->kind != FX_CEL_ERROR) {
        *reading->store = fx_cel_new_optional(run, *reading->value);
    } else if (reading->value != reading->store) {
        *reading->store = *reading->value;
    }
}

static bool is_key(const struct fx_cel_value *value) {
    return (value->kind >= FX_CEL_INT && value->kind <= FX_CEL_STRING) ||
           value->kind == FX_CEL_BOOL;
}

/* The value of an index: as an attribute it costs no more than its steps. */
static void eval_key(struct fx_cel_run *run, const struct fx_cel_node *node,
                     struct fx_cel_value *ret) {
    if (fx_cel_is_attribute(node)) {
        struct reading reading = {.store = ret};
        read_attribute(run, node, &reading);
        finish(run, &reading);
    } else {
        fx_cel_eval_node(run, node, ret);
    }
    if (ret->kind != FX_CEL_ERROR && !is_key(ret)) {
        *ret = fx_cel_fail(run, "invalid qualifier type: %s", fx_cel_go_type_name(*ret));
    }
}

static void read_select(struct fx_cel_run *run, const struct fx_cel_node *node,
                        struct reading *reading) {
    read_attribute(run, node->select.operand, reading);
    if (!has_ended(reading)) {
        struct fx_cel_value key;
        key.kind = FX_CEL_STRING;
        key.flags = 0;
        key.runes = FX_CEL_RUNES_UNKNOWN;
        key.text = node->select.field;
        struct fx_cel_step step = {.key = &key,
                                   .is_test = node->select.is_test,
                                   .is_field = node->how == FX_CEL_HOW_FIELD};
        make_step(run, reading, &step);
    } else if (node->select.is_test && reading->value->kind != FX_CEL_ERROR) {
        set_value(reading, fx_cel_make_bool(false)); /* has(optional.none().a) */
        reading->is_optional = false;
        reading->is_none = false;
    }
}

static void read_index(struct fx_cel_run *run, const struct fx_cel_node *node,
                       struct reading *reading) {
    const struct fx_cel_node *index = fx_cel_argument(node, 1);
    struct fx_cel_step step = {.is_optional = node->how == FX_CEL_HOW_OPTIONAL_INDEX};
    read_attribute(run, fx_cel_argument(node, 0), reading);
    if (has_ended(reading)) {
        return;
    }
    struct fx_cel_value key;
    if (index->type == FX_CEL_NODE_LITERAL && is_key(&index->literal)) {
        step.key = &index->literal;
    } else {
        eval_key(run, index, &key);
        step.key = &key;
    }
    make_step(run, reading, &step);
}

static void read_choice(struct fx_cel_run *run, const struct fx_cel_node *node,
                        struct reading *reading) {
    struct fx_cel_value condition;
    fx_cel_eval_node(run, fx_cel_argument(node, 0), &condition);
    if (condition.kind == FX_CEL_BOOL) {
        read_attribute(run, fx_cel_argument(node, condition.boolean ? 1 : 2), reading);
    } else {
        set_value(reading,
                  condition.kind == FX_CEL_ERROR ? condition : fx_cel_no_overload());
    }
    reading->has_choice = true;
}

static void read_attribute(struct fx_cel_run *run, const struct fx_cel_node *node,
                           struct reading *reading) {
    if (!fx_spend(1)) {
        set_value(reading, fx_cel_exceeded(run));
    } else if (!fx_cel_is_attribute(node)) {
        fx_cel_eval_node(run, node, reading->store);
        start(reading, reading->store);
    } else if (node->type == FX_CEL_NODE_NAME) {
        start(reading, fx_cel_eval_variable(run, node));
    } else if (node->type == FX_CEL_NODE_SELECT) {
        read_select(run, node, reading);
    } else if (node->how == FX_CEL_HOW_CONDITIONAL) {
        read_choice(run, node, reading);
    } else {
        read_index(run, node, reading);
    }
}

void fx_cel_eval_attribute(struct fx_cel_run *run, const struct fx_cel_node *node,
                           struct fx_cel_value *ret) {
    struct reading reading = {.store = ret};
    const bool is_test = node->type == FX_CEL_NODE_SELECT && node->select.is_test;
    read_attribute(run, node, &reading);
    run->cost += !reading.has_choice && !is_test;
    finish(run, &reading);
}
