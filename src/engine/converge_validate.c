/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_validate.c - runs the validators after the last pass, and denies the
 * request if one of them does.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "engine/converge_run.h"

/* Cuts a message that does not deny, so that a validator that only warns cannot make a
 * review fail with a long message. */
static struct fx_text cut_entry(struct fx_buf *entry, enum fx_action action) {
    if (action != FX_ACTION_DENY && entry->len > FX_LIMIT_VIOLATION_BYTES) {
        const struct fx_text mark = FX_TEXT("…");
        entry->len = fx_text_rune_floor(entry->data, FX_LIMIT_VIOLATION_BYTES - mark.len);
        fx_buf_text(entry, mark);
    }
    return fx_buf_view(entry);
}

static bool add_violation(struct converge *run, uint32_t index, struct fx_buf *entry) {
    struct fx_outcome *outcome = run->outcome;
    const enum fx_action action = run->snapshot->mutators[index]->run.action;
    const struct fx_text text = cut_entry(entry, action);
    const char *copy = entry->failed ? NULL : fx_arena_copy(run->arena, text);
    if (copy == NULL || !FX_ARENA_GROW(run->arena, outcome->violations,
                                       outcome->n_violations, run->cap_violations)) {
        return false;
    }
    outcome->violations[outcome->n_violations++] = (struct fx_violation){
        .mutator = index, .action = action, .entry = {copy, text.len}};
    return true;
}

/* Collects the stats of a validator that found a violation, or of a rule that was
 * triggered, if the request wants them. */
static bool note_stats(struct converge *run, uint32_t index, bool violated) {
    if (run->stats == NULL) {
        return true;
    }
    struct fx_mutator_stats *entry = fx_stats_begin_step(run->stats, index);
    if (entry != NULL) {
        entry->matched = true;
        entry->applied = true;
        entry->violated = violated;
        fx_stats_end_step(run->stats, entry);
    }
    return entry != NULL;
}

/* Runs a validator that matched, and keeps its violation. */
static bool validate(struct converge *run, struct fx_trace_step *step,
                     struct fx_err *err) {
    const struct fx_mutator *validator = run->snapshot->mutators[step->mutator];
    struct fx_err note = FX_ERR_INIT;
    struct fx_buf entry;
    fx_buf_init(&entry, 0);
    bool ok =
        validator->ops->validate(validator, run->request, *run->root, &entry, &note, err);
    if (ok && (entry.len > 0 || entry.failed)) {
        ok = (add_violation(run, step->mutator, &entry) &&
              note_stats(run, step->mutator, true) &&
              (note.code == FX_OK || fx_converge_note_partial(run, step, &note))) ||
             fx_fail_nomem(err);
    }
    step->effect.applied = ok;
    fx_buf_finish(&entry);
    return ok;
}

/* Notes a rule for existing objects that matched. */
static bool trigger(struct converge *run, struct fx_trace_step *step,
                    struct fx_err *err) {
    struct fx_outcome *outcome = run->outcome;
    if (!FX_ARENA_GROW(run->arena, outcome->triggered, outcome->n_triggered,
                       run->cap_triggered) ||
        !note_stats(run, step->mutator, false)) {
        return fx_fail_nomem(err);
    }
    outcome->triggered[outcome->n_triggered++] = step->mutator;
    step->effect.applied = true;
    return true;
}

/* Fails because of a rule that checks a DELETE (checks_deletes), or for lack of inputs.
 */
static bool fail_check(struct converge *run, struct fx_trace_step *step,
                       struct fx_err *err) {
    const bool ok = fx_converge_fail_apply(run, step, NULL, err);
    struct fx_mutator_stats *entry =
        run->stats == NULL ? NULL : fx_stats_begin_step(run->stats, step->mutator);
    if (entry != NULL) {
        entry->matched = true;
        entry->failed = err->code == FX_EMUTATE;
        fx_stats_end_step(run->stats, entry);
    }
    return ok;
}

static bool run_validator(struct converge *run, uint32_t index, struct fx_err *err) {
    struct fx_trace_step step = {.mutator = index, .pass = run->outcome->iterations};
    if (!fx_converge_match(run, &step, err)) {
        return false;
    }
    if (!step.verdict.matched) {
        return true;
    }
    const struct fx_mutator *mutator = run->snapshot->mutators[index];
    const bool ok = fx_mutator_is_existing(mutator) ? trigger(run, &step, err)
                                                    : validate(run, &step, err);
    if (ok) {
        return fx_converge_record(run, &step, *run->root, err);
    }
    return fx_mutator_is_validator(mutator) ? fx_converge_fail_match(run, &step, err)
                                            : fail_check(run, &step, err);
}

/* Prints "…: a,b", and, if validators of another kind also deny, "; …: c". Of a kind
 * whose entries are not joined, only the first one is printed. Prints nothing if none
 * denies. */
