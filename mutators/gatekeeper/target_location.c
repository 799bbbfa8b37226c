/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/target_location.c - the location of a policy: the checks that
 * several kinds share, and the access that it declares.
 */
#include "mutators/gatekeeper/target.h"
#include "value/tree.h"

const json_t *fx_target_location_node(const struct policy *policy) {
    return fx_shape_view(policy->spec, "location");
}

struct fx_text fx_target_location_text(const struct policy *policy) {
    return fx_tree_view_string(policy->spec, "location");
}

bool fx_target_parse_location(struct target *target, const struct policy *policy,
                              struct fx_err *err) {
    if (fx_location_parse(fx_target_location_text(policy), policy->syntax,
                          &target->location, err)) {
        return true;
    }
    err->node = fx_policy_node(policy, fx_target_location_node(policy));
    return false;
}

bool fx_target_parse_location_of(struct target *target, const struct policy *policy,
                                 const char *kind, struct fx_err *err) {
    if (fx_target_parse_location(target, policy, err)) {
        return true;
    }
    const struct fx_text text = fx_target_location_text(policy);
    return fx_err_prefix(err, "invalid location format `%.*s` for %s %.*s: ",
                         FX_TEXT_ARG(text), kind, FX_TEXT_ARG(policy->name));
}

bool fx_target_check_metadata(const struct target *target, const struct policy *policy,
                              const char *kind, struct fx_err *err) {
    const struct fx_location *location = target->location;
    if (location->n_steps == 0 || !fx_text_is(location->steps[0].name, "metadata")) {
        return true;
    }
    return fx_fail_in(err, fx_policy_node(policy, fx_target_location_node(policy)),
                      FX_EINVALID, "%s %.*s can't change metadata", kind,
                      FX_TEXT_ARG(policy->name));
}

bool fx_target_check_key(const struct target *target, const struct policy *policy,
                         struct fx_err *err) {
    const json_t *node = fx_policy_node(policy, fx_target_location_node(policy));
    const struct fx_location_step *last = fx_target_last_step(target);
    if (last == NULL) {
        return fx_fail_in(err, node, FX_EINVALID, "empty path");
    }
    if (target->location->n_steps > 1 && last->type == FX_LOCATION_OBJECT &&
        last[-1].type == FX_LOCATION_LIST && fx_text_equal(last->name, last[-1].name)) {
        return fx_fail_in(err, node, FX_EINVALID,
                          "invalid path format: changing the item key is not allowed");
    }
    return true;
}

bool fx_target_is_label(const struct fx_location *location) {
    const struct fx_location_step *steps = location->steps;
    return location->n_steps == 3 && steps[1].type == FX_LOCATION_OBJECT &&
           steps[2].type == FX_LOCATION_OBJECT && fx_text_is(steps[0].name, "metadata") &&
           (fx_text_is(steps[1].name, "labels") ||
            fx_text_is(steps[1].name, "annotations"));
}

const struct fx_location_step *fx_target_last_step(const struct target *target) {
    const struct fx_location *location = target->location;
    return location->n_steps == 0 ? NULL : &location->steps[location->n_steps - 1];
}

/* ---- access ------------------------------------------------------------------------ */

static void add_steps(struct fx_access *access, const struct fx_location *location) {
    for (size_t i = 0; i < location->n_steps; i++) {
        const struct fx_location_step *step = &location->steps[i];
        const bool is_list = step->type == FX_LOCATION_LIST;
        fx_access_step(access, (struct fx_path_step){
                                   .type = is_list ? FX_PATH_ELEMENT : FX_PATH_MEMBER,
                                   .name = step->name,
                                   .value = step->value,
                               });
    }
}

static void read_location(struct fx_access *access, const struct fx_location *location) {
    fx_access_read(access);
    add_steps(access, location);
}

static void read_metadata(struct fx_access *access, struct fx_text name) {
    access->matches_metadata = true;
    fx_access_read(access);
    fx_access_step(access, (struct fx_path_step){.name = FX_TEXT("metadata")});
    fx_access_step(access, (struct fx_path_step){.name = name});
}

void fx_target_access(const struct fx_mutator *self, struct fx_access *access) {
    const struct target *target = (const struct target *)self; /* its first member */
    if (fx_match_asks_labels(target->match)) {
        read_metadata(access, FX_TEXT("labels"));
    }
    if (fx_match_asks_annotations(target->match)) {
        read_metadata(access, FX_TEXT("annotations"));
    }
    for (size_t i = 0; i < target->conditions.n_items; i++) {
        read_location(access, target->conditions.items[i].field.location);
    }
    if (target->from != NULL) {
        read_location(access, target->from);
    }
    if (target->location->n_steps > 0) {
        fx_access_write(access, target->type, target->must_terminate);
        add_steps(access, target->location);
    }
    access->uses_old_value = target->uses_old_value;
}
