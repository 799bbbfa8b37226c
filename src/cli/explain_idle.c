/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/explain_idle.c - who did not act.
 */
#include "cli/explain_idle.h"

#include <stdlib.h>
#include <string.h>

#include "engine/policy_text.h"
#include "value/tree.h"

static const char *const reason_names[] = {
#define X(name, text) [FX_IDLE_##name] = text,
    FX_IDLE_REASONS(X)
#undef X
};

const char *fx_idle_reason_name(enum fx_idle_reason reason) {
    return reason_names[reason];
}

/* What the trace says of one mutator. */
struct facts {
    const struct fx_trace_step *last_step; /* or NULL */
    const struct fx_trace_step *late;      /* that it matches in the end, or NULL */
    bool acted, acted_here;                /* anywhere; on what is wanted */
};

static void read_fields(const struct fx_idle_facts *given, struct facts *facts) {
    const struct fx_fields *fields = given->fields;
    for (size_t i = 0; i < fields->n_items; i++) {
        const struct fx_field *field = fields->items[i];
        const bool is_here = given->wanted == NULL || fx_wanted_has(given->wanted, field);
        for (size_t j = 0; is_here && j < field->n_steps; j++) {
            if (field->steps[j].mutator != FX_TRACE_EXTERNAL) {
                facts[field->steps[j].mutator].acted_here = true;
            }
        }
    }
}

static void read_trace(const struct fx_idle_facts *given, struct facts *facts) {
    const struct fx_trace *trace = given->trace;
    for (size_t i = 0; i < trace->n_changes; i++) {
        if (trace->changes[i].mutator != FX_TRACE_EXTERNAL) {
            facts[trace->changes[i].mutator].acted = true;
        }
    }
    for (size_t i = 0; i < trace->n_steps; i++) {
        const struct fx_trace_step *step = &trace->steps[i];
        if (step->is_late) {
            facts[step->mutator].late = step;
        } else {
            facts[step->mutator].last_step = step;
        }
    }
}

/* Who refuses has acted, too. */
static void read_refusals(const struct fx_idle_facts *given, struct facts *facts) {
    const struct fx_outcome *outcome = given->outcome;
    for (size_t i = 0; outcome != NULL && i < outcome->n_refusals; i++) {
        facts[outcome->refusals[i].mutator].acted_here = true;
    }
}

/* Is it a path test that its kind has always, rather than the policy? AssignMetadata
 * tests that what it adds is not there yet. */
static bool is_inborn_test(const struct fx_mutator *mutator, const char *criterion) {
    json_t *policy = fx_policy_text_read(mutator->policy);
    const json_t *spec = fx_tree_view_key(policy, "spec");
    const bool is_inborn =
        strcmp(criterion, "pathTests") == 0 &&
        fx_tree_view_key(fx_tree_view_key(spec, "parameters"), criterion) == NULL;
    json_decref(policy);
    return is_inborn;
}

static struct fx_idler judge_effect(const struct fx_mutator *mutator,
                                    const struct fx_effect *effect) {
    const char *criterion = effect->criterion == NULL ? "" : effect->criterion;
    if (effect->applied) {
        return (struct fx_idler){.reason = FX_IDLE_UNCHANGED, .criterion = ""};
    }
    if (is_inborn_test(mutator, criterion)) {
        return (struct fx_idler){.reason = FX_IDLE_PRESENT, .criterion = ""};
    }
    return (struct fx_idler){.reason = FX_IDLE_NOT_APPLIED, .criterion = criterion};
}

static struct fx_idler judge_step(const struct fx_mutator *mutator,
                                  const struct facts *facts) {
    const struct fx_trace_step *step = facts->last_step;
    const char *criterion = step->verdict.criterion;
    if (step->failure != NULL) {
        return (struct fx_idler){
            .reason = FX_IDLE_LEFT_OUT, .criterion = "", .failure = step->failure};
    }
    if (step->verdict.matched) {
        return judge_effect(mutator, &step->effect);
    }
    return (struct fx_idler){
        .reason = facts->late != NULL ? FX_IDLE_LATE : FX_IDLE_NOT_MATCHED,
        .criterion = criterion == NULL ? "" : criterion,
        .wanted = step->wanted,
        .found = step->found,
        .pass = step->pass,
    };
}

static struct fx_idler judge(const struct fx_idle_facts *given, const struct facts *facts,
                             size_t index) {
    struct fx_idler idler = {.reason = FX_IDLE_NOT_REACHED, .criterion = ""};
    if (given->snapshot->conflicts.sets[index].disabled) {
        idler.reason = FX_IDLE_CONFLICT;
    } else if (facts->acted) {
        idler.reason = FX_IDLE_ELSEWHERE;
    } else if (facts->last_step != NULL) {
        idler = judge_step(given->snapshot->mutators[index], facts);
    }
    idler.mutator = (uint32_t)index;
    return idler;
}

/* Looks for a place among those that a mutator writes. */
struct search {
    const struct fx_wanted *wanted;
    bool found;
};

