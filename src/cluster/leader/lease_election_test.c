/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease_election_test.c - several candidates, a bad network, and clocks of
 * different speed: no two candidates ever act as holders at once, and when all faults are
 * over, there is soon one. Simulated: requests and answers take time or are lost (and may
 * arrive long after the caller gave up), the server is down, candidates crash and restart
 * with another identity, are suspended for a while, and have clocks that run too fast or
 * too slow and dates that jump.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "cluster/leader/lease_state.h"
#include "kube/backoff.h"

#define MS         UINT64_C(1000000)
#define S          (1000 * MS)
#define STEP       (50 * MS)
#define CANDIDATES 5
#define MESSAGES   64
#define NEVER      UINT64_MAX

/* A request on its way, or its answer. */
struct message {
    bool used, received; /* `received`: by the server, which has answered */
    size_t from;
    unsigned number;
    enum fx_lease_step step;
    json_t *body, *answer; /* of a write; NULL: no Lease, refused */
    bool ok;
    uint64_t at_server, at_client; /* in real time; NEVER: lost */
};

struct candidate {
    struct fx_lease_state state;
    unsigned life; /* counts rebirths */
    bool alive;
    unsigned call;          /* the request whose answer it waits for; 0: none */
    uint64_t clock_offset;  /* its clock is offset + real * rate / 100 */
    uint64_t rate;          /* 95 … 105 */
    uint64_t frozen_until;  /* in real time */
    uint64_t next, timeout; /* by its clock */
    uint64_t sent;          /* by its clock */
    int64_t wall_us;        /* its date is anything */
};

struct fixture {
    struct fx_kube_random random;
    uint64_t now;
    json_t *lease; /* NULL: there is none */
    unsigned version, n_messages;
    struct candidate candidates[CANDIDATES];
    struct message messages[MESSAGES];
    bool calm; /* nothing bad happens any more */
    uint64_t away_until;
    unsigned n_changes, n_writes, n_refused; /* of the holder; of writes */
    size_t holder;
};

static uint64_t draw(struct fixture *fixture, uint64_t least, uint64_t most) {
    return fx_kube_random_between(&fixture->random, least, most);
}

static bool happens(struct fixture *fixture, uint64_t in_thousand) {
    return !fixture->calm && draw(fixture, 0, 999) < in_thousand;
}

static uint64_t clock_of(const struct fixture *fixture,
                         const struct candidate *candidate) {
    return candidate->clock_offset + fixture->now / 100 * candidate->rate;
}

/* ---- the server ---- */

static const char *version_of(const json_t *object) {
    return json_string_value(
        json_object_get(json_object_get(object, "metadata"), "resourceVersion"));
}

static void store(struct fixture *fixture, const json_t *body) {
    char version[16];
    (void)snprintf(version, sizeof version, "%u", ++fixture->version);
    json_decref(fixture->lease);
    fixture->lease = json_deep_copy(body);
    json_t *metadata = json_object_get(fixture->lease, "metadata");
    assert_int_equal(json_object_set_new(metadata, "uid", json_string("u")), 0);
    assert_int_equal(
        json_object_set_new(metadata, "resourceVersion", json_string(version)), 0);
}

static void serve(struct fixture *fixture, struct message *message) {
    message->received = true;
    if (message->step == FX_LEASE_READ) {
        message->ok = true;
    } else if (message->step == FX_LEASE_CREATE) {
        message->ok = fixture->lease == NULL;
    } else {
        message->ok = fixture->lease != NULL &&
                      strcmp(version_of(fixture->lease), version_of(message->body)) == 0;
    }
    if (message->ok && message->step != FX_LEASE_READ) {
        store(fixture, message->body);
        fixture->n_writes++;
    }
    fixture->n_refused += message->ok ? 0 : 1;
    message->answer = message->ok ? json_incref(fixture->lease) : NULL;
}

/* ---- a candidate, as cluster/leader/lease.c is one ---- */

static void release_message(struct message *message) {
    json_decref(message->body);
    json_decref(message->answer);
    *message = (struct message){0};
}

static struct message *new_message(struct fixture *fixture) {
    for (size_t i = 0; i < MESSAGES; i++) {
        if (!fixture->messages[i].used) {
            return &fixture->messages[i];
        }
    }
    fail_msg("more than %d messages", MESSAGES);
    return NULL;
}

static uint64_t delay(struct fixture *fixture) {
    return happens(fixture, 30) ? NEVER
           : happens(fixture, 30)
               ? fixture->now + draw(fixture, 0, 90 * S) /* very late */
               : fixture->now + draw(fixture, STEP, 300 * MS);
}

