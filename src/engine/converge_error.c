/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/converge_error.c - steps that fail: the messages (spec section 5), and the
 * mutators that are skipped because their failure is ignored.
 */
#include "base/budget.h"
#include "base/buf.h"
#include "base/uuid.h"
#include "engine/converge_run.h"

/* ---- messages --------------------------------------------------------------------- */

/* `<group> <kind> <namespace> <name>`. Empty parts leave double blanks. */
static void print_object(struct fx_buf *buf, const json_t *object) {
    struct fx_subject subject;
    fx_subject_read(object, &subject);
    const struct fx_text parts[] = {
        subject.group,
        subject.kind,
        subject.namespace_,
        subject.name.len > 0 ? subject.name : subject.generate_name,
    };
    for (size_t i = 0; i < FX_COUNT(parts); i++) {
        fx_buf_str(buf, i > 0 ? " " : "");
        fx_buf_text(buf, parts[i]);
    }
}

static void print_mutation(struct fx_buf *buf, const struct fx_request *request) {
    char made[FX_UUID_SIZE];
    const char *id = request->mutation_id;
    if (id == NULL) {
        fx_uuid_make(made);
        id = made;
    }
    fx_buf_printf(buf, "mutation %s", id);
}

/* Puts the mutator and the object at the start of the message of FX_EMUTATE. */
static void add_prefix(const struct converge *run, const struct fx_mutator *mutator,
                       bool is_match, struct fx_err *err) {
    struct fx_buf prefix;
    fx_buf_init(&prefix, 0);
    if (is_match) {
        fx_buf_str(&prefix, "matching");
    } else {
        print_mutation(&prefix, run->request);
    }
    fx_buf_str(&prefix, " for mutator ");
    fx_mutator_print_id(&prefix, mutator);
    fx_buf_str(&prefix, " failed for ");
    print_object(&prefix, *run->root);
    fx_buf_str(&prefix, ": ");
    if (prefix.failed) {
        (void)fx_fail_nomem(err);
    } else {
        err->code = FX_EMUTATE;
        (void)fx_err_prefix(err, "%s", prefix.data);
    }
    fx_buf_finish(&prefix);
}

static void name_deadline(const struct fx_mutator *mutator, struct fx_err *err) {
    struct fx_buf id;
    fx_buf_init(&id, 0);
    fx_mutator_print_id(&id, mutator);
    (void)fx_fail(err, FX_EDEADLINE, "deadline exceeded in %s",
                  id.failed ? mutator->kind : id.data);
    fx_buf_finish(&id);
}

bool fx_converge_fail_cycle(const struct converge *run, struct fx_err *err) {
    struct fx_buf message;
    fx_buf_init(&message, 0);
    fx_buf_str(&message, "mutation not converging: ");
    print_mutation(&message, run->request);
    fx_buf_str(&message, " not converging for ");
    print_object(&message, *run->root);
    if (message.failed) {
        (void)fx_fail_nomem(err);
    } else {
        (void)fx_fail(err, FX_ENOCONVERGE, "%s", message.data);
    }
    fx_buf_finish(&message);
    return false;
}

/* ---- skipped mutators ------------------------------------------------------------- */

/* Adds the reason to the outcome, and returns its copy. NULL without memory. */
static const char *add_skipped(struct converge *run, const struct fx_trace_step *step,
                               bool fails, const struct fx_err *why) {
    struct fx_outcome *outcome = run->outcome;
    const char *message = fx_arena_copy(run->arena, fx_text_of(why->msg));
    if (message == NULL || !FX_ARENA_GROW(run->arena, outcome->skipped,
                                          outcome->n_skipped, run->cap_skipped)) {
        return NULL;
    }
    outcome->skipped[outcome->n_skipped++] = (struct fx_skipped_mutator){
        .mutator = step->mutator,
        .pass = step->pass,
        .fails = fails,
        .message = message,
    };
    return message;
}

/* Is the failure listed already, from an earlier pass? */
static bool is_listed(const struct fx_outcome *outcome,
                      const struct fx_failure *failure) {
    (void)fx_spend(outcome->n_skipped / 8);
    for (size_t i = 0; i < outcome->n_skipped; i++) {
        if (outcome->skipped[i].mutator == failure->mutator &&
            fx_text_is(failure->message, outcome->skipped[i].message)) {
            return true;
        }
    }
    return false;
}

bool fx_converge_add_skipped(struct converge *run, const struct fx_failure *failure) {
    struct fx_outcome *outcome = run->outcome;
    if (is_listed(outcome, failure)) {
        return true;
    }
    if (!FX_ARENA_GROW(run->arena, outcome->skipped, outcome->n_skipped,
                       run->cap_skipped)) {
        return false;
    }
    outcome->skipped[outcome->n_skipped++] = (struct fx_skipped_mutator){
        .mutator = failure->mutator,
        .pass = failure->pass,
        .fails = true,
        .is_reported = true,
        .part = failure->part,
        .message = failure->message.data,
    };
    return true;
}

