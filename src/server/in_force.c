/* SPDX-License-Identifier: Apache-2.0
 *
 * server/in_force.c - a source's version, and the one made of it while there is a
 * quarantine.
 */
#include "server/in_force.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/log.h"
#include "server/mutator_metrics.h"
#include "server/policies_measure.h"
#include "server/seat.h"
#include "server/strikes.h"

#define MUTATORS_TOLD_APART 500u
#define NS_PER_MS           UINT64_C(1000000)

struct fx_in_force {
    struct fx_in_force_options options;
    struct fx_metrics *metrics;
    struct fx_mutator_metrics *mutators;
    struct fx_seat *seats; /* by thread */
    size_t n_seats;
    struct fx_tally *tallies; /* that threads use, or have not been read to their end */
    uv_mutex_t lock;          /* on `strikes` */
    atomic_bool has_strikes;  /* to spare most reviews the lock */
    struct fx_strikes strikes;
    struct fx_policies *base;         /* as the source gave them; NULL before the first */
    struct fx_policies *now;          /* `base`, or the same under `quarantine` */
    struct fx_quarantine *quarantine; /* each of its members is in `base`; NULL: nobody */
};

/* ---- beginning and end ----------------------------------------------------------- */

static void read_tallies(void *user);
static struct fx_tally *make_tally(struct fx_in_force *in_force,
                                   struct fx_snapshot *snapshot);

static bool make_seats(struct fx_in_force *in_force, size_t n_seats) {
    in_force->seats = calloc(n_seats, sizeof in_force->seats[0]);
    while (in_force->seats != NULL && in_force->n_seats < n_seats) {
        struct fx_tally *tally = make_tally(in_force, NULL);
        if (tally == NULL || !fx_seat_init(&in_force->seats[in_force->n_seats], tally)) {
            return false;
        }
        in_force->n_seats++;
    }
    return in_force->seats != NULL;
}

struct fx_in_force *fx_in_force_create(const struct fx_in_force_options *options,
                                       struct fx_metrics *metrics) {
    const size_t max_mutators =
        options->max_mutators == 0 ? MUTATORS_TOLD_APART : options->max_mutators;
    struct fx_in_force *in_force = calloc(1, sizeof *in_force);
    if (in_force == NULL || uv_mutex_init(&in_force->lock) != 0) {
        free(in_force);
        return NULL;
    }
    in_force->options = *options;
    in_force->metrics = metrics;
    in_force->strikes.limit = options->quarantine_after < UINT32_MAX
                                  ? (uint32_t)options->quarantine_after
                                  : UINT32_MAX;
    in_force->strikes.budget_ns = options->quarantine_budget_ms * NS_PER_MS;
    in_force->mutators = fx_mutator_metrics_create(metrics->registry, max_mutators);
    if (in_force->mutators == NULL ||
        !make_seats(in_force, options->n_threads == 0 ? 1 : options->n_threads) ||
        !fx_registry_add_reader(metrics->registry, read_tallies, in_force)) {
        fx_in_force_destroy(in_force);
        return NULL;
    }
    return in_force;
}

void fx_in_force_destroy(struct fx_in_force *in_force) {
    if (in_force == NULL) {
        return;
    }
    for (size_t i = 0; i < in_force->n_seats; i++) {
        fx_seat_finish(&in_force->seats[i]);
    }
    free(in_force->seats);
    for (struct fx_tally *next = NULL, *at = in_force->tallies; at != NULL; at = next) {
        next = at->next;
        fx_tally_destroy(at);
    }
    fx_strikes_finish(&in_force->strikes);
    fx_mutator_metrics_destroy(in_force->mutators);
    fx_quarantine_unref(in_force->quarantine);
    fx_policies_unref(in_force->now);
    fx_policies_unref(in_force->base);
    uv_mutex_destroy(&in_force->lock);
    free(in_force);
}

struct fx_policies *fx_in_force_sample(const struct fx_in_force *in_force) {
    return in_force->now == NULL ? NULL : fx_policies_ref(in_force->now);
}

/* ---- what threads count ---------------------------------------------------------- */

/* Adds what is new to the metrics, and frees what no thread counts into any more. */
static void read_tallies(void *user) {
    struct fx_in_force *in_force = user;
    for (struct fx_tally **at = &in_force->tallies; *at != NULL;) {
        struct fx_tally *tally = *at;
        const bool left = atomic_load_explicit(&tally->left, memory_order_acquire);
        fx_mutator_metrics_read(in_force->mutators, tally);
        if (left) {
            *at = tally->next;
            fx_tally_destroy(tally);
        } else {
            at = &tally->next;
        }
    }
}

/* NULL without memory. */
static struct fx_tally *make_tally(struct fx_in_force *in_force,
                                   struct fx_snapshot *snapshot) {
    struct fx_tally *tally = fx_tally_create(snapshot);
    if (tally != NULL) {
        tally->next = in_force->tallies;
        in_force->tallies = tally;
    }
    return tally;
}

