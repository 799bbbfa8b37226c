/* SPDX-License-Identifier: Apache-2.0
 *
 * cluster/status/events_plan_test.c - what Events say, and how often.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/date.h"
#include "cluster/status/status_internal.h"
#include "kube/test_json.h"
#include "value/json.h"

#define NOW fx_date_seconds(2026, 11, 21, 10, 2, 33)
#define S   UINT64_C(1000000000)

static const struct fx_cluster_identity identity = {.pod = "fixpoint-5c8f7b6d9-abcde",
                                                    .namespace_ = "ns"};

static struct fx_cluster_object make(const char *name) {
    static const struct fx_kube_resource resource = {"mutations.gatekeeper.sh", "v1",
                                                     "assign", "Assign"};
    return (struct fx_cluster_object){
        .resource = &resource,
        .name = fx_text_of(name),
        .uid = FX_TEXT("u-1"),
        .generation = 3,
    };
}

static struct fx_event event_of(const struct fx_cluster_object *mutator,
                                const char *error) {
    struct fx_event event;
    json_t *tree = read_json(error);
    fx_event_read(mutator, tree, &event);
    json_decref(tree);
    return event;
}

static void expect_json(json_t *value_take, const char *wanted) {
    struct fx_buf text;
    fx_buf_init(&text, 0);
    assert_non_null(value_take);
    fx_json_write(&text, value_take, FX_JSON_COMPACT);
    assert_string_equal(text.data, wanted);
    fx_buf_finish(&text);
    json_decref(value_take);
}

static void a_new_one(void **state) {
    (void)state;
    struct fx_cluster_object mutator = make("always-pull");
    struct fx_event event = event_of(&mutator, "{\"message\":\"it is wrong\"}");
    event.digest = UINT64_C(0x0123456789abcdef);
    expect_json(
        fx_event_new(&identity, &mutator, &event, NOW),
        "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":"
        "\"always-pull.0123456789abcdef\",\"namespace\":\"default\"},\"involvedObject\":{"
        "\"apiVersion\":\"mutations.gatekeeper.sh/v1\",\"kind\":\"Assign\",\"name\":"
        "\"always-pull\",\"uid\":\"u-1\"},\"type\":\"Warning\",\"reason\":\"Invalid\","
        "\"message\":\"it is wrong\",\"source\":{\"component\":\"fixpoint\"},"
        "\"reportingComponent\":\"fixpoint\",\"reportingInstance\":"
        "\"fixpoint-5c8f7b6d9-abcde\",\"firstTimestamp\":\"2026-11-21T10:02:33Z\","
        "\"lastTimestamp\":\"2026-11-21T10:02:33Z\",\"count\":1}");
}

/* API servers want the namespace of what it is about. */
static void one_about_an_object_in_a_namespace(void **state) {
    (void)state;
    struct fx_cluster_object mutator = make("always-pull");
    mutator.namespace_ = FX_TEXT("shop");
    const struct fx_event event = event_of(&mutator, "{\"message\":\"it is wrong\"}");
    json_t *body = fx_event_new(&identity, &mutator, &event, NOW);
    const json_t *metadata = json_object_get(body, "metadata");
    const json_t *involved = json_object_get(body, "involvedObject");
    assert_string_equal(json_string_value(json_object_get(metadata, "namespace")),
                        "shop");
    assert_string_equal(json_string_value(json_object_get(involved, "namespace")),
                        "shop");
    json_decref(body);
}

static void reasons(void **state) {
    (void)state;
    static const struct {
        const char *error, *reason;
    } cases[] = {
        {"{\"message\":\"m\"}", "Invalid"},
        {"{\"type\":\"ErrConflictingSchema\",\"message\":\"m\"}", "Conflicting"},
        {"{\"type\":\"Quarantined\",\"message\":\"m\"}", "Quarantined"},
        {"{\"type\":\"Other\",\"message\":\"m\"}", "Invalid"},
        {"{}", "Invalid"},
    };
    struct fx_cluster_object mutator = make("a");
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        const struct fx_event event = event_of(&mutator, cases[i].error);
        assert_string_equal(event.reason, cases[i].reason);
        assert_string_equal(event.message, i == 4 ? "" : "m");
    }
}

/* Equal errors have equal digests, whatever replica reports them; others differ. */
static void digests(void **state) {
    (void)state;
    struct fx_cluster_object mutator = make("a");
    const uint64_t first = event_of(&mutator, "{\"message\":\"m\"}").digest;
    assert_true(first == event_of(&mutator, "{\"message\":\"m\"}").digest);
    assert_true(first != event_of(&mutator, "{\"message\":\"n\"}").digest);
    assert_true(
        first !=
        event_of(&mutator, "{\"type\":\"Quarantined\",\"message\":\"m\"}").digest);
    mutator.generation = 4;
    assert_true(first != event_of(&mutator, "{\"message\":\"m\"}").digest);
    mutator.generation = 3;
    mutator.uid = FX_TEXT("u-2");
    assert_true(first != event_of(&mutator, "{\"message\":\"m\"}").digest);
}

/* Cut at a character, with a mark. */
static void long_messages(void **state) {
    (void)state;
    struct fx_cluster_object mutator = make("a");
    for (size_t len = 1015; len < 1035; len++) {
        char error[1200] = "{\"message\":\"";
        size_t at = strlen(error);
        for (size_t i = 0; i < len; i++) {
            error[at++] = 'x';
        }
        memcpy(error + at, "ää\"}", sizeof "ää\"}");
        const struct fx_event event = event_of(&mutator, error);
        assert_in_range(strlen(event.message), 1015, FX_EVENTS_MESSAGE_BYTES);
        assert_true(fx_text_is_utf8(fx_text_of(event.message)));
        assert_int_equal(strcmp(event.message + strlen(event.message) - 3, "…") == 0,
                         len + 4 > FX_EVENTS_MESSAGE_BYTES);
    }
}

