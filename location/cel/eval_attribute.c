/* SPDX-License-Identifier: Apache-2.0
 *
 * eval_attribute.c - fields and indexes that are read, in a row, from a variable or from
 * the value of an expression; has(); conditionals.
 *
 * Once a step or the start is optional, all later steps are, and so is the result.
 */
#include "base/budget.h"
#include "location/cel/eval.h"
#include "location/cel/map.h"
#include "location/cel/number.h"
#include "location/cel/print_key.h"

/* How far an attribute has been read. */
struct reading {
    struct fx_cel_value value; /* so far, or an error */
    bool is_optional;          /* the result is an optional value, */
    bool is_none;              /* and it is optional.none(): no further step is made */
    bool has_choice;           /* it begins with a conditional */
};

/* One step. */
struct step {
    struct fx_cel_value key;
    bool is_optional; /* `.?a`, `[?a]` */
    bool is_test;     /* has() */
    bool is_field;    /* of a struct, by its static type */
};

static void read_attribute(struct fx_cel_run *run, const struct fx_cel_node *node,
                           struct reading *reading);

static bool has_ended(const struct reading *reading) {
    return reading->is_none || fx_cel_is_error(reading->value);
}

/* Begins with a value. */
static void start(struct reading *reading, struct fx_cel_value value) {
    reading->value = value;
    if (value.kind == FX_CEL_OPTIONAL) {
        reading->is_optional = true;
        reading->is_none = value.inner == NULL;
        if (value.inner != NULL) {
            reading->value = *value.inner;
        }
    }
}

static struct fx_cel_value find_index(struct fx_cel_run *run, struct fx_cel_value list,
                                      struct fx_cel_value key) {
    int64_t index = 0;
    if (!fx_cel_is_number(key)) {
        return fx_cel_fail(run, "unsupported index type '%s' in list",
                           fx_cel_type_name(key));
    }
    if (!fx_cel_number_to_int(key, &index)) {
        return fx_cel_fail_key(run, "unsupported index value ", key, " in list");
    }
    return index >= 0 && (uint64_t)index < fx_cel_list_size(list)
               ? fx_cel_list_at(list, (size_t)index)
               : (struct fx_cel_value){.kind = FX_CEL_UNSET};
}

static const struct fx_cel_field *find_declared(const struct fx_cel_type *type,
                                                struct fx_text name) {
    const struct fx_cel_field *field = type->fields;
    while (field->name != NULL && !fx_text_is(name, field->name)) {
        field++;
    }
    return field->name == NULL ? NULL : field;
}

/* A field of a struct with declared fields (JSONPatch): one that is not set has the
 * default of its type. */
static struct fx_cel_value find_declared_field(struct fx_cel_run *run,
                                               const struct fx_cel_struct *structure,
                                               struct fx_cel_value key, bool is_test) {
    const struct fx_cel_value fields = fx_cel_fields(structure);
    const struct fx_cel_field *field =
        key.kind == FX_CEL_STRING ? find_declared(structure->type, key.text) : NULL;
    struct fx_cel_value value = {.kind = FX_CEL_UNSET};
    if (field == NULL) {
        return fx_cel_fail_key(run, "unsupported indexer: ", key, "");
    }
    if (fx_cel_map_find(fields, key, &value) || is_test) {
        return value;
    }
    return field->type->kind == FX_CEL_TYPE_STRING ? fx_cel_make_string(FX_TEXT(""))
                                                   : fx_cel_make_null();
}

/* A field of Object{…}: optional steps do not see it (measured), nor does has() without
 * a static type. A field that is not set reads as null. */
static struct fx_cel_value find_any_field(const struct fx_cel_struct *structure,
                                          const struct step *step, bool is_test) {
    const struct fx_cel_value fields = fx_cel_fields(structure);
    struct fx_cel_value value = {.kind = FX_CEL_UNSET};
    if (is_test && !step->is_field) {
        return value;
    }
    return fx_cel_map_find(fields, step->key, &value) || is_test ? value
                                                                 : fx_cel_make_null();
}

static struct fx_cel_value find_opaque_field(struct fx_cel_run *run,
                                             struct fx_cel_value value,
                                             struct fx_cel_value key) {
    return value.opaque.ops->field == NULL || key.kind != FX_CEL_STRING
               ? (struct fx_cel_value){.kind = FX_CEL_UNSET}
               : value.opaque.ops->field(run, value.opaque.data, key.text);
}

/* The value under the key; of kind UNSET: there is none; or an error. `is_test`: it is
 * only asked for if it is there. */
static struct fx_cel_value find(struct fx_cel_run *run, struct fx_cel_value value,
                                const struct step *step, bool is_test) {
    struct fx_cel_value found = {.kind = FX_CEL_UNSET};
    if (value.kind == FX_CEL_MAP) {
        (void)fx_cel_map_find(value, step->key, &found);
        return found;
    }
    if (value.kind == FX_CEL_LIST) {
        return find_index(run, value, step->key);
    }
    if (value.kind == FX_CEL_STRUCT) {
        return value.structure->type->fields == NULL
                   ? find_any_field(value.structure, step, is_test)
                   : find_declared_field(run, value.structure, step->key, is_test);
    }
    return value.kind == FX_CEL_OPAQUE ? find_opaque_field(run, value, step->key) : found;
}

