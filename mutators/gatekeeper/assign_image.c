/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assign_image.c - kind AssignImage: replaces the domain, the path or
 * the tag of an image reference, or several of them.
 */
#include <stdlib.h>

#include "mutators/gatekeeper/image.h"
#include "mutators/gatekeeper/image_check.h"
#include "mutators/gatekeeper/only_if.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/shapes.h"
#include "mutators/gatekeeper/target.h"
#include "mutators/gatekeeper/value_copy.h"
#include "value/tree.h"

static const struct field parameters_fields[] = {
    FIELD_PATH_TESTS,
    FIELD_TEXT("assignDomain", "string"),
    FIELD_TEXT("assignPath", "string"),
    FIELD_TEXT("assignTag", "string"),
    FIELDS_FURTHER,
    {"onlyIf", FIELD_OBJECT, "@.OnlyIf", NULL, &fx_only_if_shape},
    FIELDS_END,
};
static const struct shape parameters_shape = {"AssignImageParameters", parameters_fields,
                                              false};

static const struct field spec_fields[] = {
    FIELD_APPLY_TO,
    FIELD_MATCH,
    FIELD_LOCATION,
    {"parameters", FIELD_OBJECT, "@.AssignImageParameters", NULL, &parameters_shape},
    FIELDS_FURTHER,
    FIELD_CONDITIONS,
    FIELDS_END,
};
static const struct shape spec_shape = {"AssignImageSpec", spec_fields, false};

static const struct field root_fields[] = {
    FIELD("apiVersion"), FIELD("kind"),
    FIELD_METADATA,      {"spec", FIELD_OBJECT, "@.AssignImageSpec", NULL, &spec_shape},
    FIELD("status"),     FIELDS_END,
};
const struct shape fx_assign_image_shape = {"AssignImage", root_fields, false};

struct assign_image {
    struct target target; /* first */
    json_t *parameters;   /* of the policy, a copy */
    struct image parts;   /* borrowed from there; what is empty stays as it is */
    struct only_if only_if;
};

/* ---- the policy ------------------------------------------------------------------ */

static bool fail_parameter(const struct policy *policy, const char *field,
                           const char *before, const char *behind, struct fx_err *err) {
    struct fx_buf quoted;
    fx_buf_init(&quoted, 0);
    fx_text_quote_go(&quoted, fx_tree_view_string(policy->parameters, field));
    if (quoted.failed) {
        (void)fx_fail_nomem(err);
    } else {
        (void)fx_fail_in(err,
                         fx_policy_node(policy, fx_shape_view(policy->parameters, field)),
                         FX_EINVALID, "assignImage %.*s has invalid parameters: %s %s %s",
                         FX_TEXT_ARG(policy->name), before, quoted.data, behind);
    }
    fx_buf_finish(&quoted);
    return false;
}

/* What each part must look like, where it is given. */
static bool check_forms(const struct policy *policy, const struct image *parts,
                        struct fx_err *err) {
    const struct {
        const char *field;
        struct fx_text text;
        bool (*is)(struct fx_text text);
        const char *rule;
    } rules[] = {
        {"assignDomain", parts->domain, fx_image_is_domain,
         "must be a fully-qualified domain name or localhost"},
        {"assignPath", parts->path, fx_image_is_path,
         "must be a valid docker image path"},
        {"assignTag", parts->tag, fx_image_is_tag,
         "must be a valid docker image tag or digest starting with ':' or '@'"},
    };
    for (size_t i = 0; i < FX_COUNT(rules); i++) {
        if (rules[i].text.len > 0 && !rules[i].is(rules[i].text)) {
            return fail_parameter(policy, rules[i].field, rules[i].field, rules[i].rule,
                                  err);
        }
    }
    return true;
}

static bool check_parts(const struct policy *policy, const struct image *parts,
                        struct fx_err *err) {
    if (parts->domain.len + parts->path.len + parts->tag.len == 0) {
        return fx_fail_in(err, fx_policy_node(policy, policy->parameters), FX_EINVALID,
                          "assignImage %.*s has invalid parameters: at least one of "
                          "[assignDomain, assignPath, assignTag] must be set",
                          FX_TEXT_ARG(policy->name));
    }
    if (!check_forms(policy, parts, err)) {
        return false;
    }
    if (parts->domain.len == 0 && fx_image_split(parts->path).domain.len > 0) {
        return fail_parameter(policy, "assignPath",
                              "assignDomain must be set if the first part of assignPath",
                              "can be interpretted as part of a domain", err);
    }
    return true;
}