static void names(void **state) {
    (void)state;
    char long_name[254];
    memset(long_name, 'n', 253);
    long_name[253] = '\0';
    memcpy(long_name + 233, ".-.-", 4);
    static const char tail[] = ".0123456789abcdef";
    const char *const given[] = {"a", long_name, ""};
    const size_t lengths[] = {18, 233 + 17, 16};
    for (size_t i = 0; i < FX_COUNT(given); i++) {
        struct fx_cluster_object mutator = make(given[i]);
        struct fx_event event = event_of(&mutator, "{\"message\":\"m\"}");
        event.digest = UINT64_C(0x0123456789abcdef);
        json_t *body = fx_event_new(&identity, &mutator, &event, NOW);
        const char *name =
            json_string_value(json_object_get(json_object_get(body, "metadata"), "name"));
        assert_int_equal(strlen(name), lengths[i]);
        assert_true(fx_text_ends(fx_text_of(name), fx_text_of(tail + (i == 2))));
        assert_null(strstr(name, "-."));
        json_decref(body);
    }
}

static void one_more(void **state) {
    (void)state;
    static const struct {
        const char *there;
        bool is_due;
        const char *body;
    } cases[] = {
        {"{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"n\","
         "\"namespace\":\"default\",\"uid\":\"u\","
         "\"resourceVersion\":\"5\",\"labels\":{}},\"count\":7,\"message\":\"m\","
         "\"lastTimestamp\":\"2026-11-21T09:52:33Z\"}",
         true,
         "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"n\","
         "\"namespace\":\"default\",\"uid\":\"u\",\"resourceVersion\":\"5\"},"
         "\"lastTimestamp\":\"2026-11-21T10:02:33Z\",\"count\":8}"},
        {"{\"count\":7,\"lastTimestamp\":\"2026-11-21T09:52:34Z\"}", false, NULL},
        {"{\"count\":7,\"lastTimestamp\":\"2026-11-21T10:02:34Z\"}", true, NULL},
        {"{\"count\":\"x\"}", true,
         "{\"metadata\":{},\"lastTimestamp\":\"2026-11-21T10:02:33Z\",\"count\":2}"},
        {"{\"count\":9223372036854775807}", true,
         "{\"metadata\":{},\"lastTimestamp\":\"2026-11-21T10:02:33Z\",\"count\":"
         "2147483647}"},
    };
    for (size_t i = 0; i < FX_COUNT(cases); i++) {
        json_t *there = read_json(cases[i].there);
        assert_int_equal(fx_event_is_due(there, NOW), cases[i].is_due);
        if (cases[i].body != NULL) {
            expect_json(fx_event_count_up(there, NOW), cases[i].body);
        }
        json_decref(there);
    }
}

static bool is_new(struct fx_events_known *known, uint64_t digest) {
    bool new = false;
    assert_true(fx_events_known_add(known, digest, &new));
    return new;
}

/* Also where a walk is broken off by the next one. */
static void what_is_known(void **state) {
    (void)state;
    struct fx_events_known known = {0};
    fx_events_known_begin(&known);
    for (uint64_t i = 0; i < 100; i++) {
        assert_true(is_new(&known, i * UINT64_C(0x9e3779b97f4a7c15)));
        assert_false(is_new(&known, i * UINT64_C(0x9e3779b97f4a7c15)));
    }
    fx_events_known_begin(&known);
    for (uint64_t i = 0; i < 50; i++) {
        assert_false(is_new(&known, i * UINT64_C(0x9e3779b97f4a7c15)));
    }
    fx_events_known_end(&known);
    assert_int_equal(known.n_items, 50);
    fx_events_known_begin(&known);
    assert_false(is_new(&known, 0));
    assert_true(is_new(&known, 50 * UINT64_C(0x9e3779b97f4a7c15)));
    fx_events_known_end(&known);
    assert_int_equal(known.n_items, 2);
    fx_events_known_finish(&known);
}

static void the_rate(void **state) {
    (void)state;
    struct fx_events_rate rate = {0};
    uint64_t now = 1000 * S;
    for (size_t i = 0; i < 25; i++) {
        assert_true(fx_events_rate_take(&rate, now));
    }
    assert_false(fx_events_rate_take(&rate, now));
    assert_false(fx_events_rate_take(&rate, now + 5 * S - 1));
    assert_true(fx_events_rate_take(&rate, now + 5 * S));
    assert_false(fx_events_rate_take(&rate, now + 5 * S));
    size_t n = 0;
    for (now += 5 * S; now <= 1605 * S; now += S / 10) {
        n += fx_events_rate_take(&rate, now) ? 1 : 0;
    }
    assert_int_equal(n, 120);
    now += 125 * S; /* all is paid */
    for (size_t i = 0; i < 25; i++) {
        assert_true(fx_events_rate_take(&rate, now));
    }
    assert_false(fx_events_rate_take(&rate, now));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_one),
        cmocka_unit_test(one_about_an_object_in_a_namespace),
        cmocka_unit_test(reasons),
        cmocka_unit_test(digests),
        cmocka_unit_test(long_messages),
        cmocka_unit_test(names),
        cmocka_unit_test(one_more),
        cmocka_unit_test(what_is_known),
        cmocka_unit_test(the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