static void print_denial(const struct converge *run, struct fx_buf *message) {
    static const struct fx_denial plain = {"", "; "};
    const struct fx_denial *last = NULL;
    for (size_t i = 0; i < run->outcome->n_violations; i++) {
        const struct fx_violation *violation = &run->outcome->violations[i];
        const struct fx_mutator_ops *ops =
            run->snapshot->mutators[violation->mutator]->ops;
        const struct fx_denial *denial = ops->denial == NULL ? &plain : ops->denial;
        if (violation->action != FX_ACTION_DENY) {
            continue;
        }
        if (last == NULL || denial != last) {
            fx_buf_str(message, last == NULL ? "" : "; ");
            fx_buf_str(message, denial->begin);
        } else if (denial->between != NULL) {
            fx_buf_str(message, denial->between);
        } else {
            continue;
        }
        fx_buf_text(message, violation->entry);
        last = denial;
    }
}

/* ---- failures that mutators report ------------------------------------------------ */

bool fx_failures_add(struct fx_failures *failures, const struct fx_failure *failure) {
    const char *message = fx_arena_copy(failures->arena, failure->message);
    const char *part = fx_arena_copy(failures->arena, failure->part);
    if (message == NULL || part == NULL ||
        !FX_ARENA_GROW(failures->arena, failures->items, failures->n_items,
                       failures->cap_items)) {
        return false;
    }
    failures->items[failures->n_items++] = (struct fx_failure){
        .mutator = failures->mutator,
        .pass = failures->pass,
        .code = failure->code,
        .reason = failure->reason,
        .part = {part, failure->part.len},
        .message = {message, failure->message.len},
    };
    return true;
}

static bool add_failure(struct converge *run, const struct fx_failure *failure) {
    struct fx_outcome *outcome = run->outcome;
    if (failure->code == 0) {
        return fx_converge_add_skipped(run, failure);
    }
    if (!FX_ARENA_GROW(run->arena, outcome->violations, outcome->n_violations,
                       run->cap_violations)) {
        return false;
    }
    outcome->violations[outcome->n_violations++] = (struct fx_violation){
        .mutator = failure->mutator,
        .code = failure->code,
        .reason = failure->reason,
        .action = FX_ACTION_DENY,
        .part = failure->part,
        .entry = failure->message,
    };
    return true;
}

const struct fx_failure *fx_failures_status(const struct fx_failures *failures) {
    const struct fx_failure *status = NULL;
    for (size_t i = 0; i < failures->n_items; i++) {
        const struct fx_failure *failure = &failures->items[i];
        if (failure->code != 0 &&
            (status == NULL || (failure->code >= 500 && status->code < 500))) {
            status = failure;
        }
    }
    return status;
}

bool fx_converge_deny_failures(struct converge *run, struct fx_err *err) {
    struct fx_outcome *outcome = run->outcome;
    for (size_t i = 0; i < run->failures.n_items; i++) {
        if (!add_failure(run, &run->failures.items[i])) {
            return fx_fail_nomem(err);
        }
    }
    const struct fx_failure *status = fx_failures_status(&run->failures);
    run->failures.n_items = 0;
    if (status == NULL) {
        return true;
    }
    outcome->denial = status->message;
    outcome->denial_code = status->code;
    outcome->denial_reason = status->reason;
    return fx_fail(err, FX_EDENIED, "%s", status->message.data);
}

/* ---- denial ----------------------------------------------------------------------- */

/* Ends the review if a validator denies the object. */
static bool deny(struct converge *run, struct fx_err *err) {
    struct fx_buf message;
    fx_buf_init(&message, 0);
    print_denial(run, &message);
    const struct fx_text whole = fx_buf_view(&message);
    bool ok = !message.failed && whole.len == 0;
    const char *copy = message.failed || ok ? NULL : fx_arena_copy(run->arena, whole);
    if (copy != NULL) {
        run->outcome->denial = (struct fx_text){copy, whole.len};
        run->outcome->denial_code = 403;
        (void)fx_fail(err, FX_EDENIED, "%s", copy);
    } else if (!ok) {
        (void)fx_fail_nomem(err);
    }
    fx_buf_finish(&message);
    return ok;
}

/* The candidates from which on some may validate. */
static size_t find_validators(const struct converge *run) {
    return run->request->only_validators ? 0 : run->n_acting;
}

static bool validates(const struct fx_mutator *mutator) {
    return fx_mutator_is_validator(mutator) || mutator->run.checks_deletes;
}

bool fx_converge_validate(struct converge *run, struct fx_err *err) {
    const size_t begin = find_validators(run);
    if (begin == run->candidates.n_indices) {
        return true;
    }
    fx_subject_read(*run->root, &run->subject);
    run->is_stale = false;
    if (run->stats != NULL) {
        fx_stats_begin_pass(run->stats);
    }
    if (!fx_converge_spend_candidates(run, run->candidates.n_indices - begin, err)) {
        return false;
    }
    for (size_t at = begin; at < run->candidates.n_indices; at++) {
        const uint32_t index = run->candidates.indices[at];
        const struct fx_mutator *mutator = run->snapshot->mutators[index];
        if (validates(mutator) &&
            (!fx_converge_show(run, mutator, err) || !run_validator(run, index, err))) {
            return false;
        }
    }
    if (run->view != NULL && !fx_converge_set_view(run, NULL, err)) {
        return false;
    }
    return run->outcome->n_violations == 0 || deny(run, err);
}
