/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_report.c - gathering what there is to tell of one object.
 */
#include "cli/explain_report.h"

#include "engine/provider.h"
#include "value/json.h"
#include "value/tree.h"

/* The words with which the webhook lets pass what it does not mutate. */
static bool read_skipped(struct fx_explanation *explanation, struct fx_err *err) {
    const struct fx_review_result *result = explanation->result;
    if (result->outcome != NULL || explanation->failure != NULL) {
        return true;
    }
    const struct fx_text body = {result->body->data, result->body->len};
    json_t *review = fx_json_read(body, NULL, err);
    if (review == NULL) {
        return false;
    }
    json_t *status = fx_tree_view_key(fx_tree_view_key(review, "response"), "status");
    const struct fx_text words = fx_tree_view_string(status, "message");
    explanation->skipped =
        fx_tree_new_string(words.data != NULL ? words : FX_TEXT("skipped"));
    json_decref(review);
    return explanation->skipped != NULL || fx_fail_nomem(err);
}

bool fx_explanation_make(struct fx_explanation *ret_explanation, struct fx_err *err) {
    struct fx_explanation *explanation = ret_explanation;
    const struct fx_outcome *outcome = explanation->result->outcome;
    const struct fx_idle_facts facts = {
        .snapshot = explanation->snapshot,
        .trace = explanation->trace,
        .fields = &explanation->fields,
        .failed = outcome == NULL ? NULL : outcome->failed,
        .wanted = explanation->wanted,
        .outcome = outcome,
    };
    struct fx_idle_facts judges = facts;
    judges.judges = true;
    return read_skipped(explanation, err) &&
           fx_fields_make(explanation->trace, explanation->object->root,
                          &explanation->fields, err) &&
           fx_idlers_find(&facts, &explanation->idlers, err) &&
           fx_idlers_find(&judges, &explanation->judges, err);
}

void fx_explanation_finish(struct fx_explanation *explanation) {
    fx_fields_finish(&explanation->fields);
    fx_idlers_finish(&explanation->idlers);
    fx_idlers_finish(&explanation->judges);
    json_decref(explanation->skipped);
    *explanation = (struct fx_explanation){.object = NULL};
}

bool fx_explanation_tells(const struct fx_explanation *explanation,
                          const struct fx_field *field) {
    return explanation->wanted == NULL || fx_wanted_has(explanation->wanted, field);
}

size_t fx_explanation_judges(const struct fx_explanation *explanation) {
    return explanation->snapshot->n_mutators - explanation->snapshot->n_acting;
}

bool fx_explanation_only_judges(const struct fx_explanation *explanation) {
    return fx_text_is(explanation->result->operation, "DELETE");
}

const char *fx_explanation_less(const struct fx_explanation *explanation,
                                uint32_t mutator) {
    const struct fx_outcome *outcome = explanation->result->outcome;
    for (size_t i = 0; i < outcome->n_drops; i++) {
        if (outcome->drops[i].mutator == mutator && !outcome->drops[i].fails) {
            return outcome->drops[i].words;
        }
    }
    return NULL;
}

static struct fx_actor provider_of(const struct fx_explanation *explanation,
                                   const json_t *before) {
    struct fx_placeholder placeholder;
    struct fx_actor actor = {.kind = "Provider"};
    if (fx_placeholders_find(explanation->trace->placeholders, before, &placeholder)) {
        const struct fx_resource *provider = fx_snapshot_find(
            explanation->snapshot, FX_RESOURCE_PROVIDER, placeholder.external->provider);
        actor.name = placeholder.external->provider;
        actor.origin = provider == NULL ? NULL : &provider->origin;
    }
    return actor;
}

struct fx_actor fx_explanation_actor(const struct fx_explanation *explanation,
                                     uint32_t mutator, const json_t *before) {
    if (mutator == FX_TRACE_EXTERNAL) {
        return provider_of(explanation, before);
    }
    const struct fx_mutator *head = explanation->snapshot->mutators[mutator];
    return (struct fx_actor){
        .kind = head->kind,
        .name = fx_text_of(head->full_name),
        .tier = head->tier,
        .origin = &head->origin,
    };
}
