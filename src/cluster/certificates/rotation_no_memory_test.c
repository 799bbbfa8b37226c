/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/certificates/rotation_no_memory_test.c - every allocation refused in turn: the
 * step is the one that it should be or none, for a Secret is never found broken for want
 * of memory.
 */
#include "cluster/certificates/rotation_fixture.h"

#include "refuse.h"

#define START  INT64_C(1900000000)
#define WAIT   60
#define ROUNDS 2000

static const struct fx_rotation_settings settings = {
    .names = hook_names,
    .n_names = FX_COUNT(hook_names),
    .ca_validity = 90 * DAY,
    .leaf_validity = 300 * DAY,
    .wait = WAIT,
};

static bool decide(const struct secret *secret, const struct fx_rotation_input *view,
                   struct fx_rotation *ret_rotation, struct fx_err *err) {
    const struct fx_rotation_content content = content_of(secret);
    struct fx_rotation_input seen = *view;
    seen.content = secret->ca_cert.len == 0 ? NULL : &content;
    return fx_rotation_decide(&settings, &seen, ret_rotation, err);
}

/* One decision without that allocation, or without all from there on; true where it took
 * no more of them. */
static bool is_enough(const struct secret *secret, const struct fx_rotation_input *view,
                      enum fx_rotation_step wanted, long nth, bool ever_after) {
    struct fx_rotation rotation = {0};
    struct fx_err err = FX_ERR_INIT;
    const long live = refuse_live();
    refuse_from(nth, ever_after);
    const bool ok = decide(secret, view, &rotation, &err);
    const bool refused = refuse_stop();
    if (ok) {
        assert_int_equal(rotation.step, wanted);
    } else {
        assert_true(refused);
        assert_int_equal(err.code, FX_ENOMEM);
    }
    fx_rotation_finish(&rotation);
    assert_int_equal(refuse_live(), live);
    return !refused;
}

static void take(struct secret *secret, const struct fx_rotation_input *view,
                 enum fx_rotation_step wanted) {
    for (int ever_after = 0; ever_after <= 1; ever_after++) {
        long nth = 0;
        while (nth < ROUNDS && !is_enough(secret, view, wanted, nth, ever_after)) {
            nth++;
        }
        assert_in_range(nth, 5, ROUNDS - 1);
    }
    struct fx_rotation rotation = {0};
    struct fx_err err = FX_ERR_INIT;
    assert_true(decide(secret, view, &rotation, &err));
    if (rotation.step != FX_ROTATION_KEEP) {
        secret_finish(secret);
        *secret = secret_of(&rotation);
    }
    fx_rotation_finish(&rotation);
}

static void every_step_survives(void **state) {
    (void)state;
    static const struct {
        struct fx_rotation_input view;
        enum fx_rotation_step step;
    } steps[] = {
        {{NULL, START, -1, -1, NULL}, FX_ROTATION_CREATE},
        {{NULL, START, 0, 0, NULL}, FX_ROTATION_KEEP},
        {{NULL, START + 60 * DAY, DAY, DAY, NULL}, FX_ROTATION_RENEW_CA},
        {{NULL, START + 60 * DAY, 0, 0, NULL}, FX_ROTATION_KEEP},
        {{NULL, START + 60 * DAY, WAIT, WAIT, NULL}, FX_ROTATION_SWITCH_LEAF},
        {{NULL, START + 60 * DAY, WAIT, WAIT, NULL}, FX_ROTATION_DROP_CA},
        {{NULL, START + 200 * DAY, DAY, DAY, NULL}, FX_ROTATION_START_OVER},
    };
    struct secret secret = {.rotated_at = 0};
    for (size_t i = 0; i < FX_COUNT(steps); i++) {
        take(&secret, &steps[i].view, steps[i].step);
    }
    struct secret held = secret;
    const struct fx_rotation_content content = content_of(&held);
    secret = (struct secret){.rotated_at = 0};
    fx_buf_str(&secret.ca_cert, "x");
    take(&secret, &(struct fx_rotation_input){NULL, START + 200 * DAY, 0, 0, &content},
         FX_ROTATION_RESTORE);
    secret_finish(&held);
    fx_buf_reset(&secret.cert);
    take(&secret, &(struct fx_rotation_input){NULL, START + 200 * DAY, DAY, 0, NULL},
         FX_ROTATION_RENEW_LEAF);
    fx_buf_reset(&secret.ca_key);
    take(&secret, &(struct fx_rotation_input){NULL, START + 200 * DAY, 0, 0, NULL},
         FX_ROTATION_KEEP);
    secret_finish(&secret);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_step_survives)};
    refuse_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
