/* SPDX-License-Identifier: Apache-2.0
 *
 * server/active_policies.c - a source's version, and the one made of it while there is a
 * quarantine.
 */
#include "server/active_policies.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"
#include "server/failure_counts.h"
#include "server/mutator_metrics.h"
#include "server/policies_measure.h"
#include "server/policy_slot.h"

#define MUTATORS_TOLD_APART 500u
#define NS_PER_MS           UINT64_C(1000000)

struct fx_active_policies {
    struct fx_active_policies_options options;
    struct fx_metrics *metrics;
    struct fx_mutator_metrics *mutators;
    struct fx_policy_slot *slots; /* by thread */
    size_t n_slots;
    struct fx_mutator_counts
        *all_counts;          /* that threads use, or have not been read to their end */
    uv_mutex_t lock;          /* on `failures` */
    atomic_bool has_failures; /* to spare most reviews the lock */
    struct fx_failure_counts failures;
    struct fx_policies *base;         /* as the source gave them; NULL before the first */
    struct fx_policies *now;          /* `base`, or the same under `quarantine` */
    struct fx_quarantine *quarantine; /* each of its members is in `base`; NULL: nobody */
};

/* ---- beginning and end ----------------------------------------------------------- */

static void read_counts(void *user);
static struct fx_mutator_counts *make_counts(struct fx_active_policies *active,
                                             struct fx_snapshot *snapshot);

