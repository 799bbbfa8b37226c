/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/webhooks/disable_test.c - what is applied to disable and to enable, and that
 * the second undoes the first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/webhooks/disable.h"
#include "kube/test_json.h"

#define HEAD                                                                       \
    "{\"apiVersion\":\"admissionregistration.k8s.io/v1\",\"kind\":"                \
    "\"MutatingWebhookConfiguration\",\"metadata\":{\"name\":\"c\",\"uid\":\"u\"," \
    "\"resourceVersion\":\"7\""
#define NEVER                                                                      \
    "{\"matchExpressions\":[{\"key\":\"fixpoint.dev/disabled\",\"operator\":"      \
    "\"Exists\"},{\"key\":\"fixpoint.dev/disabled\",\"operator\":\"DoesNotExist\"" \
    "}]}"
#define LABELLED "{\"matchLabels\":{\"a\":\"b\"}}"

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
    const struct fx_disable_request request = {
        .by = "me", .reason = "a \"storm\"", .now = 1795255353, .end = 1795257153};
    struct fx_err err = FX_ERR_INIT;
    json_t *before = configuration("", LABELLED, "");
    expect_made(fx_disable_apply(before, &request, &err),
                HEAD RECORD(",\"fixpoint.dev/disabled-reason\":\"a \\\"storm\\\"\","
                            "\"fixpoint.dev/disabled-until\":\"2026-11-21T10:32:33Z\"",
                            SELECTORS) "},\"webhooks\":[{\"name\":\"one\","
                                       "\"objectSelector\":" NEVER
                                       "},{\"name\":\"two\",\"objectSelector\":" NEVER
                                       "}]}");
    json_decref(before);
}

