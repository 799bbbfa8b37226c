/* SPDX-License-Identifier: Apache-2.0
 *
 * kube/reflector_absent_test.c - resources that do not exist, or are forbidden; their
 * versions; and how often a server is asked.
 */
#include "kube/reflector_fixture.h"

#define A1      OBJECT("a", "ua", "1")
#define UNKNOWN "HTTP/1.1 404 X\r\nConnection: close\r\n\r\n404 page not found\n"
#define V1      "/apis/mutations.gatekeeper.sh/v1/assign?"
#define V1BETA1 "/apis/mutations.gatekeeper.sh/v1beta1/assign?"

static const struct fx_kube_resource versions[] = {
    {"mutations.gatekeeper.sh", "v1", "assign", "Assign"},
    {"mutations.gatekeeper.sh", "v1beta1", "assign", "Assign"},
};
static const struct fx_kube_reflector_options of_versions = {.versions = versions,
                                                             .n_versions = 2};

static void start(struct fixture *fixture,
                  const struct fx_kube_reflector_options *options,
                  const struct reply *replies, size_t n_replies) {
    fixture_begin(fixture);
    fixture->with_api_version = true;
    api_set_replies(&fixture->api, replies, n_replies);
    reflect(fixture, options, &fast);
    await_requests(fixture, n_replies + 1);
}

static void waited_for(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {
        {V1, UNKNOWN, CLOSE, 0}, {V1BETA1, UNKNOWN, CLOSE, 0},
        {V1, UNKNOWN, CLOSE, 0}, {V1BETA1, UNKNOWN, CLOSE, 0},
        LIST(V1, "5", A1),       {V1, STREAM BOOKMARK("6"), KEEP_OPEN, 0}};
    fixture_begin(&fixture);
    fixture.with_api_version = true;
    api_set_replies(&fixture.api, replies, FX_COUNT(replies));
    reflect(&fixture, &of_versions, &fast);
    await_requests(&fixture, 4);
    assert_int_equal(status_of(&fixture).state, FX_KUBE_STATE_ABSENT);
    assert_true(status_of(&fixture).synced);
    assert_null(status_of(&fixture).version);
    await_reported(&fixture, "=watching");
    expect_reported(&fixture,
                    "=absent synced +a@1:mutations.gatekeeper.sh/v1 synced =watching");
    assert_true(status_of(&fixture).version == &versions[0]);
    fixture_finish(&fixture);
}

static void the_next_version(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {
        {V1, UNKNOWN, CLOSE, 0}, LIST(V1BETA1, "5", A1), {V1BETA1, STREAM, CLOSE, 0}};
    start(&fixture, &of_versions, replies, FX_COUNT(replies));
    expect_reported(&fixture, "+a@1:mutations.gatekeeper.sh/v1beta1 synced =watching");
    assert_true(status_of(&fixture).version == &versions[1]);
    fixture_finish(&fixture);
}

/* The object is another one, though its state is the same. */
static void a_version_that_is_no_longer_served(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {{V1, UNKNOWN, CLOSE, 0},
                                    LIST(V1BETA1, "5", A1),
                                    {V1BETA1, UNKNOWN, CLOSE, 0},
                                    {V1BETA1, UNKNOWN, CLOSE, 0},
                                    LIST(V1, "5", A1),
                                    {V1, STREAM, CLOSE, 0}};
    start(&fixture, &of_versions, replies, FX_COUNT(replies));
    expect_reported(&fixture, "+a@1:mutations.gatekeeper.sh/v1beta1 synced "
                              "+a@1:mutations.gatekeeper.sh/v1 synced =watching");
    fixture_finish(&fixture);
}

static void neither_the_version_nor_a_better_one_is_served(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {
        {V1, UNKNOWN, CLOSE, 0},     LIST(V1BETA1, "5", A1),
        {V1BETA1, STREAM, CLOSE, 0}, {V1BETA1 "watch", UNKNOWN, CLOSE, 0},
        {V1, UNKNOWN, CLOSE, 0},     {V1BETA1 "limit", UNKNOWN, CLOSE, 0},
        {V1, UNKNOWN, CLOSE, 0},     {V1BETA1, UNKNOWN, CLOSE, 0}};
    start(&fixture, &of_versions, replies, FX_COUNT(replies));
    await_reported(&fixture, "=absent synced");
    expect_reported(&fixture,
                    "+a@1:mutations.gatekeeper.sh/v1beta1 synced =watching -a =absent "
                    "synced");
    fixture_finish(&fixture);
}

