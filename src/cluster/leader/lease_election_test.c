/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease_election_test.c - several candidates, a bad network and time that
 * passes differently for each of them: never do two count themselves as holders, and when
 * all is well again there is one soon.
 *
 * Simulated: requests and answers take their time or are lost (and may come long after
 * nobody waits for them), the server is away, candidates crash and come back as somebody
 * else, stand still for a while, and have clocks that go too fast or too slow and dates
 * that jump.
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
    bool used, heard; /* `heard`: by the server, which has answered */
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

struct world {
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

static uint64_t draw(struct world *world, uint64_t least, uint64_t most) {
    return fx_kube_random_between(&world->random, least, most);
}

static bool happens(struct world *world, uint64_t in_thousand) {
    return !world->calm && draw(world, 0, 999) < in_thousand;
}

static uint64_t clock_of(const struct world *world, const struct candidate *candidate) {
    return candidate->clock_offset + world->now / 100 * candidate->rate;
}

/* ---- the server ---- */

static const char *version_of(const json_t *object) {
    return json_string_value(
        json_object_get(json_object_get(object, "metadata"), "resourceVersion"));
}

static void store(struct world *world, const json_t *body) {
    char version[16];
    (void)snprintf(version, sizeof version, "%u", ++world->version);
    json_decref(world->lease);
    world->lease = json_deep_copy(body);
    json_t *metadata = json_object_get(world->lease, "metadata");
    assert_int_equal(json_object_set_new(metadata, "uid", json_string("u")), 0);
    assert_int_equal(
        json_object_set_new(metadata, "resourceVersion", json_string(version)), 0);
}

static void serve(struct world *world, struct message *message) {
    message->heard = true;
    if (message->step == FX_LEASE_READ) {
        message->ok = true;
    } else if (message->step == FX_LEASE_CREATE) {
        message->ok = world->lease == NULL;
    } else {
        message->ok = world->lease != NULL &&
                      strcmp(version_of(world->lease), version_of(message->body)) == 0;
    }
    if (message->ok && message->step != FX_LEASE_READ) {
        store(world, message->body);
        world->n_writes++;
    }
    world->n_refused += message->ok ? 0 : 1;
    message->answer = message->ok ? json_incref(world->lease) : NULL;
}

/* ---- a candidate, as cluster/leader/lease.c is one ---- */

static void release_message(struct message *message) {
    json_decref(message->body);
    json_decref(message->answer);
    *message = (struct message){0};
}

static struct message *new_message(struct world *world) {
    for (size_t i = 0; i < MESSAGES; i++) {
        if (!world->messages[i].used) {
            return &world->messages[i];
        }
    }
    fail_msg("more than %d messages", MESSAGES);
    return NULL;
}

static uint64_t delay(struct world *world) {
    return happens(world, 30)   ? NEVER
           : happens(world, 30) ? world->now + draw(world, 0, 90 * S) /* very late */
                                : world->now + draw(world, STEP, 300 * MS);
}

static void send(struct world *world, size_t index, enum fx_lease_step step) {
    struct candidate *me = &world->candidates[index];
    struct message *message = new_message(world);
    *message = (struct message){
        .used = true,
        .from = index,
        .number = ++world->n_messages,
        .step = step,
        .at_server = world->now < world->away_until ? NEVER : delay(world),
    };
    message->at_client = message->at_server == NEVER || happens(world, 30)
                             ? NEVER
                             : message->at_server + draw(world, STEP, 300 * MS);
    if (step >= FX_LEASE_CREATE) {
        message->body = fx_lease_body(&me->state, step, "ns", "l", me->wall_us);
        assert_non_null(message->body);
        fx_lease_sent(&me->state);
    }
    me->sent = clock_of(world, me);
    me->timeout = me->sent + me->state.times.call_timeout_ms * MS;
    me->call = message->number;
}

static void turn(struct world *world, size_t index) {
    struct candidate *me = &world->candidates[index];
    const uint64_t now = clock_of(world, me);
    const enum fx_lease_step step = fx_lease_next(&me->state, now);
    if (step != FX_LEASE_WAIT) {
        send(world, index, step);
        return;
    }
    const uint64_t retry = me->state.times.retry_ns;
    me->next = fx_lease_is_held(&me->state, now)
                   ? me->sent + me->state.times.renew_ns
                   : now + draw(world, retry - retry / 5, retry + retry / 5);
}

static void retry(struct world *world, struct candidate *me) {
    const uint64_t pause = me->state.times.retry_ns;
    me->next = clock_of(world, me) + draw(world, pause - pause / 5, pause + pause / 5);
}

static void take_answer(struct world *world, const struct message *message) {
    struct candidate *me = &world->candidates[message->from];
    const uint64_t now = clock_of(world, me);
    me->call = 0;
    if (message->step == FX_LEASE_READ) {
        fx_lease_read(&me->state, message->answer, now);
        turn(world, message->from);
    } else if (message->ok) {
        fx_lease_written(&me->state, message->answer, me->sent, now);
        me->next = me->sent + me->state.times.renew_ns;
    } else {
        fx_lease_failed(&me->state, false);
        retry(world, me);
    }
}

static void live(struct world *world, size_t index) {
    struct candidate *me = &world->candidates[index];
    if (!me->alive || world->now < me->frozen_until) {
        return;
    }
    const uint64_t now = clock_of(world, me);
    me->wall_us += (int64_t)(STEP / 1000);
    if (me->call != 0 && now >= me->timeout) {
        me->call = 0;
        fx_lease_failed(&me->state, true);
        retry(world, me);
    } else if (me->call == 0 && now >= me->next) {
        fx_lease_expire_read(&me->state);
        turn(world, index);
    }
}

/* ---- what happens to them ---- */

static void be_born(struct world *world, size_t index) {
    struct candidate *me = &world->candidates[index];
    char identity[32];
    me->life++;
    (void)snprintf(identity, sizeof identity, "pod%zu_%u", index, me->life);
    fx_lease_init(&me->state, identity, &fx_lease_times);
    me->alive = true;
    me->call = 0;
    me->clock_offset = draw(world, S, 1000000 * S);
    me->rate = draw(world, 95, 105);
    me->next = clock_of(world, me) + draw(world, 0, S);
    me->wall_us = (int64_t)draw(world, 0, UINT64_C(4000000000000000));
}

static void suffer(struct world *world, size_t index) {
    struct candidate *me = &world->candidates[index];
    if (me->alive && happens(world, 1)) {
        me->alive = false;
        me->call = 0;
    } else if (!me->alive && (world->calm || happens(world, 5))) {
        be_born(world, index);
    } else if (happens(world, 2)) {
        me->frozen_until = world->now + draw(world, 0, 60 * S);
    } else if (happens(world, 5)) {
        me->wall_us = (int64_t)draw(world, 0, UINT64_C(4000000000000000));
    }
}

/* What nobody waits for any more is heard by the server all the same, but not told. */
static void deliver(struct world *world, struct message *message) {
    const struct candidate *to = &world->candidates[message->from];
    if (!message->heard && world->now >= message->at_server) {
        serve(world, message);
    }
    const bool lost =
        message->at_server == NEVER ||
        (message->heard && (to->call != message->number || message->at_client == NEVER));
    if (lost) {
        release_message(message);
    } else if (message->heard && world->now >= message->at_client &&
               world->now >= to->frozen_until) {
        struct message arrived = *message;
        *message = (struct message){0};
        take_answer(world, &arrived);
        release_message(&arrived);
    }
}

static void check(struct world *world) {
    size_t n_holders = 0;
    for (size_t i = 0; i < CANDIDATES; i++) {
        const struct candidate *one = &world->candidates[i];
        /* One that stands still does nothing, and looks at its clock before it does. */
        if (one->alive && world->now >= one->frozen_until &&
            fx_lease_is_held(&one->state, clock_of(world, one))) {
            n_holders++;
            world->n_changes += world->holder == i ? 0 : 1;
            world->holder = i;
        }
    }
    if (n_holders > 1) {
        fail_msg("%zu holders after %.2f s", n_holders, (double)world->now / (double)S);
    }
}

static void step(struct world *world) {
    world->now += STEP;
    if (happens(world, 1)) {
        world->away_until = world->now + draw(world, 0, 90 * S);
    }
    for (size_t i = 0; i < CANDIDATES; i++) {
        suffer(world, i);
        live(world, i);
    }
    for (size_t i = 0; i < MESSAGES; i++) {
        if (world->messages[i].used) {
            deliver(world, &world->messages[i]);
        }
    }
    check(world);
}

static void world_finish(struct world *world) {
    for (size_t i = 0; i < MESSAGES; i++) {
        release_message(&world->messages[i]);
    }
    json_decref(world->lease);
}

/* ---- tests ---- */

static bool has_holder(const struct world *world) {
    for (size_t i = 0; i < CANDIDATES; i++) {
        const struct candidate *one = &world->candidates[i];
        if (one->alive && world->now >= one->frozen_until &&
            fx_lease_is_held(&one->state, clock_of(world, one))) {
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
        struct world world = {.random = {seed}, .now = S, .holder = CANDIDATES};
        for (size_t i = 0; i < CANDIDATES; i++) {
            be_born(&world, i);
        }
        for (size_t i = 0; i < 36000; i++) { /* half an hour */
            step(&world);
        }
        world.calm = true;
        for (size_t i = 0; i < 4000 && !has_holder(&world); i++) {
            step(&world);
        }
        assert_true(has_holder(&world));
        n_changes += world.n_changes;
        n_refused += world.n_refused;
        world_finish(&world);
    }
    assert_true(n_changes > 500); /* it was a lively half hour */
    assert_true(n_refused > 100);
}

/* Runs a calm world until there is a holder; returns the seconds that took. */
static double seconds_to_holder(struct world *world) {
    const uint64_t start = world->now;
    while (!has_holder(world)) {
        step(world);
        assert_true(world->now - start < 600 * S);
    }
    return (double)(world->now - start) / (double)S;
}

static void soon_there_is_one(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct world world = {
            .random = {seed}, .now = S, .calm = true, .holder = CANDIDATES};
        for (size_t i = 0; i < CANDIDATES; i++) {
            be_born(&world, i);
        }
        assert_true(seconds_to_holder(&world) < 3);
        const size_t first = world.holder;
        for (size_t i = 0; i < 12000; i++) { /* ten minutes: it stays */
            step(&world);
            assert_true(has_holder(&world));
        }
        assert_int_equal(world.holder, first);
        /* It crashes: somebody else after the duration and a look or two. */
        world.candidates[first].frozen_until = NEVER;
        const double seconds = seconds_to_holder(&world);
        assert_true(seconds > 15 && seconds < 45);
        assert_true(world.holder != first);
        world_finish(&world);
    }
}

static void one_that_leaves_is_not_waited_for(void **state) {
    (void)state;
    struct world world = {.random = {7}, .now = S, .calm = true, .holder = CANDIDATES};
    for (size_t i = 0; i < CANDIDATES; i++) {
        be_born(&world, i);
    }
    (void)seconds_to_holder(&world);
    struct candidate *first = &world.candidates[world.holder];
    first->state.leaving = true;
    first->next = 0;
    assert_true(seconds_to_holder(&world) < 8);
    assert_true(first != &world.candidates[world.holder]);
    world_finish(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_two),
        cmocka_unit_test(soon_there_is_one),
        cmocka_unit_test(one_that_leaves_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