static bool look_at(void *user, struct fx_text pointer) {
    struct search *search = user;
    search->found = fx_wanted_meets_pointer(search->wanted, pointer);
    return !search->found;
}

/* Could the mutator write what is wanted? */
static bool meets(const struct fx_wanted *wanted, const struct fx_mutator *mutator,
                  bool *ret_meets, struct fx_err *err) {
    *ret_meets = wanted == NULL;
    if (wanted == NULL) {
        return true;
    }
    if (mutator->ops->writes != NULL) {
        struct search search = {.wanted = wanted};
        (void)mutator->ops->writes(mutator, look_at, &search);
        *ret_meets = search.found;
        return true;
    }
    json_t *policy = fx_policy_text_read(mutator->policy);
    if (policy == NULL) {
        return fx_fail_nomem(err);
    }
    struct fx_location *location = NULL;
    const json_t *spec = fx_tree_view_key(policy, "spec");
    const bool parsed = fx_location_parse(fx_tree_view_string(spec, "location"),
                                          FX_LOCATION_EXTENDED, &location, err);
    json_decref(policy);
    if (!parsed) {
        return err->code != FX_ENOMEM; /* a dialect without locations */
    }
    *ret_meets = location->n_steps > 0 && fx_wanted_meets(wanted, location);
    fx_location_destroy(location);
    return true;
}

/* The order of the criteria: late ones first, as they came nearest. Those that are not
 * here come first. */
static size_t rank_of(const char *criterion) {
    static const char *const order[] = {
        "conditions",
        "source",
        "name",
        "namespaceSelector",
        "annotationSelector",
        "labelSelector",
        "excludedNamespaces",
        "namespaces",
        "scope",
        "kinds",
        "operations",
        "applyTo",
        "targetNamespaceRegex",
        "namespace",
        "admissionOperations",
    };
    for (size_t i = 0; i < FX_COUNT(order); i++) {
        if (strcmp(order[i], criterion) == 0) {
            return i + 1;
        }
    }
    return strchr(criterion, '/') == NULL ? 0 : FX_COUNT(order) + 1; /* a label */
}

/* Of one list ("match[2]") the later entry comes first. */
static int compare_criteria(const char *a, const char *b) {
    const size_t bracket = strcspn(a, "[");
    if (a[bracket] != '[' || strncmp(a, b, bracket + 1) != 0) {
        return strcmp(a, b);
    }
    const unsigned long index_a = strtoul(a + bracket + 1, NULL, 10);
    const unsigned long index_b = strtoul(b + bracket + 1, NULL, 10);
    return (index_a < index_b) - (index_a > index_b);
}

static int compare(const void *left, const void *right) {
    const struct fx_idler *a = left;
    const struct fx_idler *b = right;
    const size_t rank_a = rank_of(a->criterion);
    const size_t rank_b = rank_of(b->criterion);
    if (a->reason != b->reason) {
        return a->reason < b->reason ? -1 : 1;
    }
    if (rank_a != rank_b) {
        return rank_a < rank_b ? -1 : 1;
    }
    const int order = compare_criteria(a->criterion, b->criterion);
    return order != 0 ? order : a->mutator < b->mutator ? -1 : 1;
}

bool fx_idler_same(const struct fx_idler *a, const struct fx_idler *b) {
    return a->reason == b->reason && strcmp(a->criterion, b->criterion) == 0;
}

static bool collect(const struct fx_idle_facts *given, const struct facts *facts,
                    struct fx_idlers *idlers, struct fx_err *err) {
    const struct fx_snapshot *snapshot = given->snapshot;
    for (size_t i = 0; i < snapshot->n_mutators; i++) {
        bool is_wanted = false;
        if (facts[i].acted_here || snapshot->mutators[i] == given->failed ||
            fx_mutator_is_judge(snapshot->mutators[i]) != given->judges) {
            continue;
        }
        if (!meets(given->wanted, snapshot->mutators[i], &is_wanted, err)) {
            return false;
        }
        /* One that undid itself within a turn has acted, but is in no story. */
        if (is_wanted && (given->wanted != NULL || !facts[i].acted)) {
            idlers->items[idlers->n_items++] = judge(given, &facts[i], i);
        }
    }
    qsort(idlers->items, idlers->n_items, sizeof *idlers->items, compare);
    return true;
}

bool fx_idlers_find(const struct fx_idle_facts *given, struct fx_idlers *ret_idlers,
                    struct fx_err *err) {
    const size_t count = given->snapshot->n_mutators;
    struct facts *facts = calloc(count + 1, sizeof *facts);
    struct fx_idler *items = calloc(count + 1, sizeof *items);
    ret_idlers->items = items;
    if (facts == NULL || items == NULL) {
        free(facts);
        return fx_fail_nomem(err);
    }
    read_trace(given, facts);
    read_fields(given, facts);
    read_refusals(given, facts);
    const bool ok = collect(given, facts, ret_idlers, err);
    free(facts);
    return ok;
}

void fx_idlers_finish(struct fx_idlers *idlers) {
    if (idlers != NULL) {
        free(idlers->items);
        *idlers = (struct fx_idlers){0};
    }
}
