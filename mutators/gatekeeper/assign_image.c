/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assign_image.c - kind AssignImage: replaces the domain, the path or
 * the tag of an image reference, or several of them. With `onlyIf` it changes only images
 * with certain parts.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "mutators/gatekeeper/image.h"
#include "mutators/gatekeeper/policy.h"
#include "mutators/gatekeeper/shape.h"
#include "mutators/gatekeeper/target.h"
#include "mutators/gatekeeper/value_copy.h"
#include "value/tree.h"

SHAPE(only_if, "OnlyIf", {"domains", FIELD_STRINGS, "[]string", "string", NULL},
      {"paths", FIELD_STRINGS, "[]string", "string", NULL},
      {"tags", FIELD_STRINGS, "[]string", "string", NULL});

SHAPE(parameters, "AssignImageParameters", FIELD_PATH_TESTS,
      FIELD_TEXT("assignDomain", "string"), FIELD_TEXT("assignPath", "string"),
      FIELD_TEXT("assignTag", "string"), FIELDS_FURTHER,
      FIELD_STRUCT("onlyIf", "@.OnlyIf", only_if_shape));

POLICY_SHAPE(fx_assign_image_shape, "AssignImage", FIELD_APPLY_TO, FIELD_MATCH,
             FIELD_LOCATION,
             FIELD_STRUCT("parameters", "@.AssignImageParameters", parameters_shape),
             FIELDS_FURTHER, FIELD_CONDITIONS);

/* The allowed values of each part, as keys of objects (counted), so that long lists cost
 * no more than short ones. The empty text allows a missing part. NULL allows any
 * value. */
struct only_if {
    json_t *domains, *paths, *tags;
};

struct assign_image {
    struct target target; /* first */
    json_t *parameters;   /* of the policy, a copy */
    struct image parts;   /* borrowed from `parameters`; an empty part is not changed */
    struct only_if only_if;
};

/* ---- onlyIf ----------------------------------------------------------------------- */

static bool check_count(const struct policy *policy, const char *name, const json_t *list,
                        struct fx_err *err) {
    if (json_array_size(list) == 0) {
        return fx_fail_in(
            err, list, FX_EINVALID,
            "assignImage %.*s has invalid parameters: onlyIf.%s must not be empty",
            FX_TEXT_ARG(policy->name), name);
    }
    if (json_array_size(list) > FX_LIMIT_CONDITION_VALUES) {
        return fx_fail_in(
            err, list, FX_ELIMIT,
            "assignImage %.*s has invalid parameters: onlyIf.%s has more than %u values",
            FX_TEXT_ARG(policy->name), name, FX_LIMIT_CONDITION_VALUES);
    }
    return true;
}

/* Reads a list of texts as a set. A null element is read as the empty text. */
static bool read_set(const struct policy *policy, const char *name, const json_t *list,
                     json_t **ret_set, struct fx_err *err) {
    if (list == NULL) {
        return true;
    }
    if (!check_count(policy, name, list, err)) {
        return false;
    }
    json_t *set = json_object();
    *ret_set = set;
    size_t index = 0;
    const json_t *one = NULL;
    json_array_foreach (list, index, one) {
        const struct fx_text text = fx_tree_text(one);
        if (!fx_tree_set_take(set, text.data == NULL ? FX_TEXT("") : text, json_true())) {
            return fx_fail_nomem(err);
        }
    }
    return true;
}

static bool fail_tag(const struct policy *policy, const json_t *tags, size_t index,
                     struct fx_err *err) {
    const json_t *tag = json_array_get(tags, index);
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "assignImage %.*s has invalid parameters: onlyIf.tags[%zu] ",
                  FX_TEXT_ARG(policy->name), index);
    fx_text_quote_go(&text, fx_tree_text(tag));
    fx_buf_str(&text, " must start with ':' or '@', or be empty");
    return fx_fail_buf_finish(err, tag, FX_EINVALID, &text);
}

/* Checks the tags. A tag without its mark would match no image. */
static bool check_tags(const struct policy *policy, const json_t *tags,
                       struct fx_err *err) {
    size_t index = 0;
    const json_t *tag = NULL;
    json_array_foreach (tags, index, tag) {
        const struct fx_text text = fx_tree_text(tag);
        if (text.len > 0 && text.data[0] != ':' && text.data[0] != '@') {
            return fail_tag(policy, tags, index, err);
        }
    }
    return true;
}

/* Reads `spec.parameters.onlyIf`; its types have been checked. */
static bool read_only_if(const struct policy *policy, struct only_if *ret_only_if,
                         struct fx_err *err) {
    const json_t *node = fx_policy_view_further(policy, policy->parameters, "onlyIf");
    const json_t *tags = fx_shape_view(node, "tags");
    return read_set(policy, "domains", fx_shape_view(node, "domains"),
                    &ret_only_if->domains, err) &&
           read_set(policy, "paths", fx_shape_view(node, "paths"), &ret_only_if->paths,
                    err) &&
           read_set(policy, "tags", tags, &ret_only_if->tags, err) &&
           check_tags(policy, tags, err);
}

