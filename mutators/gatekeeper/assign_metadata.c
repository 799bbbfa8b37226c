/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assign_metadata.c - kind AssignMetadata: adds a label or annotation
 * that does not exist yet.
 */
#include "mutators/gatekeeper/assigner.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/shape.h"
#include "mutators/gatekeeper/target.h"

SHAPE(parameters, "MetadataParameters", FIELD_ASSIGN);

POLICY_SHAPE(fx_assign_metadata_shape, "AssignMetadata", FIELD_MATCH, FIELD_LOCATION,
             FIELD_STRUCT("parameters", "@.MetadataParameters", parameters_shape),
             FIELDS_FURTHER, FIELD_CONDITIONS,
             {"operations", FIELD_STRINGS, "[]v1.Operation", "v1.Operation", NULL});

static bool parse_location(struct target *target, const struct policy *policy,
                           struct fx_err *err) {
    if (fx_target_parse_location(target, policy, err)) {
        return true;
    }
    const struct fx_text text = fx_target_location_text(policy);
    return fx_err_prefix(err, "invalid location format for AssignMetadata %.*s: %.*s: ",
                         FX_TEXT_ARG(policy->name), FX_TEXT_ARG(text));
}

static bool check_location(const struct fx_location *location,
                           const struct policy *policy, struct fx_err *err) {
    if (fx_target_is_label(location)) {
        return true;
    }
    const struct fx_text text = fx_target_location_text(policy);
    return fx_fail_in(err, fx_policy_node(policy, fx_target_location_node(policy)),
                      FX_EINVALID, "invalid location for assignmetadata %.*s: %.*s",
                      FX_TEXT_ARG(policy->name), FX_TEXT_ARG(text));
}

/* Checks the value. Values of the object (fromObject) are checked when they are
 * written. */
static bool check_source(struct source *source, const struct policy *policy,
                         struct fx_err *err) {
    source->only_strings = true;
    if (source->type == SOURCE_EXTERNAL && !source->asks_username) {
        return fx_fail_in(err, source->assign, FX_EINVALID,
                          "only username data source is supported for assignmetadata "
                          "%.*s",
                          FX_TEXT_ARG(policy->name));
    }
    if (source->type != SOURCE_VALUE || json_is_string(source->value)) {
        return true;
    }
    return fx_fail_in(err, fx_shape_node(source->value, source->assign), FX_EINVALID,
                      "spec.parameters.assign.value field must be a string for "
                      "AssignMetadata \"%.*s\"",
                      FX_TEXT_ARG(policy->name));
}

/* Adds the test that the label or annotation does not exist: it is never overwritten. */
static bool set_path_test(struct target *target, struct fx_err *err) {
    const struct fx_path_test_entry absent = {target->location, FX_TEXT("MustNotExist")};
    return fx_path_tests_compile(target->location, &absent, 1, &target->tests, err);
}

/* Compiles the policy in the order of spec section 3.2. */
static bool compile_assign_metadata(struct target *target, const struct policy *policy,
                                    struct fx_err *err) {
    struct assigner *assigner = fx_assigner_of(target);
    return parse_location(target, policy, err) &&
           check_location(target->location, policy, err) &&
           fx_source_compile(policy, target, &assigner->source, err) &&
           check_source(&assigner->source, policy, err) && set_path_test(target, err) &&
           fx_target_compile_operations(target, policy, err);
}

bool fx_assign_metadata_compile(const struct policy *policy,
                                struct fx_compilation *ret_compilation,
                                struct fx_err *err) {
    return fx_assigner_add(policy, compile_assign_metadata, ret_compilation, err);
}