static bool make_slots(struct fx_active_policies *active, size_t n_slots) {
    active->slots = calloc(n_slots, sizeof active->slots[0]);
    while (active->slots != NULL && active->n_slots < n_slots) {
        struct fx_mutator_counts *counts = make_counts(active, NULL);
        if (counts == NULL ||
            !fx_policy_slot_init(&active->slots[active->n_slots], counts)) {
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
        options->max_mutators == 0 ? MUTATORS_TOLD_APART : options->max_mutators;
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
        !fx_registry_add_reader(metrics->registry, read_counts, active)) {
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
        fx_policy_slot_finish(&active->slots[i]);
    }
    free(active->slots);
    for (struct fx_mutator_counts *next = NULL, *at = active->all_counts; at != NULL;
         at = next) {
        next = at->next;
        fx_mutator_counts_destroy(at);
    }
    fx_failure_counts_finish(&active->failures);
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

/* ---- what threads count ---------------------------------------------------------- */

/* Adds what is new to the metrics, and frees what no thread counts into any more. */
static void read_counts(void *user) {
    struct fx_active_policies *active = user;
    for (struct fx_mutator_counts **at = &active->all_counts; *at != NULL;) {
        struct fx_mutator_counts *counts = *at;
        const bool left = atomic_load_explicit(&counts->left, memory_order_acquire);
        fx_mutator_metrics_collect(active->mutators, counts);
        if (left) {
            *at = counts->next;
            fx_mutator_counts_destroy(counts);
        } else {
            at = &counts->next;
        }
    }
}

/* NULL without memory. */
static struct fx_mutator_counts *make_counts(struct fx_active_policies *active,
                                             struct fx_snapshot *snapshot) {
    struct fx_mutator_counts *counts = fx_mutator_counts_create(snapshot);
    if (counts != NULL) {
        counts->next = active->all_counts;
        active->all_counts = counts;
    }
    return counts;
}

/* Has every thread see what is in force now. */
static void offer(struct fx_active_policies *active) {
    for (size_t i = 0; i < active->n_slots; i++) {
        fx_policy_slot_publish(&active->slots[i], active->now,
                               make_counts(active, active->now->snapshot));
    }
    if (active->options.on_change != NULL) {
        active->options.on_change(active->options.user);
    }
}

/* ---- words ----------------------------------------------------------------------- */

static void tell(enum fx_log_level level, const char *msg,
                 const struct fx_quarantined *member) {
    struct fx_buf id;
    struct fx_buf reason;
    fx_buf_init(&id, 0);
    fx_buf_init(&reason, 0);
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

static void tell_back(const struct fx_quarantined *member) {
    tell(FX_LOG_INFO, "mutator back from quarantine", member);
}

/* ---- the quarantine -------------------------------------------------------------- */

/* Is the member's policy still the same? */
static bool is_in(const struct fx_quarantined *member,
                  const struct fx_policies *policies) {
    const struct fx_snapshot *snapshot = policies->snapshot;
    size_t there = 0;
    return fx_quarantine_find(member, snapshot->mutators, snapshot->n_mutators, &there);
}

static size_t count(const struct fx_quarantine *quarantine) {
    return quarantine == NULL ? 0 : quarantine->n_members;
}

/* Those of the quarantine whose policies are still the same, and those who failed too
 * often. A review that began before may strike one who is out already. *ret_next is NULL
 * where there are none. False without memory. Under the lock. */
static bool make_next(const struct fx_active_policies *active,
                      const struct fx_policies *policies,
                      struct fx_quarantine **ret_next) {
    const struct fx_quarantine *before = active->quarantine;
    const struct fx_failure_counts *failures = &active->failures;
    struct fx_quarantine *next = fx_quarantine_create(count(before) + failures->n_items);
    if (next == NULL) {
        return false;
    }
    for (size_t i = 0; i < count(before); i++) {
        if (is_in(&before->members[i], policies)) {
            fx_quarantine_add(next, &before->members[i]);
        }
    }
    for (size_t i = 0; i < failures->n_items; i++) {
        const struct fx_quarantined *item = &failures->items[i];
        if (fx_failure_counts_exceeds(failures, item) && is_in(item, policies) &&
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

/* Makes `base` the version of the source, and what is in force of it under `quarantine`,
 * of which a reference is taken. False without memory: everything stays. */
static bool put_in_force(struct fx_active_policies *active, struct fx_policies *base,
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
    read_counts(active);
    fx_mutator_metrics_set_snapshot(active->mutators, now->snapshot);
    fx_policies_count(now, active->metrics);
    offer(active);
    read_counts(active);
    return true;
}

static void tell_changed(const struct fx_active_policies *active) {
    if (active->options.on_quarantine != NULL) {
        active->options.on_quarantine(active->now, active->options.user);
    }
}

/* Those who are out have a clean slate for when they come back. Under the lock. */
static void tell_out(struct fx_active_policies *active,
                     const struct fx_quarantine *before) {
    struct fx_failure_counts *failures = &active->failures;
    for (size_t i = failures->n_items; i > 0; i--) {
        const struct fx_quarantined *item = &failures->items[i - 1];
        if (!fx_failure_counts_exceeds(failures, item)) {
            continue;
        }
        if (before == NULL || !fx_quarantine_has(before, item->mutator)) {
            tell(FX_LOG_WARN, "mutator quarantined", item);
        }
        fx_failure_counts_remove(failures, i - 1);
    }
}

static void lock(struct fx_active_policies *active) {
    uv_mutex_lock(&active->lock);
}

static void unlock(struct fx_active_policies *active) {
    atomic_store_explicit(&active->has_failures, active->failures.n_items > 0,
                          memory_order_relaxed);
    uv_mutex_unlock(&active->lock);
}

void fx_active_policies_quarantine(struct fx_active_policies *active) {
    struct fx_quarantine *before = fx_quarantine_ref(active->quarantine);
    struct fx_quarantine *next = NULL;
    lock(active);
    const bool done = make_next(active, active->base, &next) &&
                      put_in_force(active, active->base, next);
    if (done) {
        tell_out(active, before);
    }
    unlock(active);
    if (done) {
        tell_changed(active);
    } else {
        fx_log(ERROR, "no memory to take a mutator out: it is tried again", {0});
    }
    fx_quarantine_unref(next);
    fx_quarantine_unref(before);
}

void fx_active_policies_release(struct fx_active_policies *active) {
    struct fx_quarantine *before = fx_quarantine_ref(active->quarantine);
    lock(active);
    fx_failure_counts_clear(&active->failures);
    unlock(active);
    if (before == NULL) {
        return;
    }
    (void)put_in_force(active, active->base, NULL); /* needs no memory */
    for (size_t i = 0; i < before->n_members; i++) {
        tell_back(&before->members[i]);
    }
    fx_quarantine_unref(before);
    tell_changed(active);
}

/* ---- versions and reviews -------------------------------------------------------- */

void fx_active_policies_set(struct fx_active_policies *active,
                            struct fx_policies *policies, double seconds) {
    fx_policies_count_build(policies, active->base, seconds, active->metrics);
    struct fx_quarantine *before = fx_quarantine_ref(active->quarantine);
    struct fx_quarantine *next = NULL;
    lock(active);
    const bool made = make_next(active, policies, &next);
    unlock(active);
    if (!made || !put_in_force(active, policies, next)) {
        fx_log(ERROR, "no memory for the quarantine: it ends", {0});
        (void)put_in_force(active, policies, NULL);
    }
    for (size_t i = 0; i < count(before); i++) {
        if (active->quarantine == NULL || !is_in(&before->members[i], policies)) {
            tell_back(&before->members[i]);
        }
    }
    fx_quarantine_unref(next);
    fx_quarantine_unref(before);
}

struct fx_policies *fx_active_policies_refresh(struct fx_active_policies *active,
                                               unsigned thread) {
    assert(thread < active->n_slots);
    struct fx_policy_slot *slot = &active->slots[thread];
    fx_policy_slot_refresh(slot);
    return slot->policies;
}

/* Most reviews concern nobody who failed: they do not even look. */
static bool strike(struct fx_active_policies *active,
                   const struct fx_review_result *result) {
    if (!atomic_load_explicit(&active->has_failures, memory_order_relaxed) &&
        !fx_failure_counts_may_record(&active->failures, result)) {
        return false;
    }
    lock(active);
    const bool out = fx_failure_counts_record(&active->failures, result);
    unlock(active);
    return out;
}

void fx_active_policies_record(struct fx_active_policies *active, unsigned thread,
                               const struct fx_review_result *result) {
    assert(thread < active->n_slots);
    if (result->outcome == NULL) {
        return;
    }
    struct fx_policy_slot *slot = &active->slots[thread];
    fx_policy_slot_refresh(slot);
    fx_mutator_counts_record(slot->counts, result->snapshot, result->outcome);
    if (!strike(active, result)) {
        return;
    }
    if (active->options.on_limit != NULL) {
        active->options.on_limit(active->options.user);
    } else {
        fx_active_policies_quarantine(active);
    }
}