static bool read_parts(struct assign_image *assign, const struct policy *policy,
                       struct fx_err *err) {
    assign->parameters = fx_value_copy(policy->parameters);
    if (policy->parameters != NULL && assign->parameters == NULL) {
        return fx_fail_nomem(err);
    }
    assign->parts = (struct image){
        .domain = fx_tree_view_string(assign->parameters, "assignDomain"),
        .path = fx_tree_view_string(assign->parameters, "assignPath"),
        .tag = fx_tree_view_string(assign->parameters, "assignTag"),
    };
    return check_parts(policy, &assign->parts, err);
}

static bool check_end(const struct target *target, const struct policy *policy,
                      struct fx_err *err) {
    const struct fx_location_step *last = fx_target_last_step(target);
    if (last == NULL || last->type != FX_LOCATION_LIST) {
        return true;
    }
    return fx_fail_in(err, fx_target_location_node(policy), FX_EINVALID,
                      "assignImage %.*s cannot mutate list-type fields",
                      FX_TEXT_ARG(policy->name));
}

/* The steps of spec section 3.2, in its order. */
static bool compile(struct target *target, const struct policy *policy,
                    struct fx_err *err) {
    struct assign_image *assign = (struct assign_image *)target; /* its first member */
    target->uses_old_value = true;
    target->type = FX_ACCESS_STRING;
    target->must_terminate = true;
    return fx_target_parse_location_of(target, policy, "assignImage", err) &&
           fx_target_check_metadata(target, policy, "assignImage", err) &&
           check_end(target, policy, err) && fx_target_check_key(target, policy, err) &&
           read_parts(assign, policy, err) &&
           fx_only_if_read(policy, &assign->only_if, err) &&
           fx_target_compile_path_tests(target, policy, err) &&
           fx_target_compile_apply_to(target, policy, err);
}

/* ---- the object ------------------------------------------------------------------ */

/* A string of the reference; NULL without memory. */
static json_t *new_reference(const struct image *image) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_image_print(&text, image);
    json_t *value =
        text.failed ? NULL : fx_tree_new_string((struct fx_text){text.data, text.len});
    fx_buf_finish(&text);
    return value;
}

static bool set_image(const void *user, const struct fx_write_position *place,
                      enum fx_write *ret_write, json_t **ret_value,
                      const char **ret_criterion, struct fx_err *err) {
    const json_t *old = place->old;
    const struct assign_image *assign = user;
    if (old != NULL && !json_is_string(old)) {
        return fx_fail(err, FX_EMUTATE,
                       "expected value at AssignImage location to be a string, got  of "
                       "type string");
    }
    const struct image before = fx_image_split(fx_tree_text(old));
    if (!fx_only_if_holds(&assign->only_if, &before)) {
        *ret_write = FX_WRITE_PASS;
        *ret_criterion = "onlyIf";
        return true;
    }
    const struct image after = fx_image_replace(before, &assign->parts);
    if (fx_image_equal(&before, &after)) { /* so there is one: some part is given */
        *ret_write = FX_WRITE_KEEP;
        return true;
    }
    *ret_write = FX_WRITE_SET;
    *ret_value = new_reference(&after);
    return *ret_value != NULL || fx_fail_nomem(err);
}

static bool apply(const struct fx_mutator *self, const struct fx_request *request,
                  json_t **root, struct fx_effect *ret_effect, struct fx_err *err) {
    (void)request;
    const struct assign_image *assign = (const struct assign_image *)self;
    const struct fx_setter setter = {.set = set_image, .user = assign};
    return fx_target_write(&assign->target, &setter, root, ret_effect, err);
}

static void destroy(struct fx_mutator *self) {
    struct assign_image *assign = (struct assign_image *)self;
    fx_only_if_finish(&assign->only_if);
    json_decref(assign->parameters);
    fx_target_finish(&assign->target);
    free(assign);
}

static const struct fx_mutator_ops ops = {
    .match = fx_target_match,
    .apply = apply,
    .access = fx_target_access,
    .example = fx_target_example,
    .operations = "applyTo.operations",
    .explain = fx_target_explain,
    .destroy = destroy,
};

bool fx_assign_image_compile(const struct policy *policy,
                             struct fx_compilation *ret_compilation, struct fx_err *err) {
    return fx_target_add(policy, sizeof(struct assign_image), &ops, compile,
                         ret_compilation, err);
}
