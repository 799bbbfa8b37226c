/* SPDX-License-Identifier: Apache-2.0
 *
 * server/active_policies.c - the policies of the source, and the policies made from them
 * without the mutators in quarantine.
 */
#include "server/active_policies.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <uv.h>

#include "base/log.h"
#include "base/vec.h"
#include "engine/quarantine.h"
#include "server/mutator_metrics.h"

#define DEFAULT_MAX_MUTATORS 500u
#define NS_PER_MS            UINT64_C(1000000)

/* ---- the policies of one thread ------------------------------------------------------
 *
 * The main thread publishes new policies. The serving thread takes them when its next
 * review begins, never during a review. A flag avoids the lock if nothing was published.
 */

struct policy_slot {
    /* Owned by the serving thread. */
    struct fx_policies *policies;     /* counted; NULL before the first version */
    struct fx_mutator_counts *counts; /* borrowed */
    /* Published and not yet taken; under the lock. */
    atomic_bool has_next;
    uv_mutex_t lock;
    struct fx_policies *next;              /* counted */
    struct fx_mutator_counts *next_counts; /* NULL: `counts` stays in use */
};

/* The thread uses `counts` until policies are published. False if no lock can be
 * created. */
static bool slot_init(struct policy_slot *slot, struct fx_mutator_counts *counts) {
    *slot = (struct policy_slot){.counts = counts};
    return uv_mutex_init(&slot->lock) == 0;
}

static void slot_finish(struct policy_slot *slot) {
    fx_policies_unref(slot->policies);
    fx_policies_unref(slot->next);
    uv_mutex_destroy(&slot->lock);
}

static void mark_unused(struct fx_mutator_counts *counts) {
    atomic_store_explicit(&counts->is_unused, true, memory_order_release);
}

/* Called on the main thread. `counts` NULL (out of memory): the thread keeps its counts,
 * which find mutators by id. */
static void slot_publish(struct policy_slot *slot, struct fx_policies *policies,
                         struct fx_mutator_counts *counts) {
    uv_mutex_lock(&slot->lock);
    struct fx_policies *missed = slot->next;
    slot->next = fx_policies_ref(policies);
    if (counts != NULL && slot->next_counts != NULL) {
        mark_unused(slot->next_counts);
    }
    if (counts != NULL) {
        slot->next_counts = counts;
    }
    atomic_store_explicit(&slot->has_next, true, memory_order_release);
    uv_mutex_unlock(&slot->lock);
    fx_policies_unref(missed);
}

/* Called on the serving thread: takes the published policies. */
static void slot_refresh(struct policy_slot *slot) {
    if (!atomic_load_explicit(&slot->has_next, memory_order_acquire)) {
        return;
    }
    struct fx_policies *before = slot->policies;
    uv_mutex_lock(&slot->lock);
    slot->policies = slot->next;
    if (slot->next_counts != NULL) {
        mark_unused(slot->counts);
        slot->counts = slot->next_counts;
    }
    slot->next = NULL;
    slot->next_counts = NULL;
    atomic_store_explicit(&slot->has_next, false, memory_order_relaxed);
    uv_mutex_unlock(&slot->lock);
    fx_policies_unref(before);
}

/* ---- failures in a row --------------------------------------------------------------
 *
 * A review counts as a failure of a mutator if its match or mutation failed, if it was
 * part of the cycle that did not converge, if it took more time than the budget, or if
 * the deadline passed during its step and it had done more than half of the work. For
 * every other mutator that matched, the count is reset to 0. Failures of external data
 * providers and our own (out of memory, out of time) count for no mutator.
 */

/* A short list, usually empty. */
struct failure_counts {
    uint32_t limit;               /* of failures in a row; 0: none */
    uint64_t budget_ns;           /* limit of a mutator's time in one review; 0: none */
    struct fx_quarantined *items; /* mutators (counted) with at least one failure */
    size_t n_items, cap_items;
};

static void clear_failures(struct failure_counts *failures) {
    for (size_t i = 0; i < failures->n_items; i++) {
        fx_mutator_unref(failures->items[i].mutator);
    }
    failures->n_items = 0;
}

/* Has the mutator reached the limit? */
static bool is_over_limit(const struct failure_counts *failures,
                          const struct fx_quarantined *item) {
    return failures->limit > 0 && item->times >= failures->limit;
}

