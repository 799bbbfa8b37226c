/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_years_test.c - two replicas and two webhook
 * configurations through simulated years, an hour a step. The replicas race, see things
 * late, crash, cannot write for a while, and their clocks differ. At every step every
 * client accepts.
 */
#include "cluster/certificates/rotation_fixture.h"

#include <stdlib.h>

#define START      INT64_C(1900000000)
#define N_REPLICAS 2
#define N_CONFIGS  2
#define MAX_TEXTS  512
#define LAG_MAX    (2 * HOUR) /* until a replica sees a change; less than `wait` */
#define TRUST_SPAN YEAR       /* how long a verified signature is not verified again */

/* Which Secret, or which bundle, from when on. */
struct history {
    int64_t from[MAX_TEXTS];
    size_t which[MAX_TEXTS];
    size_t n;
};

struct replica {
    int64_t skew;
    bool has_read;
    size_t secret; /* that it has read last */
    int64_t read_at, published_at, look_at;
    struct fx_buf bundle; /* that it publishes */
};

struct fixture {
    struct fx_rotation_settings settings;
    int64_t now;
    uint32_t random;
    struct secret secrets[MAX_TEXTS];
    struct fx_tls_dates leaves[MAX_TEXTS], authorities[MAX_TEXTS]; /* of the secrets */
    struct fx_buf bundles[MAX_TEXTS];
    size_t n_bundles;
    struct history kept, published[N_CONFIGS];
    struct replica replicas[N_REPLICAS];
    size_t steps[FX_ROTATION_START_OVER + 1];
    size_t n_decisions, max_authorities;
    bool may_complain;
    int64_t accepted_at[MAX_TEXTS]
                       [MAX_TEXTS]; /* by [bundle][secret]; 0: not checked yet */
};

static uint32_t draw(struct fixture *fixture, uint32_t below) {
    fixture->random = fixture->random * 1664525u + 1013904223u;
    return (fixture->random >> 8) % below;
}

static void note(struct history *history, int64_t now, size_t which) {
    assert_true(history->n < MAX_TEXTS);
    history->from[history->n] = now;
    history->which[history->n++] = which;
}

/* What it was then; the first, before there was any. */
static size_t was(const struct history *history, int64_t then) {
    size_t i = history->n - 1;
    while (i > 0 && history->from[i] > then) {
        i--;
    }
    return history->which[i];
}

/* ---- what replicas do ---- */

static void read_secret(struct fixture *fixture, struct replica *replica) {
    const struct history *kept = &fixture->kept;
    const bool is_new =
        kept->n > 0 && (!replica->has_read || replica->secret != was(kept, fixture->now));
    const bool is_late = is_new && kept->from[kept->n - 1] + LAG_MAX <= fixture->now;
    if (is_new && (is_late || draw(fixture, 3) == 0)) {
        replica->has_read = true;
        replica->secret = was(kept, fixture->now);
        replica->read_at = fixture->now;
        replica->published_at = -1;
        replica->look_at = fixture->now;
    }
}

/* Into the first configuration that holds something else; one a step, and not always. */
static void publish(struct fixture *fixture, const struct replica *replica) {
    for (size_t i = 0; replica->bundle.len > 0 && i < N_CONFIGS; i++) {
        struct history *config = &fixture->published[i];
        if (config->n > 0 &&
            same_bytes(&fixture->bundles[was(config, fixture->now)], &replica->bundle)) {
            continue;
        }
        if (draw(fixture, 2) == 0) {
            return;
        }
        size_t at = 0;
        while (at < fixture->n_bundles &&
               !same_bytes(&fixture->bundles[at], &replica->bundle)) {
            at++;
        }
        if (at == fixture->n_bundles) {
            assert_true(at < MAX_TEXTS);
            fx_buf_text(&fixture->bundles[fixture->n_bundles++],
                        text_of(&replica->bundle));
        }
        note(config, fixture->now, at);
        return;
    }
}

/* Since when have all configurations held what this replica publishes? */
static void watch_configs(struct fixture *fixture, struct replica *replica) {
    bool all = replica->bundle.len > 0;
    for (size_t i = 0; all && i < N_CONFIGS; i++) {
        const struct history *config = &fixture->published[i];
        all = config->n > 0 &&
              same_bytes(&fixture->bundles[was(config, fixture->now)], &replica->bundle);
    }
    if (!all) {
        replica->published_at = -1;
    } else if (replica->published_at < 0) {
        replica->published_at = fixture->now;
        replica->look_at = fixture->now;
    }
}

