/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_clocks_test.c - clocks that are wrong: what one replica
 * makes of it, and that several with different clocks stop writing.
 */
#include "cluster/certificates/rotation_fixture.h"

#define START INT64_C(1900000000) /* 2030 */
#define WAIT  60

static const struct fx_rotation_settings settings = {
    .names = hook_names,
    .n_names = FX_COUNT(hook_names),
    .ca_validity = 10 * YEAR,
    .leaf_validity = YEAR,
    .wait = WAIT,
};

/* What a replica with that clock does; the Secret holds it afterwards. */
static enum fx_rotation_step step(struct secret *secret, int64_t now, int64_t seen_for,
                                  int64_t published_for, int64_t *ret_check_in) {
    const struct fx_rotation_content content = content_of(secret);
    const struct fx_rotation_input view = {secret->ca_cert.len == 0 ? NULL : &content,
                                           now, seen_for, published_for, NULL};
    struct fx_rotation rotation = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_rotation_decide(&settings, &view, &rotation, &err));
    const enum fx_rotation_step taken = rotation.step;
    *ret_check_in = rotation.check_in;
    if (taken != FX_ROTATION_KEEP) {
        secret_finish(secret);
        *secret = secret_of(&rotation);
    }
    fx_rotation_finish(&rotation);
    return taken;
}

static void nothing_is_made_by_a_clock_not_set(void **state) {
    (void)state;
    static const int64_t clocks[] = {
        0, 1735689599, -1, INT64_MIN, INT64_C(221845392001), INT64_MAX};
    struct secret kept = {.rotated_at = 0};
    struct fx_err err = FX_ERR_INIT;
    int64_t check_in = 0;
    assert_int_equal(step(&kept, START, -1, -1, &check_in), FX_ROTATION_CREATE);
    const struct fx_rotation_content content = content_of(&kept);
    for (size_t i = 0; i < FX_COUNT(clocks); i++) {
        for (int there = 0; there <= 1; there++) {
            const struct fx_rotation_input view = {there ? &content : NULL, clocks[i],
                                                   DAY, DAY, NULL};
            struct fx_rotation rotation = {0};
            assert_true(fx_rotation_decide(&settings, &view, &rotation, &err));
            assert_int_equal(rotation.step, FX_ROTATION_KEEP);
            assert_non_null(strstr(rotation.reason, "the clock of this node is wrong"));
            assert_int_equal(rotation.usable, there); /* what is there can serve */
            fx_rotation_finish(&rotation);
        }
    }
    secret_finish(&kept);
}

/* Up to an hour is not seen. What is to come is replaced without a gap, but not before
 * the clock had time to be set right. */
static void what_is_to_come_is_rotated(void **state) {
    (void)state;
    static const int64_t behind[] = {2 * HOUR, DAY, 400 * DAY, 4 * YEAR};
    int64_t check_in = 0;
    for (size_t i = 0; i < FX_COUNT(behind); i++) {
        const int64_t now = START - behind[i];
        struct secret secret = {.rotated_at = 0};
        struct fx_buf published = {0};
        assert_int_equal(step(&secret, START, -1, -1, &check_in), FX_ROTATION_CREATE);
        fx_buf_text(&published, text_of(&secret.ca_cert));
        assert_int_equal(step(&secret, START - HOUR, DAY, 0, &check_in),
                         FX_ROTATION_KEEP);
        assert_int_equal(step(&secret, now, WAIT - 1, 0, &check_in), FX_ROTATION_KEEP);
        assert_true(check_in == 1);
        assert_int_equal(step(&secret, now, WAIT, 0, &check_in), FX_ROTATION_RENEW_CA);
        assert_true(is_accepted(&published, &secret, START)); /* others see no change */
        assert_true(fx_text_contains(text_of(&secret.ca_cert), text_of(&published)));
        assert_int_equal(step(&secret, now, WAIT, -1, &check_in), FX_ROTATION_KEEP);
        assert_int_equal(step(&secret, now, WAIT, WAIT, &check_in),
                         FX_ROTATION_SWITCH_LEAF);
        assert_true(is_accepted(&secret.ca_cert, &secret, now));
        assert_true(is_accepted(&secret.ca_cert, &secret, START)); /* as they do this */
        fx_buf_finish(&published);
        secret_finish(&secret);
    }
}