static void send(struct fixture *fixture, size_t index, enum fx_lease_step step) {
    struct candidate *me = &fixture->candidates[index];
    struct message *message = new_message(fixture);
    *message = (struct message){
        .used = true,
        .from = index,
        .number = ++fixture->n_messages,
        .step = step,
        .at_server = fixture->now < fixture->away_until ? NEVER : delay(fixture),
    };
    message->at_client = message->at_server == NEVER || happens(fixture, 30)
                             ? NEVER
                             : message->at_server + draw(fixture, STEP, 300 * MS);
    if (step >= FX_LEASE_CREATE) {
        message->body = fx_lease_body(&me->state, step, "ns", "l", me->wall_us);
        assert_non_null(message->body);
        fx_lease_sent(&me->state);
    }
    me->sent = clock_of(fixture, me);
    me->timeout = me->sent + me->state.times.call_timeout_ms * MS;
    me->call = message->number;
}

static void step_candidate(struct fixture *fixture, size_t index) {
    struct candidate *me = &fixture->candidates[index];
    const uint64_t now = clock_of(fixture, me);
    const enum fx_lease_step step = fx_lease_next(&me->state, now);
    if (step != FX_LEASE_WAIT) {
        send(fixture, index, step);
        return;
    }
    const uint64_t retry = me->state.times.retry_ns;
    me->next = fx_lease_is_held(&me->state, now)
                   ? me->sent + me->state.times.renew_ns
                   : now + draw(fixture, retry - retry / 5, retry + retry / 5);
}

static void retry(struct fixture *fixture, struct candidate *me) {
    const uint64_t pause = me->state.times.retry_ns;
    me->next =
        clock_of(fixture, me) + draw(fixture, pause - pause / 5, pause + pause / 5);
}

static void take_answer(struct fixture *fixture, const struct message *message) {
    struct candidate *me = &fixture->candidates[message->from];
    const uint64_t now = clock_of(fixture, me);
    me->call = 0;
    if (message->step == FX_LEASE_READ) {
        fx_lease_read(&me->state, message->answer, now);
        step_candidate(fixture, message->from);
    } else if (message->ok) {
        fx_lease_written(&me->state, message->answer, me->sent, now);
        me->next = me->sent + me->state.times.renew_ns;
    } else {
        fx_lease_failed(&me->state, false);
        retry(fixture, me);
    }
}

static void live(struct fixture *fixture, size_t index) {
    struct candidate *me = &fixture->candidates[index];
    if (!me->alive || fixture->now < me->frozen_until) {
        return;
    }
    const uint64_t now = clock_of(fixture, me);
    me->wall_us += (int64_t)(STEP / 1000);
    if (me->call != 0 && now >= me->timeout) {
        me->call = 0;
        fx_lease_failed(&me->state, true);
        retry(fixture, me);
    } else if (me->call == 0 && now >= me->next) {
        fx_lease_expire_read(&me->state);
        step_candidate(fixture, index);
    }
}

/* ---- what happens to them ---- */

static void be_born(struct fixture *fixture, size_t index) {
    struct candidate *me = &fixture->candidates[index];
    char identity[32];
    me->life++;
    (void)snprintf(identity, sizeof identity, "pod%zu_%u", index, me->life);
    fx_lease_init(&me->state, identity, &fx_lease_times);
    me->alive = true;
    me->call = 0;
    me->clock_offset = draw(fixture, S, 1000000 * S);
    me->rate = draw(fixture, 95, 105);
    me->next = clock_of(fixture, me) + draw(fixture, 0, S);
    me->wall_us = (int64_t)draw(fixture, 0, UINT64_C(4000000000000000));
}

static void suffer(struct fixture *fixture, size_t index) {
    struct candidate *me = &fixture->candidates[index];
    if (me->alive && happens(fixture, 1)) {
        me->alive = false;
        me->call = 0;
    } else if (!me->alive && (fixture->calm || happens(fixture, 5))) {
        be_born(fixture, index);
    } else if (happens(fixture, 2)) {
        me->frozen_until = fixture->now + draw(fixture, 0, 60 * S);
    } else if (happens(fixture, 5)) {
        me->wall_us = (int64_t)draw(fixture, 0, UINT64_C(4000000000000000));
    }
}

/* The server receives a request also if its candidate no longer waits, which then
 * gets no answer. */
static void deliver(struct fixture *fixture, struct message *message) {
    const struct candidate *to = &fixture->candidates[message->from];
    if (!message->received && fixture->now >= message->at_server) {
        serve(fixture, message);
    }
    const bool lost = message->at_server == NEVER ||
                      (message->received &&
                       (to->call != message->number || message->at_client == NEVER));
    if (lost) {
        release_message(message);
    } else if (message->received && fixture->now >= message->at_client &&
               fixture->now >= to->frozen_until) {
        struct message arrived = *message;
        *message = (struct message){0};
        take_answer(fixture, &arrived);
        release_message(&arrived);
    }
}

