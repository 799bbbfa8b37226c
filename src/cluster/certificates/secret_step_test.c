/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/secret_step_test.c - a deleted Secret is created again so that no
 * client that trusts the old bundle, or the new one, is ever refused.
 */
#include "cluster/certificates/rotation_fixture.h"

#include "cluster/certificates/rotation.h"

#define NOW INT64_C(1795255353)

static const struct fx_rotation_settings settings = {
    .names = hook_names,
    .n_names = FX_COUNT(hook_names),
    .ca_validity = 10 * YEAR,
    .leaf_validity = YEAR,
    .wait = 60,
};

static struct fx_rotation step(const struct secret *secret, int64_t now,
                               int64_t published_for, bool deleted) {
    struct fx_rotation_content content = {0};
    struct fx_rotation_input view = {
        .now = now, .seen_for = 10 * DAY, .published_for = published_for};
    struct fx_rotation rotation;
    struct fx_err err = FX_ERR_INIT;
    if (secret != NULL) {
        content = content_of(secret);
        view.content = &content;
    }
    if (!fx_secret_step(&settings, &view, deleted, &rotation, &err)) {
        fail_msg("%s", err.msg);
    }
    return rotation;
}

/* The next content. */
static struct secret follow(const struct secret *secret, int64_t now,
                            int64_t published_for, bool deleted,
                            enum fx_rotation_step wanted) {
    struct fx_rotation rotation = step(secret, now, published_for, deleted);
    if (rotation.step != wanted) {
        fail_msg("%s, not %s: %s", fx_rotation_step_name(rotation.step),
                 fx_rotation_step_name(wanted), rotation.reason);
    }
    const struct secret made = secret_of(&rotation);
    fx_rotation_finish(&rotation);
    return made;
}

static struct fx_buf bundle_of(const struct secret *secret, int64_t now) {
    struct fx_rotation rotation = step(secret, now, -1, false);
    const struct fx_buf bundle = rotation.bundle;
    rotation.bundle = (struct fx_buf){0};
    fx_rotation_finish(&rotation);
    return bundle;
}

/* A client that trusts the bundle of the one accepts the leaf of the other. */
static void expect_trust(const struct secret *bundle_from, const struct secret *leaf_from,
                         int64_t now, bool trusts) {
    struct fx_buf bundle = bundle_of(bundle_from, now);
    assert_int_equal(is_accepted(&bundle, leaf_from, now), trusts);
    fx_buf_finish(&bundle);
}

/* What is made where nothing was: once, for it takes time. */
static struct secret first;

static int make_first(void **state) {
    (void)state;
    first = follow(NULL, NOW, -1, false, FX_ROTATION_CREATE);
    return 0;
}

static int drop_first(void **state) {
    (void)state;
    secret_finish(&first);
    return 0;
}

static void one_that_was_never_there_is_made(void **state) {
    (void)state;
    expect_trust(&first, &first, NOW, true);
}

static void a_deleted_one_comes_back_with_a_new_authority_beside_the_old(void **state) {
    (void)state;
    const int64_t later = NOW + 10 * DAY;
    struct secret again = follow(&first, later, 100, true, FX_ROTATION_CREATE);
    assert_int_equal(count_certificates(&again.ca_cert), 2);
    assert_true(same_bytes(&again.cert, &first.cert));
    assert_true(same_bytes(&again.key, &first.key));
    assert_false(same_bytes(&again.ca_key, &first.ca_key));
    assert_int_equal(again.rotated_at, later);
    expect_trust(&first, &again, later, true);
    expect_trust(&again, &first, later, true);

    struct secret switched = follow(&again, later, 60, false, FX_ROTATION_SWITCH_LEAF);
    expect_trust(&again, &switched, later, true);
    expect_trust(&first, &switched, later, false); /* that is what the waiting is for */
    struct secret done = follow(&switched, later, 60, false, FX_ROTATION_DROP_CA);
    assert_int_equal(count_certificates(&done.ca_cert), 1);
    expect_trust(&done, &switched, later, true);
    assert_false(
        same_bytes(&done.key, &first.key)); /* the Secret was deleted to get other keys */
    assert_false(same_bytes(&done.ca_key, &first.ca_key));
    secret_finish(&done);
    secret_finish(&switched);
    secret_finish(&again);
}

static void what_is_in_use_stays_told(void **state) {
    (void)state;
    struct fx_rotation rotation = step(&first, NOW, 100, true);
    assert_true(rotation.usable);
    assert_true(same_bytes(&rotation.bundle, &first.ca_cert));
    assert_non_null(strstr(rotation.reason, "deleted"));
    fx_rotation_finish(&rotation);
}

