/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/report.c - builds the report on one object.
 */
#include "explain/report.h"

#include "engine/resource.h"

bool fx_explanation_make(const struct fx_explain_input *input,
                         struct fx_explanation *ret_explanation, struct fx_err *err) {
    struct fx_explanation *explanation = ret_explanation;
    *explanation = (struct fx_explanation){.input = *input};
    struct fx_inactive_input given = {
        .snapshot = input->snapshot,
        .trace = input->trace,
        .fields = &explanation->fields,
        .query = input->query,
        .outcome = input->outcome,
    };
    if (!fx_explain_fields_make(input->trace, input->object, &explanation->fields, err) ||
        !fx_inactive_find(&given, &explanation->inactive, err)) {
        return false;
    }
    given.role = FX_INACTIVE_VALIDATORS;
    if (!fx_inactive_find(&given, &explanation->validators, err)) {
        return false;
    }
    given.role = FX_INACTIVE_EXISTING;
    return fx_inactive_find(&given, &explanation->existing, err);
}

void fx_explanation_finish(struct fx_explanation *explanation) {
    fx_explain_fields_finish(&explanation->fields);
    fx_inactive_list_finish(&explanation->inactive);
    fx_inactive_list_finish(&explanation->validators);
    fx_inactive_list_finish(&explanation->existing);
    *explanation = (struct fx_explanation){.input = {.object = NULL}};
}

bool fx_explanation_includes(const struct fx_explanation *explanation,
                             const struct fx_explain_field *field) {
    return explanation->input.query == NULL ||
           fx_query_covers(explanation->input.query, field);
}

size_t fx_explanation_validators(const struct fx_explanation *explanation) {
    const struct fx_snapshot *snapshot = explanation->input.snapshot;
    return snapshot->n_mutators - snapshot->n_acting -
           fx_explanation_existing(explanation);
}

/* They are the last ones in the snapshot. */
size_t fx_explanation_existing(const struct fx_explanation *explanation) {
    const struct fx_snapshot *snapshot = explanation->input.snapshot;
    size_t n = 0;
    while (n < snapshot->n_mutators - snapshot->n_acting &&
           fx_mutator_is_existing(snapshot->mutators[snapshot->n_mutators - n - 1])) {
        n++;
    }
    return n;
}

const char *fx_explanation_validator_error(const struct fx_explanation *explanation,
                                           uint32_t mutator) {
    const struct fx_outcome *outcome = explanation->input.outcome;
    for (size_t i = 0; i < outcome->n_skipped; i++) {
        if (outcome->skipped[i].mutator == mutator && !outcome->skipped[i].fails) {
            return outcome->skipped[i].message;
        }
    }
    return NULL;
}

struct fx_actor fx_actor_of(const struct fx_mutator *mutator) {
    return (struct fx_actor){
        .kind = mutator->kind,
        .name = fx_text_of(mutator->full_name),
        .tier = mutator->tier,
        .origin = &mutator->origin,
    };
}

static struct fx_actor provider_of(const struct fx_explain_input *input,
                                   const json_t *before) {
    struct fx_placeholder placeholder;
    struct fx_actor actor = {.kind = "Provider"};
    if (fx_placeholders_find(input->trace->placeholders, before, &placeholder)) {
        const struct fx_resource *provider = fx_snapshot_find(
            input->snapshot, FX_RESOURCE_PROVIDER, placeholder.external->provider);
        actor.name = placeholder.external->provider;
        actor.origin = provider == NULL ? NULL : &provider->origin;
    }
    return actor;
}

struct fx_actor fx_explanation_actor(const struct fx_explanation *explanation,
                                     uint32_t mutator, const json_t *before) {
    const struct fx_explain_input *input = &explanation->input;
    return mutator == FX_TRACE_EXTERNAL ? provider_of(input, before)
                                        : fx_actor_of(input->snapshot->mutators[mutator]);
}
