/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/disable_test.c - what is applied to disable and to enable, and that the second
 * undoes the first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/disable.h"
#include "value/equal.h"
#include "value/json.h"

#define HEAD                                                                       \
    "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":"                \
    "\"MutatingWebhookConfiguration\",\"metadata\":{\"name\":\"c\",\"uid\":\"u\"," \
    "\"resourceVersion\":\"7\""
#define NEVER                                                                      \
    "{\"matchExpressions\":[{\"key\":\"fixpoint.dev/disabled\",\"operator\":"      \
    "\"Exists\"},{\"key\":\"fixpoint.dev/disabled\",\"operator\":\"DoesNotExist\"" \
    "}]}"
#define LABELLED "{\"matchLabels\":{\"a\":\"b\"}}"

static json_t *read_json(const char *text) {
    struct fx_err err = FX_ERR_INIT;
    json_t *value = fx_json_read(fx_text_of(text), NULL, &err);
    assert_non_null(value);
    return value;
}

static void expect(json_t *made, const char *expected) {
    json_t *wanted = read_json(expected);
    assert_non_null(made);
    if (!fx_equal(made, wanted)) {
        char *text = json_dumps(made, JSON_COMPACT);
        assert_string_equal(text, expected);
    }
    json_decref(wanted);
    json_decref(made);
}

/* What is needed of a configuration; further fields are not to be applied. */
static json_t *configuration(const char *annotations, const char *first,
                             const char *second) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    fx_buf_printf(&text,
                  HEAD ",\"labels\":{\"x\":\"y\"}%s},\"webhooks\":[{\"name\":\"one\","
                       "\"sideEffects\":\"None\",\"objectSelector\":%s},{\"name\":"
                       "\"two\"%s}]}",
                  annotations, first, second);
    json_t *made = read_json(text.data);
    fx_buf_finish(&text);
    return made;
}

#define RECORD(rest, selectors)                                                \
    ",\"annotations\":{\"fixpoint.dev/disabled-at\":\"2026-11-21T10:02:33Z\"," \
    "\"fixpoint.dev/disabled-by\":\"me\"" rest                                 \
    ",\"fixpoint.dev/disabled-selectors\":\"" selectors "\"}"
#define SELECTORS \
    "{\\\"one\\\":{\\\"matchLabels\\\":{\\\"a\\\":\\\"b\\\"}},\\\"two\\\":{}}"

static void every_webhook_is_made_to_match_nothing(void **state) {
    (void)state;
    const struct fx_disable_wish wish = {
        .by = "me", .reason = "a \"storm\"", .now = 1795255353, .end = 1795257153};
    struct fx_err err = FX_ERR_INIT;
    json_t *before = configuration("", LABELLED, "");
    expect(fx_disable_apply(before, &wish, &err),
           HEAD RECORD(",\"fixpoint.dev/disabled-reason\":\"a \\\"storm\\\"\","
                       "\"fixpoint.dev/disabled-until\":\"2026-11-21T10:32:33Z\"",
                       SELECTORS) "},\"webhooks\":[{\"name\":\"one\","
                                  "\"objectSelector\":" NEVER
                                  "},{\"name\":\"two\",\"objectSelector\":" NEVER "}]}");
    json_decref(before);
}

/* A second time only the record changes: the selectors of before are not those of now. */
static void what_was_before_is_not_forgotten(void **state) {
    (void)state;
    const struct fx_disable_wish wish = {.by = "me", .now = 1795255353};
    struct fx_err err = FX_ERR_INIT;
    json_t *disabled =
        configuration(RECORD("", SELECTORS), NEVER, ",\"objectSelector\":" NEVER);
    expect(fx_disable_apply(disabled, &wish, &err),
           HEAD RECORD("", SELECTORS) "},\"webhooks\":[{\"name\":\"one\","
                                      "\"objectSelector\":" NEVER
                                      "},{\"name\":\"two\",\"objectSelector\":" NEVER
                                      "}]}");
    json_decref(disabled);
}

