/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/gatekeeper/assigner.c - the sources of the assigned value, and the mutator
 * that writes it.
 */
#include "mutators/gatekeeper/assigner.h"

#include <stdlib.h>

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
        return fx_source_read_external(source, external_data, err);
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

/* The value for this object, a new reference; NULL without memory. */
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

static bool apply(const struct fx_mutator *self, const struct fx_request *request,
                  json_t **root, struct fx_effect *ret_effect, struct fx_err *err) {
    const struct assigner *assigner = (const struct assigner *)self;
    const struct source *source = &assigner->source;
    if (source->type == SOURCE_VALUE || source->type == SOURCE_METADATA) {
        return apply_constant(assigner, root, ret_effect, err);
    }
    struct finding finding = {.key = NULL};
    const struct setting setting = {source, request, &finding};
    const struct fx_setter setter = {
        .set =
            source->type == SOURCE_OBJECT ? fx_source_set_object : fx_source_set_external,
        .user = &setting,
    };
    return fx_target_write(&assigner->target, &setter, root, ret_effect, err);
}

static void destroy(struct fx_mutator *self) {
    struct assigner *assigner = (struct assigner *)self;
    fx_source_finish(&assigner->source);
    fx_target_finish(&assigner->target);
    free(assigner);
}

static const struct fx_mutator_ops ops = {
    TARGET_OPS,
    .apply = apply,
    .destroy = destroy,
};

struct assigner *fx_assigner_of(struct target *target) {
    return (struct assigner *)target; /* it is the first member */
}

/* Replaces the policy's own node, which errors have pointed at, by a copy. */
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
