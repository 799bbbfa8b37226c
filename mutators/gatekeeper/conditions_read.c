/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/conditions_read.c - compiles `spec.conditions`, whose types have
 * been checked, and warns about conditions that are unlikely to be intended.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "mutators/gatekeeper/conditions.h"
#include "mutators/gatekeeper/target.h"
#include "mutators/gatekeeper/value_copy.h"
#include "value/tree.h"

static const char *const operator_names[] = {
#define X(name, text) [CONDITION_##name] = text,
    CONDITION_OPERATORS(X)
#undef X
};

/* A condition that is being compiled. */
struct condition_reading {
    const struct policy *policy;
    const struct fx_location *seen_from;
    const json_t *list, *node; /* the conditions; this one, or NULL */
    size_t index;
};

/* Completes an error with the field as a prefix, and with the node. */
static bool fail_field(const struct condition_reading *reading, const char *field,
                       struct fx_err *err) {
    const json_t *within = reading->node != NULL ? reading->node : reading->list;
    err->node = fx_shape_node(fx_shape_view(reading->node, field), within);
    return fx_err_prefix(err, "spec.conditions[%zu].%s: ", reading->index, field);
}

static bool fail_value(const struct condition_reading *reading, size_t index,
                       struct fx_err *err) {
    const json_t *values = fx_shape_view(reading->node, "values");
    err->node = fx_shape_node(json_array_get(values, index), values);
    return fx_err_prefix(err, "spec.conditions[%zu].values[%zu]: ", reading->index,
                         index);
}

static bool read_location(const struct condition_reading *reading,
                          struct policy_condition *condition, struct fx_err *err) {
    if (fx_shape_view(reading->node, "location") == NULL) {
        (void)fx_fail(err, FX_EINVALID, "Required value");
        return fail_field(reading, "location", err);
    }
    const struct fx_text text = fx_tree_view_string(reading->node, "location");
    return fx_other_location_parse(text, reading->policy->syntax, reading->seen_from,
                                   &condition->field, err) ||
           fail_field(reading, "location", err);
}

static bool fail_operator(const struct condition_reading *reading, struct fx_text name,
                          struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "Unsupported value: ");
    fx_text_quote_go(&text, name);
    fx_buf_str(&text, ": supported values: ");
    for (size_t i = 0; i < FX_COUNT(operator_names); i++) {
        fx_buf_printf(&text, "%s\"%s\"", i == 0 ? "" : ", ", operator_names[i]);
    }
    const bool is_ours = text.failed;
    (void)fx_fail_buf_finish(err, NULL, FX_EINVALID, &text);
    return !is_ours && fail_field(reading, "operator", err);
}

static bool read_operator(const struct condition_reading *reading,
                          struct policy_condition *condition, struct fx_err *err) {
    if (fx_shape_view(reading->node, "operator") == NULL) {
        (void)fx_fail(err, FX_EINVALID, "Required value");
        return fail_field(reading, "operator", err);
    }
    const struct fx_text name = fx_tree_view_string(reading->node, "operator");
    for (size_t i = 0; i < FX_COUNT(operator_names); i++) {
        if (fx_text_is(name, operator_names[i])) {
            condition->relation = (enum condition_operator)i;
            return true;
        }
    }
    return fail_operator(reading, name, err);
}

static bool takes_values(const struct policy_condition *condition) {
    return condition->relation != CONDITION_EXISTS &&
           condition->relation != CONDITION_DOES_NOT_EXIST;
}

static bool check_count(const struct condition_reading *reading,
                        const struct policy_condition *condition, struct fx_err *err) {
    const size_t n_values = json_array_size(fx_shape_view(reading->node, "values"));
    const bool patterns = condition->relation == CONDITION_MATCHES;
    const unsigned most =
        patterns ? FX_LIMIT_CONDITION_PATTERNS : FX_LIMIT_CONDITION_VALUES;
    if (takes_values(condition) != (n_values > 0)) {
        (void)fx_fail(err, FX_EINVALID, "must %sbe empty with `%s`",
                      n_values > 0 ? "" : "not ", operator_names[condition->relation]);
    } else if (n_values > most) {
        (void)fx_fail(err, FX_ELIMIT, "more than %u %s", most,
                      patterns ? "patterns" : "values");
    } else {
        return true;
    }
    return fail_field(reading, "values", err);
}