static struct fx_cel_value missing(struct fx_cel_run *run, struct fx_cel_value in,
                                   struct fx_cel_value key) {
    return fx_cel_fail_key(
        run, in.kind == FX_CEL_LIST ? "index out of bounds: " : "no such key: ", key, "");
}

/* An optional step that finds nothing, or fails, costs nothing. */
static void make_step(struct fx_cel_run *run, struct reading *reading,
                      const struct step *step) {
    const bool is_optional = reading->is_optional || step->is_optional;
    const struct fx_cel_value found =
        fx_cel_is_error(step->key)
            ? step->key
            : find(run, reading->value, step, is_optional || step->is_test);
    const bool is_there = found.kind != FX_CEL_UNSET && !fx_cel_is_error(found);
    run->cost += is_there || !is_optional || step->is_test;
    if (fx_cel_is_error(found)) {
        reading->value = found;
    } else if (step->is_test) {
        reading->value = fx_cel_make_bool(is_there);
        reading->is_optional = false;
    } else if (is_optional) {
        reading->is_optional = true;
        reading->is_none = !is_there;
        reading->value = found;
    } else {
        reading->value = is_there ? found : missing(run, reading->value, step->key);
    }
}

/* The value of an attribute that has been read. */
static struct fx_cel_value result_of(struct fx_cel_run *run,
                                     const struct reading *reading) {
    if (fx_cel_is_error(reading->value)) {
        return reading->value;
    }
    if (reading->is_none) {
        return fx_cel_optional_none();
    }
    return reading->is_optional ? fx_cel_new_optional(run, reading->value)
                                : reading->value;
}

static bool is_key(struct fx_cel_value value) {
    return fx_cel_is_number(value) || value.kind == FX_CEL_STRING ||
           value.kind == FX_CEL_BOOL;
}

/* The value of an index: as an attribute it costs no more than its steps. */
static struct fx_cel_value eval_key(struct fx_cel_run *run,
                                    const struct fx_cel_node *node) {
    struct fx_cel_value key;
    if (fx_cel_is_attribute(node)) {
        struct reading reading = {.is_none = false};
        read_attribute(run, node, &reading);
        key = result_of(run, &reading);
    } else {
        key = fx_cel_eval_node(run, node);
    }
    return fx_cel_is_error(key) || is_key(key)
               ? key
               : fx_cel_fail(run, "invalid qualifier type: %s", fx_cel_go_type_name(key));
}

static void read_select(struct fx_cel_run *run, const struct fx_cel_node *node,
                        struct reading *reading) {
    read_attribute(run, node->select.operand, reading);
    const struct step step = {.key = fx_cel_make_string(node->select.field),
                              .is_test = node->select.is_test,
                              .is_field = node->how == FX_CEL_HOW_FIELD};
    if (!has_ended(reading)) {
        make_step(run, reading, &step);
    } else if (step.is_test && reading->is_none) { /* has(optional.none().a) */
        *reading = (struct reading){.value = fx_cel_make_bool(false),
                                    .has_choice = reading->has_choice};
    }
}

static void read_index(struct fx_cel_run *run, const struct fx_cel_node *node,
                       struct reading *reading) {
    read_attribute(run, fx_cel_argument(node, 0), reading);
    if (!has_ended(reading)) {
        const struct step step = {
            .key = eval_key(run, fx_cel_argument(node, 1)),
            .is_optional = node->how == FX_CEL_HOW_OPTIONAL_INDEX,
        };
        make_step(run, reading, &step);
    }
}

static void read_choice(struct fx_cel_run *run, const struct fx_cel_node *node,
                        struct reading *reading) {
    const struct fx_cel_value condition = fx_cel_eval_node(run, fx_cel_argument(node, 0));
    if (condition.kind == FX_CEL_BOOL) {
        read_attribute(run, fx_cel_argument(node, condition.boolean ? 1 : 2), reading);
    } else {
        reading->value = fx_cel_is_error(condition) ? condition : fx_cel_no_overload();
    }
    reading->has_choice = true;
}

static void read_attribute(struct fx_cel_run *run, const struct fx_cel_node *node,
                           struct reading *reading) {
    if (!fx_spend(1)) {
        reading->value = fx_cel_exceeded(run);
    } else if (!fx_cel_is_attribute(node)) {
        start(reading, fx_cel_eval_node(run, node));
    } else if (node->type == FX_CEL_NODE_NAME) {
        start(reading, fx_cel_eval_name(run, node));
    } else if (node->type == FX_CEL_NODE_SELECT) {
        read_select(run, node, reading);
    } else if (node->how == FX_CEL_HOW_CONDITIONAL) {
        read_choice(run, node, reading);
    } else {
        read_index(run, node, reading);
    }
}

struct fx_cel_value fx_cel_eval_attribute(struct fx_cel_run *run,
                                          const struct fx_cel_node *node) {
    struct reading reading = {.is_none = false};
    const bool is_test = node->type == FX_CEL_NODE_SELECT && node->select.is_test;
    read_attribute(run, node, &reading);
    run->cost += !reading.has_choice && !is_test;
    return result_of(run, &reading);
}
