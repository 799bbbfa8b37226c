/* SPDX-License-Identifier: Apache-2.0
 *
 * mutators/kubemod/dryrun/dryrun.c - reads the request, builds the policies, tries them,
 * and writes the report or an error.
 */
#include "mutators/kubemod/dryrun/dryrun.h"

#include "base/budget.h"
#include "base/limits.h"
#include "mutators/kubemod/dryrun/internal.h"
#include "policy/namespaces.h"
#include "value/json.h"
#include "value/tree.h"

/* The state of a dry run. */
struct dry_run {
    struct fx_dryrun_request request;
    struct fx_policies *policies;
    struct fx_dryrun_trial trial;
    struct fx_buf faults; /* the faults of the rules */
    uint64_t deadline_ns;
    struct fx_activity *activity;
    struct fx_err err;
};

/* ---- the trial -------------------------------------------------------------------- */

/* Finds the Namespace of the request, or makes one if the request has only a name. Finds
 * none if the request does not name the namespace of the object: KubeMod's dry run has no
 * syntheticRefs. */
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

/* Adds the Node of the request. Its kind is ignored. */
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

/* Mutates the object again, without the rules that rejected the result. */
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

/* Tries the policies on the object and sets the rest of the trial, which is zeroed. The
 * caller finishes the trial in any case. A rejected object is not an error. */
static bool try_policies(struct fx_dryrun_trial *trial, struct fx_err *err) {
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

static void trial_finish(struct fx_dryrun_trial *trial) {
    fx_mutation_finish(&trial->mutation);
    fx_mutation_finish(&trial->patched);
    fx_snapshot_unref(trial->acting);
    fx_inputs_finish(&trial->inputs);
    json_decref(trial->namespace_object);
    fx_trace_finish(&trial->trace);
    fx_arena_finish(&trial->arena);
}

/* ---- the answer ------------------------------------------------------------------- */

static void write_error(struct fx_buf *body, struct fx_text message) {
    fx_buf_reset(body);
    fx_buf_str(body, "{\"error\":");
    fx_json_write_string(body, message, FX_JSON_COMPACT);
    fx_buf_str(body, "}\n");
}

/* True if an allocation failed because of the bound of the arena. Then more than half of
 * the arena was in use, since no single allocation is larger than half of it. */
static bool hit_bound(const struct fx_arena *arena) {
    return arena->total > arena->max / 2;
}

static void check_body(const struct fx_buf *body, struct fx_err *err) {
    if (body->full) {
        (void)fx_fail(err, FX_ELIMIT, "the answer is larger than %u bytes",
                      FX_LIMIT_DRYRUN_ANSWER_BYTES);
    } else if (body->failed) {
        (void)fx_fail_nomem(err);
    }
}

static bool write_answer(struct dry_run *run, struct fx_text text, struct fx_buf *body) {
    struct fx_err *err = &run->err;
    if (!fx_dryrun_request_read(text, &run->request, err) ||
        !fx_dryrun_build(&run->request, &run->policies, &run->faults, err)) {
        return false;
    }
    run->trial = (struct fx_dryrun_trial){
        .request = &run->request,
        .policies = run->policies,
        .activity = run->activity,
    };
    if (!try_policies(&run->trial, err)) {
        if (err->code == FX_ENOMEM && hit_bound(&run->trial.arena)) {
            (void)fx_fail(err, FX_ELIMIT,
                          "the dry run needs more than %u bytes of memory",
                          FX_LIMIT_ARENA_BYTES);
        }
        return false;
    }
    if (!fx_dryrun_report(&run->trial, body, err)) {
        return false;
    }
    check_body(body, err);
    return !body->failed;
}

/* Writes the answer, with a deadline. If the deadline was exceeded, the result is
 * discarded, because it may be wrong. */
static bool answer_in_time(struct dry_run *run, struct fx_text text,
                           struct fx_buf *body) {
    struct fx_budget budget = {.bound = {.deadline_ns = run->deadline_ns}};
    fx_budget_swap(&budget);
    const bool ok = write_answer(run, text, body);
    fx_budget_swap(&budget);
    if (budget.exceeded == FX_EXCEEDED_NOTHING) {
        return ok;
    }
    return run->err.code == FX_EDEADLINE
               ? false
               : fx_fail(&run->err, FX_EDEADLINE, "dry run: deadline exceeded");
}

static unsigned status_of(enum fx_code code) {
    switch (code) {
    case FX_ENOMEM:
    case FX_EDEADLINE: return 503;
    case FX_EINTERNAL: return 500;
    case FX_OK:
    case FX_ESYNTAX:
    case FX_EINVALID:
    case FX_ELIMIT:
    case FX_EMUTATE:
    case FX_ENOCONVERGE:
    case FX_EIO:
    case FX_EINPUT:
    case FX_EDENIED: break;
    }
    return 400;
}

static void fail_request(const struct dry_run *run,
                         struct fx_dry_run_answer *ret_answer) {
    const struct fx_text faults = {run->faults.data, run->faults.len};
    const bool has_faults = run->err.code == FX_EINVALID && faults.len > 0;
    ret_answer->status = status_of(run->err.code);
    /* the last line end is not part of the message */
    write_error(&ret_answer->body, has_faults
                                       ? (struct fx_text){faults.data, faults.len - 1}
                                       : fx_text_of(run->err.msg));
    if (ret_answer->body.failed) {
        fx_buf_reset(&ret_answer->body);
        ret_answer->status = 503;
    }
    ret_answer->retry_after = ret_answer->status == 503;
}

static void answer_request(struct fx_text text,
                           const struct fx_dialect_settings *settings,
                           uint64_t deadline_ns, struct fx_activity *activity,
                           struct fx_dry_run_answer *ret_answer) {
    struct dry_run run = {
        .request = {.settings = settings},
        .deadline_ns = deadline_ns,
        .activity = activity,
        .err = FX_ERR_INIT,
    };
    *ret_answer = (struct fx_dry_run_answer){.status = 200};
    fx_buf_init(&ret_answer->body, FX_LIMIT_DRYRUN_ANSWER_BYTES);
    fx_buf_init(&run.faults, 0);
    if (!answer_in_time(&run, text, &ret_answer->body)) {
        fail_request(&run, ret_answer);
    }
    trial_finish(&run.trial);
    fx_policies_unref(run.policies);
    fx_dryrun_request_finish(&run.request);
    fx_buf_finish(&run.faults);
}

const struct fx_dry_run fx_dry_run_kubemod = {
    .method = "PUT",
    .path = "/v1/dryrun",
    .answer = answer_request,
    .write_error = write_error,
};
