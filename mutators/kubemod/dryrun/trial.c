/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/trial.c - mutates the object, and makes the patch even if a
 * rule rejects it.
 */
#include "mutators/kubemod/dryrun/internal.h"

#include "base/limits.h"
#include "policy/namespaces.h"
#include "value/tree.h"

/* The Namespace of the request; for a name only, one with that name. None if the request
 * does not say where the object is: KubeMod's dry run has no syntheticRefs. */
static bool find_namespace(struct fx_dryrun_trial *trial, struct fx_err *err) {
    const struct fx_dryrun_request *request = trial->request;
    if (request->namespace_object != NULL) {
        trial->namespace_object = json_incref(request->namespace_object);
        return true;
    }
    if (request->namespace_.len == 0) {
        return true;
    }
    trial->namespace_object =
        fx_namespaces_find(&trial->policies->namespaces, request->namespace_);
    return trial->namespace_object != NULL || fx_fail_nomem(err);
}

/* The Node of the request, whatever its kind says. */
static bool put_node(struct fx_dryrun_trial *trial, struct fx_err *err) {
    json_t *node = trial->request->node;
    const json_t *metadata = fx_tree_view_key(node, "metadata");
    const struct fx_input_key key =
        fx_input_core_key("Node", fx_tree_view_string(metadata, "name"));
    fx_inputs_init(&trial->inputs, NULL, 0);
    return node == NULL || fx_inputs_put(&trial->inputs, &key, node) ||
           fx_fail_nomem(err);
}

static struct fx_mutation new_mutation(struct fx_dryrun_trial *trial,
                                       const struct fx_snapshot *snapshot) {
    const struct fx_dryrun_request *request = trial->request;
    struct fx_subject subject;
    fx_subject_read(request->object, &subject);
    return (struct fx_mutation){
        .snapshot = snapshot,
        .request =
            {
                .operation = request->operation,
                .source = FX_SOURCE_ORIGINAL,
                .namespace_ = request->has_namespace ? request->namespace_
                                                     : FX_TEXT(FX_DRYRUN_NAMESPACE),
                .namespace_object = trial->namespace_object,
                .only_validators = request->operation == FX_OPERATION_DELETE,
                .everywhere = !request->has_namespace,
                .mutation_id = trial->mutation_id,
                .activity = trial->activity,
                .text_left = &trial->text_left,
            },
        .namespace_ = subject.is_namespace ? FX_TEXT("") : request->namespace_,
        .object = request->object,
        .inputs = &trial->inputs,
        .arena = &trial->arena,
        .external_fault = "a dry run calls no providers",
    };
}

static bool mutate(struct fx_mutation *mutation, struct fx_err *err) {
    return fx_mutation_begin(mutation, err) && fx_mutation_end(mutation, err);
}

/* Once more, without the rules that rejected the result. */
static bool mutate_by_others(struct fx_dryrun_trial *trial, struct fx_err *err) {
    const struct fx_snapshot *snapshot = trial->policies->snapshot;
    const struct fx_snapshot_parts parts = {
        .mutators = snapshot->mutators,
        .n_mutators = snapshot->n_acting,
        .resources = snapshot->resources,
        .n_resources = snapshot->n_resources,
    };
    fx_err_reset(err);
    if (!fx_snapshot_build(&parts, snapshot->generation, &trial->acting, err)) {
        return false;
    }
    trial->text_left = FX_LIMIT_DRYRUN_TEXT_BYTES;
    trial->patched = new_mutation(trial, trial->acting);
    trial->result = &trial->patched;
    return mutate(&trial->patched, err);
}

bool fx_dryrun_try(struct fx_dryrun_trial *trial, struct fx_err *err) {
    fx_arena_init(&trial->arena, FX_LIMIT_ARENA_BYTES);
    fx_trace_init(&trial->trace, &trial->arena);
    fx_uuid_make(trial->mutation_id);
    trial->text_left = FX_LIMIT_DRYRUN_TEXT_BYTES;
    if (!find_namespace(trial, err) || !put_node(trial, err)) {
        return false;
    }
    trial->mutation = new_mutation(trial, trial->policies->snapshot);
    trial->mutation.trace = &trial->trace;
    trial->result = &trial->mutation;
    return mutate(&trial->mutation, err) ||
           (err->code == FX_EDENIED && mutate_by_others(trial, err));
}

void fx_dryrun_trial_finish(struct fx_dryrun_trial *trial) {
    fx_mutation_finish(&trial->mutation);
    fx_mutation_finish(&trial->patched);
    fx_snapshot_unref(trial->acting);
    fx_inputs_finish(&trial->inputs);
    json_decref(trial->namespace_object);
    fx_trace_finish(&trial->trace);
    fx_arena_finish(&trial->arena);
}
