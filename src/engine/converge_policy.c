/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_policy.c - rules that concern the other rules of their policy: those
 * that end it when they have changed the object (run.ends_policy), and those that undo it
 * if they fail (run.restores_policy).
 */
#include "engine/converge_run.h"

void fx_converge_leave_policy(struct converge *run) {
    json_decref(run->policy.before);
    run->policy = (struct policy_run){0};
}

void fx_converge_enter_policy(struct converge *run, const struct fx_mutator *mutator) {
    if (run->policy.rule != NULL &&
        fx_mutator_has_same_policy(run->policy.rule, mutator)) {
        return;
    }
    fx_converge_leave_policy(run);
    run->policy.rule = mutator;
    run->policy.before = json_incref(*run->root);
}

/* The rules of a policy follow one another in a snapshot. */
static void find_rules(const struct fx_snapshot *snapshot, uint32_t index,
                       uint32_t *ret_first, uint32_t *ret_end) {
    const struct fx_mutator *rule = snapshot->mutators[index];
    *ret_first = index;
    *ret_end = index + 1;
    while (*ret_first > 0 &&
           fx_mutator_has_same_policy(snapshot->mutators[*ret_first - 1], rule)) {
        --*ret_first;
    }
    while (*ret_end < snapshot->n_mutators &&
           fx_mutator_has_same_policy(snapshot->mutators[*ret_end], rule)) {
        ++*ret_end;
    }
}

void fx_converge_end_policy(struct converge *run, uint32_t index) {
    uint32_t first = 0;
    uint32_t end = 0;
    find_rules(run->snapshot, index, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        fx_index_set_add(&run->done, i);
    }
}

/* Its rules have not been applied in this pass. */
static void forget_applied(struct converge *run, uint32_t index) {
    uint32_t first = 0;
    uint32_t end = 0;
    find_rules(run->snapshot, index, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        fx_index_set_remove(&run->applied_now, i);
    }
}

bool fx_converge_restore_policy(struct converge *run, uint32_t index,
                                struct fx_effect *effect, struct fx_err *err) {
    run->policy.has_failed = false;
    fx_converge_end_policy(run, index);
    forget_applied(run, index);
    if (*run->root == run->policy.before) {
        return true;
    }
    const struct fx_trace_step step = {
        .mutator = index,
        .pass = run->pass,
        .verdict.matched = true,
        .effect.changed = true,
        .undoes = true,
    };
    json_t *undone = *run->root;
    *run->root = json_incref(run->policy.before);
    *effect = step.effect;
    const bool ok = fx_converge_record(run, &step, undone, err);
    json_decref(undone);
    return ok;
}