static const struct fx_kube_resource three_versions[] = {
    {"mutations.gatekeeper.sh", "v1", "assign", "Assign"},
    {"mutations.gatekeeper.sh", "v1beta1", "assign", "Assign"},
    {"mutations.gatekeeper.sh", "v1alpha1", "assign", "Assign"},
};
static const struct fx_kube_reflector_options of_three = {.versions = three_versions,
                                                          .n_versions = 3};
#define V1ALPHA1 "/apis/mutations.gatekeeper.sh/v1alpha1/assign?"
#define B2       OBJECT("b", "ub", "2")

/* After a watch has ended, and if it is due, a preferred version is requested. */
static void a_better_version_comes_later(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_kube_delays pauses = fast;
    const struct reply replies[] = {
        {V1, UNKNOWN, CLOSE, 0},
        {V1BETA1, UNKNOWN, CLOSE, 0},
        LIST(V1ALPHA1, "5", A1),
        {V1ALPHA1 "watch", STREAM BOOKMARK("6"), CLOSE, 0},
        {V1, UNKNOWN, CLOSE, 0},
        {V1ALPHA1 "watch", STREAM EVENT("ADDED", B2), CLOSE, 0},
        LIST(V1BETA1, "7", A1 "," B2),
        {V1BETA1 "watch", STREAM, CLOSE, 0},
        LIST(V1, "7", A1 "," B2),
        {V1 "watch", STREAM, CLOSE, 0},
        {V1 "watch", STREAM, KEEP_OPEN, 0},
    };
    fixture_begin(&fixture);
    fixture.with_api_version = true;
    api_set_replies(&fixture.api, replies, FX_COUNT(replies));
    pauses.preferred_ms = 0;
    reflect(&fixture, &of_three, &pauses);
    await_requests(&fixture, FX_COUNT(replies));
    expect_reported(
        &fixture,
        "+a@1:mutations.gatekeeper.sh/v1alpha1 synced =watching "
        "+b@2:mutations.gatekeeper.sh/v1alpha1 "
        "+a@1:mutations.gatekeeper.sh/v1beta1 "
        "+b@2:mutations.gatekeeper.sh/v1beta1 synced "
        "+a@1:mutations.gatekeeper.sh/v1 +b@2:mutations.gatekeeper.sh/v1 synced");
    assert_true(status_of(&fixture).version == &three_versions[0]);
    assert_int_equal(status_of(&fixture).state, FX_KUBE_STATE_WATCHING);
    fixture_finish(&fixture);
}

static void a_better_version_is_not_asked_for_at_every_end(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {{V1, UNKNOWN, CLOSE, 0},
                                    LIST(V1BETA1, "5", A1),
                                    {V1BETA1 "watch", STREAM, CLOSE, 0},
                                    {V1BETA1 "watch", STREAM, CLOSE, 0}};
    start(&fixture, &of_versions, replies, FX_COUNT(replies));
    fixture_finish(&fixture);
}

/* The resource disappears during a list: nothing is lost or reported as gone. */
static void a_better_version_goes_again(void **state) {
    (void)state;
    struct fixture fixture;
    struct fx_kube_delays pauses = fast;
    const struct reply replies[] = {
        {V1, UNKNOWN, CLOSE, 0},
        LIST(V1BETA1, "5", A1 "," B2),
        {V1BETA1 "watch", STREAM, CLOSE, 0},
        PAGE(V1, "6", "next", A1),
        {"continue=next", UNKNOWN, CLOSE, 0},
        LIST(V1BETA1, "6", A1 "," B2),
        {V1BETA1 "watch", STREAM, KEEP_OPEN, 0},
    };
    fixture_begin(&fixture);
    fixture.with_api_version = true;
    api_set_replies(&fixture.api, replies, FX_COUNT(replies));
    pauses.preferred_ms = 0;
    reflect(&fixture, &of_versions, &pauses);
    await_requests(&fixture, FX_COUNT(replies));
    expect_reported(&fixture, "+a@1:mutations.gatekeeper.sh/v1beta1 "
                              "+b@2:mutations.gatekeeper.sh/v1beta1 synced =watching "
                              "+a@1:mutations.gatekeeper.sh/v1 synced");
    assert_true(status_of(&fixture).version == &versions[1]);
    fixture_finish(&fixture);
}