/* Finds the item of the mutator. NULL: none. */
static struct fx_quarantined *find_failure(struct failure_counts *failures,
                                           const struct fx_mutator *mutator) {
    for (size_t i = 0; i < failures->n_items; i++) {
        if (fx_mutator_compare(failures->items[i].mutator, mutator) == 0) {
            return &failures->items[i];
        }
    }
    return NULL;
}

/* Removes the item; the last item moves to its index. */
static void remove_failure(struct failure_counts *failures, struct fx_quarantined *item) {
    fx_mutator_unref(item->mutator);
    *item = failures->items[--failures->n_items];
}

/* Counts a failure. True if the mutator has now reached the limit. If out of memory,
 * the failure is not counted. */
static bool add_failure(struct failure_counts *failures, struct fx_mutator *mutator,
                        enum fx_failure_reason reason) {
    struct fx_quarantined *item = find_failure(failures, mutator);
    if (item != NULL && !fx_quarantine_is_same(item->mutator, mutator)) {
        remove_failure(failures, item); /* it counts an earlier version of the policy */
        item = NULL;
    }
    if (item == NULL) {
        if (!FX_VEC_GROW(failures->items, failures->n_items, failures->cap_items)) {
            return false;
        }
        item = &failures->items[failures->n_items++];
        *item = (struct fx_quarantined){.mutator = fx_mutator_ref(mutator)};
    }
    item->times++;
    item->reason = reason;
    return is_over_limit(failures, item);
}

/* Is the mutator part of the cycle that did not converge? *at is the position in the
 * cycle, which has the same order as the stats. */
static bool is_in_cycle(const struct fx_review_result *result, uint32_t mutator,
                        size_t *at) {
    const struct fx_outcome *outcome = result->outcome;
    if (result->failure == NULL || result->failure->code != FX_ENOCONVERGE) {
        return false;
    }
    while (*at < outcome->n_cycle && outcome->cycle[*at].mutator < mutator) {
        ++*at;
    }
    return *at < outcome->n_cycle && outcome->cycle[*at].mutator == mutator;
}

static bool is_over_budget(const struct failure_counts *failures,
                           const struct fx_mutator_stats *entry) {
    return entry->overspent ||
           (failures->budget_ns > 0 && entry->ns > failures->budget_ns);
}

/* Did a mutator fail in the review? If not, the review needs to be recorded only if there
 * are items. Takes no lock. */
static bool may_have_failures(const struct failure_counts *failures,
                              const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result->outcome;
    bool may = failures->limit > 0 && outcome->n_cycle > 0;
    for (size_t i = 0; failures->limit > 0 && !may && i < outcome->n_stats; i++) {
        may = outcome->stats[i].failed || is_over_budget(failures, &outcome->stats[i]);
    }
    return may;
}

/* Records the result of a review. True if a mutator has now reached the limit. */
static bool count_failures(struct failure_counts *failures,
                           const struct fx_review_result *result) {
    const struct fx_outcome *outcome = result->outcome;
    bool is_over = false;
    size_t at = 0;
    for (size_t i = 0; failures->limit > 0 && i < outcome->n_stats; i++) {
        const struct fx_mutator_stats *entry = &outcome->stats[i];
        struct fx_mutator *mutator = result->snapshot->mutators[entry->mutator];
        if (entry->failed) {
            is_over = add_failure(failures, mutator, FX_FAILURE_FAILED) || is_over;
        } else if (is_in_cycle(result, entry->mutator, &at)) {
            is_over = add_failure(failures, mutator, FX_FAILURE_CYCLE) || is_over;
        } else if (is_over_budget(failures, entry)) {
            is_over = add_failure(failures, mutator, FX_FAILURE_BUDGET) || is_over;
        } else if (failures->n_items > 0) {
            struct fx_quarantined *item = find_failure(failures, mutator);
            if (item != NULL) {
                remove_failure(failures, item);
            }
        }
    }
    return is_over;
}

