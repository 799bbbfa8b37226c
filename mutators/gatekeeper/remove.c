/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/remove.c - kind Remove, of Fixpoint's own group: removes a field or
 * elements of a list.
 */
#include <stdlib.h>

#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/shape.h"
#include "mutators/gatekeeper/target.h"

SHAPE(parameters, "RemoveParameters", FIELD_PATH_TESTS);

POLICY_SHAPE(fx_remove_shape, "Remove", FIELD_APPLY_TO, FIELD_MATCH, FIELD_LOCATION,
             FIELD_STRUCT("parameters", "@.RemoveParameters", parameters_shape),
             FIELD_CONDITIONS);

/* Checks the location. The type and the metadata must not be removed, because they
 * identify the object; single labels and annotations may be. */
static bool check_location(const struct target *target, const struct policy *policy,
                           struct fx_err *err) {
    const struct fx_location *location = target->location;
    if (location->n_steps == 0 || fx_target_is_label(location)) {
        return true;
    }
    const struct fx_text first = location->steps[0].name;
    const json_t *node = fx_policy_node(policy, fx_target_location_node(policy));
    if (fx_text_is(first, "metadata")) {
        return fx_fail_in(err, node, FX_EINVALID,
                          "remove %.*s can't change metadata but for one label or "
                          "annotation: `%.*s`",
                          FX_TEXT_ARG(policy->name),
                          FX_TEXT_ARG(fx_target_location_text(policy)));
    }
    if (fx_text_is(first, "apiVersion") || fx_text_is(first, "kind")) {
        return fx_fail_in(err, node, FX_EINVALID, "remove %.*s can't change `%.*s`",
                          FX_TEXT_ARG(policy->name), FX_TEXT_ARG(first));
    }
    return true;
}

static bool compile_remove(struct target *target, const struct policy *policy,
                           struct fx_err *err) {
    target->type = FX_ACCESS_UNKNOWN;
    return fx_target_parse_location_of(target, policy, "Remove", err) &&
           check_location(target, policy, err) &&
           fx_target_check_key(target, policy, err) &&
           fx_target_compile_path_tests(target, policy, err) &&
           fx_target_compile_apply_to(target, policy, err);
}

static bool take_away(const void *user, const struct fx_write_position *position,
                      enum fx_write *ret_write, json_t **ret_value,
                      const char **ret_criterion, struct fx_err *err) {
    (void)user;
    (void)position;
    (void)ret_value;
    (void)ret_criterion;
    (void)err;
    *ret_write = FX_WRITE_REMOVE;
    return true;
}

static bool apply_remove(const struct fx_mutator *self, const struct fx_request *request,
                         json_t **root, struct fx_effect *ret_effect,
                         struct fx_err *err) {
    (void)request;
    static const struct fx_setter setter = {.set = take_away, .removes = true};
    return fx_target_write((const struct target *)self, &setter, root, ret_effect, err);
}

static void destroy_remove(struct fx_mutator *self) {
    struct target *target = (struct target *)self; /* its first member */
    fx_target_finish(target);
    free(target);
}

static const struct fx_mutator_ops ops = {
    TARGET_OPS,
    .apply = apply_remove,
    .destroy = destroy_remove,
};

bool fx_remove_compile(const struct policy *policy,
                       struct fx_compilation *ret_compilation, struct fx_err *err) {
    return fx_target_add(policy, sizeof(struct target), &ops, compile_remove,
                         ret_compilation, err);
}