/* The write, unless another replica was first. */
static void write_step(struct fixture *fixture, struct replica *replica,
                       struct fx_rotation *rotation) {
    struct history *kept = &fixture->kept;
    const bool first = kept->n == 0;
    if (draw(fixture, 4) == 0 || first != !replica->has_read ||
        (!first && replica->secret != was(kept, fixture->now))) {
        return; /* refused, or a conflict */
    }
    assert_true(kept->n < MAX_TEXTS);
    fixture->steps[rotation->step]++;
    struct secret *secret = &fixture->secrets[kept->n];
    *secret = secret_of(rotation);
    fixture->leaves[kept->n] = dates_of(&secret->cert);
    fixture->authorities[kept->n] = dates_of(&secret->ca_cert);
    assert_true(count_certificates(&secret->ca_cert) <= fixture->max_authorities);
    note(kept, fixture->now, kept->n);
}

static void decide(struct fixture *fixture, struct replica *replica) {
    struct fx_rotation_content content;
    struct fx_rotation rotation = {0};
    struct fx_err err = FX_ERR_INIT;
    struct fx_rotation_input view = {
        .now = fixture->now + replica->skew,
        .seen_for = fixture->now - replica->read_at,
        .published_for =
            replica->published_at < 0 ? -1 : fixture->now - replica->published_at,
    };
    if (replica->has_read) {
        content = content_of(&fixture->secrets[replica->secret]);
        view.content = &content;
    }
    const bool early = fixture->now < replica->look_at;
    assert_true(fx_rotation_decide(&fixture->settings, &view, &rotation, &err));
    assert_true(!early || rotation.step == FX_ROTATION_KEEP); /* it said so */
    assert_true(fixture->may_complain || rotation.step != FX_ROTATION_KEEP ||
                rotation.reason[0] == '\0');
    fixture->n_decisions++;
    replica->look_at = fixture->now + rotation.check_in;
    if (rotation.step != FX_ROTATION_KEEP) {
        write_step(fixture, replica, &rotation);
    }
    fx_buf_finish(&replica->bundle);
    replica->bundle = rotation.bundle;
    rotation.bundle = (struct fx_buf){0};
    fx_rotation_finish(&rotation);
}

static void crash(struct fixture *fixture, struct replica *replica) {
    fx_buf_finish(&replica->bundle);
    *replica = (struct replica){
        .skew = replica->skew, .published_at = -1, .look_at = fixture->now};
}

static void live(struct fixture *fixture, struct replica *replica) {
    if (draw(fixture, 4000) == 0) {
        crash(fixture, replica);
    }
    read_secret(fixture, replica);
    watch_configs(fixture, replica);
    if ((replica->has_read || fixture->kept.n == 0) &&
        (fixture->now >= replica->look_at || draw(fixture, 8000) == 0)) {
        decide(fixture, replica);
    }
    publish(fixture, replica);
}

/* ---- what must always be so ---- */

static void assert_accepted(struct fixture *fixture, size_t bundle, size_t secret) {
    int64_t *at = &fixture->accepted_at[bundle][secret];
    if (*at == 0 || fixture->now - *at > TRUST_SPAN) {
        assert_true(is_accepted(&fixture->bundles[bundle], &fixture->secrets[secret],
                                fixture->now));
        *at = fixture->now;
    }
}

/* A client that trusts the bundle of now, or that of `wait` ago, accepts every leaf in
 * use, and the leaf that was in the Secret `wait` ago. */
static void check_config(struct fixture *fixture, const struct history *config) {
    const int64_t before = fixture->now - fixture->settings.wait;
    const size_t bundles[] = {was(config, fixture->now), was(config, before)};
    for (size_t b = 0; b < FX_COUNT(bundles); b++) {
        for (size_t r = 0; r < N_REPLICAS; r++) {
            if (fixture->replicas[r].has_read) {
                assert_accepted(fixture, bundles[b], fixture->replicas[r].secret);
            }
        }
    }
    assert_accepted(fixture, bundles[0], was(&fixture->kept, before));
}

static void check_dates(const struct fx_tls_dates *dates, int64_t now) {
    assert_true(dates->not_before <= now && now <= dates->not_after);
}

static void check_fixture(struct fixture *fixture) {
    const int64_t before = fixture->now - fixture->settings.wait;
    for (size_t i = 0; i < N_CONFIGS; i++) {
        if (fixture->published[i].n == 0 || fixture->published[i].from[0] > before) {
            return; /* not every client trusts the new CA yet */
        }
    }
    for (size_t i = 0; i < N_CONFIGS; i++) {
        check_config(fixture, &fixture->published[i]);
    }
    for (size_t r = 0; r < N_REPLICAS; r++) {
        if (fixture->replicas[r].has_read) {
            check_dates(&fixture->leaves[fixture->replicas[r].secret], fixture->now);
        }
    }
    const size_t secret = was(&fixture->kept, fixture->now);
    check_dates(&fixture->leaves[secret], fixture->now);
    check_dates(&fixture->authorities[secret], fixture->now);
}