struct fx_active_policies {
    struct fx_active_policies_options options;
    struct fx_metrics *metrics;
    struct fx_mutator_metrics *mutators;
    struct policy_slot *slots; /* by thread */
    size_t n_slots;
    struct fx_mutator_counts *all_counts; /* in use, or not yet collected */
    uv_mutex_t lock;                      /* of `failures` */
    atomic_bool has_failures;             /* avoids the lock in most reviews */
    struct failure_counts failures;
    struct fx_policies *base;         /* of the source; NULL before the first version */
    struct fx_policies *now;          /* `base`, or the same under `quarantine` */
    struct fx_quarantine *quarantine; /* its members are in `base`; NULL: none */
};

/* ---- create and destroy ----------------------------------------------------------- */

static void collect_counts(void *user);
static struct fx_mutator_counts *make_counts(struct fx_active_policies *active,
                                             struct fx_snapshot *snapshot);

static bool make_slots(struct fx_active_policies *active, size_t n_slots) {
    active->slots = calloc(n_slots, sizeof active->slots[0]);
    while (active->slots != NULL && active->n_slots < n_slots) {
        struct fx_mutator_counts *counts = make_counts(active, NULL);
        if (counts == NULL || !slot_init(&active->slots[active->n_slots], counts)) {
            return false;
        }
        active->n_slots++;
    }
    return active->slots != NULL;
}

struct fx_active_policies *
fx_active_policies_create(const struct fx_active_policies_options *options,
                          struct fx_metrics *metrics) {
    const size_t max_mutators =
        options->max_mutators == 0 ? DEFAULT_MAX_MUTATORS : options->max_mutators;
    struct fx_active_policies *active = calloc(1, sizeof *active);
    if (active == NULL || uv_mutex_init(&active->lock) != 0) {
        free(active);
        return NULL;
    }
    active->options = *options;
    active->metrics = metrics;
    active->failures.limit = options->quarantine_after < UINT32_MAX
                                 ? (uint32_t)options->quarantine_after
                                 : UINT32_MAX;
    active->failures.budget_ns = options->quarantine_budget_ms * NS_PER_MS;
    active->mutators = fx_mutator_metrics_create(metrics->registry, max_mutators);
    if (active->mutators == NULL ||
        !make_slots(active, options->n_threads == 0 ? 1 : options->n_threads) ||
        !fx_registry_add_reader(metrics->registry, collect_counts, active)) {
        fx_active_policies_destroy(active);
        return NULL;
    }
    return active;
}

void fx_active_policies_destroy(struct fx_active_policies *active) {
    if (active == NULL) {
        return;
    }
    for (size_t i = 0; i < active->n_slots; i++) {
        slot_finish(&active->slots[i]);
    }
    free(active->slots);
    for (struct fx_mutator_counts *next = NULL, *at = active->all_counts; at != NULL;
         at = next) {
        next = at->next;
        fx_mutator_counts_destroy(at);
    }
    clear_failures(&active->failures);
    free(active->failures.items);
    fx_mutator_metrics_destroy(active->mutators);
    fx_quarantine_unref(active->quarantine);
    fx_policies_unref(active->now);
    fx_policies_unref(active->base);
    uv_mutex_destroy(&active->lock);
    free(active);
}

struct fx_policies *fx_active_policies_get(const struct fx_active_policies *active) {
    return active->now == NULL ? NULL : fx_policies_ref(active->now);
}

/* ---- the counts of threads ------------------------------------------------------- */

/* Adds new counts to the metrics, and frees counts that no thread uses any more. */
static void collect_counts(void *user) {
    struct fx_active_policies *active = user;
    for (struct fx_mutator_counts **at = &active->all_counts; *at != NULL;) {
        struct fx_mutator_counts *counts = *at;
        const bool is_unused =
            atomic_load_explicit(&counts->is_unused, memory_order_acquire);
        fx_mutator_metrics_collect(active->mutators, counts);
        if (is_unused) {
            *at = counts->next;
            fx_mutator_counts_destroy(counts);
        } else {
            at = &counts->next;
        }
    }
}

/* NULL if out of memory. */
static struct fx_mutator_counts *make_counts(struct fx_active_policies *active,
                                             struct fx_snapshot *snapshot) {
    struct fx_mutator_counts *counts = fx_mutator_counts_create(snapshot);
    if (counts != NULL) {
        counts->next = active->all_counts;
        active->all_counts = counts;
    }
    return counts;
}

