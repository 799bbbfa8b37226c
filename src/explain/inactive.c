/* SPDX-License-Identifier: Apache-2.0
 *
 * explain/inactive.c - lists the mutators that changed nothing.
 */
#include "explain/report.h"

#include <stdlib.h>
#include <string.h>

static const char *const reason_names[] = {
#define X(name, text) [FX_INACTIVE_##name] = text,
    FX_INACTIVE_REASONS(X)
#undef X
};

const char *fx_inactive_reason_name(enum fx_inactive_reason reason) {
    return reason_names[reason];
}

/* What the trace says about one mutator. */
struct mutator_facts {
    const struct fx_trace_step *last_step; /* or NULL */
    /* The step in which it matches the result, or NULL. */
    const struct fx_trace_step *late;
    bool acted, acted_here; /* on any field; on one that the query covers */
};

static void read_fields(const struct fx_inactive_input *given,
                        struct mutator_facts *facts) {
    const struct fx_explain_fields *fields = given->fields;
    for (size_t i = 0; i < fields->n_items; i++) {
        const struct fx_explain_field *field = fields->items[i];
        const bool is_here = given->query == NULL || fx_query_covers(given->query, field);
        for (size_t j = 0; is_here && j < field->n_steps; j++) {
            if (field->steps[j].mutator != FX_TRACE_EXTERNAL && !field->steps[j].undoes) {
                facts[field->steps[j].mutator].acted_here = true;
            }
        }
    }
}

static void read_trace(const struct fx_inactive_input *given,
                       struct mutator_facts *facts) {
    const struct fx_trace *trace = given->trace;
    for (size_t i = 0; i < trace->n_changes; i++) {
        if (trace->changes[i].mutator != FX_TRACE_EXTERNAL && !trace->changes[i].undoes) {
            facts[trace->changes[i].mutator].acted = true;
        }
    }
    for (size_t i = 0; i < trace->n_steps; i++) {
        const struct fx_trace_step *step = &trace->steps[i];
        if (step->is_late) {
            facts[step->mutator].late = step;
        } else if (!step->undoes) {
            facts[step->mutator].last_step = step;
        }
    }
}

/* A validator acts by finding a violation. Mutators that reported a failure are listed
 * with it. */
static void read_violations(const struct fx_inactive_input *given,
                            struct mutator_facts *facts) {
    const struct fx_outcome *outcome = given->outcome;
    for (size_t i = 0; outcome != NULL && i < outcome->n_violations; i++) {
        facts[outcome->violations[i].mutator].acted_here = true;
    }
    for (size_t i = 0; outcome != NULL && i < outcome->n_skipped; i++) {
        if (outcome->skipped[i].is_reported) {
            facts[outcome->skipped[i].mutator].acted_here = true;
        }
    }
}

static struct fx_inactive of_step(const struct mutator_facts *facts) {
    const struct fx_trace_step *step = facts->last_step;
    const char *criterion =
        step->verdict.matched ? step->effect.criterion : step->verdict.criterion;
    struct fx_inactive inactive = {.criterion = criterion == NULL ? "" : criterion};
    if (step->failure != NULL) {
        inactive.reason = FX_INACTIVE_SKIPPED;
        inactive.criterion = "";
        inactive.failure = step->failure;
    } else if (!step->verdict.matched) {
        inactive.reason =
            facts->late != NULL ? FX_INACTIVE_LATE : FX_INACTIVE_NOT_MATCHED;
        inactive.found = step->found;
        inactive.pass = step->pass;
    } else if (step->effect.applied) {
        inactive.reason = FX_INACTIVE_UNCHANGED;
        inactive.criterion = "";
    } else {
        inactive.reason = FX_INACTIVE_NOT_APPLIED;
    }
    return inactive;
}

/* Asks the dialect to describe the criterion. */
static void describe(const struct fx_mutator *mutator, struct fx_inactive *inactive) {
    if (inactive->criterion[0] == '\0') {
        return;
    }
    fx_mutator_explain(mutator, inactive->criterion, &inactive->policy);
    if (inactive->reason == FX_INACTIVE_NOT_APPLIED && inactive->policy.keeps_present) {
        const bool failed =
            inactive->policy.field.failed || inactive->policy.wanted.failed;
        fx_criterion_finish(&inactive->policy);
        inactive->reason = FX_INACTIVE_PRESENT;
        inactive->criterion = "";
        inactive->policy = (struct fx_criterion){.field.failed = failed};
    }
}

static struct fx_inactive reason_of(const struct fx_inactive_input *given,
                                    const struct mutator_facts *facts, size_t index) {
    struct fx_inactive inactive = {.reason = FX_INACTIVE_NOT_REACHED, .criterion = ""};
    if (given->snapshot->conflicts.sets[index].disabled) {
        inactive.reason = FX_INACTIVE_CONFLICT;
    } else if (facts->acted) {
        inactive.reason = FX_INACTIVE_ELSEWHERE;
    } else if (facts->last_step != NULL) {
        inactive = of_step(facts);
    }
    inactive.mutator = (uint32_t)index;
    describe(given->snapshot->mutators[index], &inactive);
    return inactive;
}

