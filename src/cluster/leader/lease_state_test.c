/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/leader/lease_state_test.c - one candidate: what it makes of records, and what
 * it writes. Several of them: lease_election_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/date.h"
#include "base/macros.h"
#include "cluster/leader/lease_state.h"
#include "value/json.h"

#define S      UINT64_C(1000000000)
#define WALL_S fx_date_seconds(2026, 11, 21, 10, 2, 33)
#define WALL   (WALL_S * 1000000 + 123456)

static struct fx_lease_state candidate(void) {
    struct fx_lease_state state;
    fx_lease_init(&state, "me_1", &fx_lease_times);
    return state;
}

static json_t *lease(const char *version, const char *spec) {
    char text[800];
    struct fx_err err = FX_ERR_INIT;
    (void)snprintf(text, sizeof text,
                   "{\"metadata\":{\"name\":\"l\",\"uid\":\"u\",\"resourceVersion\":"
                   "\"%s\"},\"spec\":%s}",
                   version, spec);
    json_t *made = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(made);
    return made;
}

static void see(struct fx_lease_state *state, const char *spec, uint64_t now_ns) {
    json_t *object = lease("7", spec);
    fx_lease_read(state, object, now_ns);
    json_decref(object);
}

static void expect_body(const struct fx_lease_state *state, enum fx_lease_step step,
                        const char *wanted) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    json_t *body = fx_lease_body(state, step, "ns", "l", WALL);
    assert_non_null(body);
    fx_json_write(&text, body, FX_JSON_COMPACT);
    assert_string_equal(text.data, wanted);
    fx_buf_finish(&text);
    json_decref(body);
}

#define SPEC(holder, renewed)                                                  \
    "{\"holderIdentity\":\"" holder "\",\"leaseDurationSeconds\":30,"          \
    "\"acquireTime\":\"2026-11-21T09:00:00.000001Z\",\"renewTime\":\"" renewed \
    "\",\"leaseTransitions\":4}"
#define HEAD "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":"
#define READ_METADATA \
    "{\"name\":\"l\",\"namespace\":\"ns\",\"resourceVersion\":\"7\",\"uid\":\"u\"}"
#define NOW "2026-11-21T10:02:33.123456Z"

static void it_reads_before_it_writes(void **state) {
    (void)state;
    struct fx_lease_state me = candidate();
    assert_int_equal(fx_lease_next(&me, S), FX_LEASE_READ);
    fx_lease_read(&me, NULL, S);
    assert_int_equal(fx_lease_next(&me, S), FX_LEASE_CREATE);
    assert_false(fx_lease_is_held(&me, S));
    expect_body(&me, FX_LEASE_CREATE,
                HEAD "{\"name\":\"l\",\"namespace\":\"ns\"},\"spec\":{"
                     "\"holderIdentity\":\"me_1\",\"leaseDurationSeconds\":30,"
                     "\"acquireTime\":\"" NOW "\",\"renewTime\":\"" NOW
                     "\",\"leaseTransitions\":0}}");
}

/* From when the write was sent, not from when the answer came. */
static void what_is_written_is_held_for_a_while(void **state) {
    (void)state;
    struct fx_lease_state me = candidate();
    json_t *mine = lease("8", SPEC("me_1", NOW));
    fx_lease_read(&me, NULL, S);
    fx_lease_sent(&me);
    fx_lease_written(&me, mine, 10 * S, 13 * S);
    assert_true(fx_lease_is_held(&me, 13 * S));
    assert_true(fx_lease_is_held(&me, 30 * S - 1));
    assert_false(fx_lease_is_held(&me, 30 * S));
    fx_lease_expire_read(&me);
    assert_int_equal(fx_lease_next(&me, 20 * S), FX_LEASE_RENEW); /* without reading */
    json_decref(mine);
}

static void a_renewal_keeps_when_it_began(void **state) {
    (void)state;
    struct fx_lease_state me = candidate();
    see(&me, SPEC("me_1", "2026-11-21T10:00:00.000000Z"), S);
    assert_int_equal(fx_lease_next(&me, S), FX_LEASE_RENEW);
    assert_false(fx_lease_is_held(&me, S)); /* a read alone does not renew */
    expect_body(&me, FX_LEASE_RENEW,
                HEAD READ_METADATA
                ",\"spec\":{\"holderIdentity\":\"me_1\",\"leaseDurationSeconds\":30,"
                "\"acquireTime\":\"2026-11-21T09:00:00.000001Z\",\"renewTime\":\"" NOW
                "\",\"leaseTransitions\":4}}");
}