static void enabling_restores(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *disabled =
        configuration(RECORD("", SELECTORS), NEVER, ",\"objectSelector\":" NEVER);
    expect(fx_enable_apply(disabled, &err),
           HEAD "},\"webhooks\":[{\"name\":\"one\",\"objectSelector\":" LABELLED
                "},{\"name\":\"two\",\"objectSelector\":{}}]}");
    json_decref(disabled);
}

/* A webhook that came later was never disabled; one that is gone stays gone. */
static void only_what_was_disabled_is_restored(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *disabled =
        configuration(RECORD("", "{\\\"one\\\":{},\\\"gone\\\":{}}"), NEVER, "");
    expect(fx_enable_apply(disabled, &err),
           HEAD "},\"webhooks\":[{\"name\":\"one\",\"objectSelector\":{}}]}");
    json_decref(disabled);
}

#define RED "{\"matchLabels\":{\"team\":\"red\"}}"

/* A webhook that came while all were disabled has its own selector to be kept. */
static void what_came_in_between_is_kept_as_well(void **state) {
    (void)state;
    const struct fx_disable_wish wish = {.by = "me", .now = 1795255353};
    struct fx_err err = FX_ERR_INIT;
    json_t *disabled =
        configuration(RECORD("", "{\\\"one\\\":{\\\"matchLabels\\\":{\\\"a\\\":"
                                 "\\\"b\\\"}}}"),
                      NEVER, ",\"objectSelector\":" RED);
    expect(fx_disable_apply(disabled, &wish, &err),
           HEAD RECORD("", "{\\\"one\\\":{\\\"matchLabels\\\":{\\\"a\\\":\\\"b\\\"}},"
                           "\\\"two\\\":{\\\"matchLabels\\\":{\\\"team\\\":"
                           "\\\"red\\\"}}}") "},\"webhooks\":[{\"name\":\"one\","
                                             "\"objectSelector\":" NEVER
                                             "},{\"name\":\"two\","
                                             "\"objectSelector\":" NEVER "}]}");
    json_decref(disabled);
}

/* Somebody wrote another selector since: that is not undone, and it is not disabled. */
static void what_somebody_wrote_since_stays(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    struct fx_disable_record record;
    json_t *restored =
        configuration(RECORD("", SELECTORS), RED, ",\"objectSelector\":" RED);
    fx_disable_read(restored, &record);
    assert_true(record.recorded);
    assert_false(record.disabled);
    expect(fx_enable_apply(restored, &err), HEAD "},\"webhooks\":[]}");
    json_decref(restored);
}

static void only_the_whole_selector_is_the_impossible_one(void **state) {
    (void)state;
    static const char *const others[] = {
        "{}",
        "{\"matchExpressions\":[]}",
        "{\"matchExpressions\":[{\"key\":\"fixpoint.dev/disabled\",\"operator\":"
        "\"Exists\"}]}",
        "{\"matchExpressions\":[{\"key\":\"fixpoint.dev/disabled\",\"operator\":"
        "\"Exists\"},{\"key\":\"other\",\"operator\":\"DoesNotExist\"}]}",
        "{\"matchExpressions\":[{\"key\":\"fixpoint.dev/disabled\",\"operator\":"
        "\"Exists\"},{\"key\":\"fixpoint.dev/disabled\",\"operator\":\"Exists\"}]}",
        "7",
    };
    struct fx_disable_record record;
    for (size_t i = 0; i < FX_COUNT(others); i++) {
        json_t *object = configuration(RECORD("", SELECTORS), others[i], "");
        fx_disable_read(object, &record);
        assert_false(record.disabled);
        json_decref(object);
    }
}

static void the_record_is_read(void **state) {
    (void)state;
    struct fx_disable_record record;
    json_t *object = configuration(
        RECORD(",\"fixpoint.dev/disabled-until\":\"2026-11-21T10:32:33Z\"", SELECTORS),
        NEVER, "");
    fx_disable_read(object, &record);
    assert_true(record.disabled);
    assert_string_equal(record.by, "me");
    assert_null(record.reason);
    assert_true(record.has_end);
    assert_int_equal(record.end, 1795257153);
    json_decref(object);

    object = configuration(RECORD(",\"fixpoint.dev/disabled-until\":\"soon\"", "{}"),
                           NEVER, "");
    fx_disable_read(object, &record);
    assert_true(record.disabled);
    assert_false(record.has_end);
    json_decref(object);

    object = configuration("", NEVER, "");
    fx_disable_read(object, &record);
    assert_false(record.recorded);
    assert_true(record.disabled);
    json_decref(object);

    object = configuration(RECORD("", "{}"), LABELLED, "");
    fx_disable_read(object, &record);
    assert_true(record.recorded);
    assert_false(record.disabled);
    json_decref(object);
}

