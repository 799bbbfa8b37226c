/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assigner.c - the sources of the assigned value, and the mutator
 * that writes it.
 */
#include "mutators/gatekeeper/assigner.h"

#include <stdlib.h>

#include "base/buf.h"
#include "engine/request.h"
#include "mutators/gatekeeper/value_copy.h"
#include "value/tree.h"

static bool check_one(const struct policy *policy, const struct source *source,
                      unsigned count, struct fx_err *err) {
    if (count == 1) {
        return true;
    }
    return fx_fail_in(
        err, fx_policy_node(policy, source->assign), FX_EINVALID,
        "assign must %sset one of `externalData`, `value`%s: invalid assign "
        "field",
        count == 0 ? "" : "only ",
        policy->extended ? ", `fromMetadata` or `fromObject`" : " or `fromMetadata`");
}

static bool read_metadata(struct source *source, const json_t *from, struct fx_err *err) {
    static const char *const fields[] = {"name", "namespace"};
    const struct fx_text field = fx_tree_view_string(from, "field");
    for (size_t i = 0; i < FX_COUNT(fields); i++) {
        if (fx_text_is(field, fields[i])) {
            source->type = SOURCE_METADATA;
            source->metadata = fields[i];
            return true;
        }
    }
    return fx_fail_in(err, fx_shape_node(fx_shape_view(from, "field"), from), FX_EINVALID,
                      "field %.*s is not recognized: invalid fromMetadata field",
                      FX_TEXT_ARG(field));
}

/* ---- external data ---------------------------------------------------------------- */

static const char *const failure_names[] = {
#define X(name, text) [FX_EXTERNAL_##name] = text,
    FX_EXTERNAL_FAILURES(X)
#undef X
};

enum { AT_LOCATION, USERNAME };
static const char *const source_names[] = {
    [AT_LOCATION] = "ValueAtLocation",
    [USERNAME] = "Username",
};

/* A field with one of several values. The first one is the default. */
struct choice_field {
    const char *field;
    const char *const *names;
    size_t n_names;
};

/* Fails with the API server's message for a value that is not in the CRD's enum. */
static bool fail_unsupported(const struct choice_field *choice, const json_t *node,
                             struct fx_err *err) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "spec.parameters.assign.externalData.%s: Unsupported value: ",
                  choice->field);
    fx_text_quote_go(&text, fx_tree_text(node));
    fx_buf_str(&text, ": supported values: ");
    for (size_t i = 0; i < choice->n_names; i++) {
        fx_buf_printf(&text, "%s\"%s\"", i == 0 ? "" : ", ", choice->names[i]);
    }
    return fx_fail_buf_finish(err, node, FX_EINVALID, &text);
}

static bool read_choice(const struct choice_field *choice, const json_t *external,
                        size_t *ret_index, struct fx_err *err) {
    const json_t *node = fx_shape_view(external, choice->field);
    *ret_index = 0;
    if (node == NULL) {
        return true;
    }
    for (size_t i = 0; i < choice->n_names; i++) {
        if (fx_text_is(fx_tree_text(node), choice->names[i])) {
            *ret_index = i;
            return true;
        }
    }
    return fail_unsupported(choice, node, err);
}

/* Reads `assign.externalData` (spec section 3.2), with the CRD's defaults and rules,
 * because an API server has not checked a file. */