/* A clock that stands still must not seem a holder that is gone. */
static void no_two_renewals_are_the_same(void **state) {
    (void)state;
    struct fx_lease_state me = candidate();
    see(&me, SPEC("me_1", NOW), S);
    json_t *body = fx_lease_body(&me, FX_LEASE_RENEW, "ns", "l", WALL);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(body, "spec"), "renewTime")),
        "2026-11-21T10:02:33.123457Z");
    json_decref(body);
}

static void another_one_is_waited_for(void **state) {
    (void)state;
    struct fx_lease_state me = candidate();
    see(&me, SPEC("you", "2000-01-01T00:00:00.000000Z"), 100 * S); /* an old date is no */
    assert_int_equal(fx_lease_next(&me, 100 * S), FX_LEASE_WAIT);  /* reason */
    assert_int_equal(fx_lease_next(&me, 130 * S - 1), FX_LEASE_WAIT);
    see(&me, SPEC("you", "2000-01-01T00:00:00.000001Z"), 129 * S); /* it is alive */
    assert_int_equal(fx_lease_next(&me, 130 * S), FX_LEASE_WAIT);
    see(&me, SPEC("you", "2000-01-01T00:00:00.000001Z"), 140 * S);
    assert_int_equal(fx_lease_next(&me, 159 * S - 1), FX_LEASE_WAIT);
    assert_int_equal(fx_lease_next(&me, 159 * S), FX_LEASE_ACQUIRE);
    expect_body(&me, FX_LEASE_ACQUIRE,
                HEAD READ_METADATA
                ",\"spec\":{\"holderIdentity\":\"me_1\",\"leaseDurationSeconds\":30,"
                "\"acquireTime\":\"" NOW "\",\"renewTime\":\"" NOW
                "\",\"leaseTransitions\":5}}");
    fx_lease_expire_read(&me);
    assert_int_equal(fx_lease_next(&me, 159 * S), FX_LEASE_READ);
}

static void somebody_else_took_it(void **state) {
    (void)state;
    struct fx_lease_state me = candidate();
    json_t *mine = lease("8", SPEC("me_1", NOW));
    fx_lease_written(&me, mine, S, S);
    assert_true(fx_lease_is_held(&me, 2 * S));
    see(&me, SPEC("you", NOW), 2 * S);
    assert_false(fx_lease_is_held(&me, 2 * S));
    assert_int_equal(fx_lease_next(&me, 2 * S), FX_LEASE_WAIT);
    json_decref(mine);
}

/* What others say of the duration, and how long it is waited for. */
static void strange_records(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        uint64_t waits_s; /* 0: not at all */
    } cases[] = {
        {"{}", 0},
        {"null", 0},
        {"{\"holderIdentity\":\"\"}", 0},
        {"{\"holderIdentity\":7}", 0},
        {"{\"holderIdentity\":\"you\"}", 30},
        {"{\"holderIdentity\":\"me_1_\"}", 30},
        {"{\"holderIdentity\":\"you\",\"leaseDurationSeconds\":1}", 30},
        {"{\"holderIdentity\":\"you\",\"leaseDurationSeconds\":-1}", 30},
        {"{\"holderIdentity\":\"you\",\"leaseDurationSeconds\":60}", 60},
        {"{\"holderIdentity\":\"you\",\"leaseDurationSeconds\":2147483647}", 3600},
        {"{\"holderIdentity\":\"you\",\"leaseDurationSeconds\":9223372036854775807,"
         "\"leaseTransitions\":9223372036854775807}",
         3600},
        {"{\"holderIdentity\":\"you\",\"leaseTransitions\":-9,\"acquireTime\":[],"
         "\"renewTime\":\"sometime, and then as long as anybody cares to write it "
         "down\"}",
         30},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        struct fx_lease_state me = candidate();
        see(&me, cases[i].spec, S);
        const uint64_t end = S + cases[i].waits_s * S;
        if (cases[i].waits_s > 0) {
            assert_int_equal(fx_lease_next(&me, end - 1), FX_LEASE_WAIT);
        }
        assert_int_equal(fx_lease_next(&me, end), FX_LEASE_ACQUIRE);
        json_t *body = fx_lease_body(&me, FX_LEASE_ACQUIRE, "ns", "l", WALL);
        const json_t *transitions =
            json_object_get(json_object_get(body, "spec"), "leaseTransitions");
        assert_in_range(json_integer_value(transitions), 1, INT32_MAX);
        json_decref(body);
    }
}