/* Publishes the active policies to every thread. */
static void publish(struct fx_active_policies *active) {
    for (size_t i = 0; i < active->n_slots; i++) {
        slot_publish(&active->slots[i], active->now,
                     make_counts(active, active->now->snapshot));
    }
    if (active->options.on_change != NULL) {
        active->options.on_change(active->options.user);
    }
}

/* ---- log ----------------------------------------------------------------------- */

static void log_member(enum fx_log_level level, const char *msg,
                       const struct fx_quarantined *member) {
    struct fx_buf id = {0};
    struct fx_buf reason = {0};
    fx_buf_printf(&id, "%s/%s", member->mutator->kind, member->mutator->full_name);
    fx_quarantined_print(&reason, member);
    const struct fx_log_field fields[] = {
        fx_log_str("mutator", id.failed ? "" : id.data),
        level == FX_LOG_WARN ? fx_log_str("reason", reason.failed ? "" : reason.data)
                             : (struct fx_log_field){0},
        {0},
    };
    fx_log_write(level, msg, fields);
    fx_buf_finish(&id);
    fx_buf_finish(&reason);
}

static void log_release(const struct fx_quarantined *member) {
    log_member(FX_LOG_INFO, "mutator released from quarantine", member);
}

/* ---- the quarantine -------------------------------------------------------------- */

/* Do the policies have the member's policy, unchanged? */
static bool is_unchanged(const struct fx_quarantined *member,
                         const struct fx_policies *policies) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    size_t there = 0;
    return fx_quarantine_find(member, snapshot->mutators, snapshot->n_mutators, &there);
}

static size_t member_count(const struct fx_quarantine *quarantine) {
    return quarantine == NULL ? 0 : quarantine->n_members;
}

/* Makes the next quarantine: members whose policy is unchanged, and mutators that reached
 * the limit (a review that began earlier may count a failure of a member). *ret_next is
 * NULL if there are none. False if out of memory. Call it under the lock. */
static bool make_quarantine(const struct fx_active_policies *active,
                            const struct fx_policies *policies,
                            struct fx_quarantine **ret_next) {
    const struct fx_quarantine *before = active->quarantine;
    const struct failure_counts *failures = &active->failures;
    struct fx_quarantine *next =
        fx_quarantine_create(member_count(before) + failures->n_items);
    if (next == NULL) {
        return false;
    }
    for (size_t i = 0; i < member_count(before); i++) {
        if (is_unchanged(&before->members[i], policies)) {
            fx_quarantine_add(next, &before->members[i]);
        }
    }
    for (size_t i = 0; i < failures->n_items; i++) {
        const struct fx_quarantined *item = &failures->items[i];
        if (is_over_limit(failures, item) && is_unchanged(item, policies) &&
            !fx_quarantine_has(next, item->mutator)) {
            fx_quarantine_add(next, item);
        }
    }
    *ret_next = next->n_members > 0 ? next : NULL;
    if (*ret_next == NULL) {
        fx_quarantine_unref(next);
    }
    return true;
}

/* Activates `base` without the members of `quarantine` (NULL: none). Takes references.
 * False if out of memory: then nothing changes. */
static bool activate(struct fx_active_policies *active, struct fx_policies *base,
                     struct fx_quarantine *quarantine) {
    struct fx_policies *now = NULL;
    struct fx_err err = FX_ERR_INIT;
    if (quarantine == NULL) {
        now = fx_policies_ref(base);
    } else if (!fx_policies_quarantine(base, quarantine, &now, &err)) {
        return false;
    }
    (void)fx_policies_ref(base);
    (void)fx_quarantine_ref(quarantine);
    fx_policies_unref(active->now);
    fx_policies_unref(active->base);
    fx_quarantine_unref(active->quarantine);
    active->now = now;
    active->base = base;
    active->quarantine = quarantine;
    collect_counts(active);
    fx_mutator_metrics_set_snapshot(active->mutators, now->snapshot);
    fx_policies_count(now, active->metrics);
    publish(active);
    collect_counts(active);
    return true;
}

static void report_quarantine(const struct fx_active_policies *active) {
    if (active->options.on_quarantine != NULL) {
        active->options.on_quarantine(active->now, active->options.user);
    }
}

/* Logs the new members, and forgets the failures of all members, so that their counts
 * start at 0 after the quarantine. Call it under the lock. */