bool fx_converge_note_partial(struct converge *run, const struct fx_trace_step *step,
                              const struct fx_err *why) {
    return add_skipped(run, step, false, why) != NULL;
}

/* Counts the failure. A step that failed before its mutation has no stats yet. */
static bool count_skipped(struct converge *run, uint32_t index) {
    if (run->stats == NULL) {
        return true;
    }
    struct fx_mutator_stats *entry = fx_stats_begin_step(run->stats, index);
    if (entry != NULL) {
        entry->failed = true;
        entry->skipped = true;
    }
    return entry != NULL;
}

/* Skips the mutator from now on. If `before` has the object, the mutator has written only
 * to copies. */
static bool skip_mutator(struct converge *run, struct fx_trace_step *step, json_t *before,
                         struct fx_err *err) {
    if (before != NULL && before != *run->root) {
        json_decref(*run->root);
        *run->root = json_incref(before);
    }
    step->effect = (struct fx_effect){.applied = false};
    if (err->code == FX_EINPUT) {
        run->lacks_inputs = true; /* the other mutators of the pass may need more */
        fx_err_reset(err);
        return true;
    }
    run->policy.has_failed = run->snapshot->mutators[step->mutator]->run.restores_policy;
    step->failure = add_skipped(run, step, true, err);
    fx_index_set_add(&run->done, step->mutator);
    if (step->failure == NULL || !count_skipped(run, step->mutator)) {
        return fx_fail_nomem(err);
    }
    fx_err_reset(err);
    return fx_converge_record(run, step, *run->root, err);
}

/* ---- failures --------------------------------------------------------------------- */

/* Notes that the mutator exceeded the deadline if its step took most of the loop's time:
 * then the load did not exceed it. (The loop may have run before in this review, with a
 * part of the object.) */
static void count_overspent(struct converge *run, uint32_t index) {
    const uint64_t spent = fx_budget_spent();
    if (run->stats == NULL || spent - run->step_from <= (spent - run->loop_from) / 2) {
        return;
    }
    struct fx_mutator_stats *entry = fx_stats_begin_step(run->stats, index);
    if (entry != NULL) {
        entry->overspent = true;
    }
}

/* The budget is exceeded: that of the review, or that of the share, which counts as a
 * failure of the mutator. */
static void handle_deadline(struct converge *run, uint32_t index, struct fx_err *err) {
    const bool had_share = run->share.is_entered && run->share.is_bounded;
    fx_converge_leave_share(run);
    if (had_share && fx_budget_exceeded() == FX_EXCEEDED_NOTHING) {
        (void)fx_fail(err, FX_ELIMIT,
                      "the policies of its namespace have used up their share of the "
                      "review's time, %u %%",
                      run->request->share_percent);
    } else {
        count_overspent(run, index);
    }
}

/* Internal failures (fx_err_is_ours) say nothing about the object. They are never
 * ignored, and have their own messages. */
static bool fail_step(struct converge *run, struct fx_trace_step *step, json_t *before,
                      bool is_match, struct fx_err *err) {
    const struct fx_mutator *mutator = run->snapshot->mutators[step->mutator];
    if (err->code == FX_EDEADLINE) {
        handle_deadline(run, step->mutator, err);
    }
    const bool is_ours = fx_err_is_ours(err);
    if ((mutator->run.ignores_failure || err->code == FX_EINPUT) && run->passes == NULL &&
        !is_ours) {
        return skip_mutator(run, step, before, err);
    }
    run->outcome->failed = mutator;
    if (run->passes != NULL) {
        return false;
    }
    if (!is_ours) {
        add_prefix(run, mutator, is_match, err);
    } else if (err->code == FX_EDEADLINE) {
        name_deadline(mutator, err);
    }
    return false;
}

bool fx_converge_fail_match(struct converge *run, struct fx_trace_step *step,
                            struct fx_err *err) {
    const bool ok = fail_step(run, step, NULL, true, err);
    step->verdict.matched = false;
    if (!ok && run->stats != NULL && run->passes == NULL) {
        struct fx_mutator_stats *entry = fx_stats_begin_step(run->stats, step->mutator);
        if (entry != NULL) {
            entry->failed = err->code == FX_EMUTATE;
        }
    }
    return ok;
}

bool fx_converge_fail_apply(struct converge *run, struct fx_trace_step *step,
                            json_t *before, struct fx_err *err) {
    return fail_step(run, step, before, false, err);
}