static bool read_external(struct source *source, json_t *external, struct fx_err *err) {
    static const struct choice_field data_source = {"dataSource", source_names,
                                                    FX_COUNT(source_names)};
    static const struct choice_field failure = {"failurePolicy", failure_names,
                                                FX_COUNT(failure_names)};
    size_t data_index = 0;
    size_t on_failure = 0;
    if (!read_choice(&data_source, external, &data_index, err) ||
        !read_choice(&failure, external, &on_failure, err)) {
        return false;
    }
    if (fx_shape_view(external, "provider") == NULL) {
        return fx_fail_in(err, external, FX_EINVALID,
                          "spec.parameters.assign.externalData.provider: Required value");
    }
    source->type = SOURCE_EXTERNAL;
    source->external_node = fx_tree_deep_copy(external);
    if (source->external_node == NULL) {
        return fx_fail_nomem(err);
    }
    source->asks_username = data_index == USERNAME;
    source->external = (struct fx_external){
        .provider = fx_tree_view_string(source->external_node, "provider"),
        .on_failure = (enum fx_external_failure)on_failure,
        .fallback = fx_tree_view_string(source->external_node, "default"),
    };
    if (on_failure == FX_EXTERNAL_USE_DEFAULT && source->external.fallback.len == 0) {
        return fx_fail_in(err, external, FX_EINVALID,
                          "`default` must not be empty when `failurePolicy` is set to "
                          "`UseDefault`");
    }
    return true;
}

/* Finds the key of the request to the provider: the present text, or the key of the
 * present placeholder. If there is no value, it is the username or the empty text. */
static bool find_key(const struct setting *setting, const json_t *old,
                     struct fx_text *ret_key, struct fx_err *err) {
    struct fx_placeholder present;
    if (fx_placeholders_find(setting->request->placeholders, old, &present)) {
        *ret_key = present.key;
        return true;
    }
    if (old == NULL) {
        *ret_key = setting->source->asks_username
                       ? fx_tree_view_string(setting->request->user_info, "username")
                       : FX_TEXT("");
        return true;
    }
    if (!json_is_string(old)) {
        return fx_fail(err, FX_EMUTATE,
                       "value assigned to external data placeholder is not a string, got "
                       "%s",
                       fx_tree_go_type(old));
    }
    *ret_key = fx_tree_text(old);
    return true;
}

/* The setter of an external source. It sets a placeholder for the present text, or for
 * the username. */
static bool set_external(const void *user, const struct fx_write_position *position,
                         enum fx_write *ret_write, json_t **ret_value,
                         const char **ret_criterion, struct fx_err *err) {
    (void)ret_criterion;
    const struct setting *setting = user;
    struct fx_text key = {0};
    if (setting->request->placeholders == NULL) {
        return fx_fail(err, FX_EMUTATE, "external data is not available here");
    }
    if (!find_key(setting, position->old, &key, err)) {
        return false;
    }
    *ret_write = FX_WRITE_SET;
    *ret_value = fx_placeholders_make(setting->request->placeholders,
                                      &setting->source->external, key);
    return *ret_value != NULL || fx_fail_nomem(err);
}

/* ---- the source ------------------------------------------------------------------- */

bool fx_source_compile(const struct policy *policy, struct target *target,
                       struct source *source, struct fx_err *err) {
    const json_t *assign = fx_shape_view(policy->parameters, "assign");
    const json_t *from_metadata = fx_shape_view(assign, "fromMetadata");
    json_t *external_data = fx_shape_view(assign, "externalData");
    const json_t *from_object = fx_policy_view_further(policy, assign, "fromObject");
    source->assign = assign;
    source->value = json_incref(fx_shape_view(assign, "value"));
    const unsigned count =
        (source->value != NULL ? 1u : 0u) + (from_metadata != NULL ? 1u : 0u) +
        (external_data != NULL ? 1u : 0u) + (from_object != NULL ? 1u : 0u);
    if (!check_one(policy, source, count, err)) {
        return false;
    }
    if (from_metadata != NULL) {
        return read_metadata(source, from_metadata, err);
    }
    if (external_data != NULL) {
        return read_external(source, external_data, err);
    }
    if (from_object == NULL) {
        return true;
    }
    if (!fx_source_read_object(source, policy, target->location, err)) {
        return false;
    }
    target->from = source->from.location;
    return true;
}

void fx_source_finish(struct source *source) {
    fx_other_location_finish(&source->from);
    json_decref(source->value);
    json_decref(source->external_node);
}