/* Requested twice before all objects are reported as gone. */
static void deleted_while_it_is_watched(void **state) {
    (void)state;
    struct fixture fixture;
    const struct reply replies[] = {
        LIST(IS_LIST, "5", A1 "," OBJECT("b", "ub", "2")),
        {FROM("5"), STREAM EVENT("DELETED", OBJECT("b", "ub", "6")), CLOSE, 0},
        {FROM("6"), UNKNOWN, CLOSE, 0},
        {IS_LIST, UNKNOWN, CLOSE, 0},
        {IS_LIST, UNKNOWN, CLOSE, 0},
        {IS_LIST, UNKNOWN, CLOSE, 0},
        LIST(IS_LIST, "9", A1),
    };
    start(&fixture, &all_assigns, replies, FX_COUNT(replies));
    expect_reported(&fixture,
                    "+a@1:mutations.gatekeeper.sh/v1 +b@2:mutations.gatekeeper.sh/v1 "
                    "synced =watching -b -a =absent synced "
                    "+a@1:mutations.gatekeeper.sh/v1 synced");
    fixture_finish(&fixture);
}

/* ---- how often ---- */

#define WATCHED(bytes) {LIST("limit=", "5", A1), {"watch=", bytes, CLOSE, 0}}
#define LISTED(bytes)  {{"limit=", bytes, CLOSE, 0}, {"watch=", "", CLOSE, 0}}

/* The first answer to lists, the second to watches, over and over; and how many requests
 * of each kind there may be in 150 ms with pauses of 40, doubling, and half of that less.
 */
static const struct {
    struct reply replies[2];
    size_t most_lists, most_watches;
} storms[] = {
    /* The watch ends at once, without an error. */
    {WATCHED(STREAM), 1, 5},
    /* It breaks: 20, 40, 80, 160 at least. */
    {WATCHED(OPEN_HEAD "3f\r\n"), 1, 4},
    {WATCHED(STATUS("429", "TooManyRequests")), 1, 4},
    /* It is too old, always, or no watch at all: a list at once, then after pauses. */
    {WATCHED(STATUS("410", "Gone")), 4, 4},
    {WATCHED(STREAM ERROR("410", "Gone")), 4, 4},
    {WATCHED(UNKNOWN), 4, 4},
    {WATCHED(STREAM "rubbish\n"), 4, 4},
    /* Even where each brings an event before. */
    {WATCHED(STREAM BOOKMARK("6") "rubbish\n"), 4, 4},
    {WATCHED(STREAM BOOKMARK("6") ERROR("410", "Gone")), 4, 4},
    /* Lists that fail. */
    {LISTED(STATUS("500", "X")), 4, 0},
    {LISTED(STATUS("410", "Gone")), 4, 0},
    {LISTED(STATUS("403", "Forbidden")), 4, 0},
    {LISTED(UNKNOWN), 4, 0},
    {LISTED(STREAM "[]"), 4, 0},
};

static size_t count(const struct fx_buf *received, const char *part) {
    size_t n = 0;
    for (const char *at = received->data; at != NULL && (at = strstr(at, part)) != NULL;
         n++) {
        at++;
    }
    return n;
}

static void no_storm(void **state) {
    (void)state;
    struct fx_kube_delays pauses = fast;
    pauses.backoff_min_ms = pauses.interval_ms = 40;
    pauses.backoff_max_ms = 1000;
    pauses.absent_min_ms = pauses.absent_max_ms = 50;
    for (size_t i = 0; i < FX_COUNT(storms); i++) {
        struct fixture fixture;
        fixture_begin(&fixture);
        fixture.api.always = storms[i].replies;
        fixture.api.n_always = 2;
        reflect(&fixture, &all_assigns, &pauses);
        run_for(&fixture.api, 150);
        const size_t n_lists = count(&fixture.api.server.received, "limit=");
        const size_t n_watches = count(&fixture.api.server.received, "watch=");
        if (n_lists > storms[i].most_lists || n_watches > storms[i].most_watches) {
            fail_msg("storm %zu: %zu lists, %zu watches", i, n_lists, n_watches);
        }
        assert_true(n_lists + n_watches > 1);
        fixture_finish(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waited_for),
        cmocka_unit_test(the_next_version),
        cmocka_unit_test(a_version_that_is_no_longer_served),
        cmocka_unit_test(neither_the_version_nor_a_better_one_is_served),
        cmocka_unit_test(a_better_version_comes_later),
        cmocka_unit_test(a_better_version_is_not_asked_for_at_every_end),
        cmocka_unit_test(a_better_version_goes_again),
        cmocka_unit_test(deleted_while_it_is_watched),
        cmocka_unit_test(no_storm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