static void run(struct fixture *fixture, int64_t span) {
    for (size_t r = 0; r < N_REPLICAS; r++) {
        fixture->replicas[r].published_at = -1;
        fixture->replicas[r].look_at = START;
    }
    for (fixture->now = START; fixture->now < START + span; fixture->now += HOUR) {
        const size_t first = draw(fixture, N_REPLICAS);
        for (size_t r = 0; r < N_REPLICAS; r++) {
            live(fixture, &fixture->replicas[(first + r) % N_REPLICAS]);
        }
        check_fixture(fixture);
    }
}

static void fixture_destroy(struct fixture *fixture) {
    for (size_t i = 0; i < MAX_TEXTS; i++) {
        secret_finish(&fixture->secrets[i]);
        fx_buf_finish(&fixture->bundles[i]);
    }
    for (size_t r = 0; r < N_REPLICAS; r++) {
        fx_buf_finish(&fixture->replicas[r].bundle);
    }
    free(fixture);
}

/* ---- fixtures ---- */

static struct fixture *fixture_create(int64_t ca_validity, int64_t leaf_validity,
                                      const int64_t skews[N_REPLICAS]) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->random = (uint32_t)ca_validity;
    fixture->max_authorities = 2;
    fixture->settings = (struct fx_rotation_settings){
        .names = hook_names,
        .n_names = FX_COUNT(hook_names),
        .ca_validity = ca_validity,
        .leaf_validity = leaf_validity,
        .wait = 3 * HOUR,
    };
    for (size_t r = 0; r < N_REPLICAS; r++) {
        fixture->replicas[r].skew = skews[r];
    }
    return fixture;
}

static void years_pass(void **state) {
    (void)state;
    static const struct {
        int64_t ca_validity, leaf_validity, span, skews[N_REPLICAS];
        size_t n_rotations, min_leaves, max_leaves; /* to be seen */
    } cases[] = {
        /* as by default: a CA is renewed 90 days before its end, a leaf likewise */
        {10 * YEAR, YEAR, 11 * YEAR, {0, 0}, 1, 12, 15},
        {2 * YEAR, YEAR, 4 * YEAR, {-50 * MINUTE, 50 * MINUTE}, 2, 1, 5},
        /* shorter: a third before */
        {60 * DAY, 20 * DAY, YEAR / 2, {0, -20 * MINUTE}, 4, 7, 11},
        /* a leaf that would outlive its CA */
        {90 * DAY, 300 * DAY, YEAR / 2, {0, 0}, 3, 0, 0},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fixture *fixture =
            fixture_create(cases[i].ca_validity, cases[i].leaf_validity, cases[i].skews);
        run(fixture, cases[i].span);
        assert_int_equal(fixture->steps[FX_ROTATION_CREATE], 1);
        assert_int_equal(fixture->steps[FX_ROTATION_START_OVER], 0);
        assert_int_equal(fixture->steps[FX_ROTATION_RENEW_CA], cases[i].n_rotations);
        assert_int_equal(fixture->steps[FX_ROTATION_SWITCH_LEAF], cases[i].n_rotations);
        assert_int_equal(fixture->steps[FX_ROTATION_DROP_CA], cases[i].n_rotations);
        assert_in_range(fixture->steps[FX_ROTATION_RENEW_LEAF], cases[i].min_leaves,
                        cases[i].max_leaves);
        fixture_destroy(fixture);
    }
}

/* A replica whose clock is hours or days behind finds the first certificates too early,
 * and makes new ones, once, that all find valid. No client notices. */
static void a_clock_is_behind(void **state) {
    (void)state;
    static const int64_t skews[][N_REPLICAS] = {{0, -9 * HOUR}, {0, -40 * DAY}};
    for (size_t i = 0; i < FX_COUNT(skews); i++) {
        struct fixture *fixture = fixture_create(2 * YEAR, 300 * DAY, skews[i]);
        fixture->may_complain = true;
        fixture->max_authorities = 3;
        run(fixture, 400 * DAY);
        assert_int_equal(fixture->steps[FX_ROTATION_CREATE], 1);
        assert_int_equal(fixture->steps[FX_ROTATION_START_OVER], 0);
        assert_in_range(fixture->steps[FX_ROTATION_RENEW_CA], 0, 1);
        assert_in_range(fixture->steps[FX_ROTATION_RENEW_LEAF], 1, 3);
        fixture_destroy(fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(years_pass),
                                       cmocka_unit_test(a_clock_is_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