/* In phase 1, with the leaf of the older of two; and in phase 2. */
static void a_rotation_under_way_goes_on(void **state) {
    (void)state;
    const int64_t due = NOW + 9 * YEAR + 350 * DAY;
    struct secret leaf =
        follow(&first, due - 100 * DAY, 0, false, FX_ROTATION_RENEW_LEAF);
    struct secret phase_1 = follow(&leaf, due, 0, false, FX_ROTATION_RENEW_CA);
    struct secret again = follow(&phase_1, due, 10, true, FX_ROTATION_CREATE);
    assert_int_equal(count_certificates(&again.ca_cert), 3);
    expect_trust(&phase_1, &again, due, true);
    expect_trust(&again, &phase_1, due, true);

    struct secret phase_2 = follow(&phase_1, due, 60, false, FX_ROTATION_SWITCH_LEAF);
    struct secret third = follow(&phase_2, due, 10, true, FX_ROTATION_CREATE);
    expect_trust(&phase_2, &third, due, true);
    expect_trust(&third, &phase_2, due, true);
    secret_finish(&third);
    secret_finish(&phase_2);
    secret_finish(&again);
    secret_finish(&phase_1);
    secret_finish(&leaf);
}

/* A leaf that is due is made by the CA that every client trusts. */
static void what_was_due_is_done_too(void **state) {
    (void)state;
    const int64_t due = NOW + 300 * DAY;
    struct secret again = follow(&first, due, 100, true, FX_ROTATION_CREATE);
    assert_int_equal(count_certificates(&again.ca_cert), 2);
    assert_false(same_bytes(&again.cert, &first.cert));
    expect_trust(&first, &again, due, true);
    secret_finish(&again);
}

static void what_was_of_no_use_is_not_brought_back(void **state) {
    (void)state;
    struct secret invalid = {0};
    fx_buf_str(&invalid.ca_cert, "x");
    struct secret made = follow(&invalid, NOW, -1, true, FX_ROTATION_CREATE);
    assert_int_equal(count_certificates(&made.ca_cert), 1);
    expect_trust(&made, &made, NOW, true);
    secret_finish(&made);
    secret_finish(&invalid);
}

/* Spoilt first and deleted then: what is held comes back as if it had been there. */
static void what_is_held_comes_back(void **state) {
    (void)state;
    struct secret invalid = {0};
    fx_buf_str(&invalid.ca_cert, "x");
    const struct fx_rotation_content content = content_of(&invalid);
    const struct fx_rotation_content held = content_of(&first);
    const struct fx_rotation_input view = {&content, NOW, 0, 0, &held};
    struct fx_rotation rotation;
    struct fx_err err = FX_ERR_INIT;
    assert_true(fx_secret_step(&settings, &view, true, &rotation, &err));
    assert_int_equal(rotation.step, FX_ROTATION_CREATE);
    assert_false(rotation.usable);
    assert_true(same_bytes(&rotation.bundle, &first.ca_cert));
    struct secret again = secret_of(&rotation);
    assert_int_equal(count_certificates(&again.ca_cert), 2);
    assert_true(same_bytes(&again.key, &first.key));
    expect_trust(&first, &again, NOW, true);
    expect_trust(&again, &first, NOW, true);
    fx_rotation_finish(&rotation);
    secret_finish(&again);
    secret_finish(&invalid);
}

static void nothing_is_made_by_a_wrong_clock(void **state) {
    (void)state;
    struct fx_rotation rotation = step(&first, 1000, -1, true);
    assert_int_equal(rotation.step, FX_ROTATION_KEEP);
    assert_int_equal(rotation.ca_cert.len, 0);
    assert_non_null(strstr(rotation.reason, "clock"));
    fx_rotation_finish(&rotation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_was_never_there_is_made),
        cmocka_unit_test(a_deleted_one_comes_back_with_a_new_authority_beside_the_old),
        cmocka_unit_test(what_is_in_use_stays_told),
        cmocka_unit_test(a_rotation_under_way_goes_on),
        cmocka_unit_test(what_was_due_is_done_too),
        cmocka_unit_test(what_was_of_no_use_is_not_brought_back),
        cmocka_unit_test(what_is_held_comes_back),
        cmocka_unit_test(nothing_is_made_by_a_wrong_clock),
    };
    return cmocka_run_group_tests(tests, make_first, drop_first);
}
