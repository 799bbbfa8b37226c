/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_life_test.c - closed at any moment; and how long the pauses of a real
 * one are.
 */
#include "kube/reflector_fixture.h"

#define A1 OBJECT("a", "ua", "1")

/* Closed after each number of iterations: during a list, a watch or a pause. */
static void closed_at_any_moment(void **state) {
    (void)state;
    const struct reply replies[] = {
        PAGE(IS_LIST, "5", "t", A1),
        {"continue=t", LIST_OF("5", "", A1), CLOSE, 40},
        {FROM("5"), STREAM EVENT("ADDED", A1) "{\"ty", CLOSE, 90},
        {FROM("5"), STATUS("500", "X"), CLOSE, 30},
        {FROM("5"), STATUS("410", "X"), CLOSE, 30},
        {IS_LIST, "HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n", KEEP_OPEN, 20},
    };
    for (size_t iterations = 0; iterations < 120; iterations++) {
        struct fixture fixture;
        fixture_start(&fixture, replies, FX_COUNT(replies));
        for (size_t i = 0; i < iterations; i++) {
            (void)uv_run(&fixture.api.server.loop, UV_RUN_NOWAIT);
        }
        fixture_finish(&fixture);
    }
    fx_kube_reflector_close(NULL);
}

static void nothing_is_reported_after_the_end(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {{IS_LIST, LIST_OF("5", "", A1), KEEP_OPEN, 0}};
    fixture_start(&fixture, replies, FX_COUNT(replies));
    await_requests(&fixture, 1);
    fx_kube_reflector_close(fixture.reflector);
    fixture.reflector = NULL;
    run_for(&fixture.api, 20);
    expect_reported(&fixture, "");
    fixture_finish(&fixture);
}

/* A Retry-After of 40 ms, instead of a pause of 2; one of an hour, cut to 60 ms. */
static void the_server_may_wish(void **state) {
    (void)state;
    static const char *const queries[] = {
        "HTTP/1.1 429 X\r\nRetry-After: 40\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 503 X\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n",
    };
    static const uint64_t least[] = {40, 60};
    for (size_t i = 0; i < FX_COUNT(queries); i++) {
        struct fixture fixture;
        const struct reply replies[] = {{IS_LIST, queries[i], KEEP_OPEN, 0}};
        const uint64_t begun = now_ms();
        fixture_start(&fixture, replies, FX_COUNT(replies));
        await_requests(&fixture, 2);
        assert_true(now_ms() - begun >= least[i]);
        fixture_finish(&fixture);
    }
}

/* A watch that is silent for too long is begun again. */
static void silence_has_an_end(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_kube_delays pauses = fast;
    const struct reply replies[] = {
        {"limit=500", LIST_OF("5", "", A1), CLOSE, 0},
        {"timeoutSeconds=0&resourceVersion=5 ", OPEN_HEAD, KEEP_OPEN, 0},
    };
    pauses.watch_min_s = pauses.watch_max_s = 0;
    pauses.silence_ms = 30;
    fixture_begin(&fixture);
    api_set_replies(&fixture.api, replies, FX_COUNT(replies));
    reflect(&fixture, &all_assigns, &pauses);
    await_requests(&fixture, 3);
    assert_int_equal(status_of(&fixture).n_watches, 1);
    fixture_finish(&fixture);
}

/* Silent, but for long enough: after failures, that is well. */
static void a_quiet_watch_goes_well(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_kube_delays pauses = fast;
    const struct reply replies[] = {
        {"limit=500", LIST_OF("5", "", A1), CLOSE, 0},
        {NULL, STATUS("500", "X"), CLOSE, 0},
        {NULL, STATUS("500", "X"), CLOSE, 0},
        {NULL, STATUS("410", "Expired"), CLOSE, 0},
        {"limit=500", LIST_OF("5", "", A1), CLOSE, 0},
        {NULL, OPEN_HEAD, KEEP_OPEN, 0},
    };
    pauses.healthy_ms = 20;
    fixture_begin(&fixture);
    api_set_replies(&fixture.api, replies, FX_COUNT(replies));
    reflect(&fixture, &all_assigns, &pauses);
    await_requests(&fixture, 6);
    assert_true(fixture.reflector->backoff.next_ms > pauses.backoff_min_ms);
    assert_true(fixture.reflector->relists.next_ms > 0);
    await_reported(&fixture, "=watching");
    expect_reported(&fixture, "+a@1 synced =failing:server synced =watching");
    assert_int_equal(fixture.reflector->backoff.next_ms, 0);
    assert_int_equal(fixture.reflector->relists.next_ms, 0);
    fixture_finish(&fixture);
}

static void usual_pauses(void **state) {
    (void)state;
    const struct fx_kube_delays *usual = &fx_kube_default_delays;
    assert_int_equal(usual->backoff_min_ms, 500);
    assert_int_equal(usual->backoff_max_ms, 30000);
    assert_int_equal(usual->max_retry_after_ms, 60 * usual->second_ms);
    assert_true(usual->watch_min_s >= 240 && usual->watch_max_s <= 480);
    assert_int_equal(usual->page, 500);
}

static void states_have_names(void **state) {
    (void)state;
    assert_string_equal(fx_kube_state_name(FX_KUBE_STATE_STARTING), "starting");
    assert_string_equal(fx_kube_state_name(FX_KUBE_STATE_FAILING), "failing");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_at_any_moment),
        cmocka_unit_test(nothing_is_reported_after_the_end),
        cmocka_unit_test(the_server_may_wish),
        cmocka_unit_test(silence_has_an_end),
        cmocka_unit_test(a_quiet_watch_goes_well),
        cmocka_unit_test(usual_pauses),
        cmocka_unit_test(states_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