/* For entries of the same list ("match[2]"), the higher index comes first. */
static int compare_criteria(const char *a, const char *b) {
    const size_t bracket = strcspn(a, "[");
    if (a[bracket] != '[' || strncmp(a, b, bracket + 1) != 0) {
        return strcmp(a, b);
    }
    const unsigned long index_a = strtoul(a + bracket + 1, NULL, 10);
    const unsigned long index_b = strtoul(b + bracket + 1, NULL, 10);
    return (index_a < index_b) - (index_a > index_b);
}

static int compare_inactive(const void *left, const void *right) {
    const struct fx_inactive *a = left;
    const struct fx_inactive *b = right;
    if (a->reason != b->reason) {
        return a->reason < b->reason ? -1 : 1;
    }
    if (a->policy.rank != b->policy.rank) {
        return a->policy.rank < b->policy.rank ? -1 : 1;
    }
    const int order = compare_criteria(a->criterion, b->criterion);
    return order != 0 ? order : a->mutator < b->mutator ? -1 : 1;
}

bool fx_inactive_same(const struct fx_inactive *a, const struct fx_inactive *b) {
    return a->reason == b->reason && strcmp(a->criterion, b->criterion) == 0;
}

static enum fx_inactive_role role_of(const struct fx_mutator *mutator) {
    return fx_mutator_is_existing(mutator)    ? FX_INACTIVE_EXISTING
           : fx_mutator_is_validator(mutator) ? FX_INACTIVE_VALIDATORS
                                              : FX_INACTIVE_MUTATORS;
}

/* Did the object trigger this rule for existing objects? */
static bool is_triggered(const struct fx_outcome *outcome,
                         const struct fx_snapshot *snapshot,
                         const struct fx_mutator *mutator) {
    for (size_t i = 0; outcome != NULL && i < outcome->n_triggered; i++) {
        if (snapshot->mutators[outcome->triggered[i]] == mutator) {
            return true;
        }
    }
    return false;
}

/* Sets *ret_is if the mutator changed nothing. With a query: if it may write the field
 * and did not change it. A mutator that undid its own change within a step has acted,
 * although no field shows it. */
static bool is_listed(const struct fx_inactive_input *given,
                      const struct mutator_facts *facts, const struct fx_mutator *mutator,
                      bool *ret_is, struct fx_err *err) {
    const struct fx_outcome *outcome = given->outcome;
    *ret_is = !facts->acted;
    if (facts->acted_here || role_of(mutator) != given->role ||
        is_triggered(outcome, given->snapshot, mutator) ||
        (outcome != NULL && outcome->failed == mutator)) {
        *ret_is = false;
        return true;
    }
    if (given->query == NULL) {
        return true;
    }
    size_t n_steps = 0;
    const struct fx_path_step *path = fx_query_path(given->query, &n_steps);
    return fx_access_may_write(mutator, path, n_steps, ret_is, err);
}

/* Drops the last mutator of the list if reports leave it out. */
static void drop_silent(struct fx_inactive_list *list) {
    struct fx_inactive *last = &list->items[list->n_items - 1];
    if (last->policy.is_silent) {
        fx_criterion_finish(&last->policy);
        list->n_items--;
    }
}

static bool collect_inactive(const struct fx_inactive_input *given,
                             const struct mutator_facts *facts,
                             struct fx_inactive_list *list, struct fx_err *err) {
    const struct fx_snapshot *snapshot = given->snapshot;
    bool failed = false;
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        bool is_in = false;
        if (!is_listed(given, &facts[i], snapshot->mutators[i], &is_in, err)) {
            return false;
        }
        if (is_in) {
            struct fx_inactive *inactive = &list->items[list->n_items++];
            *inactive = reason_of(given, &facts[i], i);
            failed =
                failed || inactive->policy.field.failed || inactive->policy.wanted.failed;
            drop_silent(list);
        }
    }
    if (failed) {
        return fx_fail_nomem(err);
    }
    qsort(list->items, list->n_items, sizeof *list->items, compare_inactive);
    return true;
}

bool fx_inactive_find(const struct fx_inactive_input *input,
                      struct fx_inactive_list *ret_list, struct fx_err *err) {
    const size_t count = input->snapshot->n_mutators;
    struct mutator_facts *facts = calloc(count + 1, sizeof *facts);
    ret_list->items = calloc(count + 1, sizeof *ret_list->items);
    if (facts == NULL || ret_list->items == NULL) {
        free(facts);
        return fx_fail_nomem(err);
    }
    read_trace(input, facts);
    read_fields(input, facts);
    read_violations(input, facts);
    const bool ok = collect_inactive(input, facts, ret_list, err);
    free(facts);
    return ok;
}

void fx_inactive_list_finish(struct fx_inactive_list *list) {
    for (size_t i = 0; i < list->n_items; i++) {
        fx_criterion_finish(&list->items[i].policy);
    }
    free(list->items);
    *list = (struct fx_inactive_list){.items = NULL};
}