/* Adds a value of In or NotIn. */
static bool add_value(struct policy_condition *condition, const json_t *value,
                      struct fx_err *err) {
    if (json_is_object(value) || json_is_array(value)) {
        return fx_fail(err, FX_EINVALID, "must be a string, a number, a boolean or null");
    }
    /* `true` and `1` without quotes never match, which is easily overlooked. */
    if (fx_target_is_label(condition->field.location) && !json_is_string(value) &&
        !json_is_null(value)) {
        return fx_fail(err, FX_EINVALID,
                       "must be a string: labels and annotations are nothing else");
    }
    return !json_is_string(value) ||
           fx_tree_set_take(condition->strings, fx_tree_text(value), json_true()) ||
           fx_fail_nomem(err);
}

/* Adds a pattern of Matches. */
static bool add_pattern(struct policy_condition *condition, const json_t *value,
                        struct fx_err *err) {
    if (!json_is_string(value)) {
        return fx_fail(err, FX_EINVALID, "must be a string with `%s`",
                       operator_names[CONDITION_MATCHES]);
    }
    if (!fx_regex_compile(fx_tree_text(value),
                          &condition->patterns[condition->n_patterns], err)) {
        return false;
    }
    condition->n_patterns++;
    return true;
}

static bool read_values(const struct condition_reading *reading,
                        struct policy_condition *condition, struct fx_err *err) {
    if (!check_count(reading, condition, err)) {
        return false;
    }
    const bool patterns = condition->relation == CONDITION_MATCHES;
    json_t *values = fx_shape_view(reading->node, "values");
    condition->values = fx_tree_deep_copy(values);
    condition->strings = json_object();
    condition->patterns = calloc(json_array_size(values) + 1, sizeof(struct fx_regex *));
    if ((values != NULL && condition->values == NULL) || condition->strings == NULL ||
        condition->patterns == NULL) {
        return fx_fail_nomem(err);
    }
    size_t index = 0;
    const json_t *value = NULL;
    json_array_foreach (values, index, value) {
        if (!(patterns ? add_pattern : add_value)(condition, value, err)) {
            return fail_value(reading, index, err);
        }
    }
    return true;
}

static bool read_all(const struct policy *policy, const struct fx_location *seen_from,
                     const json_t *list, struct conditions *conditions,
                     struct fx_err *err) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = json_array_get(list, i);
        const struct condition_reading reading = {
            .policy = policy,
            .seen_from = seen_from,
            .list = list,
            .node = json_is_null(node) ? NULL : node,
            .index = i,
        };
        struct policy_condition *condition = &conditions->items[conditions->n_items++];
        if (!read_location(&reading, condition, err) ||
            !read_operator(&reading, condition, err) ||
            !read_values(&reading, condition, err)) {
            return false;
        }
        conditions->vary = conditions->vary || condition->field.varies;
    }
    return true;
}

bool fx_conditions_compile(const struct policy *policy,
                           const struct fx_location *seen_from,
                           struct conditions *ret_conditions, struct fx_err *err) {
    const json_t *list = fx_policy_view_further(policy, policy->spec, "conditions");
    const size_t n = json_array_size(list);
    if (n == 0) {
        return true;
    }
    if (n > FX_LIMIT_CONDITIONS) {
        return fx_fail_in(err, list, FX_ELIMIT, "spec.conditions: more than %u",
                          FX_LIMIT_CONDITIONS);
    }
    struct conditions made = {.items = calloc(n, sizeof *made.items)};
    if (made.items == NULL) {
        return fx_fail_nomem(err);
    }
    if (!read_all(policy, seen_from, list, &made, err)) {
        fx_conditions_finish(&made);
        return false;
    }
    *ret_conditions = made;
    return true;
}

/* ---- warnings --------------------------------------------------------------------- */

static bool is_glob(const struct fx_location_step *step) {
    return step->type == FX_LOCATION_LIST && step->glob;
}

/* True if the two locations diverge at globs of the same list with different
 * exceptions. */
static bool diverges_at_globs(const struct other_location *field) {
    const struct fx_location *here = field->seen_from;
    const size_t at = field->n_shared;
    if (at >= here->n_steps || at >= field->location->n_steps) {
        return false;
    }
    const struct fx_location_step *other = &field->location->steps[at];
    return is_glob(&here->steps[at]) && is_glob(other) &&
           fx_text_equal(here->steps[at].name, other->name);
}

bool fx_conditions_warn(const struct conditions *conditions, const struct policy *policy,
                        struct fx_compilation *compilation, struct fx_err *err) {
    const json_t *list = fx_shape_view(policy->spec, "conditions");
    for (size_t i = 0; i < conditions->n_items; i++) {
        const json_t *location = fx_shape_view(json_array_get(list, i), "location");
        if (diverges_at_globs(&conditions->items[i].field) &&
            !fx_compilation_warn(
                compilation, location,
                "spec.conditions[%zu].location: is evaluated for all elements together, "
                "because its glob differs from that of spec.location",
                i)) {
            return fx_fail_nomem(err);
        }
    }
    return true;
}
