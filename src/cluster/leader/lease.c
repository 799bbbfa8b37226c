/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease.c - carries out the decisions of a candidate (lease_state.h):
 *
 *   wait ── timer ──→ read ──→ decide: wait, or write ──→ held
 *     ↑                                        │ refused   │ timer
 *     └────────────────────────────────────────┘←──────────┘ (write again)
 */
#include "cluster/leader/lease.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/uuid.h"
#include "kube/backoff.h"
#include "kube/log_throttle.h"

#define MANAGER       "fixpoint"
#define RELEASE_TRIES 3

#define LEASE_MAGIC 0x66786c65u /* "fxle" */

static const struct fx_kube_resource leases = {"coordination.k8s.io", "v1", "leases",
                                               "Lease"};

struct fx_cluster_lease {
    uint32_t magic;
    uv_timer_t timer;
    struct fx_kube_client *client;
    struct fx_kube_call *call; /* NULL: none in progress */
    struct fx_cluster_lease_options options;
    void (*on_change)(bool held, void *user);
    void *user;
    struct fx_kube_random random;
    struct fx_lease_state state;
    bool reported;              /* the value last passed to on_change */
    uint64_t next_ns;           /* when to continue, if no call is in progress */
    uint64_t sent_ns;           /* when the call started */
    unsigned n_releasing;       /* steps since the release started */
    enum fx_kube_reason logged; /* the last failure in the log */
};

static struct fx_cluster_lease *lease_of(void *data) {
    struct fx_cluster_lease *lease = data;
    assert(lease != NULL && lease->magic == LEASE_MAGIC);
    return lease;
}

static void on_timer(uv_timer_t *timer);

/* ---- time ------------------------------------------------------------------------ */