/* A second time only the record changes: the selectors of before are not those of now. */
static void what_was_before_is_not_forgotten(void **state) {
    (void)state;
    const struct fx_disable_request request = {.by = "me", .now = 1795255353};
    struct fx_err err = FX_ERR_INIT;
    json_t *disabled =
        configuration(RECORD("", SELECTORS), NEVER, ",\"objectSelector\":" NEVER);
    expect_made(fx_disable_apply(disabled, &request, &err),
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
    expect_made(
        fx_enable_apply(disabled, &err),
        HEAD RECORD("", SELECTORS) "},\"webhooks\":[{\"name\":\"one\","
                                   "\"objectSelector\":" LABELLED
                                   "},{\"name\":\"two\",\"objectSelector\":{}}]}");
    json_decref(disabled);
}

/* A webhook that came later was never disabled; one that is gone stays gone. */
static void only_what_was_disabled_is_restored(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *disabled =
        configuration(RECORD("", "{\\\"one\\\":{},\\\"gone\\\":{}}"), NEVER, "");
    expect_made(
        fx_enable_apply(disabled, &err),
        HEAD RECORD("", "{\\\"one\\\":{},\\\"gone\\\":{}}") "},\"webhooks\":[{\"name\":"
                                                            "\"one\",\"objectSelector\":"
                                                            "{}}]}");
    json_decref(disabled);
}

/* It was restored, and then not handed over: once more the same. */
static void enabling_can_be_repeated(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *restored = configuration(RECORD("", SELECTORS), LABELLED, "");
    expect_made(fx_enable_apply(restored, &err),
                HEAD RECORD("", SELECTORS) "},\"webhooks\":[{\"name\":\"one\","
                                           "\"objectSelector\":" LABELLED "}]}");
    json_decref(restored);
}

#define RED "{\"matchLabels\":{\"team\":\"red\"}}"

/* Where a selector is two fields, the labels never were ours. */
static void labels_of_a_selector_in_two_parts_stay(void **state) {
    (void)state;
    struct fx_err err = FX_ERR_INIT;
    json_t *disabled = configuration(RECORD("", SELECTORS),
                                     "{\"matchLabels\":{\"team\":\"red\"},"
                                     "\"matchExpressions\":[{\"key\":"
                                     "\"fixpoint.dev/disabled\",\"operator\":"
                                     "\"Exists\"},{\"key\":\"fixpoint.dev/disabled\","
                                     "\"operator\":\"DoesNotExist\"}]}",
                                     "");
    expect_made(fx_enable_apply(disabled, &err),
                HEAD RECORD("", SELECTORS) "},\"webhooks\":[{\"name\":\"one\","
                                           "\"objectSelector\":" RED "}]}");
    json_decref(disabled);
}

/* ---- whose they are ---- */

#define MEMBER "\"k:{\\\"name\\\":\\\"one\\\"}\""
#define SHARE(manager, operation, selector)                                  \
    "{\"manager\":\"" manager "\",\"operation\":\"" operation                \
    "\",\"apiVersion\":\"a/v1\",\"time\":\"t\",\"fieldsType\":\"FieldsV1\"," \
    "\"fieldsV1\":{\"f:webhooks\":{" MEMBER ":{\".\":{},\"f:name\":{}" selector "}}}}"
#define OWNED ",\"f:objectSelector\":{}"
#define ONE(annotations, managers, selector)                                           \
    HEAD annotations ",\"managedFields\":[" managers                                   \
                     "]},\"webhooks\":[{\"name\":\"one\",\"objectSelector\":" selector \
                     "}]}"
#define REMEMBERED                                                                     \
    ",\"fixpoint.dev/disabled-owners\":\"{\\\"one\\\":[{\\\"manager\\\":\\\"helm\\\"," \
    "\\\"operation\\\":\\\"Update\\\",\\\"apiVersion\\\":\\\"a/"                       \
    "v1\\\",\\\"fieldsV1\\\":{}"                                                       \
    "}]}\""
#define ALL_NULL                                                               \
    HEAD ",\"annotations\":{\"fixpoint.dev/disabled-at\":null,\"fixpoint.dev/" \
         "disabled-by\":null,\"fixpoint.dev/disabled-selectors\":null"

static const char *owners_of(const json_t *applied) {
    return json_string_value(json_object_get(
        json_object_get(json_object_get(applied, "metadata"), "annotations"),
        "fixpoint.dev/disabled-owners"));
}

static void owners_are_remembered(void **state) {
    (void)state;
    const struct fx_disable_request request = {.by = "me", .now = 1795255353};
    static const char owners[] = "{\"one\":[{\"manager\":\"helm\",\"operation\":"
                                 "\"Update\",\"apiVersion\":\"a/v1\","
                                 "\"fieldsV1\":{}}]}";
    struct fx_err err = FX_ERR_INIT;
    json_t *before = read_json(ONE(
        "", SHARE("helm", "Update", OWNED) "," SHARE("fixpoint", "Apply", ""), LABELLED));
    json_t *applied = fx_disable_apply(before, &request, &err);
    assert_non_null(applied);
    assert_string_equal(owners_of(applied), owners);
    json_decref(applied);
    json_decref(before);

    /* The second time they are those of the first. */
    before = read_json(
        ONE(RECORD(REMEMBERED, SELECTORS),
            SHARE("fixpoint-disable", "Apply", OWNED) "," SHARE("fixpoint", "Apply", ""),
            NEVER));
    applied = fx_disable_apply(before, &request, &err);
    assert_non_null(applied);
    assert_string_equal(owners_of(applied), owners);
    json_decref(applied);
    json_decref(before);
}

static void selectors_are_handed_over(void **state) {
    (void)state;
    static const struct {
        const char *before, *expected;
    } cases[] = {
        /* whose other fields are still there */
        {ONE(RECORD(REMEMBERED, SELECTORS),
             SHARE("helm", "Update", "") "," SHARE("fixpoint-disable", "Apply", OWNED),
             LABELLED),
         ALL_NULL ",\"fixpoint.dev/disabled-owners\":null},\"managedFields\":[" SHARE(
             "helm", "Update", OWNED) "]}}"},
        /* that owned nothing else */
        {ONE(RECORD(REMEMBERED, SELECTORS),
             SHARE("x", "Apply", "") "," SHARE("fixpoint-disable", "Apply", OWNED),
             LABELLED),
         ALL_NULL ",\"fixpoint.dev/disabled-owners\":null},\"managedFields\":[" SHARE(
             "x", "Apply", "") ",{\"manager\":\"helm\",\"operation\":\"Update\","
                               "\"apiVersion\":\"a/v1\",\"fieldsType\":\"FieldsV1\","
                               "\"fieldsV1\":{\"f:webhooks\":{" MEMBER
                               ":{\"f:objectSelector\":{}}}}}]}}"},
        /* another manager took it meanwhile */
        {ONE(RECORD(REMEMBERED, SELECTORS),
             SHARE("helm", "Update", "") "," SHARE("x", "Apply", OWNED) "," SHARE(
                 "fixpoint-disable", "Apply", ""),
             LABELLED),
         ALL_NULL ",\"fixpoint.dev/disabled-owners\":null},\"managedFields\":[" SHARE(
             "helm", "Update", "") "," SHARE("x", "Apply", OWNED) "]}}"},
        /* no owners are recorded, or invalid ones: no manager owns it */
        {ONE(RECORD("", SELECTORS), SHARE("fixpoint-disable", "Apply", OWNED), LABELLED),
         ALL_NULL "},\"managedFields\":[{}]}}"},
        {ONE(RECORD(",\"fixpoint.dev/disabled-owners\":\"{oops\"", SELECTORS),
             SHARE("fixpoint-disable", "Apply", OWNED), LABELLED),
         ALL_NULL ",\"fixpoint.dev/disabled-owners\":null},\"managedFields\":[{}]}}"},
        {ONE(RECORD(
                 ",\"fixpoint.dev/disabled-owners\":\"{\\\"one\\\":[7,{\\\"manager\\\":"
                 "\\\"m\\\"}]}\"",
                 SELECTORS),
             SHARE("fixpoint-disable", "Apply", OWNED), LABELLED),
         ALL_NULL ",\"fixpoint.dev/disabled-owners\":null},\"managedFields\":[{}]}}"},
    };
    struct fx_err err = FX_ERR_INIT;
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *before = read_json(cases[i].before);
        expect_made(fx_enable_hand_over(before, &err), cases[i].expected);
        json_decref(before);
    }
}