/* Two clocks of which one finds expired what the other made: the new one is for both. */
static void what_has_expired_is_made_for_both(void **state) {
    (void)state;
    static const struct {
        int64_t ahead;
        enum fx_rotation_step step;
    } cases[] = {
        {YEAR + 2 * HOUR, FX_ROTATION_RENEW_LEAF},
        {9 * YEAR, FX_ROTATION_RENEW_LEAF},
        {20 * YEAR, FX_ROTATION_START_OVER},
    };
    int64_t check_in = 0;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const int64_t then = START + cases[i].ahead;
        struct secret secret = {.rotated_at = 0};
        assert_int_equal(step(&secret, START, -1, -1, &check_in), FX_ROTATION_CREATE);
        assert_int_equal(step(&secret, then, 0, -1, &check_in), cases[i].step);
        assert_true(is_accepted(&secret.ca_cert, &secret, then));
        assert_true(is_accepted(&secret.ca_cert, &secret, START));
        assert_int_equal(step(&secret, START, DAY, DAY, &check_in), FX_ROTATION_KEEP);
        assert_int_equal(step(&secret, then, DAY, DAY, &check_in), FX_ROTATION_KEEP);
        secret_finish(&secret);
    }
}

/* Replicas whose clocks differ, and their Secret. */
struct fixture {
    const int64_t *skews;
    struct secret secret;
    int64_t check_at[3], changed_at;
    size_t n_writes;
};

static void live(struct fixture *fixture, size_t index, int64_t now) {
    const int64_t since = now - fixture->changed_at;
    int64_t check_in = 0;
    if (now < fixture->check_at[index]) {
        return;
    }
    if (step(&fixture->secret, now + fixture->skews[index], since, since, &check_in) !=
        FX_ROTATION_KEEP) {
        fixture->n_writes++;
        fixture->changed_at = now;
        fixture->check_at[0] = fixture->check_at[1] = fixture->check_at[2] = now;
    }
    fixture->check_at[index] = now + check_in;
}

/* All replicas decide after every change and when `check_in` says, for 60 days; the
 * bundle is published at once. After the first days no replica has anything to do,
 * and every clock accepts the certificates. */
static void replicas_come_to_rest(void **state) {
    (void)state;
    static const struct {
        int64_t skews[3];
        size_t n_max;
    } cases[] = {
        {{0, 0, 0}, 1},
        {{0, -50 * MINUTE, 50 * MINUTE}, 4},
        {{0, -3 * HOUR, 5 * HOUR}, 10},
        {{0, -2 * DAY, 30 * DAY}, 10},
        {{0, -400 * DAY, 0}, 10},
        {{0, -4 * YEAR, 20 * YEAR}, 16},
        {{0, 3 * YEAR, 20 * YEAR}, 10},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const int64_t end = START + 60 * DAY;
        struct fixture fixture = {.skews = cases[i].skews, .changed_at = START};
        for (int64_t now = START; now < end; now += WAIT / 2) {
            for (size_t r = 0; r < 3; r++) {
                live(&fixture, (r + i) % 3, now); /* a different replica is first */
            }
        }
        assert_in_range(fixture.n_writes, 1, cases[i].n_max);
        assert_true(fixture.changed_at < START + 2 * DAY);
        for (size_t r = 0; r < 3; r++) {
            assert_true(is_accepted(&fixture.secret.ca_cert, &fixture.secret,
                                    end + cases[i].skews[r]));
        }
        secret_finish(&fixture.secret);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_made_by_a_clock_not_set),
        cmocka_unit_test(what_is_to_come_is_rotated),
        cmocka_unit_test(what_has_expired_is_made_for_both),
        cmocka_unit_test(replicas_come_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