static int64_t wall_us(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void wake_at(struct fx_cluster_lease *lease, uint64_t at_ns) {
    (void)uv_timer_start(&lease->timer, on_timer, fx_ms_until(at_ns), 0);
}

/* Sets the timer to the next step, or to the end of the time as holder. */
static void set_timer(struct fx_cluster_lease *lease) {
    const bool waits = lease->call == NULL && !lease->state.releasing;
    const uint64_t end_ns = lease->reported ? lease->state.held_until_ns : UINT64_MAX;
    const uint64_t next_ns = waits ? lease->next_ns : UINT64_MAX;
    const uint64_t at_ns = next_ns < end_ns ? next_ns : end_ns;
    if (at_ns == UINT64_MAX) {
        (void)uv_timer_stop(&lease->timer);
    } else {
        wake_at(lease, at_ns);
    }
}

static void wait_before_retry(struct fx_cluster_lease *lease) {
    const uint64_t pause_ns = lease->state.times.retry_ns;
    const uint64_t spread_ns = pause_ns / 5;
    lease->next_ns =
        fx_clock_ns() + fx_kube_random_between(&lease->random, pause_ns - spread_ns,
                                               pause_ns + spread_ns);
}

/* Called after every step. Calls on_change last, since it may do anything. */
static void finish_step(struct fx_cluster_lease *lease) {
    const bool held = fx_lease_is_held(&lease->state, fx_clock_ns());
    const bool changed = held != lease->reported && !lease->state.releasing;
    lease->reported = held;
    set_timer(lease);
    if (changed) {
        lease->on_change(held, lease->user);
    }
}

/* ---- steps ----------------------------------------------------------------------- */

static void do_step(struct fx_cluster_lease *lease);

/* Conflicts with other candidates are not failures, and not logged. */
static void log_failure(struct fx_cluster_lease *lease,
                        const struct fx_kube_failure *failure) {
    fx_kube_failure_log("lease request failed: it will be retried", failure,
                        &lease->logged);
}

static void on_read(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_lease *lease = lease_of(user);
    lease->call = NULL;
    const bool is_gone =
        answer->failure != NULL && answer->failure->reason == FX_KUBE_REASON_NOT_FOUND;
    if (answer->failure != NULL && !is_gone) {
        log_failure(lease, answer->failure);
        wait_before_retry(lease);
    } else {
        fx_lease_read(&lease->state, answer->object, fx_clock_ns());
        do_step(lease);
        if (lease->call == NULL) {
            lease->logged = FX_KUBE_REASON_NONE; /* no write follows */
        }
    }
    finish_step(lease);
}

/* Another candidate was faster, or the result is not known. The Lease is then read again
 * before the next write. */
static void handle_failure(struct fx_cluster_lease *lease,
                           const struct fx_kube_failure *failure) {
    const bool is_race = failure->reason == FX_KUBE_REASON_CONFLICT ||
                         failure->reason == FX_KUBE_REASON_EXISTS ||
                         failure->reason == FX_KUBE_REASON_NOT_FOUND;
    fx_lease_failed(&lease->state, !is_race);
    if (!is_race) {
        log_failure(lease, failure);
    }
    if (lease->state.releasing) {
        do_step(lease);
    } else {
        wait_before_retry(lease);
    }
}

static void on_written(const struct fx_kube_answer *answer, void *user) {
    struct fx_cluster_lease *lease = lease_of(user);
    lease->call = NULL;
    if (answer->failure != NULL) {
        handle_failure(lease, answer->failure);
    } else {
        lease->logged = FX_KUBE_REASON_NONE;
        lease->next_ns = lease->sent_ns + lease->state.times.renew_ns;
        fx_lease_written(&lease->state, answer->object, lease->sent_ns, fx_clock_ns());
        if (lease->state.releasing) {
            do_step(lease);
        }
    }
    finish_step(lease);
}

/* A release is a merge patch: an apply without holderIdentity would not remove it if
 * another manager, such as the creator of the Lease, owns it. */
static enum fx_kube_verb verb_of(enum fx_lease_step step) {
    return step == FX_LEASE_READ      ? FX_KUBE_VERB_GET
           : step == FX_LEASE_CREATE  ? FX_KUBE_VERB_CREATE
           : step == FX_LEASE_RELEASE ? FX_KUBE_VERB_MERGE_PATCH
                                      : FX_KUBE_VERB_APPLY;
}

static void send_request(struct fx_cluster_lease *lease, enum fx_lease_step step) {
    const bool reads = step == FX_LEASE_READ;
    json_t *body = reads ? NULL
                         : fx_lease_body(&lease->state, step, lease->options.namespace_,
                                         lease->options.name, wall_us());
    if (!reads && body == NULL) {
        return;
    }
    const struct fx_kube_request request = {
        .verb = verb_of(step),
        .resource = &leases,
        .name = {.namespace_ = fx_text_of(lease->options.namespace_),
                 .name = fx_text_of(lease->options.name)},
        .body = body,
        .manager = reads ? NULL : MANAGER,
        .force = verb_of(step) == FX_KUBE_VERB_APPLY,
        .timeout_ms = lease->state.times.call_timeout_ms,
    };
    lease->sent_ns = fx_clock_ns();
    lease->call =
        fx_kube_call_start(lease->client, &request, reads ? on_read : on_written, lease);
    if (!reads && lease->call != NULL) {
        fx_lease_sent(&lease->state);
    }
    json_decref(body);
}

/* Decides and starts the next step. Without memory, tries again later. */
static void do_step(struct fx_cluster_lease *lease) {
    const enum fx_lease_step step = fx_lease_next(&lease->state, fx_clock_ns());
    if (lease->state.releasing && lease->n_releasing++ == RELEASE_TRIES * 2) {
        return; /* give up: the others then wait for the whole duration */
    }
    if (step != FX_LEASE_WAIT) {
        send_request(lease, step);
    }
    if (lease->call == NULL) {
        wait_before_retry(lease);
    }
}

static void on_timer(uv_timer_t *timer) {
    struct fx_cluster_lease *lease = lease_of(timer->data);
    if (lease->call == NULL && !lease->state.releasing &&
        fx_clock_ns() >= lease->next_ns) {
        fx_lease_expire_read(&lease->state);
        do_step(lease);
    }
    finish_step(lease);
}

/* ---- life ------------------------------------------------------------------- */

/* Sets a unique identity, which differs after a restart: `POD_UUID`. */
static void init_state(struct fx_cluster_lease *lease,
                       const struct fx_lease_times *times) {
    char uuid[FX_UUID_SIZE];
    char identity[FX_LEASE_IDENTITY_BYTES];
    fx_uuid_make(uuid);
    (void)snprintf(identity, sizeof identity, "%.253s_%s", lease->options.pod, uuid);
    fx_lease_init(&lease->state, identity, times);
}

struct fx_cluster_lease *
fx_cluster_lease_create(uv_loop_t *loop, struct fx_kube_client *client,
                        const struct fx_cluster_lease_options *options,
                        void (*on_change)(bool held, void *user), void *user,
                        struct fx_err *err) {
    struct fx_cluster_lease *lease = calloc(1, sizeof *lease);
    if (lease == NULL) {
        (void)fx_fail_nomem(err);
        return NULL;
    }
    lease->magic = LEASE_MAGIC;
    lease->client = client;
    lease->options = *options;
    lease->on_change = on_change;
    lease->user = user;
    fx_kube_random_init(&lease->random);
    init_state(lease, &fx_lease_times);
    (void)uv_timer_init(loop, &lease->timer); /* cannot fail */
    lease->timer.data = lease;
    wake_at(lease, 0);
    return lease;
}

void fx_cluster_lease_set_times(struct fx_cluster_lease *lease,
                                const struct fx_lease_times *times) {
    init_state(lease, times);
}

bool fx_cluster_lease_held(const struct fx_cluster_lease *lease) {
    return fx_lease_is_held(&lease->state, fx_clock_ns());
}

/* Waits for a write in progress, which may win the Lease. */
void fx_cluster_lease_release(struct fx_cluster_lease *lease) {
    if (lease->state.releasing) {
        return;
    }
    lease->state.releasing = true;
    lease->reported = false;
    if (lease->call == NULL) {
        do_step(lease);
    }
    finish_step(lease);
}

static void on_closed(uv_handle_t *timer) {
    struct fx_cluster_lease *lease = lease_of(timer->data);
    lease->magic = 0;
    free(lease);
}

void fx_cluster_lease_close(struct fx_cluster_lease *lease) {
    if (lease == NULL) {
        return;
    }
    fx_kube_call_cancel(lease->call);
    lease->call = NULL;
    uv_close((uv_handle_t *)&lease->timer, on_closed);
}
