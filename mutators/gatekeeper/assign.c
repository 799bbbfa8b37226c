/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assign.c - kind Assign: writes a value anywhere except in
 * metadata.
 */
#include "mutators/gatekeeper/assigner.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/shape.h"
#include "mutators/gatekeeper/target.h"
#include "value/equal.h"
#include "value/go_text.h"
#include "value/tree.h"

SHAPE(parameters, "Parameters", FIELD_PATH_TESTS, FIELD_ASSIGN);

POLICY_SHAPE(fx_assign_shape, "Assign", FIELD_APPLY_TO, FIELD_MATCH, FIELD_LOCATION,
             FIELD_STRUCT("parameters", "@.Parameters", parameters_shape), FIELDS_FURTHER,
             FIELD_CONDITIONS);

static bool fail_not_object(const struct source *source, struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "invalid value: `");
    fx_go_text_add(&text, source->value, FX_GO_DOUBLES);
    fx_buf_str(&text, "`, only objects can be added to keyed lists");
    return fx_fail_buf_finish(err, fx_shape_node(source->value, source->assign),
                              FX_EINVALID, &text);
}

static bool fail_other_key(const struct source *source,
                           const struct fx_location_step *list, json_t *key,
                           struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "adding object to list with different key ");
    fx_buf_text(&text, list->name);
    fx_buf_str(&text, ": list key ");
    fx_go_text_add(&text, list->value, FX_GO_INTEGERS);
    fx_buf_str(&text, ", object key ");
    fx_go_text_add(&text, key, FX_GO_DOUBLES);
    return fx_fail_buf_finish(err, fx_shape_node(key, source->value), FX_EINVALID, &text);
}

/* Checks an element of a keyed list, which must be an object with the list's key.
 * Gatekeeper reads the numbers of values as doubles, so it refuses all integer keys. */
static bool check_element(const struct source *source,
                          const struct fx_location_step *list, struct fx_err *err) {
    if (!json_is_object(source->value)) {
        return fail_not_object(source, err);
    }
    json_t *key = fx_tree_view_text(source->value, list->name);
    if (key == NULL || json_typeof(key) != json_typeof(list->value) ||
        !fx_equal(key, list->value)) {
        return fail_other_key(source, list, key, err);
    }
    return true;
}

static bool check_source(const struct assigner *assigner, const struct policy *policy,
                         struct fx_err *err) {
    const struct fx_location_step *last = fx_target_last_step(&assigner->target);
    const struct source *source = &assigner->source;
    if (last->type != FX_LOCATION_LIST) {
        return true;
    }
    if (source->type == SOURCE_METADATA || source->type == SOURCE_EXTERNAL) {
        return fx_fail_in(err, source->assign, FX_EINVALID, "cannot assign %s to a list",
                          source->type == SOURCE_EXTERNAL ? "external data response"
                                                          : "a metadata field");
    }
    if (last->glob) {
        return fx_fail_in(err, fx_target_location_node(policy), FX_EINVALID,
                          "can't append to a globbed list");
    }
    return source->type == SOURCE_OBJECT || check_element(source, last, err);
}

/* Compiles the source. The value of a provider is a string: no path may lead below it
 * (spec section 6). */
static bool compile_source(const struct policy *policy, struct assigner *assigner,
                           struct fx_err *err) {
    struct target *target = &assigner->target;
    const bool ok = fx_source_compile(policy, target, &assigner->source, err);
    target->type = FX_ACCESS_UNKNOWN;
    target->must_terminate = assigner->source.type == SOURCE_EXTERNAL;
    return ok;
}

/* Compiles the policy in the order of spec section 3.2. */
static bool compile_assign(struct target *target, const struct policy *policy,
                           struct fx_err *err) {
    struct assigner *assigner = fx_assigner_of(target);
    return fx_target_parse_location_of(target, policy, "Assign", err) &&
           fx_target_check_metadata(target, policy, "assign", err) &&
           fx_target_check_key(target, policy, err) &&
           compile_source(policy, assigner, err) && check_source(assigner, policy, err) &&
           fx_target_compile_path_tests(target, policy, err) &&
           fx_target_compile_apply_to(target, policy, err);
}

bool fx_assign_compile(const struct policy *policy,
                       struct fx_compilation *ret_compilation, struct fx_err *err) {
    return fx_assigner_add(policy, compile_assign, ret_compilation, err);
}
