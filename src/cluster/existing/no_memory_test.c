/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/existing/no_memory_test.c - every allocation refused in turn: a trigger is
 * queued or not, nothing is lost, and a body is whole or none.
 */
#include "cluster/existing/existing_testing.h"
#include "refuse.h"
#include "value/json.h"

#define ROUNDS 500

/* One trigger on its way through the queue. False if memory was refused. */
static bool pass_trigger(struct fx_snapshot *snapshot) {
    struct fx_existing_queue queue = {.n_tasks = 0};
    struct fx_trigger_view view = {.parts = NULL};
    struct fx_err err = FX_ERR_INIT;
    struct fx_trigger *trigger = make_trigger(snapshot, "web", "x");
    bool ok = trigger != NULL &&
              fx_existing_queue_put(&queue, snapshot->mutators[0], trigger, 0) ==
                  FX_EXISTING_ADDED &&
              fx_existing_queue_put(&queue, snapshot->mutators[0], trigger, 0) ==
                  FX_EXISTING_REPLACED;
    assert_int_equal(queue.n_tasks, ok ? 1 : 0);
    ok = ok && fx_trigger_view(trigger, &view, &err);
    assert_true(ok || err.code == FX_OK || err.code == FX_ENOMEM);
    fx_trigger_view_finish(&view);
    fx_trigger_unref(trigger);
    fx_existing_queue_finish(&queue);
    return ok;
}

static void a_trigger_is_queued_or_not(void **state) {
    (void)state;
    struct fx_snapshot *snapshot = make_rules();
    long nth = 0;
    bool refused = true;
    for (; refused && nth < ROUNDS; nth++) {
        const long live = refuse_live();
        refuse_from(nth, false);
        const bool ok = pass_trigger(snapshot);
        refused = refuse_stop();
        assert_int_equal(ok, !refused);
        assert_int_equal(refuse_live(), live);
    }
    assert_in_range(nth, 10, ROUNDS - 1);
    fx_snapshot_unref(snapshot);
}

static json_t *read_object(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *made = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(made);
    return made;
}

static void a_body_is_whole_or_none(void **state) {
    (void)state;
    json_t *before = read_object("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
                                 "\"metadata\":{\"name\":\"a\",\"uid\":\"u\","
                                 "\"resourceVersion\":\"1\"},\"a\":{\"b\":{\"c\":1}}}");
    json_t *after = read_object("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
                                "\"metadata\":{\"name\":\"a\",\"uid\":\"u\","
                                "\"resourceVersion\":\"1\",\"labels\":{\"x\":\"y\"}},"
                                "\"a\":{\"b\":{\"d\":2}}}");
    long nth = 0;
    bool refused = true;
    for (; refused && nth < ROUNDS; nth++) {
        struct fx_existing_body body = {.body = NULL};
        struct fx_err err = FX_ERR_INIT;
        const long live = refuse_live();
        refuse_from(nth, false);
        const bool ok = fx_existing_body_make(before, after, false, &body, &err);
        refused = refuse_stop();
        assert_int_equal(ok, !refused);
        assert_int_equal(err.code, ok ? FX_OK : FX_ENOMEM);
        json_decref(body.body);
        assert_int_equal(refuse_live(), live);
    }
    assert_in_range(nth, 10, ROUNDS - 1);
    json_decref(before);
    json_decref(after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trigger_is_queued_or_not),
        cmocka_unit_test(a_body_is_whole_or_none),
    };
    refuse_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