static void log_quarantined(struct fx_active_policies *active,
                            const struct fx_quarantine *before) {
    struct failure_counts *failures = &active->failures;
    for (size_t i = failures->n_items; i > 0; i--) {
        struct fx_quarantined *item = &failures->items[i - 1];
        if (!is_over_limit(failures, item)) {
            continue;
        }
        if (before == NULL || !fx_quarantine_has(before, item->mutator)) {
            log_member(FX_LOG_WARN, "mutator quarantined", item);
        }
        remove_failure(failures, item);
    }
}

static void lock_failures(struct fx_active_policies *active) {
    uv_mutex_lock(&active->lock);
}

static void unlock_failures(struct fx_active_policies *active) {
    atomic_store_explicit(&active->has_failures, active->failures.n_items > 0,
                          memory_order_relaxed);
    uv_mutex_unlock(&active->lock);
}

void fx_active_policies_quarantine(struct fx_active_policies *active) {
    struct fx_quarantine *before = fx_quarantine_ref(active->quarantine);
    struct fx_quarantine *next = NULL;
    lock_failures(active);
    const bool done = make_quarantine(active, active->base, &next) &&
                      activate(active, active->base, next);
    if (done) {
        log_quarantined(active, before);
    }
    unlock_failures(active);
    if (done) {
        report_quarantine(active);
    } else {
        fx_log(ERROR, "out of memory: mutator not quarantined, will retry", {0});
    }
    fx_quarantine_unref(next);
    fx_quarantine_unref(before);
}

void fx_active_policies_release(struct fx_active_policies *active) {
    struct fx_quarantine *before = fx_quarantine_ref(active->quarantine);
    lock_failures(active);
    clear_failures(&active->failures);
    unlock_failures(active);
    if (before == NULL) {
        return;
    }
    (void)activate(active, active->base, NULL); /* allocates nothing */
    for (size_t i = 0; i < before->n_members; i++) {
        log_release(&before->members[i]);
    }
    fx_quarantine_unref(before);
    report_quarantine(active);
}

/* ---- versions and reviews -------------------------------------------------------- */

void fx_active_policies_set(struct fx_active_policies *active,
                            struct fx_policies *policies, double seconds) {
    fx_policies_count_build(policies, active->base, seconds, active->metrics);
    struct fx_quarantine *before = fx_quarantine_ref(active->quarantine);
    struct fx_quarantine *next = NULL;
    lock_failures(active);
    const bool made = make_quarantine(active, policies, &next);
    unlock_failures(active);
    if (!made || !activate(active, policies, next)) {
        fx_log(ERROR, "out of memory: quarantine ended", {0});
        (void)activate(active, policies, NULL);
    }
    for (size_t i = 0; i < member_count(before); i++) {
        if (active->quarantine == NULL || !is_unchanged(&before->members[i], policies)) {
            log_release(&before->members[i]);
        }
    }
    fx_quarantine_unref(next);
    fx_quarantine_unref(before);
}

struct fx_policies *fx_active_policies_refresh(struct fx_active_policies *active,
                                               unsigned thread) {
    assert(thread < active->n_slots);
    struct policy_slot *slot = &active->slots[thread];
    slot_refresh(slot);
    return slot->policies;
}

/* Records failures. True if a mutator reached the limit. Most reviews have no failures
 * and take no lock. */
static bool record_failures(struct fx_active_policies *active,
                            const struct fx_review_result *result) {
    if (!atomic_load_explicit(&active->has_failures, memory_order_relaxed) &&
        !may_have_failures(&active->failures, result)) {
        return false;
    }
    lock_failures(active);
    const bool is_over = count_failures(&active->failures, result);
    unlock_failures(active);
    return is_over;
}

void fx_active_policies_record(struct fx_active_policies *active, unsigned thread,
                               const struct fx_review_result *result) {
    assert(thread < active->n_slots);
    if (result->outcome == NULL) {
        return;
    }
    struct policy_slot *slot = &active->slots[thread];
    slot_refresh(slot);
    fx_mutator_counts_record(slot->counts, result->snapshot, result->outcome);
    if (!record_failures(active, result)) {
        return;
    }
    if (active->options.on_limit != NULL) {
        active->options.on_limit(active->options.user);
    } else {
        fx_active_policies_quarantine(active);
    }
}