/* A webhook that came while all were disabled has its own selector to be kept. */
static void what_came_in_between_is_kept_as_well(void **state) {
    (void)state;
    const struct fx_disable_request request = {.by = "me", .now = 1795255353};
    struct fx_err err = FX_ERR_INIT;
    json_t *disabled =
        configuration(RECORD("", "{\\\"one\\\":{\\\"matchLabels\\\":{\\\"a\\\":"
                                 "\\\"b\\\"}}}"),
                      NEVER, ",\"objectSelector\":" RED);
    expect_made(fx_disable_apply(disabled, &request, &err),
                HEAD RECORD("",
                            "{\\\"one\\\":{\\\"matchLabels\\\":{\\\"a\\\":\\\"b\\\"}},"
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
    expect_made(fx_enable_apply(restored, &err),
                HEAD RECORD("", SELECTORS) "},\"webhooks\":[]}");
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

/* Without an end, an earlier end is ignored, whichever field manager wrote it. */
static void an_end_of_before_is_overwritten(void **state) {
    (void)state;
    const struct fx_disable_request request = {.by = "me", .now = 1795255353};
    struct fx_err err = FX_ERR_INIT;
    struct fx_disable_record record;
    json_t *object = configuration(
        RECORD(",\"fixpoint.dev/disabled-until\":\"2020-01-01T00:00:00Z\"", SELECTORS),
        NEVER, ",\"objectSelector\":" NEVER);
    expect_made(
        fx_disable_apply(object, &request, &err),
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
    const struct fx_disable_request request = {.by = "me", .now = 1795255353};
    struct fx_err err = FX_ERR_INIT;
    json_t *object = configuration(RECORD("", "{oops"), LABELLED, "");
    expect_made(fx_disable_apply(object, &request, &err),
                HEAD RECORD("", SELECTORS) "},\"webhooks\":[{\"name\":\"one\","
                                           "\"objectSelector\":" NEVER
                                           "},{\"name\":\"two\",\"objectSelector\":" NEVER
                                           "}]}");
    json_decref(object);
}

static void refuse(json_t *object, bool enable, const char *words) {
    const struct fx_disable_request request = {.now = 1};
    struct fx_err err = FX_ERR_INIT;
    assert_null(enable ? fx_enable_apply(object, &err)
                       : fx_disable_apply(object, &request, &err));
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
    refuse(configuration("", NEVER, ""), true, "the record of its selectors is missing");
    refuse(configuration(RECORD("", "{oops"), NEVER, ""), true,
           "fixpoint.dev/disabled-selectors");
    refuse(configuration(RECORD("", "[]"), NEVER, ""), true, "not an object");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_webhook_is_made_to_match_nothing),
        cmocka_unit_test(what_was_before_is_not_forgotten),
        cmocka_unit_test(enabling_restores),
        cmocka_unit_test(enabling_can_be_repeated),
        cmocka_unit_test(labels_of_a_selector_in_two_parts_stay),
        cmocka_unit_test(owners_are_remembered),
        cmocka_unit_test(selectors_are_handed_over),
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