static bool allows(const json_t *set, struct fx_text part) {
    return set == NULL || fx_tree_view_text(set, part) != NULL;
}

/* True if the lists contain the parts of the image. */
static bool only_if_holds(const struct only_if *only_if, const struct image *image) {
    return allows(only_if->domains, image->domain) &&
           allows(only_if->paths, image->path) && allows(only_if->tags, image->tag);
}

/* ---- the policy ------------------------------------------------------------------ */

static bool fail_parameter(const struct policy *policy, const char *field,
                           const char *before, const char *behind, struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "assignImage %.*s has invalid parameters: %s ",
                  FX_TEXT_ARG(policy->name), before);
    fx_text_quote_go(&text, fx_tree_view_string(policy->parameters, field));
    fx_buf_printf(&text, " %s", behind);
    return fx_fail_buf_finish(
        err, fx_policy_node(policy, fx_shape_view(policy->parameters, field)),
        FX_EINVALID, &text);
}

/* Checks the form of each part that is not empty. */
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
    assign->parameters = fx_tree_deep_copy(policy->parameters);
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

/* Compiles the policy in the order of spec section 3.2. */
static bool compile_assign_image(struct target *target, const struct policy *policy,
                                 struct fx_err *err) {
    struct assign_image *assign = (struct assign_image *)target; /* its first member */
    target->uses_old_value = true;
    target->type = FX_ACCESS_STRING;
    target->must_terminate = true;
    return fx_target_parse_location_of(target, policy, "assignImage", err) &&
           fx_target_check_metadata(target, policy, "assignImage", err) &&
           check_end(target, policy, err) && fx_target_check_key(target, policy, err) &&
           read_parts(assign, policy, err) &&
           read_only_if(policy, &assign->only_if, err) &&
           fx_target_compile_path_tests(target, policy, err) &&
           fx_target_compile_apply_to(target, policy, err);
}

/* ---- the object ------------------------------------------------------------------ */

/* Returns the reference as a string; NULL if out of memory. */
static json_t *new_reference(const struct image *image) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_image_print(&text, image);
    json_t *value = text.failed ? NULL : fx_tree_new_string(fx_buf_view(&text));
    fx_buf_finish(&text);
    return value;
}

static bool set_image(const void *user, const struct fx_write_position *position,
                      enum fx_write *ret_write, json_t **ret_value,
                      const char **ret_criterion, struct fx_err *err) {
    const json_t *old = position->old;
    const struct assign_image *assign = user;
    if (old != NULL && !json_is_string(old)) {
        return fx_fail(err, FX_EMUTATE,
                       "expected value at AssignImage location to be a string, got  of "
                       "type string");
    }
    const struct image before = fx_image_split(fx_tree_text(old));
    if (!only_if_holds(&assign->only_if, &before)) {
        *ret_write = FX_WRITE_PASS;
        *ret_criterion = "onlyIf";
        return true;
    }
    const struct image after = fx_image_replace(before, &assign->parts);
    if (fx_image_equal(&before, &after)) { /* so `old` exists: some part is set */
        *ret_write = FX_WRITE_KEEP;
        return true;
    }
    *ret_write = FX_WRITE_SET;
    *ret_value = new_reference(&after);
    return *ret_value != NULL || fx_fail_nomem(err);
}

static bool apply_assign_image(const struct fx_mutator *self,
                               const struct fx_request *request, json_t **root,
                               struct fx_effect *ret_effect, struct fx_err *err) {
    (void)request;
    const struct assign_image *assign = (const struct assign_image *)self;
    const struct fx_setter setter = {.set = set_image, .user = assign};
    return fx_target_write(&assign->target, &setter, root, ret_effect, err);
}

static void destroy_assign_image(struct fx_mutator *self) {
    struct assign_image *assign = (struct assign_image *)self;
    json_decref(assign->only_if.domains);
    json_decref(assign->only_if.paths);
    json_decref(assign->only_if.tags);
    json_decref(assign->parameters);
    fx_target_finish(&assign->target);
    free(assign);
}

static const struct fx_mutator_ops ops = {
    TARGET_OPS,
    .apply = apply_assign_image,
    .destroy = destroy_assign_image,
};

bool fx_assign_image_compile(const struct policy *policy,
                             struct fx_compilation *ret_compilation, struct fx_err *err) {
    return fx_target_add(policy, sizeof(struct assign_image), &ops, compile_assign_image,
                         ret_compilation, err);
}