/* Without a version a write could undo any other. */
static void no_version_no_write(void **state) {
    (void)state;
    char version[FX_LEASE_VERSION_BYTES + 10];
    struct fx_lease_state me = candidate();
    memset(version, '1', sizeof version - 1);
    version[sizeof version - 1] = '\0';
    const char *const versions[] = {"", version};
    for (size_t i = 0; i < FX_COUNT(versions); i++) {
        json_t *object = lease(versions[i], SPEC("", NOW));
        fx_lease_read(&me, object, S);
        assert_int_equal(fx_lease_next(&me, S), FX_LEASE_WAIT);
        json_decref(object);
    }
}

static void one_that_was_deleted_still_counts(void **state) {
    (void)state;
    struct fx_lease_state me = candidate();
    see(&me, SPEC("you", NOW), 10 * S);
    fx_lease_read(&me, NULL, 20 * S);
    assert_int_equal(fx_lease_next(&me, 40 * S - 1), FX_LEASE_WAIT);
    assert_int_equal(fx_lease_next(&me, 40 * S), FX_LEASE_CREATE);
    struct fx_lease_state holder = candidate();
    see(&holder, SPEC("me_1", NOW), 10 * S);
    fx_lease_read(&holder, NULL, 20 * S);
    assert_int_equal(fx_lease_next(&holder, 20 * S), FX_LEASE_CREATE);
}

static void giving_it_back(void **state) {
    (void)state;
    struct fx_lease_state me = candidate();
    json_t *mine = lease("7", SPEC("me_1", NOW));
    fx_lease_written(&me, mine, S, S);
    me.releasing = true;
    assert_false(fx_lease_is_held(&me, S));
    assert_int_equal(fx_lease_next(&me, S), FX_LEASE_RELEASE);
    expect_body(&me, FX_LEASE_RELEASE,
                HEAD READ_METADATA
                ",\"spec\":{\"holderIdentity\":null,\"leaseDurationSeconds\":1,"
                "\"acquireTime\":\"2026-11-21T10:02:33.123457Z\","
                "\"renewTime\":\"2026-11-21T10:02:33.123457Z\","
                "\"leaseTransitions\":4}}");
    fx_lease_sent(&me);
    fx_lease_failed(&me, false);
    assert_int_equal(fx_lease_next(&me, S), FX_LEASE_READ);
    see(&me, SPEC("", NOW), 2 * S);
    assert_int_equal(fx_lease_next(&me, 2 * S), FX_LEASE_WAIT);
    json_decref(mine);
}

/* A candidate that releases while the result of its write is not known reads first. */
static void leaving_in_doubt(void **state) {
    (void)state;
    struct fx_lease_state me = candidate();
    me.releasing = true;
    assert_int_equal(fx_lease_next(&me, S), FX_LEASE_WAIT);
    me.releasing = false;
    see(&me, SPEC("", NOW), S);
    fx_lease_sent(&me);
    fx_lease_failed(&me, true);
    me.releasing = true;
    assert_int_equal(fx_lease_next(&me, S), FX_LEASE_READ);
    see(&me, SPEC("me_1", NOW), S);
    assert_int_equal(fx_lease_next(&me, S), FX_LEASE_RELEASE);
    see(&me, SPEC("you", NOW), S);
    assert_int_equal(fx_lease_next(&me, S), FX_LEASE_WAIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_reads_before_it_writes),
        cmocka_unit_test(what_is_written_is_held_for_a_while),
        cmocka_unit_test(a_renewal_keeps_when_it_began),
        cmocka_unit_test(no_two_renewals_are_the_same),
        cmocka_unit_test(another_one_is_waited_for),
        cmocka_unit_test(somebody_else_took_it),
        cmocka_unit_test(strange_records),
        cmocka_unit_test(no_version_no_write),
        cmocka_unit_test(one_that_was_deleted_still_counts),
        cmocka_unit_test(giving_it_back),
        cmocka_unit_test(leaving_in_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
