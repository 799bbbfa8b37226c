/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/passes.c - single passes of the loop over a list of mutators.
 */
#include "engine/passes.h"

#include "engine/converge_run.h"

struct fx_passes {
    struct fx_passes_input input;
    struct fx_request request; /* with failures, and the object before all passes */
    struct converge run;
    struct fx_outcome outcome;
    json_t *root; /* counted */
    struct fx_pass_result *result;
};

struct fx_passes *fx_passes_open(const struct fx_passes_input *input, json_t *object) {
    struct fx_passes *passes = fx_arena_alloc(input->arena, sizeof *passes);
    if (passes == NULL) {
        return NULL;
    }
    *passes = (struct fx_passes){
        .input = *input, .request = *input->request, .root = json_incref(object)};
    struct converge *run = &passes->run;
    passes->request.failures = &run->failures;
    passes->request.incoming = json_incref(object);
    *run = (struct converge){
        .snapshot = input->snapshot,
        .request = &passes->request,
        .failures.arena = input->arena,
        .arena = input->arena,
        .root = &passes->root,
        .outcome = &passes->outcome,
        .plain = true,
        .passes = passes,
    };
    run->candidates.indices = fx_arena_alloc(
        input->arena, (input->n_order + 1) * sizeof *run->candidates.indices);
    if (run->candidates.indices == NULL || !fx_converge_make_sets(run)) {
        fx_passes_close(passes);
        return NULL;
    }
    for (size_t i = 0; i < input->n_order; i++) {
        run->candidates.indices[i] = input->order[i];
    }
    run->candidates.n_indices = input->n_order;
    run->n_acting = input->n_order;
    return passes;
}

void fx_passes_close(struct fx_passes *passes) {
    if (passes != NULL) {
        fx_converge_end_pass(&passes->run);
        json_decref(passes->run.kept);
        json_decref(passes->request.incoming);
        json_decref(passes->root);
    }
}

bool fx_passes_spend(struct fx_passes *passes, struct fx_err *err) {
    if (*passes->input.steps_left == 0) {
        passes->result->exhausted = true;
        return fx_fail(err, FX_ELIMIT, "no steps are left");
    }
    --*passes->input.steps_left;
    return true;
}

bool fx_passes_note_applied(struct fx_passes *passes, const struct fx_trace_step *step,
                            json_t *before, struct fx_err *err) {
    const struct fx_mutator *mutator = passes->run.snapshot->mutators[step->mutator];
    if (step->verdict.matched && mutator->run.once && !mutator->run.again) {
        passes->result->once_applied = true;
    }
    if (step->effect.changed && mutator->run.again) {
        passes->result->again_changed = true;
    }
    return passes->input.changed == NULL || !step->effect.changed ||
           passes->input.changed(passes->input.user, step->mutator, before, passes->root,
                                 err);
}

bool fx_passes_run(struct fx_passes *passes, struct fx_pass_result *ret_result,
                   struct fx_err *err) {
    struct converge *run = &passes->run;
    *ret_result = (struct fx_pass_result){.changed = false};
    passes->result = ret_result;
    run->pass++;
    fx_subject_read(passes->root, &run->subject);
    run->is_stale = false;
    bool ok = fx_converge_pass(run, err);
    fx_converge_end_pass(run);
    fx_converge_leave_share(run);
    ret_result->changed = run->has_changed;
    ret_result->once_changed = run->has_changed_once;
    if (!ok && passes->outcome.failed != NULL && !fx_err_is_ours(err)) {
        ret_result->failed = passes->outcome.failed;
        ret_result->failure = *err;
    }
    const struct fx_failure *status = fx_failures_status(&run->failures);
    if (status != NULL && (ok || !fx_err_is_ours(err))) {
        ret_result->failed = run->snapshot->mutators[status->mutator];
        fx_err_reset(&ret_result->failure);
        (void)fx_fail(&ret_result->failure, FX_EMUTATE, "%s", status->message.data);
    }
    run->failures.n_items = 0;
    if (ret_result->failed != NULL || ret_result->exhausted) {
        fx_err_reset(err);
        ok = run->view == NULL || fx_converge_set_view(run, NULL, err);
    }
    return ok;
}

size_t fx_passes_most(const struct fx_passes *passes) {
    return passes->input.n_order + 1 + passes->input.snapshot->runs_again;
}

json_t *fx_passes_object(const struct fx_passes *passes) {
    return passes->root;
}

bool fx_passes_is_done(const struct fx_passes *passes, uint32_t mutator) {
    return fx_index_set_has(&passes->run.done, mutator);
}

void fx_passes_set_done(struct fx_passes *passes, uint32_t mutator) {
    fx_index_set_add(&passes->run.done, mutator);
}
