/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/ready_test.c - the condition that is wanted, and the one that is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/date.h"
#include "base/text.h"
#include "cluster/status/status_internal.h"
#include "kube/test_json.h"
#include "value/json.h"

#define NOW fx_date_seconds(2026, 11, 21, 10, 2, 33)

static const struct fx_seen_ready nothing;

static void expect_condition(const char *entry, const struct fx_seen_ready *seen,
                             const char *wanted) {
    struct fx_buf text;
    json_t *tree = read_json(entry);
    json_t *made = fx_ready_make(tree, seen, NOW);
    assert_non_null(made);
    fx_buf_init(&text, 0);
    fx_json_write(&text, made, FX_JSON_COMPACT);
    assert_string_equal(text.data, wanted);
    fx_buf_finish(&text);
    json_decref(made);
    json_decref(tree);
}

#define GOOD                 "{\"id\":\"me\",\"observedGeneration\":7,\"enforced\":true}"
#define BAD(errors)          "{\"id\":\"me\",\"observedGeneration\":7,\"errors\":[" errors "]}"
#define E(message)           "{\"message\":\"" message "\"}"
#define TYPED(type, message) "{\"type\":\"" type "\",\"message\":\"" message "\"}"
#define CONDITION(status, since, reason, message)                 \
    "{\"type\":\"Ready\",\"status\":\"" status                    \
    "\",\"observedGeneration\":7,\"lastTransitionTime\":\"" since \
    "\",\"reason\":\"" reason "\",\"message\":\"" message "\"}"
#define TODAY     "2026-11-21T10:02:33Z"
#define YESTERDAY "2026-11-20T10:02:33Z"

static void one_in_force(void **state) {
    (void)state;
    expect_condition(GOOD, &nothing,
                     CONDITION("True", TODAY, "Accepted", "the policy is active"));
}

/* All of it is said; the reason is that of the first. */
static void one_that_is_wrong(void **state) {
    (void)state;
    expect_condition(
        BAD(E("spec.type: x") "," E("spec.match: y") "," E("and 7 more")), &nothing,
        CONDITION("False", TODAY, "Invalid", "spec.type: x; spec.match: y; and 7 more"));
    expect_condition(BAD(TYPED("Quarantined", "too slow")), &nothing,
                     CONDITION("False", TODAY, "Quarantined", "too slow"));
    expect_condition(BAD(TYPED("ErrConflictingSchema", "two")), &nothing,
                     CONDITION("False", TODAY, "Conflicting", "two"));
}

static struct fx_seen_ready see(const char *conditions) {
    struct fx_buf text;
    struct fx_seen_ready seen;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text, "{\"status\":{\"conditions\":[%s]}}", conditions);
    json_t *object = read_json(text.data);
    fx_ready_read(object, &seen);
    json_decref(object);
    fx_buf_finish(&text);
    return seen;
}

/* The time of the transition is that of the status alone. */
static void the_time_of_the_transition(void **state) {
    (void)state;
    const struct fx_seen_ready yes =
        see(CONDITION("True", YESTERDAY, "Accepted", "other words"));
    const struct fx_seen_ready no = see(CONDITION("False", YESTERDAY, "Invalid", "z"));
    const struct fx_seen_ready unknown = see(CONDITION("Unknown", YESTERDAY, "r", "z"));
    const struct fx_seen_ready *changed[] = {&no, &unknown, &nothing};
    expect_condition(GOOD, &yes,
                     CONDITION("True", YESTERDAY, "Accepted", "the policy is active"));
    for (size_t i = 0; i < FX_COUNT(changed); i++) {
        expect_condition(GOOD, changed[i],
                         CONDITION("True", TODAY, "Accepted", "the policy is active"));
    }
    expect_condition(BAD(E("new")), &no, CONDITION("False", YESTERDAY, "Invalid", "new"));
    expect_condition(BAD(E("new")), &yes, CONDITION("False", TODAY, "Invalid", "new"));
}

/* What was made is what is seen: it is not written twice. */
static void what_is_seen(void **state) {
    (void)state;
    json_t *entry = read_json(BAD(E("m")));
    json_t *made = fx_ready_make(entry, &nothing, NOW);
    const struct fx_seen_ready seen =
        see("{\"type\":\"Other\"}," CONDITION("False", YESTERDAY, "Invalid", "m"));
    assert_true(seen.digest != 0 && seen.digest == fx_ready_digest(made));
    assert_int_equal(seen.status, FX_READY_FALSE);
    assert_true(seen.since == NOW - INT64_C(86400));
    static const char *const others[] = {
        CONDITION("True", TODAY, "Invalid", "m"),
        CONDITION("False", TODAY, "Other", "m"),
        CONDITION("False", TODAY, "Invalid", "n"),
        "{\"type\":\"Ready\",\"status\":\"False\",\"observedGeneration\":8,"
        "\"lastTransitionTime\":\"" TODAY "\",\"reason\":\"Invalid\",\"message\":\"m\"}",
    };
    for (size_t i = 0; i < FX_COUNT(others); i++) {
        assert_true(see(others[i]).digest != seen.digest && see(others[i]).digest != 0);
    }
    json_decref(made);
    json_decref(entry);
}

/* None, or one that is to be written again. */
static void what_is_none(void **state) {
    (void)state;
    static const char *const cases[] = {
        "",
        "7,null,[]",
        "{\"type\":\"Other\"}",
        "{\"type\":\"Ready\"}",
        CONDITION("True", "yesterday", "Accepted", "the policy is active"),
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct fx_seen_ready seen = see(cases[i]);
        assert_true(seen.digest == 0);
        assert_int_equal(seen.status, FX_READY_UNKNOWN);
    }
    static const char *const objects[] = {"{}", "{\"status\":{}}", "{\"status\":7}",
                                          "{\"status\":{\"conditions\":7}}"};
    for (size_t i = 0; i < FX_COUNT(objects); i++) {
        struct fx_seen_ready seen = {.digest = 1};
        json_t *object = read_json(objects[i]);
        fx_ready_read(object, &seen);
        assert_true(seen.digest == 0);
        json_decref(object);
    }
}

/* API servers refuse a longer one. */
static void a_long_message(void **state) {
    (void)state;
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_str(&text, "{\"errors\":[");
    for (unsigned i = 0; i < 100; i++) {
        fx_buf_str(&text, i == 0 ? "{\"message\":\"" : ",{\"message\":\"");
        for (unsigned j = 0; j < 300; j++) {
            fx_buf_str(&text, "ä");
        }
        fx_buf_str(&text, "\"}");
    }
    fx_buf_str(&text, "]}");
    json_t *entry = read_json(text.data);
    json_t *made = fx_ready_make(entry, &nothing, NOW);
    const char *message = json_string_value(json_object_get(made, "message"));
    assert_non_null(message);
    assert_in_range(strlen(message), FX_READY_MESSAGE_BYTES - 4, FX_READY_MESSAGE_BYTES);
    assert_true(fx_text_is_utf8(fx_text_of(message)));
    assert_string_equal(message + strlen(message) - strlen("…"), "…");
    json_decref(made);
    json_decref(entry);
    fx_buf_finish(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_in_force),
        cmocka_unit_test(one_that_is_wrong),
        cmocka_unit_test(the_time_of_the_transition),
        cmocka_unit_test(what_is_seen),
        cmocka_unit_test(what_is_none),
        cmocka_unit_test(a_long_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
