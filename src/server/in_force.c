/* SPDX-License-Identifier: Apache-2.0
 *
 * server/in_force.c - a source's version, and the one made of it while there is a
 * quarantine.
 */
#include "server/in_force.h"

#include <stdlib.h>

#include "base/log.h"
#include "server/mutator_metrics.h"
#include "server/policies_measure.h"
#include "server/strikes.h"

#define MUTATORS_TOLD_APART 500u
#define NS_PER_MS           UINT64_C(1000000)

struct fx_in_force {
    struct fx_in_force_options options;
    struct fx_metrics *metrics;
    struct fx_mutator_metrics *mutators;
    struct fx_strikes strikes;
    struct fx_policies *base;         /* as the source gave them; NULL before the first */
    struct fx_policies *now;          /* `base`, or the same under `quarantine` */
    struct fx_quarantine *quarantine; /* each of its members is in `base`; NULL: nobody */
};

struct fx_in_force *fx_in_force_create(const struct fx_in_force_options *options,
                                       struct fx_metrics *metrics) {
    const size_t max_mutators =
        options->max_mutators == 0 ? MUTATORS_TOLD_APART : options->max_mutators;
    struct fx_in_force *in_force = calloc(1, sizeof *in_force);
    if (in_force == NULL) {
        return NULL;
    }
    in_force->options = *options;
    in_force->metrics = metrics;
    in_force->strikes.limit = options->quarantine_after < UINT32_MAX
                                  ? (uint32_t)options->quarantine_after
                                  : UINT32_MAX;
    in_force->strikes.budget_ns = options->quarantine_budget_ms * NS_PER_MS;
    in_force->mutators = fx_mutator_metrics_create(metrics->registry, max_mutators);
    if (in_force->mutators == NULL) {
        free(in_force);
        return NULL;
    }
    return in_force;
}

void fx_in_force_destroy(struct fx_in_force *in_force) {
    if (in_force == NULL) {
        return;
    }
    fx_strikes_finish(&in_force->strikes);
    fx_mutator_metrics_destroy(in_force->mutators);
    fx_quarantine_unref(in_force->quarantine);
    fx_policies_unref(in_force->now);
    fx_policies_unref(in_force->base);
    free(in_force);
}

struct fx_policies *fx_in_force_sample(const struct fx_in_force *in_force) {
    return in_force->now == NULL ? NULL : fx_policies_ref(in_force->now);
}

/* ---- words ----------------------------------------------------------------------- */

static void tell(enum fx_log_level level, const char *msg,
                 const struct fx_quarantined *member) {
    struct fx_buf id;
    struct fx_buf reason;
    fx_buf_init(&id, 0);
    fx_buf_init(&reason, 0);
    fx_buf_printf(&id, "%s/%s", member->mutator->kind, member->mutator->name);
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
 * where there are none. False without memory. */
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
    fx_mutator_metrics_take(in_force->mutators, now->snapshot);
    fx_policies_measure(now, in_force->metrics);
    return true;
}

static void tell_changed(const struct fx_in_force *in_force) {
    if (in_force->options.on_quarantine != NULL) {
        in_force->options.on_quarantine(in_force->now, in_force->options.user);
    }
}

/* Those who are out have a clean slate for when they come back. */
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

/* Somebody failed too often. */
static void take_out(struct fx_in_force *in_force) {
    struct fx_quarantine *before = fx_quarantine_ref(in_force->quarantine);
    struct fx_quarantine *next = NULL;
    if (make_next(in_force, in_force->base, &next) &&
        put_in_force(in_force, in_force->base, next)) {
        tell_out(in_force, before);
        tell_changed(in_force);
    } else {
        fx_log(ERROR, "no memory to take a mutator out: it is tried again", {0});
    }
    fx_quarantine_unref(next);
    fx_quarantine_unref(before);
}

void fx_in_force_release(struct fx_in_force *in_force) {
    struct fx_quarantine *before = fx_quarantine_ref(in_force->quarantine);
    fx_strikes_forget(&in_force->strikes);
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
    if (!make_next(in_force, policies, &next) ||
        !put_in_force(in_force, policies, next)) {
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

void fx_in_force_note(struct fx_in_force *in_force,
                      const struct fx_review_result *result) {
    if (result->outcome == NULL) {
        return;
    }
    fx_mutator_metrics_count(in_force->mutators, result->snapshot, result->outcome);
    if (fx_strikes_note(&in_force->strikes, result)) {
        take_out(in_force);
    }
}