static void check(struct fixture *fixture) {
    size_t n_holders = 0;
    for (size_t i = 0; i < CANDIDATES; i++) {
        const struct candidate *one = &fixture->candidates[i];
        /* A candidate that is suspended does nothing, and reads its clock before it
         * continues. */
        if (one->alive && fixture->now >= one->frozen_until &&
            fx_lease_is_held(&one->state, clock_of(fixture, one))) {
            n_holders++;
            fixture->n_changes += fixture->holder == i ? 0 : 1;
            fixture->holder = i;
        }
    }
    if (n_holders > 1) {
        fail_msg("%zu holders after %.2f s", n_holders, (double)fixture->now / (double)S);
    }
}

static void step(struct fixture *fixture) {
    fixture->now += STEP;
    if (happens(fixture, 1)) {
        fixture->away_until = fixture->now + draw(fixture, 0, 90 * S);
    }
    for (size_t i = 0; i < CANDIDATES; i++) {
        suffer(fixture, i);
        live(fixture, i);
    }
    for (size_t i = 0; i < MESSAGES; i++) {
        if (fixture->messages[i].used) {
            deliver(fixture, &fixture->messages[i]);
        }
    }
    check(fixture);
}

static void fixture_finish(struct fixture *fixture) {
    for (size_t i = 0; i < MESSAGES; i++) {
        release_message(&fixture->messages[i]);
    }
    json_decref(fixture->lease);
}

/* ---- tests ---- */

static bool has_holder(const struct fixture *fixture) {
    for (size_t i = 0; i < CANDIDATES; i++) {
        const struct candidate *one = &fixture->candidates[i];
        if (one->alive && fixture->now >= one->frozen_until &&
            fx_lease_is_held(&one->state, clock_of(fixture, one))) {
            return true;
        }
    }
    return false;
}

static void never_two(void **state) {
    (void)state;
    unsigned n_changes = 0;
    unsigned n_refused = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct fixture fixture = {.random = {seed}, .now = S, .holder = CANDIDATES};
        for (size_t i = 0; i < CANDIDATES; i++) {
            be_born(&fixture, i);
        }
        for (size_t i = 0; i < 36000; i++) { /* half an hour */
            step(&fixture);
        }
        fixture.calm = true;
        for (size_t i = 0; i < 4000 && !has_holder(&fixture); i++) {
            step(&fixture);
        }
        assert_true(has_holder(&fixture));
        n_changes += fixture.n_changes;
        n_refused += fixture.n_refused;
        fixture_finish(&fixture);
    }
    assert_true(n_changes > 500); /* it was a lively half hour */
    assert_true(n_refused > 100);
}

/* Runs a calm fixture until there is a holder; returns the seconds that took. */
static double seconds_to_holder(struct fixture *fixture) {
    const uint64_t start = fixture->now;
    while (!has_holder(fixture)) {
        step(fixture);
        assert_true(fixture->now - start < 600 * S);
    }
    return (double)(fixture->now - start) / (double)S;
}

static void soon_there_is_one(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct fixture fixture = {
            .random = {seed}, .now = S, .calm = true, .holder = CANDIDATES};
        for (size_t i = 0; i < CANDIDATES; i++) {
            be_born(&fixture, i);
        }
        assert_true(seconds_to_holder(&fixture) < 3);
        const size_t first = fixture.holder;
        for (size_t i = 0; i < 12000; i++) { /* ten minutes: it stays */
            step(&fixture);
            assert_true(has_holder(&fixture));
        }
        assert_int_equal(fixture.holder, first);
        /* The holder crashes: another takes over after the duration and a read or
         * two. */
        fixture.candidates[first].frozen_until = NEVER;
        const double seconds = seconds_to_holder(&fixture);
        assert_true(seconds > 15 && seconds < 45);
        assert_true(fixture.holder != first);
        fixture_finish(&fixture);
    }
}

static void one_that_leaves_is_not_waited_for(void **state) {
    (void)state;
    struct fixture fixture = {
        .random = {7}, .now = S, .calm = true, .holder = CANDIDATES};
    for (size_t i = 0; i < CANDIDATES; i++) {
        be_born(&fixture, i);
    }
    (void)seconds_to_holder(&fixture);
    struct candidate *first = &fixture.candidates[fixture.holder];
    first->state.releasing = true;
    first->next = 0;
    assert_true(seconds_to_holder(&fixture) < 8);
    assert_true(first != &fixture.candidates[fixture.holder]);
    fixture_finish(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_two),
        cmocka_unit_test(soon_there_is_one),
        cmocka_unit_test(one_that_leaves_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