/* Has every thread see what is in force now. */
static void offer(struct fx_in_force *in_force) {
    for (size_t i = 0; i < in_force->n_seats; i++) {
        fx_seat_offer(&in_force->seats[i], in_force->now,
                      make_tally(in_force, in_force->now->snapshot));
    }
    if (in_force->options.on_offer != NULL) {
        in_force->options.on_offer(in_force->options.user);
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
static bool make_next(const struct fx_in_force *in_force,
                      const struct fx_policies *policies,
                      struct fx_quarantine **ret_next) {
    const struct fx_quarantine *before = in_force->quarantine;
    const struct fx_strikes *strikes = &in_force->strikes;
    struct fx_quarantine *next = fx_quarantine_create(count(before) + strikes->n_items);
    if (next == NULL) {
        return false;
    }
    for (size_t i = 0; i < count(before); i++) {
        if (is_in(&before->members[i], policies)) {
            fx_quarantine_add(next, &before->members[i]);
        }
    }
    for (size_t i = 0; i < strikes->n_items; i++) {
        const struct fx_quarantined *item = &strikes->items[i];
        if (fx_strikes_is_out(strikes, item) && is_in(item, policies) &&
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
static bool put_in_force(struct fx_in_force *in_force, struct fx_policies *base,
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
    fx_policies_unref(in_force->now);
    fx_policies_unref(in_force->base);
    fx_quarantine_unref(in_force->quarantine);
    in_force->now = now;
    in_force->base = base;
    in_force->quarantine = quarantine;
    read_tallies(in_force);
    fx_mutator_metrics_take(in_force->mutators, now->snapshot);
    fx_policies_measure(now, in_force->metrics);
    offer(in_force);
    read_tallies(in_force);
    return true;
}

static void tell_changed(const struct fx_in_force *in_force) {
    if (in_force->options.on_quarantine != NULL) {
        in_force->options.on_quarantine(in_force->now, in_force->options.user);
    }
}

/* Those who are out have a clean slate for when they come back. Under the lock. */
static void tell_out(struct fx_in_force *in_force, const struct fx_quarantine *before) {
    struct fx_strikes *strikes = &in_force->strikes;
    for (size_t i = strikes->n_items; i > 0; i--) {
        const struct fx_quarantined *item = &strikes->items[i - 1];
        if (!fx_strikes_is_out(strikes, item)) {
            continue;
        }
        if (before == NULL || !fx_quarantine_has(before, item->mutator)) {
            tell(FX_LOG_WARN, "mutator quarantined", item);
        }
        fx_strikes_forgive(strikes, i - 1);
    }
}

static void lock(struct fx_in_force *in_force) {
    uv_mutex_lock(&in_force->lock);
}

static void unlock(struct fx_in_force *in_force) {
    atomic_store_explicit(&in_force->has_strikes, in_force->strikes.n_items > 0,
                          memory_order_relaxed);
    uv_mutex_unlock(&in_force->lock);
}

void fx_in_force_take_out(struct fx_in_force *in_force) {
    struct fx_quarantine *before = fx_quarantine_ref(in_force->quarantine);
    struct fx_quarantine *next = NULL;
    lock(in_force);
    const bool done = make_next(in_force, in_force->base, &next) &&
                      put_in_force(in_force, in_force->base, next);
    if (done) {
        tell_out(in_force, before);
    }
    unlock(in_force);
    if (done) {
        tell_changed(in_force);
    } else {
        fx_log(ERROR, "no memory to take a mutator out: it is tried again", {0});
    }
    fx_quarantine_unref(next);
    fx_quarantine_unref(before);
}

void fx_in_force_release(struct fx_in_force *in_force) {
    struct fx_quarantine *before = fx_quarantine_ref(in_force->quarantine);
    lock(in_force);
    fx_strikes_forget(&in_force->strikes);
    unlock(in_force);
    if (before == NULL) {
        return;
    }
    (void)put_in_force(in_force, in_force->base, NULL); /* needs no memory */
    for (size_t i = 0; i < before->n_members; i++) {
        tell_back(&before->members[i]);
    }
    fx_quarantine_unref(before);
    tell_changed(in_force);
}

/* ---- versions and reviews -------------------------------------------------------- */

void fx_in_force_take(struct fx_in_force *in_force, struct fx_policies *policies,
                      double seconds) {
    fx_policies_measure_build(policies, in_force->base, seconds, in_force->metrics);
    struct fx_quarantine *before = fx_quarantine_ref(in_force->quarantine);
    struct fx_quarantine *next = NULL;
    lock(in_force);
    const bool made = make_next(in_force, policies, &next);
    unlock(in_force);
    if (!made || !put_in_force(in_force, policies, next)) {
        fx_log(ERROR, "no memory for the quarantine: it ends", {0});
        (void)put_in_force(in_force, policies, NULL);
    }
    for (size_t i = 0; i < count(before); i++) {
        if (in_force->quarantine == NULL || !is_in(&before->members[i], policies)) {
            tell_back(&before->members[i]);
        }
    }
    fx_quarantine_unref(next);
    fx_quarantine_unref(before);
}

struct fx_policies *fx_in_force_look(struct fx_in_force *in_force, unsigned thread) {
    assert(thread < in_force->n_seats);
    struct fx_seat *seat = &in_force->seats[thread];
    fx_seat_look(seat);
    return seat->policies;
}

/* Most reviews concern nobody who failed: they do not even look. */
static bool strike(struct fx_in_force *in_force, const struct fx_review_result *result) {
    if (!atomic_load_explicit(&in_force->has_strikes, memory_order_relaxed) &&
        !fx_strikes_may_note(&in_force->strikes, result)) {
        return false;
    }
    lock(in_force);
    const bool out = fx_strikes_note(&in_force->strikes, result);
    unlock(in_force);
    return out;
}

void fx_in_force_note(struct fx_in_force *in_force, unsigned thread,
                      const struct fx_review_result *result) {
    assert(thread < in_force->n_seats);
    if (result->outcome == NULL) {
        return;
    }
    struct fx_seat *seat = &in_force->seats[thread];
    fx_seat_look(seat);
    fx_tally_note(seat->tally, result->snapshot, result->outcome);
    if (!strike(in_force, result)) {
        return;
    }
    if (in_force->options.on_strike != NULL) {
        in_force->options.on_strike(in_force->options.user);
    } else {
        fx_in_force_take_out(in_force);
    }
}