/* Returns the value for this object, a new reference; NULL if out of memory. */
static json_t *value_for(const struct source *source, const json_t *root) {
    if (source->type == SOURCE_VALUE) {
        return json_incref(source->value);
    }
    const json_t *metadata = fx_tree_view_key(root, "metadata");
    const struct fx_text text = fx_tree_view_string(metadata, source->metadata);
    return fx_tree_new_string(text.data != NULL ? text : FX_TEXT(""));
}

static bool set_constant(const void *user, const struct fx_write_position *position,
                         enum fx_write *ret_write, json_t **ret_value,
                         const char **ret_criterion, struct fx_err *err) {
    (void)position;
    (void)ret_criterion;
    (void)err;
    json_t *const *constant = user;
    *ret_write = FX_WRITE_SET;
    *ret_value = json_incref(*constant);
    return true;
}

static bool apply_constant(const struct assigner *assigner, json_t **root,
                           struct fx_effect *ret_effect, struct fx_err *err) {
    json_t *constant = value_for(&assigner->source, *root);
    if (constant == NULL) {
        return fx_fail_nomem(err);
    }
    const struct fx_setter setter = {.set = set_constant, .user = &constant};
    const bool ok = fx_target_write(&assigner->target, &setter, root, ret_effect, err);
    json_decref(constant);
    return ok;
}

static bool apply_assigner(const struct fx_mutator *self,
                           const struct fx_request *request, json_t **root,
                           struct fx_effect *ret_effect, struct fx_err *err) {
    const struct assigner *assigner = (const struct assigner *)self;
    const struct source *source = &assigner->source;
    if (source->type == SOURCE_VALUE || source->type == SOURCE_METADATA) {
        return apply_constant(assigner, root, ret_effect, err);
    }
    struct finding finding = {.key = NULL};
    const struct setting setting = {source, request, &finding};
    const struct fx_setter setter = {
        .set = source->type == SOURCE_OBJECT ? fx_source_set_object : set_external,
        .user = &setting,
    };
    return fx_target_write(&assigner->target, &setter, root, ret_effect, err);
}

static void destroy_assigner(struct fx_mutator *self) {
    struct assigner *assigner = (struct assigner *)self;
    fx_source_finish(&assigner->source);
    fx_target_finish(&assigner->target);
    free(assigner);
}

static const struct fx_mutator_ops ops = {
    TARGET_OPS,
    .apply = apply_assigner,
    .destroy = destroy_assigner,
};

struct assigner *fx_assigner_of(struct target *target) {
    return (struct assigner *)target; /* it is the first member */
}

/* Replaces the policy's own node, at which errors pointed, by a copy. */
static bool keep_value(struct source *source, const struct target *target) {
    const struct fx_location_step *last = fx_target_last_step(target);
    const bool is_element = last != NULL && last->type == FX_LOCATION_LIST;
    json_t *copy = fx_value_copy_doubles(source->value, is_element);
    if (source->value != NULL && copy == NULL) {
        return false;
    }
    json_decref(source->value);
    source->value = copy;
    return true;
}

bool fx_assigner_add(const struct policy *policy, compile_target *compile,
                     struct fx_compilation *ret_compilation, struct fx_err *err) {
    if (!fx_target_add(policy, sizeof(struct assigner), &ops, compile, ret_compilation,
                       err)) {
        return false;
    }
    struct fx_mutator *added = ret_compilation->mutators[ret_compilation->n_mutators - 1];
    struct assigner *assigner = (struct assigner *)added; /* its first member */
    struct source *source = &assigner->source;
    if (source->type == SOURCE_EXTERNAL) {
        source->input = (struct fx_input){
            .type = FX_INPUT_CALL,
            .phase = FX_INPUT_AFTER,
            .provider = source->external.provider,
        };
        added->inputs = &source->input;
        added->n_inputs = 1;
    }
    return keep_value(source, &assigner->target) || fx_fail_nomem(err);
}