/* Without an end the one of before does not count any more, whoever wrote it. */
static void an_end_of_before_is_overwritten(void **state) {
    (void)state;
    const struct fx_disable_wish wish = {.by = "me", .now = 1795255353};
    struct fx_err err = FX_ERR_INIT;
    struct fx_disable_record record;
    json_t *object = configuration(
        RECORD(",\"fixpoint.dev/disabled-until\":\"2020-01-01T00:00:00Z\"", SELECTORS),
        NEVER, ",\"objectSelector\":" NEVER);
    expect(fx_disable_apply(object, &wish, &err),
           HEAD RECORD(
               ",\"fixpoint.dev/disabled-until\":\"\"",
               SELECTORS) "},\"webhooks\":[{\"name\":\"one\",\"objectSelector\":" NEVER
                          "},{\"name\":\"two\",\"objectSelector\":" NEVER "}]}");
    json_decref(object);

    object = configuration(RECORD(",\"fixpoint.dev/disabled-until\":\"\"", SELECTORS),
                           NEVER, "");
    fx_disable_read(object, &record);
    assert_null(record.until);
    assert_false(record.has_end);
    json_decref(object);
}

/* Not even where it was disabled before: what it matched then is lost anyway. */
static void a_spoilt_record_keeps_nobody_from_disabling(void **state) {
    (void)state;
    const struct fx_disable_wish wish = {.by = "me", .now = 1795255353};
    struct fx_err err = FX_ERR_INIT;
    json_t *object = configuration(RECORD("", "{oops"), LABELLED, "");
    expect(fx_disable_apply(object, &wish, &err),
           HEAD RECORD("", SELECTORS) "},\"webhooks\":[{\"name\":\"one\","
                                      "\"objectSelector\":" NEVER
                                      "},{\"name\":\"two\",\"objectSelector\":" NEVER
                                      "}]}");
    json_decref(object);
}

static void refuse(json_t *object, bool enable, const char *words) {
    const struct fx_disable_wish wish = {.now = 1};
    struct fx_err err = FX_ERR_INIT;
    assert_null(enable ? fx_enable_apply(object, &err)
                       : fx_disable_apply(object, &wish, &err));
    assert_non_null(strstr(err.msg, words));
    json_decref(object);
}

static void what_cannot_be_done_is_said(void **state) {
    (void)state;
    refuse(read_json(HEAD "}}"), false, "no webhooks");
    refuse(read_json(HEAD "},\"webhooks\":[]}"), true, "no webhooks");
    refuse(read_json(HEAD "},\"webhooks\":[{\"name\":\"a\"},{}]}"), false,
           "webhooks[1] has no name");
    refuse(configuration("", LABELLED, ""), true, "not disabled");
    refuse(configuration("", NEVER, ""), true, "the record of what it matched before");
    refuse(configuration(RECORD("", "{oops"), NEVER, ""), true,
           "fixpoint.dev/disabled-selectors");
    refuse(configuration(RECORD("", "[]"), NEVER, ""), true, "no object");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_webhook_is_made_to_match_nothing),
        cmocka_unit_test(what_was_before_is_not_forgotten),
        cmocka_unit_test(enabling_restores),
        cmocka_unit_test(only_what_was_disabled_is_restored),
        cmocka_unit_test(what_came_in_between_is_kept_as_well),
        cmocka_unit_test(what_somebody_wrote_since_stays),
        cmocka_unit_test(only_the_whole_selector_is_the_impossible_one),
        cmocka_unit_test(the_record_is_read),
        cmocka_unit_test(an_end_of_before_is_overwritten),
        cmocka_unit_test(a_spoilt_record_keeps_nobody_from_disabling),
        cmocka_unit_test(what_cannot_be_done_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
